package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/fetch"
	"github.com/citewell/citewell/internal/agentplan"
	"github.com/citewell/citewell/internal/config"
	"github.com/citewell/citewell/internal/sandbox"
	"github.com/citewell/citewell/internal/tool"
	"github.com/citewell/citewell/internal/trials"
	"github.com/citewell/citewell/llm"
	"github.com/citewell/citewell/search"
	"github.com/citewell/citewell/search/provider"
)

func TestMain(m *testing.M) {
	sandbox.Main()
	goleak.VerifyTestMain(m)
}

// loaded is a default configuration with folders of its own.
func loaded(t *testing.T, change func(*config.Config)) config.Loaded {
	t.Helper()
	dir := t.TempDir()
	l := config.Loaded{Config: config.Default(), Paths: config.Paths{
		Data: filepath.Join(dir, "data"), Cache: filepath.Join(dir, "cache")}}
	if change != nil {
		change(&l.Config)
	}
	return l
}

func open(t *testing.T, o Options) *App {
	t.Helper()
	a, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return a
}

// Every secret that a configuration can hold, in every form in which a log can
// hold it, is redacted.
func TestLogHasNoSecrets(t *testing.T) {
	secret := citewell.NewSecret
	l := loaded(t, func(c *config.Config) {
		c.LLM.APIKey = secret("key-llm")
		c.Embedding.APIKey = secret("key-embedding")
		c.Search.TavilyAPIKey = secret("key-tavily")
		c.Search.Providers = map[string]config.Provider{"searxng": {
			APIKey: secret("key-searxng"), BaseURL: "http://me:key-basic@127.0.0.1:9/"}}
		c.Weather.APIKey = secret("key-weather")
		c.Agents = map[string]config.Agent{"a": {LLM: config.LLM{APIKey: secret("key-agent")},
			MCP: config.MCP{Servers: map[string]config.MCPServer{
				"s": {Env: map[string]citewell.Secret{"TOKEN": secret("key-agent-env")}}}}}}
		c.MCP.Servers = map[string]config.MCPServer{"s": {Headers: map[string]citewell.Secret{
			"Authorization": secret("Bearer key/with+\"odd\" <marks>")}}}
		c.Fetch.EgressProxy = "http://me:key-proxy@127.0.0.1:9"
	})
	for format, rest := range map[LogFormat]string{LogText: `msg="refused [redacted]"`,
		LogJSON: `"msg":"refused [redacted]"`} {
		t.Run(string(format), func(t *testing.T) { holdLog(t, Options{Config: l, LogFormat: format}, rest) })
	}
}

// holdLog logs secrets in every form and looks for them in the log, which has rest.
func holdLog(t *testing.T, o Options, rest string) {
	var log bytes.Buffer
	o.Version, o.Log, o.LogLevel = "test", &log, slog.LevelDebug
	a := open(t, o)
	values := []string{"key-llm", "key-embedding", "key-tavily", "key-searxng", "key-basic", "key-weather", "key-agent",
		"key-agent-env", "key-proxy", `Bearer key/with+"odd" <marks>`}
	for _, value := range values {
		a.log.Error("refused "+value, "error", errors.New("GET http://x.example/?key="+value),
			slog.Group("request", "header", http.Header{"X-Key": {value}}))
		a.log.Debug("json", "body", `{"key":`+string(tool.MustMarshal(value))+`}`, "bytes", []byte(value))
	}
	got := log.String()
	for _, leak := range append(values, "key-", "odd", `\u003cmarks`) {
		if strings.Contains(got, leak) {
			t.Errorf("the log holds %q", leak)
		}
	}
	if n := strings.Count(got, "[redacted]"); n != 5*len(values) {
		t.Errorf("%d redactions for %d secrets:\n%s", n, len(values), got)
	}
	if !strings.Contains(got, rest) {
		t.Errorf("the rest of the log is gone:\n%s", got)
	}
	for line := range strings.Lines(got) {
		if o.LogFormat == LogJSON && !json.Valid([]byte(line)) {
			t.Errorf("no JSON: %s", line)
		}
	}
}

