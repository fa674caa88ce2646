package brief

import (
	"slices"
	"strings"
	"unicode"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/internal/relevance"
	"github.com/citewell/citewell/internal/text"
)

// maxCopies is how many copies are read in one brief before no other page is read in
// their place.
const maxCopies = 8

// withoutCopies leaves of readings that are copies of one another the first, and notes
// there where the others are. Copies are nearly the same text, and one has all the figures
// of the other: two versions of a text, of which one says 30 days and the other 90, are none,
// nor are two of which one says otherwise than the other.
func (rd *reader) withoutCopies(readings []*reading) []*reading {
	words := make([][]string, len(readings))
	for i, r := range readings {
		if r.copies = nil; r.outcome.Readable() {
			words[i] = rd.compared(r).Terms()
		}
	}
	cluster := relevance.Clusters(words, nearDuplicate)
	var kept []*reading
	ofCluster := map[int][]*reading{}
	for i, r := range readings {
		first := slices.IndexFunc(ofCluster[cluster[i]], func(o *reading) bool { return rd.copies(r, o) })
		if first < 0 {
			kept = append(kept, r)
			ofCluster[cluster[i]] = append(ofCluster[cluster[i]], r)
			continue
		}
		original := ofCluster[cluster[i]][first]
		original.copies = append(original.copies, r.result.URL)
		r.detail = "a copy of " + original.result.URL
	}
	return kept
}

// compared is the part of a reading's text that is compared with others.
func (rd *reader) compared(r *reading) *text.Reading {
	return rd.texts.Read(text.Prefix(r.doc.Text, maxCompared), r.doc.Language)
}

// copies reports whether one of two readings whose texts are nearly the same has all the
// figures of the other, and neither has a sentence that the other refuses.
func (rd *reader) copies(r, o *reading) bool {
	mine, theirs := rd.figures(r), rd.figures(o)
	return (allIn(mine, theirs) || allIn(theirs, mine)) && !rd.refuses(r, o) && !rd.refuses(o, r)
}

// maxDiffering is how many sentences of a copy that its original lacks are held against it.
const maxDiffering = 12

// refuses reports whether a sentence of another reading is contradicted in the first, or stands there
// without its figure: "Some 212 breed" is refused by "None breed".
func (rd *reader) refuses(r, o *reading) bool {
	mine, theirs, differing := text.OneLine(rd.compared(r).Text()), rd.compared(o), 0
	for _, span := range theirs.Sentences() {
		sentence := text.OneLine(theirs.Text()[span.Start:span.End])
		if strings.Contains(mine, sentence) {
			continue
		}
		if differing++; differing > maxDiffering {
			return false
		}
		held := cite.Hold(cite.Claim{Text: sentence, Lang: o.doc.Language, Readings: rd.texts,
			Evidence: []cite.Evidence{{Passages: []citewell.Passage{{End: len(mine), Text: mine}}}}})
		if held.Problem.Code == cite.ProblemContradicted || held.Problem.Code == cite.ProblemFigure {
			return true
		}
	}
	return false
}

// figures are the words with a digit of a reading's text but for its own date, which is
// that of the file.
func (rd *reader) figures(r *reading) map[string]bool {
	figures := map[string]bool{}
	for _, w := range rd.compared(r).Words() {
		if strings.ContainsFunc(w.Text, unicode.IsDigit) {
			figures[w.Text] = true
		}
	}
	for _, w := range text.Words(r.doc.Published) {
		delete(figures, w.Text)
	}
	return figures
}

func allIn(some, all map[string]bool) bool {
	for f := range some {
		if !all[f] {
			return false
		}
	}
	return true
}
