package tooltest

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/search/provider"
)

// A Web answers as each engine does, and keeps what it was asked.
type Web struct {
	server *httptest.Server
	mu     sync.Mutex
	asked  map[string][]string
	broken map[string]http.HandlerFunc
}

// Answers are the engines' answers, by path.
var Answers = map[string]string{
	"/brave/res/v1/web/search":               `{"query":{},"web":{"results":[{"title":"Tides","url":"https://en.wikipedia.org/wiki/Tide","description":"The tide."},{"title":"serde","url":"https://crates.io/crates/serde","description":"A crate."}]}}`,
	"/brave/res/v1/news/search":              `{"query":{},"results":[{"title":"A plant is built","url":"https://news.example/plant","description":"News.","page_age":"2026-02-12T01:00:00"}]}`,
	"/brave/res/v1/images/search":            `{"query":{},"results":[{"title":"A tide","url":"https://pics.example/1","properties":{"url":"https://pics.example/1.jpg"}},{"title":"Two","url":"https://pics.example/1","properties":{"url":"https://pics.example/2.jpg"}}]}`,
	"/brave/res/v1/videos/search":            `{"query":{},"results":[{"title":"A film","url":"https://www.youtube.com/watch?v=1","description":"Waves."}]}`,
	"/google/customsearch/v1":                `{"queries":{},"items":[{"title":"Tides","link":"https://en.wikipedia.org/wiki/Tide","snippet":"A longer text about the tide."}]}`,
	"/serpapi/search":                        `{"search_metadata":{},"organic_results":[{"title":"Tides","link":"https://en.wikipedia.org/wiki/Tide","snippet":"s"}],"news_results":[{"title":"N","link":"https://news.example/n","snippet":"n"}],"images_results":[]}`,
	"/tavily/search":                         `{"results":[{"title":"T","url":"https://en.wikipedia.org/wiki/T","content":"c"}]}`,
	"/exa/search":                            `{"results":[{"title":"E","url":"https://en.wikipedia.org/wiki/E","text":"c"}]}`,
	"/duckduckgo":                            `<html><body class="duckduckgo"><div class="result"><a class="result__a" href="https://en.wikipedia.org/wiki/Tide">Tides</a><a class="result__snippet">The tide.</a></div></body></html>`,
	"/wikipedia/w/api.php":                   `{"batchcomplete":true,"query":{"pages":[{"index":1,"title":"Tide","fullurl":"https://en.wikipedia.org/wiki/Tide","extract":"The tide."}]}}`,
	"/arxiv/api/query":                       `<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>http://arxiv.org/abs/2401.00001v1</id><title>Tides</title><summary>s</summary></entry></feed>`,
	"/openalex/works":                        `{"results":[{"id":"https://openalex.org/W1","title":"Tides"}]}`,
	"/crossref/works":                        `{"message":{"items":[]}}`,
	"/datacite/dois":                         `{"data":[]}`,
	"/openlibrary/search.json":               `{"docs":[]}`,
	"/core/v3/search/works/":                 `{"results":[]}`,
	"/europepmc/webservices/rest/search":     `{"resultList":{"result":[]}}`,
	"/semanticscholar/graph/v1/paper/search": `{"data":[{"title":"Tides","url":"https://www.semanticscholar.org/paper/1"}]}`,
	"/searxng/search":                        `{"query":"q","number_of_results":0,"results":[{"url":"https://a.example/","title":"A","content":"","odd":{"x":[1]},"publishedDate":null},null],"answers":[],"corrections":[],"infoboxes":[],"suggestions":["s"],"unresponsive_engines":[["wa","timeout"]],"later":true}`,
	"/stackexchange/2.3/search/excerpts":     `{"items":[{"item_type":"answer","question_id":7,"answer_id":8,"title":"Tides in Go","excerpt":"Sort them."}],"has_more":false}`,
	"/github/search/repositories":            `{"total_count":1,"items":[{"full_name":"a/tides","html_url":"https://github.com/a/tides","description":null}]}`,
	"/hackernews/api/v1/search":              `{"hits":[{"objectID":"7","title":"Tides","url":null}],"nbHits":1}`,
	"/wikidata/w/api.php":                    `{"batchcomplete":true,"query":{"pages":[{"index":1,"title":"Q7","fullurl":"https://www.wikidata.org/wiki/Q7","entityterms":{"label":["tide"]}}]}}`,
	"/mwmbl/api/v2/search/":                  `{"results":[{"title":"Tides","url":"https://a.example/","content":"The tide."}]}`,
	"/marginalia/search":                     `{"results":[{"title":"Tides","url":"https://old.example/","description":"The tide."}]}`,
}

// NewWeb starts a Web, which ends with the test.
func NewWeb(t testing.TB) *Web {
	w := &Web{asked: map[string][]string{}, broken: map[string]http.HandlerFunc{}}
	w.server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		name, _, _ := strings.Cut(r.URL.Path[1:], "/")
		words := r.FormValue("q")
		if r.Method == http.MethodPost {
			body, _ := io.ReadAll(r.Body) // what could be read is compared
			words = string(body)
		}
		w.mu.Lock()
		w.asked[name] = append(w.asked[name], strings.TrimPrefix(r.URL.Path, "/"+name)+" "+words)
		broken := w.broken[name]
		w.mu.Unlock()
		if broken != nil {
			broken(rw, r)
			return
		}
		_, _ = io.WriteString(rw, Answers[r.URL.Path]) // the client may be gone
	}))
	t.Cleanup(w.server.Close)
	return w
}

// Asked is what each engine was asked so far, its path and words, by provider.
func (w *Web) Asked() map[string][]string {
	w.mu.Lock()
	defer w.mu.Unlock()
	asked := map[string][]string{}
	for name, words := range w.asked {
		asked[name] = slices.Clone(words)
	}
	return asked
}

// Fails has h answer in the place of a provider's engine from now on.
func (w *Web) Fails(name string, h http.HandlerFunc) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.broken[name] = h
}

// Status answers with a status and no body.
func Status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

// Providers are the providers of these names over the Web, with their limits off.
func (w *Web) Providers(t testing.TB, names ...string) func(context.Context) (provider.Deps, []string, error) {
	t.Helper()
	guard, err := egress.NewGuard(egress.Options{AllowNetworks: egress.MustParseNetworks("127.0.0.0/8")})
	if err != nil {
		t.Fatal(err)
	}
	deps := provider.Deps{Guard: guard, Settings: map[string]provider.Settings{}}
	for _, name := range provider.Names() {
		deps.Settings[name] = provider.Settings{BaseURL: w.server.URL + "/" + name,
			APIKey: citewell.NewSecret("k3y-never-seen"), CSEID: "e", Rate: 1e6,
			Disabled: !slices.Contains(names, name)}
	}
	return func(context.Context) (provider.Deps, []string, error) { return deps, names, nil }
}
