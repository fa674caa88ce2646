package config

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/testing/realpart"
)

// workdir makes a folder with the given files and returns it.
func workdir(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// environ is an environment in which no file of the real user is found.
func environ(t *testing.T, pairs ...string) []string {
	return append([]string{"XDG_CONFIG_HOME=" + t.TempDir(), "XDG_DATA_HOME=/data", "XDG_CACHE_HOME=/cache"}, pairs...)
}

func settings(l Loaded) map[string]Setting {
	m := map[string]Setting{}
	for _, s := range l.Settings() {
		m[s.Key] = s
	}
	return m
}

// A name that is set to nothing, as compose files and CI do with what they lack,
// leaves the weaker word standing: of a file, of SGR's name, or the default.
func TestEmptyVariableIsUnset(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, []byte("\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := workdir(t, map[string]string{
		LocalFile: "search:\n  max_results: 7\n",
		".env":    "CITEWELL__SEARCH__MAX_SEARCHES=\n",
	})
	l, err := Load(Options{Dir: dir, Environ: environ(t, "CITEWELL__SEARCH__MAX_RESULTS=",
		"CITEWELL__FETCH__CACHE_TTL=", "CITEWELL__NO__SUCH_KEY=",
		"SGR__LLM__MODEL=from-sgr", "CITEWELL__LLM__MODEL=", "CITEWELL__LLM__API_KEY_FILE=",
		"CITEWELL__WEATHER__API_KEY_FILE="+empty)})
	if err != nil {
		t.Fatal(err)
	}
	if len(l.Warnings) > 0 {
		t.Errorf("warnings %q", l.Warnings)
	}
	for key, want := range map[string]Setting{
		"search.max_results":  {Value: "7", Origin: filepath.Join(dir, LocalFile) + ":2"},
		"search.max_searches": {Value: fmt.Sprint(Default().Search.MaxSearches), Origin: "default"},
		"llm.model":           {Value: "from-sgr", Origin: "env SGR__LLM__MODEL"},
		"fetch.cache_ttl":     {Value: settings(Loaded{Config: Default()})["fetch.cache_ttl"].Value, Origin: "default"},
		"llm.api_key":         {Origin: "default"},
		"weather.api_key":     {Origin: "default"},
	} {
		if got := settings(l)[key]; got.Value != want.Value || got.Origin != want.Origin {
			t.Errorf("%s is %q from %q, want %q from %q", key, got.Value, got.Origin, want.Value, want.Origin)
		}
	}
}

func TestFlagWinsOverEnvOverFileOverDefault(t *testing.T) {
	dir := workdir(t, map[string]string{
		LocalFile: "search:\n  max_results: 7\n  max_searches: 6\n  content_limit: 900\nllm:\n  model: from-file\n",
		".env":    "CITEWELL__SEARCH__MAX_SEARCHES=5\nCITEWELL__SEARCH__CONTENT_LIMIT=800\nOPENAI_API_KEY=dotenv-key\n",
	})
	l, err := Load(Options{Dir: dir, Sets: []string{"search.content_limit=700"},
		Environ: environ(t, "CITEWELL__SEARCH__CONTENT_LIMIT=750", "OPENAI_BASE_URL=http://model.example/v1",
			"SGR__LLM__MODEL=from-sgr")})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, LocalFile)
	for key, want := range map[string]Setting{
		"search.max_results":   {Value: "7", Origin: file + ":2"},
		"search.max_searches":  {Value: "5", Origin: ".env CITEWELL__SEARCH__MAX_SEARCHES"},
		"search.content_limit": {Value: "700", Origin: "--set search.content_limit"},
		"llm.model":            {Value: "from-sgr", Origin: "env SGR__LLM__MODEL"},
		"llm.base_url":         {Value: "http://model.example/v1", Origin: "env OPENAI_BASE_URL"},
		"llm.api_key":          {Value: "[redacted]", Origin: ".env OPENAI_API_KEY"},
		"llm.max_tokens":       {Value: "8000", Origin: "default"},
	} {
		if got := settings(l)[key]; got.Value != want.Value || got.Origin != want.Origin {
			t.Errorf("%s is %q from %q, want %q from %q", key, got.Value, got.Origin, want.Value, want.Origin)
		}
	}
	if l.Config.LLM.APIKey.Reveal() != "dotenv-key" {
		t.Error("the key's value did not arrive")
	}
}

