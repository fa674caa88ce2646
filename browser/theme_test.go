package browser

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// seeFrames notes the colour behind the page in each frame that is painted, from the first on,
// and tells the server of the first.
const seeFrames = `(() => {
	globalThis.grounds = [];
	const look = () => {
		if (document.body) {
			if (!grounds.length) fetch('/frame').catch(() => {});
			grounds.push(getComputedStyle(document.body).backgroundColor);
		}
		requestAnimationFrame(look);
	};
	requestAnimationFrame(look);
})()`

// A reader who has chosen colours sees no frame in others, however late the style comes: the
// choice is in the first bytes, and nothing is painted before the style is there.
func TestNoFlashOfTheOtherTheme(t *testing.T) {
	t.Parallel()
	s, run := shareDemo(t)
	var mu sync.Mutex
	painted := make(chan bool)
	address := front(t, s, func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
		mu.Lock()
		early := painted
		mu.Unlock()
		switch {
		case r.URL.Path == "/frame":
			mu.Lock()
			defer mu.Unlock()
			select {
			case <-painted:
			default:
				close(painted)
			}
			w.WriteHeader(http.StatusNoContent)
			return
		case strings.HasSuffix(r.URL.Path, ".css"):
			select { // a frame without it is waited for, which must not come
			case <-early:
			case <-time.After(300 * time.Millisecond):
			}
		}
		pass.ServeHTTP(w, r)
	})
	for _, test := range []struct {
		system Options
		chosen string
	}{{Options{}, "dark"}, {Options{Dark: true}, "light"}} {
		tab := Open(t, test.system)
		tab.Goto(address + "/runs/" + run)
		other := Eval[string](tab, `getComputedStyle(document.body).backgroundColor`)
		tab.Follow(`button[value="` + test.chosen + `"]`)
		var script page.ScriptIdentifier
		tab.do("see frames", chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
			added, err := cdp.Call(ctx, target, page.AddScriptToEvaluateOnNewDocument,
				page.AddScriptToEvaluateOnNewDocumentParams{Source: seeFrames})
			script = added.Identifier
			return err
		}))
		call(tab, "forget the style", network.ClearBrowserCache, cdp.Empty{})
		mu.Lock()
		painted = make(chan bool)
		mu.Unlock()
		tab.Goto(address + "/runs/" + run)
		tab.WaitFor(`grounds.length > 2`)
		for i, ground := range Eval[[]string](tab, `grounds`) {
			if ground == other || ground == "rgba(0, 0, 0, 0)" {
				t.Errorf("who chose %s sees %s in frame %d", test.chosen, ground, i+1)
			}
		}
		call(tab, "see no more frames", page.RemoveScriptToEvaluateOnNewDocument,
			page.RemoveScriptToEvaluateOnNewDocumentParams{Identifier: script})
	}
}
