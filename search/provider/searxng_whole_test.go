package provider

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/internal/services"
	"github.com/citewell/citewell/search"
	"github.com/google/go-cmp/cmp"
)

func openedWhole(t testing.TB, base string) *searxngWhole {
	t.Helper()
	s, err := OpenSearXNG(withSettings(testDeps(t), "searxng", Settings{BaseURL: base}))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// What is asked goes to the instance as it stands, in each form of its address.
func TestSearXNGAsksAsItStands(t *testing.T) {
	asked := recordingServer(t, fixture(t, "searxng/good.json"))
	q := services.SearXNGQuery{Text: `!it !q&a :de "a b" + 50% é 潮 sha512 x`, TimeRange: citewell.PastYear,
		Categories: "it,news", Language: "de-CH", Page: 3}
	want := map[string]string{"q": q.Text, "format": "json", "safesearch": "0", "time_range": "year",
		"categories": "it,news", "language": "de-CH", "pageno": "3"}
	for _, form := range []string{"", "/", "/search", "/search?q=<query>", "/?q=%s",
		"/search?categories=music&format=html"} {
		if _, err := openedWhole(t, asked.URL+form).Ask(t.Context(), q); err != nil {
			t.Errorf("%s: %v", form, err)
		} else if diff := cmp.Diff(want, asked.params()); diff != "" || asked.last.URL.Path != "/search" {
			t.Errorf("%s: at %s, want - got +\n%s", form, asked.last.URL.Path, diff)
		}
	}
	_, err := openedWhole(t, asked.URL+"/?categories=music").Ask(t.Context(),
		services.SearXNGQuery{Text: "x", SafeSearch: 2})
	if diff := cmp.Diff(map[string]string{"q": "x", "format": "json", "safesearch": "2", "categories": "music"},
		asked.params()); err != nil || diff != "" {
		t.Errorf("the address's own parameters: %v\n%s", err, diff)
	}
}

// Every field comes back, known or not, as it was written.
func TestSearXNGAnswersWholly(t *testing.T) {
	body := fixture(t, "searxng/good.json")
	var sent map[string]json.RawMessage
	if err := json.Unmarshal(append(body[:len(body)-2:len(body)-2], []byte(`,"engine_data":{"a":1}}`)...),
		&sent); err != nil {
		t.Fatal(err)
	}
	changed, err := json.Marshal(sent)
	if err != nil {
		t.Fatal(err)
	}
	a, err := openedWhole(t, recordingServer(t, changed).URL).Ask(t.Context(), services.SearXNGQuery{Text: "tides"})
	if err != nil {
		t.Fatal(err)
	}
	hidden := strings.NewReplacer("\u202e", "", "\x00", "")
	for name, list := range map[string][]json.RawMessage{"results": a.Results, "answers": a.Answers,
		"corrections": a.Corrections,
		"infoboxes":   a.Infoboxes, "suggestions": a.Suggestions, "unresponsive_engines": a.UnresponsiveEngines} {
		got := []any{}
		for _, raw := range list {
			got = append(got, decoded(t, raw))
		}
		want := decoded(t, sent[name])
		if name == "results" {
			odd := want.([]any)[3].(map[string]any)
			odd["title"] = hidden.Replace(odd["title"].(string))
		}
		if diff := cmp.Diff(want, any(got)); diff != "" {
			t.Errorf("%s: want - got +\n%s", name, diff)
		}
	}
	if string(a.Other["engine_data"]) != `{"a":1}` || string(a.Other["query"]) != `"tidal power"` || len(a.Other) != 3 {
		t.Errorf("the rest is %s", a.Other)
	}
}

func decoded(t *testing.T, raw []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// Each fault of an instance is named, and no error holds the password of its address.
func TestSearXNGFaultsAreNamed(t *testing.T) {
	status := func(code int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(code)
			_, _ = w.Write([]byte(body)) // the client may be gone
		}
	}
	away := func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "https://www.google.com/search?q="+r.FormValue("q"), http.StatusFound)
	}
	tests := []struct {
		name, q string
		serve   http.HandlerFunc
		code    citewell.Code
		says    string
	}{
		{"json_is_off", "x", status(403, "<h1>Forbidden</h1>"), citewell.CodeHTTPStatus, "search.formats"},
		{"limiter", "x", status(429, "Too Many Requests"), citewell.CodeRateLimited, "limiter.toml"},
		{"html", "x", status(200, "<!doctype html><html>"), citewell.CodeBadResponse, "web page where JSON was asked"},
		{"cut_off", "x", status(200, `{"results":[{"url":"https://a.exa`), citewell.CodeBadResponse, "cut off"},
		{"other_json", "x", status(200, `{"hits":[]}`), citewell.CodeBadResponse, "no answer of searxng"},
		{"odd_answers", "x", status(200, `{"results":[],"suggestions":{"a":1}}`), citewell.CodeBadResponse,
			"suggestions"},
		{"empty_body", "x", status(200, ""), citewell.CodeBadResponse, "nothing"},
		{"too_large", "x", status(200, `{"results":[],"x":"`+strings.Repeat("x", 5<<20)+`"}`),
			citewell.CodeResponseTooLarge, "4 MiB"},
		{"engines_down", "x", status(200,
			`{"results":[],"unresponsive_engines":[["google","CAPTCHA"],["bing","access denied"]]}`),
			citewell.CodeBlockedByProvider, "google (CAPTCHA)"},
		{"engines_slow", "x", status(200, `{"results":[],"unresponsive_engines":[["google","timeout"]]}`),
			citewell.CodeTimeout, "google (timeout)"},
		{"external_bang", "!!g x", away, citewell.CodeBlockedRedirect, "!!"},
		{"sent_away", "x", away, citewell.CodeBlockedRedirect, "another host, https://www.google.com"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := httptest.NewServer(test.serve)
			defer server.Close()
			s := openedWhole(t, strings.Replace(server.URL, "http://", "http://me:hunter2@", 1)+"/?token=t0ken")
			_, err := s.Ask(t.Context(), services.SearXNGQuery{Text: test.q})
			view := citewell.View(err)
			if view.Code != test.code || !strings.Contains(view.Message+view.Hint, test.says) {
				t.Errorf("%+v, want %s naming %q", view, test.code, test.says)
			}
			for _, secret := range []string{"hunter2", "t0ken"} {
				if strings.Contains(view.Message+view.Hint+err.Error(), secret) {
					t.Errorf("%v holds %q", err, secret)
				}
			}
		})
	}
}

