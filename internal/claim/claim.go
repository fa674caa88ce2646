// Package claim holds claims against texts: one claim against a document or the sources
// of a brief, many against the evidence beside each, and the sentences of a written text
// against the pages that they cite.
//
// Flow: document → Text (passages) → the passages that have most to do with the claim →
// cite.Check of each → Answer with the words that decide. Batch does it for each line of
// JSON Lines, Written for each sentence of a text. Which words bear a claim out is judged
// by package cite alone; this package chooses what is shown to it.
// Units: spans are bytes of the document's text, or of the evidence as it was given.
// Errors: invalid_argument (a claim or evidence that is missing, a line that is no JSON),
// not_found (a brief that is not kept), store_failed, canceled. A line of a batch, and a
// page that a text cites, keeps its own error and stops nothing.
// Concurrency: Check is pure. Batch uses every processor and keeps the order; Pages of a
// text are read a few at once.
package claim

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/extract"
	"github.com/citewell/citewell/rank"
	"github.com/citewell/citewell/text"
)

// MaxClaim is the longest claim, in bytes: a claim is a sentence, and each of its words is
// compared with each of the evidence.
const MaxClaim = 4000

const (
	maxWhole   = 4000 // bytes of evidence that is judged as a whole; of a longer one the passages are
	candidates = 12   // passages of long texts that are judged for one claim
)

// A Text is what a claim is held against: the passages of one document or of several, and
// the title of the document that a passage is from, by its Source.
type Text struct {
	passages []citewell.Passage
	titles   map[int]string
	ranker   *rank.Ranker

	documents map[int][]citewell.Passage // by their number
}

func newText(passages []citewell.Passage, titles map[int]string) Text {
	documents := map[int][]citewell.Passage{}
	for _, p := range passages {
		documents[p.Source] = append(documents[p.Source], p)
	}
	return Text{passages, titles, rank.NewRanker(passages, rank.Options{Titles: func(i int) string { return titles[passages[i].Source] }}), documents}
}

// Given is evidence as somebody gave it, under the title of the document it is from.
func Given(evidence, title string) Text {
	if len(evidence) > maxWhole {
		return Read(citewell.Document{Title: title, Text: evidence})
	}
	return newText([]citewell.Passage{{End: len(evidence), Text: evidence}}, map[int]string{0: title})
}

// Read is the text of documents, each under its place among them as its number. Its words
// are read once, however many claims are held against it.
func Read(docs ...citewell.Document) Text {
	var passages []citewell.Passage
	titles := map[int]string{}
	for n, doc := range docs {
		titles[n] = doc.Title
		for _, p := range extract.Passages(doc) {
			p.Source = n
			passages = append(passages, p)
		}
	}
	return newText(passages, titles)
}

// An Answer says how a text bears a claim out, and by which words: the bytes
// [Start, End) of the text of document Source. Without a Quote no words decide.
type Answer struct {
	Verdict    citewell.Verdict
	Reason     string
	Quote      string
	Start, End int
	Source     int
	Where      string // the page or slide of the quote, where its document has them
}

// Check says how a text bears a claim out. A passage that supports it decides; where none
// does, the one that has most to do with the claim and is weak support or contradicts it.
// The title of a document may tell whom its sentences speak of, and supports nothing.
func Check(statement string, t Text) Answer {
	if len(statement) > MaxClaim {
		return Answer{Verdict: citewell.VerdictUnsupported, Reason: tooLong}
	}
	lang := text.Language(statement)
	none := Answer{Verdict: citewell.VerdictUnsupported, Reason: "there is nothing to compare"}
	var best *Answer
	for i, p := range nearest(statement, lang, t) {
		j, at, decides := t.rows(statement, lang, p)
		within := &at
		if !decides {
			j, within = judge(statement, lang, t.titles[p.Source], p.Text)
		}
		switch {
		case j.Verdict == citewell.VerdictUnsupported:
			if i == 0 {
				none.Reason = j.Reason
			}
		case j.Verdict == citewell.VerdictSupported, best == nil:
			if within == nil {
				within = deciding(statement, lang, p.Text, j.Verdict)
			}
			a := Answer{Verdict: j.Verdict, Reason: j.Reason, Source: p.Source, Where: p.Where(),
				Quote: p.Text[within.Start:within.End], Start: p.Start + within.Start, End: p.Start + within.End}
			if best = &a; a.Verdict == citewell.VerdictSupported {
				return a
			}
		}
	}
	if best != nil {
		return *best
	}
	return none
}

