// Package claim checks claims against texts: one claim against a document or a brief's sources, many claims against the
// evidence beside each, and the sentences of a written text against the pages that they cite.
//
// Flow: document → Text (passages) → the passages closest to the claim → cite.Hold → Answer with the words that decide,
// or with the question for a judge. Batch does so for each line of JSON Lines. Package cite alone decides; this package
// chooses the evidence.
// Units: spans are bytes of the document's text, or of the given evidence.
// Errors: invalid_argument (a missing claim or evidence, a line that is not JSON), not_found (an unknown brief),
// store_failed, canceled. A line of a batch, and a page that a text cites, keeps its own error and stops nothing.
// Concurrency: Check is pure. Batch uses every processor and keeps the order; Pages of a text are read a few at once.
package claim

import (
	"context"
	"fmt"
	"slices"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/extract"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/rank"
)

// MaxClaim is the longest claim, in bytes: a claim is a sentence, and each of its words is
// compared with each of the evidence.
const MaxClaim = 4000

const (
	maxWhole   = 4000 // bytes of evidence that is one passage; a longer one is cut into passages
	candidates = 12   // passages of long texts that one claim is held against
)

// A Text is what a claim is held against: the passages of one document or of several.
type Text struct {
	passages []citewell.Passage
	docs     []citewell.Document // by the Source of a passage
	ranker   *rank.Ranker
	readings *text.Readings
}

func newText(passages []citewell.Passage, docs []citewell.Document) Text {
	titles := func(i int) string { return docs[passages[i].Source].Title }
	readings := new(text.Readings)
	return Text{passages, docs, rank.NewRanker(passages, rank.Options{Titles: titles, Readings: readings}), readings}
}

// Given is evidence as somebody gave it, under the title of the document it is from.
func Given(evidence, title string) Text {
	doc := citewell.Document{Title: title, Text: evidence}
	if len(evidence) > maxWhole {
		return Read(doc)
	}
	return newText([]citewell.Passage{{End: len(evidence), Text: evidence}}, []citewell.Document{doc})
}

// Read is the text of documents, each under its place among them as its number. Its words
// are read once, however many claims are held against it.
func Read(docs ...citewell.Document) Text {
	var passages []citewell.Passage
	for n, doc := range docs {
		for _, p := range extract.Passages(doc) {
			p.Source = n
			passages = append(passages, p)
		}
	}
	return newText(passages, docs)
}

// An Answer says how a text bears a claim out, and by which words: the bytes
// [Start, End) of the text of document Source. Without a Quote there is nothing to compare.
type Answer struct {
	Verdict    citewell.Verdict
	Reason     string
	By         string // what gave the verdict: words, or judge NAME
	Quote      string
	Start, End int
	Source     int
	Where      string // the page or slide of the quote, where its document has them

	held cite.Held
	text Text
}

// An Ask puts inquiries to a judge.
type Ask = cite.Ask

// Judge puts to a judge what words leave undecided of several answers, in one go, and returns
// them as they are then. An error says why answers were not judged; they stay as words have them.
func Judge(ctx context.Context, ask Ask, answers []Answer) ([]Answer, error) {
	held := make([]cite.Held, len(answers))
	for i, a := range answers {
		held[i] = a.held
	}
	now, err := cite.Judge(ctx, ask, "", held)
	judged := slices.Clone(answers)
	for i, h := range now {
		if answers[i].held.Inquiry != nil && h.Inquiry == nil {
			judged[i] = answerOf(h, answers[i].text)
		}
	}
	return judged, err
}

// Check says how a text bears a claim out, as far as words and exact facts can tell.
func Check(statement string, t Text) Answer {
	if len(statement) > MaxClaim {
		return Answer{Verdict: citewell.VerdictUndecided, Reason: tooLong, By: cite.ByWords}
	}
	lang := t.readings.Read(statement, "").Language()
	c := cite.Claim{Text: statement, Lang: lang, Sources: len(t.docs), Readings: t.readings}
	of := map[int]int{} // index of a source's evidence
	for _, p := range nearest(statement, lang, t) {
		i, ok := of[p.Source]
		if !ok {
			i = len(c.Evidence)
			of[p.Source] = i
			c.Evidence = append(c.Evidence, cite.Evidence{Title: t.docs[p.Source].Title, Text: t.docs[p.Source].Text})
		}
		c.Evidence[i].Passages = append(c.Evidence[i].Passages, p)
	}
	for i, e := range c.Evidence {
		c.Evidence[i].Further = cite.Further(t.passages, e.Passages)
	}
	return answerOf(cite.Hold(c), t)
}

// answerOf shows the citation that decides.
func answerOf(held cite.Held, t Text) Answer {
	if len(held.Citations) == 0 {
		return Answer{Verdict: citewell.VerdictNoSource, Reason: "there is no text to compare the claim with",
			By: cite.ByWords, held: held, text: t}
	}
	c := held.Citations[cite.Deciding(held.Citations)]
	a := Answer{Verdict: c.Verdict, Reason: c.Reason, By: c.By, Quote: c.Quote, Start: c.Start, End: c.End, Source: c.N,
		held: held, text: t}
	for _, p := range t.passages {
		if p.Source == c.N && p.Start <= c.Start && c.End <= p.End {
			a.Where = p.Where()
			break
		}
	}
	return a
}

var tooLong = fmt.Sprintf("the claim is longer than %d bytes; check its sentences one by one", MaxClaim)

// nearest are the passages that have most to do with a claim, best first; the first ones
// where none shares a word with it, as in another language.
func nearest(statement, lang string, t Text) []citewell.Passage {
	if len(t.passages) == 1 {
		return t.passages
	}
	ranked := t.ranker.Rank(statement, lang)
	var near []citewell.Passage
	for _, scored := range ranked[:min(len(ranked), candidates)] {
		near = append(near, t.passages[scored.Index])
	}
	if len(near) == 0 {
		near = t.passages[:min(len(t.passages), candidates)]
	}
	return near
}
