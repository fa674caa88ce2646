package bench

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/citewell/citewell/internal/sheet"
	"github.com/citewell/citewell/internal/text"
)

// Looked is what was looked at for one question, each text in one line.
type Looked struct {
	Pages     []string // blocks of the documents that were read
	Passages  []string // those that were kept
	Sentences []string // those that were weighed as findings
}

// A Stage is where the answer to a question was lost.
type Stage string

// The stages, in the order in which a question passes them.
const (
	LostPage     Stage = "page"     // no document with an answer was read
	LostPassage  Stage = "passage"  // no passage with one was kept
	LostSentence Stage = "sentence" // no sentence with one was weighed
	LostGate     Stage = "gate"     // one was weighed, and there is no finding
	LostOrder    Stage = "order"    // there are findings, and none of them answers
	LostFirst    Stage = "first"    // a finding behind the first answers
)

var stages = []Stage{LostPage, LostPassage, LostSentence, LostGate, LostOrder, LostFirst}

// lostAt says where an answer was lost, and how many of the question's words one has that was seen.
func lostAt(a asking, l Looked) (Stage, float64) {
	accepts := a.question.Accepts
	stage := LostFirst
	switch {
	case len(a.right) > 0 && a.right[0] == 1:
		stage = ""
	case len(a.right) > 0:
	case !slices.ContainsFunc(l.Pages, accepts):
		stage = LostPage
	case !slices.ContainsFunc(l.Passages, accepts):
		stage = LostPassage
	case !slices.ContainsFunc(l.Sentences, accepts):
		stage = LostSentence
	case len(a.findings) == 0:
		stage = LostGate
	default:
		stage = LostOrder
	}
	shared, lang := -1.0, text.Language(a.question.Text)
	asked := text.Terms(a.question.Text, lang)
	for _, s := range append(l.Sentences, a.findings...) {
		if !accepts(s) {
			continue
		}
		has, n := text.Terms(s, lang), 0
		for _, term := range asked {
			if slices.Contains(has, term) {
				n++
			}
		}
		shared = max(shared, float64(n)/float64(max(len(asked), 1)))
	}
	return stage, shared
}

func lossTable(all []asking) sheet.Table {
	asked := ofSort(all, Answerable)
	t := sheet.Table{Title: "Where the answer was lost, as a share of the questions that the documents answer",
		Columns: []sheet.Column{{Key: "questions", Title: "questions"}, {Key: "share", Title: "share", Decimals: 3}}}
	notes := map[Stage]string{LostPage: "no document with an answer was read",
		LostPassage:  "no passage with one was kept",
		LostSentence: "no sentence with one was weighed", LostGate: "one was weighed, and nothing was given",
		LostOrder: "others were given instead", LostFirst: "it is given, behind another"}
	for _, stage := range stages {
		n := 0
		for _, a := range asked {
			if a.lost == stage {
				n++
			}
		}
		t.Rows = append(t.Rows, sheet.Row{Name: string(stage), Origin: sheet.Measured, Note: notes[stage],
			Figures: map[string]float64{"questions": float64(n), "share": float64(n) / float64(max(len(asked), 1))}})
	}
	return t
}

// byName has a row for each name of the questions that the documents answer; none where all have one.
func byName(all []asking, what string, name func(asking) string) sheet.Table {
	t := sheet.Table{Title: "Where the answer stands, by " + what, Columns: standingColumns}
	named := map[string][]asking{}
	for _, a := range ofSort(all, Answerable) {
		named[name(a)] = append(named[name(a)], a)
	}
	if len(named) < 2 {
		return t
	}
	for _, n := range slices.Sorted(maps.Keys(named)) {
		t.Rows = append(t.Rows, sheet.Row{Name: cmp.Or(n, "unnamed"), Origin: sheet.Measured,
			Figures: standing(named[n], ours, findingsOf)})
	}
	return t
}

// Shares of the question's words from which an answer has some and most of them.
const (
	sharesSome = 0.34
	sharesMost = 0.67
)

// sharedTable parts the questions by how many of their words the answer has that is most like them.
func sharedTable(all []asking) sheet.Table {
	return byName(all, "words that question and answer share", func(a asking) string {
		switch {
		case a.shared < 0:
			return "4. no answer was seen"
		case a.shared < sharesSome:
			return "3. few (below a third)"
		case a.shared < sharesMost:
			return "2. some"
		}
		return "1. most (two thirds or more)"
	})
}

const bands = 10

// chanceTable holds what the first findings say of themselves against what they are worth.
func chanceTable(all []asking) sheet.Table {
	t := sheet.Table{Title: "What the first finding says of its chance, and what it is worth",
		Columns: []sheet.Column{{Key: "findings", Title: "findings"},
			{Key: "said", Title: "chance, mean", Decimals: 3}, {Key: "right", Title: "right", Decimals: 3},
			{Key: "apart", Title: "apart", Decimals: 3}}}
	row := func(name string, of []asking) sheet.Row {
		said, right := 0.0, 0.0
		for _, a := range of {
			said += a.chances[0] / float64(len(of))
			if len(a.right) > 0 && a.right[0] == 1 {
				right += 1 / float64(len(of))
			}
		}
		return sheet.Row{Name: name, Origin: sheet.Measured, Figures: map[string]float64{
			"findings": float64(len(of)), "said": said, "right": right, "apart": said - right}}
	}
	var inBand [bands][]asking
	given := 0
	for _, a := range all {
		if len(a.chances) > 0 {
			at := min(int(a.chances[0]*bands), bands-1)
			inBand[at] = append(inBand[at], a)
			given++
		}
	}
	off := 0.0
	for at, of := range inBand {
		if len(of) == 0 {
			continue
		}
		r := row(fmt.Sprintf("%.1f to %.1f", float64(at)/bands, float64(at+1)/bands), of)
		off += max(r.Figures["apart"], -r.Figures["apart"]) * float64(len(of)) / float64(given)
		t.Rows = append(t.Rows, r)
	}
	t.Notes = []string{fmt.Sprintf("error of calibration (mean distance of a band, by its findings): %.3f", off),
		"of all questions, those that nothing answers too"}
	return t
}