// What was fetched while a network was allowed does not come from the cache once
// it is not.
func TestCacheFollowsSettings(t *testing.T) {
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		asked++
		w.Header().Set("Content-Type", "text/plain")
		w.Header().Set("Cache-Control", "max-age=3600")
		w.Write([]byte("a page of the intranet"))
	}))
	defer server.Close()
	allowed := loaded(t, func(c *config.Config) { c.Fetch.AllowNetworks = egress.MustParseNetworks("127.0.0.0/8") })
	get := func(l config.Loaded) error {
		a := open(t, Options{Config: l, WithoutStore: true})
		_, err := a.Fetch.Get(t.Context(), fetch.Request{URL: server.URL + "/"})
		return err
	}
	for range 2 {
		if err := get(allowed); err != nil || asked != 1 {
			t.Fatalf("asked %d times, %v", asked, err)
		}
	}
	denied := allowed
	denied.Config.Fetch.AllowNetworks = nil
	if err := get(denied); citewell.CodeOf(err) != citewell.CodeBlockedAddress {
		t.Errorf("after the network was closed: %v", err)
	}
}

func TestBriefSettingsSplitTheCache(t *testing.T) {
	base := config.Default()
	spaces := map[string]string{}
	for name, change := range map[string]func(*config.Config){
		"as it is": func(*config.Config) {},
		"engine": func(c *config.Config) {
			c.Search.Providers = map[string]config.Provider{"searxng": {BaseURL: "http://127.0.0.1:8888"}}
		},
		"switched off": func(c *config.Config) {
			c.Search.Providers = map[string]config.Provider{"searxng": {
				BaseURL: "http://127.0.0.1:8888", Enabled: "false"}}
		},
		"model":  func(c *config.Config) { c.LLM.Model = "m" },
		"vector": func(c *config.Config) { c.Embedding.Model = "m" },
		"robots": func(c *config.Config) { c.Fetch.RespectRobots = false },
	} {
		c := base
		change(&c)
		space, err := newCacheSpace(nil, briefSettings(c, "/data", "default"))
		if err != nil {
			t.Fatal(err)
		}
		if again, _ := newCacheSpace(nil, briefSettings(c, "/data", "default")); again != space {
			t.Errorf("%s: two spaces for the same settings", name)
		}
		if other, ok := spaces[space.space]; ok {
			t.Errorf("%s and %s share a space", name, other)
		}
		spaces[space.space] = name
	}
	if other, err := newCacheSpace(nil, briefSettings(base, "/data", "acme")); err != nil || spaces[other.space] != "" {
		t.Errorf("another tenant is given what %q has: %v", spaces[other.space], err)
	}
}

func TestProviders(t *testing.T) {
	searxng := map[string]config.Provider{"searxng": {BaseURL: "http://127.0.0.1:9/"}}
	tests := []struct {
		name    string
		change  func(*config.Config)
		sources agentplan.Sources
		want    []string
		code    citewell.Code
	}{
		{"all_that_are_configured", func(c *config.Config) { c.Search.Providers, c.Search.Open = searxng, "off" },
			agentplan.Sources{}, []string{"duckduckgo", "searxng"}, ""},
		{"closed_but_one_is_on", func(c *config.Config) {
			c.Search.Providers, c.Search.Open = map[string]config.Provider{"wikipedia": {Enabled: "true"}}, "off"
		}, agentplan.Sources{}, []string{"duckduckgo", "wikipedia"}, ""},
		{"closed_and_asked_for", func(c *config.Config) { c.Search.Open = "off" },
			agentplan.Sources{Providers: []string{"wikipedia"}}, nil, citewell.CodeProviderNotConfigured},
		{"each_once", func(c *config.Config) { c.Search.Providers = searxng },
			agentplan.Sources{Providers: []string{"searxng", "duckduckgo", "searxng"}},
			[]string{"searxng", "duckduckgo"}, ""},
		{"one_engine", func(c *config.Config) { c.Search.Engine = "duckduckgo"; c.Search.Providers = searxng },
			agentplan.Sources{}, []string{"duckduckgo"}, ""},
		{"a_flag_wins_over_the_engine", func(c *config.Config) {
			c.Search.Engine = "duckduckgo"
			c.Search.Providers = searxng
		}, agentplan.Sources{Providers: []string{"searxng"}}, []string{"searxng"}, ""},
		{"documents_alone", func(c *config.Config) { c.Search.Providers = searxng }, agentplan.Sources{Docs: "."},
			[]string{"local"}, ""},
		{"documents_though_local_is_off", func(c *config.Config) {
			c.Search.Providers = map[string]config.Provider{"local": {Enabled: "false"}}
		}, agentplan.Sources{Docs: "."}, []string{"local"}, ""},
		{"none", func(c *config.Config) {
			c.Search.Providers = map[string]config.Provider{"duckduckgo": {Enabled: "false"}}
		}, agentplan.Sources{}, nil, ""},
		{"unknown", nil, agentplan.Sources{Providers: []string{"bing"}}, nil, citewell.CodeUnknownProvider},
		{"without_key", nil, agentplan.Sources{Providers: []string{"brave"}}, nil, citewell.CodeProviderNotConfigured},
		{"without_key_as_the_engine", func(c *config.Config) { c.Search.Engine = "tavily" }, agentplan.Sources{}, nil,
			citewell.CodeProviderNotConfigured},
		{"without_address", nil, agentplan.Sources{Providers: []string{"searxng"}}, nil,
			citewell.CodeProviderNotConfigured},
		{"unknown_in_the_file", func(c *config.Config) {
			c.Search.Providers = map[string]config.Provider{
				"altavista": {}}
		}, agentplan.Sources{}, nil, citewell.CodeInvalidConfig},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			a := open(t, Options{Config: loaded(t, test.change)})
			providers, err := a.providers(t.Context(), test.sources)
			var names []string
			for _, p := range providers {
				names = append(names, p.Name())
			}
			if citewell.CodeOf(err) != test.code || !slices.Equal(names, test.want) {
				t.Errorf("%v, %v; want %v, %q", names, err, test.want, test.code)
			}
		})
	}
}

