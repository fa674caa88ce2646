package bench

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/claim"
	"github.com/citewell/citewell/internal/sheet"
)

// Labels of claims, from the best to the worst.
const (
	labelSupported    = "supported"
	labelPartly       = "partly"
	labelNotEnough    = "not_enough"
	labelContradicted = "contradicted"
)

var labels = []string{labelSupported, labelPartly, labelNotEnough, labelContradicted}

// verdicts are the verdicts of a check, from the best to the worst.
var verdicts = []citewell.Verdict{citewell.VerdictSupported, citewell.VerdictPartly, citewell.VerdictUndecided,
	citewell.VerdictUnsupported, citewell.VerdictContradicted}

// accusing are the verdicts that reject a claim.
var accusing = []citewell.Verdict{citewell.VerdictUnsupported, citewell.VerdictContradicted}

// A ClaimJudge returns a verdict for each pair, in the same order.
type ClaimJudge func(ctx context.Context, pairs []claim.Pair) ([]citewell.Verdict, error)

// JudgeByWords checks pairs as check --batch --no-judge does, on every processor.
func JudgeByWords(ctx context.Context, pairs []claim.Pair) ([]citewell.Verdict, error) {
	return JudgeBy(nil, nil)(ctx, pairs)
}

// JudgeBy checks pairs by words, and then asks a judge about the undecided ones, in as few calls as its
// window allows. It calls unjudged with the reason if pairs stay without an opinion.
func JudgeBy(ask claim.Ask, unjudged func(error)) ClaimJudge {
	return func(ctx context.Context, pairs []claim.Pair) ([]citewell.Verdict, error) {
		answers, err := claim.CheckPairs(ctx, pairs)
		if err != nil {
			return nil, err
		}
		judged, err := claim.Judge(ctx, ask, answers)
		if err != nil {
			unjudged(err)
		}
		given := make([]citewell.Verdict, len(pairs))
		for i, a := range judged {
			given[i] = a.Verdict
		}
		return given, ctx.Err()
	}
}

// ClaimOptions select the claims and their judge.
type ClaimOptions struct {
	Half  string     // "odd" or "even" places in the file; all claims if empty or "all"
	Texts string     // folder with the data sets that claims refer to
	Judge ClaimJudge // JudgeByWords when nil
	Say   func(what string)
}

// Claims checks the labelled claims of files and reports how the verdicts compare with the labels.
func Claims(ctx context.Context, files []string, o ClaimOptions) (sheet.Report, error) {
	if !slices.Contains([]string{"", "all", "odd", "even"}, o.Half) {
		return sheet.Report{}, &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "bench",
			Message: fmt.Sprintf("half is %q; it must be odd, even or all", o.Half)}
	}
	if o.Judge == nil {
		o.Judge = JudgeByWords
	}
	report := sheet.Report{Schema: sheet.Schema, Name: "claims", Data: strings.Join(files, " ")}
	for _, file := range files {
		all, err := readClaims(file, o.Texts)
		if err != nil {
			return report, err
		}
		of := ""
		if o.Half == "odd" || o.Half == "even" {
			of = ", the " + o.Half + " ones"
			all = slices.DeleteFunc(all, func(c *labelledClaim) bool { return (c.place%2 == 1) != (o.Half == "odd") })
		}
		if o.Say != nil {
			o.Say(fmt.Sprintf("checking %d claims of %s", len(all), file))
		}
		if err := judgeClaims(ctx, all, o.Judge); err != nil {
			return report, err
		}
		report.Tables = append(report.Tables, claimTables(file+of, all)...)
	}
	return report, nil
}

// judgeClaims sets the verdict of each claim to the best verdict of its rows.
func judgeClaims(ctx context.Context, all []*labelledClaim, judge ClaimJudge) error {
	var pairs []claim.Pair
	for _, c := range all {
		pairs = append(pairs, c.pairs...)
	}
	given, err := judge(ctx, pairs)
	switch {
	case err != nil:
		return err
	case len(given) != len(pairs):
		return &citewell.Error{Code: citewell.CodeInternal, Op: "bench",
			Message: fmt.Sprintf("the judge gave %d verdicts on %d pairs", len(given), len(pairs))}
	}
	for _, c := range all {
		for _, v := range given[:len(c.pairs)] {
			if !slices.Contains(verdicts, v) {
				return &citewell.Error{Code: citewell.CodeInternal, Op: "bench",
					Message: fmt.Sprintf("the judge gave the verdict %q, which has no column", v)}
			}
			c.verdict = better(verdicts, c.verdict, v)
		}
		given = given[len(c.pairs):]
	}
	return nil
}

// better returns the one of a and b that comes first in order, or b if a is empty.
func better[T ~string](order []T, a, b T) T {
	if a == "" || slices.Index(order, b) < slices.Index(order, a) {
		return b
	}
	return a
}
