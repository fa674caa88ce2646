package agent

import (
	"context"

	"github.com/citewell/citewell/llm"
)

type clientKey struct{}

// WithClient makes c the model of the calls below ctx.
func WithClient(ctx context.Context, c *llm.Client) context.Context {
	return context.WithValue(ctx, clientKey{}, c)
}

// ClientOf is the model of who calls; nil where the caller has none.
func ClientOf(ctx context.Context) *llm.Client {
	c, _ := ctx.Value(clientKey{}).(*llm.Client)
	return c
}
