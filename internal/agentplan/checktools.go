package agentplan

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/config"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/tool/builtin"
	"github.com/citewell/citewell/internal/tool/custom"
)

// CheckTools says every mistake in the sections tools, toolsets and confirm. Nothing is started or reached: a name that
// only an MCP server may have is a warning, and so is a name in confirm that no tool has, since it guards nothing.
func CheckTools(c config.Config) (warnings []string, err error) {
	specs, err := custom.Parse(c.Tools, KnownClass)
	if err != nil {
		return nil, err
	}
	known := builtin.ToolNames()
	for _, s := range specs {
		known = append(known, s.Name)
	}
	missing := func(where, name string) string {
		_, bare, qualified := strings.Cut(name, "/")
		if !qualified {
			bare = name
		}
		if slices.Contains(known, bare) {
			return ""
		}
		return fmt.Sprintf("%s: there is no tool %.60q", where, name) + text.DidYouMean(bare, known)
	}
	servers := len(c.MCP.Servers) > 0
	var problems []string
	for _, toolset := range slices.Sorted(maps.Keys(c.Toolsets)) {
		for _, name := range c.Toolsets[toolset] {
			switch message := missing("toolsets."+toolset, name); {
			case message == "":
			case servers:
				warnings = append(warnings, message+", unless an MCP server has it")
			default:
				problems = append(problems, message)
			}
		}
	}
	shipped := config.Default()
	for _, name := range slices.Concat(c.RunCLI.Allow, c.RunCLI.Block) {
		if strings.ContainsAny(name, `/\ `) {
			warnings = append(warnings, fmt.Sprintf("run_cli: %.60q is no program's name; a path or a line of a shell "+
				"is never run", name))
		}
	}
	if c.RunCLI.Wall == "off" {
		warnings = append(warnings, "run_cli.wall is off: where this system lacks a part of the wall, programs can "+
			"read and change what this user can")
	}
	for _, name := range slices.Sorted(maps.Keys(c.Confirm)) {
		if c.Confirm[name] == shipped.Confirm[name] {
			continue
		}
		if message := missing("confirm", name); message != "" {
			if servers {
				message += ", unless an MCP server has it"
			}
			warnings = append(warnings, message)
		}
	}
	if len(problems) > 0 {
		return warnings, &citewell.Error{Code: citewell.CodeInvalidConfig, Op: "config",
			Message: strings.Join(problems, "\n"), Hint: "citewell tools lists them"}
	}
	return warnings, nil
}
