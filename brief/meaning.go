package brief

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/relevance"
)

// Bounds of ranking by models.
const (
	mostMeant   = 512             // texts that are embedded for one question, the best by words first
	meantAtOnce = 32              // of them in one call; those of earlier calls count where a later one is late
	mostRanked  = 48              // passages that a reranker is asked about
	rankLimit   = 4 * time.Second // for its answer

	meaningLimit = 3 * time.Second // for the vectors of one question
)

// byWords is the Writer without the models that rank.
func (w *Writer) byWords() *Writer {
	o := w.o
	o.Embedder, o.Reranker = nil, nil
	return &Writer{o}
}

// A likeness says how alike in meaning a question and texts are. The zero value knows
// none.
type likeness struct {
	cosines map[string]float64
	failed  error // the model failed or was late: it is not asked again in this brief
}

// of gives the cosine of a text and the question.
func (l likeness) of(s string) (float64, bool) {
	cosine, ok := l.cosines[strings.TrimSpace(s)]
	return cosine, ok
}

// likeness embeds a question and texts, those that matter most first. Without an
// embedding model nothing is known; where it fails or is late, what came before is.
func (w *Writer) likeness(ctx context.Context, question string, texts []string) likeness {
	if w.o.Embedder == nil || len(texts) == 0 {
		return likeness{}
	}
	l := likeness{cosines: map[string]float64{}}
	wanted := []string{question}
	for _, s := range texts {
		if s = strings.TrimSpace(s); s != "" && len(wanted) <= mostMeant {
			wanted = append(wanted, s)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, meaningLimit)
	defer cancel()
	var asked []float32
	for some := range slices.Chunk(wanted, meantAtOnce) {
		vectors, err := within(ctx, meaningLimit, func(ctx context.Context) ([][]float32, error) {
			return w.o.Embedder.Embed(ctx, some)
		})
		if err == nil && len(vectors) != len(some) {
			err = &citewell.Error{Code: citewell.CodeBadResponse, Op: "brief",
				Message: fmt.Sprintf("%d vectors for %d texts", len(vectors), len(some))}
		}
		if err != nil {
			w.o.Log("ranked by words, where the embedding model did not answer", err)
			l.failed = err
			break
		}
		if asked == nil {
			asked = vectors[0]
		}
		for i, v := range vectors {
			l.cosines[some[i]] = dot(asked, v)
		}
	}
	return l
}

// dot is the cosine of vectors of unit length.
func dot(a, b []float32) (sum float64) {
	for i := range min(len(a), len(b)) {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// byModels orders passages, which are ranked by words, by what an embedding model and a
// reranker make of them, where there are any: the first joined with the words, the second
// instead of both, for the best of them. Meant gives what is read of the passage at i.
func (w *Writer) byModels(ctx context.Context, question string, e *evidence, ranked []relevance.Scored,
	meant func(i int) string) []relevance.Scored {
	if w.o.Embedder == nil && w.o.Reranker == nil || len(ranked) == 0 {
		return ranked
	}
	texts := make([]string, len(ranked))
	for k, s := range ranked {
		texts[k] = meant(s.Index)
	}
	like := w.likeness(ctx, question, texts)
	e.lacks(citewell.UseEmbedding, w.o.Embedder, like.failed)
	if len(like.cosines) > 0 {
		ranked, texts = joinMeaning(ranked, texts, like)
	}
	ranked, err := w.rerank(ctx, question, ranked, texts)
	e.lacks(citewell.UseReranking, w.o.Reranker, err)
	return ranked
}

// lacks notes that a model failed, where it did, for the brief to say: it was asked for.
func (e *evidence) lacks(use string, model interface{ Name() string }, err error) {
	if err != nil {
		view := citewell.View(err)
		e.models = append(e.models, citewell.ModelReport{Use: use, Model: model.Name(), Outcome: view.Code,
			Detail: view.Message})
	}
}

// lacking says whether a model failed in this brief: it is not asked again.
func (e *evidence) lacking(use string) bool {
	return slices.ContainsFunc(e.models, func(m citewell.ModelReport) bool { return m.Use == use })
}

// joinMeaning orders what is ranked by words by both. Its scores stay those of the words
// but where a passage has none of them: what meaning alone found counts too.
func joinMeaning(ranked []relevance.Scored, texts []string, like likeness) ([]relevance.Scored, []string) {
	words, cosines := make([]float64, len(ranked)), make([]float64, len(ranked))
	for k, s := range ranked {
		words[k], cosines[k] = s.Score, math.NaN()
		if cosine, ok := like.of(texts[k]); ok {
			cosines[k] = cosine
		}
	}
	joined, meant := make([]relevance.Scored, len(ranked)), make([]string, len(ranked))
	for k, s := range relevance.ByBoth(words, cosines) {
		joined[k], meant[k] = ranked[s.Index], texts[s.Index]
		if s.Score > 0 {
			joined[k].Score = max(joined[k].Score, s.Score)
		}
	}
	return joined, meant
}

// rerank puts the best passages into a reranker's order, whether they have words of the
// question or not. One that fails or is late changes nothing.
func (w *Writer) rerank(ctx context.Context, question string, ranked []relevance.Scored,
	texts []string) ([]relevance.Scored, error) {
	if w.o.Reranker == nil {
		return ranked, nil
	}
	n := min(len(texts), mostRanked)
	scores, err := within(ctx, rankLimit, func(ctx context.Context) ([]float64, error) {
		return w.o.Reranker.Rerank(ctx, question, texts[:n])
	})
	if err == nil && len(scores) != n {
		err = &citewell.Error{Code: citewell.CodeBadResponse, Op: "brief",
			Message: fmt.Sprintf("%d scores for %d passages", len(scores), n)}
	}
	if err != nil {
		w.o.Log("passages ranked without "+w.o.Reranker.Name(), err)
		return ranked, err
	}
	order := make([]int, n)
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	best := make([]relevance.Scored, n, len(ranked))
	for place, k := range order {
		best[place] = relevance.Scored{Index: ranked[k].Index, Score: max(ranked[k].Score, 1/float64(1+place))}
	}
	return append(best, ranked[n:]...), nil
}

// How much likeness says of a sentence: a cosine that is higher by 1/likeWeight multiplies
// the odds of an answer by e, and the odds stay at the middle. The weight is the best of
// two (3 and 6) on 24 questions, which is few: doc/decision/0031-meaning.md.
const (
	likeWeight = 3.0
	likeMiddle = 0.45
)

// withMeaning is the chance that a sentence answers, where its likeness to the question is
// known beside what the words say.
func withMeaning(chance, cosine float64) float64 {
	chance = min(max(chance, 1e-6), 1-1e-6)
	odds := chance / (1 - chance) * math.Exp(likeWeight*(cosine-likeMiddle))
	return odds / (1 + odds)
}

// meant scores sentences, which are scored by words, by both, and puts them into that
// order. Those whose meaning is not known in time keep their score.
func (w *Writer) meant(ctx context.Context, question string, e *evidence, all []sentence) {
	if e.lacking(citewell.UseEmbedding) {
		return
	}
	texts := make([]string, len(all))
	for i, s := range all {
		texts[i] = s.Text()
	}
	like := w.likeness(ctx, question, texts)
	if e.lacks(citewell.UseEmbedding, w.o.Embedder, like.failed); len(like.cosines) == 0 {
		return
	}
	for i := range all {
		if cosine, ok := like.of(all[i].Text()); ok {
			all[i].score = withMeaning(all[i].score, cosine)
		}
	}
	slices.SortStableFunc(all, func(a, b sentence) int { return cmp.Compare(b.score, a.score) })
}
