package brief

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/quantity"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/text/lang"
)

// Shape of the extractive findings.
const (
	maxFindings  = 6   // on a question of one aspect
	maxOnTopic   = 12  // the same of research, on what asks for nothing in particular
	maxOnAspect  = 3   // on each aspect of one that has several
	candidates   = 20  // sentences of an aspect that are looked at
	mostSeconded = 3   // sentences of an aspect of which it counts who else says them
	byOther      = 0.2 // of its chance is added for each other source that says the same
	// odds beside those of an aspect's best sentence and of none, below which nothing more is quoted
	leastRelevant = 0.015
	leastNamed    = 0.01 // share of its best chance, for what is about a thing that only the question has named so far
)

// Why a citation has its verdict, where that needs no check.
const (
	reasonQuoted  = "the source says it word for word"
	reasonSide    = "it states its own side"
	reasonSnippet = "a provider's words, since the page could not be read"
)

// A choice is what search and research ask for apart: the least chance of whatever is quoted, and
// how many findings there are at most on a topic.
type choice struct {
	least   float64
	onTopic int
}

var (
	forSearch   = choice{0, maxFindings}
	forResearch = choice{answersFrom, maxOnTopic}
)

// extractive quotes the sentences that answer best, each with every independent
// source that says the same, aspect by aspect, and something about each thing that an aspect names.
func extractive(q question, e *evidence, all []sentence, c choice) []citewell.Finding {
	findings := []citewell.Finding{}
	most := maxFindings
	switch {
	case len(q.aspects) > 1:
		most = maxOnAspect
	case len(q.aspects) == 1 && !q.aspects[0].isAsked:
		most = c.onTopic
	}
	for at, a := range q.aspects {
		begun, asked := len(findings), a.askedFigure(q.Reading)
		var told []sentence
		tell := func(s quote) {
			if alone, ok := withoutQuoted(findings, s.sentence); ok {
				if s.fits > 0 && asked.fit(alone) == 0 || share(a.terms, s.last) == 0 {
					return // its figure is quoted, or what is left has no word that is asked for
				}
				s = quote{alone, e.citations(alone)}
			}
			if len(findings)-begun == most || saidAlready(findings, s.sentence) || a.wantsFigure &&
				figureGiven(findings[begun:], s.sentence) {
				return
			}
			if s.citations == nil {
				s.citations = e.citations(s.sentence)
			}
			subject := topic(s.sentence, e)
			if len(q.aspects) > 1 {
				subject = capitalized(a.text)
			}
			told = append(told, s.sentence)
			findings = append(findings, citewell.Finding{Topic: subject, Text: text.OneLine(s.Text()),
				Citations: s.citations, Why: why(&s.sentence, all)})
		}
		answers := answering(a, all, at, c.least)
		for _, s := range e.seconded(a, answers) {
			tell(s)
		}
		if len(told) == 0 {
			continue
		}
		more := first(e.unheard(a, at, told, all, max(c.least, leastNamed*answers[0].score)), most/2)
		findings = findings[:min(len(findings), begun+most-len(more))] // the last make room
		for _, s := range more {
			tell(quote{sentence: s})
		}
	}
	return findings
}

// answering gives the sentences that answer an aspect with the least chance or a better one,
// best first: none where all of them together do not pass the gate. The weights are learnt from
// questions that one sentence answers or none: odds say how likely that is another one than the
// best. What replaces the best is given even so; and of what passes the gate, where a figure is
// asked for, what measures something or has one of that kind, and all where nothing is asked.
func answering(a aspect, all []sentence, at int, least float64) []sentence {
	if chanceOf(all, at, func(sentence) bool { return true }) < answeredFrom {
		return nil
	}
	var list []sentence
	current := a.wantsCurrent()
	for _, s := range all { // best first
		switch {
		case s.aspect != at:
			continue
		case len(list) == 0 && s.score < leastBest, s.score < least, len(list) == candidates:
			return list
		case len(list) == 0 || s.odds() >= leastRelevant*(1+list[0].odds()):
		case s.fits > 0, s.score >= answersFrom && (!a.isAsked || a.wantsFigure && len(s.measures()) > 0):
		case current && s.replaces(list[0]):
		default:
			continue
		}
		list = append(list, s)
	}
	return list
}

