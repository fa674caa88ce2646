// Package config reads Citewell's settings from flags, the environment, files and
// defaults, in this order of strength, and remembers where each came from.
//
// Flow: defaults ← file ← .env ← environment ← --set flags → tree → Config.
// Files: --config, else ./citewell.yaml, else citewell/config.yaml in the user's
// configuration folder. Every key has an environment form CITEWELL__SECTION__KEY;
// the names that users of such tools already have (OPENAI_API_KEY, ...) are read
// too. In values ${VAR} and ${VAR:-default} are expanded; a secret may also come
// from the file that NAME_FILE points to.
// Errors: invalid_config with file, line, key and the nearest known key.
// Concurrency: Load returns a value of its own; nothing is global.
package config

import (
	"fmt"
	"net/netip"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/internal/text"
)

// Config is every setting. The yaml tags are the keys; a key's default is what Default returns.
type Config struct {
	LLM         LLM                   `yaml:"llm"`
	Embedding   Embedding             `yaml:"embedding"`
	Rerank      Rerank                `yaml:"rerank"`
	Judge       Judge                 `yaml:"judge"`
	Contact     string                `yaml:"contact"` // of whoever runs this: an e-mail or a web address
	Search      Search                `yaml:"search"`
	Brief       Brief                 `yaml:"brief"`
	Fetch       Fetch                 `yaml:"fetch"`
	Weather     Endpoint              `yaml:"weather"`
	Workdir     string                `yaml:"workdir"`
	Store       Store                 `yaml:"store"`
	Budget      Budget                `yaml:"budget"`
	Execution   Execution             `yaml:"execution"`
	Language    Language              `yaml:"language"` // of agents' answers and reports
	Prompts     Prompts               `yaml:"prompts"`
	Agents      map[string]Agent      `yaml:"agents"`
	Tools       map[string]any        `yaml:"tools"`
	Toolsets    map[string][]string   `yaml:"toolsets"`
	Specialists map[string]Specialist `yaml:"specialists"`
	Routes      []Route               `yaml:"routes"`
	MCP         MCP                   `yaml:"mcp"`
	RunCLI      RunCLI                `yaml:"run_cli"`
	Confirm     map[string]Confirm    `yaml:"confirm"`
	Server      Server                `yaml:"server"`
	Telemetry   Telemetry             `yaml:"telemetry"`
}

// LLM is the chat model: any endpoint that speaks OpenAI's API.
type LLM struct {
	BaseURL          string           `yaml:"base_url"`
	APIKey           citewell.Secret  `yaml:"api_key"`
	Model            string           `yaml:"model"`
	MaxTokens        int              `yaml:"max_tokens"`
	Temperature      float64          `yaml:"temperature"`
	StructuredOutput string           `yaml:"structured_output" oneof:"auto json_schema grammar tool json_object prompt"`
	ContextWindow    string           `yaml:"context_window"` // "auto" or a number of tokens
	Price            map[string]Price `yaml:"price"`          // by model
	Proxy            string           `yaml:"proxy"`
	Extra            map[string]any   `yaml:"extra"` // sent with each request as it stands
}

// Price is what a model costs, in USD for a million tokens.
type Price struct {
	Input  float64 `yaml:"input"`
	Cached float64 `yaml:"cached"` // input that the endpoint had read before; 0 is as input
	Output float64 `yaml:"output"`
}

// Embedding is the embedding model.
type Embedding struct {
	BaseURL    string          `yaml:"base_url"`
	APIKey     citewell.Secret `yaml:"api_key"`
	Model      string          `yaml:"model"`
	Dimensions int             `yaml:"dimensions"`
}

// Rerank is the model that says which passages answer a question.
type Rerank struct {
	BaseURL string          `yaml:"base_url"` // to which /rerank is added; empty: there is none
	APIKey  citewell.Secret `yaml:"api_key"`
	Model   string          `yaml:"model"`
}

