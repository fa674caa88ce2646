package brief

import (
	"fmt"
	"slices"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/searchcall"
	"github.com/citewell/citewell/internal/text"
)

// gaps names the parts of the question that no finding answers, where others are
// answered; where none is, the outcome says it. Asked are the providers.
func gaps(q question, findings []citewell.Finding, all []sentence, asked []citewell.ProviderReport) []string {
	list := []string{}
	switch {
	case len(findings) == 0 && allFailed(asked) != nil: // which says nothing about what there is
		if searchcall.DocumentsAlone(asked) {
			return append(list, "No provider answered, and your documents have nothing on it.")
		}
		return append(list, "No provider answered, so nothing was looked up.")
	case len(findings) == 0 && searchcall.DocumentsAlone(asked):
		return append(list, "Only your documents were looked at: no other provider answered.")
	case len(findings) == 0:
		return list
	}
	for at, a := range q.aspects {
		answers := answering(a, all, at, forSearch.least)
		gap := ""
		switch {
		case len(answers) == 0:
			gap = "Nothing that was read answers “%s”."
		case a.wantsFigure && !slices.ContainsFunc(answers, func(s sentence) bool {
			return s.figures && s.score >= answersFrom
		}):
			gap = "No passage that was read gives a figure for “%s”."
		case a.wantsDate && !slices.ContainsFunc(answers, func(s sentence) bool {
			return s.dates && s.score >= answersFrom
		}):
			gap = "No passage that was read gives a date for “%s”."
		default:
			continue
		}
		if gap = fmt.Sprintf(gap, a.text); !slices.Contains(list, gap) {
			list = append(list, gap)
		}
	}
	return list
}

// outcome says how far the findings of a brief answer its question. A finding with a figure that no
// source states answers nothing unless a judge bore it out.
func outcome(b *citewell.Brief) citewell.BriefOutcome {
	answers := func(f citewell.Finding) bool { return len(f.Unstated) == 0 || borneOut(f) }
	switch {
	case len(b.Findings)+len(b.Disagreements) == 0:
		return citewell.BriefUnanswered
	case !slices.ContainsFunc(b.Findings, answers) || len(b.Gaps) > 0:
		return citewell.BriefPartial
	}
	return citewell.BriefAnswered
}

// borneOut reports whether a source is known to say a finding, or a part of it.
func borneOut(f citewell.Finding) bool {
	return slices.ContainsFunc(f.Citations, func(c citewell.Citation) bool {
		return c.Verdict == citewell.VerdictSupported || c.Verdict == citewell.VerdictPartly
	})
}

// maxNearest is how many passages are shown where nothing answers.
const maxNearest = 3

// nearest quotes what comes closest to the question, where nothing answers it.
func nearest(e *evidence, all []sentence) []citewell.Nearest {
	list := []citewell.Nearest{}
	var quoted []citewell.Finding
	for _, s := range all { // best first
		if len(list) == maxNearest {
			break
		}
		if s.signals[sWords] > 0 && !saidAlready(quoted, s) {
			own := e.citations(s)[:1]
			quoted = append(quoted, citewell.Finding{Citations: own})
			list = append(list, citewell.Nearest{Text: text.OneLine(s.Text()), Citations: own})
		}
	}
	return list
}
