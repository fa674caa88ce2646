package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/app"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/clipperhouse/displaywidth"
	"github.com/spf13/cobra"
)

func newRuns(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "runs",
		Short: "List, watch, resume, answer, cancel and export research runs",
		Long: "A run is an agent's work on one topic (citewell research with a model). It outlives the process\n" +
			"that began it: these commands reach it from any process on the same store.\n" +
			"ID is a run's id, or its first or last letters, or those of its UUID, if they are unique.",
		Args: noSuchCommand,
		RunE: showHelp,
	}
	e.hiddenJSON(cmd)
	cmd.AddCommand(newRunsList(e), newRunsShow(e), newRunsWatch(e), newRunsResume(e), newRunsAnswer(e),
		newRunsCancel(e), newRunsExport(e), newRunsDelete(e))
	return cmd
}

// withRuns opens the store for a command about runs.
func (e *env) withRuns(work func(ctx context.Context, a *app.App, runs *app.Runs, args []string) error) func(
	*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		a, err := e.open(cmd.Context())
		if err != nil {
			return err
		}
		defer a.Close()
		runs, err := a.Runs(cmd.Context())
		if err != nil {
			return err
		}
		return work(cmd.Context(), a, runs, args)
	}
}

// withRun opens the store and finds the run that the first argument names.
func (e *env) withRun(work func(ctx context.Context, a *app.App, runs *app.Runs, run job.Status,
	args []string) error) func(*cobra.Command, []string) error {
	return e.withRuns(func(ctx context.Context, a *app.App, runs *app.Runs, args []string) error {
		run, err := findRun(ctx, runs, args[0])
		if err != nil {
			return err
		}
		return work(ctx, a, runs, run, args[1:])
	})
}

// listedRun is a run as it is listed to the operator.
type listedRun struct {
	job.Listed
	Executor string `json:"executor,omitempty"`
}

func asListedRun(r runstore.Run) listedRun { return listedRun{job.ListedOf(r), r.Executor} }

// listLimit is how many runs are listed where nobody says.
const listLimit = 20

func newRunsList(e *env) *cobra.Command {
	var f listFlags
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List runs, newest first",
		Long: "Lists runs, newest first: id, state, start and question. With several flags, a run is listed if\n" +
			"all of them fit.",
		Example: "  citewell runs list\n  citewell runs list --state waiting_for_clarification --json\n" +
			"  citewell runs list --words \"tide gate\" --since 2026-03-01 --outcome answered\n  citewell runs list " +
			"--same-task 2cb604e2",
		Args: cobra.NoArgs,
		RunE: e.withRuns(func(ctx context.Context, _ *app.App, runs *app.Runs, _ []string) error {
			q, err := f.query(ctx, runs)
			if err != nil {
				return err
			}
			page, next, err := runs.List(ctx, q)
			if err != nil {
				return err
			}
			if e.json {
				list := make([]listedRun, len(page))
				for i, run := range page {
					list[i] = asListedRun(run)
				}
				return e.writeJSON(struct {
					Runs []listedRun `json:"runs"`
					Next string      `json:"next,omitempty"`
				}{list, next})
			}
			return e.printRuns(page, next)
		}),
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&f.states, "state", nil, "only runs in this `STATE` (repeatable): "+
		strings.Join(namesOf(runstore.RunStates), ", "))
	flags.StringArrayVar(&f.outcomes, "outcome", nil, "only runs that ended with this `OUTCOME` (repeatable): "+
		strings.Join(namesOf(runstore.RunOutcomes), ", "))
	flags.StringArrayVar(&f.agents, "agent", nil, "only runs of this agent (`NAME`, repeatable)")
	flags.StringVar(&f.words, "words", "", "only runs whose task has all of these `WORDS`, also within longer words")
	flags.StringVar(&f.since, "since", "",
		"only runs begun at this `TIME` or later: a day, such as 2026-03-31 (local midnight), or an RFC 3339 time")
	flags.StringVar(&f.until, "until", "", "only runs begun before this `TIME`")
	flags.StringVar(&f.sameTask, "same-task", "", "only the run `ID` and runs with the same task")
	flags.IntVar(&f.limit, "limit", listLimit, fmt.Sprintf("number of runs, 1 to %d", runstore.MaxRunPage))
	flags.StringVar(&f.cursor, "next", "", "continue after the last list: the `CURSOR` that it printed")
	complete(cmd, "state", namesOf(runstore.RunStates)...)
	complete(cmd, "outcome", namesOf(runstore.RunOutcomes)...)
	e.jsonFlag(cmd)
	return cmd
}

// listFlags say which runs are listed.
type listFlags struct {
	states, outcomes, agents      []string
	words, since, until, sameTask string
	limit                         int
	cursor                        string
}