// Judge is the model that says whether a source says a statement. What it leaves out is llm's.
type Judge struct {
	BaseURL  string          `yaml:"base_url"`
	APIKey   citewell.Secret `yaml:"api_key"`
	Model    string          `yaml:"model"`
	Protocol string          `yaml:"protocol" oneof:"auto chat minicheck classify"`
	Use      string          `yaml:"use" oneof:"auto never"` // never: words alone check claims
	// auto: an MCP client's model, where there is no other
	Sampling  string `yaml:"sampling" oneof:"auto never"`
	MaxTokens int    `yaml:"max_tokens"` // of one answer; 0 is llm's
}

// Search is the providers and the bounds of an agent's searching.
type Search struct {
	// one provider alone; empty uses every one that is configured
	Engine string `yaml:"engine"`
	// whether providers without keys are asked that nobody has configured
	Open             string              `yaml:"open" oneof:"auto on off"`
	Providers        map[string]Provider `yaml:"providers"`
	Lenses           map[string]Lens     `yaml:"lenses"` // beside those that are there, or in their place
	TavilyAPIKey     citewell.Secret     `yaml:"tavily_api_key"`
	TavilyAPIBaseURL string              `yaml:"tavily_api_base_url"`
	MaxSearches      int                 `yaml:"max_searches"`
	MaxResults       int                 `yaml:"max_results"`
	// bytes of a page that one call shows an agent's model; 0: an eighth of its window
	ContentLimit int `yaml:"content_limit"`
	// of the user's texts, in what others are asked
	PrivateWords string `yaml:"private_words" oneof:"ask deny allow"`
}

// Provider is one search provider's settings.
type Provider struct {
	Enabled string          `yaml:"enabled" oneof:"auto true false"` // auto, and empty: on where nothing is missing
	APIKey  citewell.Secret `yaml:"api_key"`
	BaseURL string          `yaml:"base_url"`
	CSEID   string          `yaml:"cse_id"` // google's search engine id
	Rate    float64         `yaml:"rate"`   // requests a second; 0 means the provider's own default
	URLs    []string        `yaml:"urls"`   // of feeds
	OPML    string          `yaml:"opml"`   // a file that lists feeds
}

// Lens is where a field's own people look first, under a name that --sources takes.
type Lens struct {
	Sources []string `yaml:"sources"` // kinds; none: what a question calls for
	Sites   []string `yaml:"sites"`   // hosts; none: the whole web
	Since   string   `yaml:"since"`   // YYYY-MM-DD
	Until   string   `yaml:"until"`
}

// Brief is how web_search answers.
type Brief struct {
	Synthesis     bool      `yaml:"synthesis"`
	FallbackModel string    `yaml:"fallback_model"`
	Deadlines     Deadlines `yaml:"deadlines"`
	PerDomain     int       `yaml:"per_domain"`
}

// Deadlines bound the stages of a brief.
type Deadlines struct {
	Fanout    time.Duration `yaml:"fanout"`
	Fetch     time.Duration `yaml:"fetch"`
	Extract   time.Duration `yaml:"extract"`
	Synthesis time.Duration `yaml:"synthesis"` // 0: 10 s of silence, and to the end of total for a model on loopback
	Total     time.Duration `yaml:"total"`
}

// Fetch is how pages are got. AllowNetworks is the operator's word that some
// private addresses may be read; it never comes from a model, a caller or a page.
type Fetch struct {
	UserAgent     string           `yaml:"user_agent"`
	RespectRobots bool             `yaml:"respect_robots"`
	AllowNetworks []egress.Network `yaml:"allow_networks"`
	DenyNetworks  []netip.Prefix   `yaml:"deny_networks"`
	AllowPorts    []uint16         `yaml:"allow_ports"`
	// FollowIntoNetworks lets redirects of public pages, and public DNS names that a search
	// result or a page gave, lead into AllowNetworks too.
	FollowIntoNetworks bool          `yaml:"follow_into_networks"`
	EgressProxy        string        `yaml:"egress_proxy"`
	CacheTTL           time.Duration `yaml:"cache_ttl"`
	Archive            Archive       `yaml:"archive"`
}

// Archive is where copies of pages that are gone are looked for. It is told their addresses.
type Archive struct {
	// who may: nobody; who asks for a copy; any fetch of a page that was named; reading search results too
	Use     string  `yaml:"use" oneof:"off asked fetch search"`
	BaseURL string  `yaml:"base_url"`
	Rate    float64 `yaml:"rate"` // requests a second; 0 means what the Wayback Machine lets in
}

