package app

import (
	"slices"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agentplan"
	"github.com/citewell/citewell/internal/config"
	"github.com/citewell/citewell/internal/job"
)

// Who keeps all questions to one provider, or a run to some, or switches one off, has walls
// that no choice of a run climbs.
func TestChoicesKeepToWalls(t *testing.T) {
	both := map[string]config.Provider{"searxng": {BaseURL: "http://127.0.0.1:1"},
		"duckduckgo": {BaseURL: "http://127.0.0.1:1"}}
	for _, test := range []struct {
		name    string
		change  func(*config.Config)
		sources agentplan.Sources
		want    []string // that are offered
		refused string   // a provider
	}{
		{"all", nil, agentplan.Sources{}, []string{"duckduckgo", "local", "searxng"}, "brave"},
		{"one_engine", func(c *config.Config) { c.Search.Engine = "searxng" }, agentplan.Sources{},
			[]string{"local", "searxng"}, "duckduckgo"},
		{"switched_off", func(c *config.Config) {
			c.Search.Providers["duckduckgo"] = config.Provider{BaseURL: "http://127.0.0.1:1", Enabled: "false"}
		}, agentplan.Sources{}, []string{"local", "searxng"}, "duckduckgo"},
		{"no_documents", func(c *config.Config) { c.Search.Providers["local"] = config.Provider{Enabled: "false"} },
			agentplan.Sources{}, []string{"duckduckgo", "searxng"}, "local"},
		{"of_the_runs", nil, agentplan.Sources{Providers: []string{"searxng"}}, []string{"local", "searxng"},
			"duckduckgo"},
		{"a_folder", nil, agentplan.Sources{Docs: "/notes"}, nil, "searxng"},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := open(t, Options{Config: loaded(t, func(c *config.Config) {
				c.Search.Providers = map[string]config.Provider{}
				for name, p := range both {
					c.Search.Providers[name] = p
				}
				if test.change != nil {
					test.change(c)
				}
			})})
			if test.sources.Docs != "" {
				test.sources.Docs = t.TempDir()
			}
			runs, err := a.NewRuns(t.Context(), RunsOptions{Sources: test.sources})
			if err != nil {
				t.Fatal(err)
			}
			offer, err := runs.Offer(t.Context(), BriefAgent)
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, p := range offer.Providers {
				names = append(names, p.Name)
			}
			if !slices.Equal(names, test.want) {
				t.Errorf("offered are %v, want %v", names, test.want)
			}
			_, err = runs.Start(t.Context(), job.Start{Agent: BriefAgent, Task: "x",
				Choices: job.Choices{Providers: []string{test.refused}}})
			if view := citewell.View(err); view.Code != citewell.CodeNotFound || len(test.want) > 0 &&
				!strings.Contains(view.Hint, strings.Join(test.want, ", ")) {
				t.Errorf("%s is refused with %s", test.refused, view.Line())
			}
		})
	}
}
