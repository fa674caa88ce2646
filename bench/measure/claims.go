package measure

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/dataset"
	"github.com/citewell/citewell/internal/sheet"
	"github.com/citewell/citewell/internal/testing/score"
	"github.com/citewell/citewell/text"
)

// A Checker says how well evidence supports a claim in the language lang: a score that
// grows with it, and a verdict.
type Checker func(claim, evidence, lang string) (score float64, verdict citewell.Verdict)

// A pair is a claim and the passage that it is held against.
type pair struct {
	Claim   string `json:"claim"`
	Label   string `json:"label"` // supported, contradicted, not_enough
	Title   string `json:"title"`
	Passage string `json:"passage"`
	reference

	measured bool // its line is measured, and not tuned on
}

const (
	claimsFiles = "claims.jsonl.gz, a line for each {claim, label, title, passage}; or texts: " + proseFiles

	supported    = "supported"
	contradicted = "contradicted"
	notEnough    = "not_enough"
)

var verdicts = []citewell.Verdict{citewell.VerdictSupported, citewell.VerdictWeak, citewell.VerdictContradicted, citewell.VerdictUnsupported}

func readPairs(dir, texts string) ([]pair, error) {
	if err := dataset.Require(dir, claimsFiles, "claims.jsonl"); err != nil {
		return nil, err
	}
	var pairs []pair
	wrong := ""
	if err := dataset.EachLine(dir+"/claims.jsonl", func(p pair) {
		if !slices.Contains([]string{supported, contradicted, notEnough}, p.Label) {
			wrong = p.Label
		}
		pairs = append(pairs, p)
	}); err != nil {
		return nil, err
	}
	if wrong != "" || len(pairs) == 0 {
		return nil, dataset.Malformed(dir+"/claims.jsonl", fmt.Errorf("it has no pair, or one with another label (%q) than supported, contradicted, not_enough", wrong))
	}
	if slices.ContainsFunc(pairs, func(p pair) bool { return p.refers() }) {
		return pairs, resolve(pairs, texts)
	}
	return pairs, nil
}

// Claims measures a checker on the labelled pairs in dir, or on near-copies of the
// sentences of the texts in dir, told by its files. Lines of pairs are counted from 1:
// thresholds are chosen on the even lines and everything is measured on the odd ones; the
// other way round where claims refer to texts, which are those in the folder texts.
func Claims(ctx context.Context, dir, texts string, check Checker, read Reader, o Options) (sheet.Report, error) {
	o = o.withDefaults()
	if texts, found, err := readProse(ctx, dir, read); found || err != nil {
		if err != nil {
			return sheet.Report{}, err
		}
		return judgeCopies(ctx, dir, texts, check, o)
	}
	pairs, err := readPairs(dir, texts)
	if err != nil {
		return sheet.Report{}, err
	}
	measured := 0
	for i := range pairs {
		pairs[i].measured = (i%2 == 0) != pairs[0].refers()
		if pairs[i].measured {
			measured++
		}
	}
	which, tuned := "odd", "threshold from the even lines"
	if pairs[0].refers() {
		which, tuned = "even", "threshold from the odd lines"
	}
	o.Say(fmt.Sprintf("checking %d claims", len(pairs)))
	ours, given := make([]float64, len(pairs)), make([]citewell.Verdict, len(pairs))
	asGiven, shared := make([]float64, len(pairs)), make([]float64, len(pairs))
	for i, p := range pairs {
		ours[i], given[i] = check(p.Claim, p.evidence(), "en")
		shared[i] = sharedWords(p.Claim, p.evidence())
		if given[i] == citewell.VerdictSupported {
			asGiven[i] = 1
		}
		if ctx.Err() != nil {
			return sheet.Report{}, ctx.Err()
		}
	}
	told := sheet.Table{
		Title:   fmt.Sprintf("Supported claims told from others: balanced accuracy on %d %s lines of %d", measured, which, len(pairs)),
		Columns: []sheet.Column{{Key: "rest", Title: "the rest", Decimals: 3}, {Key: contradicted, Title: "contradicted", Decimals: 3}, {Key: notEnough, Title: "not enough", Decimals: 3}},
		Rows: []sheet.Row{
			{Name: "citewell", Origin: sheet.Measured, Figures: toldApart(pairs, ours, nil), Note: tuned},
			{Name: "citewell, its own verdict", Origin: sheet.Measured, Figures: toldApart(pairs, asGiven, new(1.0)), Note: "supported or not, without a threshold to choose"},
			{Name: "shared words", Origin: sheet.Measured, Figures: toldApart(pairs, shared, nil), Note: "share of the claim's stems that the evidence has; " + tuned},
		},
	}
	if len(pairs) == labelledPairs {
		told.Rows = append(told.Rows, publishedClaims)
	}
	speed, err := checkingSpeed(ctx, pairs, check, o)
	if err != nil {
		return sheet.Report{}, err
	}
	return sheet.Report{Schema: sheet.Schema, Name: "claims", Data: dir, Rounds: o.Rounds, Tables: []sheet.Table{told, confusion(pairs, given), precision(pairs, given), speed}}, nil
}