// Endpoint is an API with a key.
type Endpoint struct {
	APIKey  citewell.Secret `yaml:"api_key"`
	BaseURL string          `yaml:"base_url"`
}

// Store is where things are kept.
type Store struct {
	URL       string `yaml:"url"`        // sqlite, sqlite:DIR or postgres://...
	ListenURL string `yaml:"listen_url"` // of the same database without a pooler between; url where empty
	Knowledge string `yaml:"knowledge"`  // same or weaviate://...
}

// Budget is the wall that a run never passes. 0 means none.
type Budget struct {
	Tokens   int           `yaml:"tokens"`
	USD      string        `yaml:"usd"` // "none" or an amount
	WallTime time.Duration `yaml:"wall_time"`
	Searches int           `yaml:"searches"`
	Fetches  int           `yaml:"fetches"`
}

// Execution bounds an agent's loop.
type Execution struct {
	MaxIterations      int    `yaml:"max_iterations"`
	MaxClarifications  int    `yaml:"max_clarifications"`
	MCPContextLimit    int    `yaml:"mcp_context_limit"`
	StreamingGenerator string `yaml:"streaming_generator" oneof:"openai open_webui"`
	ReportsDir         string `yaml:"reports_dir"`
	LogsDir            string `yaml:"logs_dir"`
	PlanApproval       string `yaml:"plan_approval" oneof:"none ask"`
}

// A Language is the code of one, or "auto": that of the task. It may be set by its name.
type Language string

// UnmarshalText reads a code or a name.
func (l *Language) UnmarshalText(b []byte) error {
	if *l = "auto"; len(b) == 0 || strings.EqualFold(string(b), "auto") {
		return nil
	}
	if *l = Language(text.ParseLanguage(string(b))); *l == "" {
		return fmt.Errorf("%.60q is no language that is known", b)
	}
	return nil
}

// Code is the language's code, empty for "auto".
func (l Language) Code() string {
	if l == "auto" {
		return ""
	}
	return string(l)
}

// Prompts replace an agent's own; a string wins over a file.
type Prompts struct {
	SystemPromptFile          string `yaml:"system_prompt_file"`
	InitialUserRequestFile    string `yaml:"initial_user_request_file"`
	ClarificationResponseFile string `yaml:"clarification_response_file"`
	SystemPromptStr           string `yaml:"system_prompt_str"`
	InitialUserRequestStr     string `yaml:"initial_user_request_str"`
	ClarificationResponseStr  string `yaml:"clarification_response_str"`
}

// Specialist is a model with a purpose, for specialists_infer; what it leaves out comes from llm.
type Specialist struct {
	Description     string          `yaml:"description"`
	BaseURL         string          `yaml:"base_url"`
	APIKey          citewell.Secret `yaml:"api_key"`
	Model           string          `yaml:"model"`
	System          string          `yaml:"system"`
	ReasoningEffort string          `yaml:"reasoning_effort" oneof:"low medium high"`
	Paused          bool            `yaml:"paused"` // kept, but not offered
	Extra           map[string]any  `yaml:"extra"`
}

// Route sends a prompt to a specialist: the first whose words or expressions are in
// it. Words are compared without case.
type Route struct {
	Name     string   `yaml:"name"`
	Contains []string `yaml:"contains"`
	Regex    []string `yaml:"regex"`
}

// MCP names the remote MCP servers.
type MCP struct {
	Servers map[string]MCPServer `yaml:"mcpServers"`
}

// MCPServer is reached by URL, or started as a command.
type MCPServer struct {
	URL     string                     `yaml:"url"`
	Headers map[string]citewell.Secret `yaml:"headers"`
	Command string                     `yaml:"command"`
	Args    []string                   `yaml:"args"`
	Env     map[string]citewell.Secret `yaml:"env"`
	Trust   Trust                      `yaml:"trust"`
}

