package app

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/agentplan"
	"github.com/citewell/citewell/internal/config"
	"github.com/citewell/citewell/internal/tool/compat/manifold"
	"github.com/citewell/citewell/internal/weburl"
	"github.com/citewell/citewell/llm"
)

// chat gives the model that a tool's caller wants: its own, or the configured one, under another name or at another
// endpoint. An endpoint on another host than the operator's is judged as a page is, and gets no key.
func (a *App) chat(ctx context.Context, model, baseURL string) (manifold.Chatter, error) {
	own := agent.ClientOf(ctx)
	if own == nil && len(a.Models) > 0 {
		own = a.Models[0]
	}
	if model == "" && baseURL == "" && own != nil {
		return own, nil
	}
	o := llm.Options{Guard: a.Guard, ContextWindow: llm.AutoWindow, Endpoints: a.endpoints}
	if own != nil {
		o = own.Options()
	}
	if model != "" && model != o.Model {
		o.Model, o.ContextWindow, o.Price = model, llm.AutoWindow, priceOf(a.Config, model)
	}
	if baseURL != "" && !agentplan.SameHost(baseURL, o.BaseURL) {
		u, err := weburl.Parse(baseURL)
		if err != nil {
			return nil, err
		}
		o.BaseURL, o.APIKey, o.Extra, o.Foreign, o.Guard = u.String(), citewell.Secret{}, nil, true, a.Guard
		// Nothing of a caller's endpoint is kept: there may be any number of them.
		o.ContextWindow, o.Price, o.Endpoints = llm.AutoWindow, llm.Price{}, nil
	} else if baseURL != "" {
		o.BaseURL = baseURL
	}
	if o.Model == "" {
		return nil, &citewell.Error{Code: citewell.CodeModelNotConfigured, Op: "llm",
			Message: "there is no model to ask", Hint: "name one in model, or set llm.model"}
	}
	return llm.New(o)
}

// specialists are those that are configured and not paused, by name. What one leaves
// out is llm's; llm's key goes along only to llm's own endpoint.
func specialists(c config.Config, n network, endpoints *llm.Endpoints) ([]manifold.Specialist, error) {
	var list []manifold.Specialist
	for i, r := range c.Routes {
		if _, known := c.Specialists[r.Name]; !known {
			return nil, &citewell.Error{Code: citewell.CodeInvalidConfig,
				Message: fmt.Sprintf("routes, item %d: there is no specialist %.60q", i+1, r.Name)}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Specialists)) {
		s := c.Specialists[name]
		if s.Paused {
			continue
		}
		at, model := n.besideLLM(c.LLM, s.BaseURL, s.APIKey), cmp.Or(s.Model, c.LLM.Model)
		o := llm.Options{BaseURL: at.baseURL, APIKey: at.key, Model: model, MaxTokens: c.LLM.MaxTokens,
			Temperature: c.LLM.Temperature, StructuredOutput: c.LLM.StructuredOutput, Extra: s.Extra,
			ContextWindow: llm.AutoWindow, Endpoints: endpoints, Guard: n.Guard, Price: priceOf(c, model)}
		if _, err := llm.New(o); err != nil {
			view := citewell.View(err)
			return nil, &citewell.Error{Code: citewell.CodeInvalidConfig,
				Message: fmt.Sprintf("specialists.%s: %s", name, view.Message), Hint: view.Hint, Err: err}
		}
		suits, err := routesTo(c.Routes, name)
		if err != nil {
			return nil, err
		}
		list = append(list, manifold.Specialist{Name: name, Description: s.Description, System: s.System,
			Effort: s.ReasoningEffort, Suits: suits,
			Chat: func(effort string) (manifold.Chatter, error) {
				o.ReasoningEffort = effort
				return llm.New(o)
			}})
	}
	return list, nil
}

// routesTo says which prompts the first route that fits sends to a specialist.
func routesTo(routes []config.Route, name string) (func(string) bool, error) {
	var fits []func(string) bool
	for i, r := range routes {
		var expressions []*regexp.Regexp
		for _, expression := range r.Regex {
			e, err := regexp.Compile(expression)
			if err != nil {
				return nil, &citewell.Error{Code: citewell.CodeInvalidConfig,
					Message: fmt.Sprintf("routes, item %d: %.60q is no regular expression", i+1, expression), Err: err}
			}
			expressions = append(expressions, e)
		}
		fits = append(fits, func(prompt string) bool {
			lower := strings.ToLower(prompt)
			return slices.ContainsFunc(r.Contains, func(word string) bool {
				return word != "" && strings.Contains(lower, strings.ToLower(word))
			}) ||
				slices.ContainsFunc(expressions, func(e *regexp.Regexp) bool { return e.MatchString(prompt) })
		})
	}
	return func(prompt string) bool {
		i := slices.IndexFunc(fits, func(fit func(string) bool) bool { return fit(prompt) })
		return i >= 0 && routes[i].Name == name
	}, nil
}