func TestMistakesAreNamedAllAtOnceWithLineAndNearestKey(t *testing.T) {
	dir := workdir(t, map[string]string{LocalFile: `
serch:
  max_results: 3
search:
  max_reslts: 3
  max_searches: many
fetch:
  allow_networks: [10.0.0.0/8, nonsense]
  cache_ttl: 10
brief:
  per_domain: -1
  synthesis: perhaps
confirm:
  http_post: maybe
llm:
  structured_output: magic
  modl: x
server:
  listen: 8010
`})
	_, err := Load(Options{Dir: dir, Environ: environ(t, "CITEWELL__FETCH__USER_AGNT=x")})
	if citewell.CodeOf(err) != citewell.CodeInvalidConfig {
		t.Fatalf("err %v, want invalid_config", err)
	}
	for _, want := range []string{
		LocalFile + ":2: serch is not a known key; did you mean search?",
		LocalFile + ":5: search.max_reslts is not a known key; did you mean max_results?",
		LocalFile + ":6: search.max_searches must be a number, not many",
		LocalFile + ":8: fetch.allow_networks item 2 cannot be read: \"nonsense\" is no network; write 10.1.0.0/16, " +
			"or with a port of 1 to 65535 10.1.0.0/16:8080",
		LocalFile + ":9: fetch.cache_ttl must be a time such as 500ms, 5s or 10m, not 10",
		LocalFile + ":11: brief.per_domain is -1; it must not be negative",
		LocalFile + ":12: brief.synthesis must be true or false, not perhaps",
		LocalFile + ":14: confirm.http_post is \"maybe\"; it must be one of ask, allow, deny",
		LocalFile + ":16: llm.structured_output is \"magic\"; it must be one of auto",
		LocalFile + ":17: llm.modl is not a known key; did you mean model?",
		LocalFile + ":19: server.listen is \"8010\"; it must be HOST:PORT, as in 127.0.0.1:8010",
		"env CITEWELL__FETCH__USER_AGNT: fetch.user_agnt is not a known key; did you mean user_agent?",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("not said: %s\nin:\n%v", want, err)
		}
	}
}

func TestVariablesAreExpandedInValues(t *testing.T) {
	dir := workdir(t, map[string]string{LocalFile: `
llm:
  api_key: "${KEY}"
  base_url: "${BASE:-http://fallback.example/v1}"
  model: "cost$5 $$HOME"
search:
  providers:
    searxng: {base_url: "http://${HOST}/search"}
`})
	l, err := Load(Options{Dir: dir, Environ: environ(t, "KEY=k", "HOST=h.example")})
	if err != nil {
		t.Fatal(err)
	}
	c := l.Config
	if c.LLM.APIKey.Reveal() != "k" || c.LLM.BaseURL != "http://fallback.example/v1" || c.LLM.Model != "cost$5 $HOME" ||
		c.Search.Providers["searxng"].BaseURL != "http://h.example/search" {
		t.Errorf("expanded to %q %q %q %q", c.LLM.APIKey.Reveal(), c.LLM.BaseURL, c.LLM.Model,
			c.Search.Providers["searxng"].BaseURL)
	}
	_, err = Load(Options{Dir: dir, Environ: environ(t, "KEY=k")})
	if err == nil || !strings.Contains(err.Error(), LocalFile+
		":8: search.providers.searxng.base_url: the environment variable HOST is not set") {
		t.Errorf("an unset variable gave %v", err)
	}
}

func TestSecretsComeFromFilesToo(t *testing.T) {
	dir := workdir(t, map[string]string{"key": "from-file\n"})
	key := filepath.Join(dir, "key")
	for _, name := range []string{"OPENAI_API_KEY_FILE", "CITEWELL__LLM__API_KEY_FILE"} {
		l, err := Load(Options{Dir: dir, Environ: environ(t, name+"="+key)})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := l.Config.LLM.APIKey.Reveal(); got != "from-file" {
			t.Errorf("%s gave %q", name, got)
		}
	}
	if _, err := Load(Options{Dir: dir, Environ: environ(t, "OPENAI_API_KEY_FILE="+key+"x")}); err == nil {
		t.Error("a missing key file went unsaid")
	}
	l, err := Load(Options{Dir: dir, Environ: environ(t, "CITEWELL__SERVER__TOKENS_FILE=/etc/tokens")})
	if err != nil || l.Config.Server.TokensFile != "/etc/tokens" {
		t.Errorf("a key that ends in _file by itself gave %q, %v", l.Config.Server.TokensFile, err)
	}
}

