package telemetry

import (
	"cmp"
	"context"
	"strconv"

	"github.com/citewell/citewell/internal/config"
	"github.com/citewell/citewell/internal/metrics"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/trace"
	"github.com/citewell/citewell/llm"
)

// counts are the metrics that something in the process adds to.
type counts struct {
	set    *metrics.Set
	models []string // that the configuration names

	runs      runCounts
	model     timed
	tokens    *metrics.Counter
	provider  timed
	fetch     timed
	bytes     *metrics.Counter
	responses timed
}

// runCounts are what is counted of runs.
type runCounts struct {
	begun, taken, ended, usd, searches, fetches *metrics.Counter
	seconds                                     *metrics.Histogram
}

// timed counts things of one kind, and how long each took.
type timed struct {
	count   *metrics.Counter
	seconds *metrics.Histogram
}

// unnamed is the label of a model or route that is not of a closed set.
const unnamed = "other"

// make makes the metrics.
func (m *counts) make(o Options, tracer *trace.Tracer) {
	s := m.set
	s.Process(o.Version)
	m.makeRuns(o)
	m.model.count = s.Counter("citewell_model_requests_total",
		"Requests to models; retries are not counted separately.", "kind", "model", "outcome")
	m.model.seconds = s.Histogram("citewell_model_request_seconds",
		"Time of a request to a model until its last word, with retries and waits.", metrics.Seconds, "kind", "model")
	m.tokens = s.Counter("citewell_model_tokens_total",
		"Tokens of chats, by the endpoint's count, or by Citewell's if it gives none.", "model", "direction")
	m.provider.count = s.Counter("citewell_provider_calls_total",
		"Calls of providers; retries are not counted separately. A call that was not made has the code that "+
			"prevented it.",
		"provider", "outcome")
	m.provider.seconds = s.Histogram("citewell_provider_call_seconds",
		"Time of a call of a provider, with retries and waits.", metrics.Seconds, "provider")
	s.Gauge("citewell_provider_left_alone",
		"1 while a provider is not asked because its last calls failed or it asked to wait.", []string{"provider"},
		func(_ context.Context, set func(float64, ...string)) error {
			for name, alone := range o.State.LeftAlone() {
				set(asNumber(alone), name)
			}
			return nil
		})
	m.fetch.count = s.Counter("citewell_fetches_total", "Requests for pages.", "outcome", "cached")
	m.fetch.seconds = s.Histogram("citewell_fetch_seconds",
		"Time to fetch a page, with waits and redirects.", metrics.Seconds)
	m.bytes = s.Counter("citewell_fetch_bytes_total",
		"Decoded bytes of pages that were read, without those from the cache.")
	s.Gauge("citewell_readers",
		"Places for readers of pages: all, busy, lost (kept by a late reader); late counts readers past their time.",
		[]string{"state"},
		func(_ context.Context, set func(float64, ...string)) error {
			p := o.State.Readers()
			for state, n := range map[string]int{"all": p.All, "busy": p.Busy, "late": p.Late, "lost": p.Lost} {
				set(float64(n), state)
			}
			return nil
		})
	s.CounterOf("citewell_readers_overran_total", "Readers that ran longer than their page allows.",
		func() float64 { return float64(o.State.Readers().Overran) })
	s.Gauge("citewell_limit", "Limits in force, by configuration key; wall_time in seconds.",
		[]string{"setting"},
		func(_ context.Context, set func(float64, ...string)) error {
			tellLimits(o.Config, set)
			return nil
		})
	s.CounterOf("citewell_trace_spans_sent_total", "Spans that the trace collector accepted.",
		func() float64 { sent, _ := tracer.Counts(); return float64(sent) })
	s.CounterOf("citewell_trace_spans_dropped_total",
		"Spans that were dropped because the queue was full or the collector refused them.", func() float64 {
			_, dropped := tracer.Counts()
			return float64(dropped)
		})
	m.responses.count = s.Counter("citewell_http_requests_total", "Requests that the server answered.",
		"route", "status")
	m.responses.seconds = s.Histogram("citewell_http_request_seconds",
		"Time of an answer; a stream counts until its end.", metrics.Seconds, "route")
}

