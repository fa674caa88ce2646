package relevance

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func fields(texts ...string) [][]string {
	docs := make([][]string, len(texts))
	for i, one := range texts {
		docs[i] = strings.Fields(one)
	}
	return docs
}

// The figures are worked out by hand from the formula.
func TestBM25(t *testing.T) {
	docs := fields("cat dog", "cat cat cat bird", "fish")
	idfCat := math.Log(1 + (3-2+0.5)/(2+0.5))
	mean := 7.0 / 3
	want := []float64{
		idfCat * 1 / (1 + 1.2*(0.25+0.75*2/mean)),
		idfCat * 3 / (3 + 1.2*(0.25+0.75*4/mean)),
		0,
	}
	got := BM25([]string{"cat"}, docs)
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-12 {
			t.Errorf("document %d: %v, want %v", i, got[i], want[i])
		}
	}
	twice := BM25([]string{"cat", "cat"}, docs)
	if math.Abs(twice[0]-2*want[0]) > 1e-12 {
		t.Errorf("a repeated term counts %v, want twice %v", twice[0], want[0])
	}
	if all := NewIndex(docs).Score([]string{"cat"}); !slices.Equal(all, got) {
		t.Errorf("an index scores %v, BM25 %v", all, got)
	}
}

func TestBM25OfNothing(t *testing.T) {
	if got := BM25([]string{"cat"}, nil); len(got) != 0 {
		t.Errorf("no documents: %v", got)
	}
	for _, query := range [][]string{nil, {"cat"}} {
		if got := BM25(query, [][]string{nil, {}}); !slices.Equal(got, []float64{0, 0}) {
			t.Errorf("empty documents, query %q: %v", query, got)
		}
	}
}

func TestJaccard(t *testing.T) {
	tests := []struct {
		name, a, b string
		want       float64
	}{
		{"same", "a b c d e", "a b c d e", 1},
		{"nothing_in_common", "a b c d", "w x y z", 0},
		{"one_word_more", "a b c d", "a b c d e", 2.0 / 3},
		{"order_counts", "a b c", "c b a", 0},
		{"short", "a b", "a b", 1},
		{"short_against_long", "a b", "a b c", 0},
		{"words_are_not_run_together", "ab c d", "a bc d", 0},
		{"empty", "", "", 0},
		{"empty_against_text", "", "a", 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			a, b := strings.Fields(test.a), strings.Fields(test.b)
			if got := jaccard(shingles(a), shingles(b)); math.Abs(got-test.want) > 1e-12 {
				t.Errorf("got %v, want %v", got, test.want)
			}
			if jaccard(shingles(a), shingles(b)) != jaccard(shingles(b), shingles(a)) {
				t.Error("it is not the same both ways")
			}
		})
	}
}

func TestClusters(t *testing.T) {
	tests := []struct {
		name      string
		docs      [][]string
		threshold float64
		want      []int
	}{
		{"none", nil, 0.5, []int{}},
		{"all_differ", fields("a b c", "d e f", "g h i"), 0.5, []int{0, 1, 2}},
		{"mirror", fields("x y z w", "a b c d e", "p q r", "a b c d e"), 0.9, []int{0, 1, 2, 1}},
		{"by_way_of_another", fields("a b c d e f", "b c d e f g", "c d e f g h"), 0.6, []int{0, 0, 0}},
		{"exactly_at_the_threshold", fields("a b c d e f", "b c d e f g"), 0.6, []int{0, 0}},
		{"just_below_the_threshold", fields("a b c d e f", "b c d e f g"), 0.61, []int{0, 1}},
		{"empty_texts_are_alone", fields("", "", "a b c"), 0, []int{0, 1, 2}},
		{"any_share_at_zero", fields("a b c d", "x a b c", "p q r"), 0, []int{0, 0, 2}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := Clusters(test.docs, test.threshold); !slices.Equal(got, test.want) {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

// The short way round comparing every pair gives what comparing every pair gives.
func TestClustersEqualsComparingEveryPair(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SampledFrom([]string{"a", "b", "c", "d"})
		docs := rapid.SliceOfN(rapid.SliceOfN(word, 0, 12), 0, 9).Draw(t, "docs")
		threshold := rapid.SampledFrom([]float64{0.1, 0.25, 1.0 / 3, 0.5, 0.6, 0.75, 0.9, 1}).Draw(t, "threshold")
		want := make([]int, len(docs))
		for i := range docs {
			want[i] = i
		}
		for range docs { // as many times as the longest chain could need
			for i := range docs {
				for j := range docs {
					if jaccard(shingles(docs[i]), shingles(docs[j])) >= threshold {
						want[i] = min(want[i], want[j])
						want[j] = want[i]
					}
				}
			}
		}
		if got := Clusters(docs, threshold); !slices.Equal(got, want) {
			t.Fatalf("got %v, want %v for %q at %v", got, want, docs, threshold)
		}
	})
}

// manyDocs are n texts of a thousand words, every tenth a copy of the one before.
func manyDocs(n int) [][]string {
	random := rand.New(rand.NewPCG(1, 2))
	docs := make([][]string, n)
	for i := range docs {
		if i%10 == 9 {
			docs[i] = docs[i-1]
			continue
		}
		for range 1000 {
			docs[i] = append(docs[i], fmt.Sprintf("w%d", int(random.ExpFloat64()*200)))
		}
	}
	return docs
}

func BenchmarkClusters(b *testing.B) {
	docs := manyDocs(200)
	for b.Loop() {
		Clusters(docs, 0.8)
	}
}

func BenchmarkIndexScore(b *testing.B) {
	index := NewIndex(manyDocs(1000))
	query := []string{"w1", "w50", "w700"}
	for b.Loop() {
		index.Score(query)
	}
}
