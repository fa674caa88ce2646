package cite

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/citewell/citewell"
)

// turn is a vector whose cosine with turn(1) is the given one.
func turn(cosine float64) []float32 {
	return []float32{float32(cosine), float32(math.Sqrt(1 - cosine*cosine))}
}

// The nearest sentence and the whole evidence count half each, from a cosine of 0.5 on, and in full
// at 0.8.
func TestNearness(t *testing.T) {
	const claim, one, two = "Tea helps.", "Cups steam.", "Pots sing."
	for _, test := range []struct {
		one, two, whole, want float64
	}{{0.8, 0.1, 0.8, 1}, {0.1, 0.8, 0.8, 1}, {0.5, 0.1, 0.5, 0}, {0.65, 0.2, 0.65, 0.5}, {0.9, 0.1, 0.4, 0.5}, {0.99, 0.1, 0.99, 1}, {-0.5, -0.9, 0.1, 0}} {
		m := Meanings{vectors: map[string][]float32{claim: turn(1), one: turn(test.one), two: turn(test.two), one + " " + two: turn(test.whole)}}
		near, ok := m.nearness(claim, one+" "+two)
		if !ok || math.Abs(near-test.want) > 0.001 {
			t.Errorf("%+v: %.3f, %v", test, near, ok)
		}
		m.vectors[one+" "+two] = turn(test.whole)[:1]
		if _, ok := m.nearness(claim, one+" "+two); ok {
			t.Error("vectors of two lengths were compared")
		}
	}
}

// An embedded is a model that says how many texts it was given, and gives few vectors or none.
type embedded struct {
	texts []string
	few   int
	err   error
}

func (e *embedded) Name() string { return "e" }
func (e *embedded) Embed(_ context.Context, texts []string) ([][]float32, error) {
	e.texts = texts
	return make([][]float32, len(texts)-e.few), e.err
}

func TestTextsThatGetVectors(t *testing.T) {
	e := &embedded{}
	if _, err := NewMeanings(t.Context(), e, []string{"Tea helps.", " Tea helps. ", ""}, []string{"Cups steam. Pots sing.", "Tea helps."}); err != nil || strings.Join(e.texts, "|") != "Tea helps.|Cups steam. Pots sing.|Cups steam.|Pots sing." {
		t.Errorf("%q, %v", e.texts, err)
	}
	var many []string
	for i := range 600 {
		many = append(many, fmt.Sprintf("Claim %d.", i))
	}
	if _, err := NewMeanings(t.Context(), e, many, nil); err != nil || len(e.texts) != 512 {
		t.Errorf("%d texts, %v", len(e.texts), err)
	}
	if _, err := NewMeanings(t.Context(), e, []string{strings.Repeat("long ", 2000)}, nil); err != nil || len(e.texts[0]) > 4000 || len(e.texts[0]) < 3990 {
		t.Errorf("%d bytes, %v", len(e.texts[0]), err)
	}
	if _, err := NewMeanings(t.Context(), &embedded{few: 1}, many, nil); citewell.CodeOf(err) != citewell.CodeBadResponse {
		t.Errorf("fewer vectors than texts: %v", err)
	}
	broken := errors.New("broken")
	if _, err := NewMeanings(t.Context(), &embedded{err: broken}, many, nil); !errors.Is(err, broken) {
		t.Errorf("a model that fails: %v", err)
	}
	if m, err := NewMeanings(t.Context(), &embedded{err: broken}, []string{" "}, nil); err != nil || m.by != "" {
		t.Errorf("nothing to embed: %+v, %v", m, err)
	}
}

