package provider

import (
	"encoding/json"
	"flag"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/search"
	"github.com/citewell/citewell/search/searchtest"
	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

// The tests wait for servers that hang and drip and hardly compute: many wait at once on few cores.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", "12"); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

// suites holds how each provider without a network is checked; a provider adds itself
// here or to wires in its own test file, and TestEveryProvider fails for one that did
// not.
var suites = make(map[string]func(t *testing.T))

// wires holds how each provider on a network looks; having one is having the suite of
// searchtest.
var wires = make(map[string]func(t *testing.T) searchtest.Wire)

func TestEveryProvider(t *testing.T) {
	for _, name := range Names() {
		suite, ok := suites[name]
		wire, onANetwork := wires[name]
		switch {
		case onANetwork && ok:
			t.Errorf("%s has a wire and a suite: keep one", name)
		case onANetwork:
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				w := wire(t)
				w.Secrets = append(w.Secrets, keys...)
				if d, _ := Describe(name); w.Sent == nil && d.Sample == (citewell.Identifier{}) {
					t.Error("the wire has no Sent, which finds the query's text in a request")
				}
				searchtest.Run(t, w)
			})
		case ok:
			t.Run(name, suite)
		default:
			t.Errorf("%s has no suite: add a wire written by hand to wires in %s_test.go", name, name)
		}
	}
	for _, name := range slices.Concat(slices.Collect(maps.Keys(suites)), slices.Collect(maps.Keys(wires))) {
		if !slices.Contains(Names(), name) {
			t.Errorf("a suite for %s, which is no provider", name)
		}
	}
}

func TestEveryDescriptionSaysEnough(t *testing.T) {
	for _, name := range Names() {
		d, ok := Describe(name)
		if !ok || d.Name != name || d.About == "" || d.Docs == "" {
			t.Errorf("%s describes itself as %+v", name, d)
		}
		if slices.Contains(d.Needs, needKey) && len(d.envFor(needKey)) == 0 {
			t.Errorf("%s needs a key, and Env has no name that ends in _API_KEY for it", name)
		}
		for _, file := range []string{name + ".go", name + "_test.go"} {
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s has no file %s: a provider and its files have one name", name, file)
			}
		}
	}
	if _, ok := Describe("altavista"); ok {
		t.Error("altavista is described")
	}
}

// question is what the wires are asked: it needs every kind of escaping.
var question = citewell.Query{Text: `tidal power & "wave" energy + 50% é 潮`, Region: "de-de",
	TimeRange: citewell.PastMonth, SafeSearch: citewell.SafeStrict}

func testDeps(t testing.TB) Deps {
	t.Helper()
	guard, err := egress.NewGuard(egress.Options{AllowNetworks: egress.MustParseNetworks("127.0.0.0/8")})
	if err != nil {
		t.Fatal(err)
	}
	return Deps{Guard: guard, UserAgent: "Citewell/test (+https://github.com/citewell/citewell)"}
}

// testKey and testEngine must not be in any error.
const testKey, testEngine = "s3cret/key+0f=mine", "e1f2:engine"

// keyed is all that a provider at a base URL may need.
func keyed(base string) Settings {
	return Settings{BaseURL: base, APIKey: citewell.NewSecret(testKey), CSEID: testEngine}
}

var keys = []string{testKey, url.QueryEscape(testKey), testEngine, url.QueryEscape(testEngine)}

// checkParams compares the query of a request, by name.
func checkParams(t *testing.T, r *http.Request, want map[string]string) {
	t.Helper()
	got := map[string]string{"method": r.Method, "path": r.URL.Path}
	for name, values := range r.Form {
		got[name] = strings.Join(values, " | ")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error("want - got +\n" + diff)
	}
}

// jsonBody reads the JSON that a request carries.
func jsonBody(t *testing.T, r *http.Request) map[string]any {
	t.Helper()
	var body map[string]any
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		t.Fatal(err)
	}
	return body
}

// refusal is a status with what the provider's documents have as its body.
func refusal(status int, body string) searchtest.Reply {
	reply := jsonReply(body)
	reply.Status = status
	return reply
}

