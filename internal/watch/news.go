package watch

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/report"
	"github.com/citewell/citewell/internal/runstore"
)

// maxLooked is how many rounds are looked back for one with a report, and how many of them
// have a say in whether a source is new. As many in a row that are not kept are the end.
const maxLooked = 20

// News is what a round found that the rounds before it had not.
type News struct {
	Watch    string              `json:"watch"`
	Question string              `json:"question"`
	Round    int64               `json:"round"` // from 1
	Run      string              `json:"run"`
	At       time.Time           `json:"at"` // when it ended; zero while it is under way
	State    runstore.RunState   `json:"state"`
	Outcome  runstore.RunOutcome `json:"outcome,omitempty"`
	Reason   string              `json:"reason,omitempty"` // why it has no report, or a partial one
	// Since is the round that it is set beside: the last one before it that has a report. 0 is
	// none, and then everything is new.
	Since int64 `json:"since,omitempty"`
	report.Differences
}

// Ended says whether the round is over.
func (n News) Ended() bool { return n.State.Ended() }

// Answered says whether the round has a report that answers the question, or a part of it.
func (n News) Answered() bool {
	return n.Outcome == runstore.RunAnswered || n.Outcome == runstore.RunPartial
}

// Quiet says whether the round is over and found nothing new.
func (n News) Quiet() bool {
	return n.Answered() && n.Words() == ""
}

// News returns what the last rounds of a watch found, the newest first: at most limit of them. What
// a round found that is over is worked out once in a process: it has twenty reports behind it.
func (d *Desk) News(ctx context.Context, w Watch, limit int) (all []News, err error) {
	rounds := map[int64]*round{}
	missing := 0 // in a row
	for n := w.Rounds - 1; n >= 0 && len(all) < limit && missing < maxLooked; n-- {
		run, err := d.run(ctx, w, n)
		found, known := d.told.newsOf(run)
		if err == nil && !known {
			found, err = d.found(ctx, w, n, rounds)
		}
		if citewell.CodeOf(err) == citewell.CodeNotFound { // pruned, or deleted by hand
			missing++
			continue
		}
		if err != nil {
			return nil, err
		}
		missing = 0
		d.told.keep(found)
		all = append(all, found)
	}
	return all, nil
}

// found is what a round found, beside those before it; rounds are those that were read.
func (d *Desk) found(ctx context.Context, w Watch, n int64, rounds map[int64]*round) (News, error) {
	var read []round
	missing := 0
	for at := n; at >= 0 && len(read) <= maxLooked && missing < maxLooked; at-- {
		if rounds[at] == nil {
			r, err := d.round(ctx, w, at)
			if citewell.CodeOf(err) == citewell.CodeNotFound && at < n {
				missing++
				continue
			}
			if err != nil {
				return News{}, err
			}
			rounds[at] = &r
		}
		missing = 0
		read = append(read, *rounds[at])
	}
	return read[0].news(w, read[1:]), nil
}

// maxTold is how many rounds a process keeps what they found of.
const maxTold = 100

// told are the news of rounds that are over, by their runs.
type told struct {
	mu    sync.Mutex
	byRun map[string]News
}

func (t *told) newsOf(run runstore.Run) (News, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	found, ok := t.byRun[run.ID]
	return found, ok
}

func (t *told) keep(found News) {
	if !found.Ended() {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for run := range t.byRun {
		if len(t.byRun) < maxTold {
			break
		}
		delete(t.byRun, run)
	}
	t.byRun[found.Run] = found
}

// A round is what became of one.
type round struct {
	n      int64
	run    runstore.Run
	result agent.Result
}

// run is the run of a round; not_found where none is kept.
func (d *Desk) run(ctx context.Context, w Watch, n int64) (runstore.Run, error) {
	run, err := d.runs.Run(ctx, w.run(n))
	if err == nil && run.Caller != w.owner { // somebody else has begun a run by that id
		return run, &citewell.Error{Code: citewell.CodeNotFound, Op: "watch",
			Message: "the run of this round belongs to somebody else"}
	}
	return run, err
}

func (d *Desk) round(ctx context.Context, w Watch, n int64) (round, error) {
	run, err := d.run(ctx, w, n)
	if err != nil {
		return round{}, err
	}
	r := round{n: n, run: run}
	if run.State.Ended() {
		if r.result, err = d.runs.Result(ctx, run.ID); err != nil {
			return round{}, err
		}
	}
	return r, nil
}

// news sets a round beside those before it, the newest first.
func (r round) news(w Watch, before []round) News {
	n := News{Watch: w.ID, Question: w.Question, Round: r.n + 1, Run: r.run.ID, At: r.run.EndedAt, State: r.run.State,
		Outcome: r.run.Outcome, Reason: r.result.Reason}
	if r.run.State == runstore.RunWaiting {
		n.Reason = r.run.Detail
	}
	now := r.result.Report
	if now == nil {
		now = &citewell.Report{}
		before = nil
	}
	var reports []citewell.Report
	for _, b := range before {
		if b.result.Report != nil {
			n.Since = cmp.Or(n.Since, b.n+1)
			reports = append(reports, *b.result.Report)
		}
	}
	n.Differences = report.Since(*now, reports)
	return n
}

// Title is the news in one line.
func (n News) Title() string {
	said := n.Words()
	switch {
	case !n.Ended():
		return fmt.Sprintf("round %d is not over: %s", n.Round, cmp.Or(n.Reason, string(n.State)))
	case !n.Answered():
		return fmt.Sprintf("round %d came to nothing: %s", n.Round,
			cmp.Or(n.Reason, string(n.Outcome), string(n.State)))
	case n.Since == 0:
		return "the first report: " + cmp.Or(said, "it has no findings")
	}
	return cmp.Or(said, "nothing new")
}

// Markdown is the news as a short brief.
func (n News) Markdown() string { return n.written(n.Differences.Markdown) }

// Text is the same as plain text.
func (n News) Text() string { return n.written(n.Differences.Text) }

func (n News) written(as func(heading, line string) string) string {
	line := fmt.Sprintf("Round %d", n.Round)
	if n.Ended() {
		line += ", " + n.At.UTC().Format("2006-01-02 15:04 UTC")
	}
	if n.Since > 0 {
		line += fmt.Sprintf(", beside round %d", n.Since)
	}
	text := as("What is new: "+n.Question, line+": "+n.Title()+".")
	if n.Answered() {
		text += "\nThe report, whose every citation can be checked, is that of run " + n.Run + ".\n"
	}
	return text
}
