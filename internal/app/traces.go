package app

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/agent"
	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/fetch"
	"github.com/citewell/citewell/internal/config"
	"github.com/citewell/citewell/internal/doctor"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/trace"
	"github.com/citewell/citewell/llm"
	"github.com/citewell/citewell/search"
	"github.com/citewell/citewell/store"
)

// traceFlush bounds how long the end of a process waits for the collector.
const traceFlush = 2 * time.Second

// spans tell a collector of the same things that counted counts, and of tool calls. They
// hold names, codes and numbers; with content also queries and whole URLs. Names and
// attributes are OpenTelemetry's where it has any, else they begin with citewell.
type spans struct {
	*trace.Tracer // nil where nothing is told
	content       bool
}

// trace begins to tell of spans where an endpoint is configured. What is recorded or
// replayed has none: they would stand in the recording.
func (a *App) trace() error {
	o, err := traceOptions(a.Config.Telemetry)
	if err != nil || o.Endpoint == nil || a.Config.Telemetry.Disabled || a.recorder != nil || a.player != nil {
		return err
	}
	o.Client, o.Version, o.Whole, o.Log = a.Guard.TrustedClient(o.Endpoint), a.version, a.command, a.log
	o.Client.Transport = classifying{o.Client.Transport}
	o.Resource = append(o.Resource, trace.Attr{Key: "service.version", Value: a.version})
	a.spans = spans{trace.New(o), bool(a.Config.Telemetry.Traces.Content)}
	return nil
}

// A classifying transport keeps what a collector says out of errors: it may be what it was sent.
type classifying struct{ http.RoundTripper }

func (c classifying) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := c.RoundTripper.RoundTrip(r)
	return resp, egress.Classify("trace", err)
}

// CheckTelemetry says what is wrong with the settings of traces.
func CheckTelemetry(c config.Config) error {
	_, err := traceOptions(c.Telemetry)
	return err
}

// traceOptions are what the settings say of a Tracer; without an Endpoint there is none.
func traceOptions(c config.Telemetry) (o trace.Options, err error) {
	if o.Endpoint, err = traceEndpoint(c); err != nil {
		return o, err
	}
	o.Header = http.Header{}
	if err := eachPair(c.Traces.Headers.Reveal(), o.Header.Set); err != nil {
		return o, invalidTelemetry("telemetry.traces.headers", "is not of the form name=value,name=value")
	}
	name := c.ServiceName
	if err := eachPair(c.Resource, func(key, value string) {
		switch {
		case key != "service.name":
			o.Resource = append(o.Resource, trace.Attr{Key: key, Value: value})
		case name == config.Default().Telemetry.ServiceName: // else the setting of that name goes before
			name = value
		}
	}); err != nil {
		return o, invalidTelemetry("telemetry.resource", "is not of the form name=value,name=value")
	}
	o.Resource, o.Sampler = append(o.Resource, trace.Attr{Key: "service.name", Value: name}), samplerOf(c.Traces)
	return o, nil
}

// traceEndpoint is where spans are posted to; nil where no endpoint is configured.
func traceEndpoint(c config.Telemetry) (*url.URL, error) {
	key, address := "telemetry.traces.endpoint", c.Traces.Endpoint
	if address == "" {
		key, address = "telemetry.endpoint", c.Endpoint
	}
	if address == "" {
		return nil, nil
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, invalidTelemetry(key, "is no http or https URL")
	}
	if c.Traces.Endpoint == "" {
		u = u.JoinPath("v1/traces")
	}
	return u, nil
}

func invalidTelemetry(key, what string) error {
	return &citewell.Error{Code: citewell.CodeInvalidConfig, Op: "config", Message: key + " " + what, Hint: "doc/ops.md has an example"}
}

// eachPair reads name=value,name=value with values as they stand in URLs.
func eachPair(s string, f func(name, value string)) error {
	for pair := range strings.SplitSeq(s, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, value, ok := strings.Cut(pair, "=")
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if name = strings.TrimSpace(name); !ok || name == "" || err != nil {
			return fmt.Errorf("app: no pair of a name and a value")
		}
		f(name, value)
	}
	return nil
}

func samplerOf(c config.Traces) trace.Sampler {
	name, parentBased := strings.CutPrefix(c.Sampler, "parentbased_")
	s := trace.Sampler{Ratio: 1, ParentBased: parentBased}
	switch name {
	case "always_off":
		s.Ratio = 0
	case "traceidratio":
		s.Ratio = c.Sample
	}
	return s
}

// both has two hear of the same.
func both[T any](first, second func(context.Context, T)) func(context.Context, T) {
	return func(ctx context.Context, heard T) {
		first(ctx, heard)
		second(ctx, heard)
	}
}

