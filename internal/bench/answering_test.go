package bench

import (
	"context"
	"slices"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/testing/benchtest"
)

const encyclopedia = `[
{"title": "Herons", "paragraphs": [{"text": "A heron eats fish.", "questions": [
  {"id": "h1", "question": "What does a heron eat?", "answers": ["the fish"], "answerable": true},
  {"id": "h2", "question": "What does a heron never eat?", "answers": [], "answerable": false}]}]},
{"title": "Owls", "paragraphs": [{"text": "An owl sees at night.", "questions": [
  {"id": "o1", "question": "When does an owl see?", "answers": ["night"], "answerable": true}]}]},
{"title": "Swifts", "paragraphs": [{"text": "A swift sleeps on the wing.", "questions": [
  {"id": "s1", "question": "Where does a swift sleep?", "answers": ["on the wing"], "answerable": true}]}]},
{"title": "Wrens", "paragraphs": [{"text": "A wren is small.", "questions": [
  {"id": "w1", "question": "How big is a wren?", "answers": ["small"], "answerable": true}]}]}]`

// Each article is left out once; its questions are asked once where it is, and once
// where it is not.
func TestArticlesAreHeldOut(t *testing.T) {
	libraries, err := ReadAnswers(benchtest.Folder(t, map[string]string{"articles.json": encyclopedia}), t.TempDir(),
		AnswerOptions{})
	if err != nil || len(libraries) != 2 {
		t.Fatalf("%d libraries, %v", len(libraries), err)
	}
	var asked []string
	for _, l := range libraries {
		for _, q := range l.Questions {
			asked = append(asked, q.ID+" "+string(q.Sort))
		}
	}
	slices.Sort(asked)
	want := []string{"h1 answerable", "h1 unanswerable", "h2 twisted", "o1 answerable", "o1 unanswerable",
		"s1 answerable", "s1 unanswerable", "w1 answerable", "w1 unanswerable"}
	if !slices.Equal(asked, want) {
		t.Errorf("asked are %q", asked)
	}
	halves := map[string]int{}
	for _, half := range []string{"odd", "even"} {
		libraries, err := ReadAnswers(benchtest.Folder(t, map[string]string{"articles.json": encyclopedia}),
			t.TempDir(), AnswerOptions{Half: half})
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range libraries {
			for _, q := range l.Questions {
				halves[q.ID+string(q.Sort)]++
			}
		}
	}
	if len(halves) != len(want) {
		t.Errorf("the halves have %d questions, want %d", len(halves), len(want))
	}
	for q, n := range halves {
		if n != 1 {
			t.Errorf("%s is in %d halves", q, n)
		}
	}
}

// The figures count where an answer stands, and findings where nothing answers.
func TestAnswersAreCounted(t *testing.T) {
	given := map[string][]string{
		"What does a heron eat?":    {"It eats Fish, mostly."},
		"When does an owl see?":     {"By day it sleeps.", "It hunts in the night."},
		"Where does a swift sleep?": nil,
		"How big is a wren?":        {"Wrens are smallish."},
	}
	open := func(context.Context, string) (Answerer, error) {
		return Answerer{
			Brief: func(_ context.Context, question string) (citewell.Brief, error) {
				var b citewell.Brief
				for _, s := range given[question] {
					b.Findings = append(b.Findings, citewell.Finding{Text: s})
				}
				return b, nil
			},
			Texts: func(context.Context, string) ([]string, error) {
				return []string{"An owl sees at night. A heron eats fish."}, nil
			},
			Looked: func(context.Context, citewell.Brief) (Looked, error) { return Looked{}, nil },
			Close:  func() error { return nil },
		}, nil
	}
	r, err := Answers(t.Context(), benchtest.Folder(t, map[string]string{"articles.json": encyclopedia}), open,
		AnswerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got := benchtest.Row(t, r.Report, 0, "citewell")
	benchtest.WantFigure(t, got, "questions", 4)
	benchtest.WantFigure(t, got, "first", 0.25)
	benchtest.WantFigure(t, got, "three", 0.5)
	benchtest.WantFigure(t, got, "any", 0.5)
	benchtest.WantFigure(t, got, "none", 0.25)
	benchtest.WantFigure(t, got, "each", 1)
	benchtest.WantFigure(t, got, "right", 0.5)
	benchtest.WantFigure(t, benchtest.Row(t, r.Report, 0, "best BM25 sentence"), "first", 0.5)
	benchtest.WantFigure(t, benchtest.Row(t, r.Report, 1, "unanswerable"), "findings", 0.75)
	benchtest.WantFigure(t, benchtest.Row(t, r.Report, 1, "twisted"), "findings", 0)
	if len(r.Misses) != 6 {
		t.Errorf("misses %+v", r.Misses)
	}
}
