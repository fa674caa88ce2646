package cli

import (
	"context"
	"strings"

	"github.com/citewell/citewell/internal/app"
	"github.com/citewell/citewell/internal/job"
	"github.com/spf13/cobra"
)

func newAsk(e *env) *cobra.Command {
	var agent string
	var budget []string
	var talk bool
	cmd := &cobra.Command{
		Use:   "ask ID QUESTION",
		Short: "Ask a further question about a run's result and its sources",
		Long: "Begins a run that continues an ended one: it has that run's conversation and its sources with\n" +
			"their numbers, and reads nothing again that was read within a day. If they do not answer the\n" +
			"question, it searches, and new sources get the next numbers. The answer is a run of its own:\n" +
			"verify, export and ask on as with any other, even after the earlier run is deleted.\n" +
			"ID is as in citewell runs. Exit codes are those of citewell research.",
		Example:           "  citewell ask 2cb604e2 \"And how fast is it?\"",
		Args:              exactly("id", "question"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			question := strings.TrimSpace(args[1])
			if question == "" {
				return usage("question is empty", "say what to find out")
			}
			walls, err := budgetSettings(budget)
			if err != nil {
				return err
			}
			e.sets = append(e.sets, walls...)
			return e.withRun(func(ctx context.Context, a *app.App, runs *app.Runs, former job.Status,
				_ []string) error {
				return e.begin(ctx, a, runs, job.Start{From: former.ID, Agent: agent, Task: question}, talk)
			})(cmd, args)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&agent, "agent", "", "the agent's `NAME`; default: the run's")
	flags.StringArrayVar(&budget, "budget", nil,
		"a limit for this run as `KEY=VALUE` (repeatable), instead of the configured one: "+budgetForms())
	flags.BoolVarP(&talk, "interactive", "i", false,
		"answer the agent's questions on the terminal, or with lines of standard input")
	e.recordFlag(cmd)
	return cmd
}
