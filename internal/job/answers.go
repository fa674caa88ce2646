package job

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/tool"
)

// saidHash is what a published text is known by. How it is broken into lines says nothing:
// clients change that.
func saidHash(published string) string {
	return citewell.SHA256([]byte(text.OneLine(published)))
}

// NoteAnswer keeps that a text was published as what an ended run came to, so that a
// conversation in which it stands is known to go on from there.
func (d *Desk) NoteAnswer(ctx context.Context, id, text string) error {
	return d.runs.NoteAnswer(ctx, id, saidHash(text))
}

// WhoSaid is the id of the newest run that published a text; empty where none did.
func (d *Desk) WhoSaid(ctx context.Context, text string) (string, error) {
	return d.whoSaid(ctx, text, "")
}

func (d *Desk) whoSaid(ctx context.Context, text, caller string) (string, error) {
	runs, _, err := d.runs.ListRuns(ctx, runstore.RunQuery{Answer: saidHash(text), Caller: caller, Limit: 1})
	if err != nil || len(runs) == 0 {
		return "", err
	}
	return runs[0].ID, nil
}

// Answer answers the question that a run waits with. A question keeps its first answer:
// the same may come again, another is refused. invalid_argument then; run_not_ready where the
// run asks nothing, and run_finished where it has ended.
func (d *Desk) Answer(ctx context.Context, id, text string) error {
	return d.AnswerTo(ctx, id, "", text)
}

// AnswerTo is Answer for the question with a key: what somebody says to the question that
// they saw is no answer to the next one. invalid_argument where the run waits with another.
func (d *Desk) AnswerTo(ctx context.Context, id, question, text string) error {
	if strings.TrimSpace(text) == "" {
		return invalid("the answer is empty", "say something, or cancel the run")
	}
	if question != "" {
		if kept, err := d.answered(ctx, id, question); err != nil || kept != "" {
			return cmp.Or(err, asSaid(kept, text))
		}
	}
	status, err := d.Status(ctx, id)
	if err != nil {
		return err
	}
	if status.State.Ended() {
		return runstore.RunFinished("runs", status.State)
	}
	if status.Question == nil {
		return &citewell.Error{Code: citewell.CodeRunNotReady, Op: "runs",
			Message: "the run asks nothing now: it is " + string(status.State),
			Hint:    "follow its events; it will say when it waits for an answer"}
	}
	if question != "" && question != status.Question.Key {
		return invalid("the run does not ask this any more; it waits for the answer to another question",
			"look at what it asks now")
	}
	message := answerID(status.Question.Key)
	if err := d.runs.SendMessage(ctx, id, runstore.RunMessage{
		ID: message, Kind: answerKind, Data: tool.MustMarshal(answer{text})}); err != nil {
		return err
	}
	d.begun()
	kept, err := d.answered(ctx, id, status.Question.Key)
	return cmp.Or(err, asSaid(kept, text))
}

// answered is the answer that a question has; empty where it has none.
func (d *Desk) answered(ctx context.Context, id, question string) (string, error) {
	events, err := AllEvents(ctx, d.runs, id)
	if err != nil {
		return "", err
	}
	for _, e := range events {
		var m runstore.RunMessage
		var kept answer
		if e.Type == runstore.EventMessage && json.Unmarshal(e.Data, &m) == nil && m.ID == answerID(question) &&
			json.Unmarshal(m.Data, &kept) == nil {
			return kept.Text, nil
		}
	}
	return "", nil
}

// asSaid is the error of what is said to a question that keeps another answer.
func asSaid(kept, text string) error {
	if kept == "" || kept == text {
		return nil
	}
	return invalid("the question was already answered in other words, and the run continues with those",
		"follow its events; it will say when it waits for an answer")
}
