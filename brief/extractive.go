package brief

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/quantity"
	"github.com/citewell/citewell/rank"
	"github.com/citewell/citewell/text"
)

// Shape of the extractive findings.
const (
	maxFindings   = 6   // on a question of one aspect
	maxOnAspect   = 3   // on each aspect of one that has several
	mostOfOne     = 4   // findings that one source may give
	diversity     = 0.7 // weight of relevance against novelty
	seconded      = 0.2 // added to the score of a sentence for each other source that says the same
	candidates    = 20  // sentences of an aspect that are looked at
	withoutKind   = 0.5 // of the chance is left to a sentence without the figure or date that is asked for
	leastRelevant = 0.1 // share of an aspect's best chance below which nothing more is quoted
)

// Why a citation has its verdict, where that needs no check.
const (
	reasonQuoted  = "the source says it word for word"
	reasonPart    = "it bears out part of the statement"
	reasonSnippet = "a provider's words, since the page could not be read"
)

// extractive quotes the sentences that answer best, each with every independent
// source that says the same, aspect by aspect or else grouped by topic.
func extractive(q question, e *evidence, all []sentence) []citewell.Finding {
	findings := []citewell.Finding{}
	ofSource := map[int]int{}
	most := maxFindings
	if len(q.aspects) > 1 {
		most = maxOnAspect
	}
	for at, a := range q.aspects {
		first := len(findings)
		possible := answering(q, all, at)
		citations := map[int][]citewell.Citation{}
		for k, c := range possible { // what more sources say counts more
			citations[c.Index] = e.citations(all[c.Index])
			possible[k].Score *= 1 + seconded*float64(len(citations[c.Index])-1)
		}
		for _, pick := range rank.Diverse(possible, func(i int) []string { return all[i].terms }, 4*most, diversity) {
			s, cited := all[pick.Index], citations[pick.Index]
			if alone, ok := withoutQuoted(findings, s); ok {
				s, cited = alone, e.citations(alone)
			}
			if ofSource[s.passage.Source] == mostOfOne || saidAlready(findings, s) || a.wantsFigure && figureGiven(findings[first:], s) {
				continue
			}
			ofSource[s.passage.Source]++
			subject := topic(s, e)
			if len(q.aspects) > 1 {
				subject = capitalized(a.text)
			}
			findings = append(findings, citewell.Finding{Topic: subject, Text: oneLine(s.text), Citations: cited, Why: why(&s)})
			if len(findings)-first == most {
				break
			}
		}
	}
	return byTopic(findings)
}

// answering gives the sentences that answer an aspect, best first: none where not even
// the best one passes the gate. Those without the figure or date that is asked for come
// after those with one.
func answering(q question, all []sentence, aspect int) []rank.Scored {
	var scored []rank.Scored
	best, a := 0.0, q.aspects[aspect]
	for i, s := range all { // best first
		if s.aspect != aspect {
			continue
		}
		best = max(best, s.score)
		if best < answersFrom || s.score < leastRelevant*best || len(scored) == candidates {
			break
		}
		if a.wantsFigure && !s.figures || a.wantsDate && !s.dates {
			s.score *= withoutKind
		}
		scored = append(scored, rank.Scored{Index: i, Score: s.score})
	}
	slices.SortStableFunc(scored, func(a, b rank.Scored) int { return cmp.Compare(b.Score, a.Score) })
	return scored
}

// citations gives the sentence's own citation, and one of each other independent
// source that supports it.
func (e *evidence) citations(s sentence) []citewell.Citation {
	own := citewell.Citation{N: s.passage.Source, Passage: s.passage.ID, Quote: s.text, Start: s.start, End: s.end,
		Verdict: citewell.VerdictSupported, Reason: reasonQuoted, Judge: cite.ByWords}
	if e.snippetOnly(s.passage) {
		own.Verdict, own.Reason = citewell.VerdictSnippetOnly, reasonSnippet
	}
	citations := []citewell.Citation{own}
	heard := map[int]bool{e.voice(s.passage): true}
	var others []citewell.Passage
	for _, p := range e.passages {
		if !heard[e.voice(p)] && !e.snippetOnly(p) {
			others = append(others, p)
		}
	}
	for _, c := range cite.Bind(oneLine(s.text), s.language, others) {
		voice := e.voices[c.N-1]
		if c.Verdict == citewell.VerdictSupported && !heard[voice] {
			heard[voice] = true
			citations = append(citations, c)
		}
	}
	return citations
}

// withoutQuoted takes off the sentence that s leans on where a finding quotes that
// already.
func withoutQuoted(findings []citewell.Finding, s sentence) (alone sentence, ok bool) {
	for _, f := range findings {
		if c := f.Citations[0]; c.N == s.passage.Source && c.Start == s.start && c.End <= s.own && s.start < s.own {
			s.text, s.start = s.text[s.own-s.start:], s.own
			return s, true
		}
	}
	return s, false
}

// saidAlready says whether a finding is made of the same words, or says all that a
// sentence says.
func saidAlready(findings []citewell.Finding, s sentence) bool {
	for _, f := range findings {
		c := f.Citations[0]
		if c.N == s.passage.Source && c.Start < s.end && s.start < c.End {
			return true
		}
		if cite.Check(oneLine(s.text), c.Quote, s.language).Verdict == citewell.VerdictSupported {
			return true
		}
	}
	return false
}

// figureGiven says whether findings give each quantity of a sentence, in whatever unit.
func figureGiven(findings []citewell.Finding, s sentence) bool {
	quantities := 0
	for _, f := range quantity.Figures(s.text, s.language) {
		if f.Dimension == quantity.DimensionCount {
			continue
		}
		quantities++
		if !slices.ContainsFunc(findings, func(finding citewell.Finding) bool {
			return slices.ContainsFunc(quantity.Figures(finding.Text, s.language), f.Agrees)
		}) {
			return false
		}
	}
	return quantities > 0
}

var headingNumber = regexp.MustCompile(`^(?:\d+\.)*\d*\.?\s+|[¶#§]+\s*$`)

const maxTopic = 80

// topic is the heading a sentence stands under, or else the title of its source.
func topic(s sentence, e *evidence) string {
	for _, t := range []string{s.passage.Heading, e.source(s.passage).Title} {
		t = strings.TrimSpace(headingNumber.ReplaceAllString(oneLine(t), ""))
		if t != "" {
			if len(t) > maxTopic {
				t = strings.TrimSpace(strings.ToValidUTF8(t[:maxTopic], "")) + "…"
			}
			return t
		}
	}
	return "Findings"
}

// byTopic brings findings of one topic together, topics in the order of their best.
func byTopic(findings []citewell.Finding) []citewell.Finding {
	var order []string
	for _, f := range findings {
		if key := text.Fold(f.Topic); !slices.Contains(order, key) {
			order = append(order, key)
		}
	}
	slices.SortStableFunc(findings, func(a, b citewell.Finding) int {
		return slices.Index(order, text.Fold(a.Topic)) - slices.Index(order, text.Fold(b.Topic))
	})
	return findings
}

func capitalized(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(first)) + s[size:]
}

// oneLine puts s into one line without changing its words.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func quoted(s string) string { return fmt.Sprintf("“%s”", oneLine(s)) }
