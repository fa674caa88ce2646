package judge

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/llm"
)

func one(text, title string) sentence {
	return sentence{text, &cite.Inquiry{Passages: []cite.Shown{{Passage: citewell.Passage{Text: text}, Title: title}}}}
}

func TestFalsehoods(t *testing.T) {
	mills, trains := one(valley[0], ""), one(valley[2], "")
	tests := []struct {
		name, from string
		make       maker
		others     []sentence
		want       string // "-" where none can be made, "*" where it is any other
	}{
		{"a figure", "The store takes 250 sacks of flour.", otherFigure, nil, "*"},
		{"a year", "The mill was sold in 1887.", otherFigure, nil, "*"},
		{"a figure that stands twice", "It takes 250 sacks, and 250 more.", otherFigure, nil, "-"},
		{"a part of a number", "It weighs 2.50 kilos and no more.", otherFigure, nil, "-"},
		{"a version", "It came with release 10.2 of the tool.", otherFigure, nil, "-"},
		{"not goes", "The gate is not locked at night.", denied, nil, "The gate is locked at night."},
		{"not comes", "The gate is locked at night by the guard.", denied, nil,
			"The gate is not locked at night by the guard."},
		{"does not", "The gate does not close by itself.", denied, nil, "The gate does close by itself."},
		{"German", "Das Tor wird nachts nicht verschlossen.", denied, nil, "Das Tor wird nachts verschlossen."},
		{"Russian", "Ворота ночью не запирают на замок.", denied, nil, "Ворота ночью запирают на замок."},
		{"two denials", "The gate is not locked and never was.", denied, nil, "-"},
		{"only", "The gate is locked only at night.", denied, nil, "-"},
		{"two verbs", "The gate is green and was locked.", denied, nil, "-"},
		{"no verb known", "The guard locks the gate at night.", denied, nil, "-"},
		{"a name", "The gate was given by the town of Tolmarsh in spring.", otherName,
			[]sentence{one("It was built by the abbey of Saint Orrin long ago.", "")},
			"The gate was given by the town of Saint Orrin in spring."},
		{"a name that is there", "Gifts came from Tolmarsh and from Saint Orrin.", otherName,
			[]sentence{one("It was built by the abbey of Saint Orrin long ago.", "")}, "-"},
		{"no name but a small word", "The gate was given by All in spring.", otherName,
			[]sentence{one("It was built by the abbey of Saint Orrin long ago.", "")}, "-"},
		{"elsewhere", valley[3], elsewhere, []sentence{mills}, valley[0]},
		{"elsewhere of the same", "The mills of the Quern valley paid a tithe of flour to the abbey.", elsewhere,
			[]sentence{mills}, "-"},
		{"elsewhere, the first that fits", "The mills of the Quern valley paid a tithe of flour to the abbey.",
			elsewhere, []sentence{mills, trains}, valley[2]},
	}
	for _, test := range tests {
		got, ok := test.make(one(test.from, ""), test.others, rand.New(rand.NewPCG(1, 2)))
		switch {
		case test.want == "-" && ok, test.want == "*" && (!ok || got == test.from), test.want != "-" &&
			test.want != "*" && got != test.want:
			t.Errorf("%s: %q → %q %v", test.name, test.from, got, ok)
		}
	}
	// A page that says a thing and denies it makes an honest judge fail no canary.
	both := sentence{"The weir is open to boats.", &cite.Inquiry{Passages: []cite.Shown{{Passage: citewell.Passage{
		Text: "The weir is open to boats. The weir is not open to boats."}}}}}
	for _, make := range []maker{copied, denied} {
		if got, ok := make(both, nil, nil); ok {
			t.Errorf("%q is planted", got)
		}
	}
	// Chance never gives the figure itself, nor one that the passages have.
	for seed := range uint64(200) {
		s := one("The store takes 20 sacks of flour, not 30.", "")
		if got, ok := otherFigure(s, nil, rand.New(rand.NewPCG(seed, 0))); ok &&
			(got == s.text || strings.Count(got, "30") > 1) {
			t.Fatal(got)
		}
	}
}

