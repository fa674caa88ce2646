package job

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/envelope"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/tool"
)

// maxLine bounds an entry in words, in bytes.
const maxLine = 300

// Line gives an entry of a run's log as one line in words; empty where it says nothing to a reader. What pages and
// models wrote in it is data, without characters that only a machine would see.
func Line(e runstore.RunEvent) string {
	line := lineOf(e)
	return tool.Shorten(text.OneLine(envelope.Neutralize(line)), maxLine)
}

func lineOf(e runstore.RunEvent) string {
	switch e.Type {
	case runstore.EventAcquired:
		var a runstore.RunAcquired
		if json.Unmarshal(e.Data, &a) == nil && a.TakenOver {
			return "taken over from a process that is gone"
		}
		return ""
	case runstore.EventState:
		var c runstore.RunChange
		if json.Unmarshal(e.Data, &c) != nil {
			return ""
		}
		return stateLine(c)
	case runstore.EventMessage:
		return "an answer came"
	case runstore.EventCancelRequested:
		return "it was asked to end"
	}
	var entry Entry
	if json.Unmarshal(e.Data, &entry) != nil {
		return ""
	}
	switch e.Type {
	case EventPutOff:
		return PutOff(entry)
	case "reasoning":
		var r agent.Reasoning
		if json.Unmarshal([]byte(entry.Text), &r) == nil && len(r.RemainingSteps) > 0 {
			return fmt.Sprintf("step %d: %s", entry.Iteration, r.RemainingSteps[0])
		}
	case "call":
		return callLine(entry)
	case "result":
		if strings.HasPrefix(entry.Text, "Error (") {
			return entry.Name + ": " + entry.Text
		}
	case "source":
		return fmt.Sprintf("found [%d] %s", entry.Number, entry.Text)
	case "read":
		return fmt.Sprintf("read [%d] %s", entry.Number, entry.Text)
	case "unread":
		return fmt.Sprintf("not read [%d] %s: cited by what the search said of it", entry.Number, entry.Text)
	case "kept":
		return fmt.Sprintf("has [%d] %s", entry.Number, entry.Text)
	case "rejected":
		return "sent back by the check of citations: " + entry.Text
	case "compacted":
		return "older steps were shortened"
	case "closing":
		return "coming to an end: " + entry.Text
	case "paused":
		return "waiting: " + entry.Text
	case EventQueued:
		return "queued: " + entry.Text
	case EventWarning:
		return "warning: " + entry.Text
	case "without_tools":
		return "the model takes no tools, and is asked for one JSON object a turn as sgr_agent does: " + entry.Text
	case "model_failed":
		return "the model failed: " + entry.Text
	}
	return ""
}

func stateLine(c runstore.RunChange) string {
	line := strings.ReplaceAll(string(c.State), "_", " ")
	switch {
	case c.State == c.From:
		return ""
	case c.Outcome != "":
		line += ", " + strings.ReplaceAll(string(c.Outcome), "_", " ")
	}
	if c.Detail != "" {
		line += ": " + c.Detail
	}
	return line
}

// callLine tells a call by what it is about.
func callLine(entry Entry) string {
	var about struct {
		Query     string
		URLs      []string
		Questions []string
		Title     string
		Goal      string `json:"research_goal"`
	}
	if json.Unmarshal([]byte(entry.Text), &about) != nil { // shortened, maybe
		return entry.Name
	}
	switch {
	case about.Query != "":
		return entry.Name + ": " + about.Query
	case len(about.URLs) > 0:
		return entry.Name + ": " + strings.Join(about.URLs, " ")
	case len(about.Questions) > 0:
		return entry.Name + ": " + strings.Join(about.Questions, " ")
	case about.Title != "":
		return entry.Name + ": " + about.Title
	case about.Goal != "":
		return entry.Name + ": " + about.Goal
	}
	return entry.Name
}
