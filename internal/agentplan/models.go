package agentplan

import (
	"cmp"
	"net/url"

	"github.com/citewell/citewell/internal/config"
	"github.com/citewell/citewell/internal/weburl"
	"github.com/citewell/citewell/llm"
)

// A Model is an agent's model as it stands in a definition.
type Model struct {
	Name             string  `json:"name"`
	BaseURL          string  `json:"base_url,omitempty"` // without a password or a query
	MaxTokens        int     `json:"max_tokens"`
	Temperature      float64 `json:"temperature"`
	StructuredOutput string  `json:"structured_output,omitempty"`
	ContextWindow    string  `json:"context_window,omitempty"`
}

func modelOf(c config.Config, from config.Agent) Model {
	m := Model{Name: from.LLM.Model, BaseURL: PublicURL(from.LLM.BaseURL), MaxTokens: from.LLM.MaxTokens,
		Temperature:      from.LLM.Temperature,
		StructuredOutput: from.LLM.StructuredOutput, ContextWindow: from.LLM.ContextWindow}
	if m.ContextWindow == "" && m.Name == c.LLM.Model && SameHost(m.BaseURL, c.LLM.BaseURL) {
		m.ContextWindow = c.LLM.ContextWindow
	}
	return m
}

// PublicURL is a base URL without what only its owner should see.
func PublicURL(base string) string {
	u, err := url.Parse(base)
	if err != nil || u.User == nil && u.RawQuery == "" {
		return base
	}
	u.User, u.RawQuery = nil, ""
	return u.String()
}

// SameHost says whether two base URLs, of which an empty one is the default, are of one server.
func SameHost(a, b string) bool {
	u, errU := url.Parse(cmp.Or(a, llm.DefaultBaseURL))
	v, errV := url.Parse(cmp.Or(b, llm.DefaultBaseURL))
	return errU == nil && errV == nil && weburl.SameOrigin(u, v)
}
