package measure

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/citewell/citewell"
)

// A simulatedWeb serves the engines and sites of a profile on loopback, each under a
// host name of its own below localhost, and takes for each answer the time that the
// profile says.
type simulatedWeb struct {
	profile profile
	port    string
	server  *http.Server
	ended   chan struct{}
}

func startWeb(p profile) (*simulatedWeb, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("bench: loopback: %w", err)
	}
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	w := &simulatedWeb{profile: p, port: port, ended: make(chan struct{})}
	w.server = &http.Server{Handler: http.HandlerFunc(w.serve), ReadHeaderTimeout: 5 * time.Second}
	go func() {
		defer close(w.ended)
		_ = w.server.Serve(listener) // ends with ErrServerClosed, by Close only
	}()
	return w, nil
}

// Close ends what is being answered and waits for the server's goroutine.
func (w *simulatedWeb) Close() {
	_ = w.server.Close() // its listener is loopback's and ours
	<-w.ended
}

func (w *simulatedWeb) endpoints() []Endpoint {
	var all []Endpoint
	for i := range w.profile.engines {
		name := fmt.Sprintf("engine%d", i)
		all = append(all, Endpoint{name, "http://" + name + ".localhost:" + w.port})
	}
	return all
}

func (w *simulatedWeb) question() string { return "How long is the chain bridge of Nether Hale?" }

func (w *simulatedWeb) siteURL(site int) string {
	return fmt.Sprintf("http://site%d.localhost:%s/bridge", site, w.port)
}

// sitesOf are the sites whose pages became sources of a brief.
func (w *simulatedWeb) sitesOf(b citewell.Brief) []int {
	var sites []int
	for _, s := range b.Sources {
		for site := range w.profile.pages {
			if s.URL == w.siteURL(site) && s.Outcome.Readable() {
				sites = append(sites, site)
			}
		}
	}
	return sites
}

func (w *simulatedWeb) serve(rw http.ResponseWriter, r *http.Request) {
	name, _, _ := strings.Cut(r.Host, ".localhost")
	if n, found := strings.CutPrefix(name, "engine"); found {
		if i, err := strconv.Atoi(n); err == nil && i < len(w.profile.engines) && r.URL.Path == "/search" {
			w.serveResults(rw, r, w.profile.engines[i])
			return
		}
	}
	if n, found := strings.CutPrefix(name, "site"); found {
		if i, err := strconv.Atoi(n); err == nil && i < len(w.profile.pages) {
			w.serveSite(rw, r, i)
			return
		}
	}
	http.NotFound(rw, r)
}

// pause waits and says whether the client is still there.
func pause(r *http.Request, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-r.Context().Done():
		return false
	}
}

func (w *simulatedWeb) serveResults(rw http.ResponseWriter, r *http.Request, e engine) {
	if !pause(r, e.after) {
		return
	}
	type result struct {
		URL     string `json:"url"`
		Title   string `json:"title"`
		Content string `json:"content"`
	}
	answer := map[string][]result{"results": {}}
	for _, site := range e.sites {
		answer["results"] = append(answer["results"], result{w.siteURL(site),
			"The chain bridge of Nether Hale, told by " + towns[site%len(towns)],
			"How long the chain bridge of Nether Hale is, and who built it."})
	}
	rw.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(rw).Encode(answer) // a client that went away is told nothing
}

func (w *simulatedWeb) serveSite(rw http.ResponseWriter, r *http.Request, site int) {
	switch r.URL.Path {
	case "/robots.txt":
		if pause(r, w.profile.robots) {
			rw.Header().Set("Content-Type", "text/plain")
			_, _ = rw.Write([]byte("User-agent: *\nAllow: /\n"))
		}
	case "/bridge":
		if pause(r, w.profile.pages[site]) {
			rw.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = rw.Write([]byte(w.page(site)))
		}
	default:
		http.NotFound(rw, r)
	}
}

var towns = []string{"Overmere", "Lathe", "Cold Sutton", "Marrow Ferry", "Thorpe Quay", "Ashlock"}

// page is an article of about 10 KB that no other site has.
func (w *simulatedWeb) page(site int) string {
	town := towns[site%len(towns)]
	var b strings.Builder
	fmt.Fprintf(&b, "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>The chain bridge of Nether "+
		"Hale, told by %s</title></head><body>"+
		"<nav><a href=\"/\">Home</a> <a href=\"/news\">News</a></nav><main><article><h1>The chain bridge of "+
		"Nether Hale</h1>",
		town)
	fmt.Fprintf(&b, "<p>The chain bridge of Nether Hale is %d metres long. People of %s have crossed it since %d to "+
		"reach the market.</p>", 212+site, town, 1840+site)
	for i := range 24 {
		fmt.Fprintf(&b, "<h2>Year %d</h2><p>In the year %d the keepers from %s counted %d carts and %d riders on "+
			"their side of the river, wrote the toll into the book, "+
			"and mended plank number %d before the frost. The master of %s paid them in %d silver pence, as the roll "+
			"of that winter says.</p>",
			1841+i+site, 1841+i+site, town, 900+31*i+7*site, 120+11*i+3*site, 40+i*site, town, 300+17*i+site)
	}
	b.WriteString("</article></main><footer>Printed for the visitors of the valley.</footer></body></html>")
	return b.String()
}
