package score

import (
	"math"
	"testing"
)

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9 {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// By hand: the article has the shingles abcd, bcde, cdef; the text bcde, cdef, defg.
// The second page's text is empty: it counts for recall alone.
func TestArticles(t *testing.T) {
	var a Articles
	a.Add("a b c d e f", "b, c; d e f g")
	near(t, "precision", a.Precision(), 2.0/3)
	near(t, "recall", a.Recall(), 2.0/3)
	near(t, "F1", a.F1(), 2.0/3)
	a.Add("one two three four five", "")
	near(t, "precision with an empty text", a.Precision(), 2.0/3)
	near(t, "recall with an empty text", a.Recall(), 1.0/3)
	near(t, "F1 with an empty text", a.F1(), 4.0/9)
	a.Add("Über Größe", "Über – Größe!")
	near(t, "exact", a.Exact(), 1.0/3)
	near(t, "precision of a short page", a.Precision(), 5.0/6)
	a.Add("", "")
	near(t, "recall without an article", a.Recall(), 5.0/9)
	if a.Pages() != 4 {
		t.Errorf("%d pages", a.Pages())
	}
	var repeated Articles // a multiset: what is said twice counts twice
	repeated.Add("a a a a a", "a a a a")
	near(t, "recall of a repeated shingle", repeated.Recall(), 0.5)
	near(t, "case", func() float64 { var c Articles; c.Add("A b c d", "a b c d"); return c.F1() }(), 0)
}

// By hand: {the:2 cat:1 sat:1} against {the:1 cat:1 ran:1} share two words.
func TestWords(t *testing.T) {
	var w Words
	w.Add("The cat. The SAT", "the Cat ran")
	near(t, "precision", w.Precision(), 2.0/3)
	near(t, "recall", w.Recall(), 0.5)
	near(t, "F1", w.F1(), 4.0/7)
	w.Add("nothing", "")
	near(t, "F1 with an empty text", w.F1(), 2.0/7)
	var balanced Words // the mean of the pages' F1 is not the F1 of the means
	balanced.Add("a", "a b c d")
	balanced.Add("a b c d", "a")
	near(t, "mean of F1", balanced.F1(), 0.4)
	var none Words
	none.Add("", " – ")
	near(t, "F1 of no text where none is marked", none.F1(), 1)
	none.Add("", "menu")
	near(t, "F1 with text where none is marked", none.F1(), 0.5)
}

func TestSnippets(t *testing.T) {
	got, _ := Snippets([]string{"two  words", "not there"}, "Here are Two\nwords.")
	near(t, "share", got, 0.5)
	if _, ok := Snippets(nil, "text"); ok {
		t.Error("there are no snippets")
	}
}

// By hand: relevant at places 2 and 4 of three relevant ones.
func TestRanking(t *testing.T) {
	gains := map[string]float64{"b": 1, "d": 1, "z": 1, "x": 0}
	ideal := 1 + 1/math.Log2(3) + 0.5
	near(t, "nDCG", NDCG([]string{"a", "b", "c", "d"}, gains, 10), (1/math.Log2(3)+1/math.Log2(5))/ideal)
	near(t, "nDCG@2", NDCG([]string{"a", "b", "c", "d"}, gains, 2), (1/math.Log2(3))/(1+1/math.Log2(3)))
	near(t, "best order", NDCG([]string{"b", "z", "d"}, gains, 10), 1)
	near(t, "graded", NDCG([]string{"one", "three"}, map[string]float64{"one": 1, "three": 3}, 10),
		(1+3/math.Log2(3))/(3+1/math.Log2(3)))
	near(t, "nothing relevant", NDCG([]string{"a"}, nil, 10), 0)
	near(t, "recall", Recall([]string{"a", "b", "c", "d"}, gains, 100), 2.0/3)
	near(t, "recall@2", Recall([]string{"a", "b", "c", "d"}, gains, 2), 1.0/3)
}

// By hand: at 0.5 two of three true ones and one of two others are right.
func TestDecisions(t *testing.T) {
	decisions := []Decision{{0.9, true}, {0.5, true}, {0.3, true}, {0.6, false}, {0.2, false}}
	near(t, "at 0.5", Balanced(decisions, 0.5), (2.0/3+0.5)/2)
	near(t, "threshold", BestThreshold(decisions), 0.3)
	near(t, "at the best", Balanced(decisions, 0.3), 0.75)
	near(t, "one side only", Balanced([]Decision{{1, true}}, 0.5), 0.5)
	near(t, "none", BestThreshold(nil), 0)
}

func TestMedian(t *testing.T) {
	near(t, "odd", Median([]float64{3, 1, 2}), 2)
	near(t, "even", Median([]float64{4, 1, 2, 3}), 2.5)
	near(t, "none", Median(nil), 0)
}
