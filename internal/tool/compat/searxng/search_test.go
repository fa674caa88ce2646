package searxng

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/testing/tooltest"
	"github.com/citewell/citewell/internal/tool"
)

// depsOver searches by the providers of these names over the web.
func depsOver(t *testing.T, w *tooltest.Web, names ...string) Deps {
	t.Helper()
	return Deps{Providers: w.Providers(t, names...)}
}

// called makes a call and returns the result's data, which its text holds as well.
func called(t *testing.T, d *tool.Tool, arguments string) (map[string]any, error) {
	t.Helper()
	r, err := tooltest.Call(t, &tool.Toolset{Tools: []*tool.Tool{d}}, d.Name, json.RawMessage(arguments))
	if err != nil {
		return nil, err
	}
	structured, err := json.Marshal(r.Structured)
	if err != nil {
		t.Fatal(err)
	}
	var text, data map[string]any
	if err := errors.Join(json.Unmarshal([]byte(r.Text), &text), json.Unmarshal(structured, &data)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(text, data); diff != "" {
		t.Errorf("text and structured content differ:\n%s", diff)
	}
	return data, nil
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
			map[string][]string{"duckduckgo": {" tides"}, "google": {"/customsearch/v1 tides"}},
			[]string{"https://en.wikipedia.org/wiki/Tide"}, "general", "", ""},
		{"news", `{"q":"!news tides"}`, []string{"brave", "duckduckgo", "google"},
			map[string][]string{"brave": {"/res/v1/news/search tides"}}, []string{"https://news.example/plant"},
			"news", "", ""},
		{"news_by_category", `{"q":"tides","categories":"news"}`, []string{"serpapi"},
			map[string][]string{"serpapi": {"/search tides"}}, []string{
				"https://news.example/n", "https://en.wikipedia.org/wiki/Tide"}, "news", "", ""},
		{"news_nowhere", `{"q":"!news tides"}`, []string{"duckduckgo"},
			map[string][]string{"duckduckgo": {" tides"}}, []string{"https://en.wikipedia.org/wiki/Tide"}, "general",
			"", "no configured provider has a search for news"},
		{"images_of_one_page", `{"q":"!images tides"}`, []string{"brave", "duckduckgo"},
			map[string][]string{"brave": {"/res/v1/images/search tides"}},
			[]string{"https://pics.example/1", "https://pics.example/1"}, "images", "", ""},
		{"videos_on_their_sites", `{"q":"!videos tides"}`, []string{"duckduckgo"},
			map[string][]string{"duckduckgo": {" tides (site:youtube.com OR site:vimeo.com OR site:dailymotion.com)"}},
			nil, "", "", "search for videos"},
		{"one_site", `{"q":"!wp tides"}`, []string{"duckduckgo", "brave"},
			map[string][]string{"duckduckgo": {" tides site:wikipedia.org"},
				"brave": {"/res/v1/web/search tides site:wikipedia.org"}},
			[]string{"https://en.wikipedia.org/wiki/Tide"}, "general", "", ""}, // and not the crate
		{"the_provider_itself", `{"q":"!wp tides"}`, []string{"duckduckgo", "wikipedia"},
			map[string][]string{"wikipedia": {"/w/api.php "}}, []string{"https://en.wikipedia.org/wiki/Tide"},
			"general", "", ""},
		{"answers_of_one_site", `{"q":"!st tides"}`, []string{"duckduckgo", "stackexchange"},
			map[string][]string{"stackexchange": {"/2.3/search/excerpts tides"}},
			[]string{"https://stackoverflow.com/a/8"}, "q&a", "", ""},
		{"answers_of_several_sites", `{"q":"!su !ubuntu tides"}`, []string{"duckduckgo", "stackexchange"},
			map[string][]string{"stackexchange": {"/2.3/search/excerpts tides", "/2.3/search/excerpts tides"}},
			[]string{"https://askubuntu.com/a/8", "https://superuser.com/a/8"}, "q&a", "", ""},
		{"answers_by_a_search_engine", `{"q":"!st tides"}`, []string{"duckduckgo"},
			map[string][]string{"duckduckgo": {" tides site:stackoverflow.com"}}, nil, "", "", ""},
		{"code_and_its_readers", `{"q":"!gh !hn tides"}`, []string{"duckduckgo", "github", "hackernews"},
			map[string][]string{"github": {"/search/repositories tides"}, "hackernews": {"/api/v1/search "}},
			[]string{"https://github.com/a/tides", "https://news.ycombinator.com/item?id=7"}, "repos it", "", ""},
		{"its_second_page", `{"q":"!gh tides","pageno":2}`, []string{"brave", "github"},
			map[string][]string{"brave": {"/res/v1/web/search tides site:github.com"}}, nil, "", "", ""},
		{"small_indexes_and_one_site", `{"q":"!wp tides"}`, []string{"duckduckgo", "mwmbl"},
			map[string][]string{"duckduckgo": {" tides site:wikipedia.org"}},
			[]string{"https://en.wikipedia.org/wiki/Tide"}, "general", "", ""},
		{"small_indexes", `{"q":"!mwm !mar !wd tides"}`, []string{"duckduckgo", "mwmbl", "marginalia", "wikidata"},
			map[string][]string{"mwmbl": {"/api/v2/search/ tides"}, "marginalia": {"/search "},
				"wikidata": {"/w/api.php "}},
			[]string{"https://a.example/", "https://old.example/", "https://www.wikidata.org/wiki/Q7"},
			"general", "", ""},
		{"no_other_kind_of_sources", `{"q":"tides"}`, []string{"duckduckgo", "wikipedia"},
			map[string][]string{"duckduckgo": {" tides"}}, []string{"https://en.wikipedia.org/wiki/Tide"},
			"general", "", ""},
		{"papers_of_one_register", `{"q":"!arx !se !oa tides"}`,
			[]string{"duckduckgo", "arxiv", "openalex", "semanticscholar"},
			map[string][]string{"arxiv": {"/api/query "}, "openalex": {"/works "},
				"semanticscholar": {"/graph/v1/paper/search "}},
			[]string{"https://arxiv.org/abs/2401.00001", "https://openalex.org/W1",
				"https://www.semanticscholar.org/paper/1"}, "scientific publications", "", ""},
		{"papers_of_others", `{"q":"!cr !europepmc !datacite !core !ol tides"}`,
			[]string{"crossref", "europepmc", "datacite", "core", "openlibrary"},
			map[string][]string{"crossref": {"/works "}, "europepmc": {"/webservices/rest/search "},
				"datacite": {"/dois "}, "core": {"/v3/search/works/ tides"}, "openlibrary": {"/search.json tides"}},
			nil, "", "", ""},
		{"papers_of_who_is_not_there", `{"q":"!arx !oa tides"}`, []string{"duckduckgo"},
			map[string][]string{"duckduckgo": {" tides site:arxiv.org"}}, nil, "", "openalex is not configured", ""},
		{"chained", `{"q":"!crates !lrs serde"}`, []string{"brave"},
			map[string][]string{"brave": {"/res/v1/web/search serde (site:crates.io OR site:docs.rs OR site:lib.rs)"}},
			[]string{"https://crates.io/crates/serde"}, "packages", "", ""},
		{"one_cannot", `{"q":"!wa !wp tides"}`, []string{"duckduckgo"},
			map[string][]string{"duckduckgo": {" tides site:wikipedia.org"}},
			[]string{"https://en.wikipedia.org/wiki/Tide"}, "general",
			"wolframalpha not available: it computes answers", ""},
		{"one_provider", `{"q":"!ddg tides"}`, []string{"duckduckgo", "brave"},
			map[string][]string{"duckduckgo": {" tides"}}, []string{"https://en.wikipedia.org/wiki/Tide"},
			"general", "", ""},
		{"external", `{"q":"!!g tides"}`, []string{"duckduckgo"},
			map[string][]string{"duckduckgo": {" tides"}}, []string{"https://en.wikipedia.org/wiki/Tide"}, "general",
			"", "!! asks"},
		{"sites_apart_from_the_words", `{"q":"!wp tides"}`, []string{"exa"},
			map[string][]string{
				"exa": {`/search {"query":"tides","type":"auto","numResults":10,"includeDomains":["wikipedia.org"],"contents":{"text":{"maxCharacters":600}}}`}},
			[]string{"https://en.wikipedia.org/wiki/E"}, "general", "", ""},
		{"sites_of_another", `{"q":"!wp tides"}`, []string{"tavily"},
			map[string][]string{"tavily": {
				`/search {"query":"tides","topic":"general","search_depth":"basic","max_results":10,"include_domains":["wikipedia.org"],"include_answer":false}`}},
			[]string{"https://en.wikipedia.org/wiki/T"}, "general", "", ""},
		{"news_of_those_by_meaning", `{"q":"!news tides"}`, []string{"exa", "tavily", "google"},
			map[string][]string{
				"exa":    {`/search {"query":"tides","type":"auto","category":"news","numResults":10,"contents":{"text":{"maxCharacters":600}}}`},
				"tavily": {`/search {"query":"tides","topic":"news","search_depth":"basic","max_results":10,"include_answer":false}`}},
			[]string{"https://en.wikipedia.org/wiki/E", "https://en.wikipedia.org/wiki/T"}, "news", "", ""},
		{"second_page", `{"q":"tides","pageno":2}`, []string{"duckduckgo", "brave"},
			map[string][]string{"brave": {"/res/v1/web/search tides"}},
			[]string{"https://en.wikipedia.org/wiki/Tide", "https://crates.io/crates/serde"}, "general", "", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			web := tooltest.NewWeb(t)
			out, err := called(t, newSearch(depsOver(t, web, test.providers...)), test.arguments)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.asked, web.Asked()); diff != "" {
				t.Errorf("asked: want - got +\n%s", diff)
			}
			got := pick(out, "url")
			slices.Sort(got)
			want := slices.Sorted(slices.Values(test.urls))
			if !slices.Equal(got, want) {
				t.Errorf("urls %q, want %q", got, want)
			}
			for _, category := range pick(out, "category") {
				if category != test.category && !slices.Contains(strings.Fields(test.category), category) {
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
	web := tooltest.NewWeb(t)
	out, err := called(t, newOriginalSearch(depsOver(t, web, "brave")), `{"q":"!news plant"}`)
	if err != nil {
		t.Fatal(err)
	}
	got := out["results"].([]any)[0].(map[string]any)
	if score, _ := got["score"].(float64); score <= 0 {
		t.Errorf("score %v", got["score"])
	}
	delete(got, "score")
	want := map[string]any{"url": "https://news.example/plant", "title": "A plant is built", "content": "News.",
		"publishedDate": "2026-02-12T00:00:00",
		"engine":        "brave", "engines": []any{"brave"}, "positions": []any{1.0}, "template": "default.html",
		"category": "news", "parsed_url": []any{"https", "news.example", "/plant", "", "", ""}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("want - got +\n%s", diff)
	}
	out, err = called(t, newOriginalSearch(depsOver(t, web, "brave")), `{"q":"!images tide"}`)
	if err != nil {
		t.Fatal(err)
	}
	if got := pick(out, "img_src"); len(got) != 2 || got[0] == got[1] || !strings.HasSuffix(got[0], ".jpg") {
		t.Errorf("pictures %q", got)
	}
}

// Who fails is named with the reason beside what the others found; all failing is an
// error, and nobody finding anything is none.
func TestSearchFailures(t *testing.T) {
	web := tooltest.NewWeb(t)
	web.Fails("duckduckgo", tooltest.Status(http.StatusAccepted))
	out, err := called(t, newSearch(depsOver(t, web, "duckduckgo", "google")), `{"q":"tides"}`)
	if err != nil {
		t.Fatal(err)
	}
	if said := wordsIn(t, out["unresponsive_engines"]); !strings.HasPrefix(said, "duckduckgo CAPTCHA: ") ||
		len(pick(out, "url")) != 1 {
		t.Errorf("%v", out)
	}
	for name, test := range map[string]struct {
		providers []string
		broken    map[string]http.HandlerFunc
		arguments string
		code      citewell.Code
		says      string
	}{
		"one_blocked": {[]string{"duckduckgo"}, map[string]http.HandlerFunc{"duckduckgo": tooltest.Status(202)},
			`{"q":"x"}`, citewell.CodeBlockedByProvider, "bot page"},
		"all_fail": {[]string{"duckduckgo", "brave"}, map[string]http.HandlerFunc{
			"duckduckgo": tooltest.Status(202), "brave": tooltest.Status(429)}, `{"q":"x"}`,
			citewell.CodeAllProvidersFailed, "brave: "},
		"no_images": {[]string{"duckduckgo"}, nil, `{"q":"!images x"}`, citewell.CodeProviderNotConfigured,
			"searches images"},
		"no_torrents": {[]string{"duckduckgo"}, nil, `{"q":"!tpb x"}`, citewell.CodeProviderNotConfigured,
			"SearXNG of your own"},
		"no_such_page": {[]string{"duckduckgo"}, nil, `{"q":"x","pageno":2}`,
			citewell.CodeProviderNotConfigured, "page 2"},
		"not_configured": {[]string{"duckduckgo"}, nil, `{"q":"!brave x"}`, citewell.CodeProviderNotConfigured,
			"brave is not configured"},
		"nobody":   {nil, nil, `{"q":"x"}`, citewell.CodeProviderNotConfigured, "no provider"},
		"no_words": {[]string{"duckduckgo"}, nil, `{"q":"!pypi"}`, citewell.CodeInvalidArgument, "not what for"},
		"blank":    {[]string{"duckduckgo"}, nil, `{"q":" "}`, citewell.CodeInvalidArgument, "q is required"},
		"no_category": {[]string{"duckduckgo"}, nil, `{"q":"x","categories":"cats"}`, citewell.CodeInvalidArgument,
			"category"},
		"no_language": {[]string{"duckduckgo"}, nil, `{"q":"x","language":"tlh"}`, citewell.CodeInvalidArgument,
			"language"},
		"week": {[]string{"duckduckgo"}, nil, `{"q":"x","time_range":"week"}`, citewell.CodeInvalidArgument,
			"day, month, year"},
		"safesearch": {[]string{"duckduckgo"}, nil, `{"q":"x","safesearch":3}`, citewell.CodeInvalidArgument,
			"safesearch must be from 0 to 2"},
		"limit": {[]string{"duckduckgo"}, nil, `{"q":"x","limit":0}`, citewell.CodeInvalidArgument,
			"limit must be from 1 to 100"},
		"other_parameter": {[]string{"duckduckgo"}, nil, `{"q":"x","engines":"google"}`, citewell.CodeInvalidArgument,
			"engines is unknown"},
	} {
		t.Run(name, func(t *testing.T) {
			web := tooltest.NewWeb(t)
			for name, h := range test.broken {
				web.Fails(name, h)
			}
			_, err := called(t, newSearch(depsOver(t, web, test.providers...)), test.arguments)
			if view := citewell.View(err); view.Code != test.code || !strings.Contains(view.Message, test.says) {
				t.Errorf("%+v, want %s naming %q", view, test.code, test.says)
			}
			if strings.Contains(citewell.View(err).Message+citewell.View(err).Hint, "k3y") {
				t.Errorf("%v holds the key", err)
			}
		})
	}
	web = tooltest.NewWeb(t)
	web.Fails("google", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"queries":{}}`) })
	out, err = called(t, newSearch(depsOver(t, web, "google")), `{"q":"tides"}`)
	if err != nil || len(out["results"].([]any)) != 0 {
		t.Errorf("nothing found: %v, %v", out, err)
	}
}

// An instance's answer comes through with every field; ours only bounds it, by whole
// results.
func TestSearchWithSearXNG(t *testing.T) {
	web := tooltest.NewWeb(t)
	d := depsOver(t, web, "searxng", "duckduckgo")
	out, err := called(t, newOriginalSearch(d), `{"q":"!it go generics"}`)
	if err != nil {
		t.Fatal(err)
	}
	var want map[string]any
	if err := json.Unmarshal([]byte(tooltest.Answers["/searxng/search"]), &want); err != nil {
		t.Fatal(err)
	}
	want["results"] = want["results"].([]any)[:1] // and no null
	if diff := cmp.Diff(want, out); diff != "" {
		t.Errorf("want - got +\n%s", diff)
	}
	if diff := cmp.Diff(map[string][]string{"searxng": {"/search !it go generics"}}, web.Asked()); diff != "" {
		t.Errorf("asked: want - got +\n%s", diff)
	}

	long := make([]string, 40)
	for i := range long {
		long[i] = `{"url":"https://a.example/","title":"` + strings.Repeat("é", 600) + `"}`
	}
	web.Fails("searxng", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"results":[`+strings.Join(long, ",")+`]}`) // the client may be gone
	})
	for arguments, kept := range map[string]int{`{"q":"x"}`: 10, `{"q":"x","limit":3}`: 3, `{"q":"x","limit":100}`: 16,
		`{"q":"x","limit":40,"max_length":1000000}`: 40, `{"q":"x","max_length":1000}`: 1} {
		r, err := newSearch(d).Call(t.Context(), []byte(arguments))
		if err != nil {
			t.Fatal(err)
		}
		out, _ := called(t, newSearch(d), arguments)
		dropped, _ := out["results_dropped"].(float64)
		if n := len(out["results"].([]any)); n != kept || int(dropped) != 40-kept || kept > 1 && kept < 40 &&
			len(r.Text) > tool.DefaultMaxLength {
			t.Errorf("%s: %d results in %d bytes, %v dropped; want %d", arguments, n, len(r.Text), dropped, kept)
		}
	}
	if out, err := called(t, newOriginalSearch(d), `{"q":"x"}`); err != nil || len(out["results"].([]any)) != 40 {
		t.Errorf("the toolkit's own has no limit of results: %v", err)
	}
	long = slices.Repeat(long, 10)
	r, err := newOriginalSearch(d).Call(t.Context(), []byte(`{"q":"x"}`))
	if err != nil || len(r.Text) > originalMaxLength || !strings.Contains(r.Text, `"results_dropped":`) {
		t.Errorf("half a megabyte came as %d bytes, %v", len(r.Text), err)
	}
}

