package telemetry

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/config"
	"github.com/citewell/citewell/internal/httpwire"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/trace"
)

// traceFlush bounds how long the end of a process waits for the collector.
const traceFlush = 2 * time.Second

// spans tell a collector of the same things that counts count, and of tool calls. Names and
// attributes are OpenTelemetry's where it has any, else they begin with citewell.
type spans struct {
	tracer  *trace.Tracer // nil where nothing is told
	content bool          // queries and whole URLs are told, too
}

func newSpans(o Options) (spans, error) {
	of, err := traceOptions(o.Config.Telemetry)
	if err != nil || of.Endpoint == nil || bool(o.Config.Telemetry.Disabled) || o.Silent {
		return spans{}, err
	}
	of.Client, of.Version, of.Whole, of.Log = o.Guard.TrustedClient(of.Endpoint), o.Version, o.Command, o.Log
	of.Client.Transport = classifying{of.Client.Transport}
	of.Resource = append(of.Resource, trace.Attr{Key: "service.version", Value: o.Version})
	return spans{trace.New(of), bool(o.Config.Telemetry.Traces.Content)}, nil
}

// A classifying transport keeps what a collector says out of errors: it may be what it was sent.
type classifying struct{ http.RoundTripper }

func (c classifying) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := c.RoundTripper.RoundTrip(r)
	return resp, httpwire.Classify("trace", err)
}

// Check says what is wrong with the settings of traces.
func Check(c config.Config) error {
	_, err := traceOptions(c.Telemetry)
	return err
}

// traceOptions are what the settings say of a Tracer; without an Endpoint there is none.
func traceOptions(c config.Telemetry) (o trace.Options, err error) {
	if o.Endpoint, err = traceEndpoint(c); err != nil {
		return o, err
	}
	o.Header = http.Header{}
	if err := config.EachPair(c.Traces.Headers.Reveal(), o.Header.Set); err != nil {
		return o, invalidTelemetry("telemetry.traces.headers", "is not of the form name=value,name=value")
	}
	name := c.ServiceName
	if err := config.EachPair(c.Resource, func(key, value string) {
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
	return &citewell.Error{Code: citewell.CodeInvalidConfig, Op: "config", Message: key + " " + what,
		Hint: "doc/ops.md has an example"}
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

// ofTool are the attributes of a call of a tool.
func ofTool(name, id string) []trace.Attr {
	return attrs("gen_ai.operation.name", "execute_tool", "gen_ai.tool.name", name, "gen_ai.tool.type", "function",
		"gen_ai.tool.call.id", id)
}

// Calling is an agent.Options.Calling.
func (s spans) Calling(ctx context.Context, c agent.ToolCall) (context.Context, func(error)) {
	ctx, span := s.tracer.Start(ctx, "execute_tool "+c.Name, trace.Internal, ofTool(c.Name, c.ID)...)
	return ctx, func(err error) { span.End(string(citewell.CodeOf(err))) }
}

// CallingMCP is a mcpserver.Options.Calling.
func (s spans) CallingMCP(ctx context.Context, traceparent, name string) (context.Context, func(error)) {
	ctx, span := s.tracer.Start(s.tracer.Continue(ctx, traceparent), "tools/call "+name, trace.Server,
		append(ofTool(name, ""), attrs("mcp.method.name", "tools/call")...)...)
	return ctx, func(err error) { span.End(string(citewell.CodeOf(err))) }
}

// Parent names the span of ctx; a job.Desk.Origin.
func (s spans) Parent(ctx context.Context) string { return s.tracer.Parent(ctx) }

// Within is a job.ExecutorOptions.Within: what is done for a run is told within its span, whichever process does it.
func (s spans) Within(ctx context.Context, run runstore.Run) context.Context {
	return s.tracer.Within(ctx, run.ID, job.Origin(run))
}

// Tells reports whether a collector is told of spans.
func (s spans) Tells() bool { return s.tracer != nil }

// Try sends the collector a request without spans.
func (s spans) Try(ctx context.Context) error {
	err := s.tracer.Try(ctx)
	if err == nil {
		return nil
	}
	err = httpwire.Classify("telemetry", err)
	view := citewell.View(err)
	return &citewell.Error{Code: view.Code, Op: "telemetry", Message: view.Message,
		Hint: "check telemetry.endpoint, or telemetry.traces.endpoint, and telemetry.traces.headers", Err: err}
}

// Close sends what waits, and gives up what the collector does not take in time.
func (s spans) Close() {
	if s.tracer == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), traceFlush)
	defer cancel()
	s.tracer.Close(ctx)
}
