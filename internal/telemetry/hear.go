package telemetry

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/fetch"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/outcomes"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/trace"
	"github.com/citewell/citewell/llm"
	"github.com/citewell/citewell/search"
)

// outcomeOf is the label of what something came to.
func outcomeOf(err error) string { return cmp.Or(string(citewell.CodeOf(err)), "ok") }

// attrs are attributes by their names, in pairs of a name and a value.
func attrs(pairs ...any) []trace.Attr {
	list := make([]trace.Attr, 0, len(pairs)/2)
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, trace.Attr{Key: pairs[i].(string), Value: pairs[i+1]})
	}
	return list
}

// place are the attributes of where a request goes.
func place(u *url.URL) []trace.Attr {
	port, err := strconv.Atoi(u.Port())
	if err != nil {
		port = map[string]int{"http": 80, "https": 443}[u.Scheme]
	}
	return attrs("server.address", u.Hostname(), "server.port", port)
}

// operations are OpenTelemetry's names of what models are asked.
var operations = map[string]string{llm.KindChat: "chat", llm.KindEmbedding: "embeddings", llm.KindRerank: "rerank",
	llm.KindClassify: "classify"}

// HearModel is an llm.EndpointsOptions.Heard.
func (t *Telemetry) HearModel(ctx context.Context, x llm.Exchange) {
	name := x.Model
	if !slices.Contains(t.models, name) { // a caller chose it
		name = unnamed
	}
	t.model.count.Add(1, x.Kind, name, outcomeOf(x.Err))
	t.model.seconds.Observe(x.Took.Seconds(), x.Kind, name)
	if x.Kind == llm.KindChat {
		t.tokens.Add(float64(x.Input), name, "input")
		t.tokens.Add(float64(x.Output), name, "output")
	}
	operation := operations[x.Kind]
	told := append(place(x.Endpoint), attrs("gen_ai.operation.name", operation,
		"gen_ai.provider.name", "openai", // the form of the API: whose the endpoint is server.address says
		"gen_ai.request.model", x.Model, "gen_ai.response.model", x.Answered)...)
	if x.Finish != "" {
		told = append(told, attrs("gen_ai.response.finish_reasons", []string{x.Finish})...)
	}
	if x.Input+x.Output > 0 {
		told = append(told, attrs("gen_ai.usage.input_tokens", x.Input, "gen_ai.usage.output_tokens", x.Output)...)
	}
	if x.Cached > 0 {
		told = append(told, attrs("gen_ai.usage.cache_read.input_tokens", x.Cached)...)
	}
	t.tracer.Record(ctx, operation+" "+x.Model, trace.Client, x.Took, string(citewell.CodeOf(x.Err)), told...)
}

// HearProvider is a search.Gates.Heard.
func (t *Telemetry) HearProvider(ctx context.Context, x search.Exchange) {
	t.provider.count.Add(1, x.Provider, outcomeOf(x.Err))
	t.provider.seconds.Observe(x.Took.Seconds(), x.Provider)
	told := attrs("gen_ai.operation.name", "retrieval", "gen_ai.data_source.id", x.Provider,
		"citewell.search.outcome", string(x.Outcome))
	if x.Results >= 0 {
		told = append(told, attrs("citewell.search.results", x.Results)...)
	}
	if t.content {
		told = append(told, attrs("gen_ai.retrieval.query.text", x.Query)...)
	}
	t.tracer.Record(ctx, "retrieval "+x.Provider, trace.Client, x.Took, string(citewell.CodeOf(x.Err)), told...)
}

