package demo

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

const craneQuery = "amber cranes Lowmere"

func TestSearXNGShape(t *testing.T) {
	w, client := start(t)
	resp, body := get(t, client, w.SearchURL()+"/search?format=json&q="+url.QueryEscape(w.Questions()[0]))
	if resp.StatusCode != 200 || resp.Header.Get("Content-Type") != "application/json" {
		t.Fatalf("%d %s", resp.StatusCode, resp.Header.Get("Content-Type"))
	}
	var raw map[string]json.RawMessage
	if err := json.Unmarshal([]byte(body), &raw); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"query", "number_of_results", "results", "answers", "corrections", "infoboxes",
		"suggestions", "unresponsive_engines"} {
		if raw[key] == nil || string(raw[key]) == "null" {
			t.Errorf("%s is missing or null", key)
		}
	}
	var answer searxAnswer
	if err := json.Unmarshal([]byte(body), &answer); err != nil {
		t.Fatal(err)
	}
	dated := 0
	for i, r := range answer.Results {
		u, err := url.Parse(r.URL)
		if err != nil || r.Title == "" || r.Content == "" || r.Positions[0] != i+1 || r.ParsedURL[1] != u.Host {
			t.Errorf("result %d is %+v", i, r)
		}
		if len(r.Content) > snippetBytes+10 {
			t.Errorf("a snippet of %d bytes", len(r.Content))
		}
		if r.PublishedDate != nil {
			dated++
		}
	}
	if n := len(answer.Results); n != perPage || dated == 0 || dated == n {
		t.Errorf("%d results, %d dated; want %d and some", n, dated, perPage)
	}
}

func TestSearXNGParameters(t *testing.T) {
	w, client := start(t)
	fetch := func(query string) searxAnswer {
		t.Helper()
		var answer searxAnswer
		if _, body := get(t, client, w.SearchURL()+query); json.Unmarshal([]byte(body), &answer) != nil {
			t.Fatalf("%s: %s", query, body)
		}
		return answer
	}
	first, second := fetch("/search?q=Skarrow+tidal+plant&format=json"),
		fetch("/?q=Skarrow+tidal+plant&format=json&pageno=2")
	if second.Results[0].URL == first.Results[0].URL || second.Results[0].Positions[0] != perPage+1 {
		t.Errorf("page 2 begins with %+v", second.Results[0])
	}
	if far := fetch("/search?q=Skarrow&format=json&pageno=99"); len(far.Results) != 0 {
		t.Errorf("page 99 has %d results", len(far.Results))
	}
	if german := fetch("/search?q=Skarrow+Sound&format=json&language=de-DE"); !strings.Contains(german.Results[0].URL,
		"nordlicht") {
		t.Errorf("in German: %s", german.Results[0].URL)
	}
	resp, err := client.PostForm(w.SearchURL()+"/search", url.Values{"q": {craneQuery}, "format": {"json"}})
	if err != nil {
		t.Fatal(err)
	}
	var posted searxAnswer
	err = json.NewDecoder(resp.Body).Decode(&posted)
	resp.Body.Close()
	if err != nil || len(posted.Results) == 0 {
		t.Errorf("POST: %v, %d results", err, len(posted.Results))
	}
	for query, status := range map[string]int{"/search?q=x&format=rss": 403, "/search?format=json&q=+": 400,
		"/nothing": 404, "/search?q=" + url.QueryEscape(craneQuery): 200} {
		if resp, _ := get(t, client, w.SearchURL()+query); resp.StatusCode != status {
			t.Errorf("%s is %d, want %d", query, resp.StatusCode, status)
		}
	}
}

// duckLinks returns the results of a DuckDuckGo page, unwrapped, ads left out.
func duckLinks(t *testing.T, body string) (links []string, ads, plain int) {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for n := range doc.Descendants() {
		if attribute(n, "class") != "result__a" {
			continue
		}
		u, err := url.Parse(attribute(n, "href"))
		if err != nil {
			t.Fatal(err)
		}
		target := u.Query().Get("uddg")
		switch {
		case target != "" && u.Host == "duckduckgo.com" && u.Query().Get("rut") != "":
			links = append(links, target)
		case u.Host == "duckduckgo.com":
			ads++
		default:
			plain++
			links = append(links, u.String())
		}
	}
	return links, ads, plain
}

func TestDuckDuckGoShape(t *testing.T) {
	w, client := start(t)
	resp, body := get(t, client, w.DuckDuckGoURL()+"?q="+url.QueryEscape(w.Questions()[0]))
	if resp.StatusCode != 200 || !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html") {
		t.Fatalf("%d %s", resp.StatusCode, resp.Header.Get("Content-Type"))
	}
	links, ads, plain := duckLinks(t, body)
	if len(links) != perPage || ads != 1 || plain == 0 {
		t.Errorf("%d results, %d ads, %d plain", len(links), ads, plain)
	}
	if want := w.index.search(w.Questions()[0], filter{})[0].url; links[0] != want {
		t.Errorf("first is %s, want %s", links[0], want)
	}
	for _, want := range []string{`<div class="result results_links`, `class="result__snippet"`, "<b>Skarrow</b>",
		"&amp;rut="} {
		if !strings.Contains(body, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	_, german := get(t, client, w.DuckDuckGoURL()+"?kl=de-de&q=Skarrow+Sound")
	if links, _, _ := duckLinks(t, german); !strings.Contains(links[0], "nordlicht") {
		t.Errorf("kl=de-de begins with %s", links[0])
	}
	_, nothing := get(t, client, w.DuckDuckGoURL()+"?q=zyzzyva")
	if links, ads, _ := duckLinks(t, nothing); len(links)+ads != 0 || !strings.Contains(nothing, `class="no-results"`) {
		t.Errorf("nothing found reads\n%s", nothing)
	}
	if resp, _ := get(t, client, strings.TrimSuffix(w.DuckDuckGoURL(), "html/")); resp.StatusCode !=
		http.StatusNotFound {
		t.Errorf("/ is %d", resp.StatusCode)
	}
}

// TestQueryIsShownAsText: the query is the only text from outside.
func TestQueryIsShownAsText(t *testing.T) {
	w, client := start(t)
	evil := url.QueryEscape(`"><script>alert(1)</script>`)
	for _, target := range []string{w.SearchURL() + "/search?q=" + evil, w.DuckDuckGoURL() + "?q=" + evil,
		w.URL("skarrow-tidal", "/"+url.PathEscape("<script>alert(1)"))} {
		if _, body := get(t, client, target); strings.Contains(body, "<script>alert") {
			t.Errorf("%s runs its query", target)
		}
	}
}
