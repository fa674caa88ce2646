package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/citewell/citewell/internal/app"
	"github.com/citewell/citewell/internal/bench"
	"github.com/spf13/cobra"
)

func newBench(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure quality and speed, on data that you name",
		Long: "Measures parts beside their peers and their limit, each quality as its benchmark scores\n" +
			"it. Speeds are medians over rounds in which the contestants take turns: of one run the\n" +
			"ratios can be trusted, on a busy machine the times cannot.",
		Args: noSuchCommand,
		RunE: showHelp,
	}
	e.hiddenJSON(cmd)
	var halves string
	extraction := e.benchOn("extraction", "the text of saved pages: articles, or pages of seven kinds",
		"The folder is told by its files: ground-truth.json marks articles, ground-truth.tar.xz (or\n"+
			"ground-truth/ID.json) pages of seven kinds; both have html/ID.html.gz.\n\n"+
			"The forests that choose a page's content were grown from two development sets. On those\n"+
			"--halves gives the figure that holds for other pages.",
		func(ctx context.Context, dir string, o bench.Options) (bench.Report, error) {
			readers, err := app.BenchReaders(halves)
			if err != nil {
				return bench.Report{}, err
			}
			return bench.Extraction(ctx, dir, readers, o)
		})
	extraction.Flags().StringVar(&halves, "halves", "", "folder `DIR` with half0.bin and half1.bin, forests grown from one half of the pages each")
	var texts string
	claims := e.benchOn("claims", "whether supported claims are told from others",
		"The folder holds claims.jsonl or claims.jsonl.gz: {claim, label, title, passage}, where label is\nsupported, contradicted or not_enough; instead of title and passage a claim may refer to a\n"+
			"text of --texts. Or it holds texts, of whose sentences near-copies are made, false ones and true\nones: corpus.jsonl.gz as for retrieval, articles.json, pages.tar.gz with manifest.json, or manual\n"+
			"pages in other languages than English (/usr/share/man).",
		func(ctx context.Context, dir string, o bench.Options) (bench.Report, error) {
			readers, err := app.BenchReaders("")
			if err != nil {
				return bench.Report{}, err
			}
			return bench.Claims(ctx, dir, texts, app.BenchCheck, readers.Ours, o)
		})
	claims.Flags().StringVar(&texts, "texts", "", "folder `DIR` with answers-squad and demo-web, which claims may refer to")
	var webs []string
	searching := e.benchAlone("search", "the wall time of an answer, on simulated webs with known latencies",
		func(ctx context.Context, o bench.Options) (bench.Report, error) {
			return bench.Search(ctx, app.BenchPipeline, webs, o)
		})
	searching.Flags().StringSliceVar(&webs, "web", nil, "only the simulated web `NAME` (repeatable): "+strings.Join(bench.Webs(), ", "))
	complete(searching, "web", bench.Webs()...)
	var sizes []int
	growth := e.benchOn("growth", "what a query costs as the text index grows",
		"The folder holds a set like SciFact, as for retrieval; the texts are made of its sentences.",
		func(ctx context.Context, dir string, o bench.Options) (bench.Report, error) {
			return bench.Growth(ctx, dir, sizes, app.BenchGrowthEngines(), o)
		})
	growth.Flags().IntSliceVar(&sizes, "texts", []int{5000, 20000}, "measure at each of these `SIZES`")
	cmd.AddCommand(extraction, growth,
		e.benchOn("retrieval", "what the text index finds, in a set like SciFact",
			"The folder holds corpus.jsonl.gz and queries.jsonl ({_id, title, text}) and qrels.tsv\n(query, text, score), as BEIR has them.",
			func(ctx context.Context, dir string, o bench.Options) (bench.Report, error) {
				return bench.Retrieval(ctx, dir, app.BenchEngines(), o)
			}),
		claims,
		e.benchAnswers(),
		searching,
		e.benchAlone("fetch", "what the guard costs, against bare net/http on loopback",
			func(ctx context.Context, o bench.Options) (bench.Report, error) {
				return bench.Fetch(ctx, app.BenchGetters(), o)
			}),
		newBenchQA(e))
	return cmd
}

// benchOn is a measurement on data that the user names.
func (e *env) benchOn(name, short, long string, measure func(context.Context, string, bench.Options) (bench.Report, error)) *cobra.Command {
	var rounds int
	cmd := &cobra.Command{Use: name + " DIR", Short: "Measure " + short, Long: "Measures " + short + ".\n\n" + long, Args: exactly("folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return e.bench(rounds, func(o bench.Options) (bench.Report, error) { return measure(cmd.Context(), args[0], o) })
		}}
	e.benchFlags(cmd, &rounds)
	return cmd
}

