package app

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/citewell/citewell/internal/config"
	"github.com/citewell/citewell/internal/doctor"
	"github.com/citewell/citewell/tool"
	"github.com/citewell/citewell/tool/builtin"
	"github.com/citewell/citewell/tool/custom"
	"github.com/citewell/citewell/tool/mcptools"
)

// extraTools are the operator's own tools and those of the MCP servers.
func (a *App) extraTools(ctx context.Context) ([]*tool.Tool, error) {
	specs, err := custom.Parse(a.Config.Tools, builtin.Known)
	if err != nil {
		return nil, err
	}
	var tools []*tool.Tool
	for _, s := range specs {
		t, err := custom.New(s, a.Guard, a.Config.Workdir)
		if err != nil {
			return nil, err
		}
		tools = append(tools, t)
	}
	remote, err := a.remoteTools(ctx)
	if err != nil {
		return nil, err
	}
	for _, t := range remote.Tools {
		if i := slices.IndexFunc(tools, func(known *tool.Tool) bool { return known.Name == t.Name }); i >= 0 {
			a.log.Warn("a tool of an MCP server has the name of one of your own and is left out", "tool", t.Name)
			continue
		}
		tools = append(tools, t)
	}
	return tools, nil
}

// remoteTools reaches the MCP servers, once for the life of the App.
func (a *App) remoteTools(ctx context.Context) (*mcptools.Set, error) {
	a.remoteOnce.Lock()
	defer a.remoteOnce.Unlock()
	if a.remote != nil {
		return a.remote, nil
	}
	set, err := mcptools.Open(ctx, mcpServers(a.Config), a.remoteOptions())
	if err == nil {
		a.remote = set
	}
	return set, err
}

func (a *App) remoteOptions() mcptools.Options {
	return mcptools.Options{Version: a.version, Limit: a.Config.Execution.MCPContextLimit, Pins: pinsFile(a.paths), Dir: a.Config.Workdir, Guard: a.Guard, Log: a.log}
}

// mcpServers are the configured servers, by name.
func mcpServers(c config.Config) []mcptools.Server {
	var servers []mcptools.Server
	for _, name := range slices.Sorted(maps.Keys(c.MCP.Servers)) {
		s := c.MCP.Servers[name]
		servers = append(servers, mcptools.Server{Name: name, URL: s.URL, Headers: s.Headers, Command: s.Command, Args: s.Args, Env: s.Env})
	}
	return servers
}

func pinsFile(paths config.Paths) string { return filepath.Join(paths.Data, "mcp-tools.json") }

// AcceptTool takes a tool of an MCP server as the server now describes it.
func (a *App) AcceptTool(name string) error { return mcptools.Accept(pinsFile(a.paths), name) }

// tryServer reaches one MCP server as a run would.
func (a *App) tryServer(ctx context.Context, server mcptools.Server) (doctor.Answer, error) {
	set, err := mcptools.Open(ctx, []mcptools.Server{server}, a.remoteOptions())
	if err != nil {
		return doctor.Answer{}, err
	}
	defer set.Close()
	r := set.Reports[0]
	answer := doctor.Answer{Detail: fmt.Sprintf("%d tools", r.Tools)}
	if r.Changed > 0 {
		answer.Doubt, answer.Hint = fmt.Sprintf("%d of them changed and are kept back", r.Changed), "citewell tools --all shows them; citewell tools --accept NAME takes one as it is now"
	}
	return answer, r.Err
}
