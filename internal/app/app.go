// Package app connects the parts: it is the one place that knows all of them. It maps the configuration to each
// package's Options and opens the store and the models.
//
// Flow: config.Loaded → Open → App → Close. Each group of parts has a file with its constructor: settings, network,
// backend, models, reading.
// Errors: invalid_config, store_failed, unknown_provider, provider_not_configured.
// Concurrency: an App serves many goroutines; Close waits for none of them.
package app

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"time"

	"github.com/citewell/citewell/internal/backend"
	"github.com/citewell/citewell/internal/config"
	"github.com/citewell/citewell/internal/places"
	"github.com/citewell/citewell/internal/program"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/server/access"
	"github.com/citewell/citewell/internal/server/quota"
	"github.com/citewell/citewell/internal/server/status"
	"github.com/citewell/citewell/internal/telemetry"
	"github.com/citewell/citewell/internal/tool/builtin"
	"github.com/citewell/citewell/internal/tool/mcptools"
	"github.com/citewell/citewell/internal/turns"
	"github.com/citewell/citewell/llm"
	"github.com/citewell/citewell/search"
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
	Store  backend.Kept // what the tenant keeps; nil for Options.WithoutStore

	// What is made over Store when it is first wanted.
	runs     once[*Runs]
	kit      once[*builtin.Registry] // Citewell's tools for agents
	front    once[*front]
	programs func() (*program.Programs, error) // what run_cli may run
}

// parts are what all tenants share: what leads outside, and the limits of the process.
type parts struct {
	settings
	network
	models
	reading
	Cache     backend.Cache // nil where it cannot be opened
	DB        backend.Store // of all tenants; nil for Options.WithoutStore
	gates     search.Gates
	telemetry *telemetry.Telemetry
	lastCalls status.LastCalls
	clients   once[*llm.Client]   // of agents, one for each way of asking
	remotes   once[*mcptools.Set] // of MCP servers, made when a tool of theirs is wanted
	places    *turns.Turns        // of runs that are executed at once
	rooms     rooms
	quotas    quota.Quotas
}

// Open builds the parts. The caller closes the App.
func Open(ctx context.Context, o Options) (_ *App, err error) {
	s, err := newSettings(o)
	if err != nil {
		return nil, err
	}
	n, err := newNetwork(s, o)
	if err != nil {
		return nil, err
	}
	p := &parts{settings: s, network: n, places: turns.New(s.Config.Server.Limits.Runs),
		quotas: quota.Quotas{File: s.tokensFile}}
	a := newRoom(p, access.DefaultTenant, nil)
	p.rooms.begin(a)
	defer func() {
		if err != nil {
			err = errors.Join(err, a.Close())
		}
	}()
	if p.telemetry, err = p.newTelemetry(); err != nil {
		return nil, err
	}
	p.gates.Allow, p.gates.Heard = a.allow(quota.Searches), func(ctx context.Context, x search.Exchange) {
		p.telemetry.HearProvider(ctx, x)
		if x.Asked {
			a.charge(ctx, runstore.Spent{Searches: 1})
		}
		p.lastCalls.Hear(x)
	}
	if !o.WithoutStore {
		if p.DB, err = backend.Open(ctx, backend.Options{URL: s.Config.Store.URL, ListenURL: s.Config.Store.ListenURL,
			Dir: s.DataDir, Command: s.command, IsThere: o.StoreIsThere, Log: s.log}); err != nil {
			return nil, err
		}
		a.Store = p.DB.Tenant(a.tenant)
		p.gates.Pace = a.Store // of all tenants: a service knows no more of them than an address
	}
	// The cache is disposable: where it cannot be opened, the work goes on without. What
	// came from it would stand in no recording.
	if n.taped() {
		s.log.Info("no cache", "recorded", n.recorder != nil, "replayed", n.player != nil)
	} else if cache, err := backend.OpenCache(ctx, p.DB, s.paths.Cache); err != nil {
		s.warn("no cache", err)
	} else {
		p.Cache = cache
	}
	var vectors llm.Cache // nil without a cache, not a cache that is nil
	if p.Cache != nil {
		vectors = p.Cache
		if p.gates.Cache, err = newCacheSpace(p.Cache, "services", s.Config.Search.Providers); err != nil {
			return nil, err
		}
	}
	shared := o.Config.Config.Server.Limits.ModelCalls > 0
	if p.models, err = newModels(s, n, a.modelEndpoints(vectors, shared), vectors, p.telemetry.HearModel); err != nil {
		return nil, err
	}
	p.reading, err = newReading(s, n, a.Store, p.Cache, p.telemetry.HearFetch)
	return a, err
}

// newTelemetry begins to tell of the parts, which are read when a scraper asks.
func (p *parts) newTelemetry() (*telemetry.Telemetry, error) {
	return telemetry.New(telemetry.Options{Config: p.Config, Version: p.version, Command: p.command, Guard: p.Guard,
		Silent: p.taped(), Log: p.log, State: telemetry.State{
			CountRuns:   func(ctx context.Context) (map[runstore.RunState]int, error) { return p.DB.CountRuns(ctx) },
			LongestWait: func(ctx context.Context) (time.Duration, error) { return p.DB.LongestWait(ctx) },
			LeftAlone:   p.gates.LeftAlone,
			Readers:     func() places.State { return p.readers.State() },
		}})
}

// modelEndpoints bound the calls to the endpoint of a model: those of all processes that share the
// store together where the operator chose the bound. One that nobody chose costs no writes.
func (a *App) modelEndpoints(cache llm.Cache, shared bool) *llm.Endpoints {
	o := llm.EndpointsOptions{Cache: cache, Parallel: a.Config.Server.Limits.ModelCalls,
		Allow: a.allow(quota.Tokens, quota.USD),
		Heard: func(ctx context.Context, x llm.Exchange) {
			a.telemetry.HearModel(ctx, x)
			a.charge(ctx, runstore.Spent{Tokens: int64(x.Input + x.Output), USD: x.USD})
		}}
	if shared && a.Store != nil { // of all tenants: an endpoint knows no more of them than an address
		o.Pace, o.Alone = a.Store, a.alone("ask the same model at the same time")
	}
	return llm.NewEndpoints(o)
}

// Close closes what is open.
func (a *App) Close() error {
	var err error
	a.remotes.each((*mcptools.Set).Close)
	a.clients.each((*llm.Client).Close)
	if a.telemetry != nil {
		a.telemetry.Close()
	}
	a.Guard.CloseIdleConnections()
	a.modelGuard.CloseIdleConnections()
	if a.Cache != nil {
		err = a.Cache.Close()
	}
	if a.DB != nil {
		err = errors.Join(err, a.DB.Close())
	}
	if a.recorder != nil { // last: the others may still end exchanges
		if lost := a.recorder.Close(); lost != nil {
			a.log.Error("the recording is not whole", "error", lost)
			err = errors.Join(err, lost)
		}
	}
	return err
}
