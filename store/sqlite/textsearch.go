package sqlite

import (
	"cmp"
	"container/heap"
	"context"
	"database/sql"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/fault"
)

const (
	defaultHits = 10

	bm25K1      = 1.2
	bm25B       = 0.75
	titleWeight = 2.0

	// Beside BM25, which knows a document as one bag of words, a document earns by
	// each word of its title, however long the rest is, and by its best passage. Of
	// a long page about many things one passage answers, or none. Measured on SciFact
	// (see the test) and on real documentation.
	titleBonus = 0.5
	nearBonus  = 0.25

	// The lists of terms of so many candidates are read at once, and of at most so many
	// that only tie with the last one wanted.
	readAtOnce = 32
	maxTied    = 512
)

// A candidate is a document that the query finds and that may be one of the best.
type candidate struct {
	scoredText
	part  *partQuery
	key   string
	score float64
	found []occurrence
}

// SearchText implements store.Text.
func (s *Store) SearchText(ctx context.Context, query store.TextQuery) ([]store.TextHit, error) {
	const op = "store.search_text"
	if query.Limit == 0 {
		query.Limit = defaultHits
	}
	switch {
	case query.Limit < 0 || query.Limit > store.MaxSearchLimit:
		return nil, fault.Invalid(op, "limit is %d and must be 0 to %d", query.Limit, store.MaxSearchLimit)
	case query.Offset < 0 || query.Offset+query.Limit > store.MaxSearchReach:
		return nil, fault.Invalid(op, "offset is %d and must be at least 0 and, with the limit, at most %d", query.Offset, store.MaxSearchReach)
	}
	var hits []store.TextHit
	err := s.searching(ctx, op, query, func(search textSearch, compiled *textQuery) (err error) {
		hits, err = search.run(ctx, query, compiled)
		return err
	})
	return hits, err
}

// CountText implements store.Text.
func (s *Store) CountText(ctx context.Context, query store.TextQuery) (int, error) {
	var n int
	err := s.searching(ctx, "store.count_text", query, func(search textSearch, compiled *textQuery) error {
		if compiled.bag {
			found, err := search.find(ctx, query, compiled)
			n = len(found)
			return err
		}
		matched, err := search.matched(ctx, query, compiled)
		n = matched.len()
		return err
	})
	return n, err
}

// searching compiles a query and runs do, where anything can be found, in one view
// of the index, whatever is written meanwhile.
func (s *Store) searching(ctx context.Context, op string, query store.TextQuery, do func(textSearch, *textQuery) error) error {
	if query.Index == "" {
		query.Index = store.Library
	}
	if err := checkIndexName(op, query.Index); err != nil {
		return err
	}
	if err := store.CheckFilters(op, query.Filters); err != nil {
		return err
	}
	tx, err := s.db.reads.BeginTx(ctx, nil)
	if err != nil {
		return storeError(op, err)
	}
	defer tx.Rollback()
	search := textSearch{tx, s.tenant, query.Index}
	parts, err := search.parts(ctx)
	if err != nil {
		return storeError(op, err)
	}
	compiled, err := search.compile(ctx, query, parts)
	if err != nil {
		return storeError(op, err)
	}
	if compiled.match() == "" {
		return nil
	}
	return storeError(op, do(search, compiled))
}

// A textSearch is one search of one index of a tenant.
type textSearch struct {
	tx            *sql.Tx
	tenant, index string
}

// parts say how much the index holds in each language.
func (s textSearch) parts(ctx context.Context) ([]partInfo, error) {
	return readRows(ctx, s.tx, `SELECT id, language, documents, terms FROM text_part
		WHERE tenant = ? AND index_name = ? AND documents > 0 ORDER BY language`, func(scan func(...any) error) (p partInfo, err error) {
		err = scan(&p.id, &p.language, &p.documents, &p.lengths)
		return p, err
	}, s.tenant, s.index)
}

func (s textSearch) run(ctx context.Context, query store.TextQuery, q *textQuery) ([]store.TextHit, error) {
	found, err := s.find(ctx, query, q)
	if err != nil {
		return nil, err
	}
	best, err := s.best(ctx, q, found, query.Offset+query.Limit)
	if err != nil {
		return nil, err
	}
	best = best[min(query.Offset, len(best)):]
	hits := make([]store.TextHit, len(best))
	for i := range best {
		if hits[i], err = s.hit(ctx, &best[i]); err != nil {
			return nil, err
		}
	}
	return hits, nil
}

// find returns the documents that the query finds, each scored, in no order.
func (s textSearch) find(ctx context.Context, query store.TextQuery, q *textQuery) (found []scoredText, err error) {
	var keep, folder func(id int64) bool
	var matched idSet
	if query.URLPrefix != "" {
		if folder, err = s.selection(ctx, store.TextQuery{URLPrefix: query.URLPrefix}); err != nil {
			return nil, err
		}
	}
	switch {
	case q.bag && folder != nil && len(query.Filters) == 0:
		keep = folder
	case q.bag:
		keep, err = s.selection(ctx, query)
	default:
		matched, err = s.matched(ctx, query, q)
		keep = matched.has
	}
	if err != nil {
		return nil, err
	}
	for _, p := range q.parts {
		scored, err := s.scan(ctx, p, keep, folder)
		if err != nil {
			return nil, err
		}
		found = append(found, scored...)
	}
	if q.bag {
		return found, nil
	}
	// What is found by a field or by what it lacks has no word that ranks.
	ids := make([]int64, len(found))
	for i := range found {
		ids[i] = found[i].id
	}
	ranked := newIDSet(ids)
	matched.each(func(id int64) {
		if !ranked.has(id) {
			found = append(found, scoredText{id: id})
		}
	})
	return found, nil
}

