package cli

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/weburl"
)

const reportTool = "create_report_tool"

// A runTeller says in a line each what a run's log tells, entry by entry. What it says
// has the words of models and pages in it: whoever shows it cleans it.
type runTeller struct {
	arguments map[string]string // of calls, by id
	found     int               // sources numbered since the last search began
	step      int
	searches  int
	read      int
	sentBack  int
	rejected  string // the tool whose text was sent back by the last entry
}

// ofBrief is what the result of a search of the agent brief says.
var ofBrief = lazyregexp.New(`^\d+ results?, \d+ ms$`)

// line tells an entry: what is done by it, or what is begun by it; both are empty where it is not worth a line.
func (t *runTeller) line(e runstore.RunEvent) (done, begun string) {
	switch e.Type {
	case runstore.EventCreated:
		return "begun", ""
	case runstore.EventCancelRequested:
		return "asked to end", ""
	case runstore.EventAcquired:
		var a runstore.RunAcquired
		if json.Unmarshal(e.Data, &a) == nil && a.TakenOver {
			return "taken over by " + a.Owner + " from a process that is gone", ""
		}
		return "taken up by " + a.Owner, ""
	case runstore.EventState:
		var c runstore.RunChange
		if json.Unmarshal(e.Data, &c) != nil || !c.State.Ended() {
			return "", ""
		}
		return strings.TrimSuffix(standing(runstore.Run{State: c.State, Outcome: c.Outcome})+": "+c.Detail, ": "), ""
	case runstore.EventMessage:
		return "answered", ""
	case job.EventQuestion:
		var q agent.Question
		if json.Unmarshal(e.Data, &q) != nil {
			return "", ""
		}
		if len(q.Questions) == 0 {
			return "answers: " + q.Text, ""
		}
		return "asks: " + q.Text, ""
	}
	var entry job.Entry
	if json.Unmarshal(e.Data, &entry) != nil {
		return "", ""
	}
	t.step = max(t.step, entry.Iteration)
	switch e.Type {
	case job.EventPutOff:
		return job.PutOff(entry), ""
	case "reasoning":
		return t.reasoning(entry), ""
	case "call":
		return t.call(entry)
	case "result":
		return t.result(entry), ""
	case "source":
		t.found++
	case "read":
		t.read++
		return fmt.Sprintf("read [%d] %s", entry.Number, entry.Name), ""
	case "unread":
		return fmt.Sprintf("not read [%d] %s: cited by what the search said of it", entry.Number, entry.Name), ""
	case "kept":
		return fmt.Sprintf("has [%d] %s", entry.Number, entry.Name), ""
	case "rejected":
		t.sentBack++
		t.rejected = entry.Name
		return entry.Name + " was sent back: " + strings.ReplaceAll(strings.TrimSpace(entry.Text), "\n", "; "), ""
	case "compacted":
		return "older steps were shortened to " + entry.Text, ""
	case "closing":
		return "asked to come to an end: " + entry.Text, ""
	case "paused":
		return "waiting: " + entry.Text, ""
	case job.EventQueued:
		return "queued: " + entry.Text, ""
	case job.EventWarning:
		return "warning: " + entry.Text, ""
	case "without_tools":
		return "the model takes no tools, and is asked for one JSON object a turn as sgr_agent does: " + entry.Text, ""
	case "model_failed":
		return "the model failed: " + entry.Text, ""
	}
	return "", ""
}

func (t *runTeller) reasoning(entry job.Entry) string {
	var r agent.Reasoning
	if json.Unmarshal([]byte(entry.Text), &r) != nil || len(r.RemainingSteps) == 0 {
		return ""
	}
	return fmt.Sprintf("step %d: %s", entry.Iteration, r.RemainingSteps[0])
}

