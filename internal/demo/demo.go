package demo

import (
	"cmp"
	"context"
	"fmt"
	"html/template"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/citewell/citewell"
)

// Options says where and how the demo web is served. The zero value is right for most uses.
type Options struct {
	Addr     string        // loopback address with port; "" means 127.0.0.1:0, a free port
	SlowPage time.Duration // how long the slow page takes; 0 means 700 ms
	// Heard hears of every request before it is answered; nil hears nothing. Several goroutines call it.
	Heard func(*http.Request)
}

// Hosts of the two search engines and the suffix of every site.
const (
	searchHost = "search.localhost"
	duckHost   = "duckduckgo.localhost"
	awayHost   = "elsewhere.localhost" // where an engine that redirects away points; nobody answers there
	hostSuffix = ".localhost"
)

const defaultSlowPage = 700 * time.Millisecond

// A Web is the demo web while it is served.
type Web struct {
	addr     string // host:port of the listener
	port     string
	slow     time.Duration
	sites    map[string]*site // by host
	order    []*site          // by host name, sorted
	index    *index
	pages    *template.Template // of the engines and the list of sites
	faults   faults
	server   *http.Server
	done     chan struct{} // closed when the server's goroutine has ended
	stop     chan struct{} // closed by Close: hanging answers end
	stopOnce sync.Once
	release  func() bool // forgets the watch on Start's context
}

// Start serves the demo web until ctx ends or Close is called. Every page is rendered and indexed before Start returns.
func Start(ctx context.Context, o Options) (*Web, error) {
	listener, err := listen(ctx, o.Addr)
	if err != nil {
		return nil, err
	}
	w, err := newWeb(listener.Addr().String(), o.SlowPage)
	if err != nil {
		listener.Close()
		return nil, err
	}
	handler := w.handler()
	if o.Heard != nil {
		answers := handler
		handler = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			o.Heard(r)
			answers.ServeHTTP(rw, r)
		})
	}
	w.server = &http.Server{Handler: handler, ReadHeaderTimeout: 5 * time.Second}
	go func() {
		defer close(w.done)
		w.server.Serve(listener) // ends with ErrServerClosed, by Close only
	}()
	w.release = context.AfterFunc(ctx, w.shut)
	return w, nil
}

// newWeb reads, renders and indexes the whole web for one address, without serving it.
func newWeb(addr string, slow time.Duration) (*Web, error) {
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("demo: address %q: %w", addr, err)
	}
	slow = cmp.Or(slow, defaultSlowPage)
	w := &Web{addr: addr, port: port, slow: slow, done: make(chan struct{}), stop: make(chan struct{})}
	if w.order, err = loadSites(pageFiles, port); err != nil {
		return nil, fmt.Errorf("demo: %w", err)
	}
	if w.pages, err = template.ParseFS(pageFiles, "web/duckduckgo.html", "web/results.html",
		"web/directory.html"); err != nil {
		return nil, fmt.Errorf("demo: %w", err)
	}
	w.sites = make(map[string]*site, len(w.order))
	for _, s := range w.order {
		w.sites[s.Host] = s
	}
	w.index = buildIndex(w.order)
	return w, nil
}

func listen(ctx context.Context, addr string) (net.Listener, error) {
	addr = cmp.Or(addr, "127.0.0.1:0")
	at, err := netip.ParseAddrPort(addr)
	if err != nil || !at.Addr().IsLoopback() {
		return nil, &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "demo.start",
			Message: fmt.Sprintf("addr %q is not a loopback address with a port", addr),
			Hint:    "use 127.0.0.1:PORT or [::1]:PORT; port 0 takes a free one", Err: err}
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "demo.start",
			Message: fmt.Sprintf("addr %s cannot be listened on", addr),
			Hint:    "is the port in use? port 0 takes a free one", Err: err}
	}
	return listener, nil
}

// Close stops serving, ends the answers in flight and waits for the server's goroutine. It may be called many times.
func (w *Web) Close() error {
	w.release()
	w.shut()
	<-w.done
	return nil
}

func (w *Web) shut() {
	w.stopOnce.Do(func() {
		close(w.stop)
		w.server.Close()
	})
}

// Addr is the host:port that is listened on. Sites are told apart by their host names, so this is for dialling only.
func (w *Web) Addr() string { return w.addr }

// HomeURL is a page for people that lists the sites.
func (w *Web) HomeURL() string { return "http://localhost:" + w.port + "/" }

// SearchURL is the base URL of the SearXNG-shaped engine; /search is below it.
func (w *Web) SearchURL() string { return "http://" + searchHost + ":" + w.port }

// DuckDuckGoURL is the endpoint of the DuckDuckGo-shaped engine.
func (w *Web) DuckDuckGoURL() string { return "http://" + duckHost + ":" + w.port + "/html/" }

// URL is the address of a page, by its host without .localhost and its path: URL("harbour-courier", "/2019/05/x").
func (w *Web) URL(host, path string) string { return siteURL(host, w.port) + path }

// A Site is one host of the demo web.
type Site struct {
	Host  string // with .localhost
	Name  string
	URL   string
	Pages []Page
}

// A Page is one page of a site that answers 200.
type Page struct {
	URL   string
	Title string
	Lang  string
	Date  string // YYYY-MM-DD; empty where the page has none
}

// Sites lists every site with its pages, both in order of their addresses.
func (w *Web) Sites() []Site {
	sites := make([]Site, len(w.order))
	for i, s := range w.order {
		sites[i] = Site{Host: s.Host, Name: s.Name, URL: s.URL + "/"}
		for _, p := range s.Pages {
			sites[i].Pages = append(sites[i].Pages, Page{URL: p.URL, Title: p.Title, Lang: p.Lang,
				Date: p.Day("2006-01-02")})
		}
	}
	return sites
}

// Questions suggests what to ask of this web; the first is the default.
func (w *Web) Questions() []string { return slices.Clone(questions) }
