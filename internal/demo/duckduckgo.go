package demo

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// duckAddress wraps a result's URL the way DuckDuckGo does, but for one result in three, which it links plainly.
func duckAddress(i int, target string) template.URL {
	if i%3 == 2 {
		return template.URL(target)
	}
	return template.URL(fmt.Sprintf("//duckduckgo.com/l/?uddg=%s&rut=%x", url.QueryEscape(target),
		sha256.Sum256([]byte(target))))
}

// duckMarked sets the query's words in bold.
func duckMarked(snippet string, terms []string) template.HTML {
	parts := strings.Fields(snippet)
	for i, part := range parts {
		found := slices.ContainsFunc(words(part), func(word string) bool { return slices.Contains(terms, word) })
		parts[i] = template.HTMLEscapeString(part)
		if found {
			parts[i] = "<b>" + parts[i] + "</b>"
		}
	}
	return template.HTML(strings.Join(parts, " "))
}

type duckHit struct {
	Title, Shown string
	Address      template.URL
	Snippet      template.HTML
}

type duckView struct {
	Query, Region, Range string
	Hits                 []duckHit
}

// serveDuckDuckGo answers GET and POST at /html/.
func (w *Web) serveDuckDuckGo(rw http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/html/" && r.URL.Path != "/html" {
		http.NotFound(rw, r)
		return
	}
	view := duckView{Query: strings.TrimSpace(r.FormValue("q")), Region: r.FormValue("kl"), Range: r.FormValue("df")}
	mode := w.mode(DuckDuckGo)
	if mode != ModeEmpty && view.Query != "" {
		view.Hits = w.duckHits(view)
	}
	good, err := w.duckReply(http.StatusOK, "results", view)
	if err != nil {
		http.Error(rw, err.Error(), http.StatusInternalServerError)
		return
	}
	switch mode {
	case ModeBlocked:
		good, err = w.duckReply(http.StatusAccepted, "challenge", view)
	case Mode403:
		good, err = w.duckReply(http.StatusForbidden, "forbidden", view)
	}
	if err != nil {
		http.Error(rw, err.Error(), http.StatusInternalServerError)
		return
	}
	if !w.sendBadly(rw, r, mode, good) {
		good.send(rw)
	}
}

func (w *Web) duckReply(status int, name string, view duckView) (reply, error) {
	var out bytes.Buffer
	err := w.pages.ExecuteTemplate(&out, name, view)
	return reply{status, "text/html; charset=UTF-8", out.Bytes()}, err
}

func (w *Web) duckHits(view duckView) []duckHit {
	_, lang, _ := strings.Cut(view.Region, "-")
	found := w.index.search(view.Query, filter{lang: lang, since: since(view.Range)})
	terms := words(view.Query)
	hits := make([]duckHit, 0, perPage)
	for i, h := range found[:min(perPage, len(found))] {
		hits = append(hits, duckHit{Title: h.title, Address: duckAddress(i, h.url),
			Shown: strings.TrimPrefix(h.url, "http://"), Snippet: duckMarked(h.snippet, terms)})
	}
	return hits
}
