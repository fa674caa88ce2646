package provider

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/search"
	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
)

// The tests in this file talk to a real searx, the ancestor of SearXNG with the
// same JSON, as Debian packages it. Its one engine asks a server of the test.

const searxSettings = "/usr/share/doc/searx/examples/settings.yml"

// needSearx skips where searx is not installed, and fails there under CI=true.
func needSearx(t *testing.T) {
	missing := ""
	if _, err := exec.LookPath("searx-run"); err != nil {
		missing = "searx-run is not installed"
	} else if _, err := os.Stat(searxSettings); err != nil {
		missing = searxSettings + " is missing"
	}
	switch {
	case missing == "":
	case os.Getenv("CI") == "true":
		t.Fatal(missing + ": apt-get install searx")
	default:
		t.Skip(missing + ": apt-get install searx to run this test")
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

// startSearx runs an instance that has one engine and returns its address once it
// answers. The ancestor does not know search.formats: JSON is always on, so the 403
// of a SearXNG without it is shown by the wire suite only.
func startSearx(t *testing.T, engine *searxEngine) string {
	example, err := os.ReadFile(searxSettings)
	if err != nil {
		t.Fatal(err)
	}
	var settings map[string]any
	if err := yaml.Unmarshal(example, &settings); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	section(settings, "server")["port"] = port
	section(settings, "server")["secret_key"] = "a key for this test"
	section(settings, "search")["formats"] = []string{"html", "json"}
	section(settings, "search")["ban_time_on_fail"] = 0
	section(settings, "search")["max_ban_time_on_fail"] = 0
	settings["engines"] = []map[string]any{{
		"name": "demo", "engine": "json_engine", "shortcut": "d", "categories": "general", "enable_http": true,
		"search_url": engine.URL + "/?q={query}", "results_query": "items",
		"url_query": "link", "title_query": "name", "content_query": "text",
	}}
	file := filepath.Join(t.TempDir(), "settings.yml")
	data, err := yaml.Marshal(settings)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	cmd := exec.Command("searx-run")
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "SEARX_SETTINGS_PATH=" + file, "LC_ALL=C.UTF-8"}
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		<-ended
		if t.Failed() {
			t.Logf("searx-run said:\n%s", log.String())
		}
	})
	base := fmt.Sprintf("http://127.0.0.1:%d", port)
	waitForSearx(t, base, ended)
	return base
}

func section(settings map[string]any, name string) map[string]any {
	m, ok := settings[name].(map[string]any)
	if !ok {
		m = make(map[string]any)
		settings[name] = m
	}
	return m
}

func waitForSearx(t *testing.T, base string, ended <-chan error) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	again := time.NewTicker(100 * time.Millisecond)
	defer again.Stop()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, base, nil)
		if err != nil {
			t.Fatal(err)
		}
		if resp, err := client.Do(req); err == nil {
			_ = resp.Body.Close() // only the status matters
			if resp.StatusCode == http.StatusOK {
				return
			}
		}
		select {
		case err := <-ended:
			t.Fatalf("searx-run ended: %v", err)
		case <-ctx.Done():
			t.Fatal("searx-run did not answer within a minute")
		case <-again.C:
		}
	}
}

func TestRealSearx(t *testing.T) {
	needSearx(t)
	engine := startEngine(t)
	base := startSearx(t, engine)
	query := citewell.Query{Text: `tides & "waves" é`}
	want := []citewell.Result{
		{Provider: "searxng", Rank: 1, Title: "Tidal power & waves", URL: "https://tides.example/power", Snippet: `You asked for tides & "waves" é`},
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
		if view := citewell.View(err); view.Code != citewell.CodeHTTPFailed || !strings.Contains(view.Message, "demo (") {
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
		if view := citewell.View(err); view.Code != citewell.CodeRateLimited || !strings.Contains(view.Message, "demo (") {
			t.Errorf("%+v", view)
		}
	})
}
