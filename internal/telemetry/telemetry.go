// Package telemetry tells operators what a process does: counts, which a scraper reads, and spans, which go
// to a collector where one is configured.
//
// Flow: what parts tell of their calls → Hear… → both. doc/ops.md lists the metrics.
// Words: labels and attributes are names of providers, models and agents of the configuration, patterns of
// routes, codes and numbers. Queries and whole URLs are told to a collector alone, where the operator says so.
// Errors: invalid_config for settings of traces.
// Concurrency: a Telemetry serves many goroutines.
// Why: doc/decision/0043-traces.md
package telemetry

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/citewell/citewell/agent"
	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/extract"
	"github.com/citewell/citewell/fetch"
	"github.com/citewell/citewell/internal/config"
	"github.com/citewell/citewell/internal/metrics"
	"github.com/citewell/citewell/llm"
	"github.com/citewell/citewell/search"
	"github.com/citewell/citewell/store"
)

// Options say what is told, and of whom.
type Options struct {
	Config  config.Config
	Version string
	Command string // that the process does and then ends; empty where it serves
	Guard   *egress.Guard
	Silent  bool // no spans are told: they would stand in a recording
	State   State
	Log     *slog.Logger
}

// State is what is read at each scrape.
type State struct {
	CountRuns   func(context.Context) (map[store.RunState]int, error) // of the store, by state
	LongestWait func(context.Context) (time.Duration, error)          // of the runs that wait for an executor
	LeftAlone   func() map[string]bool                                // providers, and whether they are not asked
	Readers     func() extract.PlacesState
}

// A Telemetry counts and tells.
type Telemetry struct {
	counts
	spans
}

// New begins to count, and to tell of spans where an endpoint is configured.
func New(o Options) (*Telemetry, error) {
	s, err := newSpans(o)
	if err != nil {
		return nil, err
	}
	t := &Telemetry{counts: counts{set: metrics.New(o.Log), models: namedModels(o.Config)}, spans: s}
	t.counts.make(o, s.tracer)
	return t, nil
}

// Metrics are what is counted.
func (t *Telemetry) Metrics() *metrics.Set { return t.set }

// HearModel is an llm.EndpointsOptions.Heard.
func (t *Telemetry) HearModel(ctx context.Context, x llm.Exchange) {
	t.countModel(x)
	t.tellModel(ctx, x)
}

// HearProvider is a search.Gates.Heard.
func (t *Telemetry) HearProvider(ctx context.Context, x search.Exchange) {
	t.countProvider(x)
	t.tellProvider(ctx, x)
}

// HearFetch is a fetch.Options.Heard.
func (t *Telemetry) HearFetch(ctx context.Context, x fetch.Exchange) {
	t.countFetch(x)
	t.tellFetch(ctx, x)
}

// HearEnd hears of a run as job.ExecutorOptions.Ended does.
func (t *Telemetry) HearEnd(run store.Run, r agent.Result) {
	t.countEnd(run, r)
	t.tellEnd(run, r)
}

// HearRequest is a server.Options.Watch.
func (t *Telemetry) HearRequest(r *http.Request) (*http.Request, func(route string, status int)) {
	began := time.Now()
	r, tell := t.tellRequest(r)
	return r, func(route string, status int) {
		t.countResponse(route, status, time.Since(began))
		tell(route, status)
	}
}
