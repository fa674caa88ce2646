package app

import (
	"cmp"
	"context"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/internal/agentplan"
	"github.com/citewell/citewell/internal/config"
	"github.com/citewell/citewell/llm"
	"github.com/citewell/citewell/store"
)

// embedding builds the embedding model, nil where none is configured.
func embedding(c config.Config, guard, modelGuard *egress.Guard, cache store.Cache, heard func(context.Context, llm.Exchange)) (*llm.Embeddings, error) {
	if c.Embedding.Model == "" {
		return nil, nil
	}
	baseURL, key, shared := embeddingEndpoint(c)
	if shared {
		guard = modelGuard
	}
	o := llm.EmbeddingOptions{BaseURL: baseURL, APIKey: key, Model: c.Embedding.Model, Dimensions: c.Embedding.Dimensions, Guard: guard, Heard: heard}
	if cache != nil {
		o.Cache = cache
	}
	return llm.NewEmbeddings(o)
}

// reranker builds the reranker, nil where none is configured. The chat model's key goes
// to it where it is on the chat model's own host and has none of its own.
func reranker(c config.Config, guard, modelGuard *egress.Guard, heard func(context.Context, llm.Exchange)) (*llm.Reranker, error) {
	o := llm.RerankOptions{BaseURL: c.Rerank.BaseURL, APIKey: c.Rerank.APIKey, Model: c.Rerank.Model, Guard: guard, Heard: heard}
	if o.BaseURL == "" {
		return nil, checkRerank(c.Rerank)
	}
	if agentplan.SameHost(o.BaseURL, c.LLM.BaseURL) {
		if o.Guard = modelGuard; o.APIKey.Empty() {
			o.APIKey = c.LLM.APIKey
		}
	}
	return llm.NewReranker(o)
}

// checkRerank says what a reranker lacks that is named.
func checkRerank(r config.Rerank) error {
	if r.Model == "" || r.BaseURL != "" {
		return nil
	}
	return &citewell.Error{Code: citewell.CodeInvalidConfig, Message: "rerank.model is set and rerank.base_url is not",
		Hint: "as in http://127.0.0.1:8080/v1; /rerank is added to it"}
}

// embeddingEndpoint says where the embedding model is and which key goes there. What
// the embedding section leaves out comes from the chat model's, but the chat model's
// key only to the chat model's own host: shared says that it is the same.
func embeddingEndpoint(c config.Config) (baseURL string, key citewell.Secret, shared bool) {
	baseURL, key = cmp.Or(c.Embedding.BaseURL, c.LLM.BaseURL), c.Embedding.APIKey
	shared = agentplan.SameHost(baseURL, c.LLM.BaseURL)
	if key.Empty() && shared {
		key = c.LLM.APIKey
	}
	return baseURL, key, shared
}
