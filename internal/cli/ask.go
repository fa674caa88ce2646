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
		Short: "Ask a question on what a run came to, with its sources at hand",
		Long: "Begins a run that goes on from an ended one: its conversation and its sources are there, by\n" +
			"their numbers, and nothing is read again that was read within a day. What they do not say is\n" +
			"searched for, and gets the numbers after theirs. The answer is a run of its own, which is\n" +
			"verified, exported and asked on as any other, also when the one before it is deleted.\n" +
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
			return e.withRun(func(ctx context.Context, a *app.App, runs *app.Runs, former job.Status, _ []string) error {
				return e.begin(ctx, a, runs, job.Start{From: former.ID, Agent: agent, Task: question}, talk)
			})(cmd, args)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&agent, "agent", "", "the agent's `NAME`; that of the run where absent")
	flags.StringArrayVar(&budget, "budget", nil, "a wall for this run as `KEY=VALUE` (repeatable), in place of the configured one: "+budgetForms())
	flags.BoolVarP(&talk, "interactive", "i", false, "answer the agent's questions on the terminal, or by lines of standard input")
	e.recordFlag(cmd)
	return cmd
}
