// Package job accepts research runs, executes them, and reports on them. It stands between a store of runs and an
// agent: it writes the agent's actions to the run's log and journal, and passes people's messages to the agent.
//
// Flow: Start → Desk.Start → store → Executor (takes the run under a lease, plays the agent over the journal) → events,
// result → Desk.Status, Follow, Result.
// Any number of processes may serve one store: a run has one executor at a time. If it dies, another plays the run
// again up to that point. A run that asks a question is released, and taken again when the answer is there.
// Limits: Options.Parallel runs at once; a log entry shows at most MaxShown bytes.
// Errors: not_found, invalid_argument, run_finished, model_not_configured and the store's.
// Concurrency: a Desk and an Executor serve many goroutines.
package job

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/jsonform"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/llm"
)

// A Definition is an agent as runs are begun with it. It is kept with each run: a run
// goes on as what it was begun as, whatever the configuration says by then.
type Definition struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Model       string `json:"model"` // its name, for people
	Budget      Budget `json:"budget"`
	// Parts is what a Builder needs to make the agent again. No secret is in it.
	Parts json.RawMessage `json:"parts"`
	// Hidden says why no run can be begun with it; empty where one can.
	Hidden string `json:"hidden,omitempty"`
}

// A Budget is agent.Budget as it stands in JSON and in requests. 0 leaves a wall where the agent has it, in a
// Definition at the agent's default; below 0 there is none. The bounds are those of requests.
type Budget struct {
	Tokens   int     `json:"tokens,omitempty" jsonschema:"tokens that the model reads and writes" bounds:"1..1000000000000"`
	USD      float64 `json:"usd,omitempty" jsonschema:"money, by the prices of the configuration; 0 is as the agent has it" bounds:"0..1000000"`
	WallMS   int64   `json:"wall_ms,omitempty" jsonschema:"wall time in milliseconds, without those in which it waits for an answer: wall_time of the configuration" bounds:"1..1000000000000"`
	Searches int     `json:"searches,omitempty" jsonschema:"searches: queries to the web" bounds:"1..1000000"`
	Fetches  int     `json:"fetches,omitempty" jsonschema:"fetches of pages" bounds:"1..1000000"`
}

// Agent gives b as an agent takes it.
func (b Budget) Agent() agent.Budget {
	return agent.Budget{Tokens: b.Tokens, USD: b.USD, WallTime: time.Duration(b.WallMS) * time.Millisecond,
		Searches: b.Searches, Fetches: b.Fetches}
}

// Within gives the budget of a run of an agent whose budget is b. A request may ask
// for less than the agent may spend, never for more: invalid_argument names the field.
func (b Budget) Within(asked Budget) (Budget, error) {
	for _, f := range []struct {
		name        string
		asked, most float64
		set         func()
	}{
		{"tokens", float64(asked.Tokens), float64(b.Tokens), func() { b.Tokens = asked.Tokens }},
		{"usd", asked.USD, b.USD, func() { b.USD = asked.USD }},
		{"wall_ms", float64(asked.WallMS), float64(b.WallMS), func() { b.WallMS = asked.WallMS }},
		{"searches", float64(asked.Searches), float64(b.Searches), func() { b.Searches = asked.Searches }},
		{"fetches", float64(asked.Fetches), float64(b.Fetches), func() { b.Fetches = asked.Fetches }},
	} {
		switch {
		case f.asked == 0:
		case f.asked < 0:
			return b, invalid("budget."+f.name+" is below 0", "leave it out for what the agent may spend")
		case f.most > 0 && f.asked > f.most:
			return b, invalid(fmt.Sprintf("budget.%s is %s; this agent may spend at most %s", f.name,
				jsonform.Number(f.asked), jsonform.Number(f.most)), "ask for less, or have the operator raise "+
				"budget."+f.name)
		default:
			f.set()
		}
	}
	return b, nil
}

