package cli

import (
	"io"

	"github.com/citewell/citewell/internal/server/mcpserver"
	"github.com/spf13/cobra"
)

func newMCP(e *env) *cobra.Command {
	var toolset string
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Offer the tools to an MCP client over standard input and output",
		Long: "Speaks MCP on standard input and output, for clients that start it themselves; doc/clients.md\n" +
			"has the configuration of each. Logs go to standard error. citewell serve offers the same over\n" +
			"HTTP at /mcp.\n" +
			"When its input ends, it answers the calls that it has read, within two minutes, and ends; if\n" +
			"nobody reads its output any more, it ends at once. With research_start among the tools it\n" +
			"executes the research runs of its store while it lives; when its input ends it releases them,\n" +
			"and the next citewell serve, worker or mcp continues them.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			e.serves = true
			a, set, err := e.openToolset(cmd.Context(), toolset, "")
			if err != nil {
				return err
			}
			defer a.Close()
			defer e.warnOfWalls(cmd.Context(), a)()
			defer beside(cmd.Context(), settle)()
			runs, err := a.Runs(cmd.Context())
			if err != nil {
				return err
			}
			if _, err := set.Find("research_start"); err == nil {
				defer beside(cmd.Context(), runs.Executor.Serve)()
			}
			ctx, cancel := untilUnread(cmd.Context(), e.stdout)
			defer cancel()
			return mcpserver.Stdio(ctx, set, a.MCP(cmd.Context()), io.NopCloser(e.stdin), nopCloser{e.stdout})
		},
	}
	toolsetFlag(cmd, &toolset)
	return cmd
}

// nopCloser is a Writer that stays open when the one who uses it is done.
type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }
