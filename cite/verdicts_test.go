package cite_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/citewell/citewell/cite"
)

// The tests of labelled pairs let a share of them be judged wrongly. What is said of each,
// either way round, is written down here: a change of a rule shows as a difference to read.
func TestVerdictsOfEverydayPairs(t *testing.T) {
	var said strings.Builder
	pairs := slices.Concat(everyday, everydayAbroad)
	for _, d := range differing {
		pairs = append(pairs, labelled{d.want, d.lang, d.claim, d.evidence})
	}
	for _, pair := range pairs {
		j := cite.Check(pair.claim, pair.evidence, pair.lang)
		fmt.Fprintf(&said, "%s | %s\n\t%s (%.2f): %s\n\t%s\n", pair.claim, pair.evidence, j.Verdict, j.Score, j.Reason, j.Counted())
		if guessed := cite.Check(pair.claim, pair.evidence, ""); guessed.Verdict != j.Verdict || guessed.Reason != j.Reason {
			fmt.Fprintf(&said, "\tin a language that is guessed %s: %s\n", guessed.Verdict, guessed.Reason)
		}
		for _, model := range []cite.Embedder{alike(true), alike(false)} {
			if j := byMeaning(t, model, pair.claim, pair.evidence, pair.lang); j.By != cite.ByWords {
				fmt.Fprintf(&said, "\tby %s %s: %s\n", j.By, j.Verdict, j.Reason)
			}
		}
		turned := cite.Check(pair.evidence, pair.claim, pair.lang)
		fmt.Fprintf(&said, "\tturned round %s (%.2f): %s\n\t%s\n", turned.Verdict, turned.Score, turned.Reason, turned.Counted())
	}
	cite.Golden(t, "testdata/verdicts.golden", said.String())
}

// alike is a model that finds every text like the first one that it is given, or none.
type alike bool

func (a alike) Name() string {
	return map[alike]string{true: "that finds all alike", false: "that finds nothing alike"}[a]
}

func (a alike) Embed(_ context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	for i := range vectors {
		vectors[i] = []float32{0, 1}
		if i == 0 || bool(a) {
			vectors[i] = []float32{1, 0}
		}
	}
	return vectors, nil
}

func TestClashesOfLabelledPairs(t *testing.T) {
	var said strings.Builder
	for _, p := range labelledPairs(t) {
		a, b := p.statements()
		clash, ok := cite.Conflict(a, b)
		fmt.Fprintf(&said, "%s | %s\n\t%s\n\t%s\n\t", p.A, p.B, a.Read(), b.Read())
		if ok {
			fmt.Fprintf(&said, "%s: %s (%s), %s (%s) of %s\n", clash.Kind, clash.A, clash.KeyA, clash.B, clash.KeyB, clash.Subject)
		} else {
			said.WriteString("no conflict\n")
		}
	}
	cite.Golden(t, "testdata/clashes.golden", said.String())
}