func (p pair) evidence() string { return p.Title + "\n\n" + p.Passage }

// toldApart is the balanced accuracy on the measured lines against all other labels and
// against each, left out where either side has no line. Without a given threshold the
// best one of the other lines is used.
func toldApart(pairs []pair, scores []float64, threshold *float64) map[string]float64 {
	figures := map[string]float64{}
	for against, labels := range map[string][]string{"rest": {contradicted, notEnough}, contradicted: {contradicted}, notEnough: {notEnough}} {
		var lines [2][]score.Decision // tuned on, measured
		for i, p := range pairs {
			if p.Label == supported || slices.Contains(labels, p.Label) {
				side := 0
				if p.measured {
					side = 1
				}
				lines[side] = append(lines[side], score.Decision{Score: scores[i], True: p.Label == supported})
			}
		}
		right := func(d score.Decision) bool { return d.True }
		wrong := func(d score.Decision) bool { return !d.True }
		if !slices.ContainsFunc(lines[1], right) || !slices.ContainsFunc(lines[1], wrong) {
			continue
		}
		at := score.BestThreshold(lines[0])
		if threshold != nil {
			at = *threshold
		}
		figures[against] = score.Balanced(lines[1], at)
	}
	return figures
}

// confusion counts the verdicts that the measured lines of each label were given.
func confusion(pairs []pair, given []citewell.Verdict) sheet.Table {
	t := sheet.Table{Title: "Verdicts on these lines, by what people said"}
	for _, v := range verdicts {
		t.Columns = append(t.Columns, sheet.Column{Key: string(v), Title: string(v)})
	}
	for _, label := range []string{supported, contradicted, notEnough} {
		figures := map[string]float64{}
		for _, v := range verdicts {
			figures[string(v)] = 0
		}
		for i, p := range pairs {
			if p.measured && p.Label == label {
				figures[string(given[i])]++
			}
		}
		t.Rows = append(t.Rows, sheet.Row{Name: strings.ReplaceAll(label, "_", " "), Origin: sheet.Measured, Figures: figures})
	}
	return t
}

// precision says how often a verdict that takes a side is right on the measured lines.
func precision(pairs []pair, given []citewell.Verdict) sheet.Table {
	t := sheet.Table{Title: "How often a verdict is right on these lines", Columns: []sheet.Column{{Key: "said", Title: "said"}, {Key: "right", Title: "right", Decimals: 3}, {Key: "share", Title: "share of all", Decimals: 3}}}
	for _, verdict := range []string{supported, contradicted} {
		said, right, labelled, all := 0, 0, 0, 0
		for i, p := range pairs {
			if !p.measured {
				continue
			}
			all++
			is := p.Label == verdict
			if is {
				labelled++
			}
			if string(given[i]) == verdict {
				said++
				if is {
					right++
				}
			}
		}
		t.Rows = append(t.Rows, sheet.Row{Name: verdict, Origin: sheet.Measured, Figures: map[string]float64{
			"said": float64(said), "right": float64(right) / float64(max(said, 1)), "share": float64(labelled) / float64(all)}})
	}
	return t
}

// sharedWords is the share of the claim's terms that the evidence has.
func sharedWords(claim, evidence string) float64 {
	has := map[string]bool{}
	for _, term := range text.Terms(evidence, text.Language(evidence)) {
		has[term] = true
	}
	wanted := text.Terms(claim, text.Language(evidence))
	found := 0
	for _, term := range wanted {
		if has[term] {
			found++
		}
	}
	return float64(found) / float64(max(len(wanted), 1))
}

// checkingSpeed lets the checker, the baseline and the cutting into terms, which
// every check by words needs, take turns.
func checkingSpeed(ctx context.Context, pairs []pair, check Checker, o Options) (sheet.Table, error) {
	t := sheet.Table{Title: "How fast: one after another", Columns: []sheet.Column{{Key: "claims_per_s", Title: "claims/s"}, {Key: "of_terms", Title: "of terms only", Decimals: 3}}}
	names := []string{"citewell", "shared words", "terms only"}
	each := func(work func(p pair)) func(context.Context) error {
		return func(ctx context.Context) error {
			for _, p := range pairs {
				work(p)
			}
			return ctx.Err()
		}
	}
	o.Say("checking by turns")
	took, err := takeTurns(ctx, o.Rounds,
		each(func(p pair) { check(p.Claim, p.evidence(), "en") }),
		each(func(p pair) { sharedWords(p.Claim, p.evidence()) }),
		each(func(p pair) { text.Terms(p.Claim, "en"); text.Terms(p.evidence(), "en") }))
	if err != nil {
		return t, err
	}
	for i, name := range names {
		t.Rows = append(t.Rows, sheet.Row{Name: name, Origin: sheet.Measured, Figures: map[string]float64{
			"claims_per_s": float64(len(pairs)) / medianOf(took[i].wall), "of_terms": ratio(took[2].wall, took[i].wall)}})
	}
	t.Rows[2].Origin = sheet.Limit
	return t, nil
}
