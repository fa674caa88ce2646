package brief

import (
	"fmt"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/text"
)

// Shape of the findings of research.
const (
	mostQuotes     = 3  // of one source on one aspect
	mostResearched = 12 // on a question of one aspect
	mostOfEach     = 5  // on each aspect of one that has several
)

// researched quotes the sentences that answer, aspect by aspect: more of them than a search
// does, from more sources, chosen by the same judge. Each passes the gate itself. Lines that
// are no sentences, such as headings and lists of links, stand in only where there is no
// sentence.
func researched(q question, e *evidence, all []sentence) []citewell.Finding {
	findings := []citewell.Finding{}
	most := mostResearched
	if len(q.aspects) > 1 {
		most = mostOfEach
	}
	for at, a := range q.aspects {
		first, ofSource := len(findings), map[int]int{}
		for _, s := range passing(all, at) {
			if len(findings)-first == most {
				break
			}
			if ofSource[s.passage.Source] == mostQuotes || saidAlready(findings, s) {
				continue
			}
			ofSource[s.passage.Source]++
			subject := topic(s, e)
			if len(q.aspects) > 1 {
				subject = capitalized(a.text)
			}
			cited := e.citations(s)
			if !substantial(s) {
				cited = cited[:1]
			}
			findings = append(findings, citewell.Finding{Topic: subject, Text: text.OneLine(s.text), Citations: cited, Why: why(&s)})
		}
	}
	return byTopic(findings)
}

// passing gives the sentences on an aspect that pass the gate themselves, or the lines where
// no sentence does.
func passing(all []sentence, at int) []sentence {
	var told, lines []sentence
	for _, s := range all { // best first
		switch {
		case s.aspect != at || s.score < answersFrom:
		case isTold(s):
			told = append(told, s)
		default:
			lines = append(lines, s)
		}
	}
	if len(told) == 0 {
		return lines
	}
	return told
}

// isTold says whether a sentence is whole, or a row of a table.
func isTold(s sentence) bool { return endsAsSentence(s.text) || isRow(s.text) }

// leastTerms is how many terms a sentence without a figure or date has at least that
// another can be said to bear out: of three words, many sentences have all.
const leastTerms = 5

func substantial(s sentence) bool {
	return (s.figures || s.dates || len(union(nil, s.terms)) >= leastTerms) && isTold(s)
}

// quotedAlready says whether one of the quotes overlaps a sentence, or a finding says all that
// it says.
func quotedAlready(findings []citewell.Finding, quotes []sentence, s sentence) bool {
	for _, q := range quotes {
		if q.start < s.end && s.start < q.end || cite.Check(text.OneLine(s.text), q.text, s.language).Verdict == citewell.VerdictSupported {
			return true
		}
	}
	return saidAlready(findings, s)
}

// What confidence needs.
const (
	highSources   = 3
	highQuality   = 3.5
	mediumSources = 2
	mediumQuality = 3.0
)

// confidence says how far findings carry. Only sources that are quoted count, in number and,
// where they have one, in quality; one of a few words is told of apart. HIGH also needs that
// two independent ones say the same and none says otherwise.
func confidence(e *evidence, findings []citewell.Finding, disputed []citewell.Disagreement) citewell.Confidence {
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
	return rated(len(e.sources), read, few, average, agreed, len(disputed))
}

// rated gives the level for what was counted, with the counts as its reason: of all
// sources those that are quoted, and those that gave a few words only.
func rated(sources, read, few int, average float64, agreed, disputed int) citewell.Confidence {
	c := citewell.Confidence{Level: citewell.ConfidenceLow}
	why := "Few sources or only unofficial references"
	switch {
	case read >= highSources && average >= highQuality && agreed > 0 && disputed == 0:
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
	c.Reason = why + ": " + strings.Join(counts, ", ")
	return c
}
