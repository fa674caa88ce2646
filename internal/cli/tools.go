package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/citewell/citewell/internal/app"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/tool"
	"github.com/citewell/citewell/internal/tool/builtin"
	"github.com/clipperhouse/displaywidth"
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/spf13/cobra"
)

func newTools(e *env) *cobra.Command {
	var toolset, accept string
	var all bool
	cmd := &cobra.Command{
		Use:   "tools [NAME]",
		Short: "List the tools of a toolset, or describe one",
		Long: "Lists the tools that citewell call, citewell mcp and citewell serve offer, by toolset. A tool\n" +
			"whose key, model or backend is missing is not offered; --all shows it with the reason. --json is\n" +
			"the list that an MCP client gets, with short schemas. With a NAME it describes that tool alone,\n" +
			"with its arguments and every field of its result.",
		Example: "  citewell tools --all\n  citewell tools web_search\n  citewell tools --toolset manifold --json",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usage(fmt.Sprintf("one tool only, not %d", len(args)), "without a name all of them are listed")
			}
			return nil
		},
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			a, set, err := e.openToolset(cmd.Context(), toolset, accept)
			if err != nil {
				return err
			}
			defer a.Close()
			tools := set.Offered()
			if all {
				tools = set.Tools
			}
			if len(args) == 1 {
				t, err := set.Find(args[0])
				if err != nil {
					return err
				}
				tools = []*tool.Tool{t}
			}
			switch {
			case e.json:
				return e.writeJSON(asListed(tools, len(args) == 1))
			case len(args) == 1:
				return e.describe(tools[0])
			}
			return e.printTools(set, tools, toolsets(a.Config.Toolsets))
		},
	}
	toolsetFlag(cmd, &toolset)
	cmd.Flags().BoolVar(&all, "all", false, "also list tools that are not configured, with the reason")
	cmd.Flags().StringVar(&accept, "accept", "",
		"accept this tool of an MCP server (`NAME`) as the server now describes it")
	e.jsonFlag(cmd)
	return cmd
}

// describe says what a tool takes and gives.
func (e *env) describe(t *tool.Tool) error {
	text := "# " + t.Name + "\n\n"
	if t.Hidden != "" {
		text += "Not offered: " + t.Hidden + "\n\n"
	}
	return e.writeMarkdown(text + t.Document())
}

// openToolset opens the parts and the toolset of a name, and accepts a tool of an MCP server
// first where one is named. The caller closes the App.
func (e *env) openToolset(ctx context.Context, name, accept string) (*app.App, *tool.Toolset, error) {
	a, err := e.open(ctx)
	if err != nil {
		return nil, nil, err
	}
	if accept != "" {
		err = a.AcceptTool(accept)
	}
	var registry *builtin.Registry
	if err == nil {
		registry, err = a.Tools(ctx)
	}
	var set *tool.Toolset
	if err == nil {
		set, err = registry.Toolset(name)
	}
	if err == nil {
		err = e.warnOfServers(ctx, a)
	}
	if err != nil {
		return nil, nil, errors.Join(err, a.Close())
	}
	return a, set, nil
}

// toolsets are the names of those that there are, beside the operator's own.
func toolsets(own map[string][]string) []string {
	return builtin.New(builtin.Parts{}, own, nil).Names()
}

// warnOfServers says which MCP servers' tools are missing.
func (e *env) warnOfServers(ctx context.Context, a *app.App) error {
	warnings, err := a.ServerWarnings(ctx)
	for _, warning := range warnings {
		fmt.Fprintln(e.stderr, "warning:", clean(warning))
	}
	return err
}

// wallsAfter is when walls are tried after a start, which costs as much as the start itself:
// who only asks for a list of tools is gone by then.
const wallsAfter = time.Second

// warnOfWalls says once which walls are missing: in the log, or where its level leaves
// warnings out, beside it. stop ends that.
func (e *env) warnOfWalls(ctx context.Context, a *app.App) (stop func()) {
	return beside(ctx, func(ctx context.Context) {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wallsAfter):
		}
		for _, missing := range a.MissingWalls(ctx) {
			if ctx.Err() == nil && !a.Log().Enabled(ctx, slog.LevelWarn) {
				fmt.Fprintln(e.stderr, "warning: a wall is missing:", clean(missing))
			}
		}
	})
}

// toolsetFlag gives a command its --toolset.
func toolsetFlag(cmd *cobra.Command, toolset *string) {
	cmd.Flags().StringVar(toolset, "toolset", builtin.DefaultToolset, "the toolset's `NAME`")
	complete(cmd, "toolset", toolsets(nil)...)
}

// listed is a tool as MCP lists it.
type listed struct {
	Name         string             `json:"name"`
	Title        string             `json:"title,omitempty"`
	Description  string             `json:"description"`
	InputSchema  *jsonschema.Schema `json:"inputSchema"`
	OutputSchema *jsonschema.Schema `json:"outputSchema,omitempty"`
	Annotations  annotations        `json:"annotations"`
	Hidden       string             `json:"hidden,omitempty"`
}

type annotations struct {
	ReadOnlyHint    bool `json:"readOnlyHint"`
	DestructiveHint bool `json:"destructiveHint"`
	IdempotentHint  bool `json:"idempotentHint"`
	OpenWorldHint   bool `json:"openWorldHint"`
}

// asListed is MCP's list of tools, with the whole of their schemas or as MCP clients get them.
func asListed(tools []*tool.Tool, whole bool) any {
	list := make([]listed, len(tools))
	for i, t := range tools {
		input, output := t.Listed()
		if whole {
			input, output = t.Input, t.Output
		}
		list[i] = listed{Name: t.Name, Title: t.Title, Description: t.Description, InputSchema: input,
			OutputSchema: output,
			Annotations:  annotations{t.Hints.ReadOnly, t.Hints.Destructive, t.Hints.Idempotent, t.Hints.OpenWorld},
			Hidden:       t.Hidden}
	}
	return map[string][]listed{"tools": list}
}

// firstSentence gives the first sentence of a description, or what a line has room for.
func firstSentence(s string) string {
	const longest = 81 // columns
	s, _, _ = strings.Cut(text.OneLine(s), ". ")
	return strings.TrimSuffix(displaywidth.TruncateString(s, longest, "…"), ".")
}

// printTools lists tools for people: each with the first sentence about it.
func (e *env) printTools(set *tool.Toolset, tools []*tool.Tool, names []string) error {
	width := 0
	for _, t := range tools {
		width = max(width, len(t.Name))
	}
	if _, err := fmt.Fprintf(e.stdout, "%s: %s\n\n", set.Name, set.Description); err != nil {
		return err
	}
	for _, t := range tools {
		about := t.Title
		if about == "" || about == t.Name { // an operator's tool
			about = firstSentence(t.Description)
		}
		if t.Hidden != "" {
			about = "not offered: " + t.Hidden
		}
		if _, err := fmt.Fprintf(e.stdout, "  %-*s  %s\n", width, clean(t.Name), clean(about)); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(e.stdout, "\nToolsets: %s\n", strings.Join(names, ", "))
	return err
}
