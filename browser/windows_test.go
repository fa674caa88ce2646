package browser

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// front is a server before the tests' own, which answers what first does not.
func front(t *testing.T, s *Server, first func(w http.ResponseWriter, r *http.Request, pass http.Handler)) string {
	t.Helper()
	back, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	through := &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(back)
		r.Out.Header.Del("Origin") // which is the proxy's
	}, ErrorHandler: func(http.ResponseWriter, *http.Request, error) {}} // who asked is gone
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		first(w, r, through)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// A window that nobody sees holds no stream, and takes it up again when it is seen.
func TestHiddenWindow(t *testing.T) {
	t.Parallel()
	m := researcher{hold: map[string]bool{"extract_page_content_tool": true}, goOn: make(chan bool)}
	goOn := sync.OnceFunc(func() { close(m.goOn) })
	defer goOn()
	s := serveWithModel(t, m)
	var open atomic.Int32
	address := front(t, s, func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
		if strings.HasSuffix(r.URL.Path, "/events") {
			open.Add(1)
			defer open.Add(-1)
		}
		pass.ServeHTTP(w, r)
	})
	run := s.begins(story{task: larchQuestion}, nil)
	tab := Open(t, Options{})
	tab.Goto(address + "/runs/" + run)
	streams := func(n int32) {
		t.Helper()
		tab.waitUntil(fmt.Sprint("hold ", n, " streams"), func(context.Context) (bool, error) {
			return open.Load() == n, nil
		})
	}
	see := func(hidden bool) {
		Eval[any](tab,
			fmt.Sprintf(`(Object.defineProperty(document, 'hidden', {value: %v, configurable: true}), document.dispatchEvent(new Event('visibilitychange')))`, hidden))
	}
	streams(1)
	see(true)
	streams(0)
	if said := tab.Text("#stream"); !strings.Contains(said, "paused while hidden") {
		t.Errorf("a hidden window says %q", said)
	}
	see(false)
	streams(1)
	tab.WaitFor(`document.getElementById('stream').textContent.includes('live')`)
	goOn()
	tab.WaitFor(`document.querySelector('.below a')`)
	streams(0)
}
