package app

import (
	"encoding/json"
	"fmt"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agentplan"
	"github.com/citewell/citewell/internal/config"
	"github.com/citewell/citewell/llm"
)

// modelFor gives the client of an agent's model. from has what no definition holds: a key goes to the host that it was
// configured for and to no other, and so does what is sent beside a request.
func (a *App) modelFor(m agentplan.Model, from config.Agent) (*llm.Client, error) {
	o := llm.Options{BaseURL: m.BaseURL, Model: m.Name, MaxTokens: m.MaxTokens, Temperature: m.Temperature,
		StructuredOutput: m.StructuredOutput, Price: llm.Price(from.LLM.Price[m.Name]), Endpoints: a.endpoints}
	if m.Name == "" {
		return nil, &citewell.Error{Code: citewell.CodeModelNotConfigured, Op: "runs",
			Message: "there is no chat model", Hint: "set llm.base_url and llm.model"}
	}
	if agentplan.SameHost(m.BaseURL, a.Config.LLM.BaseURL) {
		o.APIKey = a.Config.LLM.APIKey
	}
	if agentplan.SameHost(m.BaseURL, from.LLM.BaseURL) {
		if o.Extra = from.LLM.Extra; !from.LLM.APIKey.Empty() {
			o.APIKey = from.LLM.APIKey
		}
		if agentplan.PublicURL(from.LLM.BaseURL) == m.BaseURL {
			o.BaseURL = from.LLM.BaseURL
		}
	}
	var err error
	if o.ContextWindow, err = contextWindow(m.ContextWindow); err != nil {
		return nil, err
	}
	if o.Guard = a.modelGuard; from.LLM.Proxy != a.Config.LLM.Proxy {
		if o.Guard, err = a.behind(from.LLM.Proxy, "llm.proxy"); err != nil {
			return nil, err
		}
	}
	return a.clientOf(o, from.LLM.Proxy)
}

// clientOf gives the client for o, which asks through that proxy: one for each way of asking.
func (p *parts) clientOf(o llm.Options, proxy string) (*llm.Client, error) {
	extra, err := json.Marshal(o.Extra) // its keys are sorted
	if err != nil {
		return nil, &citewell.Error{Code: citewell.CodeInvalidConfig,
			Message: "llm.extra cannot be sent as JSON", Err: err}
	}
	key := citewell.SHA256(fmt.Appendf(nil, "%q %q %q %d %v %q %d %v %s %q", o.BaseURL, o.APIKey.Reveal(), o.Model,
		o.MaxTokens, o.Temperature, o.StructuredOutput, o.ContextWindow, o.Price, extra, proxy))
	return p.clients.get(key, func() (*llm.Client, error) { return llm.New(o) })
}
