package brief

import (
	"fmt"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/text"
)

// What confidence needs.
const (
	highSources   = 3
	highQuality   = 3.5
	mediumSources = 2
	mediumQuality = 3.0
)

// confidence says how far findings carry. Only sources that are quoted count, in number and,
// where they have one, in quality; one of a few words is told of apart. HIGH also needs that
// two independent ones say the same, none says otherwise, and no part of the question is open.
func confidence(e *evidence, findings []citewell.Finding, disputed []citewell.Disagreement,
	gaps []string) citewell.Confidence {
	quoted := map[int]bool{}
	for _, f := range findings {
		for _, c := range f.Citations {
			quoted[c.N] = quoted[c.N] || c.Verdict == citewell.VerdictSupported
		}
	}
	read, few, judged, sum := 0, 0, 0, 0
	for _, s := range e.sources {
		switch {
		case !s.Outcome.Readable() || !quoted[s.N]:
		case s.Outcome == citewell.FetchLowYield:
			few++
		default:
			read++
			if s.Quality.Score > 0 {
				judged++
				sum += s.Quality.Score
			}
		}
	}
	average := 0.0
	if judged > 0 {
		average = float64(sum) / float64(judged)
	}
	agreed := 0
	for _, f := range findings {
		if len(f.Citations) > 1 && f.Citations[0].Verdict == citewell.VerdictSupported {
			agreed++
		}
	}
	return rated(len(e.sources), read, few, average, agreed, len(disputed), len(gaps))
}

// rated gives the level for what was counted, with the counts as its reason: of all
// sources those that are quoted, and those that gave a few words only.
func rated(sources, read, few int, average float64, agreed, disputed, gaps int) citewell.Confidence {
	c := citewell.Confidence{Level: citewell.ConfidenceLow}
	why := "Few sources or only unofficial references"
	switch {
	case read >= highSources && average >= highQuality && agreed > 0 && disputed+gaps == 0:
		c.Level, why = citewell.ConfidenceHigh, "Multiple authoritative sources agree"
	case read >= mediumSources || read >= 1 && average >= mediumQuality:
		c.Level, why = citewell.ConfidenceMedium, "Limited sources or mixed authority"
	}
	if read == 0 {
		c.Reason = why + ": no source answered"
		if few > 0 {
			c.Reason = why + ": no source gave more than a few words"
		}
		return c
	}
	counts := []string{fmt.Sprintf("%d of %s answered", read, text.Count(sources, "source"))}
	if average > 0 {
		counts[0] += fmt.Sprintf(", average quality %.1f", average)
	}
	if few > 0 {
		counts = append(counts, fmt.Sprintf("%d more gave a few words only", few))
	}
	switch agreed {
	case 0:
		counts = append(counts, "no finding is supported by two independent sources")
	case 1:
		counts = append(counts, "1 finding is supported by independent sources")
	default:
		counts = append(counts, fmt.Sprintf("%d findings are supported by independent sources", agreed))
	}
	if disputed > 0 {
		counts = append(counts, "sources disagree on "+text.Count(disputed, "point"))
	}
	if gaps > 0 {
		counts = append(counts, text.Count(gaps, "part")+" of the question without an answer")
	}
	c.Reason = why + ": " + strings.Join(counts, ", ")
	return c
}
