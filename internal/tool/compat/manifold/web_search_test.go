package manifold

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/testing/tooltest"
	"github.com/citewell/citewell/internal/tool"
	"github.com/citewell/citewell/internal/tool/compat/searxng"
	"github.com/citewell/citewell/search"
	"github.com/google/go-cmp/cmp"
)

// setOf is a toolset of one tool, as Manifold's own has it.
func setOf(t testing.TB, d Deps, name string) *tool.Toolset {
	t.Helper()
	k, ok := Definitions.Find(Name, name)
	if !ok {
		t.Fatalf("there is no %s", name)
	}
	return &tool.Toolset{Name: Name, Tools: []*tool.Tool{Definitions[k](d)}, Leeway: tool.Default, Failure: Failure}
}

// searched calls web_search, which tells of failures as data.
func searched(t *testing.T, w *tooltest.Web, providers []string, arguments string) (out map[string]any, err error) {
	t.Helper()
	d := Deps{Search: searxng.Deps{Providers: w.Providers(t, providers...)}}
	result, err := setOf(t, d, "web_search").Call(t.Context(), "functions.web_search", []byte(arguments))
	if err != nil {
		t.Fatalf("an error that is no data: %v", err)
	}
	if err := json.Unmarshal([]byte(result.Text), &out); err != nil {
		t.Fatal(err)
	}
	return out, result.Err
}

func TestWebSearch(t *testing.T) {
	link := func(title, url string) any { return map[string]any{"title": title, "url": url} }
	tide := link("Tides", "https://en.wikipedia.org/wiki/Tide")
	tests := []struct {
		name, arguments string
		providers       []string
		asked           map[string][]string
		results         []any
	}{
		{"instance", `{"query":"tides"}`, []string{"searxng", "brave"},
			map[string][]string{"searxng": {"/search tides"}}, []any{link("A", "https://a.example/")}},
		{"providers", `{"query":"tides","max_results":10}`, []string{"brave"},
			map[string][]string{"brave": {"/res/v1/web/search tides"}},
			[]any{tide, link("serde", "https://crates.io/crates/serde")}},
		{"bounded", `{"query":"tides","max_results":1,"category":"general","format":"html"}`, []string{"brave"},
			map[string][]string{"brave": {"/res/v1/web/search tides"}}, []any{tide}},
		{"news", `{"query":"tides","category":"news"}`, []string{"brave"},
			map[string][]string{"brave": {"/res/v1/news/search tides"}},
			[]any{link("A plant is built", "https://news.example/plant")}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			web := tooltest.NewWeb(t)
			out, err := searched(t, web, test.providers, test.arguments)
			if diff := cmp.Diff(map[string]any{"ok": true, "results": test.results}, out); err != nil || diff != "" {
				t.Errorf("%v, want - got +\n%s", err, diff)
			}
			if diff := cmp.Diff(test.asked, web.Asked()); diff != "" {
				t.Errorf("asked: want - got +\n%s", diff)
			}
		})
	}
}

