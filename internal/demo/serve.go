package demo

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"

	"github.com/citewell/citewell"
)

// handler routes by Host. The engines and the switch refuse requests that a browser makes for another site.
func (w *Web) handler() http.Handler {
	guard := http.NewCrossOriginProtection()
	search, duck := w.engine(w.serveSearXNG), w.engine(w.serveDuckDuckGo)
	home := w.engine(w.serveDirectory)
	return guard.Handler(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		switch host := hostOf(r); {
		case host == searchHost:
			search.ServeHTTP(rw, r)
		case host == duckHost:
			duck.ServeHTTP(rw, r)
		case isHome(host):
			home.ServeHTTP(rw, r)
		case w.sites[host] != nil:
			w.serveSite(rw, r, w.sites[host])
		default:
			http.Error(rw, "no site of the demo web has this name; "+w.HomeURL()+" lists them",
				http.StatusMisdirectedRequest)
		}
	}))
}

// engine puts the failure switch beside a handler.
func (w *Web) engine(rest http.HandlerFunc) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /_demo/fail", w.serveModes)
	mux.HandleFunc("POST /_demo/fail", w.serveFail)
	mux.HandleFunc("/", rest)
	return mux
}

func hostOf(r *http.Request) string {
	host := r.Host
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	return strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
}

func isHome(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}

func (w *Web) serveSite(rw http.ResponseWriter, r *http.Request, s *site) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		rw.Header().Set("Allow", "GET, HEAD")
		http.Error(rw, "pages can be read only", http.StatusMethodNotAllowed)
		return
	}
	at := r.URL.Path
	if to, ok := s.redirects[at]; ok {
		http.Redirect(rw, r, to.target, to.status)
		return
	}
	if at == "/robots.txt" && s.robots != nil {
		rw.Header().Set("Content-Type", "text/plain; charset=utf-8")
		rw.Write(s.robots)
		return
	}
	p := s.byPath[at]
	if trimmed := strings.TrimSuffix(at, "/"); p == nil && s.byPath[trimmed] != nil {
		http.Redirect(rw, r, trimmed, http.StatusMovedPermanently)
		return
	}
	rw.Header().Set("Content-Type", "text/html; charset="+s.charset)
	rw.Header().Set("Content-Language", s.Lang)
	if p == nil {
		rw.WriteHeader(http.StatusNotFound)
		rw.Write(s.notFound(at))
		return
	}
	if p.slow && !w.wait(r, w.slow) {
		return
	}
	modified := p.Date
	if p.Modified.After(modified) {
		modified = p.Modified
	}
	rw.Header().Set("ETag", fmt.Sprintf(`"%x"`, sha256.Sum256(p.html))[:18]+`"`)
	http.ServeContent(rw, r, "", modified, bytes.NewReader(p.html))
}

// serveFail is Fail over HTTP.
func (w *Web) serveFail(rw http.ResponseWriter, r *http.Request) {
	if err := w.Fail(r.FormValue("endpoint"), r.FormValue("mode")); err != nil {
		sendJSON(rw, http.StatusBadRequest, map[string]any{"error": citewell.View(err)})
		return
	}
	w.serveModes(rw, r)
}

func (w *Web) serveModes(rw http.ResponseWriter, _ *http.Request) {
	sendJSON(rw, http.StatusOK, map[string]string{SearXNG: w.mode(SearXNG), DuckDuckGo: w.mode(DuckDuckGo)})
}

func sendJSON(rw http.ResponseWriter, status int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		http.Error(rw, err.Error(), http.StatusInternalServerError)
		return
	}
	reply{status, "application/json", body}.send(rw)
}
