package llm

import "time"

// The kinds of an Exchange.
const (
	KindChat      = "chat"
	KindEmbedding = "embedding"
	KindRerank    = "rerank"
)

// An Exchange is what a program that watches its models hears of one request to a model,
// with its tries and waits, when it is over. Err may hold words of an endpoint; show its code.
type Exchange struct {
	Kind, Model   string
	Err           error
	Took          time.Duration
	Input, Output int // tokens of a chat, as the endpoint counts them, else as they are counted here; 0 for other kinds
}

// tell says of a chat that it is over.
func (c *Client) tell(began time.Time, r Reply, err error) {
	if heard := c.o.Endpoints.o.Heard; heard != nil {
		heard(Exchange{Kind: KindChat, Model: c.o.Model, Err: err, Took: time.Since(began), Input: r.InputTokens, Output: r.OutputTokens})
	}
}

// heardBy makes an endpoint tell of its requests.
func (e *endpoint) heardBy(heard func(Exchange), kind, model string) {
	e.tell = func(err error, took time.Duration) {
		if heard != nil {
			heard(Exchange{Kind: kind, Model: model, Err: err, Took: took})
		}
	}
}