// With --docs only the documents below that folder answer, though others are indexed.
func TestDocsAreBelowTheFolder(t *testing.T) {
	a := open(t, Options{Config: loaded(t, nil)})
	dir := t.TempDir()
	for _, name := range []string{"in/a.md", "in-between/b.md"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte("The heron of "+name+
			" stands in the reeds and waits for fish."), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := a.Library().Index(t.Context(), []string{dir}, nil); err != nil {
		t.Fatal(err)
	}
	providers, err := a.providers(t.Context(), agentplan.Sources{Docs: filepath.Join(dir, "in")})
	if err != nil {
		t.Fatal(err)
	}
	results := ask(t, providers[0], "heron")
	if len(results) != 1 || !strings.HasSuffix(results[0].URL, "/in/a.md") {
		t.Errorf("%+v", results)
	}
}

func ask(t *testing.T, p search.Provider, query string) []citewell.Result {
	t.Helper()
	results, err := p.Search(t.Context(), citewell.Query{Text: query})
	if err != nil {
		t.Fatal(err)
	}
	return results
}

func TestOpenRefuses(t *testing.T) {
	tests := []struct {
		name   string
		change func(*config.Config)
		words  string
	}{
		{"no_such_store", func(c *config.Config) { c.Store.URL = "mysql://db.example/x" }, "store.url mysql"},
		{"no_folder", func(c *config.Config) { c.Store.URL = "sqlite:" }, "store.url"},
		{"proxy", func(c *config.Config) { c.Fetch.EgressProxy = "ftp://p" }, "egress_proxy"},
		{"model_proxy", func(c *config.Config) { c.LLM.Model = "m"; c.LLM.Proxy = "socks5://127.0.0.1:1081" },
			"llm.proxy"},
		{"model_url", func(c *config.Config) { c.LLM.Model = "m"; c.LLM.BaseURL = "nonsense" }, "llm.base_url"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := Open(t.Context(), Options{Config: loaded(t, test.change)})
			if view := citewell.View(err); view.Code != citewell.CodeInvalidConfig ||
				!strings.Contains(view.Message, test.words) {
				t.Errorf("%v", err)
			}
		})
	}
}

// A model of the public web is asked through its own proxy, by the address that was
// judged.
func TestModelThroughItsProxy(t *testing.T) {
	var asked atomic.Value
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Store(r.Method + " " + r.Host)
		w.WriteHeader(http.StatusBadGateway)
	}))
	defer proxy.Close()
	a := open(t, Options{Config: loaded(t, func(c *config.Config) {
		c.LLM.Model, c.LLM.BaseURL, c.LLM.Proxy = "m", "http://8.8.8.8/v1", proxy.URL
	})})
	if _, err := a.Models[0].Chat(t.Context(), llm.Request{}); err == nil {
		t.Error("a proxy that refuses gave an answer")
	}
	if got := asked.Load(); got != "CONNECT 8.8.8.8:80" {
		t.Errorf("the proxy was asked %v", got)
	}
}