// query gives the flags as the store takes them.
func (f *listFlags) query(ctx context.Context, runs *app.Runs) (runstore.RunQuery, error) {
	q := runstore.RunQuery{Agents: f.agents, Words: f.words, Limit: f.limit, Cursor: f.cursor}
	if f.limit < 1 || f.limit > runstore.MaxRunPage {
		return q, usage(fmt.Sprintf("--limit is %d; it must be 1 to %d", f.limit, runstore.MaxRunPage), "")
	}
	for _, s := range f.states {
		q.States = append(q.States, runstore.RunState(s))
	}
	for _, o := range f.outcomes {
		q.Outcomes = append(q.Outcomes, runstore.RunOutcome(o))
	}
	for _, m := range []struct {
		flag, value string
		set         *time.Time
	}{{"--since", f.since, &q.Since}, {"--until", f.until, &q.Until}} {
		if m.value == "" {
			continue
		}
		var err error
		if *m.set, err = job.ReadMoment(m.flag, m.value, time.Local); err != nil {
			return q, err
		}
	}
	if f.sameTask != "" {
		run, err := findRun(ctx, runs, f.sameTask)
		if err != nil {
			return q, err
		}
		q.SameTask = run.ID
	}
	return q, nil
}

// printRuns prints a line for each run: on a terminal with its short id, elsewhere with the whole.
func (e *env) printRuns(page []runstore.Run, next string) error {
	if len(page) == 0 {
		_, err := fmt.Fprintln(e.stdout, "no runs")
		return err
	}
	reading := isTerminal(e.stdout.w)
	id := func(run runstore.Run) string {
		if reading {
			return shortID(run.ID)
		}
		return run.ID
	}
	ids, states := 0, 0
	for _, run := range page {
		ids, states = max(ids, len(id(run))), max(states, len(standing(run)))
	}
	for _, run := range page {
		line := fmt.Sprintf("%-*s  %-*s  %s  %s", ids, id(run), states, standing(run),
			run.CreatedAt.Local().Format("2006-01-02 15:04"), firstLine(job.Task(run)))
		if _, err := fmt.Fprintln(e.stdout, displaywidth.TruncateString(clean(line), width(e.stdout.w, 200),
			"…")); err != nil {
			return err
		}
	}
	if next != "" {
		fmt.Fprintln(e.stderr, "more: --next", next)
	}
	return nil
}

// firstLine is the first line of a text.
func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}

// shownRun is a run as it is shown: what it was begun as, where it stands, and its result once it has ended.
type shownRun struct {
	job.Shown
	Executor string        `json:"executor,omitempty"`
	Events   int64         `json:"events"` // in its log
	Result   *agent.Result `json:"result,omitempty"`
}

func newRunsShow(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "show ID",
		Short:   "Show a run's state, question, result and cost",
		Example: "  citewell runs show 2cb604e2\n  citewell runs show 2cb604e2 --json",
		Args:    exactly("id"),
		RunE: e.withRun(func(ctx context.Context, a *app.App, runs *app.Runs, s job.Status, _ []string) error {
			told, err := s.Shown()
			if err != nil {
				return err
			}
			shown := shownRun{Shown: told, Executor: s.Executor, Events: s.Seq}
			if s.State.Ended() {
				result, err := runs.Result(ctx, s.ID)
				if err != nil {
					return err
				}
				shown.Result = &result
			}
			return e.show(shown, func() error { return e.printRun(shown, e.again(a)) })
		}),
	}
	e.jsonFlag(cmd)
	return cmd
}

// printRun shows a run to people.
func (e *env) printRun(r shownRun, again string) error {
	var w strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&w, format+"\n", args...) }
	line("run %s", r.ID)
	line("Task: %s", firstLine(r.Task))
	line("%s; begun %s", standing(runstore.Run{State: r.State, Outcome: r.Outcome}),
		r.CreatedAt.Local().Format("2006-01-02 15:04:05"))
	if r.Detail != "" && r.Question == nil {
		line("Reason: %s", clean(r.Detail))
	}
	if r.Executor != "" {
		line("Executed by %s", r.Executor)
	}
	line("Budget: %s", walls(r.Budget))
	if where := r.Choices.Words(); where != "" {
		line("It looks %s", clean(where))
	}
	switch {
	case r.Question != nil:
		line("\nIt waits for an answer:\n%s\n", r.Question.Text)
		line(`Answer with: %s runs answer %s "..." && %s runs resume %s`, again, r.ID, again, r.ID)
	case r.Result == nil:
		line("So far: %s, %s, %s", count(r.Iteration, "step"), count(r.Searches, "search"), count(r.Sources, "source"))
		if r.Executor == "" {
			line("Nobody executes it. Go on with: %s runs resume %s", again, r.ID)
		}
	default:
		if r.Result.Usage == (agent.Usage{}) && r.Iteration > 0 { // nobody executed it when it ended
			line("It came to %s, %s, %s; its tokens were not counted", count(r.Iteration, "step"),
				count(r.Searches, "search"), count(r.Sources, "source"))
		} else {
			line("Spent: %s, %s", count(r.Result.Iteration, "step"), spent(r.Result.Usage))
		}
		if report := r.Result.Report; report != nil {
			line("Report: %s (%s checked, %d not verified)", report.Title, count(len(report.Findings), "sentence"),
				len(report.Unverified))
			line("Read it with: %s runs export %s", again, r.ID)
		} else if r.Result.Answer != "" {
			line("\n%s", r.Result.Answer)
		}
		if len(r.Result.Sources) > 0 {
			line("\nSources:")
		}
		for _, s := range r.Result.Sources {
			line("[%d] %s - %s", s.N, firstLine(s.Title), s.URL)
		}
	}
	_, err := fmt.Fprint(e.stdout, cleanText(w.String()))
	return err
}
