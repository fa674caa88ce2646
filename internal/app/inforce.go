package app

import (
	"cmp"
	"maps"

	"github.com/citewell/citewell/internal/config"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/server/openai"
	"github.com/citewell/citewell/internal/server/quota"
	"github.com/citewell/citewell/internal/server/runs"
	"github.com/citewell/citewell/llm"
)

// inForce fills in the limits that a configuration leaves to the part that they bind.
func inForce(c config.Config) config.Config {
	l := &c.Server.Limits
	l.Runs = cmp.Or(l.Runs, job.DefaultParallel)
	l.ModelCalls = cmp.Or(l.ModelCalls, llm.DefaultParallel)
	l.OpenAIRequests = cmp.Or(l.OpenAIRequests, openai.DefaultRequests)
	l.RunStreams = cmp.Or(l.RunStreams, runs.DefaultStreams)
	l.QueuedRuns = cmp.Or(l.QueuedRuns, quota.DefaultQueued)
	return c
}

// Settings lists every setting with the value that is in force and where it was set: a limit that is left to the part
// that it binds is shown as that part has it, and so is the rate of each provider that is configured.
func Settings(l config.Loaded) []config.Setting {
	c := inForce(l.Config)
	c.Search.Providers = ratesInForce(c, c.Search)
	c.Agents = maps.Clone(c.Agents)
	for name, agent := range c.Agents {
		agent.Search.Providers = ratesInForce(c, agent.Search)
		c.Agents[name] = agent
	}
	l.Config = c
	return l.Settings()
}

func ratesInForce(c config.Config, of config.Search) map[string]config.Provider {
	deps := settingsInForce(c, of)
	providers := maps.Clone(of.Providers)
	if providers == nil {
		providers = map[string]config.Provider{}
	}
	for _, name := range deps.Configured() {
		p := providers[name]
		p.Rate = deps.Limits(name).Rate
		providers[name] = p
	}
	return providers
}
