package mcptest

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// Clients are the names of the clients: the newer TypeScript line and Python speak
// 2026-07-28 where the server does, the others the newest revision before it.
var Clients = []string{"typescript-1", "typescript-2", "python", "python-older"}

// A Plan is what a client does.
type Plan struct {
	Client string `json:"client"`

	URL   string `json:"url,omitempty"` // over HTTP,
	Token string `json:"token,omitempty"`

	Command []string          `json:"command,omitempty"` // or by standard input and output
	Dir     string            `json:"dir,omitempty"`
	Environ map[string]string `json:"environ,omitempty"`

	Elicit map[string]any `json:"elicit,omitempty"` // what the person answers; nil: nobody can be asked
	Sample *Sample        `json:"sample,omitempty"` // the model that the client lends; nil: none
	Steps  []Step         `json:"steps"`
}

// A Sample is a model that a client lends to be a judge. It takes for true what stands in a passage, and
// the statements that it has a quote for.
type Sample struct {
	Model  string            `json:"model"`
	Quotes map[string]string `json:"quotes,omitempty"` // by statement
	Refuse bool              `json:"refuse,omitempty"` // the user says no
}

// A Step is one thing to do: tools, templates, resources and prompts are lists; call, prompt and
// resource one of each; wait keeps the session open, and says "waiting" on standard
// error, until somebody ends the process.
type Step struct {
	Do        string         `json:"do"`
	Name      string         `json:"name,omitempty"`
	URI       string         `json:"uri,omitempty"`
	Arguments map[string]any `json:"arguments,omitempty"`
	Progress  bool           `json:"progress,omitempty"` // wants notices
	Cancel    bool           `json:"cancel,omitempty"`   // gives up at the first of them
}

// An Outcome is what came of a plan, in the order of its steps.
type Outcome struct {
	Protocol string `json:"protocol"`
	Server   string `json:"server"`
	Failed   string `json:"failed"` // to connect
	Steps    []Done `json:"steps"`
	Asked    []string
	Sampled  int `json:"sampled"` // how often the model was asked
}

// A Done is what came of one step.
type Done struct {
	Failed     string          `json:"failed"`
	Names      []string        `json:"names"`
	Text       string          `json:"text"`
	Structured json.RawMessage `json:"structured"`
	IsError    bool            `json:"is_error"`
	Progress   []float64       `json:"progress"`
	Links      []string        `json:"links"`
}

// Command is the client that carries out a plan.
func (tools *Tools) Command(ctx context.Context, t testing.TB, p Plan) *exec.Cmd {
	t.Helper()
	dir, file := p.write(t)
	if p.inPython() {
		return within(dir, exec.CommandContext(ctx, tools.python(), filepath.Join(tools.source, "client.py"), file))
	}
	// Node looks for packages beside the script.
	script := filepath.Join(dir, "client.mjs")
	for name, target := range map[string]string{script: filepath.Join(tools.source, "client.mjs"),
		filepath.Join(dir, "node_modules"): filepath.Join(tools.home, "node_modules")} {
		if err := os.Symlink(target, name); err != nil {
			t.Fatal(err)
		}
	}
	return within(dir, exec.CommandContext(ctx, tools.node, "--preserve-symlinks-main", script, file))
}

func (p Plan) inPython() bool { return p.Client == "python" || p.Client == "python-older" }

// write puts the plan into a folder of its own.
func (p Plan) write(t testing.TB) (dir, file string) {
	t.Helper()
	dir = t.TempDir()
	plan, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(dir, "plan.json")
	if err := os.WriteFile(file, plan, 0o600); err != nil {
		t.Fatal(err)
	}
	return dir, file
}

// within has a command start in a folder that stays: that of the test's process may be
// one that is gone by then, in which some programs do not start.
func within(dir string, command *exec.Cmd) *exec.Cmd {
	command.Dir = dir
	return command
}

// lifetime bounds a client whose server hangs: the longest plans wait for some minutes.
const lifetime = 10 * time.Minute

// Run carries out a plan and returns what came of it, with what was written to
// standard error.
func (tools *Tools) Run(t testing.TB, p Plan) (Outcome, string) {
	t.Helper()
	carryOut := tools.start
	if p.inPython() {
		carryOut = tools.fork
	}
	stdout, stderr, err := carryOut(t, p)
	if err != nil {
		t.Fatalf("%s ends with %v and says %s", p.Client, err, stderr)
	}
	var o Outcome
	if err := json.Unmarshal(stdout, &o); err != nil {
		t.Fatalf("%s says %s: %v", p.Client, stdout, err)
	}
	if o.Failed == "" && len(o.Steps) != len(p.Steps) {
		t.Fatalf("%s did %d of %d steps: %s", p.Client, len(o.Steps), len(p.Steps), stderr)
	}
	return o, string(stderr)
}

// start carries a plan out in a process that is started for it.
func (tools *Tools) start(t testing.TB, p Plan) (stdout, stderr []byte, err error) {
	ctx, cancel := context.WithTimeout(t.Context(), lifetime)
	defer cancel()
	command := tools.Command(ctx, t, p)
	var out, said bytes.Buffer
	command.Stdout, command.Stderr, command.WaitDelay = &out, &said, time.Minute
	err = command.Run()
	return out.Bytes(), said.Bytes(), err
}