var tooLong = fmt.Sprintf("the claim is longer than %d bytes; check its sentences one by one", MaxClaim)

// rows holds a claim against the rows of a table in a passage, where it has any.
func (t Text) rows(statement, lang string, p citewell.Passage) (cite.Judgement, text.Span, bool) {
	if !strings.Contains(p.Text, citewell.Cells) {
		return cite.Judgement{}, text.Span{}, false
	}
	return cite.CheckRows(statement, lang, p, t.documents[p.Source])
}

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

// judge has a passage judged, and gives the sentence of it that decides under its title;
// nil where the title does not.
func judge(statement, lang, title, passage string) (cite.Judgement, *text.Span) {
	j := cite.Check(statement, passage, lang)
	if predicate, named := withoutSubject(statement, title, lang); named != "" && (j.Verdict == citewell.VerdictWeak || j.Verdict == citewell.VerdictUnsupported) {
		for _, s := range text.Sentences(passage) {
			sentence := passage[s.Start:s.End]
			if !speaksOf(sentence, statement, lang) {
				continue
			}
			if own := cite.Check(predicate, sentence, lang); own.Verdict == citewell.VerdictSupported {
				own.Reason = "under a title that names " + named + ": " + own.Reason
				return own, &s
			}
		}
	}
	return j, nil
}

// deciding are the sentence, or two neighbouring ones, that alone get the verdict of the
// passage; the whole of it where none does.
func deciding(statement, lang, passage string, verdict citewell.Verdict) *text.Span {
	sentences := text.Sentences(passage)
	best, score := trimmed(passage), -1.0
	for window := 1; window <= 2 && score < 0; window++ {
		for i := 0; i+window <= len(sentences); i++ {
			s := text.Span{Start: sentences[i].Start, End: sentences[i+window-1].End}
			if j := cite.Check(statement, passage[s.Start:s.End], lang); j.Verdict == verdict && j.Score > score {
				best, score = s, j.Score
			}
		}
	}
	return &best
}

func trimmed(s string) text.Span {
	start := len(s) - len(strings.TrimLeftFunc(s, unicode.IsSpace))
	return text.Span{Start: start, End: start + len(strings.TrimSpace(s))}
}

// withoutSubject takes the name that a claim begins with out of it, where the title has
// that name: "It was built in 1931" says it of what stands in the title. Words that are
// no names, and names further on in the claim, stay: the title says nothing of them.
func withoutSubject(statement, title, lang string) (predicate, named string) {
	if title == "" {
		return "", ""
	}
	titled := map[string]bool{}
	for _, w := range text.Words(title) {
		titled[w.Text] = true
	}
	content := contentOf(statement, lang)
	start, end, article := -1, -1, -1 // of the name, and where the function word before it begins
	for _, w := range text.Words(statement) {
		initial, _ := utf8.DecodeRuneInString(statement[w.Start:])
		switch {
		case content[w.Start] && unicode.IsUpper(initial) && titled[w.Text]:
			if start < 0 {
				start = w.Start
			}
			end = w.End
			continue
		case start < 0 && (!content[w.Start] || strings.ContainsFunc(w.Text, unicode.IsDigit)):
			if article = w.Start; content[w.Start] {
				article = -1 // "In 1931 the harbour"
			}
			continue
		}
		break
	}
	if start < 0 {
		return "", ""
	}
	if article < 0 {
		article = start
	}
	predicate = statement[:article] + strings.TrimLeftFunc(statement[end:], unicode.IsSpace)
	if len(contentOf(predicate, lang)) == 0 {
		return "", ""
	}
	return predicate, statement[start:end]
}

// speaksOf says whether the first content word of a sentence is one of the claim's: one
// that begins with another name, or with another thing, speaks of that.
func speaksOf(sentence, statement, lang string) bool {
	first := text.TermTokens(sentence, lang)
	return len(first) > 0 && slices.Contains(text.Terms(statement, lang), first[0].Text)
}

// contentOf is where the words of s begin that are no function words.
func contentOf(s, lang string) map[int]bool {
	starts := map[int]bool{}
	for _, t := range text.TermTokens(s, lang) {
		starts[t.Start] = true
	}
	return starts
}
