package brief

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/citewell/citewell"
)

// cacheTTL is how long a brief answers the same question again.
const cacheTTL = 5 * time.Minute

// cacheKey holds everything that changes the answer. The query stays as it was
// asked: word order and punctuation carry meaning ("C#", "dog bites man").
func (w *Writer) cacheKey(r Request) string {
	parts := []string{citewell.BriefSchema, r.Query.Text, r.Query.Region, string(r.Query.TimeRange),
		fmt.Sprint(r.Query.SafeSearch), fmt.Sprint(r.Query.Limit), fmt.Sprint(r.Depth), fmt.Sprint(w.o.PerDomain)}
	parts = append(parts, r.Query.Since, r.Query.Until, fmt.Sprintf("%q", r.Query.Sites), fmt.Sprintf("%#v", r.Sources))
	for _, p := range w.o.Providers {
		parts = append(parts, "p:"+p.Name())
	}
	for _, m := range w.o.Models {
		parts = append(parts, "m:"+m.Name())
	}
	return "brief:" + citewell.SHA256([]byte(strings.Join(parts, "\x00")))
}

// cached gives the brief that answered r before. The cache holds its id only: what
// comes back is the archive's copy, whose citations can be checked there.
func (w *Writer) cached(ctx context.Context, r Request, started time.Time) (citewell.Brief, bool) {
	if w.o.Cache == nil || r.Fresh {
		return citewell.Brief{}, false
	}
	id, _, ok, err := w.o.Cache.CacheGet(ctx, w.cacheKey(r))
	if err != nil {
		w.o.Log("cache not read", err)
	}
	if err != nil || !ok {
		return citewell.Brief{}, false
	}
	b, err := w.o.Archive.Brief(ctx, string(id))
	if err != nil || b.Schema != citewell.BriefSchema || b.Query != r.Query.Text {
		return citewell.Brief{}, false // kept in another store, or by another version
	}
	b.Coverage.Cache = true
	b.Coverage.WallMS = time.Since(started).Milliseconds()
	return b, true
}

// remember keeps a brief that another asker may be served: one that hit no
// deadline, to which every provider and every model gave a real answer, and that has
// findings.
func (w *Writer) remember(ctx context.Context, r Request, b citewell.Brief) {
	if w.o.Cache == nil || b.Coverage.DeadlineHit || len(b.Findings) == 0 || len(b.Coverage.Models) > 0 {
		return
	}
	if len(w.o.Models) > 0 && b.Coverage.Synthesis.Mode != citewell.SynthesisModel {
		return
	}
	for _, p := range b.Coverage.Providers {
		if !p.Outcome.Answered() {
			return
		}
	}
	if err := w.o.Cache.CachePut(ctx, w.cacheKey(r), []byte(b.ID), cacheTTL); err != nil {
		w.o.Log("brief not cached", err)
	}
}
