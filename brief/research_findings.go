package brief

import (
	"fmt"
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/text"
)

// Shape of the findings of one source, in bytes of its words where it is no count.
const (
	mostQuotes   = 3
	enoughQuoted = 600 // no further quote from here on
	longestQuote = 500
	farFromBest  = 0.5  // share of a source's best score below which no further quote is taken
	leastOnTopic = 0.05 // share of the best chance of all sources below which nothing is quoted
	lookedAtMost = 6    // candidates of one source
)

// perSource quotes each source that has something to say on the topic, in the order of
// the sources: what it says best, and that of others only where it has nothing of its
// own. A page in another language than the topic's is quoted by its beginning, one that
// could not be read from the provider's snippet and marked so.
func perSource(e *evidence, all []sentence) []citewell.Finding {
	findings := []citewell.Finding{}
	for _, source := range e.sources {
		var own []sentence
		if source.Outcome.Readable() {
			own = ofSource(all, source)
		}
		var quotes []sentence
		for _, s := range own {
			if !quotedAlready(findings, quotes, s) {
				quotes = append(quotes, s)
			}
			if len(quotes) == mostQuotes || size(quotes) >= enoughQuoted {
				break
			}
		}
		if len(quotes) == 0 && len(own) > 0 {
			quotes = own[:1]
		}
		if len(quotes) == 0 && !(source.Outcome.Readable() && e.speaks(source)) {
			if s, ok := beginning(e, source.N); ok {
				quotes = []sentence{s}
			}
		}
		slices.SortFunc(quotes, func(a, b sentence) int { return a.start - b.start })
		for _, s := range quotes {
			cited := e.citations(s)
			if !substantial(s) {
				cited = cited[:1]
			}
			findings = append(findings, citewell.Finding{Topic: source.Title, Text: oneLine(s.text), Citations: cited})
		}
	}
	return findings
}

// speaks says whether a source is in the language of the topic, as far as words tell.
func (e *evidence) speaks(source citewell.Source) bool {
	at := slices.IndexFunc(e.passages, func(p citewell.Passage) bool { return p.Source == source.N })
	return e.language == "" || at < 0 || text.LikelyLanguage(e.passages[at].Text) == e.language
}

// ofSource gives a source's sentences that have to do with the topic, best first. A
// line that only repeats the title, as a path to the page does, says nothing.
func ofSource(all []sentence, source citewell.Source) []sentence {
	var own []sentence
	title := text.Fold(oneLine(source.Title))
	for _, s := range all { // best first
		if s.passage.Source != source.N || all[0].score < answersFrom || s.score < leastOnTopic*all[0].score || len(own) > 0 && s.score < farFromBest*own[0].score ||
			title != "" && !endsAsSentence(s.text) && strings.Contains(text.Fold(oneLine(s.text)), title) {
			continue
		}
		if own = append(own, s); len(own) == lookedAtMost {
			break
		}
	}
	return own
}

// leastTerms is how many terms a sentence without a figure or date has at least that
// another can be said to bear out: of three words, many sentences have all.
const leastTerms = 5

func substantial(s sentence) bool {
	var terms []string
	for _, term := range s.terms {
		if !slices.Contains(terms, term) {
			terms = append(terms, term)
		}
	}
	return (s.figures || s.dates || len(terms) >= leastTerms) && (endsAsSentence(s.text) || isRow(s.text))
}

// quotedAlready says whether one of the quotes overlaps a sentence, or a finding says all that
// it says.
func quotedAlready(findings []citewell.Finding, quotes []sentence, s sentence) bool {
	for _, q := range quotes {
		if q.start < s.end && s.start < q.end || cite.Check(oneLine(s.text), q.text, s.language).Verdict == citewell.VerdictSupported {
			return true
		}
	}
	return saidAlready(findings, s)
}

func size(quotes []sentence) (n int) {
	for _, q := range quotes {
		n += len(q.text)
	}
	return n
}

// beginning gives the first words of a source's best passage, whole sentences where
// there are any.
func beginning(e *evidence, n int) (sentence, bool) {
	at := slices.IndexFunc(e.passages, func(p citewell.Passage) bool { return p.Source == n && strings.TrimSpace(p.Text) != "" })
	if at < 0 {
		return sentence{}, false
	}
	p := e.passages[at]
	start, end := len(p.Text)-len(strings.TrimLeft(p.Text, " \n\t")), 0
	for _, span := range text.Sentences(p.Text) {
		if span.End-start > longestQuote {
			break
		}
		end = span.End
	}
	if end <= start {
		cut := firstBytes(p.Text[start:], longestQuote)
		if space := strings.LastIndexAny(cut, " \n"); space > longestQuote/2 {
			cut = cut[:space]
		}
		end = start + len(strings.TrimSpace(cut))
	}
	return sentence{passage: p, start: p.Start + start, end: p.Start + end, text: p.Text[start:end], language: text.LikelyLanguage(p.Text)}, end > start
}

// What confidence needs.
const (
	highSources   = 3
	highQuality   = 3.5
	mediumSources = 2
	mediumQuality = 3.0
)

// confidence says how far findings carry. Only sources that gave text count, in
// number and in quality; one of a few words is told of apart. HIGH also needs that
// two independent ones say the same and none says otherwise.
func confidence(e *evidence, findings []citewell.Finding, disputed []citewell.Disagreement) citewell.Confidence {
	quoted := map[int]bool{}
	for _, f := range findings {
		quoted[f.Citations[0].N] = true
	}
	read, few, sum := 0, 0, 0
	for _, s := range e.sources {
		switch {
		case !s.Outcome.Readable() || !quoted[s.N]:
		case s.Outcome == citewell.FetchLowYield:
			few++
		default:
			read++
			sum += s.Quality.Score
		}
	}
	average := 0.0
	if read > 0 {
		average = float64(sum) / float64(read)
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
// sources those that gave text, and those that gave a few words only.
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
		c.Reason = why + ": no source gave text"
		if few > 0 {
			c.Reason = why + ": no source gave more than a few words"
		}
		return c
	}
	counts := []string{fmt.Sprintf("%d of %s gave text, average quality %.1f", read, text.Count(sources, "source"), average)}
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
