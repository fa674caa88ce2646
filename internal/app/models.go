package app

import (
	"fmt"
	"strconv"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/internal/config"
	"github.com/citewell/citewell/llm"
)

// models builds the chat model and its fallback, where they are configured.
func models(c config.Config, guard *egress.Guard, endpoints *llm.Endpoints) ([]*llm.Client, error) {
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
		client, err := llm.New(llm.Options{BaseURL: c.LLM.BaseURL, APIKey: c.LLM.APIKey, Model: name, MaxTokens: c.LLM.MaxTokens,
			Temperature: c.LLM.Temperature, StructuredOutput: c.LLM.StructuredOutput, Extra: c.LLM.Extra,
			ContextWindow: window, Price: priceOf(c, name), Endpoints: endpoints, Guard: guard})
		if err != nil {
			return nil, err
		}
		clients = append(clients, client)
	}
	return clients, nil
}

// checkModels says what is wrong with the models' settings, before anything is opened.
func checkModels(c config.Config, guard *egress.Guard) error {
	_, err := models(c, guard, nil)
	return err
}

// contextWindow reads llm.context_window: auto, or a number of tokens.
func contextWindow(setting string) (int, error) {
	if setting == "" || setting == "auto" {
		return llm.AutoWindow, nil
	}
	n, err := strconv.Atoi(setting)
	if err != nil || n < 1024 {
		return 0, &citewell.Error{Code: citewell.CodeInvalidConfig, Message: fmt.Sprintf("llm.context_window is %.40q", setting),
			Hint: "auto, or a number of tokens from 1024 up"}
	}
	return n, nil
}

// priceOf is what a model costs; the zero price where llm.price does not name it.
func priceOf(c config.Config, model string) llm.Price { return llm.Price(c.LLM.Price[model]) }