// makeRuns makes the metrics of runs.
func (m *counts) makeRuns(o Options) {
	s := m.set
	m.runs.begun = s.Counter("citewell_runs_begun_total", "Runs that this process accepted.")
	m.runs.taken = s.Counter("citewell_runs_taken_total",
		"Runs that this process began to execute; a released run may count again.")
	m.runs.ended = s.Counter("citewell_runs_ended_total", "Runs that ended in this process.", "outcome")
	m.runs.seconds = s.Histogram("citewell_run_seconds",
		"Time from a run's start to its end, with its waits.", metrics.Seconds, "outcome")
	m.runs.usd = s.Counter("citewell_run_usd_total",
		"Cost of ended runs for models, in US dollars, by the configured prices.")
	m.runs.searches = s.Counter("citewell_run_searches_total", "Searches that ended runs made.")
	m.runs.fetches = s.Counter("citewell_run_fetches_total", "Pages that ended runs fetched.")
	s.Gauge("citewell_runs", "Runs in the store, in all processes; inited runs wait for an executor.",
		[]string{"state"},
		func(ctx context.Context, set func(float64, ...string)) error {
			counts, err := o.State.CountRuns(ctx)
			if err != nil {
				return err
			}
			for _, state := range runstore.RunStates {
				set(float64(counts[state]), string(state))
			}
			return nil
		})
	s.Gauge("citewell_queue_seconds", "Longest current wait of a run for an executor; 0 if no run waits.", nil,
		func(ctx context.Context, set func(float64, ...string)) error {
			wait, err := o.State.LongestWait(ctx)
			if err == nil {
				set(wait.Seconds())
			}
			return err
		})
}

// namedModels are the models that the configuration names.
func namedModels(c config.Config) []string {
	names := []string{c.LLM.Model, c.Brief.FallbackModel, c.Embedding.Model, cmp.Or(c.Rerank.Model, llm.KindRerank),
		cmp.Or(c.Judge.Model, llm.KindClassify)}
	for _, agent := range c.Agents {
		names = append(names, agent.LLM.Model)
	}
	for _, specialist := range c.Specialists {
		names = append(names, specialist.Model)
	}
	return names
}

func asNumber(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// countingRuns are runs of which each that is begun is counted.
type countingRuns struct {
	runstore.Runs
	begun *metrics.Counter
}

func (c countingRuns) CreateRun(ctx context.Context, run runstore.NewRun) (runstore.Run, error) {
	made, err := c.Runs.CreateRun(ctx, run)
	if err == nil {
		c.begun.Add(1)
	}
	return made, err
}

// Counting returns runs of which each that is begun is counted.
func (m *counts) Counting(runs runstore.Runs) runstore.Runs { return countingRuns{runs, m.runs.begun} }

// CountTaken counts a run that was taken up to be executed.
func (m *counts) CountTaken() { m.runs.taken.Add(1) }

// tellLimits tells the limits in force; a budget of dollars that is none has no series.
func tellLimits(c config.Config, set func(float64, ...string)) {
	l, b := c.Server.Limits, c.Budget
	set(float64(l.Runs), "server.limits.runs")
	set(float64(l.ModelCalls), "server.limits.model_calls")
	set(float64(l.OpenAIRequests), "server.limits.openai_requests")
	set(float64(l.RunStreams), "server.limits.run_streams")
	set(float64(l.QueuedRuns), "server.limits.queued_runs")
	set(float64(b.Tokens), "budget.tokens")
	set(b.WallTime.Seconds(), "budget.wall_time")
	set(float64(b.Searches), "budget.searches")
	set(float64(b.Fetches), "budget.fetches")
	if usd, err := strconv.ParseFloat(b.USD, 64); err == nil {
		set(usd, "budget.usd")
	}
}