// An answer that only an engine gave, or only a box, is one though others failed.
func TestSearXNGAnswerWithoutResults(t *testing.T) {
	for _, body := range []string{`{"results":[],"answers":["42"],"unresponsive_engines":[["google","CAPTCHA"]]}`,
		`{"results":[],"infoboxes":[{"infobox":"x"}],"unresponsive_engines":[["google","CAPTCHA"]]}`, `{"results":[]}`,
		`{"results":null,"answers":null}`} {
		if _, err := openedWhole(t, recordingServer(t, []byte(body)).URL).Ask(t.Context(),
			services.SearXNGQuery{Text: "x"}); err != nil {
			t.Errorf("%s: %v", body, err)
		}
	}
}

func TestSearXNGEndsWithItsCaller(t *testing.T) {
	stop := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-stop:
		case <-r.Context().Done():
		}
	}))
	defer server.Close()
	defer close(stop)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := openedWhole(t, server.URL).Ask(ctx, services.SearXNGQuery{
		Text: "x"}); citewell.CodeOf(err) != citewell.CodeTimeout {
		t.Errorf("%v", err)
	}
	if _, err := OpenSearXNG(testDeps(t)); citewell.CodeOf(err) != citewell.CodeProviderNotConfigured {
		t.Errorf("without an address: %v", err)
	}
}

// A real instance takes what we send, and gives what we read.
func TestRealSearxWholly(t *testing.T) {
	needSearx(t)
	engine := startEngine(t)
	s := openedWhole(t, startSearx(t, engine))
	a, err := s.Ask(t.Context(), services.SearXNGQuery{Text: "!d tides", SafeSearch: 1, Categories: "general",
		Language: "en", Page: 1})
	if err != nil || len(a.Results) != 2 {
		t.Fatalf("%+v, %v", a, err)
	}
	var hit struct {
		URL, Title, Content, Engine, Category string
		Engines, ParsedURL                    []string
		Score                                 float64
	}
	if err := json.Unmarshal(a.Results[0], &hit); err != nil || hit.URL != "https://tides.example/power" ||
		hit.Engine != "demo" ||
		hit.Category != "general" || !slices.Equal(hit.Engines, []string{"demo"}) || hit.Score <= 0 {
		t.Errorf("%+v, %v", hit, err)
	}
	_, err = s.Ask(t.Context(), services.SearXNGQuery{Text: "!!g tides"})
	if e, ok := errors.AsType[*citewell.Error](err); !ok || e.Code != citewell.CodeBlockedRedirect ||
		!strings.Contains(e.Message, "!!") {
		t.Errorf("an external bang: %v", err)
	}
	engine.mode.Store("crash")
	if _, err := s.Ask(t.Context(), services.SearXNGQuery{Text: "tides"}); citewell.CodeOf(
		err) != citewell.CodeHTTPFailed {
		t.Errorf("its only engine crashes: %v", err)
	}
}

