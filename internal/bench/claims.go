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

// Labels that people gave to claims, the best for the claim first.
const (
	labelSupported    = "supported"
	labelPartly       = "partly"
	labelNotEnough    = "not_enough"
	labelContradicted = "contradicted"
)

var labels = []string{labelSupported, labelPartly, labelNotEnough, labelContradicted}

// verdicts are those that a check can give, the best for the claim first.
var verdicts = []citewell.Verdict{citewell.VerdictSupported, "partly", "undecided",
	citewell.VerdictUnsupported, citewell.VerdictContradicted}

// accusing are the verdicts by which somebody is told that a claim does not hold.
var accusing = []citewell.Verdict{citewell.VerdictUnsupported, citewell.VerdictContradicted}

// A ClaimJudge gives its verdict on each pair, in their order.
type ClaimJudge func(ctx context.Context, pairs []claim.Pair) ([]citewell.Verdict, error)

// JudgeByWords asks what check --batch --no-judge asks, with every processor.
func JudgeByWords(ctx context.Context, pairs []claim.Pair) ([]citewell.Verdict, error) {
	return JudgeBy(nil, nil)(ctx, pairs)
}

// JudgeBy asks what check --batch asks where a judge is set: words first, and the judge of what they
// leave undecided, in as few calls as its window allows. unjudged hears why pairs have no opinion.
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

// ClaimOptions choose which claims are judged, and by whom.
type ClaimOptions struct {
	Half  string     // "odd" or "even", by a claim's place in its file; both when empty or "all"
	Texts string     // folder with the sets that claims may refer to
	Judge ClaimJudge // JudgeByWords when nil
	Say   func(what string)
}

// Claims holds labelled claims of files against their evidence.
func Claims(ctx context.Context, files []string, o ClaimOptions) (sheet.Report, error) {
	if !slices.Contains([]string{"", "all", "odd", "even"}, o.Half) {
		return sheet.Report{}, &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "bench", Message: fmt.Sprintf("half is %q; it must be odd, even or all", o.Half)}
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

// judgeClaims gives each claim the best verdict of its rows.
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
		return &citewell.Error{Code: citewell.CodeInternal, Op: "bench", Message: fmt.Sprintf("the judge gave %d verdicts on %d pairs", len(given), len(pairs))}
	}
	for _, c := range all {
		for _, v := range given[:len(c.pairs)] {
			if !slices.Contains(verdicts, v) {
				return &citewell.Error{Code: citewell.CodeInternal, Op: "bench", Message: fmt.Sprintf("the judge gave the verdict %q, which has no column", v)}
			}
			c.verdict = better(verdicts, c.verdict, v)
		}
		given = given[len(c.pairs):]
	}
	return nil
}

// better is the one of a and b that stands first in order; b where a is empty.
func better[T ~string](order []T, a, b T) T {
	if a == "" || slices.Index(order, b) < slices.Index(order, a) {
		return b
	}
	return a
}
