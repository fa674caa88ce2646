package brief

import (
	"context"
	"slices"
	"time"

	"github.com/citewell/citewell"
)

// findings fills in what the evidence says: by the models where there are any and
// one gives a usable answer, else by quoting. Disagreements in figures and dates
// are found by code either way.
func (w *Writer) findings(ctx context.Context, b *citewell.Brief, q question, e *evidence, p *progress) {
	all := e.ofRivals(q, w.weigh(q, e))
	w.meant(ctx, q.Text(), e, all)
	b.Coverage.Synthesis = citewell.SynthesisReport{Mode: citewell.SynthesisExtractive, Outcome: "skipped"}
	clashes := disagreements(all, e)
	switch {
	case len(w.o.Models) == 0:
	case len(e.passages) == 0:
		b.Coverage.Synthesis.Outcome = "there was no text to show a model"
	default:
		began := time.Now()
		claims, model, outcome := w.synthesize(ctx, b.CreatedAt, q, e, p)
		b.Coverage.Synthesis.Outcome, b.Coverage.Synthesis.Model = outcome, model
		b.Coverage.Synthesis.Detail = claims.detail()
		b.Coverage.Synthesis.ElapsedMS = time.Since(began).Milliseconds()
		if outcome == "ok" {
			b.Coverage.Synthesis.Mode, b.Coverage.Judge = citewell.SynthesisModel, claims.judge
			b.Findings, b.Gaps, b.Dropped = claims.findings, claims.gaps, claims.dropped
			b.Findings = append(b.Findings, claims.beside(extractive(q, e, all, forSearch))...)
			b.Disagreements = append(claims.disagreements, withoutKnown(clashes, claims.disagreements)...)
			conclude(b, e, all)
			return
		}
	}
	b.Findings = extractive(q, e, all, forSearch)
	if len(b.Findings) > 0 {
		b.Disagreements = clashes
	}
	b.Gaps = gaps(q, b.Findings, all, b.Coverage.Providers)
	conclude(b, e, all)
}

// beside returns the quoted findings that stand beside a model's, so that no brief is worse for its
// model: for each statement that fell, and each that nothing is known to bear out, the best one
// whose words none of the model's findings quotes.
func (c claims) beside(quoted []citewell.Finding) []citewell.Finding {
	room := c.uncited + len(c.dropped)
	for _, f := range c.findings {
		if !borneOut(f) {
			room++
		}
	}
	return first(slices.DeleteFunc(quoted, func(q citewell.Finding) bool {
		return slices.ContainsFunc(c.findings, func(f citewell.Finding) bool {
			return overlap(f.Citations, q.Citations[:1]) > 0
		})
	}), room)
}

// conclude says how far the brief answers its question, and what was read where it
// does not.
func conclude(b *citewell.Brief, e *evidence, all []sentence) {
	b.Outcome, b.Nearest = outcome(b), []citewell.Nearest{}
	if b.Outcome == citewell.BriefUnanswered {
		b.Nearest = nearest(e, all)
	}
}

// withoutKnown leaves out what the model already named: a disagreement between
// the same sources over the same words.
func withoutKnown(found, known []citewell.Disagreement) []citewell.Disagreement {
	var fresh []citewell.Disagreement
	for _, d := range found {
		if !anyOverlap(d, known) {
			fresh = append(fresh, d)
		}
	}
	return fresh
}

func anyOverlap(d citewell.Disagreement, known []citewell.Disagreement) bool {
	return slices.ContainsFunc(known, func(k citewell.Disagreement) bool {
		return overlap(k.Citations, d.Citations) >= 2
	})
}

// overlap counts the citations that quote words which others quote too.
func overlap(others, citations []citewell.Citation) (shared int) {
	for _, c := range citations {
		same := func(o citewell.Citation) bool { return o.N == c.N && o.Start < c.End && c.Start < o.End }
		if slices.ContainsFunc(others, same) {
			shared++
		}
	}
	return shared
}
