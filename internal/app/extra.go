package app

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agentplan"
	"github.com/citewell/citewell/internal/config"
	"github.com/citewell/citewell/internal/doctor"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/tool"
	"github.com/citewell/citewell/internal/tool/custom"
	"github.com/citewell/citewell/internal/tool/mcptools"
)

// extraTools are the operator's own tools and those of the MCP servers.
func (a *App) extraTools(ctx context.Context) ([]*tool.Tool, error) {
	specs, err := custom.Parse(a.Config.Tools, agentplan.KnownClass)
	if err != nil {
		return nil, err
	}
	var tools []*tool.Tool
	for _, s := range specs {
		tools = append(tools, custom.New(s, a.Guard, a.Config.Workdir))
	}
	remote, err := a.remoteTools(ctx)
	if err != nil {
		return nil, err
	}
	for _, t := range remote.Tools {
		if slices.ContainsFunc(tools, func(known *tool.Tool) bool { return known.Name == t.Name }) {
			a.log.Warn("a tool of an MCP server has the name of one of your own and is left out", "tool", t.Name)
			continue
		}
		tools = append(tools, t)
	}
	return tools, nil
}

// remoteTools reaches the MCP servers that are everybody's.
func (a *App) remoteTools(ctx context.Context) (*mcptools.Set, error) {
	return a.remoteSet(ctx, mcpServers(a.Config.MCP), a.Config.Execution.MCPContextLimit)
}

// remoteSet reaches a set of MCP servers, each set once for the life of the App. The
// end of ctx does not keep it from that: what is not reached now stays so.
func (a *App) remoteSet(ctx context.Context, servers []mcptools.Server, limit int) (*mcptools.Set, error) {
	key := fmt.Sprint(limit)
	for _, s := range servers {
		key += fmt.Sprintf(" %q", []any{s.Name, s.URL, s.Command, s.Args, revealed(s.Headers),
			revealed(s.Env), s.Trust})
	}
	return a.remotes.get(key, func() (*mcptools.Set, error) {
		return mcptools.Open(context.WithoutCancel(ctx), servers, a.remoteOptions(limit))
	})
}

// revealed gives secrets in the order of their names, to tell one server from another.
func revealed(secrets map[string]citewell.Secret) []string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(secrets)) {
		all = append(all, name, secrets[name].Reveal())
	}
	return all
}

func (a *App) remoteOptions(limit int) mcptools.Options {
	return mcptools.Options{Version: a.version, Limit: limit, Pins: pinsFile(a.paths), Dir: a.Config.Workdir,
		Guard: a.Guard, Log: a.log, Read: a.readSent}
}

// mcpServers are the configured servers, by name.
func mcpServers(c config.MCP) []mcptools.Server {
	var servers []mcptools.Server
	for _, name := range slices.Sorted(maps.Keys(c.Servers)) {
		s := c.Servers[name]
		servers = append(servers, mcptools.Server{Name: name, URL: s.URL, Headers: s.Headers, Command: s.Command,
			Args: s.Args, Env: s.Env, Trust: mcptools.Trust(s.Trust)})
	}
	return servers
}

func pinsFile(paths config.Paths) string { return filepath.Join(paths.Data, "mcp-tools.json") }

// AcceptTool takes a tool of an MCP server as the server now describes it.
func (a *App) AcceptTool(name string) error { return mcptools.Accept(pinsFile(a.paths), name) }

// tryServer reaches one MCP server as a run would.
func (a *App) tryServer(ctx context.Context, server mcptools.Server) (doctor.Answer, error) {
	set, err := mcptools.Open(ctx, []mcptools.Server{server}, a.remoteOptions(a.Config.Execution.MCPContextLimit))
	if err != nil {
		return doctor.Answer{}, err
	}
	defer set.Close()
	r := set.Reports[0]
	answer := doctor.Answer{Detail: text.Count(r.Tools, "tool")}
	acting := 0
	for _, t := range set.Tools {
		if !t.Hints.ReadOnly {
			acting++
		}
	}
	if acting > 0 {
		answer.Detail += fmt.Sprintf("; %d count as acting, and are refused once a run has read anything: those that "+
			"change nothing belong into mcp.mcpServers.%s.trust.read_only_tools", acting, server.Name)
	}
	if r.Changed > 0 {
		answer.Doubt, answer.Hint = keptBack(r), "citewell tools --all shows them; citewell tools --accept NAME takes "+
			"one as it is now"
	}
	return answer, unusable(r)
}

// ServerWarnings says of each MCP server that cannot be used, or has tools that are kept
// back, that its tools are missing, and why.
func (a *App) ServerWarnings(ctx context.Context) ([]string, error) {
	set, err := a.remoteTools(ctx)
	if err != nil {
		return nil, err
	}
	var warnings []string
	for _, r := range set.Reports {
		switch {
		case r.Err != nil:
			warnings = append(warnings, fmt.Sprintf("tools are missing: %s (citewell doctor tests it)",
				citewell.View(unusable(r)).Message))
		case r.Changed > 0:
			warnings = append(warnings, fmt.Sprintf("tools of the MCP server %s are missing: %s (citewell tools --all "+
				"shows them)", r.Server, keptBack(r)))
		}
	}
	return warnings, nil
}

func keptBack(r mcptools.Report) string {
	return fmt.Sprintf("%d of its %s changed, kept back", r.Changed, text.Count(r.Tools, "tool"))
}

// unusable is why a server cannot be used, with what was behind it: doctor is the one to whom the error itself refers.
func unusable(r mcptools.Report) error {
	if e, ours := errors.AsType[*citewell.Error](r.Err); ours && e.Code == citewell.CodeConnectFailed && e.Err != nil {
		return &citewell.Error{Code: e.Code, Op: e.Op, Message: e.Message + ": " + citewell.View(e.Err).Message,
			Hint: "see mcp.mcpServers." + r.Server + " in the configuration", Err: e.Err}
	}
	return r.Err
}
