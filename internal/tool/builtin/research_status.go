package builtin

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/citewell/citewell/internal/envelope"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/tool"
)

func init() { register("research_status", newResearchStatus, ofRuns) }

// maxRunEvents bounds what one answer tells of a run's log.
const maxRunEvents = 40

type researchStatusInput struct {
	ID          string `json:"id" bounds:"1..200"`
	WaitSeconds int    `json:"wait_seconds,omitempty" jsonschema:"for its question or end" default:"0" bounds:"0..50"`
	After       int64  `json:"after,omitempty" jsonschema:"seq of an earlier answer; tells what is newer" default:"0" bounds:"0..1000000000"`
}

type researchStatusOutput struct {
	ID             string              `json:"id"`
	Agent          string              `json:"agent"`
	Task           string              `json:"task"`
	State          runstore.RunState   `json:"state" jsonschema:"inited, researching, waiting_for_clarification, completed, failed, error or cancelled"`
	Outcome        runstore.RunOutcome `json:"outcome,omitempty" jsonschema:"once it has ended: answered, partial, budget, no_sources, model_failed or cancelled"`
	Detail         string              `json:"detail,omitempty" jsonschema:"why it is in that state"`
	Iteration      int                 `json:"iteration" jsonschema:"steps of the agent so far"`
	Searches       int                 `json:"searches_used"`
	Clarifications int                 `json:"clarifications_used"`
	Sources        int                 `json:"sources_count" jsonschema:"pages that were found"`
	Question       *runQuestion        `json:"question,omitempty" jsonschema:"what it asks; absent while it asks nothing"`
	Events         []runEvent          `json:"events" jsonschema:"the newest things that happened, at most 40, oldest first"`
	Seq            int64               `json:"seq" jsonschema:"give it as after to hear only what is newer"`
	Next           string              `json:"next" jsonschema:"what to call now"`
}

// Text is the status as a model reads it.
func (o researchStatusOutput) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Run %s: %s", o.ID, o.State)
	if o.Outcome != "" {
		fmt.Fprintf(&b, " (%s)", o.Outcome)
	}
	if o.Detail != "" && o.Question == nil {
		fmt.Fprintf(&b, ", %s", text.OneLine(o.Detail))
	}
	fmt.Fprintf(&b, "\nStep %d, %s, %s, seq %d\n", o.Iteration, text.Count(o.Searches, "search"),
		text.Count(o.Sources, "source"), o.Seq)
	for _, e := range o.Events {
		fmt.Fprintf(&b, "- %s %s\n", e.Time.UTC().Format(time.TimeOnly), e.Text)
	}
	if o.Question != nil {
		fmt.Fprintf(&b, "\nThe run asks:\n%s\n", strings.TrimSpace(o.Question.Text))
	}
	return b.String() + "\nNext: " + o.Next
}

func newResearchStatus(runs Runs) *tool.Tool {
	return tool.New(tool.Spec{Name: "research_status", Title: "See how far a research run is",
		Description: tool.Description(descriptions, "research_status"),
		Hints:       tool.Hints{ReadOnly: true, Idempotent: true}, Hidden: runs.withoutRuns()},
		func(ctx context.Context, in researchStatusInput) (researchStatusOutput, error) {
			id := strings.TrimSpace(in.ID)
			s, err := runs.awaitRun(ctx, id, time.Duration(in.WaitSeconds)*time.Second)
			if err != nil {
				return researchStatusOutput{}, runs.ofRun(ctx, id, err)
			}
			out := researchStatusOutput{ID: s.ID, Agent: s.Agent, Task: s.Task, State: s.State, Outcome: s.Outcome,
				Detail:    envelope.Neutralize(s.Detail),
				Iteration: s.Iteration, Searches: s.Searches, Clarifications: s.Clarifications, Sources: s.Sources,
				Events: []runEvent{}, Seq: s.Seq, Next: runs.next(s)}
			if asks(s) {
				out.Question = questionOf(s.Question)
			}
			events, err := runs.Desk.Events(ctx, id, max(in.After, s.Seq-maxRunEvents), maxRunEvents)
			if err != nil {
				return researchStatusOutput{}, err
			}
			for _, e := range events {
				if line := job.Line(e); line != "" && e.Seq <= s.Seq {
					out.Events = append(out.Events, runEvent{e.Seq, e.Time, line})
				}
			}
			return out, nil
		})
}

// awaitRun waits until a run asks something that nobody at the client answers, has ended, or the time is up, and
// returns its state. What happens meanwhile is progress.
func (runs Runs) awaitRun(ctx context.Context, id string, wait time.Duration) (job.Status, error) {
	caller := tool.CallerOf(ctx)
	waiting, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	for {
		s, err := runs.Desk.Status(ctx, id)
		if err != nil || s.State.Ended() || wait == 0 {
			return s, err
		}
		if asks(s) {
			if caller.Ask == nil {
				return s, nil
			}
			err := caller.Ask(waiting, runs.inquiry(s))
			switch {
			case err == nil:
				continue
			case errors.Is(err, tool.ErrAsking):
				return s, err // the call is made again with the answer
			}
			return s, nil // the question stays
		}
		caller.Progress(float64(s.Seq), 0, stateWords(s))
		turned := false
		for e, err := range runs.Desk.Follow(waiting, id, s.Seq) {
			if err != nil {
				break
			}
			if line := job.Line(e); line != "" {
				caller.Progress(float64(e.Seq), 0, line)
			}
			if turned = e.Type == runstore.EventState; turned {
				break
			}
		}
		switch {
		case ctx.Err() != nil:
			return s, ctx.Err()
		case !turned: // the time is up, or the store is gone, which the last look tells
			return runs.Desk.Status(ctx, id)
		}
	}
}

// inquiry is a run's question to a person. An answer that comes late is for no other.
func (runs Runs) inquiry(s job.Status) tool.Inquiry {
	return tool.Inquiry{Key: s.ID + "/" + s.Question.Key, Text: envelope.Neutralize(s.Question.Text),
		Take: func(ctx context.Context, said string) error {
			now, err := runs.Desk.Status(ctx, s.ID)
			if err != nil || !asks(now) || now.Question.Key != s.Question.Key {
				return err // answered elsewhere: there is nothing to do
			}
			return runs.Desk.Answer(ctx, s.ID, said)
		}}
}

func stateWords(s job.Status) string {
	return fmt.Sprintf("%s, step %d", strings.ReplaceAll(string(s.State), "_", " "), s.Iteration)
}
