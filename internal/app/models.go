package app

import (
	"context"
	"fmt"
	"strconv"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/config"
	"github.com/citewell/citewell/internal/judge"
	"github.com/citewell/citewell/internal/meaning"
	"github.com/citewell/citewell/llm"
)

// models are those that are configured for all.
type models struct {
	Models    []*llm.Client   // the chat model and its fallback
	Embedding *llm.Embeddings // nil where none is configured
	Reranker  *llm.Reranker   // nil where none is configured
	Judge     *judge.Judge    // nil where there is none, or judge.use is never
	endpoints *llm.Endpoints  // what is known of the models' endpoints
}

// embedder is the embedding model as what works without one takes it.
func (m models) embedder() meaning.Embedder {
	if m.Embedding == nil {
		return nil
	}
	return m.Embedding
}

type heardModel = func(context.Context, llm.Exchange)

func newModels(s settings, n network, e *llm.Endpoints, cache llm.Cache, heard heardModel) (models, error) {
	c, m := s.Config, models{endpoints: e}
	var err error
	if m.Models, err = chatModels(c, n, e); err != nil {
		return m, err
	}
	if m.Embedding, err = newEmbedding(c, n, cache, heard); err != nil {
		return m, err
	}
	if m.Reranker, err = newReranker(c, n, heard); err != nil {
		return m, err
	}
	m.Judge, err = newJudge(s, n, e, cache, heard)
	return m, err
}

// chatModels builds the chat model and its fallback, where they are configured.
func chatModels(c config.Config, n network, endpoints *llm.Endpoints) ([]*llm.Client, error) {
	window, err := contextWindow(c.LLM.ContextWindow)
	if err != nil {
		return nil, err
	}
	var clients []*llm.Client
	for _, name := range []string{c.LLM.Model, c.Brief.FallbackModel} {
		if name == "" || c.LLM.Model == "" {
			continue
		}
		if name != c.LLM.Model {
			window = llm.AutoWindow // what is configured is llm.model's
		}
		client, err := llm.New(llm.Options{BaseURL: c.LLM.BaseURL, APIKey: c.LLM.APIKey, Model: name,
			MaxTokens: c.LLM.MaxTokens, Temperature: c.LLM.Temperature, StructuredOutput: c.LLM.StructuredOutput,
			Extra: c.LLM.Extra, ContextWindow: window, Price: priceOf(c,
				name), Endpoints: endpoints, Guard: n.modelGuard})
		if err != nil {
			return nil, err
		}
		clients = append(clients, client)
	}
	return clients, nil
}

// contextWindow reads llm.context_window: auto, or a number of tokens.
func contextWindow(setting string) (int, error) {
	if setting == "" || setting == "auto" {
		return llm.AutoWindow, nil
	}
	n, err := strconv.Atoi(setting)
	if err != nil || n < 1024 {
		return 0, &citewell.Error{Code: citewell.CodeInvalidConfig,
			Message: fmt.Sprintf("llm.context_window is %.40q", setting),
			Hint:    "auto, or a number of tokens from 1024 up"}
	}
	return n, nil
}

// priceOf is what a model costs; the zero price where llm.price does not name it.
func priceOf(c config.Config, model string) llm.Price { return llm.Price(c.LLM.Price[model]) }

func newEmbedding(c config.Config, n network, cache llm.Cache, heard heardModel) (*llm.Embeddings, error) {
	if c.Embedding.Model == "" {
		return nil, nil
	}
	at := n.besideLLM(c.LLM, c.Embedding.BaseURL, c.Embedding.APIKey)
	return llm.NewEmbeddings(llm.EmbeddingOptions{BaseURL: at.baseURL, APIKey: at.key, Model: c.Embedding.Model,
		Dimensions: c.Embedding.Dimensions, Guard: at.guard, Cache: cache, Heard: heard})
}

func newReranker(c config.Config, n network, heard heardModel) (*llm.Reranker, error) {
	if c.Rerank.BaseURL == "" {
		return nil, checkRerank(c.Rerank)
	}
	at := n.besideLLM(c.LLM, c.Rerank.BaseURL, c.Rerank.APIKey)
	return llm.NewReranker(llm.RerankOptions{BaseURL: at.baseURL, APIKey: at.key, Model: c.Rerank.Model,
		Guard: at.guard, Heard: heard})
}

// checkRerank says what a reranker lacks that is named.
func checkRerank(r config.Rerank) error {
	if r.Model == "" || r.BaseURL != "" {
		return nil
	}
	return &citewell.Error{Code: citewell.CodeInvalidConfig, Message: "rerank.model is set and rerank.base_url is not",
		Hint: "as in http://127.0.0.1:8080/v1; /rerank is added to it"}
}