// HearFetch is a fetch.Options.Heard.
func (t *Telemetry) HearFetch(ctx context.Context, x fetch.Exchange) {
	outcome, label := x.Page.Outcome, string(x.Page.Outcome)
	if x.Err != nil {
		outcome, label = outcomes.OfFetch(x.Err), outcomeOf(x.Err)
	}
	t.fetch.count.Add(1, label, strconv.FormatBool(x.Page.Cached))
	t.fetch.seconds.Observe(x.Took.Seconds())
	if !x.Page.Cached {
		t.bytes.Add(float64(len(x.Page.Body)))
	}
	told := attrs("http.request.method", http.MethodGet, "citewell.fetch.outcome", string(outcome),
		"citewell.fetch.cached", x.Page.Cached)
	if u, err := url.Parse(x.URL); err == nil && u.Host != "" {
		full := &url.URL{Scheme: u.Scheme, Host: u.Host}
		if t.content {
			full = u
		}
		told = append(append(told, place(u)...), attrs("url.scheme", u.Scheme, "url.full", full.Redacted())...)
	}
	if x.Status != 0 {
		told = append(told, attrs("http.response.status_code", x.Status)...)
	}
	if x.Err == nil {
		told = append(told, attrs("http.response.body.size", len(x.Page.Body))...)
	}
	t.tracer.Record(ctx, http.MethodGet, trace.Client, x.Took, string(citewell.CodeOf(x.Err)), told...)
}

// HearEnd hears of a run as job.ExecutorOptions.Ended does.
func (t *Telemetry) HearEnd(run runstore.Run, r agent.Result) {
	outcome := cmp.Or(string(r.Outcome), string(r.State))
	t.runs.ended.Add(1, outcome)
	t.runs.seconds.Observe(time.Since(run.CreatedAt).Seconds(), outcome)
	t.runs.usd.Add(r.Usage.USD)
	t.runs.searches.Add(float64(r.Usage.Searches))
	t.runs.fetches.Add(float64(r.Usage.Fetches))
	failed := ""
	if r.State == runstore.RunError || r.State == runstore.RunFailed {
		failed = outcome
	}
	t.tracer.RecordLong(run.ID, job.Origin(run), "invoke_agent "+run.Agent, run.CreatedAt, failed, attrs(
		"gen_ai.operation.name", "invoke_agent", "gen_ai.provider.name", "citewell", "gen_ai.agent.name", run.Agent,
		"citewell.run.id", run.ID, "citewell.run.state", string(r.State), "citewell.run.outcome", string(r.Outcome),
		"citewell.run.steps", r.Iteration, "gen_ai.usage.input_tokens", r.Usage.InputTokens,
		"gen_ai.usage.output_tokens", r.Usage.OutputTokens, "citewell.run.searches", r.Usage.Searches,
		"citewell.run.fetches", r.Usage.Fetches, "citewell.run.sources", len(r.Sources),
		"citewell.run.active_seconds", float64(r.Usage.ActiveMS)/1000, "citewell.run.usd", r.Usage.USD)...)
}

// methods are those that a span is named for; whatever else a stranger sends is _OTHER.
var methods = []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch,
	http.MethodDelete, http.MethodOptions, http.MethodConnect, http.MethodTrace}

// traceHeader is W3C's.
const traceHeader = "Traceparent"

// HearRequest is a server.Options.Watch.
func (t *Telemetry) HearRequest(r *http.Request) (*http.Request, func(route string, status int)) {
	began := time.Now()
	count := func(route string, status int) {
		route = cmp.Or(route, unnamed)
		t.responses.count.Add(1, route, strconv.Itoa(status))
		t.responses.seconds.Observe(time.Since(began).Seconds(), route)
	}
	if t.tracer == nil {
		return r, count
	}
	method := r.Method
	if !slices.Contains(methods, method) {
		method = "_OTHER"
	}
	ctx, span := t.tracer.Start(t.tracer.Continue(r.Context(), r.Header.Get(traceHeader)), method, trace.Server,
		attrs("http.request.method", method, "url.scheme", "http")...)
	r = r.Clone(ctx)
	r.Header.Set(traceHeader, t.tracer.Parent(ctx)) // MCP's sessions keep the context of their first request
	return r, func(route string, status int) {
		count(route, status)
		_, path, ok := strings.Cut(route, " ")
		if !ok {
			path = route
		}
		if path != "" {
			span.Name(method + " " + path)
		}
		failed := ""
		if status >= 500 {
			failed = strconv.Itoa(status)
		}
		span.End(failed, attrs("http.route", path, "http.response.status_code", status)...)
	}
}