func TestNamesOthersUseAreRead(t *testing.T) {
	l, err := Load(Options{Dir: t.TempDir(), Environ: environ(t, "BRAVE_SEARCH_API_KEY=second", "BRAVE_API_KEY=first",
		"GOOGLE_CX_KEY=cx", "SEARXNG_QUERY_URL=http://s.example/search", "SUMMARIZER_FALLBACK_MODEL=small",
		"CITEWELL__SEARCH__PROVIDERS__EXA__API_KEY=exa", "CITEWELL__FETCH__ALLOW_NETWORKS=127.0.0.0/8, ::1/128")})
	if err != nil {
		t.Fatal(err)
	}
	p := l.Config.Search.Providers
	if p["brave"].APIKey.Reveal() != "first" || p["google"].CSEID != "cx" ||
		p["searxng"].BaseURL != "http://s.example/search" ||
		p["exa"].APIKey.Reveal() != "exa" || l.Config.Brief.FallbackModel != "small" ||
		len(l.Config.Fetch.AllowNetworks) != 2 {
		t.Errorf("read %+v, fallback %q, networks %v", p, l.Config.Brief.FallbackModel, l.Config.Fetch.AllowNetworks)
	}
}

// SGR's own example files load byte for byte; what has no effect there is warned about.
func TestSGRFilesLoadAsTheyAre(t *testing.T) {
	dir := realpart.Data(t, "sgr-examples")
	warned := 0
	for _, name := range []string{"config.yaml.example", "agents.yaml.example",
		"examples-agents_with_disabled_reporting-config.yaml"} {
		l, err := Load(Options{File: filepath.Join(dir, name), Dir: t.TempDir(), Environ: environ(t)})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		warned += len(l.Warnings)
		if name == "config.yaml.example" {
			if got := l.Config.Search.Providers["tavily"].BaseURL; got != "https://api.tavily.com" {
				t.Errorf("tavily_api_base_url did not reach the provider: %q", got)
			}
			if l.Config.MCP.Servers["deepwiki"].URL == "" || l.Config.Execution.ReportsDir != "reports" {
				t.Errorf("lost a section: %+v %+v", l.Config.MCP, l.Config.Execution)
			}
		}
		if name == "agents.yaml.example" {
			a := l.Config.Agents["fast_research_agent"]
			if a.BaseClass != "SGRToolCallingAgent" || len(a.Tools) != 4 || a.Execution.MaxIterations != 8 {
				t.Errorf("agent is %+v", a)
			}
			if !slices.ContainsFunc(l.Warnings, func(w string) bool {
				return strings.Contains(w, "agents.custom_research_agent.execution.max_steps")
			}) {
				t.Errorf("dead key not warned about: %v", l.Warnings)
			}
		}
	}
	if warned == 0 {
		t.Error("no warning at all")
	}
}

func TestModelKeysUnknownToUsArePassedOnWithAWarning(t *testing.T) {
	dir := workdir(t, map[string]string{LocalFile: "llm:\n  frequency_penalty: 0.5\n"})
	l, err := Load(Options{Dir: dir, Environ: environ(t)})
	if err != nil {
		t.Fatal(err)
	}
	if l.Config.LLM.Extra["frequency_penalty"] != 0.5 || len(l.Warnings) != 1 {
		t.Errorf("extra %v, warnings %v", l.Config.LLM.Extra, l.Warnings)
	}
}

