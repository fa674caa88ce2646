package llm

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/internal/text"
)

// maxRerankText bounds one text, in bytes; the models read some hundred words.
const maxRerankText = 4000

// RerankOptions say which reranker and how it is asked.
type RerankOptions struct {
	BaseURL string // of the endpoint, to which /rerank is added
	APIKey  citewell.Secret
	Model   string        // may be empty where the server has one model only
	MaxWait time.Duration // longest Retry-After that is waited out; 10 s when 0
	Guard   *egress.Guard // every connection goes through it; egress.Default when nil
	// hears of each request when it is over, as EndpointsOptions.Heard; nil hears nothing
	Heard func(context.Context, Exchange)
}

// A Reranker asks a model how well texts answer a question, in the shape of Jina, Cohere (v2), llama.cpp and vLLM. What
// is not the caller's fault is tried three times. ctx bounds a call, with its waiting.
//
// Errors are those of Embeddings; bad_response for scores that are too few, of no text or no numbers.
type Reranker struct {
	o        RerankOptions
	endpoint *endpoint
}

// NewReranker returns a Reranker. invalid_config where the endpoint is missing or wrong.
func NewReranker(o RerankOptions) (*Reranker, error) {
	at, err := newEndpoint("rerank", o.BaseURL, "rerank", o.APIKey, o.MaxWait, o.Guard)
	if err != nil {
		return nil, err
	}
	r := &Reranker{o, at}
	at.heardBy(o.Heard, KindRerank, r.Name())
	return r, nil
}

// Name is the model's name, or what stands for it.
func (r *Reranker) Name() string { return cmp.Or(r.o.Model, "rerank") }

// Close closes connections that nobody uses any more. The Reranker can be used on.
func (r *Reranker) Close() { r.endpoint.http.CloseIdleConnections() }

type rerankRequest struct {
	Model     string   `json:"model,omitempty"`
	Query     string   `json:"query"`
	Documents []string `json:"documents"`
	TopN      int      `json:"top_n"`
}

type rerankAnswer struct {
	Results []struct {
		Index *int     `json:"index"`
		Score *float64 `json:"relevance_score"`
	} `json:"results"`
}

// Rerank returns how well each of at most MaxRerankTexts texts answers a question, in their order. Scores of two
// answers cannot be compared: some models give shares, others logits.
func (r *Reranker) Rerank(ctx context.Context, question string, texts []string) ([]float64, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	if len(texts) > MaxRerankTexts {
		return nil, &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "rerank",
			Message: fmt.Sprintf("%d texts are given and %d are ranked at once", len(texts), MaxRerankTexts)}
	}
	request := rerankRequest{Model: r.o.Model, Query: question, TopN: len(texts), Documents: make([]string, len(texts))}
	for i, t := range texts {
		request.Documents[i] = text.Prefix(t, maxRerankText)
	}
	var answer rerankAnswer
	if err := r.endpoint.again(ctx, func() error {
		answer = rerankAnswer{}
		return r.endpoint.post(ctx, request, &answer, func() bool { return len(answer.Results) == 0 })
	}); err != nil {
		return nil, err
	}
	return answer.scores(len(texts))
}

// scores reads an answer: one number for each text.
func (a rerankAnswer) scores(want int) ([]float64, error) {
	scores, seen := make([]float64, want), make([]bool, want)
	if len(a.Results) != want {
		return nil, badRanking(fmt.Sprintf("%d scores for %d texts", len(a.Results), want))
	}
	for _, result := range a.Results {
		switch {
		case result.Index == nil || result.Score == nil:
			return nil, badRanking("a result has no index or no relevance_score")
		case *result.Index < 0 || *result.Index >= want || seen[*result.Index]:
			return nil, badRanking(fmt.Sprintf("the index %d is not of one text", *result.Index))
		case math.IsNaN(*result.Score) || math.IsInf(*result.Score, 0):
			return nil, badRanking("a score is no number")
		}
		seen[*result.Index], scores[*result.Index] = true, *result.Score
	}
	return scores, nil
}

func badRanking(message string) error {
	return &citewell.Error{Code: citewell.CodeBadResponse, Op: "rerank",
		Message: "the rerank endpoint's answer is wrong: " + message,
		Hint: "check rerank.base_url and rerank.model: " +
			"the endpoint must use the format of Jina, Cohere v2, llama.cpp or vLLM"}
}
