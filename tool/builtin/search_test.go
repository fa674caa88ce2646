package builtin

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/egress"
	"github.com/citewell/citewell/search/provider"
	"github.com/citewell/citewell/tool"
	"github.com/google/go-cmp/cmp"
)

// A searchWeb answers as each provider does, below /NAME, and keeps what it was asked.
type searchWeb struct {
	*httptest.Server
	mu     sync.Mutex
	asked  map[string][]string // by provider: path and words
	broken map[string]http.HandlerFunc
}

// searchAnswers are answers in the providers' own shapes.
var searchAnswers = map[string]string{
	"/brave/res/v1/web/search":    `{"query":{},"web":{"results":[{"title":"Tides","url":"https://en.wikipedia.org/wiki/Tide","description":"The tide."},{"title":"serde","url":"https://crates.io/crates/serde","description":"A crate."}]}}`,
	"/brave/res/v1/news/search":   `{"query":{},"results":[{"title":"A plant is built","url":"https://news.example/plant","description":"News.","page_age":"2026-02-12T01:00:00"}]}`,
	"/brave/res/v1/images/search": `{"query":{},"results":[{"title":"A tide","url":"https://pics.example/1","properties":{"url":"https://pics.example/1.jpg"}},{"title":"Two","url":"https://pics.example/1","properties":{"url":"https://pics.example/2.jpg"}}]}`,
	"/brave/res/v1/videos/search": `{"query":{},"results":[{"title":"A film","url":"https://www.youtube.com/watch?v=1","description":"Waves."}]}`,
	"/google/customsearch/v1":     `{"queries":{},"items":[{"title":"Tides","link":"https://en.wikipedia.org/wiki/Tide","snippet":"A longer text about the tide."}]}`,
	"/serpapi/search":             `{"search_metadata":{},"organic_results":[{"title":"Tides","link":"https://en.wikipedia.org/wiki/Tide","snippet":"s"}],"news_results":[{"title":"N","link":"https://news.example/n","snippet":"n"}],"images_results":[]}`,
	"/tavily/search":              `{"results":[{"title":"T","url":"https://en.wikipedia.org/wiki/T","content":"c"}]}`,
	"/exa/search":                 `{"results":[{"title":"E","url":"https://en.wikipedia.org/wiki/E","text":"c"}]}`,
	"/duckduckgo":                 `<html><body class="duckduckgo"><div class="result"><a class="result__a" href="https://en.wikipedia.org/wiki/Tide">Tides</a><a class="result__snippet">The tide.</a></div></body></html>`,
	"/searxng/search":             `{"query":"q","number_of_results":0,"results":[{"url":"https://a.example/","title":"A","content":"","odd":{"x":[1]},"publishedDate":null},null],"answers":[],"corrections":[],"infoboxes":[],"suggestions":["s"],"unresponsive_engines":[["wa","timeout"]],"later":true}`,
}

func newSearchWeb(t *testing.T) *searchWeb {
	w := &searchWeb{asked: map[string][]string{}, broken: map[string]http.HandlerFunc{}}
	w.Server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
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
		answer := searchAnswers[r.URL.Path]
		_, _ = io.WriteString(rw, answer) // the client may be gone
	}))
	t.Cleanup(w.Close)
	return w
}

func (w *searchWeb) fails(name string, h http.HandlerFunc) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.broken[name] = h
}