// call tells what a call is about to do.
func (t *runTeller) call(entry job.Entry) (done, begun string) {
	if t.arguments == nil {
		t.arguments = map[string]string{}
	}
	t.arguments[entry.CallID] = entry.Text
	var in struct {
		Goal  string   `json:"research_goal"`
		New   string   `json:"new_goal"`
		Steps []string `json:"planned_steps"`
		Next  []string `json:"next_steps"`
		URLs  []string `json:"urls"`
	}
	if json.Unmarshal([]byte(entry.Text), &in) != nil { // shortened, or the model's own idea of them
		return "", "calling " + entry.Name
	}
	switch entry.Name {
	case "generate_plan_tool":
		return "planned: " + in.Goal + ": " + strings.Join(in.Steps, "; "), ""
	case "adapt_plan_tool":
		return "planned anew: " + in.New + ": " + strings.Join(in.Next, "; "), ""
	case agent.WebSearchTool:
		t.searches++
		t.found = 0
		return "", "searching “" + t.query(entry.CallID) + "”"
	case "extract_page_content_tool":
		if len(in.URLs) == 1 {
			return "", "reading " + weburl.Host(in.URLs[0])
		}
		return "", "reading " + count(len(in.URLs), "page")
	case reportTool:
		return "", "writing the report"
	case "final_answer_tool":
		return "", "writing the answer"
	case "clarification_tool":
		return "", ""
	}
	return "", "calling " + entry.Name
}

// query is what a search is for.
func (t *runTeller) query(call string) string {
	var in struct{ Query string }
	if json.Unmarshal([]byte(t.arguments[call]), &in) != nil {
		return ""
	}
	return in.Query
}

// result tells what became of a call.
func (t *runTeller) result(entry job.Entry) string {
	failure := ""
	if strings.HasPrefix(entry.Text, "Error (") {
		var hint string
		failure, hint, _ = strings.Cut(entry.Text, "\n")
		if setting, ok := strings.CutPrefix(hint, agent.AnotherWay); ok { // the rest is for the operator
			failure += "; " + setting
		}
	}
	said := t.rejected == entry.Name
	t.rejected = ""
	switch {
	case entry.Name == agent.WebSearchTool && ofBrief.MatchString(entry.Text): // which numbers its sources at its end
		results, _, _ := strings.Cut(entry.Text, ",")
		return fmt.Sprintf("searched “%s”: %s", t.query(entry.CallID), results)
	case entry.Name == agent.WebSearchTool && failure == "":
		return fmt.Sprintf("searched “%s”: %s", t.query(entry.CallID), count(t.found, "new source"))
	case entry.Name == agent.WebSearchTool && t.query(entry.CallID) != "":
		return fmt.Sprintf("searched “%s”: %s", t.query(entry.CallID), failure)
	case failure != "" && said, strings.HasPrefix(failure, "Error (citations_failed)"): // the entry before it said so
		return ""
	case failure != "":
		return entry.Name + ": " + failure
	case entry.Name == reportTool:
		return "wrote the report"
	}
	return ""
}

// A runProgress shows a run while it goes on.
type runProgress struct {
	*progress
	teller *runTeller
}

func (p *runProgress) tell(e runstore.RunEvent) {
	done, begun := p.teller.line(e)
	switch e.Type {
	case runstore.EventCreated, runstore.EventState, job.EventQuestion: // said before and after
		return
	case runstore.EventAcquired:
		var a runstore.RunAcquired
		if json.Unmarshal(e.Data, &a) != nil || !a.TakenOver {
			return
		}
	case job.EventWarning: // which stays to be read
		fmt.Fprintln(p.console, clean(done))
		return
	}
	now := begun
	if done != "" {
		p.say(done)
		now = done
	}
	if now != "" {
		step := fmt.Sprintf("step %d", p.teller.step)
		p.set(fmt.Sprintf("%s · %s · %d read · %s", step, count(p.teller.searches, "search"), p.teller.read,
			strings.TrimPrefix(now, step+": ")))
	}
}