// benchAnswers is the measurement of what is answered from documents.
func (e *env) benchAnswers() *cobra.Command {
	var chosen bench.AnswerOptions
	var misses bool
	cmd := &cobra.Command{
		Use:   "answers DIR",
		Short: "Measure whether questions over documents are answered, without a model",
		Long: "Measures whether questions over documents are answered, without a model.\n\n" +
			"The folder holds articles.json as answers-squad has it, or questions.jsonl and docs/:\n" +
			"{id, question, patterns, kind} a line, where one of the patterns (RE2, upper and lower case\n" +
			"alike) is in the answer; without one, nothing answers the question. Of articles two at\n" +
			"a time are left out of the index, and their questions are asked all the same.",
		Args: exactly("folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return e.bench(1, func(o bench.Options) (bench.Report, error) {
				report, err := bench.Answers(cmd.Context(), args[0], app.BenchAnswerer, chosen, o)
				if !misses {
					report.Misses = nil
				}
				return report, err
			})
		},
	}
	e.jsonFlag(cmd)
	flags := cmd.Flags()
	flags.StringVar(&chosen.Docs, "docs", "", "the documents are in `FOLDER`; DIR/docs otherwise")
	flags.StringVar(&chosen.Half, "half", "", "ask only the `odd|even` lines, or articles by hash")
	flags.IntVar(&chosen.Limit, "limit", 300, "`N` questions of each sort, chosen by hash; 0 for all")
	flags.BoolVar(&misses, "misses", false, "list the questions that went wrong")
	complete(cmd, "half", "odd", "even")
	return cmd
}

// benchAlone is a measurement that needs no data.
func (e *env) benchAlone(name, short string, measure func(context.Context, bench.Options) (bench.Report, error)) *cobra.Command {
	var rounds int
	cmd := &cobra.Command{Use: name, Short: "Measure " + short, Long: "Measures " + short + ". It needs no data and no network.", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return e.bench(rounds, func(o bench.Options) (bench.Report, error) { return measure(cmd.Context(), o) })
		}}
	e.benchFlags(cmd, &rounds)
	return cmd
}

// maxRounds is where more rounds tell nothing more.
const maxRounds = 100

func (e *env) benchFlags(cmd *cobra.Command, rounds *int) {
	cmd.Flags().IntVar(rounds, "rounds", bench.DefaultRounds, fmt.Sprintf("`N` rounds of timing, 1 to %d", maxRounds))
	e.jsonFlag(cmd)
}

func (e *env) bench(rounds int, measure func(bench.Options) (bench.Report, error)) error {
	if rounds < 1 || rounds > maxRounds {
		return usage(fmt.Sprintf("--rounds is %d; it must be 1 to %d", rounds, maxRounds), "")
	}
	p := e.newProgress("measuring")
	report, err := measure(bench.Options{Rounds: rounds, Say: func(what string) {
		p.set(what)
		p.say(what)
	}})
	p.end()
	if err != nil {
		return err
	}
	if e.json {
		return e.writeJSON(report)
	}
	return e.writeTables(report)
}

func (e *env) writeTables(report bench.Report) error {
	for i, table := range report.Tables {
		if i > 0 {
			fmt.Fprintln(e.stdout)
		}
		if _, err := fmt.Fprint(e.stdout, tableText(table)); err != nil {
			return err
		}
	}
	for _, m := range report.Misses {
		wrong := "no finding; nearest: " + m.Nearest
		switch {
		case m.Right > 1:
			wrong = fmt.Sprintf("answered by finding %d; the first: %s", m.Right, m.Given)
		case m.Given != "":
			wrong = "first finding: " + m.Given
		}
		fmt.Fprintf(e.stdout, "\n%s %s %s\n  wanted: %s\n  %s\n", clean(m.ID), m.Sort, clean(m.Question), clean(m.Wanted), clean(wrong))
	}
	return nil
}

// tableText lays a table out in columns: names to the left, figures to the right, and
// after them where a row's figures are from.
func tableText(t bench.Table) string {
	cells := [][]string{{""}}
	for _, c := range t.Columns {
		cells[0] = append(cells[0], c.Title)
	}
	cells[0] = append(cells[0], "")
	for _, row := range t.Rows {
		line := []string{clean(row.Name)}
		for _, c := range t.Columns {
			if figure, ok := row.Figures[c.Key]; ok {
				line = append(line, fmt.Sprintf("%.*f", c.Decimals, figure))
			} else {
				line = append(line, "–")
			}
		}
		cells = append(cells, append(line, about(row)))
	}
	widths := make([]int, len(t.Columns)+1)
	for _, line := range cells {
		for i := range widths {
			widths[i] = max(widths[i], columnsOf(line[i]))
		}
	}
	var b strings.Builder
	b.WriteString(clean(t.Title) + "\n")
	for _, line := range cells {
		for i, cell := range line[:len(widths)] {
			pad := strings.Repeat(" ", widths[i]-columnsOf(cell))
			if i == 0 {
				b.WriteString("  " + cell + pad)
			} else {
				b.WriteString("  " + pad + cell)
			}
		}
		if last := line[len(widths)]; last != "" {
			b.WriteString("  " + last)
		}
		b.WriteString("\n")
	}
	for _, note := range t.Notes {
		b.WriteString("  * " + clean(note) + "\n")
	}
	return b.String()
}

// about says where a row's figures are from, unless they were just measured.
func about(row bench.Row) string {
	parts := []string{clean(row.Note)}
	if slices.Contains([]bench.Origin{bench.Published, bench.Limit}, row.Origin) {
		parts = []string{string(row.Origin), clean(row.Note)}
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "; ")
}
