package app

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/agentplan"
	"github.com/citewell/citewell/internal/config"
	"github.com/citewell/citewell/internal/tool"
	"github.com/citewell/citewell/internal/tool/builtin"
	"github.com/citewell/citewell/internal/tool/custom"
)

// A kit is what an agent has beside its own tools.
type kit struct {
	tools     []*tool.Tool
	searching []string // their names that count as searches
	left      []string // what it does without, and why
}

// toolkit are the names of an agent's tools.
func toolkit(parts agentplan.Parts, k kit) []string {
	return append(parts.OwnTools(), tool.Names(k.tools)...)
}

// kitOf makes the tools of a definition. What is gone, hidden or cannot be reached is left out.
func (a *App) kitOf(ctx context.Context, parts agentplan.Parts, from config.Agent) (kit, error) {
	var k kit
	if len(parts.Tools) > 0 {
		registry, err := a.kitRegistry()
		if err != nil {
			return k, err
		}
		for _, name := range parts.Tools {
			t, err := a.kitTool(registry, name, from)
			switch {
			case err != nil:
				k.left = append(k.left, name+": "+citewell.View(err).Line())
			case !t.Offered():
				k.left = append(k.left, name+": "+t.Hidden)
			default:
				k.tools = append(k.tools, t)
				if slices.Contains(agentplan.Searching, name) && agentplan.Entry(a.Config.Tools, name) == "" {
					k.searching = append(k.searching, t.Name)
				}
			}
		}
	}
	for _, name := range parts.Servers {
		if _, ok := from.MCP.Servers[name]; !ok {
			return k, &citewell.Error{Code: citewell.CodeInvalidConfig, Op: "runs",
				Message: fmt.Sprintf("the run's agent has tools of the MCP server %.80q, which is not configured here",
					name),
				Hint: "add it to mcp.mcpServers, or execute the run where the server is configured"}
		}
	}
	servers := from.MCP
	servers.Servers = maps.Clone(servers.Servers)
	maps.DeleteFunc(servers.Servers, func(name string, _ config.MCPServer) bool {
		return !slices.Contains(parts.Servers, name)
	})
	if len(servers.Servers) == 0 {
		return k, nil
	}
	set, err := a.remoteSet(ctx, mcpServers(servers), agent.MaxToolResult)
	if err != nil {
		return k, err
	}
	for _, r := range set.Reports {
		if r.Err != nil {
			k.left = append(k.left, "MCP server "+r.Server+": "+citewell.View(r.Err).Line())
		}
	}
	for _, t := range set.Tools {
		if t.Offered() && !slices.ContainsFunc(k.tools, func(known *tool.Tool) bool { return known.Name == t.Name }) {
			k.tools = append(k.tools, t)
		}
	}
	return k, nil
}

// kitRegistry has Citewell's tools for agents, the same for all runs. There are no runs
// among them: a run begins no others.
func (a *App) kitRegistry() (*builtin.Registry, error) {
	return a.kit.get("", func() (*builtin.Registry, error) {
		parts, err := a.toolParts()
		parts.Manifold.Chat = a.chat // the agent's own model, whether there is another or not
		return builtin.New(parts, nil, nil), err
	})
}

// kitTool makes one tool: the operator's of that name, or Citewell's.
func (a *App) kitTool(registry *builtin.Registry, name string, from config.Agent) (*tool.Tool, error) {
	if entry := agentplan.Entry(a.Config.Tools, name); entry != "" {
		var settings map[string]any
		for _, t := range from.Tools {
			if agentplan.Entry(a.Config.Tools, t.Name) == entry {
				settings = t.Settings
			}
		}
		spec, err := agentplan.Operators(a.Config.Tools, entry, settings)
		if err != nil {
			return nil, err
		}
		if spec != nil {
			return custom.New(*spec, a.Guard, a.Config.Workdir), nil
		}
	}
	return registry.Tool(name)
}
