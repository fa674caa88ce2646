package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/app"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/report"
	"github.com/citewell/citewell/internal/runstore"
)

// maxAnswer bounds a line of an answer, in bytes; the store's messages have room for it.
const maxAnswer = 32 << 10

// A pursuit is a run that is executed here and told of, to its end or to where it waits
// for an answer that nobody here gives.
type pursuit struct {
	*env
	runs   *app.Runs
	id     string
	again  string         // the command line that reaches the same store once more
	lines  *bufio.Scanner // of what a person says; nil where nobody is asked
	teller runTeller
	heard  int64 // number of the newest entry of the log that was told of
}

// pursue executes runs by id. talk asks a person what the run wants to know.
func (e *env) pursue(ctx context.Context, runs *app.Runs, id, again string,
	heard []runstore.RunEvent, talk bool) error {
	p := &pursuit{env: e, runs: runs, id: id, again: again}
	for _, entry := range heard {
		p.teller.line(entry)
		p.heard = entry.Seq
	}
	if talk {
		p.lines = bufio.NewScanner(e.stdin)
		p.lines.Buffer(nil, maxAnswer)
	}
	for {
		run, err := p.execute(ctx)
		switch {
		case ctx.Err() != nil:
			return p.letGo(ctx.Err())
		case err != nil:
			return err
		case run.State.Ended():
			return p.showEnd(ctx)
		}
		status, err := runs.Status(ctx, id)
		if err != nil {
			return err
		}
		if status.Question == nil {
			if status.State == runstore.RunWaiting {
				return &citewell.Error{Code: citewell.CodeStoreFailed, Op: "runs",
					Message: "the run waits for an answer, and its log has no question"}
			}
			continue // it was answered meanwhile
		}
		answered := len(status.Question.Questions) == 0
		if answered && !e.json {
			if err := e.writeMarkdown(strings.TrimRight(status.Question.Text, "\n") + "\n"); err != nil {
				return err
			}
		}
		text, err := p.ask(ctx, status.Question)
		if ctx.Err() != nil {
			return p.letGo(ctx.Err())
		}
		if err != nil {
			return err
		}
		if text == "" {
			return p.leave(asResult(status), answered)
		}
		if err := runs.Answer(ctx, id, text); err != nil {
			return err
		}
	}
}

// execute executes the run, or waits for whoever does, and shows how it goes on.
func (p *pursuit) execute(ctx context.Context) (runstore.Run, error) {
	progress := &runProgress{p.newProgress("researching"), &p.teller}
	defer progress.end()
	tell := func(e runstore.RunEvent) {
		p.heard = e.Seq
		progress.tell(e)
	}
	follow, stop := context.WithCancel(ctx)
	defer stop()
	var following sync.WaitGroup
	following.Go(func() {
		for e, err := range p.runs.Follow(follow, p.id, p.heard) {
			if err != nil {
				return // what is left is read below
			}
			tell(e)
		}
	})
	run, err := p.runs.Executor.Execute(ctx, p.id)
	stop()
	following.Wait()
	for err == nil {
		var rest []runstore.RunEvent
		if rest, err = p.runs.Events(ctx, p.id, p.heard, 0); err != nil || len(rest) == 0 {
			break
		}
		for _, e := range rest {
			tell(e)
		}
	}
	return run, err
}

// ask gives what a person says to a question; nothing where there is nobody, or where there is no more to say.
func (p *pursuit) ask(ctx context.Context, q *agent.Question) (string, error) {
	if p.lines == nil {
		return "", nil
	}
	shown, more := cleanText(q.Text), "? "
	if len(q.Questions) == 0 {
		shown, more = "Go on with the conversation, or end it with an empty line.", "> "
	}
	fmt.Fprintf(p.stderr, "%s\n", shown)
	person := isTerminal(p.stdin)
	for {
		if person {
			fmt.Fprint(p.stderr, more)
		}
		line := make(chan bool, 1)
		go func() { line <- p.lines.Scan() }()
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case there := <-line:
			if !there && errors.Is(p.lines.Err(), bufio.ErrTooLong) {
				return "", usage(fmt.Sprintf("an answer has more than %d bytes in a line", maxAnswer), "")
			}
			text := strings.TrimSpace(p.lines.Text())
			if !there || text != "" || len(q.Questions) == 0 {
				return text, nil
			}
		}
	}
}

// command is a command line about the run.
func (p *pursuit) command(verb string) string { return p.again + " runs " + verb + " " + p.id }

// leave leaves a run that waits for an answer: after an answer that may be gone on
// from all is well, with a question open it is not.
func (p *pursuit) leave(r agent.Result, answered bool) error {
	goOn := p.command("answer") + ` "..." && ` + p.command("resume")
	if answered {
		fmt.Fprintf(p.stderr, "The conversation can be gone on with: %s\n", goOn)
		if p.json {
			return p.writeJSON(r)
		}
		return nil
	}
	return p.end(r, &citewell.Error{Code: citewell.CodeRunWaiting, Op: "runs",
		Message: "the run waits for an answer: " + r.Question.Text, Hint: "answer with: " + goOn})
}