// A cache that cannot be opened is a line in the log and nothing more.
func TestWithoutCache(t *testing.T) {
	l := loaded(t, nil)
	if err := os.WriteFile(l.Paths.Cache, []byte("a file where a folder should be"), 0o600); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	a := open(t, Options{Config: l, Log: &log, LogLevel: slog.LevelWarn})
	if a.Cache != nil || !strings.Contains(log.String(), "no cache") {
		t.Errorf("log %q", log.String())
	}
	if _, err := a.Brief(t.Context(), agentplan.Sources{}); err != nil {
		t.Error(err)
	}
}

// What the guard refused is in the log, with the address that no caller is told.
func TestRefusedAddressIsLogged(t *testing.T) {
	var log bytes.Buffer
	a := open(t, Options{Config: loaded(t, nil), Log: &log, LogLevel: slog.LevelInfo, WithoutStore: true})
	_, err := a.Fetch.Get(t.Context(), fetch.Request{URL: "http://127.0.0.1/", Timeout: time.Second})
	if citewell.CodeOf(err) != citewell.CodeBlockedAddress || strings.Contains(err.Error(), "loopback") {
		t.Errorf("%v", err)
	}
	if !strings.Contains(log.String(), `msg="address refused"`) ||
		!strings.Contains(log.String(), "address=127.0.0.1") {
		t.Errorf("log %q", log.String())
	}
	if a.Archive() != nil {
		t.Error("an archive without a store")
	}
}

func TestStoreProbe(t *testing.T) {
	a := open(t, Options{Config: loaded(t, nil)})
	answer, err := trials.Store("", "", a.Store).Try(t.Context())
	if err != nil || !strings.Contains(answer.Detail, "read back and removed") {
		t.Errorf("%+v, %v", answer, err)
	}
	if left, err := a.Store.ListIndexes(t.Context()); err != nil || len(left) > 0 {
		t.Errorf("it left %v, %v", left, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := trials.Store("", "", a.Store).Try(ended); err == nil {
		t.Error("no error from an ended context")
	}
}

// Search is closed off by its setting, and where it is kept to one provider, or from the one
// that needs no key.
// The names in the environment that a provider's hints tell of are read.
func TestEveryNameOfAProviderIsRead(t *testing.T) {
	for _, name := range provider.Names() {
		d, _ := provider.Describe(name)
		for _, env := range d.Env {
			l, err := config.Load(config.Options{Dir: t.TempDir(), Environ: []string{
				"HOME=" + t.TempDir(), env + "=http://said.example/"}})
			if err != nil {
				t.Fatal(err)
			}
			if p := l.Config.Search.Providers[name]; !slices.Contains([]string{p.APIKey.Reveal(), p.BaseURL, p.CSEID},
				"http://said.example/") {
				t.Errorf("%s says nothing for %s", env, name)
			}
		}
	}
}

func TestSearchIsClosedOff(t *testing.T) {
	duckduckgo := func(p config.Provider) map[string]config.Provider {
		return map[string]config.Provider{"duckduckgo": p}
	}
	for name, test := range map[string]struct {
		of     config.Search
		closed bool
	}{
		"nothing_said": {config.Search{Open: "auto"}, false},
		"a_key": {config.Search{Open: "auto", Providers: map[string]config.Provider{"brave": {}}},
			false},
		"one_engine": {config.Search{Open: "auto", Engine: "brave"}, true},
		"off": {config.Search{Open: "auto", Providers: duckduckgo(config.Provider{Enabled: "false"})},
			true},
		"elsewhere": {config.Search{Open: "auto", Providers: duckduckgo(config.Provider{
			BaseURL: "http://127.0.0.1:1"})}, true},
		"said": {config.Search{Open: "off"}, true},
		"said_on_all_the_same": {config.Search{Open: "on", Providers: duckduckgo(config.Provider{Enabled: "false"})},
			false},
	} {
		if got := isClosedOff(test.of); got != test.closed {
			t.Errorf("%s: closed %t", name, got)
		}
	}
}