// deps are those of the given providers, with their limits off.
func (w *searchWeb) deps(t *testing.T, names ...string) Deps {
	t.Helper()
	guard, err := egress.NewGuard(egress.Options{AllowNetworks: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	if err != nil {
		t.Fatal(err)
	}
	deps := provider.Deps{Guard: guard, Settings: map[string]provider.Settings{}}
	for _, name := range provider.Names() {
		deps.Settings[name] = provider.Settings{BaseURL: w.URL + "/" + name, APIKey: egress.NewSecret("k3y-never-seen"), CSEID: "e", Rate: 1e6, Disabled: !slices.Contains(names, name)}
	}
	return Deps{Providers: func(context.Context) (provider.Deps, []string, error) { return deps, names, nil }}
}

// called makes a call and holds the result against the tool's output schema.
func called(t *testing.T, d *tool.Tool, arguments string) (map[string]any, error) {
	t.Helper()
	r, err := d.Call(t.Context(), []byte(arguments))
	if err != nil {
		return nil, err
	}
	var out any
	if err := json.Unmarshal([]byte(r.Text), &out); err != nil {
		t.Fatalf("%v in %s", err, r.Text)
	}
	structured, err := json.Marshal(r.Structured)
	if err != nil {
		t.Fatal(err)
	}
	var data any
	if err := json.Unmarshal(structured, &data); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(out, data); diff != "" {
		t.Errorf("text and structured content differ:\n%s", diff)
	}
	resolved, err := d.Output.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := resolved.Validate(data); err != nil {
		t.Errorf("not of the output schema: %v\n%s", err, structured)
	}
	return data.(map[string]any), nil
}

// pick lists one field of each result.
func pick(out map[string]any, field string) []string {
	var picked []string
	for _, r := range out["results"].([]any) {
		value, _ := r.(map[string]any)[field].(string)
		picked = append(picked, value)
	}
	return picked
}

// Each bang goes where it says, in the words that each provider takes.
func TestSearchWithoutSearXNG(t *testing.T) {
	tests := []struct {
		name, arguments string
		providers       []string
		asked           map[string][]string
		urls            []string
		category        string
		unresponsive    string // in the text of unresponsive_engines
		note            string
	}{
		{"general", `{"q":"tides"}`, []string{"duckduckgo", "google"},
			map[string][]string{"duckduckgo": {" tides"}, "google": {"/customsearch/v1 tides"}}, []string{"https://en.wikipedia.org/wiki/Tide"}, "general", "", ""},
		{"news", `{"q":"!news tides"}`, []string{"brave", "duckduckgo", "google"},
			map[string][]string{"brave": {"/res/v1/news/search tides"}}, []string{"https://news.example/plant"}, "news", "", ""},
		{"news_by_category", `{"q":"tides","categories":"news"}`, []string{"serpapi"},
			map[string][]string{"serpapi": {"/search tides"}}, []string{"https://news.example/n", "https://en.wikipedia.org/wiki/Tide"}, "news", "", ""},
		{"news_nowhere", `{"q":"!news tides"}`, []string{"duckduckgo"},
			map[string][]string{"duckduckgo": {" tides"}}, []string{"https://en.wikipedia.org/wiki/Tide"}, "general", "", "no configured provider has a search for news"},
		{"images_of_one_page", `{"q":"!images tides"}`, []string{"brave", "duckduckgo"},
			map[string][]string{"brave": {"/res/v1/images/search tides"}}, []string{"https://pics.example/1", "https://pics.example/1"}, "images", "", ""},
		{"videos_on_their_sites", `{"q":"!videos tides"}`, []string{"duckduckgo"},
			map[string][]string{"duckduckgo": {" tides (site:youtube.com OR site:vimeo.com OR site:dailymotion.com)"}}, nil, "", "", "search for videos"},
		{"one_site", `{"q":"!wp tides"}`, []string{"duckduckgo", "brave"},
			map[string][]string{"duckduckgo": {" tides site:wikipedia.org"}, "brave": {"/res/v1/web/search tides site:wikipedia.org"}},
			[]string{"https://en.wikipedia.org/wiki/Tide"}, "general", "", ""}, // and not the crate
		{"chained", `{"q":"!crates !lrs serde"}`, []string{"brave"},
			map[string][]string{"brave": {"/res/v1/web/search serde (site:crates.io OR site:docs.rs OR site:lib.rs)"}}, []string{"https://crates.io/crates/serde"}, "packages", "", ""},
		{"one_cannot", `{"q":"!wa !wp tides"}`, []string{"duckduckgo"},
			map[string][]string{"duckduckgo": {" tides site:wikipedia.org"}}, []string{"https://en.wikipedia.org/wiki/Tide"}, "general", "wolframalpha not available: it computes answers", ""},
		{"one_provider", `{"q":"!ddg tides"}`, []string{"duckduckgo", "brave"},
			map[string][]string{"duckduckgo": {" tides"}}, []string{"https://en.wikipedia.org/wiki/Tide"}, "general", "", ""},
		{"external", `{"q":"!!g tides"}`, []string{"duckduckgo"},
			map[string][]string{"duckduckgo": {" tides"}}, []string{"https://en.wikipedia.org/wiki/Tide"}, "general", "", "!! asks"},
		{"sites_apart_from_the_words", `{"q":"!wp tides"}`, []string{"exa"},
			map[string][]string{"exa": {`/search {"query":"tides","type":"auto","numResults":10,"includeDomains":["wikipedia.org"],"contents":{"text":{"maxCharacters":600}}}`}},
			[]string{"https://en.wikipedia.org/wiki/E"}, "general", "", ""},
		{"sites_of_another", `{"q":"!wp tides"}`, []string{"tavily"},
			map[string][]string{"tavily": {`/search {"query":"tides","topic":"general","search_depth":"basic","max_results":10,"include_domains":["wikipedia.org"],"include_answer":false}`}},
			[]string{"https://en.wikipedia.org/wiki/T"}, "general", "", ""},
		{"news_of_those_by_meaning", `{"q":"!news tides"}`, []string{"exa", "tavily", "google"},
			map[string][]string{"exa": {`/search {"query":"tides","type":"auto","category":"news","numResults":10,"contents":{"text":{"maxCharacters":600}}}`},
				"tavily": {`/search {"query":"tides","topic":"news","search_depth":"basic","max_results":10,"include_answer":false}`}},
			[]string{"https://en.wikipedia.org/wiki/E", "https://en.wikipedia.org/wiki/T"}, "news", "", ""},
		{"second_page", `{"q":"tides","pageno":2}`, []string{"duckduckgo", "brave"},
			map[string][]string{"brave": {"/res/v1/web/search tides"}}, []string{"https://en.wikipedia.org/wiki/Tide", "https://crates.io/crates/serde"}, "general", "", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			web := newSearchWeb(t)
			out, err := called(t, newSearch(web.deps(t, test.providers...)), test.arguments)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.asked, web.asked); diff != "" {
				t.Errorf("asked: want - got +\n%s", diff)
			}
			got := pick(out, "url")
			slices.Sort(got)
			want := slices.Sorted(slices.Values(test.urls))
			if !slices.Equal(got, want) {
				t.Errorf("urls %q, want %q", got, want)
			}
			for _, category := range pick(out, "category") {
				if category != test.category {
					t.Errorf("category %q, want %q", category, test.category)
				}
			}
			said := wordsIn(t, out["unresponsive_engines"])
			if (test.unresponsive == "") != (said == "") || !strings.Contains(said, test.unresponsive) {
				t.Errorf("unresponsive_engines: %s, want %q", said, test.unresponsive)
			}
			notes := wordsIn(t, out["notes"])
			if (test.note == "") != (notes == "") || !strings.Contains(notes, test.note) {
				t.Errorf("notes: %s, want %q", notes, test.note)
			}
		})
	}
}

