package search

import (
	"context"
	"encoding/json"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/searchcall"
)

// A Cache keeps answers, and whose last call failed; store.Cache is one.
type Cache interface {
	CacheGet(ctx context.Context, key string) (value []byte, put time.Time, ok bool, err error)
	CachePut(ctx context.Context, key string, value []byte, ttl time.Duration) error
}

// GuardKept is Guard of a provider whose answers cache keeps for all processes, where the limits have Fresh: a kept
// answer counts towards no limit. The cache is of one set of settings. Nil keeps nothing.
func (g *Gate) GuardKept(p Provider, cache Cache) Provider {
	return &guarded{provider: p, gate: g, cache: cache}
}

// A keptAnswer is what is kept of a provider's answer.
type keptAnswer struct {
	At      time.Time         `json:"at"`
	Results []citewell.Result `json:"results"`
	Notes   []string          `json:"notes,omitempty"`
}

// keepsAnswers says whether an answer to q is kept: of a question for the newest it is not.
func (g *guarded) keepsAnswers(q citewell.Query) bool {
	return g.cache != nil && g.gate.limits.Fresh > 0 && q.TimeRange != citewell.PastDay &&
		q.TimeRange != citewell.PastWeek
}

func (g *guarded) keptKey(q citewell.Query) (string, error) {
	if q.Identifier != (citewell.Identifier{}) { // a look-up has no words
		q = citewell.Query{Identifier: q.Identifier}
	}
	asked, err := json.Marshal(q) // it is nobody's business what was asked
	return "answer/1 " + g.Name() + " " + citewell.SHA256(asked), err
}

// kept is an answer to q from the cache that is not too old.
func (g *guarded) kept(ctx context.Context, q citewell.Query) (results []citewell.Result, ok bool) {
	age := g.gate.limits.Fresh
	if q.Identifier != (citewell.Identifier{}) {
		age = searchcall.KeptFor
	}
	if given, ok := ctx.Value(searchcall.TakeAge{}).(time.Duration); ok {
		age = given
	}
	key, err := g.keptKey(q)
	if age <= 0 || err != nil || !g.keepsAnswers(q) {
		return nil, false
	}
	value, _, ok, err := g.cache.CacheGet(ctx, key)
	var a keptAnswer
	if err != nil || !ok || json.Unmarshal(value, &a) != nil {
		return nil, false
	}
	since := time.Since(a.At)
	if since < 0 || since >= age {
		return nil, false
	}
	for _, note := range a.Notes {
		searchcall.Note(ctx, note)
	}
	searchcall.Note(ctx, "it said so "+since.Round(time.Second).String()+" ago, and was not asked again")
	return a.Results, true
}

// keepAnswer is of use and not needed: where it fails, the service is asked once more.
func (g *guarded) keepAnswer(ctx context.Context, q citewell.Query, results []citewell.Result, said []string) {
	key, err := g.keptKey(q)
	if err != nil || !g.keepsAnswers(q) {
		return
	}
	if value, err := json.Marshal(keptAnswer{time.Now(), results, said}); err == nil {
		_ = g.cache.CachePut(ctx, key, value, searchcall.KeptFor)
	}
}
