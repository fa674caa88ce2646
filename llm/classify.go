package llm

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/egress"
)

// maxPairs is how many pairs one request holds: the default of text-embeddings-inference.
const maxPairs = 32

// ClassifierOptions say which model of entailment and how it is asked.
type ClassifierOptions struct {
	BaseURL string // of the endpoint, to which /predict is added
	APIKey  citewell.Secret
	Model   string                          // what it is called; it is not sent
	MaxWait time.Duration                   // longest Retry-After that is waited out; 10 s when 0
	Guard   *egress.Guard                   // every connection goes through it; egress.Default when nil
	Heard   func(context.Context, Exchange) // hears of each request when it is over; nil hears nothing
}

// A Classifier asks a model how a premise stands to a hypothesis, in the shape of
// text-embeddings-inference. ctx bounds a call, with its waiting. Errors are those of Embeddings.
type Classifier struct {
	name     string
	endpoint *endpoint
}

// A Label is a class with its score.
type Label struct {
	Label string  `json:"label"`
	Score float64 `json:"score"`
}

// NewClassifier returns a Classifier. invalid_config where the endpoint is missing or wrong.
func NewClassifier(o ClassifierOptions) (*Classifier, error) {
	at, err := newEndpoint("judge", o.BaseURL, "predict", o.APIKey, o.MaxWait, o.Guard)
	if err != nil {
		return nil, err
	}
	c := &Classifier{cmp.Or(o.Model, "classify"), at}
	at.heardBy(o.Heard, KindClassify, c.name)
	return c, nil
}

// Name is the model's name, or what stands for it.
func (c *Classifier) Name() string { return c.name }

// Close closes connections that nobody uses any more. The Classifier can be used on.
func (c *Classifier) Close() { c.endpoint.http.CloseIdleConnections() }

// Classify returns the labels of each pair of a premise and a hypothesis, in their order.
func (c *Classifier) Classify(ctx context.Context, pairs [][2]string) ([][]Label, error) {
	var all [][]Label
	for len(pairs) > 0 {
		batch := pairs[:min(maxPairs, len(pairs))]
		pairs = pairs[len(batch):]
		request := struct {
			Inputs   [][2]string `json:"inputs"`
			Truncate bool        `json:"truncate"`
		}{batch, true}
		var answer json.RawMessage
		if err := c.endpoint.again(ctx, func() error {
			answer = nil
			return c.endpoint.post(ctx, request, &answer, func() bool { return true })
		}); err != nil {
			return nil, err
		}
		var labels [][]Label
		if err := json.Unmarshal(answer, &labels); err != nil || len(labels) != len(batch) {
			return nil, &citewell.Error{Code: citewell.CodeBadResponse, Op: "judge",
				Message: fmt.Sprintf("the judge endpoint gave no labels for each of %d pairs", len(batch)),
				Hint:    "judge.protocol classify needs POST /predict as in text-embeddings-inference", Err: err}
		}
		all = append(all, labels...)
	}
	return all, nil
}