func TestTemplateIsTheDefaults(t *testing.T) {
	dir := workdir(t, map[string]string{LocalFile: Template})
	l, err := Load(Options{Dir: dir, Environ: environ(t)})
	if err != nil || len(l.Warnings) > 0 {
		t.Fatalf("%v %v", err, l.Warnings)
	}
	want, err := Load(Options{Dir: t.TempDir(), Environ: environ(t)})
	if err != nil {
		t.Fatal(err)
	}
	l.Config.Search.Providers = nil // names duckduckgo, which is on anyway
	if !reflect.DeepEqual(l.Config, want.Config) {
		t.Errorf("the template sets other values than the defaults:\n%+v\n%+v", l.Config, want.Config)
	}
	uncommented := strings.ReplaceAll(strings.ReplaceAll(Template, "    # ", "    "), "  # ", "  ")
	for line := range strings.Lines(uncommented) { // what it only suggests must be right as well
		key, _, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok || strings.ContainsAny(key, " #`") {
			continue
		}
		found := false
		for _, section := range [][]string{{}, {"search"}, {"search", "providers"}, {"llm"}, {"brief"}, {"fetch"},
			{"store"}} {
			if _, ok := settingAt(append(section, key)); ok {
				found = true
			}
		}
		if !found {
			t.Errorf("the template names an unknown key: %s", key)
		}
	}
}

// What the template only suggests loads as it stands once its # is taken away.
func TestTemplateUncommented(t *testing.T) {
	uncommented := regexp.MustCompile(`(?m)^# ([a-z_]+:|  )`).ReplaceAllString(Template, "$1")
	l, err := Load(Options{Dir: workdir(t, map[string]string{LocalFile: uncommented}),
		Environ: environ(t, "OPENWEATHER_API_KEY=w", "TICKETS_TOKEN=a", "TRACKER_TOKEN=b", "COLLECTOR_TOKEN=c")})
	if err != nil || len(l.Warnings) > 0 {
		t.Fatalf("%v %v\n%s", err, l.Warnings, uncommented)
	}
	c := l.Config
	if len(c.Tools) != 2 || len(c.Toolsets["mine"]) != 3 || len(c.MCP.Servers) != 3 ||
		c.Confirm["http_post"] != ConfirmAsk ||
		c.Specialists["reviewer"].System == "" || len(c.Server.AllowedHosts) != 1 ||
		c.Agents["quick"].Search.ContentLimit != 3000 || c.Prompts.InitialUserRequestStr == "" || c.LLM.Model == "" ||
		c.RunCLI.Workdir == "" || c.Embedding.Model == "" || c.Telemetry.Traces.Headers.Reveal() !=
		"Authorization=Bearer%20c" {
		t.Errorf("a section of the template is not read: %+v", c)
	}
}

func TestFilesThatAreNoConfiguration(t *testing.T) {
	for name, content := range map[string]string{"list": "- a\n- b\n", "scalar": "hello", "broken": "a: [1, 2\nb: }",
		"tab": "a:\n\t- b: c: d"} {
		dir := workdir(t, map[string]string{LocalFile: content})
		if _, err := Load(Options{Dir: dir, Environ: environ(t)}); citewell.CodeOf(err) != citewell.CodeInvalidConfig {
			t.Errorf("%s: %v, want invalid_config", name, err)
		}
	}
	if _, err := Load(Options{File: filepath.Join(t.TempDir(), "none.yaml"), Environ: environ(t)}); citewell.CodeOf(
		err) != citewell.CodeNotFound {
		t.Errorf("a missing --config gave %v, want not_found", err)
	}
	if l, err := Load(Options{Dir: workdir(t, map[string]string{LocalFile: "# nothing\n"}),
		Environ: environ(t)}); err != nil || l.File == "" {
		t.Errorf("an empty file gave %v", err)
	}
}

func TestSizesAndTimes(t *testing.T) {
	dir := workdir(t, map[string]string{LocalFile: "run_cli:\n  max_output: 1.5MiB\n  timeout: 90s\nsearch:\n  " +
		"providers:\n    brave: {enabled: false, rate: 0.5}\n"})
	l, err := Load(Options{Dir: dir, Environ: environ(t)})
	if err != nil {
		t.Fatal(err)
	}
	brave := l.Config.Search.Providers["brave"]
	if l.Config.RunCLI.MaxOutput != 3<<19 || l.Config.RunCLI.Timeout != 90*time.Second || brave.Enabled != "false" ||
		brave.Rate != 0.5 {
		t.Errorf("%d %s %+v", l.Config.RunCLI.MaxOutput, l.Config.RunCLI.Timeout, brave)
	}
}