// wordsIn is what stands in lists, in one line; empty for none.
func wordsIn(t *testing.T, v any) string {
	t.Helper()
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case []any:
		var parts []string
		for _, element := range v {
			parts = append(parts, wordsIn(t, element))
		}
		return strings.Join(parts, " ")
	}
	t.Fatalf("%v is neither text nor a list", v)
	return ""
}

// One result, field by field, is as SearXNG has them.
func TestSearchResultFields(t *testing.T) {
	web := newSearchWeb(t)
	out, err := called(t, newSeedSearch(web.deps(t, "brave")), `{"q":"!news plant"}`)
	if err != nil {
		t.Fatal(err)
	}
	got := out["results"].([]any)[0].(map[string]any)
	if score, _ := got["score"].(float64); score <= 0 {
		t.Errorf("score %v", got["score"])
	}
	delete(got, "score")
	want := map[string]any{"url": "https://news.example/plant", "title": "A plant is built", "content": "News.", "publishedDate": "2026-02-12T00:00:00",
		"engine": "brave", "engines": []any{"brave"}, "positions": []any{1.0}, "template": "default.html", "category": "news",
		"parsed_url": []any{"https", "news.example", "/plant", "", "", ""}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("want - got +\n%s", diff)
	}
	out, err = called(t, newSeedSearch(web.deps(t, "brave")), `{"q":"!images tide"}`)
	if err != nil {
		t.Fatal(err)
	}
	if got := pick(out, "img_src"); len(got) != 2 || got[0] == got[1] || !strings.HasSuffix(got[0], ".jpg") {
		t.Errorf("pictures %q", got)
	}
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

// Who fails is named with the reason beside what the others found; all failing is an
// error, and nobody finding anything is none.
func TestSearchFailures(t *testing.T) {
	web := newSearchWeb(t)
	web.fails("duckduckgo", status(http.StatusAccepted))
	out, err := called(t, newSearch(web.deps(t, "duckduckgo", "google")), `{"q":"tides"}`)
	if err != nil {
		t.Fatal(err)
	}
	if said := wordsIn(t, out["unresponsive_engines"]); !strings.HasPrefix(said, "duckduckgo CAPTCHA: ") || len(pick(out, "url")) != 1 {
		t.Errorf("%v", out)
	}
	for name, test := range map[string]struct {
		providers []string
		broken    map[string]http.HandlerFunc
		arguments string
		code      citewell.Code
		says      string
	}{
		"one_blocked":     {[]string{"duckduckgo"}, map[string]http.HandlerFunc{"duckduckgo": status(202)}, `{"q":"x"}`, citewell.CodeBlockedByProvider, "bot page"},
		"all_fail":        {[]string{"duckduckgo", "brave"}, map[string]http.HandlerFunc{"duckduckgo": status(202), "brave": status(429)}, `{"q":"x"}`, citewell.CodeAllProvidersFailed, "brave: "},
		"no_images":       {[]string{"duckduckgo"}, nil, `{"q":"!images x"}`, citewell.CodeProviderNotConfigured, "searches images"},
		"no_torrents":     {[]string{"duckduckgo"}, nil, `{"q":"!tpb x"}`, citewell.CodeProviderNotConfigured, "SearXNG of your own"},
		"no_such_page":    {[]string{"duckduckgo"}, nil, `{"q":"x","pageno":2}`, citewell.CodeProviderNotConfigured, "page 2"},
		"not_configured":  {[]string{"duckduckgo"}, nil, `{"q":"!brave x"}`, citewell.CodeProviderNotConfigured, "brave is not configured"},
		"nobody":          {nil, nil, `{"q":"x"}`, citewell.CodeProviderNotConfigured, "no provider"},
		"no_words":        {[]string{"duckduckgo"}, nil, `{"q":"!pypi"}`, citewell.CodeInvalidArgument, "not what for"},
		"blank":           {[]string{"duckduckgo"}, nil, `{"q":" "}`, citewell.CodeInvalidArgument, "q is required"},
		"no_category":     {[]string{"duckduckgo"}, nil, `{"q":"x","categories":"cats"}`, citewell.CodeInvalidArgument, "category"},
		"no_language":     {[]string{"duckduckgo"}, nil, `{"q":"x","language":"tlh"}`, citewell.CodeInvalidArgument, "language"},
		"week":            {[]string{"duckduckgo"}, nil, `{"q":"x","time_range":"week"}`, citewell.CodeInvalidArgument, "day, month, year"},
		"safesearch":      {[]string{"duckduckgo"}, nil, `{"q":"x","safesearch":3}`, citewell.CodeInvalidArgument, "safesearch must be from 0 to 2"},
		"limit":           {[]string{"duckduckgo"}, nil, `{"q":"x","limit":0}`, citewell.CodeInvalidArgument, "limit must be from 1 to 100"},
		"other_parameter": {[]string{"duckduckgo"}, nil, `{"q":"x","engines":"google"}`, citewell.CodeInvalidArgument, "engines is unknown"},
	} {
		t.Run(name, func(t *testing.T) {
			web := newSearchWeb(t)
			for name, h := range test.broken {
				web.fails(name, h)
			}
			_, err := called(t, newSearch(web.deps(t, test.providers...)), test.arguments)
			if view := citewell.View(err); view.Code != test.code || !strings.Contains(view.Message, test.says) {
				t.Errorf("%+v, want %s naming %q", view, test.code, test.says)
			}
			if strings.Contains(citewell.View(err).Message+citewell.View(err).Hint, "k3y") {
				t.Errorf("%v holds the key", err)
			}
		})
	}
	web = newSearchWeb(t)
	web.fails("google", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"queries":{}}`) })
	out, err = called(t, newSearch(web.deps(t, "google")), `{"q":"tides"}`)
	if err != nil || len(out["results"].([]any)) != 0 {
		t.Errorf("nothing found: %v, %v", out, err)
	}
}

// An instance's answer comes through with every field; ours only bounds it, by whole
// results.
func TestSearchWithSearXNG(t *testing.T) {
	web := newSearchWeb(t)
	d := web.deps(t, "searxng", "duckduckgo")
	out, err := called(t, newSeedSearch(d), `{"q":"!it go generics"}`)
	if err != nil {
		t.Fatal(err)
	}
	var want map[string]any
	if err := json.Unmarshal([]byte(searchAnswers["/searxng/search"]), &want); err != nil {
		t.Fatal(err)
	}
	want["results"] = want["results"].([]any)[:1] // and no null
	if diff := cmp.Diff(want, out); diff != "" {
		t.Errorf("want - got +\n%s", diff)
	}
	if diff := cmp.Diff(map[string][]string{"searxng": {"/search !it go generics"}}, web.asked); diff != "" {
		t.Errorf("asked: want - got +\n%s", diff)
	}

	long := make([]string, 40)
	for i := range long {
		long[i] = `{"url":"https://a.example/","title":"` + strings.Repeat("é", 600) + `"}`
	}
	web.fails("searxng", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"results":[`+strings.Join(long, ",")+`]}`) // the client may be gone
	})
	for arguments, kept := range map[string]int{`{"q":"x"}`: 10, `{"q":"x","limit":3}`: 3, `{"q":"x","limit":100}`: 16, `{"q":"x","limit":40,"max_length":1000000}`: 40, `{"q":"x","max_length":1000}`: 1} {
		r, err := newSearch(d).Call(t.Context(), []byte(arguments))
		if err != nil {
			t.Fatal(err)
		}
		out, _ := called(t, newSearch(d), arguments)
		dropped, _ := out["results_dropped"].(float64)
		if n := len(out["results"].([]any)); n != kept || int(dropped) != 40-kept || kept > 1 && kept < 40 && len(r.Text) > tool.DefaultMaxLength {
			t.Errorf("%s: %d results in %d bytes, %v dropped; want %d", arguments, n, len(r.Text), dropped, kept)
		}
	}
	if out, err := called(t, newSeedSearch(d), `{"q":"x"}`); err != nil || len(out["results"].([]any)) != 40 {
		t.Errorf("the toolkit's own has no limit of results: %v", err)
	}
	long = slices.Repeat(long, 10)
	r, err := newSeedSearch(d).Call(t.Context(), []byte(`{"q":"x"}`))
	if err != nil || len(r.Text) > seedMaxLength || !strings.Contains(r.Text, `"results_dropped":`) {
		t.Errorf("half a megabyte came as %d bytes, %v", len(r.Text), err)
	}
}

