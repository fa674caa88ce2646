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
	m.runs.begun = s.Counter("citewell_runs_begun_total", "Runs that this process took in.")
	m.runs.taken = s.Counter("citewell_runs_taken_total", "Runs that this process took up to execute; one that is let go may be taken up again.")
	m.runs.ended = s.Counter("citewell_runs_ended_total", "Runs that this process brought to their end.", "outcome")
	m.runs.seconds = s.Histogram("citewell_run_seconds", "From when a run was begun to its end, with its waits.", metrics.Seconds, "outcome")
	m.runs.usd = s.Counter("citewell_run_usd_total", "What ended runs paid for models, in US dollars, by the prices of the configuration.")
	m.runs.searches = s.Counter("citewell_run_searches_total", "Searches that ended runs spent of their budgets.")
	m.runs.fetches = s.Counter("citewell_run_fetches_total", "Fetches that ended runs spent of their budgets.")
	s.Gauge("citewell_runs", "Runs in the store, whoever executes them; inited ones wait to be taken up.",
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
	s.Gauge("citewell_queue_seconds", "For how long the run has waited for an executor that has waited longest; 0 where none waits.", nil,
		func(ctx context.Context, set func(float64, ...string)) error {
			wait, err := o.State.LongestWait(ctx)
			if err == nil {
				set(wait.Seconds())
			}
			return err
		})
	m.model.count = s.Counter("citewell_model_requests_total", "Requests to models, each with its tries.", "kind", "model", "outcome")
	m.model.seconds = s.Histogram("citewell_model_request_seconds", "How long a request to a model took, with its tries and waits, to the last word.", metrics.Seconds, "kind", "model")
	m.tokens = s.Counter("citewell_model_tokens_total", "Tokens of chats, as the endpoint counts them, else as we do.", "model", "direction")
	m.provider.count = s.Counter("citewell_provider_calls_total", "Calls of providers, each with its tries; not made ones have the code that kept them.", "provider", "outcome")
	m.provider.seconds = s.Histogram("citewell_provider_call_seconds", "How long a call of a provider took, with its tries and waits.", metrics.Seconds, "provider")
	s.Gauge("citewell_provider_left_alone", "1 while a provider is not asked: its last calls failed, or it asked us to wait.", []string{"provider"},
		func(_ context.Context, set func(float64, ...string)) error {
			for name, alone := range o.State.LeftAlone() {
				set(asNumber(alone), name)
			}
			return nil
		})
	m.fetch.count = s.Counter("citewell_fetches_total", "Pages that were asked for.", "outcome", "cached")
	m.fetch.seconds = s.Histogram("citewell_fetch_seconds", "How long a page took, with waits and redirects.", metrics.Seconds)
	m.bytes = s.Counter("citewell_fetch_bytes_total", "Bytes of pages that were read, decoded, without those from the cache.")
	s.Gauge("citewell_readers", "Places where pages are read: all, the busy ones, the lost ones, which a reader keeps that outlived its page; late readers are those that run on.", []string{"state"},
		func(_ context.Context, set func(float64, ...string)) error {
			p := o.State.Readers()
			for state, n := range map[string]int{"all": p.All, "busy": p.Busy, "late": p.Late, "lost": p.Lost} {
				set(float64(n), state)
			}
			return nil
		})
	s.CounterOf("citewell_readers_overran_total", "Readers that outlived the time of their page.",
		func() float64 { return float64(o.State.Readers().Overran) })
	s.Gauge("citewell_limit", "Limits in force, by their keys in the configuration; wall_time in seconds.",
		[]string{"setting"},
		func(_ context.Context, set func(float64, ...string)) error {
			tellLimits(o.Config, set)
			return nil
		})
	s.CounterOf("citewell_trace_spans_sent_total", "Spans that the collector of traces took.",
		func() float64 { sent, _ := tracer.Counts(); return float64(sent) })
	s.CounterOf("citewell_trace_spans_dropped_total",
		"Spans that were given up: the queue was full, or the collector did not take them.", func() float64 {
			_, dropped := tracer.Counts()
			return float64(dropped)
		})
	m.responses.count = s.Counter("citewell_http_requests_total", "Requests that were answered.", "route", "status")
	m.responses.seconds = s.Histogram("citewell_http_request_seconds", "How long an answer took, a stream to its end.", metrics.Seconds, "route")
}

// namedModels are the models that the configuration names.
func namedModels(c config.Config) []string {
	names := []string{c.LLM.Model, c.Brief.FallbackModel, c.Embedding.Model, cmp.Or(c.Rerank.Model, llm.KindRerank), cmp.Or(c.Judge.Model, llm.KindClassify)}
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
