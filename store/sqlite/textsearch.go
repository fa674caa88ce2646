package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"math"
	"slices"

	"github.com/citewell/citewell/store"
)

const (
	defaultHits = 10

	// The engine's order chooses blocks of so many documents, within which the exact
	// formula decides: pages of any size then fit together.
	blockSize = 100

	bm25K1      = 1.2
	bm25B       = 0.75
	titleWeight = 2.0

	// Beside BM25, which knows a document as one bag of words, a document earns by
	// each word of its title, however long the rest is, and by its best passage. Of
	// a long page about many things one passage answers, or none. Measured on SciFact
	// (see the test) and on real documentation.
	titleBonus = 1.0
	nearBonus  = 1.0
)

var engineRank = fmt.Sprintf("bm25(%.1f, 1.0, 1.0)", titleWeight)

// A candidate is a document that FTS5 proposes. FTS5's own BM25 gives no weight to
// a word that half of all documents have, which makes it blind in small
// collections, and counts every tenant's documents; so its order only chooses
// whom the exact formula (Lucene's) is computed for, and the bonuses.
type candidate struct {
	hit    store.TextHit
	id     int64
	length int
	found  []occurrence
}

// SearchText implements store.Text.
func (s *Store) SearchText(ctx context.Context, query store.TextQuery) ([]store.TextHit, error) {
	const op = "store.search_text"
	if query.Limit == 0 {
		query.Limit = defaultHits
	}
	switch {
	case query.Limit < 0 || query.Limit > store.MaxSearchLimit:
		return nil, invalid(op, fmt.Sprintf("limit is %d and must be 0 to %d", query.Limit, store.MaxSearchLimit))
	case query.Offset < 0 || query.Offset+query.Limit > store.MaxSearchReach:
		return nil, invalid(op, fmt.Sprintf("offset is %d and must be at least 0 and, with the limit, at most %d", query.Offset, store.MaxSearchReach))
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
		where, args := search.where(query)
		return search.tx.QueryRowContext(ctx, `SELECT count(*) FROM text_terms WHERE text_terms MATCH ?`+where,
			append([]any{compiled.match()}, args...)...).Scan(&n)
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
	rows, err := s.tx.QueryContext(ctx, `SELECT id, language, documents, terms FROM text_part
		WHERE tenant = ? AND index_name = ? AND documents > 0 ORDER BY language`, s.tenant, s.index)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var parts []partInfo
	for rows.Next() {
		var p partInfo
		if err := rows.Scan(&p.id, &p.language, &p.documents, &p.lengths); err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	return parts, rows.Err()
}

func (s textSearch) run(ctx context.Context, query store.TextQuery, q *textQuery) ([]store.TextHit, error) {
	weights, meanLength := q.weigh()
	first, last := query.Offset/blockSize, (query.Offset+query.Limit-1)/blockSize
	candidates, err := s.candidates(ctx, query, q, first*blockSize, (last-first+1)*blockSize)
	if err != nil {
		return nil, err
	}
	for i := range candidates {
		c := &candidates[i]
		for _, o := range c.found {
			frequency := float64(o.body) + titleWeight*float64(o.title)
			norm := 1 - bm25B + bm25B*float64(c.length)/meanLength
			c.hit.Score += weights[o.term] * frequency * (bm25K1 + 1) / (frequency + bm25K1*norm)
			if o.title > 0 {
				c.hit.Score += titleBonus * weights[o.term]
			}
		}
		_, _, together := bestWindow(c.found, weights)
		c.hit.Score += nearBonus * together
	}
	for block := range slices.Chunk(candidates, blockSize) {
		slices.SortFunc(block, func(a, b candidate) int {
			return cmp.Or(cmp.Compare(b.hit.Score, a.hit.Score), cmp.Compare(a.hit.ID, b.hit.ID))
		})
	}
	skip := min(query.Offset-first*blockSize, len(candidates))
	candidates = candidates[skip:min(len(candidates), skip+query.Limit)]
	hits := make([]store.TextHit, len(candidates))
	for i := range candidates {
		if err := s.excerpt(ctx, &candidates[i], weights); err != nil {
			return nil, err
		}
		hits[i] = candidates[i].hit
	}
	return hits, nil
}

// weigh returns each term's inverse document frequency in the whole index, whatever
// the languages it occurs in, and the mean length of a document in terms.
func (q *textQuery) weigh() (weights map[string]float64, meanLength float64) {
	documents, lengths := 0, 0
	have := map[string]int{}
	for _, p := range q.parts {
		documents += p.documents
		lengths += p.lengths
		for _, w := range p.wanted {
			key := p.mark + w.term
			if w.prefix {
				key += "*"
			}
			have[w.term] += q.counts[key]
		}
	}
	weights = make(map[string]float64, len(have))
	for term, n := range have {
		n = min(n, documents)
		weights[term] = math.Log(1 + (float64(documents-n)+0.5)/(float64(n)+0.5))
	}
	return weights, max(1, float64(lengths)/float64(max(1, documents)))
}

// where is what a document must meet beside the words. Without the plus, SQLite would
// hand each row of the selection to FTS5 as a query of its own.
func (s textSearch) where(query store.TextQuery) (string, []any) {
	if query.URLPrefix == "" && len(query.Filters) == 0 {
		return "", nil
	}
	where, args := selectTexts(s.tenant, s.index, query.URLPrefix, query.Filters)
	return ` AND +rowid IN (SELECT id FROM text_document WHERE ` + where + `)`, args
}

// candidates are documents that the query finds, in the engine's order.
func (s textSearch) candidates(ctx context.Context, query store.TextQuery, q *textQuery, offset, limit int) ([]candidate, error) {
	const op = "store.search_text"
	where, args := s.where(query)
	rows, err := s.tx.QueryContext(ctx, `SELECT d.id, d.key, d.url, d.title, d.published, d.metadata, d.part, d.terms, d.terms_record
		FROM (SELECT rowid FROM text_terms WHERE text_terms MATCH ? AND rank MATCH ?`+where+`
			ORDER BY rank LIMIT ? OFFSET ?) AS best
		CROSS JOIN text_document AS d ON d.id = best.rowid AND d.tenant = ? AND d.index_name = ?`,
		slices.Concat([]any{q.match(), engineRank}, args, []any{limit, offset, s.tenant, s.index})...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	parts := map[int64]*partQuery{}
	for _, p := range q.parts {
		parts[p.id] = p
	}
	var list []candidate
	for rows.Next() {
		var c candidate
		var part int64
		var metadata string
		var sealed sql.RawBytes
		if err := rows.Scan(&c.id, &c.hit.ID, &c.hit.URL, &c.hit.Title, &c.hit.Published, &metadata, &part, &c.length, &sealed); err != nil {
			return nil, err
		}
		p := parts[part]
		if p == nil {
			return nil, damaged(op, "the text index is damaged", fmt.Errorf("document %d is of no part", c.id))
		}
		c.hit.Language = p.language
		if c.hit.Metadata, err = readMetadata(op, metadata); err != nil {
			return nil, err
		}
		record, err := unseal(op, sealed)
		if err != nil {
			return nil, err
		}
		if c.found, err = findForward(record, p.wanted); err != nil {
			return nil, damaged(op, "the text index is damaged", err)
		}
		list = append(list, c)
	}
	return list, rows.Err()
}

// excerpt reads the original of one hit and cuts what surrounds the best match.
func (s textSearch) excerpt(ctx context.Context, c *candidate, weights map[string]float64) error {
	const op = "store.search_text"
	var sealed []byte
	err := s.tx.QueryRowContext(ctx, `SELECT text_record FROM text_document WHERE id = ? AND tenant = ?`, c.id, s.tenant).Scan(&sealed)
	if err != nil {
		return err
	}
	original, err := unseal(op, sealed)
	if err != nil {
		return err
	}
	c.hit.Snippet, c.hit.Excerpt = cutSnippet(string(original), c.found, weights)
	return nil
}
