package browser

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/storage"
	"github.com/chromedp/chromedp"
)

// A seat is a tab of the browser with a profile of its own, in which one reader sits after
// the other: a new one takes the browser half a second of work. It is cleared in between,
// and thrown away where a reader did what cannot be cleared.
type seat struct {
	ctx    context.Context // the tab as chromedp knows it
	end    context.CancelFunc
	reader atomic.Pointer[Tab] // nil while nobody sits in it
}

// rest is the address of a page on which a free seat waits. It is of the site that the next
// page is of: for another the browser starts a process.
var rest = sync.OnceValue(func() string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		// the browser is gone where this fails
		io.WriteString(w, `<!doctype html><html lang="en"><title>Nobody</title><link rel="icon" href="data:,">`)
	}))
	atEnd(server.Close)
	return server.URL
})

// free are seats that wait for a reader.
var free struct {
	mu    sync.Mutex
	seats []*seat
}

// takeSeat gives a free seat, or a new one.
func takeSeat(parent context.Context) (*seat, error) {
	free.mu.Lock()
	if n := len(free.seats); n > 0 {
		s := free.seats[n-1]
		free.seats = free.seats[:n-1]
		free.mu.Unlock()
		return s, nil
	}
	free.mu.Unlock()
	s := &seat{}
	s.ctx, s.end = chromedp.NewContext(parent, chromedp.WithNewBrowserContext(),
		chromedp.WithListener(s.listener((*Tab).hear)))
	err := chromedp.Do(s.ctx) // a deadline here would be the tab's
	if err == nil {
		err = chromedp.ListenBrowser(s.ctx, s.listener((*Tab).hearWindows))
	}
	if err == nil {
		err = chromedp.Do(s.ctx, chromedp.Func(watchPolicy))
	}
	if err != nil {
		s.end()
		return nil, err
	}
	return s, nil
}

// listener has who sits there hear of an event.
func (s *seat) listener(hear func(*Tab, any)) func(any) {
	return func(event any) {
		if tab := s.reader.Load(); tab != nil {
			hear(tab, event)
		}
	}
}

// leave frees the seat of a tab whose test has ended.
func (tab *Tab) leave() {
	s := tab.seat
	if tab.t.Failed() || tab.faults.last() || s.clear(tab) != nil {
		s.reader.Store(nil)
		s.end()
		return
	}
	free.mu.Lock()
	defer free.mu.Unlock()
	free.seats = append(free.seats, s)
}

// last says whether faults are of a kind that outlives its page.
func (f *faults) last() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, fault := range f.said {
		for _, kind := range []string{"window", "crash", "dialog"} {
			if strings.HasPrefix(fault, kind) {
				return true
			}
		}
	}
	return false
}

// clear takes away what a reader left behind: the page and those before it, what was kept for
// any host, and what the profile and the tab were told. Options.emulate does the rest.
func (s *seat) clear(tab *Tab) (err error) {
	ctx, stop := context.WithTimeout(s.ctx, patience)
	defer stop()
	keep := func(failure error) { err = errors.Join(err, failure) }
	// no host's name clears it
	keep(chromedp.Do(ctx, chromedp.Evaluate[chromedp.Void](`try { sessionStorage.clear() } catch {}`)))
	keep(chromedp.Do(ctx, chromedp.Navigate(rest())))
	s.reader.Store(nil)
	profile := chromedp.FromContext(s.ctx).BrowserContextID
	keep(chromedp.Do(ctx, chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		for host := range tab.faults.hosts {
			origin := "http://" + host
			keep(failed(cdp.Call(ctx, target, storage.ClearDataForOrigin,
				storage.ClearDataForOriginParams{Origin: origin, StorageTypes: "all"})))
		}
		keep(failed(cdp.Call(ctx, target, network.ClearBrowserCookies, cdp.Empty{})))
		keep(failed(cdp.Call(ctx, target, network.ClearBrowserCache, cdp.Empty{})))
		keep(failed(cdp.Call(ctx, target, browser.ResetPermissions,
			browser.ResetPermissionsParams{BrowserContextID: profile})))
		keep(failed(cdp.Call(ctx, target, browser.SetDownloadBehavior,
			browser.SetDownloadBehaviorParams{Behavior: browser.SetDownloadBehaviorBehaviorDefault,
				BrowserContextID: profile})))
		keep(failed(cdp.Call(ctx, target, emulation.SetEmulatedVisionDeficiency,
			emulation.SetEmulatedVisionDeficiencyParams{Type: emulation.SetEmulatedVisionDeficiencyTypeNone})))
		return failed(cdp.Call(ctx, target, page.ResetNavigationHistory, cdp.Empty{}))
	})))
	return err
}

// failed is the error of a call whose answer says nothing.
func failed(_ cdp.Empty, err error) error { return err }
