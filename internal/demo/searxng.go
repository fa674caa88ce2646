package demo

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const perPage = 10

// searxAnswer is SearXNG's JSON, with the fields and the nulls it has.
type searxAnswer struct {
	Query         string        `json:"query"`
	Number        int           `json:"number_of_results"`
	Results       []searxResult `json:"results"`
	Answers       []string      `json:"answers"`
	Corrections   []string      `json:"corrections"`
	Infoboxes     []string      `json:"infoboxes"`
	Suggestions   []string      `json:"suggestions"`
	Unresponsives [][2]string   `json:"unresponsive_engines"`
}

type searxResult struct {
	URL           string    `json:"url"`
	Title         string    `json:"title"`
	Content       string    `json:"content"`
	PublishedDate *string   `json:"publishedDate"`
	Thumbnail     string    `json:"thumbnail"`
	Engine        string    `json:"engine"`
	Template      string    `json:"template"`
	ParsedURL     [6]string `json:"parsed_url"`
	ImgSrc        string    `json:"img_src"`
	Engines       []string  `json:"engines"`
	Positions     []int     `json:"positions"`
	Score         float64   `json:"score"`
	Category      string    `json:"category"`
}

// serveSearXNG answers GET and POST at /search and /.
func (w *Web) serveSearXNG(rw http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/search" && r.URL.Path != "/" {
		http.NotFound(rw, r)
		return
	}
	query := strings.TrimSpace(r.FormValue("q"))
	if r.URL.Path == "/" && query == "" || r.FormValue("format") == "" || r.FormValue("format") == "html" {
		w.serveResultsPage(rw, query)
		return
	}
	mode := w.mode(SearXNG)
	switch {
	case r.FormValue("format") != "json" || mode == Mode403:
		searxForbidden.send(rw)
		return
	case query == "":
		reply{http.StatusBadRequest, "application/json", []byte(`{"error": "No query"}`)}.send(rw)
		return
	}
	answer := w.searx(query, r.FormValue("language"), r.FormValue("time_range"), r.FormValue("pageno"))
	switch mode {
	case ModeEmpty:
		answer.Results, answer.Number = []searxResult{}, 0
	case ModeBlocked:
		answer.Results, answer.Number = []searxResult{}, 0
		answer.Unresponsives = [][2]string{{"harbour index", "CAPTCHA"}, {"openlore", "CAPTCHA"},
			{"wide web", "Suspended: CAPTCHA"}}
	case ModeEnginesDown:
		answer.Results, answer.Number = []searxResult{}, 0
		answer.Unresponsives = [][2]string{{"harbour index", "timeout"}, {"openlore", "HTTP error"},
			{"wide web", "unexpected crash"}}
	}
	encoded, err := json.Marshal(answer)
	if err != nil {
		http.Error(rw, err.Error(), http.StatusInternalServerError)
		return
	}
	good := reply{http.StatusOK, "application/json", encoded}
	if !w.sendBadly(rw, r, mode, good) {
		good.send(rw)
	}
}

var searxForbidden = reply{http.StatusForbidden, "text/html; charset=utf-8",
	[]byte("<!doctype html>\n<html lang=en>\n<title>403 Forbidden</title>\n<h1>Forbidden</h1>\n<p>You don&#39;t have " +
		"the permission to access the requested resource. It is either read-protected or not readable by the " +
		"server.</p>\n")}

func (w *Web) searx(query, language, timeRange, pageno string) searxAnswer {
	lang, _, _ := strings.Cut(language, "-")
	hits := w.index.search(query, filter{lang: lang, since: since(timeRange)})
	page, err := strconv.Atoi(pageno)
	if err != nil || page < 1 {
		page = 1
	}
	first := min((page-1)*perPage, len(hits))
	answer := searxAnswer{Query: query, Number: len(hits), Results: []searxResult{}, Answers: []string{},
		Corrections: []string{}, Infoboxes: []string{}, Suggestions: []string{}, Unresponsives: [][2]string{}}
	for i, h := range hits[first:min(first+perPage, len(hits))] {
		result := searxResult{URL: h.url, Title: h.title, Content: h.snippet, Engine: "harbour index",
			Template: "default.html",
			Engines:  []string{"harbour index"}, Positions: []int{first + i + 1}, Score: 1 / float64(first+i+1),
			Category: "general"}
		if u, err := url.Parse(h.url); err == nil {
			result.ParsedURL = [6]string{u.Scheme, u.Host, u.Path, "", u.RawQuery, u.Fragment}
		}
		if !h.date.IsZero() {
			date := h.date.Format("2006-01-02T15:04:05")
			result.PublishedDate = &date
		}
		answer.Results = append(answer.Results, result)
	}
	return answer
}

// since is the oldest day of a time range, in either engine's words for it.
func since(timeRange string) time.Time {
	now := time.Now().UTC()
	switch timeRange {
	case "day", "d":
		return now.AddDate(0, 0, -1)
	case "week", "w":
		return now.AddDate(0, 0, -7)
	case "month", "m":
		return now.AddDate(0, -1, 0)
	case "year", "y":
		return now.AddDate(-1, 0, 0)
	}
	return time.Time{}
}

// serveResultsPage is the engine for people, and what a client gets that does not ask for a format. It never fails.
func (w *Web) serveResultsPage(rw http.ResponseWriter, query string) {
	var view struct {
		Query     string
		Results   []searxResult
		Questions []string
	}
	view.Query, view.Questions = query, questions
	if query != "" {
		view.Results = w.searx(query, "", "", "").Results
	}
	w.sendPage(rw, "results.html", view)
}

// serveDirectory lists the sites, for people.
func (w *Web) serveDirectory(rw http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/" {
		http.NotFound(rw, r)
		return
	}
	w.sendPage(rw, "directory.html", struct {
		Sites               []Site
		Search, DuckDuckGo  string
		SearXModes, DDModes []string
	}{w.Sites(), w.SearchURL(), w.DuckDuckGoURL(), Modes(SearXNG), Modes(DuckDuckGo)})
}

func (w *Web) sendPage(rw http.ResponseWriter, name string, view any) {
	var out bytes.Buffer
	if err := w.pages.ExecuteTemplate(&out, name, view); err != nil {
		http.Error(rw, err.Error(), http.StatusInternalServerError)
		return
	}
	reply{http.StatusOK, "text/html; charset=utf-8", out.Bytes()}.send(rw)
}
