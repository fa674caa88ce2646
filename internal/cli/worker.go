package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/citewell/citewell/internal/app"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/server"
	"github.com/spf13/cobra"
)

// maxParallel bounds the runs of one worker; each waits for its model most of the time.
const maxParallel = 1000

func newWorker(e *env) *cobra.Command {
	var parallel int
	var listen string
	cmd := &cobra.Command{
		Use:   "worker",
		Short: "Execute research runs only",
		Long: "Executes the research runs of the store, whoever began them and for whichever tenant: runs that\n" +
			"nobody has taken yet, those whose process died, and those whose question was answered. Any\n" +
			"number of workers may share a store; a run has one executor at a time. An interrupt or a SIGTERM\n" +
			"releases its runs: they continue elsewhere or later, and no finished call is paid for again.\n" +
			"If a run's agent cannot be built with this configuration (it lacks a provider or an MCP server\n" +
			"of the run), the run is postponed: other workers may take it, and this one tries again after 5\n" +
			"seconds, then twice as long, up to 5 minutes. After an hour of that it ends with an error.\n" +
			"It listens only with --listen, and then answers /healthz, /readyz and /metrics, as citewell\n" +
			"serve does, and nothing else.",
		Example: "  citewell worker\n  citewell worker --parallel 4 --listen 127.0.0.1:8011",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			e.serves = true
			if cmd.Flags().Changed("parallel") {
				if parallel < 1 || parallel > maxParallel {
					return usage(fmt.Sprintf("--parallel is %d; it must be 1 to %d", parallel, maxParallel), "")
				}
				e.sets = append(e.sets, fmt.Sprint("server.limits.runs=", parallel))
			}
			a, err := e.open(cmd.Context())
			if err != nil {
				return err
			}
			defer a.Close()
			unwatch, err := e.beWatched(cmd.Context(), a, listen)
			if err != nil {
				return err
			}
			defer unwatch()
			defer beside(cmd.Context(), settle)()
			w := &work{progress: e.newProgress("waiting for runs")}
			of := func(room *app.App) (*app.Runs, error) {
				return room.NewRuns(cmd.Context(), app.RunsOptions{Taken: w.taken, Left: w.left})
			}
			runs, err := of(a)
			if err != nil {
				w.end()
				return err
			}
			e.sayExecuting(a, runs)
			a.Execute(cmd.Context(), of)
			w.end()
			fmt.Fprintf(e.stderr, "%s ended, %d left with a question, %d let go\n", count(w.ended, "run"),
				w.asking, w.letGo)
			return nil
		},
	}
	cmd.Flags().StringVar(&listen, "listen", "", "`HOST:PORT` for monitoring; default: none")
	cmd.Flags().IntVar(&parallel, "parallel", 0,
		fmt.Sprintf("`N` runs at once, 1 to %d; default: server.limits.runs", maxParallel))
	return cmd
}

// beWatched answers those who watch a process that serves nothing else, until it is told to end.
func (e *env) beWatched(ctx context.Context, a *app.App, listen string) (end func(), err error) {
	if listen == "" {
		return func() {}, nil
	}
	l, err := listenOn(ctx, "worker", listen)
	if err != nil {
		return nil, err
	}
	handler, err := a.Watching(l.Addr().String())
	if err != nil {
		l.Close()
		return nil, err
	}
	fmt.Fprintf(e.stderr, "listening on http://%s (/healthz, /readyz and /metrics)\n", l.Addr())
	return beside(ctx, func(ctx context.Context) {
		if err := server.Run(ctx, l, handler, a.Log()); err != nil {
			a.Log().Error("nobody is answered any more", "error", err)
		}
	}), nil
}

// beside does work beside what else a process does. The function that it returns cancels the work and waits for it.
func beside(ctx context.Context, work func(context.Context)) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	var all sync.WaitGroup
	all.Go(func() { work(ctx) })
	return func() {
		cancel()
		all.Wait()
	}
}

// sayExecuting says whose runs are executed, and with what.
func (e *env) sayExecuting(a *app.App, runs *app.Runs) {
	var models []string
	for _, d := range runs.Agents() {
		if d.Model != "" && !slices.Contains(models, d.Model) {
			models = append(models, d.Model)
		}
	}
	if len(models) == 0 {
		models = []string{"no model (agent " + app.BriefAgent + ")"}
	}
	fmt.Fprintf(e.stderr, "executing the runs of %s with %s, %d at once\n",
		clean(strings.TrimPrefix(a.StorePlace(), "sqlite:")), clean(strings.Join(models, ", ")),
		a.Config.Server.Limits.Runs)
}

// work is where a worker stands.
type work struct {
	*progress
	mu                        sync.Mutex
	now, ended, asking, letGo int
}

// taken hears of a run that is taken up.
func (w *work) taken(run runstore.Run) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now++
	w.tell(run, "taken up")
}

// left hears of a run that is over or let go.
func (w *work) left(run runstore.Run) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now--
	switch {
	case run.State.Ended():
		w.ended++
		w.tell(run, standing(run))
	case run.State == runstore.RunWaiting:
		w.asking++
		w.tell(run, standing(run))
	default:
		w.letGo++
		w.tell(run, strings.TrimSuffix("let go; it "+run.Detail, "; it "))
	}
}

// tell shows what became of a run, and where the worker stands.
func (w *work) tell(run runstore.Run, what string) {
	w.say("run " + run.ID + ": " + what)
	w.set(fmt.Sprintf("%d under way · %d ended · %s %s", w.now, w.ended, run.ID, what))
}

// standing says in words where a run stands.
func standing(run runstore.Run) string {
	said := string(run.State)
	if run.Outcome != "" && string(run.Outcome) != said {
		said += ", " + string(run.Outcome)
	}
	return said
}