// Trust is what the operator says of an MCP server; what it says of itself binds nobody.
type Trust struct {
	ReadOnly      bool     `yaml:"read_only"`       // its tools that it calls read-only are
	ReadOnlyTools []string `yaml:"read_only_tools"` // these are, by its names, whatever it says
	Private       bool     `yaml:"private"`         // what it is told stays with the operator
	Public        bool     `yaml:"public"`          // what it says may be told to anybody
}

// RunCLI is what run_cli may start.
type RunCLI struct {
	Workdir    string        `yaml:"workdir"`
	Allow      []string      `yaml:"allow"`
	Block      []string      `yaml:"block"`
	Timeout    time.Duration `yaml:"timeout"`
	MaxTimeout time.Duration `yaml:"max_timeout"`
	MaxOutput  Bytes         `yaml:"max_output"`
	Network    bool          `yaml:"network"`
	Wall       string        `yaml:"wall" oneof:"auto off"` // off runs programs without one where the kernel has none
}

// Confirm says whether a tool asks before it acts.
type Confirm string

// The three answers to "may it act?".
const (
	ConfirmAsk   Confirm = "ask"
	ConfirmAllow Confirm = "allow"
	ConfirmDeny  Confirm = "deny"
)

// ServerLimits bound what is done and answered at once; 0 leaves it to the part that does
// it. The first two hold for whatever executes runs or asks a model, serve or not.
type ServerLimits struct {
	Runs int `yaml:"runs"` // executed; 256
	// to one endpoint, of all processes that share the store; 256 of each where it is not set
	ModelCalls     int `yaml:"model_calls"`
	OpenAIRequests int `yaml:"openai_requests"` // of OpenAI's API that are followed; 256
	RunStreams     int `yaml:"run_streams"`     // of events of runs; 2048
	QueuedRuns     int `yaml:"queued_runs"`     // of one token, that wait to be executed; 1000
}

// Server is what serve listens on and whom it lets in.
type Server struct {
	Listen         string       `yaml:"listen"`
	TokensFile     string       `yaml:"tokens_file"`
	AllowedHosts   []string     `yaml:"allowed_hosts"`
	AllowedOrigins []string     `yaml:"allowed_origins"`
	Limits         ServerLimits `yaml:"limits"`
}

// Bytes is a size; in YAML a number or one with KiB, MiB or GiB.
type Bytes int64

// Default returns the settings of an empty configuration.
func Default() Config {
	return Config{
		LLM:    LLM{MaxTokens: 8000, Temperature: 0.4, StructuredOutput: "auto", ContextWindow: "auto"},
		Judge:  Judge{Protocol: "auto", Use: "auto", Sampling: "auto"},
		Search: Search{Open: "auto", MaxSearches: 4, MaxResults: 10, PrivateWords: "ask"},
		Brief: Brief{Synthesis: true, PerDomain: 2, Deadlines: Deadlines{
			Fanout: 5 * time.Second, Fetch: 6 * time.Second, Extract: 2 * time.Second, Total: 25 * time.Second}},
		Fetch: Fetch{RespectRobots: true, AllowPorts: []uint16{80, 443}, CacheTTL: 10 * time.Minute,
			Archive: Archive{Use: "fetch"}},
		Workdir:  "./",
		Store:    Store{URL: "sqlite", Knowledge: "same"},
		Budget:   Budget{Tokens: 500_000, USD: "none", WallTime: 30 * time.Minute, Searches: 20, Fetches: 60},
		Language: "auto",
		Execution: Execution{PlanApproval: "none", MaxIterations: 10, MaxClarifications: 3, MCPContextLimit: 15_000,
			StreamingGenerator: "openai", ReportsDir: "DATA/reports", LogsDir: "DATA/logs"},
		RunCLI:  RunCLI{Timeout: 30 * time.Second, MaxTimeout: 300 * time.Second, MaxOutput: 256 << 10, Wall: "auto"},
		Confirm: map[string]Confirm{"http_post": ConfirmAsk, "run_cli": ConfirmAsk},
		Server:  Server{Listen: "127.0.0.1:8010"},
		// As parentbased_always_on, OpenTelemetry's default, and sample alone says what it seems to.
		Telemetry: Telemetry{ServiceName: "citewell", Traces: Traces{Sampler: "parentbased_traceidratio", Sample: 1}},
	}
}
