package fulltext

import (
	"cmp"
	"container/heap"
	"context"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/citewell/citewell/internal/fault"
	"github.com/citewell/citewell/store"
)

const (
	defaultHits = 10

	bm25K1      = 1.2
	bm25B       = 0.75
	titleWeight = 2.0

	// Beside BM25 a document earns by each word of its title, whatever the rest's length, and by its best passage: of a
	// long page one passage answers, or none. Measured on SciFact (see the test) and on real documentation.
	titleBonus = 0.5
	nearBonus  = 0.25

	// The lists of terms of so many candidates are read at once, and of at most so many that tie with the last one
	// wanted.
	readAtOnce = 32
	maxTied    = 512
)

// A candidate is a document that the query finds and that may be one of the best.
type candidate struct {
	scoredText
	key   string
	score float64
	found []occurrence
}

// CheckSearch says what of a query is out of range, and sets what is not given.
func CheckSearch(query *store.TextQuery) error {
	query.Limit = cmp.Or(query.Limit, defaultHits)
	switch {
	case query.Limit < 0 || query.Limit > store.MaxSearchLimit:
		return fault.Invalid(opSearch, "limit is %d and must be 0 to %d", query.Limit, store.MaxSearchLimit)
	case query.Offset < 0 || query.Offset+query.Limit > store.MaxSearchReach:
		return fault.Invalid(opSearch, "offset is %d and must be at least 0 and, with the limit, at most %d",
			query.Offset, store.MaxSearchReach)
	}
	return CheckCount(opSearch, query)
}

// CheckCount does the same for a query whose limit and offset do not matter.
func CheckCount(op string, query *store.TextQuery) error {
	query.Index = cmp.Or(query.Index, store.Library)
	if err := CheckIndexName(op, query.Index); err != nil {
		return err
	}
	return store.CheckFilters(op, query.Filters)
}

// CheckIndexName says why a name cannot be that of an index.
func CheckIndexName(op, index string) error {
	if index == "" || len(index) > store.MaxIndexName || !utf8.ValidString(index) ||
		strings.ContainsFunc(index, isControl) {
		return fault.Invalid(op, "the index's name must be 1 to %d bytes of text without control characters",
			store.MaxIndexName)
	}
	return nil
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

// Search returns the best documents for a query that was checked, best first.
func Search(ctx context.Context, r Reader, query store.TextQuery) ([]store.TextHit, error) {
	q, err := open(ctx, r, query)
	if err != nil {
		return nil, err
	}
	found := foundTexts{wanted: query.Offset + query.Limit}
	if err := q.findScored(ctx, r, query, &found); err != nil {
		return nil, err
	}
	best, err := best(ctx, r, found.texts, found.wanted)
	if err != nil {
		return nil, err
	}
	return hits(ctx, r, best[min(query.Offset, len(best)):])
}

// Count returns how many documents a query that was checked finds in all.
func Count(ctx context.Context, r Reader, query store.TextQuery) (int, error) {
	q, err := open(ctx, r, query)
	if err != nil {
		return 0, err
	}
	var found foundTexts
	err = q.findScored(ctx, r, query, &found)
	return len(found.texts), err
}

func open(ctx context.Context, r Reader, query store.TextQuery) (*textQuery, error) {
	parts, err := r.Parts(ctx)
	if err != nil {
		return nil, err
	}
	return compile(ctx, query, parts, r.HasField)
}

// findScored adds the documents that the query finds, each scored, in no order.
func (q *textQuery) findScored(ctx context.Context, r Reader, query store.TextQuery, found *foundTexts) (err error) {
	if len(q.parts) == 0 {
		return nil
	}
	keep := func(int64) bool { return true }
	var folder func(id int64) bool
	if query.URLPrefix != "" {
		if folder, err = r.Selection(ctx, store.TextQuery{URLPrefix: query.URLPrefix}); err != nil {
			return err
		}
		keep = folder
	}
	if len(query.Filters) > 0 {
		if keep, err = r.Selection(ctx, query); err != nil {
			return err
		}
	}
	for _, p := range q.parts {
		scan, err := p.scan(ctx, r, folder)
		if err != nil {
			return err
		}
		if q.bag {
			if err = scan.score(found, keep); err != nil {
				return err
			}
			continue
		}
		matched, err := scan.matched(ctx, r, keep)
		if err != nil {
			return err
		}
		before := len(found.texts)
		if err = scan.score(found, matched.Has); err != nil {
			return err
		}
		// What a field or a missing word finds has no word that ranks, and scores no higher than what was scored and
		// dropped.
		ids := make([]int64, 0, len(found.texts)-before)
		for _, one := range found.texts[before:] {
			ids = append(ids, one.id)
		}
		ranked := NewIDs(ids)
		matched.Each(func(id int64) {
			if !ranked.Has(id) {
				found.add(scoredText{id: id, part: p})
			}
		})
	}
	return nil
}

// foundTexts gathers documents that a query finds: all, or those that may be among the best wanted. A document's score
// is between its base and its bound; one whose bound is below the bases of as many others as are wanted is dropped.
type foundTexts struct {
	wanted int // 0 where all are
	texts  []scoredText
	bases  leastFirst // the highest, as many as are wanted
}

func (f *foundTexts) add(t scoredText) {
	switch {
	case f.wanted == 0:
	case len(f.bases) < f.wanted:
		heap.Push(&f.bases, t.base)
	case t.bound() < f.bases[0]:
		return
	case t.base > f.bases[0]:
		f.bases[0] = t.base
		heap.Fix(&f.bases, 0)
	}
	f.texts = append(f.texts, t)
}

// A leastFirst is a heap of numbers.
type leastFirst []float64

func (h leastFirst) Len() int           { return len(h) }
func (h leastFirst) Less(i, j int) bool { return h[i] < h[j] }
func (h leastFirst) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *leastFirst) Push(x any)        { *h = append(*h, x.(float64)) }
func (h *leastFirst) Pop() any          { panic("nothing is taken out") }

