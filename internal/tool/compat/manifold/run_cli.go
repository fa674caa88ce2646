package manifold

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/program"
	"github.com/citewell/citewell/internal/tool"
)

func init() { Definitions.Add("", "run_cli", newRunCLI) }

type runCLIInput struct {
	Command        string   `json:"command" jsonschema:"name of the program, as git" bounds:"1..100"`
	Args           []string `json:"args,omitempty" jsonschema:"its arguments, one an item"`
	TimeoutSeconds int      `json:"timeout_seconds,omitempty" jsonschema:"in all" bounds:"1.."`
	Stdin          string   `json:"stdin,omitempty" jsonschema:"its standard input"`
	CWD            string   `json:"cwd,omitempty" jsonschema:"folder to run in, below the working folder" default:"."`
}

type runCLIOutput struct {
	OK         bool   `json:"ok" jsonschema:"whether the exit code is 0"`
	ExitCode   int    `json:"exit_code" jsonschema:"124 after its time, -1 where a signal ended it"`
	Stdout     string `json:"stdout"`
	Stderr     string `json:"stderr"`
	DurationMS int64  `json:"duration_ms"`
	Truncated  bool   `json:"truncated" jsonschema:"whether the middle of stdout or stderr was left out"`
	TimedOut   bool   `json:"timed_out"`
	Signal     string `json:"signal,omitempty" jsonschema:"that ended it"`
}

func newRunCLI(d Deps) *tool.Tool {
	spec := tool.Spec{Name: "run_cli", Title: "Run a program", Description: tool.Description(descriptions, "run_cli"),
		Confirm: true, Hints: tool.Hints{Destructive: true}}
	programs, hidden := d.programs()
	if spec.Hidden = hidden; programs != nil {
		spec.Description += "\nThere are " + strings.Join(programs.Names(), ", ") + "."
		spec.Hints.OpenWorld = programs.Network()
		spec.Judge = func(arguments json.RawMessage) error {
			var in runCLIInput
			if err := json.Unmarshal(arguments, &in); err != nil {
				return err
			}
			return programs.Judge(in.call())
		}
	}
	t := tool.New(spec, func(ctx context.Context, in runCLIInput) (runCLIOutput, error) {
		r, err := programs.Run(ctx, in.call())
		return runCLIOutput{OK: r.ExitCode == 0, ExitCode: r.ExitCode, Stdout: r.Stdout, Stderr: r.Stderr,
			DurationMS: r.Duration.Milliseconds(), Truncated: r.Truncated, TimedOut: r.TimedOut, Signal: r.Signal}, err
	})
	if programs != nil {
		usual, most := programs.Timeouts()
		seconds := t.Input.Properties["timeout_seconds"]
		seconds.Maximum, seconds.Default = new(most.Seconds()), tool.MustMarshal(int(usual.Seconds()))
	}
	return t
}

// programs are those that run_cli may run, or why there are none.
func (d Deps) programs() (programs *program.Programs, hidden string) {
	if d.Programs == nil {
		return nil, "there are no programs to run here"
	}
	programs, err := d.Programs()
	if err != nil {
		return nil, citewell.View(err).Line()
	}
	return programs, ""
}

func (in runCLIInput) call() program.Call {
	folder := strings.TrimRight(in.CWD, "/")
	if folder == "." {
		folder = ""
	}
	return program.Call{Command: in.Command, Args: in.Args, Folder: folder, Stdin: in.Stdin,
		Timeout: time.Duration(in.TimeoutSeconds) * time.Second}
}
