package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/app"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/spf13/cobra"
)

func newRunsWatch(e *env) *cobra.Command {
	var after int64
	cmd := &cobra.Command{
		Use:   "watch ID",
		Short: "Show a run's log as it happens",
		Long: "Shows a run's log from its beginning, or after event number --after, until the run has ended,\n" +
			"whichever process executes it. If the run waits for an answer, the command waits too. --json\n" +
			"prints each event of the log as one line.",
		Example: "  citewell runs watch 2cb604e2\n  citewell runs watch 2cb604e2 --after 17 --json",
		Args:    exactly("id"),
		RunE: e.withRun(func(ctx context.Context, _ *app.App, runs *app.Runs, run job.Status, _ []string) error {
			if after < 0 {
				return usage(fmt.Sprintf("--after is %d; it must be 0 or the number of an event", after), "")
			}
			return e.watchRun(ctx, runs, run.ID, after)
		}),
	}
	cmd.Flags().Int64Var(&after, "after", 0, "show only events after this `NUMBER`")
	e.jsonFlag(cmd)
	return cmd
}

// watchRun prints the log of a run until it ends.
func (e *env) watchRun(ctx context.Context, runs *app.Runs, id string, after int64) error {
	var teller runTeller
	// from the beginning: what an event means hangs on those before it
	for event, err := range runs.Follow(ctx, id, 0) {
		if err != nil {
			return err
		}
		done, begun := teller.line(event)
		if event.Seq <= after {
			continue
		}
		if e.json {
			line, err := json.Marshal(event)
			if err != nil {
				return err
			}
			if _, err := fmt.Fprintf(e.stdout, "%s\n", line); err != nil {
				return err
			}
			continue
		}
		done = cmp.Or(done, begun)
		if done == "" {
			continue
		}
		if _, err := fmt.Fprintf(e.stdout, "%4d  %s  %s\n", event.Seq, event.Time.Local().Format(time.TimeOnly),
			clean(done)); err != nil {
			return err
		}
	}
	return nil
}

func newRunsResume(e *env) *cobra.Command {
	var talk bool
	cmd := &cobra.Command{
		Use:   "resume ID",
		Short: "Continue a run here, to its end or its next question",
		Long: "Executes a run in this process from where it is: no finished call is paid for again, and sources\n" +
			"keep their numbers. If another process executes it, this one follows, and takes over if the\n" +
			"other dies. For a run that has ended it shows the result.\n" +
			"Exit codes are those of citewell research.",
		Example: "  citewell runs resume 2cb604e2\n  citewell runs resume -i 2cb604e2",
		Args:    exactly("id"),
		RunE: e.withRun(func(ctx context.Context, a *app.App, runs *app.Runs, run job.Status, _ []string) error {
			if d, err := job.AgentOf(run.Run); err == nil && !run.State.Ended() && d.Model != "" {
				if err := a.HasModel(); err != nil {
					return err
				}
			}
			heard, err := job.AllEvents(ctx, runs, run.ID)
			if err != nil {
				return err
			}
			if run.Executor != "" {
				fmt.Fprintf(e.stderr, "run %s is executed by %s; following\n", run.ID, clean(run.Executor))
			} else if !run.State.Ended() {
				fmt.Fprintf(e.stderr, "run %s goes on from event %d\n", run.ID, run.Seq)
			}
			return e.pursue(ctx, runs, run.ID, e.again(a), heard, talk)
		}),
	}
	cmd.Flags().BoolVarP(&talk, "interactive", "i", false,
		"answer the agent's questions on the terminal, or with lines of standard input")
	e.recordFlag(cmd)
	return cmd
}