func TestCanariesOfACall(t *testing.T) {
	j := New(Options{Model: &scripted{}})
	for n := 1; n <= len(statements); n++ {
		calls := j.plan(Question{}, inquiriesOf(statements[:n]), 1, llm.AssumedWindow)
		truths, lies := 0, 0
		for _, it := range calls[0].items {
			if it.inquiry >= 0 {
				continue
			}
			stands := false
			for _, p := range it.about.Passages {
				stands = stands || strings.Contains(p.Passage.Text, it.about.Text)
			}
			if it.truth {
				truths++
			} else if lies++; stands {
				t.Errorf("%q is planted as false and stands there", it.about.Text)
			}
		}
		if truths < 1 || lies < 1 {
			t.Errorf("%d statements: %d truths, %d falsehoods", n, truths, lies)
		}
		if again := j.plan(Question{}, inquiriesOf(statements[:n]), 1,
			llm.AssumedWindow); again[0].content != calls[0].content || again[0].Key != calls[0].Key {
			t.Error("it is planned otherwise the second time")
		}
		if further := j.plan(Question{}, inquiriesOf(statements[:n]), 2,
			llm.AssumedWindow); further[0].Key == calls[0].Key {
			t.Error("the second round has the key of the first")
		}
	}
	// Nothing can be made of these words: the examination stands in.
	bare := []*cite.Inquiry{{Text: "It is so.", Passages: []cite.Shown{{Passage: citewell.Passage{Text: "so it is"}}}}}
	if calls := j.plan(Question{}, bare, 1, llm.AssumedWindow); len(calls[0].items) != 1+canaryLeast {
		t.Errorf("%d items", len(calls[0].items))
	}
	bare[0].Passages[0].Passage.Source = 7
	if content := j.plan(Question{}, bare, 1, llm.AssumedWindow)[0].content; strings.Contains(content, "truth") ||
		strings.Contains(content, `"title"`) || strings.Count(content, `"source":7`) != 1+canaryLeast {
		t.Error("a canary can be told:", content)
	}
}

func outcomes(n, wrong int) (all []bool) {
	for i := range n {
		all = append(all, i < wrong)
	}
	return all
}

func TestBelieved(t *testing.T) {
	tests := []struct {
		falses, passed, truths, refused int
		want                            bool
	}{
		{0, 0, 0, 0, true}, {1, 1, 0, 0, true}, {2, 2, 0, 0, false}, {10, 1, 0, 0, true}, {10, 2, 0, 0, false},
		{11, 2, 0, 0, true},
		{40, 4, 0, 0, true}, {40, 5, 0, 0, false}, {0, 0, 1, 1, true}, {0, 0, 2, 2, false}, {0, 0, 40, 8, true},
		{0, 0, 40, 9, false},
	}
	for _, test := range tests {
		s := Score{outcomes(test.falses, test.passed), outcomes(test.truths, test.refused)}
		if s.Believed() != test.want {
			t.Errorf("%s: believed %v", s, s.Believed())
		}
	}
	// The window forgets what is older than forty.
	s := Score{}.With(Score{Passed: outcomes(40, 5)})
	if s.Believed() || !s.With(Score{Passed: outcomes(1, 0)}).Believed() || len(s.With(s).Passed) != lastOf {
		t.Error("the window does not slide")
	}
	for _, test := range []struct {
		s    Score
		void bool
	}{
		{Score{}, false}, {Score{Passed: outcomes(2, 1)}, true}, {Score{Passed: outcomes(3, 1)}, false},
		{Score{Passed: outcomes(4, 2)}, true},
		{Score{Refused: outcomes(1, 1)}, true}, {Score{Refused: outcomes(2, 1)}, false},
		{Score{Refused: outcomes(3, 2)}, true},
	} {
		if got := test.s.refuted() != ""; got != test.void {
			t.Errorf("%s: void %v", test.s, got)
		}
	}
}

// memory is a cache.
type memory map[string][]byte

func (m memory) CacheGet(_ context.Context, key string) ([]byte, time.Time, bool, error) {
	value, ok := m[key]
	return value, time.Time{}, ok, nil
}

func (m memory) CachePut(_ context.Context, key string, value []byte, _ time.Duration) error {
	m[key] = value
	return nil
}

func TestScoresAreKeptByEndpointAndModel(t *testing.T) {
	kept := memory{}
	at := func(endpoint string) *Judge {
		return New(Options{Model: &scripted{answer: always("supported")}, Cache: kept, Endpoint: endpoint})
	}
	if s, err := at("http://a").Examine(t.Context()); err != nil || s.Believed() || len(s.Passed) != 20 ||
		count(s.Passed) != 20 || count(s.Refused) != 0 {
		t.Error(s, err)
	}
	if at("http://a").Score(t.Context()).Believed() || !at("http://b").Score(t.Context()).Believed() {
		t.Error("the score is not kept by endpoint")
	}
	good := New(Options{Model: &scripted{answer: right}, Cache: kept, Endpoint: "http://a"})
	if s, err := good.Examine(t.Context()); err != nil || !s.Believed() {
		t.Error(s, err)
	}
	if d := cmp.Diff(Score{outcomes(20, 0), outcomes(20, 0)}, at("http://a").Score(t.Context())); d != "" {
		t.Error("an examination begins afresh:", d)
	}
}
