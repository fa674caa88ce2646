package cli

import (
	"context"
	"fmt"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/app"
	"github.com/citewell/citewell/internal/bench"
	"github.com/spf13/cobra"
)

// qaFlags say what is asked of whom.
type qaFlags struct {
	agent   string
	noModel bool
	judge   string
	o       bench.QAOptions
}

// maxAskedAtOnce is where an endpoint would only be made to refuse.
const maxAskedAtOnce = 64

func newBenchQA(e *env) *cobra.Command {
	var f qaFlags
	cmd := &cobra.Command{
		Use:   "qa FILE",
		Short: "Measure whether answers are right, what they cost, and whether their citations hold",
		Long: "Asks an agent the questions of FILE, each as a run of its own, and has a model grade the answers\n" +
			"as SimpleQA does: correct, incorrect, not attempted. FILE is SimpleQA's CSV with the columns\n" +
			"problem and answer, or JSON Lines with question (or problem), answer and optionally id. Every\n" +
			"citation of every answer is checked again.\n\n" +
			"This spends money: try --limit 5 first, and multiply the cost.\n\n" +
			"With --out every answer is kept, and the same command continues where it was: it repeats no run,\n" +
			"and pays for no answer or grade twice.",
		Example: "  citewell bench qa --limit 5 --out trial.jsonl simple_qa_test_set.csv\n" +
			"  citewell bench qa --agent tool_calling_agent --judge-model gpt-4o --parallel 8 --out answers.jsonl " +
			"simple_qa_test_set.csv\n" +
			"  citewell bench qa --no-model --judge-model none questions.jsonl",
		Args: exactly("file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case f.o.Limit < 0:
				return usage(fmt.Sprintf("--limit is %d; it must be 0, for all, or more", f.o.Limit), "")
			case f.o.Parallel < 1 || f.o.Parallel > maxAskedAtOnce:
				return usage(fmt.Sprintf("--parallel is %d; it must be 1 to %d", f.o.Parallel, maxAskedAtOnce), "")
			case f.o.Retry && f.o.Out == "":
				return usage("--retry repeats failed questions, which only the file of --out knows", "add --out FILE")
			}
			return e.benchQA(cmd.Context(), args[0], f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.agent, "agent", "", "the agent's `NAME`; default: the first configured one")
	flags.BoolVar(&f.noModel, "no-model", false, "answer without a model, as research --no-model does")
	flags.StringVar(&f.judge, "judge-model", "", "the model `NAME` at llm.base_url that grades; llm.model where "+
		"absent, "+app.NoJudge+" compares words")
	flags.IntVar(&f.o.Limit, "limit", 0, "only the first `N` questions")
	flags.IntVar(&f.o.Parallel, "parallel", bench.DefaultParallel,
		fmt.Sprintf("`N` questions at once, 1 to %d", maxAskedAtOnce))
	flags.StringVar(&f.o.Out, "out", "", "keep every answer in `FILE.jsonl`, and continue it if it exists")
	flags.BoolVar(&f.o.Retry, "retry", false, "ask again the questions that failed before, with --out")
	cmd.MarkFlagsMutuallyExclusive("agent", "no-model")
	e.jsonFlag(cmd)
	return cmd
}

func (e *env) benchQA(ctx context.Context, file string, f qaFlags) error {
	set, err := bench.ReadQuestions(file)
	if err != nil {
		return err
	}
	a, err := e.open(ctx)
	if err != nil {
		return err
	}
	defer a.Close()
	var c bench.Contestant
	if f.noModel {
		c, err = a.BenchResearch(ctx)
	} else {
		c, err = a.BenchAgent(ctx, f.agent)
	}
	if err != nil {
		return err
	}
	if f.o.Judge, err = a.BenchJudge(f.judge); err != nil {
		return err
	}
	for _, bad := range set.Bad {
		fmt.Fprintf(e.stderr, "warning: line %d of %s is not asked: %s\n", bad.Line, clean(file), clean(bad.Problem))
	}
	if f.o.Judge == nil {
		fmt.Fprintln(e.stderr, "no model grades: answers are compared with the target by words, which is no grade of "+
			"SimpleQA's")
	}
	p := e.newProgress("asking")
	f.o.Say = p.step
	report, err := bench.QA(ctx, set, c, f.o)
	p.end()
	switch {
	case ctx.Err() != nil && f.o.Out != "":
		return &citewell.Error{Code: citewell.CodeCanceled, Op: "bench",
			Message: "interrupted; nothing that was answered is lost",
			Hint:    "the same command continues " + f.o.Out, Err: ctx.Err()}
	case err != nil:
		return err
	case e.json:
		return e.writeJSON(report)
	}
	return e.writeTables(report)
}