// place are the attributes of where a request goes.
func place(u *url.URL) []trace.Attr {
	port, err := strconv.Atoi(u.Port())
	if err != nil {
		port = map[string]int{"http": 80, "https": 443}[u.Scheme]
	}
	return []trace.Attr{{Key: "server.address", Value: u.Hostname()}, {Key: "server.port", Value: port}}
}

// operations are OpenTelemetry's names of what models are asked.
var operations = map[string]string{llm.KindChat: "chat", llm.KindEmbedding: "embeddings", llm.KindRerank: "rerank", llm.KindClassify: "classify"}

// hearModel is an llm.EndpointsOptions.Heard.
func (s spans) hearModel(ctx context.Context, q llm.Exchange) {
	if s.Tracer == nil {
		return
	}
	operation := operations[q.Kind]
	attrs := append(place(q.Endpoint), trace.Attr{Key: "gen_ai.operation.name", Value: operation},
		trace.Attr{Key: "gen_ai.provider.name", Value: "openai"}, // the form of the API: whose the endpoint is server.address says
		trace.Attr{Key: "gen_ai.request.model", Value: q.Model}, trace.Attr{Key: "gen_ai.response.model", Value: q.Answered})
	if q.Finish != "" {
		attrs = append(attrs, trace.Attr{Key: "gen_ai.response.finish_reasons", Value: []string{q.Finish}})
	}
	if q.Input+q.Output > 0 {
		attrs = append(attrs, trace.Attr{Key: "gen_ai.usage.input_tokens", Value: q.Input}, trace.Attr{Key: "gen_ai.usage.output_tokens", Value: q.Output})
	}
	if q.Cached > 0 {
		attrs = append(attrs, trace.Attr{Key: "gen_ai.usage.cache_read.input_tokens", Value: q.Cached})
	}
	s.Record(ctx, operation+" "+q.Model, trace.Client, q.Took, string(citewell.CodeOf(q.Err)), attrs...)
}

// hearProvider is a search.Gates.Heard.
func (s spans) hearProvider(ctx context.Context, x search.Exchange) {
	if s.Tracer == nil {
		return
	}
	attrs := []trace.Attr{{Key: "gen_ai.operation.name", Value: "retrieval"}, {Key: "gen_ai.data_source.id", Value: x.Provider}, {Key: "citewell.search.outcome", Value: string(x.Outcome)}}
	if x.Results >= 0 {
		attrs = append(attrs, trace.Attr{Key: "citewell.search.results", Value: x.Results})
	}
	if s.content {
		attrs = append(attrs, trace.Attr{Key: "gen_ai.retrieval.query.text", Value: x.Query})
	}
	s.Record(ctx, "retrieval "+x.Provider, trace.Client, x.Took, string(citewell.CodeOf(x.Err)), attrs...)
}

// hearFetch is a fetch.Options.Heard.
func (s spans) hearFetch(ctx context.Context, x fetch.Exchange) {
	if s.Tracer == nil {
		return
	}
	outcome := x.Page.Outcome
	if x.Err != nil {
		outcome = citewell.FetchOutcomeOf(x.Err)
	}
	attrs := []trace.Attr{{Key: "http.request.method", Value: http.MethodGet}, {Key: "citewell.fetch.outcome", Value: string(outcome)}, {Key: "citewell.fetch.cached", Value: x.Page.Cached}}
	if u, err := url.Parse(x.URL); err == nil && u.Host != "" {
		full := &url.URL{Scheme: u.Scheme, Host: u.Host}
		if s.content {
			full = u
		}
		attrs = append(append(attrs, place(u)...), trace.Attr{Key: "url.scheme", Value: u.Scheme}, trace.Attr{Key: "url.full", Value: full.Redacted()})
	}
	if x.Status != 0 {
		attrs = append(attrs, trace.Attr{Key: "http.response.status_code", Value: x.Status})
	}
	if x.Err == nil {
		attrs = append(attrs, trace.Attr{Key: "http.response.body.size", Value: len(x.Page.Body)})
	}
	s.Record(ctx, http.MethodGet, trace.Client, x.Took, string(citewell.CodeOf(x.Err)), attrs...)
}

// ofTool are the attributes of a call of a tool.
func ofTool(name, id string) []trace.Attr {
	return []trace.Attr{{Key: "gen_ai.operation.name", Value: "execute_tool"}, {Key: "gen_ai.tool.name", Value: name}, {Key: "gen_ai.tool.type", Value: "function"}, {Key: "gen_ai.tool.call.id", Value: id}}
}