func newRunsAnswer(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "answer ID [TEXT]",
		Short: "Answer a run's question",
		Long: "Answers the question of a run with TEXT or, without it, with standard input. A citewell serve or\n" +
			"worker on the same store then continues the run at once; citewell runs resume continues it here.",
		Example: "  citewell runs answer 2cb604e2 \"the file format\"\n  citewell runs answer 2cb604e2 < answer.txt",
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return usage("id is missing", "as in: citewell runs answer ID TEXT")
			case len(args) > 2:
				return usage(fmt.Sprintf("one text only, not %d", len(args)-1), "put it in quotes if it has spaces")
			}
			return nil
		},
		RunE: e.withRun(func(ctx context.Context, a *app.App, runs *app.Runs, run job.Status, args []string) error {
			text := ""
			if len(args) == 1 && args[0] != "-" {
				text = args[0]
			} else {
				if isTerminal(e.stdin) {
					return usage("text is missing", "as in: citewell runs answer ID TEXT")
				}
				data, err := io.ReadAll(io.LimitReader(e.stdin, maxAnswer+1))
				if err != nil {
					return &citewell.Error{Code: citewell.CodeInvalidArgument,
						Message: "standard input cannot be read", Err: err}
				}
				text = strings.TrimSpace(string(data))
			}
			if len(text) > maxAnswer {
				return usage(fmt.Sprintf("the answer has more than %d bytes", maxAnswer), "")
			}
			if run.Question == nil && !run.State.Ended() {
				return notReady("the run asks nothing now: it is "+string(run.State),
					"citewell runs watch "+run.ID+" says when it does")
			}
			if err := runs.Answer(ctx, run.ID, text); err != nil {
				return err
			}
			return e.say(map[string]any{"id": run.ID, "answered": run.Question},
				"answered; goes on with: %s runs resume %s", e.again(a), run.ID)
		}),
	}
	e.jsonFlag(cmd)
	return cmd
}

// cancelPatience is how long cancel waits for a run's executor: it ends within two
// seconds where it lives, and a dead one's lease runs out after 30.
const cancelPatience = 35 * time.Second

func newRunsCancel(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "cancel ID",
		Short: "End a run",
		Long: "Ends a run, whichever process executes it, and waits until it has ended: at most two seconds,\n" +
			"unless its executor is dead and nobody knows yet. Its findings are kept. A run that has already\n" +
			"ended stays as it is, and the error is run_finished.",
		Example: "  citewell runs cancel 2cb604e2",
		Args:    exactly("id"),
		RunE: e.withRun(func(ctx context.Context, _ *app.App, runs *app.Runs, run job.Status, _ []string) error {
			if run.State.Ended() {
				return runstore.RunFinished("runs", run.State)
			}
			asked, err := runs.Cancel(ctx, run.ID)
			if err != nil {
				return err
			}
			if !asked.State.Ended() {
				p := e.newProgress("waiting for the run to end")
				err := followToEnd(ctx, runs, run.ID)
				p.end()
				if err != nil {
					return err
				}
			}
			status, err := runs.Status(ctx, run.ID)
			if err != nil {
				return err
			}
			return e.say(asListedRun(status.Run), "run %s: %s", run.ID, standing(status.Run))
		}),
	}
	e.jsonFlag(cmd)
	return cmd
}

// followToEnd waits until a run has ended that was asked to.
func followToEnd(ctx context.Context, runs *app.Runs, id string) error {
	patient, end := context.WithTimeout(ctx, cancelPatience)
	defer end()
	for _, err := range runs.Follow(patient, id, 0) {
		if err != nil && errors.Is(patient.Err(), context.DeadlineExceeded) && ctx.Err() == nil {
			return &citewell.Error{Code: citewell.CodeTimeout, Op: "runs",
				Message: "the run was asked to end, and nobody has ended it yet",
				Hint: "the next process that takes the run will end it: citewell worker, or citewell runs " +
					"resume " + id}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// notReady refuses what can be asked of a run at another time.
func notReady(message, hint string) error {
	return &citewell.Error{Code: citewell.CodeRunNotReady, Op: "runs", Message: message, Hint: hint}
}

func newRunsDelete(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "delete ID",
		Short: "Delete a run that has ended, with its log, journal and sources",
		Long: "Deletes a run that has ended, with everything kept for it alone: its log, its journal, its\n" +
			"answers and the passages it cited. Its report can then be verified only against the file.\n" +
			"Snapshots of pages stay until citewell store prune; report files stay.",
		Example: "  citewell runs delete 2cb604e2",
		Args:    exactly("id"),
		RunE: e.withRun(func(ctx context.Context, _ *app.App, runs *app.Runs, run job.Status, _ []string) error {
			if !run.State.Ended() {
				hint := "end it first: citewell runs cancel " + run.ID
				if run.Executor != "" {
					return &citewell.Error{Code: citewell.CodeRunLeased, Op: "runs",
						Message: "the run is being executed by " + run.Executor, Hint: hint}
				}
				return notReady("the run has not ended: it is "+string(run.State), hint)
			}
			if err := runs.Delete(ctx, run.ID); err != nil {
				return err
			}
			return e.say(map[string]string{"deleted": run.ID}, "deleted run %s", run.ID)
		}),
	}
	e.jsonFlag(cmd)
	return cmd
}
