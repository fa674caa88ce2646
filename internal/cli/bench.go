package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/citewell/citewell/internal/app"
	"github.com/citewell/citewell/internal/bench"
	"github.com/citewell/citewell/internal/sheet"
)

func newBench(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure answers and claim checks on your own data",
		Long: "Measures how well questions are answered, from your documents or by your configuration, and how\n" +
			"well claims are checked. The program bench/ of the source compares parts with other systems.",
		Args: noSuchCommand,
		RunE: showHelp,
	}
	e.hiddenJSON(cmd)
	cmd.AddCommand(newBenchAnswers(e), newBenchClaims(e), newBenchQA(e))
	return cmd
}

func newBenchAnswers(e *env) *cobra.Command {
	var chosen bench.AnswerOptions
	var misses bool
	cmd := &cobra.Command{
		Use:   "answers DIR",
		Short: "Measure how well questions over documents are answered, without a model",
		Long: "Measures how well questions over documents are answered, without a model.\n\n" +
			"The folder holds articles.json in the form of answers-squad, or questions.jsonl and docs/: {id,\n" +
			"question, patterns, kind} on each line. An answer is right if one of the patterns (RE2, ignoring\n" +
			"case) is in it; a question without patterns has no answer. Two articles at a time are left out\n" +
			"of the index, and their questions are asked all the same. A folder with NAME.jsonl for each of\n" +
			"several folders NAME/docs is asked folder by folder.\n\n" +
			"The tables say where the answer stands, at which step it was lost (its page was not read, its\n" +
			"passage not kept, its sentence not weighed, nothing given, another given), and whether the\n" +
			"chance that a first finding states is the share that is right.",
		Args: exactly("folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return e.benchAnswers(cmd.Context(), args[0], chosen, misses)
		},
	}
	e.jsonFlag(cmd)
	flags := cmd.Flags()
	flags.Func("docs", "the `FOLDER` of the documents, or of NAME/docs; default below DIR", func(dir string) error {
		if chosen.Docs != "" {
			return usage("--docs names one folder, and "+dir+" is a second", "measure each in a run of its own")
		}
		chosen.Docs = dir
		return nil
	})
	flags.StringVar(&chosen.Half, "half", "", "ask only the `odd|even` lines (folders: every other one; "+
		"articles: by hash)")
	flags.IntVar(&chosen.Limit, "limit", 300, "`N` questions of each kind, chosen by hash; 0 for all")
	flags.BoolVar(&chosen.Research, "research", false, "answer as research --no-model does")
	flags.BoolVar(&misses, "misses", false, "list the questions that went wrong")
	complete(cmd, "half", "odd", "even")
	return cmd
}

func (e *env) benchAnswers(ctx context.Context, dir string, chosen bench.AnswerOptions, misses bool) error {
	p := e.newProgress("measuring")
	chosen.Say = p.step
	report, err := bench.Answers(ctx, dir, app.BenchAnswerer, chosen)
	p.end()
	if err != nil {
		return err
	}
	if !misses {
		report.Misses = nil
	}
	if e.json {
		return e.writeJSON(report)
	}
	if err := e.writeTables(report.Report); err != nil {
		return err
	}
	for _, m := range report.Misses {
		e.writeMiss(m)
	}
	return nil
}

func (e *env) writeTables(report sheet.Report) error {
	_, err := io.WriteString(e.stdout, cleanText(report.String()))
	return err
}

func (e *env) writeMiss(m bench.Miss) {
	wrong := "no finding; nearest: " + m.Nearest
	switch {
	case m.Right > 1:
		wrong = fmt.Sprintf("answered by finding %d; the first: %s", m.Right, m.Given)
	case m.Given != "":
		wrong = "first finding: " + m.Given
	}
	fmt.Fprintf(e.stdout, "\n%s %s %s\n  wanted: %s\n  %s\n", clean(m.ID), m.Sort, clean(m.Question), clean(m.Wanted),
		clean(wrong))
}
