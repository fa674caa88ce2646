package llm

import (
	"context"
	"net/url"
	"time"
)

// The kinds of an Exchange.
const (
	KindChat      = "chat"
	KindEmbedding = "embedding"
	KindRerank    = "rerank"
	KindClassify  = "classify"
)

// An Exchange describes one request to a model, with its tries and waits, when it is over. Err may hold words of an
// endpoint; show its code.
type Exchange struct {
	Kind, Model string
	Endpoint    *url.URL // without a path
	Err         error
	Took        time.Duration
	// Of a chat: tokens, counted by the endpoint or else here, and what the endpoint says of its answer.
	Input, Cached, Output int
	USD                   float64 // by the Client's Price
	Answered, Finish      string  // by which model, and why it ended
}

// tellHeard says of a chat that it is over.
func (c *Client) tellHeard(ctx context.Context, began time.Time, r Reply, err error) {
	if heard := c.o.Endpoints.o.Heard; heard != nil {
		heard(ctx, Exchange{Kind: KindChat, Model: c.o.Model, Endpoint: bare(c.base), Err: err, Took: time.Since(began),
			Input: r.InputTokens, Cached: r.CachedTokens, Output: r.OutputTokens, USD: c.o.Price.Of(r),
			Answered: r.Model, Finish: r.FinishReason})
	}
}

// bare is where a URL leads, and nothing else of it.
func bare(u *url.URL) *url.URL { return &url.URL{Scheme: u.Scheme, Host: u.Host} }

// heardBy makes an endpoint tell of its requests.
func (e *endpoint) heardBy(heard func(context.Context, Exchange), kind, model string) {
	e.tell = func(ctx context.Context, err error, took time.Duration) {
		if heard != nil {
			heard(ctx, Exchange{Kind: kind, Model: model, Endpoint: e.host, Err: err, Took: took})
		}
	}
}
