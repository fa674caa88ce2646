package app

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/citewell/citewell/agent"
	"github.com/citewell/citewell/internal/agentplan"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/tool"
)

// A runLog is a run as SGR writes it down: its keys are SGR's.
type runLog struct {
	ID      string        `json:"id"`
	Model   logModel      `json:"model_config"`
	Task    string        `json:"task"`
	Toolkit []string      `json:"toolkit"`
	Log     []runLogEntry `json:"log"`
}

// A logModel is the model without its key and proxy.
type logModel struct {
	BaseURL     string  `json:"base_url"`
	Model       string  `json:"model"`
	MaxTokens   int     `json:"max_tokens"`
	Temperature float64 `json:"temperature"`
}

// A runLogEntry is a step of reasoning, or a tool that was called with its result.
type runLogEntry struct {
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

// keepRunLog keeps SGR's log of a run that is over, where its agent has a folder for
// it. It is named by the time at which the run was taken
// in: written once more after a crash it takes its own place.
func (a *App) keepRunLog(ctx context.Context, run store.Run, told []agent.Event) error {
	d, err := job.AgentOf(run)
	if err != nil {
		return err
	}
	var parts agentplan.Parts
	if err := json.Unmarshal(d.Parts, &parts); err != nil {
		return err
	}
	if parts.LogDir == "" {
		return nil
	}
	kit, err := a.kitOf(ctx, parts, a.agentSettings(d.Name))
	if err != nil {
		return err
	}
	l := runLog{ID: run.ID, Task: job.Task(run), Toolkit: toolkit(parts, kit),
		Model: logModel{parts.Model.BaseURL, parts.Model.Name, parts.Model.MaxTokens, parts.Model.Temperature}}
	if l.Log, err = a.logEntries(ctx, run, told); err != nil {
		return err
	}
	data, err := json.MarshalIndent(l, "", "  ")
	if err != nil {
		return err
	}
	dir := a.ownFolder(parts.LogDir)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	name := fmt.Sprintf("%s-%s-log.json", run.CreatedAt.Local().Format("20060102-150405"), run.ID)
	return os.WriteFile(filepath.Join(dir, name), append(data, '\n'), 0o600)
}

// toolkit are the names of an agent's tools.
func toolkit(parts agentplan.Parts, k kit) []string {
	return append(parts.OwnTools(), tool.Names(k.tools)...)
}

// logEntries are what was told, at the times of the run's own log: a run that was
// played again tells everything anew.
func (a *App) logEntries(ctx context.Context, run store.Run, told []agent.Event) ([]runLogEntry, error) {
	times, err := a.eventTimes(ctx, run.ID)
	if err != nil {
		return nil, err
	}
	entries := []runLogEntry{}
	open := map[string]int{} // calls without a result yet, by id
	for _, e := range told {
		at := time.Now()
		if known := times[eventKey(e.Kind, e.Iteration, e.CallID)]; len(known) > 0 {
			at, times[eventKey(e.Kind, e.Iteration, e.CallID)] = known[0], known[1:]
		}
		entry := runLogEntry{Step: e.Iteration, Time: at.Local().Format(pythonTime)}
		switch e.Kind {
		case "reasoning":
			entry.Type, entry.Reasoning = "reasoning", asObject(e.Text)
			entries = append(entries, entry)
		case "call":
			entry.Type, entry.Tool, entry.Arguments = "tool_execution", e.Name, asObject(e.Text)
			open[e.CallID] = len(entries)
			entries = append(entries, entry)
		case "result":
			i, called := open[e.CallID]
			if !called { // one that was refused
				entry.Type, entry.Tool, entry.Arguments = "tool_execution", e.Name, json.RawMessage("{}")
				i, entries = len(entries), append(entries, entry)
			}
			delete(open, e.CallID)
			entries[i].Result = &e.Text
		}
	}
	return entries, nil
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

// eventTimes are the times of a run's log, by what an event is known by, in order.
func (a *App) eventTimes(ctx context.Context, id string) (map[string][]time.Time, error) {
	events, err := job.AllEvents(ctx, a.Store, id)
	times := map[string][]time.Time{}
	for _, e := range events {
		var entry job.Entry
		if json.Unmarshal(e.Data, &entry) == nil {
			k := eventKey(e.Type, entry.Iteration, entry.CallID)
			times[k] = append(times[k], e.Time)
		}
	}
	return times, err
}