// A keyword is answered by the instance, by us where it does not or cannot, and
// without any network where there is none.
func TestSearchAnswersKeywords(t *testing.T) {
	answerOf := func(d Deps) (answer string, failed string) {
		out, err := called(t, newOriginalSearch(d), `{"q":"avg 1 2"}`)
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
	web := tooltest.NewWeb(t)
	if got, _ := answerOf(depsOver(t, web, "searxng")); got != ours {
		t.Errorf("beside an instance that does not compute: %q", got)
	}
	web.Fails("searxng", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"results":[],"answers":["its own"]}`)
	})
	if got, _ := answerOf(depsOver(t, web, "searxng")); got != "its own" {
		t.Errorf("of an instance that computes: %q", got)
	}
	web.Fails("searxng", tooltest.Status(http.StatusForbidden))
	if got, failed := answerOf(depsOver(t, web, "searxng")); got != ours ||
		!strings.HasPrefix(failed, "searxng HTTP error: ") {
		t.Errorf("beside an instance that refuses: %q, %q", got, failed)
	}
	web = tooltest.NewWeb(t)
	if got, failed := answerOf(depsOver(t, web, "duckduckgo", "brave")); got != ours || failed != "" ||
		len(web.Asked()) != 0 {
		t.Errorf("without an instance: %q, %q, asked %v", got, failed, web.Asked())
	}
	if got, _ := answerOf(Deps{}); got != ours {
		t.Errorf("with nothing at all: %q", got)
	}
}
