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
		Long: "Speaks MCP on standard input and output, for clients that start it themselves;\n" +
			"doc/clients.md has the configuration of each. Logs go to standard error.\n" +
			"citewell serve offers the same over HTTP at /mcp.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			a, set, err := e.openToolset(cmd.Context(), toolset)
			if err != nil {
				return err
			}
			defer a.Close()
			return mcpserver.Stdio(cmd.Context(), set, a.MCP(), io.NopCloser(e.stdin), nopCloser{e.stdout})
		},
	}
	toolsetFlag(cmd, &toolset)
	return cmd
}

// nopCloser is a Writer that stays open when the one who uses it is done.
type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }
