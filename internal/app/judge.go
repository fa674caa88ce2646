package app

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/internal/judge"
	"github.com/citewell/citewell/internal/tool"
	"github.com/citewell/citewell/llm"
)

// newJudge builds the judge of claims: nil where there is no model for it, or judge.use is never. What
// the judge section leaves out comes from llm, but llm's key goes only to llm's own host.
func newJudge(s settings, n network, e *llm.Endpoints, cache llm.Cache, heard heardModel) (*judge.Judge, error) {
	c := s.Config
	model, at := cmp.Or(c.Judge.Model, c.LLM.Model), n.besideLLM(c.LLM, c.Judge.BaseURL, c.Judge.APIKey)
	o := judge.Options{Protocol: c.Judge.Protocol, Endpoint: at.baseURL, Cache: cache, Log: s.warn,
		MaxTokens: cmp.Or(c.Judge.MaxTokens, c.LLM.MaxTokens)}
	switch {
	case c.Judge.Use == "never":
		return nil, nil
	case c.Judge.Protocol == judge.ProtocolClassify:
		if c.Judge.BaseURL == "" {
			return nil, &citewell.Error{Code: citewell.CodeInvalidConfig,
				Message: "judge.protocol is classify and judge.base_url is not set",
				Hint:    "as in http://127.0.0.1:8080; /predict is added to it"}
		}
		classifier, err := llm.NewClassifier(llm.ClassifierOptions{BaseURL: at.baseURL, APIKey: at.key,
			Model: c.Judge.Model, Guard: at.guard, Heard: heard})
		if err != nil {
			return nil, err
		}
		o.Classifier = classifier
		return judge.New(o), nil
	case model == "" && c.Judge.BaseURL != "":
		return nil, &citewell.Error{Code: citewell.CodeInvalidConfig,
			Message: "judge.base_url is set and judge.model is not", Hint: "set judge.model, or leave both to llm"}
	case model == "":
		return nil, nil
	}
	of := llm.Options{BaseURL: at.baseURL, APIKey: at.key, Model: model, MaxTokens: o.MaxTokens,
		ContextWindow: llm.AutoWindow, Price: priceOf(c, model), Endpoints: e, Guard: at.guard}
	if at.shared { // what llm says of its endpoint holds for the judge there
		of.StructuredOutput, of.Extra = c.LLM.StructuredOutput, c.LLM.Extra
	}
	if at.shared && model == c.LLM.Model {
		var err error
		if of.ContextWindow, err = contextWindow(c.LLM.ContextWindow); err != nil {
			return nil, err
		}
	}
	client, err := llm.New(of)
	if err != nil {
		view := citewell.View(err)
		return nil, &citewell.Error{Code: citewell.CodeInvalidConfig, Message: fmt.Sprintf("judge: %s", view.Message),
			Hint: view.Hint, Err: err}
	}
	o.Model = client
	return judge.New(o), nil
}

// AskJudge asks the judge of claims as a brief and a check do; nil where there is none.
func (a *App) AskJudge() cite.Ask {
	if a.Judge == nil {
		return nil
	}
	return a.Judge.Asking(nil)
}

// AskJudgeInBudget is AskJudge for one command: calls for which budget.tokens and budget.usd have no
// room, over all that it asks, are not made.
func (a *App) AskJudgeInBudget() (cite.Ask, error) {
	limits, err := a.budget()
	if err != nil || a.Judge == nil {
		return nil, err
	}
	price := priceOf(a.Config, cmp.Or(a.Config.Judge.Model, a.Config.LLM.Model))
	return a.Judge.Asking((&judge.Budget{Tokens: limits.Tokens, USD: limits.USD, Price: price}).Through), nil
}

// lentWindow is how many tokens of a caller's model a question and its answer may take: those that
// lend one have models which read more, and one question is all that its user sees.
const lentWindow = 32_000

// toolJudge asks the judge of claims in calls of tools: the configured one, else the caller's own
// model where it lends one. Nil where judge.use is never, or nobody can be asked.
func (a *App) toolJudge() cite.Ask {
	if of := a.Config.Judge; a.Judge != nil || of.Use == "never" || of.Sampling == "never" {
		return a.AskJudge()
	}
	return func(ctx context.Context, question, topic string, about []*cite.Inquiry) ([]cite.Opinion, error) {
		caller := tool.CallerOf(ctx)
		if caller.Sample == nil {
			return nil, nil
		}
		o := judge.Options{Model: judge.Lend(caller.Sample), Lent: true, Protocol: judge.ProtocolChat,
			Window: lentWindow, MaxTokens: a.Config.Judge.MaxTokens, Log: a.warn,
			Endpoint: strings.Join([]string{"sampling", a.tenant, caller.Name, caller.Program}, "\x00")}
		if a.Cache != nil {
			o.Cache = a.Cache
		}
		return judge.New(o).Asking(nil)(ctx, question, topic, about)
	}
}