// A Start asks for a run.
type Start struct {
	ID      string          // to try again without beginning a second run; minted when empty
	Agent   string          // a Definition's name; the Desk's default when empty
	Task    string          // the user's words
	Images  []llm.Image     // shown with them, as data URLs
	History []agent.Message // of the conversation before them; that of From when nil
	Files   []File          // shown with them: sources from the beginning
	From    string          // id of the ended run that this one goes on from; empty begins anew
	Budget  Budget          // at most the agent's
	Wishes  agent.Wishes
	Choices Choices // those of From when zero
	Fresh   bool    // no page and no answer of a provider comes from the cache

	Priority runstore.RunPriority // among those that wait; not what the run is known by

	caller   string // whose run it is
	ownTurns bool   // as runstore.NewRun has it
	private  bool   // the run that this one goes on from has read the user's own texts
}

// requestVersion is that of requests that this program keeps, and the newest that it plays. It
// rises when a request may hold what older executors must not pass over.
const requestVersion = 1

// A request is what the store keeps of a Start.
type request struct {
	V       int             `json:"v,omitempty"` // 0 is 1
	Task    string          `json:"task"`
	Images  []llm.Image     `json:"images,omitempty"`
	History []agent.Message `json:"history,omitempty"`
	Files   []File          `json:"files,omitempty"`
	From    string          `json:"from,omitempty"`
	Agent   Definition      `json:"agent"`
	Wishes  agent.Wishes    `json:"wishes,omitzero"`
	Choices Choices         `json:"choices,omitzero"`
	Private bool            `json:"private,omitempty"` // as agent.Task.Private
	Origin  string          `json:"origin,omitempty"`  // as Desk.Origin
	Fresh   bool            `json:"fresh,omitempty"`   // as Start.Fresh
}

// A File is one that a run is begun with, or a page that the user named. Its page and its text are among the snapshots.
type File struct {
	Name       string             `json:"name"`
	URL        string             `json:"url"`
	PageSHA256 string             `json:"page_sha256"`
	TextSHA256 string             `json:"text_sha256"`
	Extractor  citewell.Extractor `json:"extractor"`
}

// answerKind is the kind of a message that answers a question.
const answerKind = "answer"

// An answer is the data of such a message; its id says which question it answers.
type answer struct {
	Text string `json:"text"`
}

func answerID(question string) string { return answerKind + ":" + question }

func invalid(message, hint string) error {
	return &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "runs", Message: message, Hint: hint}
}

func requestOf(run runstore.Run) (request, error) {
	var q request
	if err := json.Unmarshal(run.Request, &q); err != nil {
		return q, fmt.Errorf("job: the request of run %s: %w", run.ID, err)
	}
	return q, nil
}

// AgentOf gives the definition that a run was begun with.
func AgentOf(run runstore.Run) (Definition, error) {
	q, err := requestOf(run)
	return q.Agent, err
}

// readableRequest is the request of a run, without anything if it cannot be read.
func readableRequest(run runstore.Run) request {
	q, err := requestOf(run)
	if err != nil {
		return request{}
	}
	return q
}

// From is the id of the run that a run goes on from; empty where it began anew.
func From(run runstore.Run) string { return readableRequest(run).From }

// Origin is where a run was begun from, as Desk.Origin said; empty where nobody did.
func Origin(run runstore.Run) string { return readableRequest(run).Origin }

// find gives the definition of a name.
func find(all []Definition, name string) (Definition, error) {
	if i := slices.IndexFunc(all, func(d Definition) bool { return d.Name == name }); i >= 0 {
		if why := all[i].Hidden; why != "" {
			return Definition{}, &citewell.Error{Code: citewell.CodeInvalidConfig, Op: "runs",
				Message: fmt.Sprintf("the agent %s cannot be used: %s", name, why)}
		}
		return all[i], nil
	}
	var names []string
	for _, d := range offered(all) {
		names = append(names, d.Name)
	}
	return Definition{}, &citewell.Error{Code: citewell.CodeNotFound, Op: "runs",
		Message: fmt.Sprintf("there is no agent %.80q", name), Hint: "agents: " + strings.Join(names, ", ")}
}

func offered(all []Definition) []Definition {
	return slices.DeleteFunc(slices.Clone(all), func(d Definition) bool { return d.Hidden != "" })
}
