package search

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/citewell/citewell/internal/siteclass"
	"github.com/citewell/citewell/internal/text"
)

// The parts of a score. Relevance is at most 1, authority -0.2 to 0.5, so that nothing else lifts a page that does not
// fit.
const (
	maxConsensus = 0.5 // reached by many providers; half of what is missing is added by each one more
	maxRank      = 0.4 // for rank 1; half of it at rank 4, a quarter at rank 10
	rankHalved   = 3.0
	maxRecency   = 0.3 // for today, falling to nothing in recentDays
	recentDays   = 30.0
)

// Score returns ranked with scores, best first; equal scores keep their order. A
// score is the sum of
//
//	relevance  share of the query's terms found in title and snippet
//	rank       the best place that a provider gave it
//	consensus  how many providers found it, each one more counting half
//	authority  of its class, from -0.2 to 0.5
//	recency    for a page of the last 30 days; an old page loses nothing
//
// Terms are stemmed in the language of the result, else of the query.
func Score(query string, now time.Time, ranked []Ranked) []Ranked {
	scored := slices.Clone(ranked)
	wanted := &wanted{query, text.Language(query), make(map[string]map[string]bool)}
	for i := range scored {
		r := &scored[i]
		r.Score = wanted.shareIn(r.title+"\n"+r.Snippet) + rankScore(r.Rank) +
			consensusScore(len(r.Providers)) + siteclass.Authority(r.Class) + recencyScore(r.Published, now)
	}
	slices.SortStableFunc(scored, func(a, b Ranked) int { return cmp.Compare(b.Score, a.Score) })
	return scored
}

func rankScore(rank int) float64 {
	if rank <= 0 {
		return 0
	}
	return maxRank / (1 + float64(rank-1)/rankHalved)
}

func consensusScore(providers int) float64 {
	if providers <= 1 {
		return 0
	}
	return maxConsensus * (1 - math.Pow(0.5, float64(providers-1)))
}

func recencyScore(published string, now time.Time) float64 {
	day, err := time.Parse(time.DateOnly, published)
	if err != nil {
		return 0
	}
	days := now.Sub(day).Hours() / 24
	if days < 0 || days >= recentDays {
		return 0
	}
	return maxRecency * (1 - days/recentDays)
}

// wanted holds the terms of a query, stemmed once for each language that a result is in.
type wanted struct {
	query, language string
	terms           map[string]map[string]bool
}

func (w *wanted) shareIn(s string) float64 {
	said := text.Read(s, "")
	language := cmp.Or(said.Language(), w.language)
	terms, ok := w.terms[language]
	if !ok {
		terms = make(map[string]bool)
		for _, term := range text.Terms(w.query, language) {
			terms[term] = true
		}
		w.terms[language] = terms
	}
	if len(terms) == 0 {
		return 0
	}
	found := make(map[string]bool, len(terms))
	for _, term := range said.In(language).Terms() {
		if terms[term] {
			found[term] = true
		}
	}
	return float64(len(found)) / float64(len(terms))
}
