// Package wayback is an archive for tests in the form of the Wayback Machine: the JSON of its CDX server, with a row of
// names, and the bytes of captures at /web/TIMEid_/URL.
package wayback

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A Capture is one copy that the archive has.
type Capture struct {
	Stamp  string // 14 digits
	URL    string
	Status int    // 200 when 0
	Type   string // text/html when empty
	Body   string
}

// A Server is the archive. Mode is what goes wrong with it: empty for nothing; a status, as in
// "429", for the whole of it; html, cut, empty and other for its lists; hang until a request ends; lost for
// captures that are listed and not there.
type Server struct {
	Captures []Capture

	mu    sync.Mutex
	mode  string
	asked []string
}

// Fail sets the mode.
func (s *Server) Fail(mode string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mode = mode
}

// Asked is what was asked for: the URL of a look-up, the path of a capture.
func (s *Server) Asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

// ServeHTTP answers as the archive.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	lookup := r.URL.Path == "/cdx/search/cdx"
	if !lookup && !strings.HasPrefix(r.URL.Path, "/web/") {
		http.NotFound(w, r) // it has no robots.txt
		return
	}
	s.mu.Lock()
	mode := s.mode
	if lookup {
		s.asked = append(s.asked, r.URL.Query().Get("url"))
	} else {
		s.asked = append(s.asked, r.URL.Path)
	}
	s.mu.Unlock()
	if status, err := strconv.Atoi(mode); err == nil {
		w.WriteHeader(status)
		return
	}
	if mode == "hang" {
		<-r.Context().Done()
		return
	}
	if lookup {
		s.list(w, r.URL.Query(), mode)
		return
	}
	stamp, original, _ := strings.Cut(strings.TrimPrefix(r.URL.RequestURI(), "/web/"), "id_/")
	at := slices.IndexFunc(s.Captures, func(c Capture) bool { return c.Stamp == stamp && key(c.URL) == key(original) })
	if at < 0 || mode == "lost" {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", cmp.Or(s.Captures[at].Type, "text/html; charset=utf-8"))
	w.Header().Set("Memento-Datetime", stamp)
	w.WriteHeader(cmp.Or(s.Captures[at].Status, http.StatusOK))
	_, _ = w.Write([]byte(s.Captures[at].Body))
}

// list answers a look-up.
func (s *Server) list(w http.ResponseWriter, query url.Values, mode string) {
	found := s.of(query)
	rows := [][]string{}
	if len(found) > 0 {
		rows = append(rows, []string{"timestamp", "original", "statuscode", "mimetype", "digest"})
	}
	for _, c := range found {
		if mode == "other" {
			c.URL = "http://elsewhere.example/"
		}
		rows = append(rows, []string{c.Stamp, c.URL, strconv.Itoa(cmp.Or(c.Status, 200)), "text/html", "ABC"})
	}
	body, err := json.Marshal(rows)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	switch mode {
	case "html":
		w.Header().Set("Content-Type", "text/html")
		body = []byte("<html><body>Please wait.</body></html>")
	case "cut":
		body = body[:len(body)/2]
	case "empty":
		body = nil
	}
	_, _ = w.Write(body)
}

// of gives the captures that a look-up wants: oldest first, or nearest first.
func (s *Server) of(query url.Values) []Capture {
	var found []Capture
	for _, c := range s.Captures {
		if key(c.URL) == key(query.Get("url")) && (query.Get("filter") != "statuscode:200" ||
			cmp.Or(c.Status, 200) == 200) {
			found = append(found, c)
		}
	}
	number := func(stamp string) int { n, _ := strconv.Atoi((stamp + "00000000000000")[:14]); return n }
	if closest := query.Get("closest"); closest != "" && query.Get("sort") == "closest" {
		away := func(c Capture) int {
			return max(number(c.Stamp), number(closest)) - min(number(c.Stamp), number(closest))
		}
		slices.SortFunc(found, func(a, b Capture) int { return away(a) - away(b) })
	} else {
		slices.SortFunc(found, func(a, b Capture) int { return number(a.Stamp) - number(b.Stamp) })
	}
	limit, _ := strconv.Atoi(query.Get("limit"))
	switch {
	case limit > 0:
		found = found[:min(limit, len(found))]
	case limit < 0:
		found = found[max(0, len(found)+limit):]
	}
	return found
}

// key is what an archive takes as one: with and without www., http and https, any case of a host.
func key(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return raw
	}
	return strings.TrimPrefix(strings.ToLower(u.Hostname()), "www.") + u.EscapedPath() + "?" + u.RawQuery
}
