package judge

import (
	"context"
	_ "embed"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"sync"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/internal/text"
)

// examPairs are forty statements with a passage each: half of them stand there.
//
//go:embed exam.jsonl
var examPairs string

type pair struct {
	Truth     bool   `json:"truth"`
	Statement string `json:"statement"`
	Title     string `json:"title"`
	Passage   string `json:"passage"`
}

var examination = sync.OnceValue(func() (all []item) {
	for n, line := range strings.Split(strings.TrimSpace(examPairs), "\n") {
		var p pair
		if err := json.Unmarshal([]byte(line), &p); err != nil {
			panic("internal/judge/exam.jsonl: " + err.Error()) // it is part of the program
		}
		passage := citewell.Passage{Source: n + 1, End: len(p.Passage), Text: p.Passage}
		all = append(all, item{inquiry: -1, truth: p.Truth, about: &cite.Inquiry{
			Text: p.Statement, Passages: []cite.Shown{{Passage: passage, Title: p.Title}}}})
	}
	return all
})

// fromExamination is a pair of the examination that the call has not, in the form of the statements in
// it: its passage has the number of one of their sources, and a title only where theirs have one.
func fromExamination(truth bool, batch []item, used map[string]bool, chance *rand.Rand) (item, bool) {
	pairs := examination()
	for _, i := range chance.Perm(len(pairs)) {
		it := pairs[i]
		if it.truth != truth || used[text.Fold(it.about.Text)] {
			continue
		}
		used[text.Fold(it.about.Text)] = true
		shown, like := it.about.Passages[0], batch[chance.IntN(len(batch))].about.Passages[0]
		if shown.Passage.Source = like.Passage.Source; like.Title == "" {
			shown.Title = ""
		}
		return item{inquiry: -1, about: inquire(it.about.Text, []cite.Shown{shown})}, true
	}
	return item{}, false
}

// Examine asks the judge about the forty pairs at once and begins its score afresh with them. An
// error means that it could not be asked about all of them; its score is then what it was.
func (j *Judge) Examine(ctx context.Context) (Score, error) {
	var graded Score
	for _, batch := range j.batches(Question{}, examination(), j.window(ctx)) {
		c := j.call(Question{}, batch)
		answer, err := c.answer(ctx)
		if err != nil {
			return j.Score(ctx), err
		}
		s, void := c.grade(answer.Verdicts)
		if void != "" {
			return j.Score(ctx), &citewell.Error{Code: citewell.CodeModelFailed, Op: "judge",
				Message: j.Name() + " was not examined: " + void}
		}
		graded = graded.With(s)
	}
	return j.note(context.WithoutCancel(ctx), graded, true), nil
}