// Meaning moves what words leave open, by one step and in its own name: better where the evidence
// says nearly the same, weaker where it says something else.
func TestVectorsMoveAVerdict(t *testing.T) {
	for _, test := range []struct {
		rule, claim, evidence string
		near                  float64 // cosine
		words, want           citewell.Verdict
	}{
		{"other words", "Youngsters learn to swim.", "Kids are shown swim strokes.", 0.9, citewell.VerdictUnsupported, citewell.VerdictSupported},
		{"not so near", "Youngsters learn to swim.", "Kids are shown swim strokes.", 0.6, citewell.VerdictUnsupported, citewell.VerdictWeak},
		{"far", "Youngsters learn to swim.", "Kids are shown swim strokes.", 0.5, citewell.VerdictUnsupported, citewell.VerdictUnsupported},
		{"another name", "Youngsters learn with Anna.", "Kids learn with Tom.", 0.9, citewell.VerdictUnsupported, citewell.VerdictUnsupported},
		{"the same words of something else", "The gate of the hall was painted red by Anna for the town.", "Anna painted a red hall; the gate was old, for the town.", 0.1, citewell.VerdictSupported, citewell.VerdictWeak},
		{"word for word", "Kids swim.", "Kids swim.", 0.1, citewell.VerdictSupported, citewell.VerdictSupported},
		{"denied", "Kids are shown swim strokes.", "Kids are not shown swim strokes.", 0.99, citewell.VerdictContradicted, citewell.VerdictContradicted},
		{"a figure is missing", "Some 30 kids are shown swim strokes.", "Kids are shown swim strokes.", 0.99, citewell.VerdictUnsupported, citewell.VerdictUnsupported},
	} {
		m := Meanings{by: "m", vectors: map[string][]float32{test.claim: turn(1), test.evidence: turn(test.near)}}
		words, got := Check(test.claim, test.evidence, "en"), m.Check(test.claim, test.evidence, "en")
		if words.Verdict != test.words || got.Verdict != test.want || (got.By == "m") != (test.words != test.want) {
			t.Errorf("%s: %s (%s, %s), then %s (%.2f, %s) by %s", test.rule, words.Verdict, words.Reason, words.Counted(), got.Verdict, got.Score, got.Reason, got.By)
		}
	}
}

// What Hold asks the meaning of: each claim, the words that it would cite and what is compared of all
// of them, and of a quote its own words and those of the others.
func TestWhatHoldWantsVectorsOf(t *testing.T) {
	e := &embedded{}
	claims := []Claim{
		{Text: "Herons rest here.", Lang: "en", Evidence: []Evidence{from(1, "Reeds grow. Herons rest.", "Boats lie.")}},
		{Text: "Boats rest here.", Lang: "en", Evidence: []Evidence{from(1, "Old boats rest. They rot.").quoting("boats rest"), from(2, "Boats sink.").quoting("Boats")}},
	}
	if _, err := MeaningsOf(t.Context(), e, claims); err != nil {
		t.Fatal(err)
	}
	got := strings.ReplaceAll(strings.Join(e.texts, "|"), "\n", "/")
	if want := "Herons rest here.|Boats rest here.|Reeds grow. Herons rest.|Reeds grow.|Herons rest.|Boats lie.|Old boats rest.|Boats sink.|Old boats rest. Boats sink."; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// An opinion that quotes one passage moves that citation alone; one that quotes none moves all.
func TestWeigh(t *testing.T) {
	const claim, one, two = "The ferry of the island runs twice a week.", "Twice a week the ferry of the island runs.", "The ferry of the island runs on Mondays and twice a week."
	passages := []citewell.Passage{{ID: "a", Source: 1, Text: one}, {ID: "b", Source: 2, Text: two}}
	for _, test := range []struct {
		rule  string
		said  Opinion
		wants string
	}{
		{"quotes the second", Opinion{Verdict: citewell.VerdictContradicted, Quote: "runs on Mondays", Reason: "so"}, "supported by words, contradicted by m"},
		{"quotes the first", Opinion{Verdict: citewell.VerdictContradicted, Quote: "Twice a week the ferry", Reason: "so"}, "contradicted by m, supported by words"},
		{"quotes none", Opinion{Verdict: citewell.VerdictUnsupported, Reason: "so"}, "weak by m, weak by m"},
		{"agrees", Opinion{Verdict: citewell.VerdictSupported, Quote: one}, "supported by words, supported by words"},
	} {
		citations := []citewell.Citation{{N: 1, Verdict: citewell.VerdictSupported, Reason: "as said", Judge: ByWords}, {N: 2, Verdict: citewell.VerdictSupported, Reason: "as said", Judge: ByWords}}
		Weigh(claim, "en", citations, passages, test.said, "m")
		var got []string
		for _, c := range citations {
			got = append(got, string(c.Verdict)+" by "+c.Judge)
			if (c.Judge == ByWords) != (c.Reason == "as said") {
				t.Errorf("%s: %q by %s", test.rule, c.Reason, c.Judge)
			}
		}
		if strings.Join(got, ", ") != test.wants {
			t.Errorf("%s: %q, want %s", test.rule, got, test.wants)
		}
	}
}