// unheard gives the best sentence about each thing that an aspect names and that nothing told is
// about, as the likelier answers to "are NULLs equal, in SQLite and PostgreSQL?" may be about one. In German
// all nouns have a capital letter, and one letter more makes a name.
func (e *evidence) unheard(a aspect, at int, told, all []sentence, least float64) []sentence {
	var names []string
	for _, word := range a.words {
		if isNamed(word, !lang.Of(e.language()).Is(lang.NounCapitals) && !strings.HasPrefix(a.text, word)) {
			names = append(names, word)
		}
	}
	if len(names) < 2 {
		return nil
	}
	names = slices.DeleteFunc(names, func(name string) bool {
		return slices.ContainsFunc(told, func(s sentence) bool { return e.isAbout(s, name) })
	})
	var more []sentence
	for _, s := range all { // best first
		if len(names) == 0 || s.score < least {
			break
		}
		if s.aspect != at {
			continue
		}
		if left := slices.DeleteFunc(slices.Clone(names), func(name string) bool {
			return e.isAbout(s, name)
		}); len(left) < len(names) {
			names, more = left, append(more, s)
		}
	}
	return more
}

// isAbout says whether a sentence has a name, or stands under one.
func (e *evidence) isAbout(s sentence, name string) bool {
	terms := s.Beside(name).Terms()
	return share(terms, s.terms) > 0 || share(terms, e.termsAbove(s)) > 0
}

// A quote is a sentence with its citations, nil where they were not looked for yet.
type quote struct {
	sentence
	citations []citewell.Citation
}

// seconded puts what has a figure of the kind that is asked for before all else, and the best
// sentences into the order that they have when what several independent sources say counts more,
// and what is current stands before what it replaced.
func (e *evidence) seconded(a aspect, list []sentence) []quote {
	quotes := make([]quote, len(list))
	for i, s := range list {
		quotes[i].sentence = s
	}
	fitting := func(a, b quote) int { return cmp.Compare(b.fits, a.fits) }
	slices.SortStableFunc(quotes, fitting)
	best := first(quotes, mostSeconded)
	for i := range best {
		best[i].citations = e.citations(best[i].sentence)
	}
	weight := func(q quote) float64 { return q.score * (1 + byOther*float64(len(q.citations)-1)) }
	slices.SortStableFunc(best, func(a, b quote) int {
		return cmp.Or(fitting(a, b),
			cmp.Compare(weight(b), weight(a)))
	})
	if a.wantsCurrent() {
		slices.SortStableFunc(best, func(a, b quote) int {
			switch {
			case a.replaces(b.sentence):
				return -1
			case b.replaces(a.sentence):
				return 1
			}
			return 0
		})
	}
	return quotes
}

// wantsCurrent says whether an aspect asks for a figure or a default, and not for that of a day.
func (a aspect) wantsCurrent() bool {
	k := kindsOf(a)
	return (k.figure || k.standard) && len(quantity.Dates(text.Read(a.text, ""))) == 0
}

// leastCurrent is the share of another sentence's chance from which one may replace it.
const leastCurrent = 0.5

// replaces says whether a sentence gives another figure than an older one, by the dates that
// both state: a default of 4096 since 2016 for one of 1024 in 2003.
func (s sentence) replaces(older sentence) bool {
	if !s.figures || !older.figures || s.score < leastCurrent*older.score {
		return false
	}
	mine, theirs := quantity.Figures(s.Reading), quantity.Figures(older.Reading)
	for _, f := range mine {
		if slices.ContainsFunc(theirs, f.Agrees) {
			return false
		}
	}
	return s.lastDate() > older.lastDate() && older.lastDate() != ""
}

// lastDate is the latest date that a sentence states, in an order of bytes; empty for none.
func (s sentence) lastDate() (last string) {
	for _, d := range quantity.Dates(s.Reading) {
		last = max(last, fmt.Sprintf("%04d-%02d-%02d", d.Year, d.Month, d.Day))
	}
	return last
}