// Nothing found is no failure; what is one has its code.
func TestWebSearchFailures(t *testing.T) {
	web := tooltest.NewWeb(t)
	web.Fails("searxng", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"results":[]}`)) })
	out, err := searched(t, web, []string{"searxng"}, `{"query":"x"}`)
	if diff := cmp.Diff(map[string]any{"ok": true, "results": []any{}}, out); err != nil || diff != "" ||
		len(web.Asked()["searxng"]) != 1 {
		t.Errorf("asked %d times; %v, want - got +\n%s", len(web.Asked()["searxng"]), err, diff)
	}
	for name, test := range map[string]struct {
		providers []string
		broken    http.HandlerFunc
		arguments string
		code      citewell.Code
	}{
		"json_is_off": {[]string{"searxng"}, tooltest.Status(403), `{"query":"x"}`, citewell.CodeHTTPStatus},
		"blocked": {[]string{"duckduckgo"}, tooltest.Status(202), `{"query":"x"}`,
			citewell.CodeBlockedByProvider},
		"none_at_all": {nil, nil, `{"query":"x"}`, citewell.CodeProviderNotConfigured},
		"no_images": {[]string{"duckduckgo"}, nil, `{"query":"x","category":"images"}`,
			citewell.CodeProviderNotConfigured},
		"no_category": {[]string{"duckduckgo"}, nil, `{"query":"x","category":"cats"}`,
			citewell.CodeInvalidArgument},
		"no_number": {[]string{"duckduckgo"}, nil, `{"query":"x","max_results":"many"}`,
			citewell.CodeInvalidArgument},
		"blank":           {[]string{"duckduckgo"}, nil, `{"query":" "}`, citewell.CodeInvalidArgument},
		"other_parameter": {[]string{"duckduckgo"}, nil, `{"query":"x","depth":3}`, citewell.CodeInvalidArgument},
	} {
		t.Run(name, func(t *testing.T) {
			web := tooltest.NewWeb(t)
			for _, provider := range test.providers {
				web.Fails(provider, test.broken)
			}
			out, err := searched(t, web, test.providers, test.arguments)
			if out["ok"] != false || out["code"] != string(test.code) || out["error"] == "" ||
				citewell.CodeOf(err) != test.code {
				t.Errorf("%v, %v; want %s", out, err, test.code)
			}
		})
	}
}

// A timedProvider answers each call with the next error, nil for results.
type timedProvider struct {
	errs  []error
	calls []time.Duration // since it was made
	since time.Time
}

func (p *timedProvider) Name() string { return "searxng" }

func (p *timedProvider) Search(context.Context, citewell.Query) ([]citewell.Result, error) {
	p.calls = append(p.calls, time.Since(p.since))
	if n := len(p.calls); n <= len(p.errs) {
		if err := p.errs[n-1]; err != nil {
			return nil, err
		}
	}
	return []citewell.Result{{Title: "A", URL: "https://a.example/"}}, nil
}

// Three tries with growing waits between them, a Retry-After obeyed, and a request
// every two seconds in the long run.
func TestManners(t *testing.T) {
	limited := func(wait time.Duration) error {
		return &citewell.Error{Code: citewell.CodeRateLimited, Message: "too many", RetryAfter: wait}
	}
	slow := &citewell.Error{Code: citewell.CodeTimeout, Message: "slow"}
	blocked := &citewell.Error{Code: citewell.CodeBlockedByProvider, Message: "a bot page"}
	tests := []struct {
		name     string
		errs     []error
		code     citewell.Code
		calls    int
		from, to time.Duration // when the last call was made
	}{
		{"first_time", nil, "", 1, 0, 0},
		{"retried", []error{slow}, "", 2, 500 * time.Millisecond, 1500 * time.Millisecond},
		{"third_time", []error{slow, slow}, "", 3, 1999 * time.Millisecond, 4 * time.Second}, // the bucket holds two
		{"given_up", []error{slow, slow, slow}, citewell.CodeTimeout, 3, 1999 * time.Millisecond, 4 * time.Second},
		{"asked_to_wait", []error{limited(7 * time.Second)}, "", 2, 7 * time.Second, 7 * time.Second},
		{"asked_to_wait_long", []error{limited(time.Minute)}, citewell.CodeRateLimited, 1, 0, 0},
		{"a_bot_page_is_not_asked_again", []error{blocked}, citewell.CodeBlockedByProvider, 1, 0, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &timedProvider{errs: test.errs, since: time.Now()}
				ctx, cancel := context.WithTimeout(t.Context(), searchDeadline)
				defer cancel()
				links, err := linksBy(ctx, search.NewGate("searxng", searchLimits).Guard(p),
					searchInput{Query: "x", MaxResults: 5})
				if citewell.CodeOf(err) != test.code || len(p.calls) != test.calls {
					t.Fatalf("%d calls, %v; want %d and %q", len(p.calls), err, test.calls, test.code)
				}
				if last := p.calls[test.calls-1]; last < test.from || last > test.to {
					t.Errorf("the last call was made after %v, want %v to %v", last, test.from, test.to)
				}
				if test.code == "" && len(links) != 1 {
					t.Errorf("%d links", len(links))
				}
			})
		})
	}
}

// A wait for our own limit is told of, and is no longer than the deadline.
func TestWaitsAreBoundedAndTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &timedProvider{since: time.Now()}
		gate := search.NewGate("searxng", searchLimits)
		var told []string
		caller := tool.Caller{Progress: func(_, _ float64, message string) { told = append(told, message) }}
		ask := func(within time.Duration) error {
			ctx, cancel := context.WithTimeout(tool.WithCaller(t.Context(), caller), within)
			defer cancel()
			_, err := linksBy(ctx, gate.Guard(p), searchInput{Query: "x", MaxResults: 5})
			return err
		}
		for range 4 {
			if err := ask(searchDeadline); err != nil {
				t.Fatal(err)
			}
		}
		if want := []time.Duration{0, 0, 2 * time.Second, 4 * time.Second}; !slices.Equal(p.calls, want) {
			t.Errorf("calls at %v, want %v", p.calls, want)
		}
		if len(told) != 2 || !strings.Contains(told[0], "waited 2s") {
			t.Errorf("told %q", told)
		}
		err := ask(time.Second)
		if view := citewell.View(err); view.Code != citewell.CodeRateLimited ||
			!strings.Contains(view.Message, "our own limit of 0.5 calls a second") ||
			view.Hint != "search less often" || len(p.calls) != 4 {
			t.Errorf("%+v after %d calls", view, len(p.calls))
		}
	})
}
