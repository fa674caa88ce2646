package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// An engineHit is a result of the demo web's own index.
type engineHit struct {
	URL     string `json:"url"`
	Title   string `json:"title"`
	Content string `json:"content"`
}

// alleight, after demoweb, starts Brave, Google, SerpApi, Tavily and Exa at
// $ENGINES/NAME/MODE, where MODE is as of services. Each answers in its own shape with
// what the demo web's index holds. ./citewell.yaml names all of them beside SearXNG,
// DuckDuckGo and the local index.
func cmdAllEight(ts *testscript.TestScript, neg bool, args []string) {
	index := "http://127.0.0.1:" + ts.Getenv("PORT") + "/search?format=json&q="
	answer := func(whole, hit string) func(*http.Request, map[string]any) string {
		return func(r *http.Request, body map[string]any) string {
			query, _ := body["query"].(string)
			if query == "" {
				query = r.URL.Query().Get("q")
			}
			hits, err := engineHits(index+url.QueryEscape(query), query)
			if err != nil {
				return "500 " + err.Error()
			}
			written := make([]string, len(hits))
			for i, h := range hits {
				address, _ := json.Marshal(h.URL)
				title, _ := json.Marshal(h.Title)
				content, _ := json.Marshal(h.Content)
				written[i] = fmt.Sprintf(hit, address, title, content)
			}
			return fmt.Sprintf(whole, strings.Join(written, ","))
		}
	}
	parameter := func(name string) func(*http.Request) string {
		return func(r *http.Request) string { return r.URL.Query().Get(name) }
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /brave/{mode}/res/v1/web/search", service(
		func(r *http.Request) string { return r.Header.Get("X-Subscription-Token") },
		answer(`{"type":"search","web":{"type":"search","results":[%s]}}`, `{"url":%s,"title":%s,"description":%s}`)))
	mux.HandleFunc("GET /google/{mode}/customsearch/v1", service(parameter("key"),
		answer(`{"kind":"customsearch#search","items":[%s]}`, `{"link":%s,"title":%s,"snippet":%s}`)))
	mux.HandleFunc("GET /serpapi/{mode}/search", service(parameter("api_key"),
		answer(`{"search_metadata":{"status":"Success"},"organic_results":[%s]}`,
			`{"link":%s,"title":%s,"snippet":%s}`)))
	mux.HandleFunc("POST /tavily/{mode}/search", service(bearerKey,
		answer(`{"results":[%s]}`, `{"url":%s,"title":%s,"content":%s}`)))
	mux.HandleFunc("POST /exa/{mode}/search", service(exaKey,
		answer(`{"results":[%s]}`, `{"url":%[1]s,"id":%[1]s,"title":%[2]s,"text":%[3]s}`)))
	server := httptest.NewServer(mux)
	ts.Defer(server.Close)
	ts.Setenv("ENGINES", server.URL)

	config := ts.ReadFile("citewell.yaml")
	var more strings.Builder
	for _, name := range []string{"brave", "google", "serpapi", "tavily", "exa"} {
		fmt.Fprintf(&more, "    %s: {api_key: %s, base_url: %s/%[1]s/good", name, serviceKey, server.URL)
		if name == "google" {
			more.WriteString(", cse_id: cse-of-a-test")
		}
		more.WriteString("}\n")
	}
	more.WriteString("    local: {enabled: true}\n")
	config = strings.Replace(config, "fetch:\n", more.String()+"fetch:\n", 1)
	ts.Check(os.WriteFile(ts.MkAbs("citewell.yaml"), []byte(config), 0o600))
}

// engineHits asks the demo web's index for what its SearXNG would give.
func engineHits(address, query string) ([]engineHit, error) {
	request, err := http.NewRequest(http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	request.Host = "search.localhost"
	resp, err := patient.Do(request)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	var found struct{ Results []engineHit }
	if err := json.NewDecoder(resp.Body).Decode(&found); err != nil {
		return nil, fmt.Errorf("the index on %q: %w", query, err)
	}
	return found.Results, nil
}