// citations gives the sentence's own citation, and one of each other independent
// source that supports it, where it says enough to be borne out.
func (e *evidence) citations(s sentence) []citewell.Citation {
	own := citewell.Citation{N: s.passage.Source, Passage: s.passage.ID, Quote: s.Text(), Start: s.start, End: s.end,
		Verdict: citewell.VerdictSupported, Reason: reasonQuoted, By: cite.ByWords}
	if e.snippetOnly(s.passage) {
		own.Verdict, own.Reason = citewell.VerdictSnippetOnly, reasonSnippet
	}
	citations := []citewell.Citation{own}
	if !substantial(s) {
		return citations
	}
	heard := map[int]bool{e.voice(s.passage): true}
	claim := cite.Claim{Text: text.OneLine(s.Text()), Lang: s.Language(), Readings: e.readings}
	of := map[int]int{} // index of a source's evidence
	for _, p := range e.passages {
		if heard[e.voice(p)] || e.snippetOnly(p) {
			continue
		}
		i, known := of[p.Source]
		if !known {
			i, of[p.Source] = len(claim.Evidence), len(claim.Evidence)
			claim.Evidence = append(claim.Evidence, cite.Evidence{})
		}
		claim.Evidence[i].Passages = append(claim.Evidence[i].Passages, p)
	}
	for _, c := range cite.Hold(claim).Citations {
		voice := e.voices[c.N-1]
		if c.Verdict == citewell.VerdictSupported && !heard[voice] && len(citations) < maxVoices {
			heard[voice] = true
			citations = append(citations, c)
		}
	}
	return citations
}

// leastTerms is how many terms a sentence without a figure or date has at least that
// another can be said to bear out: of three words, many sentences have all.
const leastTerms = 5

func substantial(s sentence) bool {
	return s.figures || s.dates || len(union(nil, s.terms)) >= leastTerms && isTold(s)
}

// isTold says whether a sentence is whole, or a row of a table.
func isTold(s sentence) bool { return endsAsSentence(s.Text()) || isRow(s.Text()) }

// withoutQuoted takes off the sentence that s leans on where a finding quotes that
// already.
func withoutQuoted(findings []citewell.Finding, s sentence) (alone sentence, ok bool) {
	for _, f := range findings {
		if c := f.Citations[0]; c.N == s.passage.Source && c.Start == s.start && c.End <= s.own && s.start < s.own {
			s.Reading, s.start = s.Part(s.own-s.start, len(s.Text())), s.own
			return s, true
		}
	}
	return s, false
}

// alreadySaid is the share of a sentence's terms that a finding must have to repeat it: two
// that answer one question are alike anyway.
const alreadySaid = 0.8

// repeats reports whether a finding's quote has the figures of the sentence and nearly all of
// its terms.
func (s sentence) repeats(quote string) bool {
	known := s.Beside(quote).Terms()
	terms := union(nil, s.terms)
	shared := 0
	for _, term := range terms {
		if slices.Contains(known, term) {
			shared++
		} else if strings.ContainsAny(term, "0123456789") {
			return false
		}
	}
	return float64(shared) >= alreadySaid*float64(len(terms))
}

// maxVoices is how many sources a finding cites: more prove nothing.
const maxVoices = 3

// saidAlready says whether a finding is made of the same words, or says all that a
// sentence says.
func saidAlready(findings []citewell.Finding, s sentence) bool {
	for _, f := range findings {
		c := f.Citations[0]
		if c.N == s.passage.Source && c.Start < s.end && s.start < c.End {
			return true
		}
		if s.repeats(c.Quote) {
			return true
		}
	}
	return false
}

// figureGiven says whether findings give each quantity of a sentence, in whatever unit.
func figureGiven(findings []citewell.Finding, s sentence) bool {
	quantities := s.measures()
	for _, f := range quantities {
		if !slices.ContainsFunc(findings, func(finding citewell.Finding) bool {
			return slices.ContainsFunc(quantity.Figures(s.Beside(finding.Text)), f.Agrees)
		}) {
			return false
		}
	}
	return len(quantities) > 0
}

// measures are the figures of a sentence that are no mere counts.
func (s sentence) measures() []quantity.Figure {
	return slices.DeleteFunc(slices.Clone(quantity.Figures(s.Reading)), func(f quantity.Figure) bool {
		return f.Dimension == quantity.DimensionCount
	})
}

var headingNumber = lazyregexp.New(`^(?:\d+\.)*\d*\.?\s+|[¶#§]+\s*$`)

const maxTopic = 80

// topic is the heading a sentence stands under, or else the title of its source.
func topic(s sentence, e *evidence) string {
	for _, t := range []string{s.passage.Heading, e.source(s.passage).Title} {
		t = strings.TrimSpace(headingNumber.ReplaceAllString(text.OneLine(t), ""))
		if t != "" {
			return text.Shorten(t, maxTopic)
		}
	}
	return "Findings"
}

func capitalized(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(first)) + s[size:]
}