// calling is an agent.Options.Calling.
func (s spans) calling(ctx context.Context, c agent.ToolCall) (context.Context, func(error)) {
	ctx, span := s.Start(ctx, "execute_tool "+c.Name, trace.Internal, ofTool(c.Name, c.ID)...)
	return ctx, func(err error) { span.End(string(citewell.CodeOf(err))) }
}

// callingMCP is a mcpserver.Options.Calling.
func (s spans) callingMCP(ctx context.Context, traceparent, name string) (context.Context, func(error)) {
	ctx, span := s.Start(s.Continue(ctx, traceparent), "tools/call "+name, trace.Server, append(ofTool(name, ""), trace.Attr{Key: "mcp.method.name", Value: "tools/call"})...)
	return ctx, func(err error) { span.End(string(citewell.CodeOf(err))) }
}

// within is a job.ExecutorOptions.Within: what is done for a run is told within its span,
// whichever process does it.
func (s spans) within(ctx context.Context, run store.Run) context.Context {
	return s.Within(ctx, run.ID, job.Origin(run))
}

// hearEnd hears of a run as job.ExecutorOptions.Ended does.
func (s spans) hearEnd(run store.Run, r agent.Result) {
	if s.Tracer == nil {
		return
	}
	failed := ""
	if r.State == store.RunError || r.State == store.RunFailed {
		failed = cmp.Or(string(r.Outcome), string(r.State))
	}
	s.RecordLong(run.ID, job.Origin(run), "invoke_agent "+run.Agent, run.CreatedAt, failed,
		trace.Attr{Key: "gen_ai.operation.name", Value: "invoke_agent"}, trace.Attr{Key: "gen_ai.provider.name", Value: "citewell"}, trace.Attr{Key: "gen_ai.agent.name", Value: run.Agent},
		trace.Attr{Key: "citewell.run.id", Value: run.ID}, trace.Attr{Key: "citewell.run.state", Value: string(r.State)}, trace.Attr{Key: "citewell.run.outcome", Value: string(r.Outcome)},
		trace.Attr{Key: "citewell.run.steps", Value: r.Iteration}, trace.Attr{Key: "gen_ai.usage.input_tokens", Value: r.Usage.InputTokens}, trace.Attr{Key: "gen_ai.usage.output_tokens", Value: r.Usage.OutputTokens},
		trace.Attr{Key: "citewell.run.searches", Value: r.Usage.Searches}, trace.Attr{Key: "citewell.run.fetches", Value: r.Usage.Fetches}, trace.Attr{Key: "citewell.run.sources", Value: len(r.Sources)},
		trace.Attr{Key: "citewell.run.active_seconds", Value: float64(r.Usage.ActiveMS) / 1000}, trace.Attr{Key: "citewell.run.usd", Value: r.Usage.USD})
}

// methods are those that a span is named for; whatever else a stranger sends is _OTHER.
var methods = []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions, http.MethodConnect, http.MethodTrace}

// traceHeader is W3C's.
const traceHeader = "Traceparent"

// watch is a server.Options.Watch.
func (a *App) watch(r *http.Request) (*http.Request, func(route string, status int)) {
	began := time.Now()
	if a.spans.Tracer == nil {
		return r, func(route string, status int) { a.counted.hearResponse(route, status, time.Since(began)) }
	}
	method := r.Method
	if !slices.Contains(methods, method) {
		method = "_OTHER"
	}
	ctx, span := a.spans.Start(a.spans.Continue(r.Context(), r.Header.Get(traceHeader)), method, trace.Server,
		trace.Attr{Key: "http.request.method", Value: method}, trace.Attr{Key: "url.scheme", Value: "http"})
	r = r.Clone(ctx)
	r.Header.Set(traceHeader, a.spans.Parent(ctx)) // MCP's sessions keep the context of their first request
	return r, func(route string, status int) {
		a.counted.hearResponse(route, status, time.Since(began))
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
		span.End(failed, trace.Attr{Key: "http.route", Value: path}, trace.Attr{Key: "http.response.status_code", Value: status})
	}
}

// tryTraces sends the collector a request without spans.
func (a *App) tryTraces(ctx context.Context) (doctor.Answer, error) {
	if err := a.spans.Try(ctx); err != nil {
		err = egress.Classify("telemetry", err)
		view := citewell.View(err)
		return doctor.Answer{}, &citewell.Error{Code: view.Code, Op: "telemetry", Message: view.Message,
			Hint: "check telemetry.endpoint, or telemetry.traces.endpoint, and telemetry.traces.headers", Err: err}
	}
	return doctor.Answer{Detail: "the collector took a request without spans"}, nil
}

// closeTraces sends what waits, and gives up what the collector does not take in time.
func (a *App) closeTraces() {
	if a.spans.Tracer == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), traceFlush)
	defer cancel()
	a.spans.Close(ctx)
}
