// Package llm talks to chat and embedding models over any API of OpenAI's form.
//
// Flow: Request → measured against the window → endpoint → Reply, whole or in pieces (Stream). Decode also asks for
// JSON of a schema, repairs and checks the answer, and asks again if it does not fit. Embeddings turn texts into
// vectors of unit length, in batches, and keep them.
// Structured output: a schema is requested in the strongest way that the endpoint accepts, which is found by trying
// (Capabilities, or the first Decode) and remembered by Endpoints.
// Tools: a call is delivered whole or not at all. A call whose arguments cannot be read has a Fault and must not be
// run.
// Untrusted text goes to a model inside an Envelope.
// Errors: auth, rate_limited, quota_exhausted, timeout, canceled, response_too_large, model_failed (an unusable answer;
// ErrLength and its neighbours say why), http_failed with ErrCut for an answer that broke off, bad_response, and
// egress's errors of connections. No message contains a key.
// Concurrency: a Client and Embeddings serve many callers at once; all Clients of one Endpoints together ask an
// endpoint at most Parallel things at a time. ctx bounds each call; a stream that falls silent ends by itself. A
// temporary refusal (429, 502, 503, 504) is retried, but nothing after its first byte.
// Why no library: doc/decision/0004-model-client.md.
package llm

import (
	"cmp"
	"context"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/egress"
)

// What is taken where the options do not say.
const (
	// DefaultBaseURL is used where a key and a model are set, but no endpoint.
	DefaultBaseURL = "https://api.openai.com/v1"
	// DefaultParallel bounds the requests to one endpoint at once. A server that can do fewer queues them itself.
	DefaultParallel = 256
	// AssumedWindow is taken where neither the settings, the endpoint nor the model's name say more.
	AssumedWindow = 8192
	// AutoWindow has the Client find out how many tokens the model reads at once.
	AutoWindow = -1

	// Bounds of what is asked and answered.

	MaxTries         = 5        // requests of one Decode that are answered
	MaxToolCalls     = 128      // of one answer
	MaxEmbeddingText = 64 << 10 // bytes of one text: more than any of today's models reads
	MaxRerankTexts   = 128      // of one request: what today's rerankers take
)

// Options say which model and how it is asked.
type Options struct {
	BaseURL          string // DefaultBaseURL when empty
	APIKey           citewell.Secret
	Model            string
	MaxTokens        int     // of one answer; 0 leaves it to the endpoint
	Temperature      float64 // 0 leaves it to the endpoint
	StructuredOutput string  // auto, json_schema, grammar, tool, json_object or prompt; empty is auto
	ReasoningEffort  string  // low, medium or high; empty leaves it to the endpoint
	Extra            map[string]any
	// ContextWindow in tokens, of the question and the answer together. AutoWindow finds it out; 0 does not measure.
	ContextWindow int
	Price         Price         // zero is unknown
	MaxWait       time.Duration // longest Retry-After that is waited out; 10 s when 0
	Stall         time.Duration // longest silence within a stream; 5 min when 0
	Endpoints     *Endpoints    // what is known of endpoints; the Client's own when nil
	Guard         *egress.Guard // every connection goes through it; egress.Default when nil
	// Foreign says that the endpoint is not the operator's word but a caller's: its
	// address is judged as a page's is, and it is asked for nothing but its answer.
	Foreign bool
}

// A Client asks one model at one endpoint.
type Client struct {
	o      Options
	base   *url.URL
	http   *http.Client
	first  format // where asking for JSON begins
	known  *known
	slots  *places
	ownAPI bool // the endpoint is OpenAI's own: it refuses unknown fields, newer models want max_completion_tokens
}

// New returns a Client. invalid_config where the endpoint or the model is missing or wrong.
func New(o Options) (*Client, error) {
	if o.Model == "" {
		return nil, &citewell.Error{Code: citewell.CodeInvalidConfig, Message: "llm.model is not set",
			Hint: "name the model that the endpoint serves"}
	}
	o.BaseURL = cmp.Or(o.BaseURL, DefaultBaseURL)
	base, err := parseBase("llm", o.BaseURL)
	if err != nil {
		return nil, err
	}
	first, ok := formatNamed(o.StructuredOutput)
	if !ok {
		return nil, &citewell.Error{Code: citewell.CodeInvalidConfig,
			Message: "llm.structured_output is " + o.StructuredOutput + "; it must be auto, " +
				strings.Join(formatNames[:formatPrompt], ", ") + " or prompt"}
	}
	if o.MaxWait <= 0 {
		o.MaxWait = defaultMaxWait
	}
	if o.Stall <= 0 {
		o.Stall = 5 * time.Minute
	}
	if o.Endpoints == nil {
		o.Endpoints = NewEndpoints(EndpointsOptions{})
	}
	c := &Client{o: o, base: base, first: first, ownAPI: base.Hostname() == "api.openai.com"}
	c.known, c.slots = o.Endpoints.knownOf(base.String(), o.Model)
	o.Guard = cmp.Or(o.Guard, egress.Default())
	client := o.Guard.TrustedClient(base)
	if o.Foreign {
		client.Transport = o.Guard.RoundTripper()
	}
	c.http = &http.Client{Transport: &wire{next: client.Transport}, CheckRedirect: client.CheckRedirect}
	return c, nil
}

// Options are what the Client was made of.
func (c *Client) Options() Options { return c.o }

// Close closes connections that nobody uses any more. The Client can be used on.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Name is the model's name.
func (c *Client) Name() string { return c.o.Model }

// OnLoopback reports whether the endpoint is on this machine.
func (c *Client) OnLoopback() bool {
	host := strings.ToLower(c.base.Hostname())
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback() || host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// Chat asks for text, or for calls of r.Tools.
func (c *Client) Chat(ctx context.Context, r Request) (Reply, error) {
	return c.chat(ctx, r, formatNone, nil)
}

// Stream is Chat that calls on for each piece of the answer while it is written, in order, from one goroutine. The
// pieces are for showing; act on the Reply. An endpoint that does not stream answers in one piece.
func (c *Client) Stream(ctx context.Context, r Request, on func(Delta)) (Reply, error) {
	if on == nil {
		on = func(Delta) {}
	}
	return c.chat(ctx, r, formatNone, on)
}
