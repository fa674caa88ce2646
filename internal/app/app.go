// Package app is the parts list: the one place that knows every part. It maps the
// configuration to each package's Options and opens what must be open.
//
// Flow: config.Loaded → Open → App → Close.
// Errors: invalid_config, store_failed, unknown_provider, provider_not_configured.
// Concurrency: an App serves many goroutines; Close waits for none of them.
package app

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"runtime"
	"slices"
	"sync"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/brief"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/extract"
	"github.com/citewell/citewell/fetch"
	"github.com/citewell/citewell/internal/agentplan"
	"github.com/citewell/citewell/internal/config"
	"github.com/citewell/citewell/internal/judge"
	"github.com/citewell/citewell/internal/program"
	"github.com/citewell/citewell/internal/replay"
	"github.com/citewell/citewell/internal/server/access"
	"github.com/citewell/citewell/internal/turns"
	"github.com/citewell/citewell/library"
	"github.com/citewell/citewell/llm"
	"github.com/citewell/citewell/search"
	"github.com/citewell/citewell/search/provider"
	"github.com/citewell/citewell/tool/builtin"
	"github.com/citewell/citewell/tool/mcptools"
)

// Options say what to build from.
type Options struct {
	Config       config.Loaded
	Version      string
	Log          io.Writer  // where the log goes, without secrets; nil drops it
	LogLevel     slog.Level // from which on
	LogFormat    LogFormat
	WithoutStore bool     // for what reads and writes nothing: App.Store is then nil
	StoreIsThere bool     // not_found where there is no store yet, which is made else
	Record       string   // a file to be made: what passes between the App and the network is written there
	Command      string   // that the process does and then ends; empty where it serves
	Replay       string   // such a file: the App is answered from it, and nothing reaches the network
	Samples      []string // questions that a page without any offers
}

// An App holds the open parts, as one tenant has them: Open returns that of the operator at the
// machine, and Room those of others.
type App struct {
	*parts
	tenant string
	Store  Kept // what the tenant keeps; nil for Options.WithoutStore

	// What is made over Store when it is first wanted.
	runsOnce  sync.Mutex
	runs      *Runs
	kitOnce   sync.Mutex
	kitTools  *builtin.Registry // Citewell's tools for agents
	frontOnce sync.Mutex
	programs  func() (*program.Programs, error) // what run_cli may run, found once
	front     *front
}

// parts are what all tenants share: what leads outside, and the limits of the process.
type parts struct {
	Config    config.Config
	Guard     *egress.Guard
	Cache     pageCache // nil where it cannot be opened
	Fetch     *fetch.Client
	Extract   *extract.Extractor
	readers   *extract.Places // of all Extractors
	Models    []*llm.Client
	Embedding *llm.Embeddings // nil where none is configured
	Reranker  *llm.Reranker   // nil where none is configured
	Judge     *judge.Judge    // nil where there is none, or judge.use is never
	DataDir   string

	gates      search.Gates   // every search of this process keeps to the same limits
	endpoints  *llm.Endpoints // what is known of the models' endpoints
	userAgent  string
	version    string
	command    string // Options.Command
	paths      config.Paths
	tokensFile string
	configFile string // empty where there is none
	remoteOnce sync.Mutex
	remotes    map[string]*mcptools.Set // made when a tool of a server is wanted
	log        *slog.Logger
	db         backend // nil for Options.WithoutStore
	guarding   egress.Options
	modelGuard *egress.Guard    // of what goes to the chat model's host
	recorder   *replay.Recorder // nil without Options.Record
	player     *replay.Player   // nil without Options.Replay
	counted    *counted
	lastCalls  lastCalls
	spans      spans
	rooms      rooms
	quotas     quotas
	places     *turns.Turns // of runs that are executed at once
	samples    []string     // Options.Samples

	agentNames  []string // of the configured agents, in the order of the files
	agentModels agentModels
}

// Open builds the parts. The caller closes the App.
func Open(ctx context.Context, o Options) (*App, error) {
	c := inForce(o.Config.Config)
	a := &App{tenant: access.DefaultTenant, parts: &parts{Config: c, log: slog.New(slog.DiscardHandler), userAgent: c.Fetch.UserAgent, version: o.Version, command: o.Command, paths: o.Config.Paths,
		tokensFile: TokensFile(o.Config), configFile: o.Config.File, agentNames: agentplan.Names(o.Config), places: turns.New(c.Server.Limits.Runs), samples: o.Samples}}
	a.rooms.begin(a)
	if o.Log != nil {
		a.log = slog.New(o.LogFormat.handler(NewRedactor(c).Writer(o.Log), &slog.HandlerOptions{Level: o.LogLevel}))
	}
	a.programs = sync.OnceValues(a.findPrograms)
	a.counted = a.count()
	a.userAgent = cmp.Or(a.userAgent, "Citewell/"+o.Version+" (+https://github.com/citewell/citewell)")
	var err error
	if a.DataDir, err = dataDir(c.Store.URL, o.Config.Paths.Data); err != nil {
		return nil, err
	}
	guarding := egress.Options{
		AllowNetworks: c.Fetch.AllowNetworks, DenyNetworks: c.Fetch.DenyNetworks,
		AllowPorts: c.Fetch.AllowPorts, FollowIntoNetworks: c.Fetch.FollowIntoNetworks, ProxyURL: c.Fetch.EgressProxy, Audit: a.audit,
	}
	if err := a.guard(guarding); err != nil {
		return nil, err
	}
	if err := checkModels(c, a.modelGuard); err != nil {
		return nil, err
	}
	if err := a.tape(o, guarding); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	if err := a.trace(); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	a.gates.Heard, a.gates.Allow = both(both(both(a.counted.hearProvider, a.spans.hearProvider), a.chargeSearch), a.lastCalls.hear), a.allow("searches")
	hearModel := both(a.counted.hearModel, a.spans.hearModel)
	if !o.WithoutStore {
		if a.db, err = a.openBackend(ctx, c.Store, o.StoreIsThere); err != nil {
			return nil, errors.Join(err, a.Close())
		}
		a.Store = a.db.Tenant(a.tenant)
		a.gates.Pace = a.Store // of all tenants: a service knows no more of them than an address
	}
	// The cache is disposable: where it cannot be opened, the work goes on without. What
	// came from it would stand in no recording.
	if a.recorder != nil || a.player != nil {
		a.log.Info("no cache", "recorded", a.recorder != nil, "replayed", a.player != nil)
	} else if cache, err := a.openCache(ctx, o.Config.Paths.Cache); err != nil {
		a.log.Warn("no cache", "error", err)
	} else {
		a.Cache = cache
	}
	var vectors llm.Cache // nil without a cache, not a cache that is nil
	if a.Cache != nil {
		vectors = a.Cache
		if a.gates.Cache, err = newCacheSpace(a.Cache, "services", c.Search.Providers); err != nil {
			return nil, errors.Join(err, a.Close())
		}
	}
	a.endpoints = a.modelEndpoints(vectors, o.Config.Config.Server.Limits.ModelCalls > 0, both(hearModel, a.chargeModel))
	if a.Models, err = models(c, a.modelGuard, a.endpoints); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	if a.Embedding, err = embedding(c, a.Guard, a.modelGuard, vectors, hearModel); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	if a.Reranker, err = reranker(c, a.Guard, a.modelGuard, hearModel); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	if a.Judge, err = a.judge(c, vectors, hearModel); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	if a.Fetch, err = a.fetcher(c); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	a.readers = extract.NewPlaces(runtime.GOMAXPROCS(0))
	a.Extract = extract.New(a.extracting())
	return a, nil
}

// modelEndpoints bound the calls to the endpoint of a model: where the bound was chosen, those of
// all processes that share the store together. One that nobody chose costs no writes.
func (a *App) modelEndpoints(cache llm.Cache, chosen bool, heard func(context.Context, llm.Exchange)) *llm.Endpoints {
	o := llm.EndpointsOptions{Cache: cache, Parallel: a.Config.Server.Limits.ModelCalls, Heard: heard, Allow: a.allow("tokens", "usd")}
	if chosen && a.db != nil { // of all tenants: an endpoint knows no more of them than an address
		o.Pace = a.Store
		o.Alone = func(_ context.Context, err error) {
			a.log.Warn("other processes may ask the same model at the same time", "error", err)
		}
	}
	return llm.NewEndpoints(o)
}

// fetcher fetches pages, with the manners of all processes that share the store.
func (a *App) fetcher(c config.Config) (*fetch.Client, error) {
	o := fetch.Options{Guard: a.Guard, UserAgent: a.userAgent, IgnoreRobots: !c.Fetch.RespectRobots, CacheTTL: c.Fetch.CacheTTL, Heard: both(a.counted.hearFetch, a.spans.hearFetch),
		AgentAt: provider.Deps{UserAgent: a.userAgent, Contact: c.Contact}.AgentAt}
	var err error
	if o.Archive, err = webArchive(c.Fetch.Archive); err != nil {
		return nil, err
	}
	if a.db != nil { // of all tenants: a host knows no more of them than an address
		o.Pace = a.Store
		o.Alone = func(_ context.Context, err error) {
			a.log.Warn("other processes may ask the same hosts at the same time", "error", err)
		}
	}
	if a.Cache != nil && c.Fetch.CacheTTL != 0 { // 0: no page comes from the cache
		if o.Cache, err = newCacheSpace(a.Cache, pageSettings(c)); err != nil {
			return nil, err
		}
	}
	return fetch.New(o), nil
}

func (a *App) extracting() extract.Options {
	return extract.Options{Timeout: a.Config.Brief.Deadlines.Extract, Places: a.readers}
}

// whole is an extractor that keeps all that a page shows.
func (a *App) whole() *extract.Extractor {
	o := a.extracting()
	o.Whole = true
	return extract.New(o)
}