// best returns the best wanted of the documents that were found, in order. It reads those first that could do best, and
// stops when none of the rest can change the answer.
func best(ctx context.Context, r Reader, found []scoredText, wanted int) ([]candidate, error) {
	byBound := scoredHeap(found)
	heap.Init(&byBound)
	var list []candidate
	least, tied := math.Inf(-1), 0
	for len(byBound) > 0 {
		batch := make([]scoredText, 0, readAtOnce)
		for len(byBound) > 0 && len(batch) < readAtOnce {
			bound := byBound[0].bound()
			if bound < least || bound == least && tied == maxTied {
				break
			}
			if bound == least {
				tied++
			}
			batch = append(batch, heap.Pop(&byBound).(scoredText))
		}
		if len(batch) == 0 {
			break
		}
		read, err := readCandidates(ctx, r, batch)
		if err != nil {
			return nil, err
		}
		list = append(list, read...)
		slices.SortFunc(list, func(a, b candidate) int {
			return cmp.Or(cmp.Compare(b.score, a.score),
				cmp.Compare(a.key, b.key))
		})
		if len(list) >= wanted {
			list = list[:wanted]
			least = list[wanted-1].score
		}
	}
	return list, nil
}

// bound is the most that a document's score may be, and a little more for another order of adding.
func (t scoredText) bound() float64 { return t.base + t.near*(1+1e-9) }

// A scoredHeap has the highest bound first.
type scoredHeap []scoredText

func (h scoredHeap) Len() int           { return len(h) }
func (h scoredHeap) Less(i, j int) bool { return h[i].bound() > h[j].bound() }
func (h scoredHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *scoredHeap) Push(x any)        { *h = append(*h, x.(scoredText)) }
func (h *scoredHeap) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	return x
}

// readCandidates reads where the words of the query stand in some documents, and scores them.
func readCandidates(ctx context.Context, r Reader, batch []scoredText) ([]candidate, error) {
	ids, scored := make([]int64, len(batch)), make(map[int64]scoredText, len(batch))
	for i, t := range batch {
		ids[i], scored[t.id] = t.id, t
	}
	list := make([]candidate, 0, len(batch))
	err := r.Terms(ctx, ids, func(id int64, key string, terms []byte) error {
		c := candidate{scoredText: scored[id], key: key}
		record, err := Unseal(opSearch, terms)
		if err != nil {
			return err
		}
		if c.found, err = findForward(record, c.part.wanted); err != nil {
			return damaged(opSearch, err)
		}
		_, _, together := bestWindow(c.found, c.part.weights)
		c.score = c.base + nearBonus*together
		list = append(list, c)
		return nil
	})
	return list, err
}

// hits reads what is shown of the best documents, and cuts what surrounds the best match from the original of each.
func hits(ctx context.Context, r Reader, best []candidate) ([]store.TextHit, error) {
	made := make([]store.TextHit, len(best))
	ids, places := make([]int64, len(best)), make(map[int64]int, len(best))
	for i, c := range best {
		ids[i], places[c.id] = c.id, i
	}
	err := r.Originals(ctx, ids, func(doc Original) error {
		c := &best[places[doc.ID]]
		hit := store.TextHit{ID: doc.Key, URL: doc.URL, Title: doc.Title, Published: doc.Published,
			Language: c.part.Language, Score: c.score}
		var err error
		if hit.Metadata, err = ReadMetadata(opSearch, doc.Metadata); err != nil {
			return err
		}
		original, err := Unseal(opSearch, doc.Text)
		if err != nil {
			return err
		}
		hit.Snippet, hit.Excerpt = cutSnippet(string(original), c.found, c.part.weights)
		made[places[doc.ID]] = hit
		return nil
	})
	return made, err
}
