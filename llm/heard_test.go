package llm_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/llm"
)

// asked marks the context that a test asks in.
type asked struct{}

// Who watches hears of each request once, tries and all, by what came of it.
func TestExchangesAreHeardOf(t *testing.T) {
	ctx := context.WithValue(t.Context(), asked{}, true)
	var heard []llm.Exchange
	hear := func(ctx context.Context, q llm.Exchange) {
		if ctx.Value(asked{}) != true || q.Endpoint == nil || q.Endpoint.Path != "" {
			t.Errorf("%v is heard of in another context, or of nowhere", q)
		}
		if q.Took <= 0 {
			t.Errorf("%v took no time", q)
		}
		q.Took = 0
		heard = append(heard, q)
	}
	e := serve(t, says("Hello.", "stop"), fails(401, `{"error":{"message":"no such key"}}`))
	client, err := llm.New(llm.Options{BaseURL: e.URL + "/v1", Model: "chatting",
		Endpoints: llm.NewEndpoints(llm.EndpointsOptions{Heard: hear})})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	ask := llm.Request{Messages: []llm.Message{{Role: "user", Content: "Hello?"}}}
	if _, err := client.Chat(ctx, ask); err != nil {
		t.Fatal(err)
	}
	_, refused := client.Chat(ctx, ask)

	busy := serve(t, fails(503, `{}`), fails(400, `{"error":{"message":"no such model"}}`))
	vectors := embeddings(t, busy, llm.EmbeddingOptions{Model: "measuring", MaxWait: time.Second, Heard: hear})
	_, unread := vectors.Embed(ctx, []string{"a"})
	want := []llm.Exchange{
		{Kind: llm.KindChat, Model: "chatting", Input: 7, Output: 3, Finish: "stop"},
		{Kind: llm.KindChat, Model: "chatting", Err: refused},
		{Kind: llm.KindEmbedding, Model: "measuring", Err: unread},
	}
	if refused == nil || unread == nil || len(busy.asked) < 2 ||
		!slices.EqualFunc(heard, want, func(a, b llm.Exchange) bool {
			return a.Kind == b.Kind && a.Model == b.Model && citewell.CodeOf(a.Err) == citewell.CodeOf(b.Err) &&
				a.Input == b.Input && a.Output == b.Output && a.Finish == b.Finish
		}) {
		t.Errorf("after %d requests heard %v, want %v", len(busy.asked), heard, want)
	}
}