// letGo says what became of a run whose executor was interrupted.
func (p *pursuit) letGo(cause error) error {
	return &citewell.Error{Code: citewell.CodeCanceled, Op: "runs",
		Message: "interrupted; the run " + p.id + " was let go and is not lost",
		Hint:    "go on with it: " + p.command("resume") + "\n  end it: " + p.command("cancel"), Err: cause}
}

// showEnd shows what a run came to.
func (p *pursuit) showEnd(ctx context.Context) error {
	r, err := p.runs.Result(ctx, p.id)
	if err != nil {
		return err
	}
	fmt.Fprintln(p.stderr, clean(runSummary(r, p.teller.sentBack)))
	if r.ReportPath != "" {
		fmt.Fprintln(p.stderr, "The report is kept as", clean(r.ReportPath))
	}
	if p.style != "" && r.Report != nil {
		with, err := report.WithReferences(ctx, *r.Report, p.opened.Store, p.style)
		if err != nil {
			return err
		}
		r.Report = &with
	}
	if !p.json {
		if err := p.showAnswer(r, p.again); err != nil {
			return err
		}
	}
	return p.end(r, outcomeError(r))
}

// end writes the result as JSON, where that is wanted, with the error if there is one.
func (p *pursuit) end(r agent.Result, failed error) error {
	switch {
	case !p.json:
		return failed
	case failed == nil:
		return p.writeJSON(r)
	}
	if err := p.writeJSON(struct {
		agent.Result
		Error citewell.ErrorView `json:"error"`
	}{r, citewell.View(failed)}); err != nil {
		return err
	}
	return alreadyShown{failed}
}

// showAnswer prints the report of a run, or what it has instead.
func (e *env) showAnswer(r agent.Result, again string) error {
	if r.Report == nil {
		if r.Answer == "" {
			return nil
		}
		return e.writeMarkdown(strings.TrimRight(r.Answer, "\n") + "\n")
	}
	// On a terminal nobody wants to read what verify needs, and the store has it.
	reading := isTerminal(e.stdout.w) && !e.record
	if err := e.writeMarkdown(e.reportText(*r.Report, !reading)); err != nil {
		return err
	}
	if reading {
		fmt.Fprintf(e.stderr, "Check every citation: %s verify %s\n", again, r.ID)
	}
	return nil
}

// asResult is a run that has not ended in the form of a result.
func asResult(s job.Status) agent.Result {
	return agent.Result{ID: s.ID, State: s.State, Question: s.Question, Iteration: s.Iteration,
		Clarifications: s.Clarifications, Sources: []citewell.Source{}, Usage: s.Spent, Reasoning: s.Reasoning}
}

// reportText is a report as Markdown, without what verify needs unless that is wanted.
func (e *env) reportText(r citewell.Report, verification bool) string {
	if e.record {
		return e.recorded(report.WithRecord(r))
	}
	text := report.OfRun(r)
	if at := strings.LastIndex(text, "\n## Verification\n"); at >= 0 && !verification {
		text = text[:at]
	}
	return text
}

// outcomeError is the error that a run's end stands for; nil where it answered.
func outcomeError(r agent.Result) error {
	said := func(code citewell.Code, message, hint string) error {
		return &citewell.Error{Code: code, Op: "runs", Hint: hint,
			Message: strings.TrimSuffix(message+": "+r.Reason, ": ")}
	}
	switch r.Outcome {
	case runstore.RunAnswered:
		return nil
	case runstore.RunPartial:
		return said(citewell.CodeRunIncomplete, "the run has only part of an answer", "")
	case runstore.RunNoSources:
		return said(citewell.CodeRunIncomplete, "no source that was read gives an answer", "")
	case runstore.RunOverBudget:
		return said(citewell.CodeBudgetExhausted, "the run ended at its budget", "")
	case runstore.RunModelFailed:
		if !r.RetryAt.IsZero() {
			return said(citewell.CodeRateLimited, "the model failed", "try again then, or use another model")
		}
		return said(citewell.CodeModelFailed, "the model failed", "test the model: citewell doctor")
	case runstore.RunOutcomeCancelled:
		return &citewell.Error{Code: citewell.CodeCanceled, Op: "runs", Message: "the run was cancelled"}
	}
	return said(citewell.CodeInternal, "the run failed with an internal error", "")
}

// runSummary is one line about what a run came to and what it cost.
func runSummary(r agent.Result, sentBack int) string {
	line := fmt.Sprintf("%s: %s, %s", standing(runstore.Run{State: r.State, Outcome: r.Outcome}),
		count(r.Iteration, "step"), spent(r.Usage))
	if sentBack > 0 {
		line += fmt.Sprintf(", sent back %s", times(sentBack))
	}
	if r.Report != nil && len(r.Report.Unverified) > 0 {
		line += fmt.Sprintf(", %s not verified", count(len(r.Report.Unverified), "sentence"))
	}
	return line
}

// spent is what a run has spent, in words.
func spent(u agent.Usage) string {
	line := fmt.Sprintf("%s, %s, %s", count(u.Searches, "search"), count(u.Fetches, "fetched page"),
		count(u.InputTokens+u.OutputTokens, "token"))
	if u.USD > 0 {
		line += fmt.Sprintf(", $%.4f", u.USD)
	}
	return line + fmt.Sprintf(", %.1f s", float64(u.ActiveMS)/1000)
}

func times(n int) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return fmt.Sprintf("%d times", n)
}