// No secret is printed, whatever a whole configuration is printed with.
func TestSecretsAreNeverShown(t *testing.T) {
	l, err := Load(Options{Dir: t.TempDir(), Environ: environ(t, "OPENAI_API_KEY=sk-very-secret",
		"TAVILY_API_KEY=tvly-very-secret"),
		Sets: []string{"mcp.mcpServers.x.headers.Authorization=Bearer very-secret"}})
	if err != nil {
		t.Fatal(err)
	}
	if printed := fmt.Sprintf("%v %+v %#v %v", l.Config, l.Config, l.Config, l.Settings()); strings.Contains(printed,
		"very-secret") {
		t.Error("a secret came out")
	}
	if got := l.Config.MCP.Servers["x"].Headers["Authorization"]; got.Reveal() != "Bearer very-secret" {
		t.Error("the header's value did not arrive")
	}
}

// A server cannot keep what it is told and tell everybody what it says; the mistake is
// told once, where it was made.
func TestTrustOfServers(t *testing.T) {
	load := func(yaml string) (Loaded, error) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, LocalFile), []byte(yaml), 0o600); err != nil {
			t.Fatal(err)
		}
		return Load(Options{Dir: dir, Environ: environ(t)})
	}
	l, err := load("mcp: {mcpServers: {x: {url: 'https://x.example', trust: {read_only: true, " +
		"read_only_tools: [ask], " +
		"public: true}}}}\nagents: {a: {mcp: {mcpServers: {x: {url: 'https://y.example'}}}}}")
	if err != nil {
		t.Fatal(err)
	}
	if trust := l.Config.MCP.Servers["x"].Trust; !trust.ReadOnly || len(trust.ReadOnlyTools) != 1 || trust.Private ||
		!trust.Public {
		t.Errorf("%+v", trust)
	}
	if trust := l.Config.Agents["a"].MCP.Servers["x"].Trust; trust.ReadOnly || trust.Public ||
		len(trust.ReadOnlyTools) > 0 {
		t.Errorf("another address inherits the trust: %+v", trust)
	}
	if shown := fmt.Sprint(l.Settings()); !strings.Contains(shown, "mcp.mcpServers.x.trust.read_only_tools ask ") {
		t.Errorf("not shown: %s", shown)
	}
	_, err = load("mcp: {mcpServers: {x: {url: 'https://x.example', trust: {private: true, public: " +
		"true}}}}\nagents: {a: {}}")
	if got := citewell.View(err).Message; got != "mcp.mcpServers.x.trust: private and public exclude each other" {
		t.Errorf("%q", got)
	}
	_, err = load("agents: {a: {mcp: {mcpServers: {x: {url: 'https://x.example', trust: {private: true, public: " +
		"true}}}}}}")
	if got := citewell.View(err).Message; got != "agents.a.mcp.mcpServers.x.trust: private and public exclude "+
		"each other" {
		t.Errorf("%q", got)
	}
}

func FuzzFile(f *testing.F) {
	f.Add([]byte(Template))
	f.Add([]byte("llm: {model: m, extra: {a: 1}}\nagents:\n  a: {llm: {temperature: 1}, search: " +
		"{tavily_api_base_url: " +
		"x}, mcp: {mcpServers: {s: {url: u}}}, tools: [t, {web_search_tool: {max_results: 3}}]}\ntools: " +
		"{web_search_tool: {base_class: WebSearchTool}}\n"))
	f.Add([]byte("a: &x [*x]\n"))
	f.Add([]byte("llm: {api_key: ${A:-b}}\nsearch: [1, {2: 3}]\n"))
	f.Add([]byte("search:\n  providers:\n    x: null\n  ? [a]\n  : b"))
	f.Fuzz(func(t *testing.T, content []byte) {
		name := filepath.Join(t.TempDir(), "c.yaml")
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Load(Options{File: name, Dir: t.TempDir(), Environ: []string{"XDG_CONFIG_HOME=/none"}})
		if err != nil && citewell.CodeOf(err) == citewell.CodeInternal {
			t.Errorf("an untyped error: %v", err)
		}
	})
}

