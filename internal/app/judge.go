package app

import (
	"cmp"
	"context"
	"fmt"
	"sync"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/internal/judge"
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
func (a *App) AskJudge() cite.Ask { return a.askJudge(nil) }

// AskJudgeInBudget is AskJudge for one command: calls for which budget.tokens and budget.usd have no
// room, over all that it asks, are not made.
func (a *App) AskJudgeInBudget() (cite.Ask, error) {
	limits, err := a.budget()
	if err != nil {
		return nil, err
	}
	spent := judgeSpending{tokens: limits.Tokens, usd: limits.USD,
		price: priceOf(a.Config, cmp.Or(a.Config.Judge.Model, a.Config.LLM.Model))}
	return a.askJudge(spent.through), nil
}

func (a *App) askJudge(through judge.Through) cite.Ask {
	if a.Judge == nil {
		return nil
	}
	return func(ctx context.Context, question, topic string, about []*cite.Inquiry) ([]cite.Opinion, error) {
		return a.Judge.Ask(ctx, judge.Question{Question: question, Topic: topic}, about, through)
	}
}

// judgeSpending is what calls of a judge have spent of a budget, those under way as if they took all
// that they may.
type judgeSpending struct {
	tokens int     // at most; no limit where it is not above 0
	usd    float64 // at most; no limit where it is not above 0
	price  llm.Price

	mu         sync.Mutex
	usedTokens int
	usedUSD    float64
}

func (s *judgeSpending) through(ctx context.Context, c judge.Call) (judge.Answer, error) {
	most := s.price.Of(llm.Reply{InputTokens: c.Tokens})
	if !s.take(c.Tokens, most) {
		return judge.Answer{}, &citewell.Error{Code: citewell.CodeBudgetExhausted, Op: "judge",
			Message: "the budget has no room for further calls of the judge",
			Hint:    "raise budget.tokens or budget.usd, or check less at once"}
	}
	answer, err := c.Do(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.usedTokens += answer.Input + answer.Output - c.Tokens
	paid := llm.Reply{InputTokens: answer.Input, CachedTokens: answer.Cached, OutputTokens: answer.Output}
	s.usedUSD += s.price.Of(paid) - most
	return answer, err
}

// take reserves what a call may spend, and reports whether there is room for it.
func (s *judgeSpending) take(tokens int, usd float64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tokens > 0 && s.usedTokens+tokens > s.tokens || s.usd > 0 && s.usedUSD+usd > s.usd {
		return false
	}
	s.usedTokens, s.usedUSD = s.usedTokens+tokens, s.usedUSD+usd
	return true
}
