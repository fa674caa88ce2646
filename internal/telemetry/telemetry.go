// Package telemetry reports to operators what a process does: counts, which a scraper reads, and spans, which go to a
// collector if one is configured.
//
// Flow: calls of the parts → Hear… → both. doc/ops.md lists the metrics.
// Words: labels and attributes are names of configured providers, models and agents, route patterns, codes and numbers.
// Queries and whole URLs go only to a collector, and only if the operator allows it.
// Errors: invalid_config for settings of traces.
// Concurrency: a Telemetry serves many goroutines.
// Why: doc/decision/0043-traces.md
package telemetry

import (
	"context"
	"log/slog"
	"time"

	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/internal/config"
	"github.com/citewell/citewell/internal/metrics"
	"github.com/citewell/citewell/internal/places"
	"github.com/citewell/citewell/internal/runstore"
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
	CountRuns   func(context.Context) (map[runstore.RunState]int, error) // of the store, by state
	LongestWait func(context.Context) (time.Duration, error)             // of the runs that wait for an executor
	LeftAlone   func() map[string]bool                                   // providers, and whether they are not asked
	Readers     func() places.State
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