// A file that is made to hang, to fill memory or to be quoted gets a short answer
// that shows none of it.
func TestHostileFiles(t *testing.T) {
	bomb := "a: &a [x, x, x, x, x, x, x, x, x]\n"
	for c := 'b'; c <= 'l'; c++ {
		bomb += fmt.Sprintf("%c: &%c [%s]\n", c, c, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*%c, ", c-1), 9),
			", "))
	}
	for name, content := range map[string]string{
		"aliases":  bomb,
		"brackets": "a: " + strings.Repeat("[", 100_000),
		"size":     strings.Repeat("key: value\n", 100_000),
		"indent":   "llm:\n  api_key: sk-very-secret\n    model: m\n",
		"quote":    "llm:\n  api_key: \"sk-very-secret\n  model: m\n",
		"twice":    "llm:\n  api_key: sk-very-secret\n  api_key: sk-very-secret\n",
	} {
		began := time.Now()
		_, err := Load(Options{Dir: workdir(t, map[string]string{LocalFile: content}), Environ: environ(t)})
		if citewell.CodeOf(err) != citewell.CodeInvalidConfig {
			t.Errorf("%s: %v, want invalid_config", name, err)
		}
		if err != nil && strings.Contains(err.Error(), "very-secret") {
			t.Errorf("%s: the error shows the key: %v", name, err)
		}
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("%s: took %s", name, took)
		}
	}
	if _, err := Load(Options{Dir: t.TempDir(), Environ: environ(t, "OPENAI_API_KEY_FILE=/dev/zero")}); citewell.CodeOf(
		err) != citewell.CodeInvalidConfig {
		t.Errorf("an endless key file gave %v", err)
	}
	if _, err := Load(Options{Dir: t.TempDir(), Environ: environ(t,
		"CITEWELL__LLM__MAX_TOKENS=sk-very-secret-key")}); err == nil || strings.Contains(err.Error(), "very-secret") {
		t.Errorf("a key in the wrong place gave %v", err)
	}
}

func TestShowHidesWhatMayBeSecret(t *testing.T) {
	l, err := Load(Options{Dir: t.TempDir(), Environ: environ(t), Sets: []string{
		"fetch.egress_proxy=http://me:very-secret@proxy.example:3128",
		"llm.base_url=http://h.example/v1?token=very-secret", "llm.extra.Authorization=very-secret"}})
	if err != nil {
		t.Fatal(err)
	}
	if shown := fmt.Sprint(l.Settings()); strings.Contains(shown, "very-secret") ||
		!strings.Contains(shown, "proxy.example:3128") {
		t.Errorf("%s", shown)
	}
}

// A program's arguments may be keys too, by the flag or the name before them.
func TestShowHidesSecretArguments(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.yaml")
	text := `mcp: {mcpServers: {mine: {command: server, args: [--root, /data, --api-key, very-secret, --auth-token=very-secret, -H, "Authorization: Bearer very-secret", API_KEY=very-secret, --verbose]}}}
server: {allowed_hosts: ["auth.example:8010"]}`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := Load(Options{File: file, Dir: t.TempDir(), Environ: environ(t)})
	if err != nil {
		t.Fatal(err)
	}
	shown := fmt.Sprint(l.Settings())
	if strings.Contains(shown, "very-secret") {
		t.Errorf("%s", shown)
	}
	for _, open := range []string{"--root, /data, --api-key, ", "--auth-token=[", "Authorization: [", "API_KEY=[",
		"], --verbose", "auth.example:8010"} {
		if !strings.Contains(shown, open) {
			t.Errorf("%q is not shown: %s", open, shown)
		}
	}
}

// The operator's tools are a section that Citewell does not know the fields of: what
// they are given may be keys all the same.
func TestShowHidesWhatToolsAreGiven(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.yaml")
	text := `tools: {mine: {url: "http://h.example/x?key=very-secret", headers: {X-Api-Key: very-secret, Accept: text/plain}, nested: [{deeper: {token: very-secret}}]}}`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := Load(Options{File: file, Dir: t.TempDir(), Environ: environ(t)})
	if err != nil {
		t.Fatal(err)
	}
	if shown := fmt.Sprint(l.Settings()); strings.Contains(shown, "very-secret") ||
		!strings.Contains(shown, "Accept=text/plain") || !strings.Contains(shown, "h.example/x") {
		t.Errorf("%s", shown)
	}
}
