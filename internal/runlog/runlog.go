// Package runlog writes a run's log in SGR's format, with SGR's keys and times.
//
// Flow: a run's events and the times of its own log → a file of JSON.
// Errors: those of the file.
package runlog

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/tool"
)

// A Log is a run that is over.
type Log struct {
	ID      string   `json:"id"`
	Model   Model    `json:"model_config"`
	Task    string   `json:"task"`
	Toolkit []string `json:"toolkit"`
	Log     []entry  `json:"log"`
}

// A Model is the model without its key and proxy.
type Model struct {
	BaseURL     string  `json:"base_url"`
	Model       string  `json:"model"`
	MaxTokens   int     `json:"max_tokens"`
	Temperature float64 `json:"temperature"`
}

// An entry is a step of reasoning, or a tool that was called with its result.
type entry struct {
	Step      int             `json:"step_number"`
	Time      string          `json:"timestamp"` // as Python's isoformat
	Type      string          `json:"step_type"` // reasoning, tool_execution
	Reasoning json.RawMessage `json:"agent_reasoning,omitempty"`
	Tool      string          `json:"tool_name,omitempty"`
	Arguments json.RawMessage `json:"agent_tool_context,omitempty"`
	Result    *string         `json:"agent_tool_execution_result,omitempty"`
}

// pythonTime is the form of isoformat.
const pythonTime = "2006-01-02T15:04:05.000000"

// Keep writes the log of a run into a folder. It is named by the time at which the run was taken
// in: written once more after a crash it takes its own place. Events are those of the run's own log.
func Keep(dir string, run runstore.Run, model Model, toolkit []string,
	told []agent.Event, events []runstore.RunEvent) error {
	l := Log{ID: run.ID, Model: model, Task: job.Task(run), Toolkit: toolkit, Log: entriesOf(told, timesOf(events))}
	data, err := json.MarshalIndent(l, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	name := fmt.Sprintf("%s-%s-log.json", run.CreatedAt.Local().Format("20060102-150405"), run.ID)
	return os.WriteFile(filepath.Join(dir, name), append(data, '\n'), 0o600)
}

// entriesOf are what was told, at the times of the run's own log: a run that was
// played again tells everything anew.
func entriesOf(told []agent.Event, times map[string][]time.Time) []entry {
	entries := []entry{}
	open := map[string]int{} // calls without a result yet, by id
	for _, e := range told {
		at := time.Now()
		if known := times[eventKey(e.Kind, e.Iteration, e.CallID)]; len(known) > 0 {
			at, times[eventKey(e.Kind, e.Iteration, e.CallID)] = known[0], known[1:]
		}
		said := entry{Step: e.Iteration, Time: at.Local().Format(pythonTime)}
		switch e.Kind {
		case "reasoning":
			said.Type, said.Reasoning = "reasoning", asObject(e.Text)
			entries = append(entries, said)
		case "call":
			said.Type, said.Tool, said.Arguments = "tool_execution", e.Name, asObject(e.Text)
			open[e.CallID] = len(entries)
			entries = append(entries, said)
		case "result":
			i, called := open[e.CallID]
			if !called { // one that was refused
				said.Type, said.Tool, said.Arguments = "tool_execution", e.Name, json.RawMessage("{}")
				i, entries = len(entries), append(entries, said)
			}
			delete(open, e.CallID)
			entries[i].Result = &e.Text
		}
	}
	return entries
}

// asObject is a text as JSON: as it is where it is some.
func asObject(text string) json.RawMessage {
	if json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	data, err := tool.Marshal(text)
	if err != nil {
		return json.RawMessage("null")
	}
	return data
}

func eventKey(kind string, iteration int, call string) string {
	return fmt.Sprintf("%s %d %s", kind, iteration, call)
}

// timesOf are the times of a run's log, by what an event is known by, in order.
func timesOf(events []runstore.RunEvent) map[string][]time.Time {
	times := map[string][]time.Time{}
	for _, e := range events {
		var of job.Entry
		if json.Unmarshal(e.Data, &of) == nil {
			k := eventKey(e.Type, of.Iteration, of.CallID)
			times[k] = append(times[k], e.Time)
		}
	}
	return times
}