// selection says which documents of the index have the prefix and meet the filters.
func (s textSearch) selection(ctx context.Context, query store.TextQuery) (keep func(id int64) bool, err error) {
	type part struct {
		ids idSet
		not bool
	}
	var all []part
	add := func(not bool, query string, args []any) {
		if err == nil {
			var ids idSet
			ids, err = readIDSet(ctx, s.tx, query, args...)
			all = append(all, part{ids, not})
		}
	}
	var rest []store.Filter
	for _, f := range query.Filters {
		if query, args, ok := metadataIDs(s.tenant, s.index, f); ok {
			add(f.Not, query, args)
		} else {
			rest = append(rest, f)
		}
	}
	if query.URLPrefix != "" || len(rest) > 0 {
		where, args := selectTexts(s.tenant, s.index, query.URLPrefix, rest)
		add(false, `SELECT id FROM text_document WHERE `+where, args)
	}
	return func(id int64) bool {
		return !slices.ContainsFunc(all, func(p part) bool { return p.ids.has(id) == p.not })
	}, err
}

// matched are the documents that the engine finds and that are selected. Without the
// plus, SQLite would hand each row of the selection to FTS5 as a query of its own.
func (s textSearch) matched(ctx context.Context, query store.TextQuery, q *textQuery) (idSet, error) {
	where, args := selectTexts(s.tenant, s.index, query.URLPrefix, query.Filters)
	return readIDSet(ctx, s.tx, `SELECT rowid FROM text_terms WHERE text_terms MATCH ? AND +rowid IN (SELECT id FROM text_document WHERE `+where+`)`,
		append([]any{q.match()}, args...)...)
}

// best returns the best wanted of the documents that were found, in their order. Those
// that could do best are read first, and no more when none of the rest can change the
// answer.
func (s textSearch) best(ctx context.Context, q *textQuery, found []scoredText, wanted int) ([]candidate, error) {
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
		read, err := s.read(ctx, q, batch)
		if err != nil {
			return nil, err
		}
		list = append(list, read...)
		slices.SortFunc(list, func(a, b candidate) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.key, b.key)) })
		if len(list) >= wanted {
			list = list[:wanted]
			least = list[wanted-1].score
		}
	}
	return list, nil
}

// bound is the most that a document's score may be; a little more, since it is added up
// in another order than the score.
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

// read reads where the words of the query stand in some documents, and scores them.
func (s textSearch) read(ctx context.Context, q *textQuery, batch []scoredText) ([]candidate, error) {
	const op = "store.search_text"
	var args []any
	scored := make(map[int64]scoredText, len(batch))
	for _, t := range batch {
		args = append(args, t.id)
		scored[t.id] = t
	}
	// Without the plus, SQLite may go through all ids of the index to find these.
	return readRows(ctx, s.tx, `SELECT id, key, part, terms_record FROM text_document WHERE id IN (?`+
		strings.Repeat(", ?", len(batch)-1)+`) AND +tenant = ? AND +index_name = ?`, func(scan func(...any) error) (c candidate, err error) {
		var id, part int64
		var sealed sql.RawBytes
		if err := scan(&id, &c.key, &part, &sealed); err != nil {
			return c, err
		}
		at := slices.IndexFunc(q.parts, func(p *partQuery) bool { return p.id == part })
		if at < 0 {
			return c, fault.Damaged(op, "the text index is damaged", fmt.Errorf("document %d is of no part", id))
		}
		c.scoredText, c.part = scored[id], q.parts[at]
		record, err := unseal(op, sealed)
		if err != nil {
			return c, err
		}
		if c.found, err = findForward(record, c.part.wanted); err != nil {
			return c, fault.Damaged(op, "the text index is damaged", err)
		}
		_, _, together := bestWindow(c.found, c.part.weights)
		c.score = c.base + nearBonus*together
		return c, nil
	}, append(args, s.tenant, s.index)...)
}

// hit reads what is shown of one of the best documents, and cuts what surrounds the best
// match from its original.
func (s textSearch) hit(ctx context.Context, c *candidate) (store.TextHit, error) {
	const op = "store.search_text"
	hit := store.TextHit{ID: c.key, Language: c.part.language, Score: c.score}
	var metadata string
	var sealed []byte
	err := s.tx.QueryRowContext(ctx, `SELECT url, title, published, metadata, text_record FROM text_document WHERE id = ? AND tenant = ?`,
		c.id, s.tenant).Scan(&hit.URL, &hit.Title, &hit.Published, &metadata, &sealed)
	if err != nil {
		return hit, err
	}
	if hit.Metadata, err = readMetadata(op, metadata); err != nil {
		return hit, err
	}
	original, err := unseal(op, sealed)
	if err != nil {
		return hit, err
	}
	hit.Snippet, hit.Excerpt = cutSnippet(string(original), c.found, c.part.weights)
	return hit, nil
}