// now is a fixed day for dates that are told from today.
func now() time.Time { return time.Date(2026, 2, 12, 12, 0, 0, 0, time.UTC) }

func withSettings(d Deps, name string, s Settings) Deps {
	d.Settings = map[string]Settings{name: s}
	return d
}

// detailOf asks p and returns what Coverage would say beside its results.
func detailOf(t *testing.T, p search.Provider, q citewell.Query) string {
	t.Helper()
	a := <-search.Ask(t.Context(), q, []search.Provider{p}, 10*time.Second)
	if a.Err != nil {
		t.Fatal(a.Err)
	}
	return a.Detail
}

// opened returns the provider at a base URL.
func opened(t testing.TB, name, base string) search.Provider {
	t.Helper()
	d := testDeps(t)
	d.Settings = map[string]Settings{name: keyed(base)}
	p, err := New(name, d)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func fixture(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", path))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func replyOf(t testing.TB, status int, path string) searchtest.Reply {
	mediaType := map[string]string{".json": "application/json; charset=utf-8", ".html": "text/html; charset=UTF-8",
		".xml": "application/xml; charset=utf-8"}[filepath.Ext(path)]
	return searchtest.Reply{Status: status, Header: map[string]string{"Content-Type": mediaType},
		Body: fixture(t, path)}
}

func jsonReply(body string) searchtest.Reply {
	return searchtest.Reply{Header: map[string]string{"Content-Type": "application/json"}, Body: []byte(body)}
}

func TestNewSaysWhatIsMissing(t *testing.T) {
	tests := []struct {
		name, provider string
		change         func(*Deps)
		code           citewell.Code
		says           []string
	}{
		{"unknown", "altavista", nil, citewell.CodeUnknownProvider, []string{"duckduckgo"}},
		{"empty_name", "", nil, citewell.CodeUnknownProvider, []string{"duckduckgo"}},
		{"no_address", "searxng", nil, citewell.CodeProviderNotConfigured, []string{"base_url", "SEARXNG_URL"}},
		{"no_key", "brave", nil, citewell.CodeProviderNotConfigured,
			[]string{"search.providers.brave.api_key", "BRAVE_API_KEY or BRAVE_SEARCH_API_KEY"}},
		{"no_engine", "google", func(d *Deps) { d.Settings["google"] = Settings{APIKey: citewell.NewSecret(testKey)} },
			citewell.CodeProviderNotConfigured, []string{"google has no cse_id",
				"cse_id or GOOGLE_CSE_ID or GOOGLE_CX_KEY"}},
		{"engine_without_a_key", "google", func(d *Deps) { d.Settings["google"] = Settings{CSEID: testEngine} },
			citewell.CodeProviderNotConfigured, []string{"google has no api_key", "api_key or GOOGLE_API_KEY"}},
		{"no_documents", "local", nil, citewell.CodeProviderNotConfigured, []string{"index a file"}},
		{"switched_off", "duckduckgo", func(d *Deps) { d.Settings["duckduckgo"] = Settings{Disabled: true} },
			citewell.CodeProviderNotConfigured, []string{"switched off"}},
		{"no_scheme", "searxng", func(d *Deps) { d.Settings["searxng"] = Settings{BaseURL: "search.example:8080"} },
			citewell.CodeInvalidConfig, []string{"base_url", "scheme"}},
		{"secret_in_a_bad_address", "searxng", func(d *Deps) {
			d.Settings["searxng"] = Settings{
				BaseURL: "ftp://me:hunter2@search.example/"}
		},
			citewell.CodeInvalidConfig, []string{"base_url"}},
		{"no_url_at_all", "duckduckgo", func(d *Deps) { d.Settings["duckduckgo"] = Settings{BaseURL: "http://%zz/"} },
			citewell.CodeInvalidConfig, []string{"base_url"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := testDeps(t)
			d.Settings = make(map[string]Settings)
			if test.change != nil {
				test.change(&d)
			}
			_, err := New(test.provider, d)
			view := citewell.View(err)
			if view.Code != test.code {
				t.Fatalf("got %v, want %s", err, test.code)
			}
			for _, part := range test.says {
				if !strings.Contains(view.Message+view.Hint, part) {
					t.Errorf("%q is not in %q, %q", part, view.Message, view.Hint)
				}
			}
			if test.code == citewell.CodeUnknownProvider && strings.Contains(view.Message, "searxng") {
				t.Errorf("an unconfigured provider is listed: %s", view.Message)
			}
			if strings.Contains(err.Error()+view.Message+view.Hint, "hunter2") {
				t.Errorf("a password is in %v", err)
			}
		})
	}
}

func TestAllReturnsWhatIsConfigured(t *testing.T) {
	names := func(providers []search.Provider) []string {
		var all []string
		for _, p := range providers {
			all = append(all, p.Name())
		}
		return all
	}
	d := testDeps(t)
	providers, err := All(d)
	if got := names(providers); err != nil || !slices.Equal(got, openNames("duckduckgo")) {
		t.Errorf("without settings: %v, %v", got, err)
	}
	d.Texts = &index{}
	d.Settings = map[string]Settings{"searxng": {BaseURL: "http://127.0.0.1:8888"}}
	providers, err = All(d)
	if got := names(providers); err != nil || !slices.Equal(got, openNames("duckduckgo", "local", "searxng")) {
		t.Errorf("with everything: %v, %v", got, err)
	}
	d.Settings["searxng"] = Settings{BaseURL: "nonsense"}
	providers, err = All(d)
	if got := names(providers); citewell.CodeOf(err) != citewell.CodeInvalidConfig ||
		!slices.Equal(got, openNames("duckduckgo", "local")) {
		t.Errorf("one bad setting must not take the others along: %v, %v", got, err)
	}
}

// openNames are names with those of all Open providers that need nothing, sorted.
func openNames(names ...string) []string {
	for _, name := range Names() {
		if d, _ := Describe(name); d.Open && len(d.Needs) == 0 {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func TestRegisterRefusesTheSameNameTwice(t *testing.T) {
	before := maps.Clone(registry)
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
		registry = before
	}()
	register(Description{Name: "duckduckgo"}, nil)
}

func TestLanguageTag(t *testing.T) {
	for region, want := range map[string]string{
		"": "", "wt-wt": "", "WT-wt": "", "de-de": "de-DE", "us-en": "en-US", "uk-en": "en-GB", "ch-fr": "fr-CH",
		"CH-DE": "de-CH",
		"jp-jp": "ja-JP", "kr-kr": "ko-KR", "tw-tzh": "zh-TW", "cn-zh": "zh-CN", "xl-es": "es", "xa-ar": "ar",
		"ct-ca": "ca-ES", "de": "", "de-": "",
	} {
		if got := languageTag(region); got != want {
			t.Errorf("%q is %q, want %q", region, got, want)
		}
	}
}

func TestOneLine(t *testing.T) {
	tests := []struct {
		in, want string
		limit    int
	}{
		{"  a \t\n b\u00a0c\u2003d ", "a b c d", 100},
		{"a\x00b\x1bc\u200bd\u202ee\ufefff", "abcdef", 100},
		{"a\xff\xfeb", "a\ufffdb", 100},
		{"Grüße", "Grü", 5},
		{"潮力", "潮", 5},
		{"a b", "a", 2},
		{"", "", 10},
	}
	for _, test := range tests {
		if got := oneLine(test.in, test.limit); got != test.want || len(got) > test.limit {
			t.Errorf("%q within %d is %q, want %q", test.in, test.limit, got, test.want)
		}
	}
}

func TestISODate(t *testing.T) {
	for in, want := range map[string]string{
		"2026-02-11T08:30:00": "2026-02-11", " 2026-02-11 ": "2026-02-11", "2026-02-11 00:00": "2026-02-11",
		"2026-02-30": "", "0001-01-01T00:00:00": "", "11.02.2026": "", "yesterday": "", "": "",
	} {
		if got := isoDate(in); got != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
}
