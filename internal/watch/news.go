package watch

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/agent"
	"github.com/citewell/citewell/report"
	"github.com/citewell/citewell/store"
)

// maxLooked is how many rounds are looked back for one with a report, and how many of them
// have a say in whether a source is new.
const maxLooked = 20

// News is what a round found that the rounds before it had not.
type News struct {
	Watch    string           `json:"watch"`
	Question string           `json:"question"`
	Round    int64            `json:"round"` // from 1
	Run      string           `json:"run"`
	At       time.Time        `json:"at"` // when it ended; zero while it is under way
	State    store.RunState   `json:"state"`
	Outcome  store.RunOutcome `json:"outcome,omitempty"`
	Reason   string           `json:"reason,omitempty"` // why it has no report, or a partial one
	// Since is the round that it is set beside: the last one before it that has a report. 0 is
	// none, and then everything is new.
	Since int64 `json:"since,omitempty"`
	report.Differences
}

// Ended says whether the round is over.
func (n News) Ended() bool { return n.State.Ended() }

// Answered says whether the round has a report that answers the question, or a part of it.
func (n News) Answered() bool { return n.Outcome == store.RunAnswered || n.Outcome == store.RunPartial }

// Quiet says whether the round is over and found nothing new.
func (n News) Quiet() bool {
	return n.Answered() && n.Words() == ""
}

// News returns what the last rounds of a watch found, the newest first: at most limit of them.
func (d *Desk) News(ctx context.Context, w Watch, limit int) ([]News, error) {
	var rounds []round
	for n := w.Rounds - 1; n >= 0 && len(rounds) < limit+maxLooked; n-- {
		r, err := d.round(ctx, w, n)
		if citewell.CodeOf(err) == citewell.CodeNotFound { // pruned, or deleted by hand
			continue
		}
		if err != nil {
			return nil, err
		}
		rounds = append(rounds, r)
	}
	var all []News
	for i := range rounds[:min(len(rounds), limit)] {
		all = append(all, rounds[i].news(w, rounds[i+1:min(len(rounds), i+1+maxLooked)]))
	}
	return all, nil
}

// A round is what became of one.
type round struct {
	n      int64
	run    store.Run
	result agent.Result
}

func (d *Desk) round(ctx context.Context, w Watch, n int64) (round, error) {
	run, err := d.runs.Run(ctx, w.run(n))
	if err != nil {
		return round{}, err
	}
	if run.Caller != w.owner { // somebody else has begun a run by that id
		return round{}, &citewell.Error{Code: citewell.CodeNotFound, Op: "watch", Message: "the round is another's run"}
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
	n := News{Watch: w.ID, Question: w.Question, Round: r.n + 1, Run: r.run.ID, At: r.run.EndedAt, State: r.run.State, Outcome: r.run.Outcome, Reason: r.result.Reason}
	if r.run.State == store.RunWaiting {
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
		return fmt.Sprintf("round %d came to nothing: %s", n.Round, cmp.Or(n.Reason, string(n.Outcome), string(n.State)))
	case n.Since == 0:
		return "the first report: " + cmp.Or(said, "it has no findings")
	}
	return cmp.Or(said, "nothing new")
}

// Markdown is the news as a short brief.
func (n News) Markdown() string {
	line := fmt.Sprintf("Round %d", n.Round)
	if n.Ended() {
		line += ", " + n.At.UTC().Format("2006-01-02 15:04 UTC")
	}
	if n.Since > 0 {
		line += fmt.Sprintf(", beside round %d", n.Since)
	}
	text := n.Differences.Markdown("What is new: "+n.Question, line+": "+n.Title()+".")
	if n.Answered() {
		text += "\nThe report, whose every citation can be checked, is that of run " + n.Run + ".\n"
	}
	return text
}
