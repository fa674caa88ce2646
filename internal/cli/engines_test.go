package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/citewell/citewell/search/searchtest"
	"github.com/rogpeppe/go-internal/testscript"
)

// engines NAME... starts search providers at $ENG/NAME/MODE, where MODE is good, a
// status, html, cut, away, down (its engines) or empty, writes the ./citewell.yaml that has only those, and each
// question into ./asked.txt.
func cmdEngines(ts *testscript.TestScript, neg bool, args []string) {
	e := &engineWeb{asked: ts.MkAbs("asked.txt")}
	server := httptest.NewServer(e)
	ts.Defer(server.Close)
	ts.Setenv("ENG", server.URL)
	config := "search:\n  providers:\n"
	if !strings.Contains(strings.Join(args, " "), "duckduckgo") {
		config += "    duckduckgo: {enabled: false}\n"
	}
	for _, name := range args {
		config += fmt.Sprintf("    %s: {base_url: %q", name, server.URL+"/"+name+"/good")
		if name != "duckduckgo" && name != "searxng" {
			config += ", api_key: " + serviceKey
		}
		if name == "google" {
			config += ", cse_id: engine"
		}
		config += "}\n"
	}
	ts.Check(os.WriteFile(ts.MkAbs("citewell.yaml"), []byte(config), 0o600))
}

// An engineWeb is providers in the shapes of their documents.
type engineWeb struct {
	mu    sync.Mutex
	asked string // file
}

var engineAnswers = map[string]string{
	"brave/res/v1/web/search": `{"type":"search","query":{"original":"q"},"web":{"results":[
		{"title":"Python <strong>async</strong>","url":"https://stackoverflow.com/q/1","description":"How to await."},
		{"title":"An advertisement","url":"https://elsewhere.example/","description":"Not on the site."}]}}`,
	"brave/res/v1/news/search": `{"type":"news","query":{"original":"q"},"results":[{"title":"A plant is built","url":"https://news.example/plant","description":"News.","page_age":"2026-02-12T01:00:00"}]}`,
	"brave/res/v1/images/search": `{"type":"images","query":{"original":"q"},"results":[{"title":"A tide","url":"https://pics.example/tide",
		"thumbnail":{"src":"https://imgs.example/t.jpg"},"properties":{"url":"https://pics.example/tide.jpg","width":800}}]}`,
	"google/customsearch/v1": `{"queries":{},"searchInformation":{"totalResults":"1"},"items":[{"title":"Python async","link":"https://stackoverflow.com/q/1","snippet":"How to await, in more words."}]}`,
	"duckduckgo": `<html><body><a href="https://duckduckgo.com/">duckduckgo</a><div class="result results_links"><a rel="nofollow" class="result__a"
		href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fpypi.org%2Fproject%2Fhttpx%2F&amp;rut=1">httpx</a><a class="result__snippet">A <b>client</b>.</a></div></body></html>`,
	"searxng/search": `{"query":"Q","number_of_results":0,"results":[
		{"url":"https://go.example/g","title":"Generics","content":"Type parameters.","engine":"q&a","engines":["q&a","mdn"],"score":2.0,"category":"it","parsed_url":["https","go.example","/g","","",""],"template":"default.html","positions":[1],"publishedDate":null},
		{"url":"https://pics.example/g","title":"A gopher","content":"","img_src":"https://pics.example/g.png","thumbnail_src":"https://pics.example/t.png","engine":"bing images","engines":["bing images"],"score":1.0,"category":"images","template":"images.html","resolution":"800x600"}],
		"answers":[],"corrections":["go generic"],"infoboxes":[{"infobox":"Go","id":"https://go.example/","content":"A language.","urls":[{"title":"Site","url":"https://go.example/"}]}],
		"suggestions":["go types"],"unresponsive_engines":[["wa","timeout"]]}`,
}

func (e *engineWeb) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	parts := strings.SplitN(r.URL.Path[1:], "/", 3)
	name, mode := parts[0], parts[1]
	path := strings.Join(append(parts[:1:1], parts[2:]...), "/")
	e.note(name, r)
	status, isStatus := strconv.Atoi(mode)
	switch {
	case isStatus == nil:
		w.WriteHeader(status)
		fmt.Fprintf(w, "no, %s", serviceKey)
	case mode == "html":
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, "<!doctype html><html><body>Log in</body></html>")
	case mode == "cut":
		io.WriteString(w, engineAnswers[path][:len(engineAnswers[path])/2])
	case mode == "away" || strings.HasPrefix(r.FormValue("q"), "!!"):
		http.Redirect(w, r, "https://www.google.com/search?q=x", http.StatusFound)
	case mode == "down":
		io.WriteString(w,
			`{"query":"q","results":[],"answers":[],"infoboxes":[],"unresponsive_engines":[["google","CAPTCHA"],["bing","too many requests"]]}`)
	case mode == "empty":
		io.WriteString(w, `{"query":"q","results":[],"answers":[],"infoboxes":[],"unresponsive_engines":[]}`)
	default:
		quoted, _ := json.Marshal(r.FormValue("q"))
		io.WriteString(w, strings.Replace(engineAnswers[path], `"Q"`, string(quoted), 1))
	}
}

// note writes what was asked, its parameters in the order of their names, keys left out.
func (e *engineWeb) note(name string, r *http.Request) {
	e.mu.Lock()
	defer e.mu.Unlock()
	params := r.URL.Query()
	for _, secret := range []string{"key", "cx", "api_key"} {
		params.Del(secret)
	}
	var line strings.Builder
	line.WriteString(name)
	for _, param := range strings.Split(params.Encode(), "&") {
		key, _, _ := strings.Cut(param, "=")
		fmt.Fprintf(&line, " %s=%s", key, params.Get(key))
	}
	f, err := os.OpenFile(e.asked, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return // the script is over
	}
	fmt.Fprintln(f, line.String())
	f.Close()
}

// searx starts the real ancestor of SearXNG over an engine of the test, at $SEARX;
// the condition [searx] says whether it is installed.
func cmdSearx(ts *testscript.TestScript, neg bool, args []string) {
	engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.FormValue("q"), "crash") {
			io.WriteString(w, "{not json")
			return
		}
		json.NewEncoder(w).Encode(map[string]any{"items": []map[string]string{
			{"link": "https://tides.example/power", "name": "Tidal power",
				"text": "You asked for " + r.FormValue("q")}}})
	}))
	ts.Defer(engine.Close)
	dir := filepath.Join(ts.Getenv("HOME"), "searx")
	ts.Check(os.MkdirAll(dir, 0o700))
	instance, err := searchtest.StartSearx(context.Background(), dir, engine.URL)
	ts.Check(err)
	ts.Defer(instance.Stop)
	ts.Setenv("SEARX", instance.URL)
}
