package brief

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/relevance"
	"github.com/citewell/citewell/internal/text"
	"github.com/google/go-cmp/cmp"
)

// nearTo is an embedding model to which texts are alike that have one of its words; from
// a call on it is silent.
type nearTo struct {
	words  []string
	silent int // from this call on; 0 never
	calls  int
}

func (n *nearTo) Name() string { return "near" }

func (n *nearTo) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if n.calls++; n.silent > 0 && n.calls >= n.silent {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	vectors := make([][]float32, len(texts))
	for i, s := range texts {
		vectors[i] = []float32{0, 1}
		for _, word := range n.words {
			if strings.Contains(s, word) {
				vectors[i] = []float32{1, 0}
			}
		}
	}
	return vectors, nil
}

// prefers is a reranker that likes texts in the order of its words.
type prefers struct {
	words []string
	err   error
	few   bool
	asked []string
}

func (p *prefers) Name() string { return "prefers" }

func (p *prefers) Rerank(_ context.Context, question string, texts []string) ([]float64, error) {
	p.asked = append(p.asked, question)
	scores := make([]float64, len(texts))
	for i, s := range texts {
		scores[i] = -10
		for k, word := range p.words {
			if strings.Contains(s, word) {
				scores[i] = -float64(k)
			}
		}
	}
	if p.few {
		scores = scores[1:]
	}
	return scores, p.err
}

// Passages are ordered by words; with an embedding model by words and meaning, so that
// what has none of the words is found; with a reranker by that.
func TestPassagesByModels(t *testing.T) {
	texts := []string{"holidays of kings", "holidays", "25 days of vacation", "bread"}
	words := []relevance.Scored{{Index: 0, Score: 2}, {Index: 1, Score: 1.9}, {Index: 2}, {Index: 3}}
	near := func() *nearTo { return &nearTo{words: []string{"holidays?", "vacation"}} }
	tests := []struct {
		name string
		o    Options
		want []int
	}{
		{"none", Options{}, []int{0, 1, 2, 3}},
		{"embedder", Options{Embedder: near()}, []int{2, 0, 1, 3}},
		{"reranker", Options{Reranker: &prefers{words: []string{"bread", "vacation"}}}, []int{3, 2, 0, 1}},
		{"both", Options{Embedder: near(), Reranker: &prefers{words: []string{"bread", "kings"}}}, []int{3, 0, 2, 1}},
		{"reranker fails", Options{Reranker: &prefers{err: errors.New("no")}}, []int{0, 1, 2, 3}},
		{"reranker gives too few", Options{Reranker: &prefers{words: []string{"bread"}, few: true}}, []int{0, 1, 2, 3}},
	}
	for _, test := range tests {
		ranked := New(test.o).byModels(t.Context(), "holidays?", &evidence{}, words, func(i int) string {
			return texts[i]
		})
		var got []int
		for _, s := range ranked {
			got = append(got, s.Index)
			if len(got) == 1 && s.Score <= 0 {
				t.Errorf("%s: what is best of all has the score %v of what is not kept", test.name, s.Score)
			}
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// What an embedding model said before it fell silent counts; it is not waited for longer
// than its limit, and not asked again in the same brief.
func TestMeaningIsLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := &nearTo{words: []string{"q", "7"}, silent: 2}
		told := 0
		w := New(Options{Embedder: model, Log: func(string, error) { told++ }})
		var texts []string
		for i := range 2 * meantAtOnce {
			texts = append(texts, strings.Repeat("x", i+1)+strings.Repeat("7", i%2))
		}
		began := time.Now()
		like := w.likeness(t.Context(), "q", texts)
		if took := time.Since(began); took > meaningLimit+lastWords || like.failed == nil || told != 1 {
			t.Errorf("after %v: late %v, told %d times", took, like.failed, told)
		}
		if cosine, ok := like.of(" x7x "); ok {
			t.Errorf("a text that was not asked about has %v", cosine)
		}
		if cosine, ok := like.of(texts[1]); !ok || cosine != 1 {
			t.Errorf("the second text has %v, %v", cosine, ok)
		}
		if _, ok := like.of(texts[len(texts)-1]); ok {
			t.Error("the last text was embedded by a silent model")
		}
		e := &evidence{}
		e.lacks(citewell.UseEmbedding, model, like.failed)
		w.meant(t.Context(), "q", e, []sentence{{Reading: text.Read("x", "")}})
		if model.calls != 2 {
			t.Errorf("it was asked %d times", model.calls)
		}
	})
}

// A sentence's score rises and falls with its likeness to the question, and stays a
// chance; one whose likeness is not known keeps its own.
func TestSentencesByMeaning(t *testing.T) {
	all := []sentence{{Reading: text.Read("holidays of kings", ""), score: 0.6},
		{Reading: text.Read("25 days of vacation", ""), score: 0.4}, {Reading: text.Read("", ""), score: 0.5}}
	New(Options{Embedder: &nearTo{words: []string{"holidays?", "vacation"}}}).meant(t.Context(), "holidays?",
		&evidence{}, all)
	if all[0].Text() != "25 days of vacation" || all[0].score <= 0.4 || all[1].score != 0.5 || all[2].score >= 0.6 {
		t.Errorf("%+v", all)
	}
	for _, chance := range []float64{0, 1e-9, 0.5, 1, 1.6} {
		low, high := withMeaning(chance, -1), withMeaning(chance, 1)
		if low < 0 || high > 1 || low >= high {
			t.Errorf("%v becomes %v to %v", chance, low, high)
		}
	}
}