// A keyword is answered by the instance, by us where it does not or cannot, and
// without any network where there is none.
func TestSearchAnswersKeywords(t *testing.T) {
	answerOf := func(d Deps) (answer string, failed string) {
		out, err := called(t, newSeedSearch(d), `{"q":"avg 1 2"}`)
		if err != nil {
			return err.Error(), ""
		}
		if answers := out["answers"].([]any); len(answers) == 1 {
			if object, ok := answers[0].(map[string]any); ok {
				answer, _ = object["answer"].(string)
			} else {
				answer = answers[0].(string)
			}
		}
		return answer, wordsIn(t, out["unresponsive_engines"])
	}
	const ours = "average of 2 numbers: 1.5"
	web := newSearchWeb(t)
	if got, _ := answerOf(web.deps(t, "searxng")); got != ours {
		t.Errorf("beside an instance that does not compute: %q", got)
	}
	web.fails("searxng", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"results":[],"answers":["its own"]}`)
	})
	if got, _ := answerOf(web.deps(t, "searxng")); got != "its own" {
		t.Errorf("of an instance that computes: %q", got)
	}
	web.fails("searxng", status(http.StatusForbidden))
	if got, failed := answerOf(web.deps(t, "searxng")); got != ours || !strings.HasPrefix(failed, "searxng HTTP error: ") {
		t.Errorf("beside an instance that refuses: %q, %q", got, failed)
	}
	web = newSearchWeb(t)
	if got, failed := answerOf(web.deps(t, "duckduckgo", "brave")); got != ours || failed != "" || len(web.asked) != 0 {
		t.Errorf("without an instance: %q, %q, asked %v", got, failed, web.asked)
	}
	if got, _ := answerOf(Deps{}); got != ours {
		t.Errorf("with nothing at all: %q", got)
	}
}
