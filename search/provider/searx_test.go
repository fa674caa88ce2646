package provider

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/testing/realpart"
	"github.com/citewell/citewell/search"
	"github.com/citewell/citewell/search/searchtest"
	"github.com/google/go-cmp/cmp"
)

// The tests in this file talk to a real searx, the ancestor of SearXNG with the
// same JSON, as Debian packages it. Its one engine asks a server of the test.

// needSearx skips where searx is not installed, and fails there under CI=true.
func needSearx(t *testing.T) {
	if testing.Short() {
		t.Skip("make test tries a real Searx")
	}
	if missing := searchtest.MissingSearx(); missing != "" {
		realpart.Lacking(t, "%s", missing)
	}
}

// searxEngine is what the instance's only engine asks.
type searxEngine struct {
	*httptest.Server
	mode atomic.Value // string
}

func startEngine(t *testing.T) *searxEngine {
	e := new(searxEngine)
	e.mode.Store("good")
	e.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		type item struct {
			Link string `json:"link"`
			Name string `json:"name"`
			Text string `json:"text"`
		}
		items := []item{
			{"https://tides.example/power", "Tidal power & waves", "You asked for " + r.FormValue("q")},
			{"https://de.tides.example/über", "Über Gezeiten", "潮力"},
		}
		switch e.mode.Load() {
		case "empty":
			items = []item{}
		case "crash":
			_, _ = w.Write([]byte("{not json")) // the client may be gone
			return
		case "limited":
			http.Error(w, "no", http.StatusTooManyRequests)
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"items": items}) // the client may be gone
	}))
	t.Cleanup(e.Close)
	return e
}

// startSearx runs an instance whose one engine is engine, and returns its address.
func startSearx(t *testing.T, engine *searxEngine) string {
	searx, err := searchtest.StartSearx(t.Context(), t.TempDir(), engine.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		searx.Stop()
		if t.Failed() {
			t.Logf("searx-run said:\n%s", searx.Log())
		}
	})
	return searx.URL
}

func TestRealSearx(t *testing.T) {
	needSearx(t)
	engine := startEngine(t)
	base := startSearx(t, engine)
	query := citewell.Query{Text: `tides & "waves" é`}
	want := []citewell.Result{
		{Provider: "searxng", Rank: 1, Title: "Tidal power & waves", URL: "https://tides.example/power",
			Snippet: `You asked for tides & "waves" é`},
		{Provider: "searxng", Rank: 2, Title: "Über Gezeiten", URL: "https://de.tides.example/über", Snippet: "潮力"},
	}
	for _, form := range []string{"", "/", "/search", "/search/", "/search?q=<query>", "/?q=", "/?categories=general"} {
		t.Run("base_url"+strings.NewReplacer("/", "_", "?", "_").Replace(form), func(t *testing.T) {
			results, err := opened(t, "searxng", base+form).Search(t.Context(), query)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, results); diff != "" {
				t.Error("want - got +\n" + diff)
			}
		})
	}
	p := opened(t, "searxng", base)
	t.Run("filters", func(t *testing.T) {
		filtered := query
		filtered.Region, filtered.SafeSearch, filtered.TimeRange = "de-de", citewell.SafeStrict, citewell.PastYear
		if _, err := p.Search(t.Context(), filtered); err != nil {
			t.Errorf("a real instance refuses our filters: %v", err)
		}
	})
	t.Run("bang", func(t *testing.T) {
		results, err := p.Search(t.Context(), citewell.Query{Text: "!d tides"})
		if err != nil || len(results) != 2 || results[0].Snippet != "You asked for tides" {
			t.Errorf("%+v, %v", results, err)
		}
	})
	t.Run("nothing_found", func(t *testing.T) {
		engine.mode.Store("empty")
		if results, err := p.Search(t.Context(), query); err != nil || len(results) != 0 {
			t.Errorf("%+v, %v", results, err)
		}
	})
	t.Run("engine_crashes", func(t *testing.T) {
		engine.mode.Store("crash")
		_, err := p.Search(t.Context(), query)
		if err == nil {
			t.Fatal("no error")
		}
		if view := citewell.View(err); view.Code != citewell.CodeHTTPFailed ||
			!strings.Contains(view.Message, "demo (") {
			t.Errorf("%+v", view)
		}
	})
	t.Run("behind_limits_and_ask", func(t *testing.T) {
		engine.mode.Store("good")
		d, _ := Describe("searxng")
		for a := range search.Ask(t.Context(), query, []search.Provider{search.Guarded(p, d.Limits)}, 0) {
			if a.Outcome != citewell.ProviderOK || len(a.Results) != len(want) {
				t.Errorf("%+v", a)
			}
		}
	})
	// The last one, since the instance then leaves its engine alone for an hour, which
	// a SearXNG reports and its ancestor does not.
	t.Run("engine_limited", func(t *testing.T) {
		engine.mode.Store("limited")
		_, err := p.Search(t.Context(), query)
		if err == nil {
			t.Fatal("no error")
		}
		if view := citewell.View(err); view.Code != citewell.CodeRateLimited ||
			!strings.Contains(view.Message, "demo (") {
			t.Errorf("%+v", view)
		}
	})
}