// Whatever an instance sends, what is handed on is JSON without hidden characters.
func FuzzSearXNGWhole(f *testing.F) {
	f.Add(fixture(f, "searxng/good.json"))
	f.Add([]byte(`{"results":[{"url":"https://a.example/","title":"\u202eA\udb40\udc41\u0000<&>","n":2.0,"x":{"\u200b":[true,null,-0.10e5]}},null],"answers":[1],"later":[]}`))
	p := openedWhole(f, "http://127.0.0.1/").p
	f.Fuzz(func(t *testing.T, body []byte) {
		a, err := p.readWhole(fuzzReply("application/json", body))
		if err != nil {
			if citewell.CodeOf(err) == citewell.CodeInternal {
				t.Errorf("%v", err)
			}
			return
		}
		for _, list := range [][]json.RawMessage{a.Results, a.Answers, a.Corrections, a.Infoboxes, a.Suggestions,
			a.UnresponsiveEngines} {
			for _, raw := range list {
				if !json.Valid(raw) {
					t.Errorf("no JSON: %q", raw)
				}
				for _, r := range string(raw) {
					if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
						t.Errorf("%q holds %U", raw, r)
					}
				}
			}
		}
	})
}

// An engine that is down is that engine's failure: five questions to it in a row do not
// keep the sixth from the instance.
func TestOneDeadEngineIsNotTheInstance(t *testing.T) {
	instance := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if strings.HasPrefix(r.FormValue("q"), "!1337x") {
			// a client that is gone
			_, _ = w.Write([]byte(`{"query":"q","results":[],"unresponsive_engines":[["1337x","timeout"]]}`))
			return
		}
		// as above
		_, _ = w.Write(
			[]byte(`{"query":"q","results":[{"title":"Hello","url":"https://a.example/"}],"unresponsive_engines":[]}`))
	}))
	t.Cleanup(instance.Close)
	deps := withSettings(testDeps(t), "searxng", Settings{BaseURL: instance.URL})
	limits := deps.Limits("searxng")
	limits.FirstBackoff = time.Millisecond
	gate, s := search.NewGate("searxng", limits), openedWhole(t, instance.URL)
	ask := func(text string) error {
		return gate.Do(t.Context(), func(ctx context.Context) error {
			_, err := s.Ask(ctx, services.SearXNGQuery{Text: text})
			return err
		})
	}
	for range 5 {
		if err := ask("!1337x linux"); citewell.CodeOf(err) != citewell.CodeTimeout ||
			!strings.Contains(err.Error(), "1337x (timeout)") {
			t.Errorf("%v", err)
		}
	}
	if err := ask("hello"); err != nil {
		t.Errorf("the instance was not asked on: %v", err)
	}
}

// A SearXNG that only the operator can reach is asked without a pace, as far as its address
// tells; a rate that is set holds everywhere.
func TestRateOfAnInstance(t *testing.T) {
	for base, want := range map[string]float64{
		"http://127.0.0.1:8888": 1000, "http://[::1]:8888": 1000, "http://10.1.2.3": 1000,
		"http://192.168.0.9/searxng": 1000, "http://localhost:8888": 1000,
		"http://searxng:8080": 1000, "http://searx.team.internal": 1000, "http://100.64.0.9": 1000,
		"http://100.65.0.9":          20,
		"https://search.example.org": 20, "https://me.github.io": 20, "https://93.184.216.34": 20, "://": 20,
	} {
		deps := withSettings(Deps{Own: egress.MustParseNetworks("100.64.0.0/16")}, "searxng", Settings{BaseURL: base})
		if got := deps.Limits("searxng").Rate; got != want {
			t.Errorf("%s: %v, want %v", base, got, want)
		}
		deps = withSettings(deps, "searxng", Settings{BaseURL: base, Rate: 2.5})
		if got := deps.Limits("searxng"); got.Rate != 2.5 || got.Burst != 2 {
			t.Errorf("%s: %+v, want the rate that is set", base, got)
		}
	}
	if got := withSettings(Deps{}, "brave", Settings{BaseURL: "http://127.0.0.1:9"}).Limits("brave").
		Rate; got != registry["brave"].Limits.Rate {
		t.Errorf("brave behind a proxy on loopback: %v; its key has the same limit there", got)
	}
}
