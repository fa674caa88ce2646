package bench

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/sheet"
)

// A Contestant answers questions.
type Contestant struct {
	Name   string // of the agent, or of what answers without one
	Model  string // empty where none is asked
	Priced bool   // somebody said what the model costs
	// Ask answers one question. id is the same each time the same question of the same
	// bench is asked: what was paid for under it is not bought again. An error ends the
	// whole bench; what only this question fails at is in Attempt.Failed.
	Ask     func(ctx context.Context, id, question string) (Attempt, error)
	Archive cite.Archive // where the passages of the answers' citations are
}

// An Attempt is what became of one question.
type Attempt struct {
	Run     string // id of the run, or of the brief
	Outcome string
	Answer  string
	Failed  *citewell.ErrorView // why there is no answer that could be graded
	Brief   *citewell.Brief     // the citations; nil where there are none
	Texts   []CitedText         // all that was written
	Usage   agent.Usage
}

// A CitedText is what was written with [n], and the sources that n may be.
type CitedText struct {
	Text    string
	Sources []citewell.Source
}

// QAOptions say how a set is asked.
type QAOptions struct {
	Limit    int    // questions from the first on; all where 0
	Parallel int    // asked at once; DefaultParallel when 0
	Out      string // file that keeps every answer, and that is gone on with; none where empty
	Retry    bool   // ask again what failed
	Judge    Judge  // nil grades by words
	Say      func(what string)
}

// DefaultParallel is how many questions are asked at once.
const DefaultParallel = 4

// A qa is a set that is being asked.
type qa struct {
	Contestant
	o   QAOptions
	id  string
	all int

	mu   sync.Mutex
	rows map[int]Graded // by line
	done int            // of all
	out  *answersFile
}

// QA asks the questions of a set and grades the answers.
func QA(ctx context.Context, set Questions, c Contestant, o QAOptions) (sheet.Report, error) {
	if o.Say == nil {
		o.Say = func(string) {}
	}
	if o.Parallel <= 0 {
		o.Parallel = DefaultParallel
	}
	asked := set.List
	if o.Limit > 0 {
		asked = asked[:min(o.Limit, len(asked))]
	}
	b := &qa{Contestant: c, o: o, id: citewell.NewID(), all: len(asked), rows: map[int]Graded{}}
	if o.Out != "" {
		var err error
		if b.out, err = openAnswers(o.Out, answersHead{Schema: AnswersSchema, ID: b.id, Questions: set.SHA256,
			By: c.Name, Model: c.Model, Judge: nameOf(o.Judge)}); err != nil {
			return sheet.Report{}, err
		}
		defer b.out.close()
		b.id, b.rows = b.out.head.ID, b.out.rows
		if len(b.rows) > 0 {
			o.Say(fmt.Sprintf("going on: %s has %d answers", o.Out, len(b.rows)))
		}
	}
	group, within := errgroup.WithContext(ctx)
	group.SetLimit(o.Parallel)
	for _, q := range asked {
		if within.Err() != nil {
			break
		}
		row, there := b.rowOf(q.Line)
		switch {
		case there && row.Failed != nil && o.Retry:
			row.Try++
		case there && row.JudgeFailed == nil:
			b.mu.Lock()
			b.done++
			b.mu.Unlock()
			continue
		}
		group.Go(func() error { return b.ask(within, q, row.Try) })
	}
	if err := group.Wait(); err != nil {
		return sheet.Report{}, err
	}
	if err := ctx.Err(); err != nil {
		return sheet.Report{}, err
	}
	var rows []Graded
	for _, q := range asked {
		rows = append(rows, b.rows[q.Line])
	}
	return sheet.Report{Schema: sheet.Schema, Name: "qa", Data: set.Path, Tables: qaTables(set, c, o, rows)}, nil
}

func nameOf(j Judge) string {
	if j == nil {
		return ""
	}
	return j.Name()
}

func (b *qa) rowOf(line int) (Graded, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	row, there := b.rows[line]
	return row, there
}

// ask answers and grades one question, and keeps both.
func (b *qa) ask(ctx context.Context, q Question, try int) error {
	attempt, err := b.Ask(ctx, citewell.SHA256(fmt.Appendf(nil, "%s/%d/%d", b.id, q.Line, try))[:32], q.Text)
	if err != nil {
		return err
	}
	row := Graded{Line: q.Line, ID: q.ID, Try: try, Question: q.Text, Target: q.Answer, Run: attempt.Run,
		Outcome: attempt.Outcome, Given: attempt.Answer, Failed: attempt.Failed, Usage: attempt.Usage}
	if row.Citations, err = countCitations(ctx, b.Archive, q.Text, attempt); err != nil {
		return err
	}
	switch {
	case row.Failed != nil:
	case b.o.Judge == nil:
		row.Judged = gradeByWords(q, row.Given)
	default:
		if row.Judged, err = grade(ctx, b.o.Judge, q, row.Given); ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil && !slices.Contains([]Grade{Correct, Incorrect, NotAttempted}, row.Judged.Grade) {
			err = &citewell.Error{Code: citewell.CodeModelFailed, Message: fmt.Sprintf("%.60q is no grade",
				row.Judged.Grade)}
		}
		if err != nil {
			view := citewell.View(err)
			row.JudgeFailed, row.Judged.Grade = &view, ""
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.out != nil {
		if err := b.out.write(row); err != nil {
			return err
		}
	}
	b.rows[q.Line] = row
	b.done++
	b.o.Say(fmt.Sprintf("%d of %d: line %d, %s", b.done, b.all, q.Line, row.standing()))
	return nil
}