// Close closes what is open.
func (a *App) Close() error {
	var err error
	for _, set := range a.remotes {
		set.Close()
	}
	a.agentModels.close()
	a.closeTraces()
	a.Guard.CloseIdleConnections()
	a.modelGuard.CloseIdleConnections()
	if a.Cache != nil {
		err = a.Cache.Close()
	}
	if a.db != nil {
		err = errors.Join(err, a.db.Close())
	}
	if a.recorder != nil { // last: the others may still end exchanges
		if lost := a.recorder.Close(); lost != nil {
			a.log.Error("the recording is not whole", "error", lost)
			err = errors.Join(err, lost)
		}
	}
	return err
}

// audit logs what the guard refused, with the address that no caller is told.
func (a *App) audit(e egress.AuditEvent) {
	if !e.Allowed {
		a.log.Info("address refused", "host", e.Host, "address", e.Addr, "reason", e.Reason)
	}
}

// guard makes the guard, and that of what goes to the chat model's host: a proxy of the
// model's own takes the place of the one for everything.
func (a *App) guard(o egress.Options) error {
	var err error
	if a.Guard, err = egress.NewGuard(o); err != nil {
		return err
	}
	a.guarding = o
	a.modelGuard, err = a.behind(a.Config.LLM.Proxy, "llm.proxy")
	return err
}

// behind is the guard of what goes to a model by a proxy of its own; the guard of
// everything where there is none.
func (a *App) behind(proxy, key string) (*egress.Guard, error) {
	if proxy == "" {
		return a.Guard, nil
	}
	guard, err := egress.NewGuard(egress.Options{DenyNetworks: a.guarding.DenyNetworks, ProxyURL: proxy, Wrap: a.guarding.Wrap, Offline: a.guarding.Offline})
	if err != nil {
		return nil, &citewell.Error{Code: citewell.CodeInvalidConfig, Op: "config",
			Message: key + " cannot be used", Hint: "an http or https proxy, as in http://127.0.0.1:3128", Err: err}
	}
	return guard, nil
}

// Library indexes the user's own documents.
func (a *App) Library() *library.Library {
	return library.New(library.Options{Fetcher: a.Fetch, Extract: a.Extract.Extract, Reader: extract.Version, Store: a.Store, Meanings: a.meanings()})
}

// meanings are the vectors of the user's own documents.
func (a *App) meanings() *library.Meanings {
	if a.Embedding == nil {
		return library.NewMeanings(a.Store, a.Store, nil)
	}
	return library.NewMeanings(a.Store, a.Store, a.Embedding)
}

// Brief returns a Writer of briefs over the given sources of results.
func (a *App) Brief(ctx context.Context, s agentplan.Sources) (*brief.Writer, error) {
	o, err := a.briefOptions(ctx, s)
	if err != nil {
		return nil, err
	}
	return brief.New(o), nil
}

// briefOptions are the parts of a writer of briefs.
func (a *App) briefOptions(ctx context.Context, s agentplan.Sources) (brief.Options, error) {
	providers, err := a.providers(ctx, s)
	if err != nil {
		return brief.Options{}, err
	}
	known, err := lenses(a.Config.Search)
	if err != nil {
		return brief.Options{}, err
	}
	d := a.Config.Brief.Deadlines
	o := brief.Options{
		Lenses:    known,
		Named:     named(a.Config.Search, s),
		Providers: providers, Fetcher: a.Fetch, Extract: a.Extract.Extract, Archive: a.Store, Copies: a.readsCopies(), PerDomain: a.Config.Brief.PerDomain, Language: a.Config.Language.Code(),
		Deadlines: brief.Deadlines{Fanout: d.Fanout, Fetch: d.Fetch, Extract: d.Extract, Synthesis: d.Synthesis, Total: d.Total},
		Log:       func(message string, err error) { a.log.Warn(message, "error", err) },
	}
	local := slices.ContainsFunc(providers, func(p search.Provider) bool { return p.Name() == localProvider })
	if a.Cache != nil && !local { // the user's own documents may have changed a moment ago
		if o.Cache, err = newCacheSpace(a.Cache, briefSettings(a.Config, a.StorePlace(), a.tenant)); err != nil {
			return o, err
		}
	}
	if a.Embedding != nil {
		o.Embedder = a.Embedding
	}
	if a.Reranker != nil {
		o.Reranker = a.Reranker
	}
	if a.Config.Brief.Synthesis {
		for _, m := range a.Models {
			o.Models = append(o.Models, m)
		}
	}
	if o.Judge = a.AskJudge(); a.Judge != nil {
		o.JudgeReport = a.Judge.Report
	}
	return o, nil
}

// Archive gives cite.Verify what the store keeps; nil without a store.
func (a *App) Archive() cite.Archive {
	if a.Store == nil {
		return nil
	}
	return archive{a.Store}
}

type archive struct{ Kept }

func (a archive) Passage(ctx context.Context, id string) (cite.Record, error) {
	r, err := a.Kept.Passage(ctx, id)
	return cite.Record(r), err
}
