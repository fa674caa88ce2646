// Command bench measures parts of Citewell beside their peers and their limit, on data sets
// that are named or on simulated webs. The peers are linked into it and nothing else.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/spf13/cobra"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/bench/measure"
	"github.com/citewell/citewell/extract"
	"github.com/citewell/citewell/internal/bench"
	"github.com/citewell/citewell/internal/sheet"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := newCommand().ExecuteContext(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench: "+citewell.View(err).Line())
		os.Exit(1)
	}
}

// A program is what all parts have in common.
type program struct {
	rounds int
	json   bool
}

func newCommand() *cobra.Command {
	p := &program{}
	root := &cobra.Command{
		Use:   "bench",
		Short: "Measure quality and speed of parts beside their peers",
		Long: "Measures parts beside their peers and their limit, each quality as its benchmark scores\n" +
			"it. Speeds are medians over rounds in which the contestants take turns: of one run the\n" +
			"ratios can be trusted, on a busy machine the times cannot.",
		SilenceUsage: true, SilenceErrors: true,
	}
	root.PersistentFlags().IntVar(&p.rounds, "rounds", measure.DefaultRounds,
		fmt.Sprintf("`N` rounds of timing, 1 to %d", maxRounds))
	root.PersistentFlags().BoolVar(&p.json, "json", false, "print the figures as JSON")
	root.AddCommand(p.extraction(), p.retrieval(), p.growth(), p.claims(), p.search(), p.fetch())
	return root
}

func (p *program) extraction() *cobra.Command {
	var halves string
	cmd := p.part("extraction DIR", "the text of saved pages: articles, or pages of seven kinds",
		"The folder is told by its files: ground-truth.json marks articles, ground-truth.tar.xz (or\n"+
			"ground-truth/ID.json) pages of seven kinds; both have html/ID.html.gz.\n\n"+
			"The forests that choose a page's content were grown from two development sets. On those\n"+
			"--halves gives the figure that holds for other pages.",
		func(ctx context.Context, dir string, o measure.Options) (sheet.Report, error) {
			readers, err := readersOf(halves)
			if err != nil {
				return sheet.Report{}, err
			}
			return measure.Extraction(ctx, dir, readers, o)
		})
	cmd.Flags().StringVar(&halves, "halves", "", "folder `DIR` with half0.bin and half1.bin, forests grown from one "+
		"half of the pages each")
	return cmd
}

func (p *program) retrieval() *cobra.Command {
	return p.part("retrieval DIR", "what the text index finds, in a set like SciFact",
		"The folder holds corpus.jsonl.gz and queries.jsonl ({_id, title, text}) and qrels.tsv\n(query, text, score), "+
			"as BEIR has them.",
		func(ctx context.Context, dir string, o measure.Options) (sheet.Report, error) {
			return measure.Retrieval(ctx, dir, engines(), o)
		})
}

func (p *program) growth() *cobra.Command {
	var sizes []int
	cmd := p.part("growth DIR", "what a query costs as the text index grows",
		"The folder holds a set like SciFact, as for retrieval; the texts are made of its sentences.",
		func(ctx context.Context, dir string, o measure.Options) (sheet.Report, error) {
			return measure.Growth(ctx, dir, sizes, growthEngines(), o)
		})
	cmd.Flags().IntSliceVar(&sizes, "texts", []int{5000, 20000}, "measure at each of these `SIZES`")
	return cmd
}

func (p *program) claims() *cobra.Command {
	return p.part("claims DIR", "whether near-copies of sentences are told apart, false ones and true ones",
		"The folder holds texts, of whose sentences near-copies are made: corpus.jsonl.gz as for retrieval,\n"+
			"articles.json, pages.tar.gz with manifest.json, or manual pages in other languages than English\n"+
			"(/usr/share/man). Claims that people labelled are measured by `citewell bench claims`.",
		func(ctx context.Context, dir string, o measure.Options) (sheet.Report, error) {
			return measure.Claims(ctx, dir, bench.JudgeByWords, ourReader(extract.Forests{}), o)
		})
}

func (p *program) search() *cobra.Command {
	var webs []string
	cmd := p.part("search", "the wall time of an answer, on simulated webs with known latencies",
		"It needs no data and no network.",
		func(ctx context.Context, _ string, o measure.Options) (sheet.Report, error) {
			return measure.Search(ctx, openPipeline, webs, o)
		})
	cmd.Flags().StringSliceVar(&webs, "web", nil, "only the simulated web `NAME` (repeatable): "+
		strings.Join(measure.Webs(), ", "))
	return cmd
}

func (p *program) fetch() *cobra.Command {
	return p.part("fetch", "what the guard costs, against bare net/http on loopback",
		"It needs no data and no network.",
		func(ctx context.Context, _ string, o measure.Options) (sheet.Report, error) {
			return measure.Fetch(ctx, getters(), o)
		})
}

// maxRounds is where more rounds tell nothing more.
const maxRounds = 100

// part is a measurement, on the folder that is named where use has one.
func (p *program) part(use, short, long string, of func(ctx context.Context, dir string,
	o measure.Options) (sheet.Report, error)) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: "Measure " + short, Long: "Measures " + short + ".\n\n" + long,
		Args: cobra.ExactArgs(strings.Count(use, " ")),
		RunE: func(cmd *cobra.Command, args []string) error {
			if p.rounds < 1 || p.rounds > maxRounds {
				return &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "bench",
					Message: fmt.Sprintf("--rounds is %d; it must be 1 to %d", p.rounds, maxRounds)}
			}
			report, err := of(cmd.Context(), strings.Join(args, ""),
				measure.Options{Rounds: p.rounds, Say: func(what string) { fmt.Fprintln(os.Stderr, what) }})
			if err != nil {
				return err
			}
			if p.json {
				out := json.NewEncoder(os.Stdout)
				out.SetIndent("", "  ")
				return out.Encode(report)
			}
			_, err = io.WriteString(os.Stdout, report.String())
			return err
		},
	}
}
