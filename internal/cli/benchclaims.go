package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/citewell/citewell/internal/bench"
)

func newBenchClaims(e *env) *cobra.Command {
	var o bench.ClaimOptions
	var judged bool
	cmd := &cobra.Command{
		Use:   "claims FILE...",
		Short: "Measure how well true claims are told from others",
		Long: "Checks each claim as check --batch does, and compares the verdict with its label. FILE is JSON\n" +
			"Lines, also packed with gzip:\n\n" +
			"  {\"id\": \"…\", \"claim\": \"…\", \"evidence\": \"…\", \"title\": \"…\", \"label\": \"…\", \"kind\": " +
			"\"…\", \"field\": \"…\"}\n\n" +
			"label is supported, partly, contradicted or not_enough; title, kind and field are optional; the\n" +
			"evidence may be called passage. Rows with the same claim whose ids differ only in a last /N are\n" +
			"one claim, which gets the best verdict and the best label of its rows.",
		Example: "  citewell bench claims claims.jsonl\n" +
			"  citewell bench claims --half even --json claims.jsonl.gz more.jsonl",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return exactly("file")(cmd, args)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return e.benchClaims(cmd.Context(), args, o, judged) },
	}
	e.jsonFlag(cmd)
	flags := cmd.Flags()
	flags.StringVar(&o.Half, "half", "all", "check only the `odd|even|all` claims, counted in the file")
	flags.BoolVar(&judged, "judge", false,
		"ask the judge about claims that words leave undecided; the judge is examined first")
	flags.StringVar(&o.Texts, "texts", "",
		"the folder `DIR` of answers-squad and demo-web, if claims refer to their texts")
	complete(cmd, "half", "odd", "even", "all")
	return cmd
}

func (e *env) benchClaims(ctx context.Context, files []string, o bench.ClaimOptions, judged bool) error {
	if judged {
		a, err := e.openWithoutStore(ctx)
		if err != nil {
			return err
		}
		defer a.Close()
		if a.Judge == nil {
			return noJudge()
		}
		score, err := a.Judge.Examine(ctx)
		if err != nil {
			return err
		}
		fmt.Fprintln(e.stderr, a.Judge.Name()+":", score)
		o.Judge = bench.JudgeBy(a.AskJudge(), e.unjudged)
	}
	p := e.newProgress("measuring")
	o.Say = p.step
	report, err := bench.Claims(ctx, files, o)
	p.end()
	switch {
	case err != nil:
		return err
	case e.json:
		return e.writeJSON(report)
	}
	return e.writeTables(report)
}
