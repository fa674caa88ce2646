package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/text"
)

const (
	defaultHits = 10
	maxHits     = 1000

	maxQueryBytes = 8 << 10 // what is beyond adds no meaning, only work
	maxQueryTerms = 64      // of each language
	maxPairs      = 32      // that one character stands for
	minCandidates = 100     // that the engine proposes and BM25 is computed for

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

var engineRank = fmt.Sprintf("bm25(%.1f, 1.0)", titleWeight)

// A candidate is a document that FTS5 proposes. FTS5's own BM25 gives no weight to
// a word that half of all documents have, which makes it blind in small
// collections, and counts every tenant's documents; so its order only chooses
// whom the exact formula (Lucene's) is computed for, and the bonuses.
type candidate struct {
	hit      store.TextHit
	id       int64
	language string
	length   int
	found    []occurrence
}

// SearchText implements store.Text.
func (s *Store) SearchText(ctx context.Context, query store.TextQuery) ([]store.TextHit, error) {
	const op = "store.search_text"
	if query.Limit < 0 || query.Limit > maxHits {
		return nil, invalid(op, fmt.Sprintf("limit is %d and must be 0 to %d", query.Limit, maxHits))
	}
	if query.Limit == 0 {
		query.Limit = defaultHits
	}
	tx, err := s.db.reads.BeginTx(ctx, nil) // one view of the index, whatever is written meanwhile
	if err != nil {
		return nil, storeError(op, err)
	}
	defer tx.Rollback()
	hits, err := textSearch{tx, s.tenant}.run(ctx, query)
	return hits, storeError(op, err)
}

// A textSearch is one search of one tenant's documents.
type textSearch struct {
	tx     *sql.Tx
	tenant string
}

func (s textSearch) run(ctx context.Context, query store.TextQuery) ([]store.TextHit, error) {
	totals, err := s.totals(ctx)
	if err != nil {
		return nil, err
	}
	words, err := s.terms(ctx, query.Text, totals.languages)
	if err != nil {
		return nil, err
	}
	if len(words.all) == 0 {
		return nil, nil
	}
	candidates, err := s.candidates(ctx, words, query)
	if err != nil {
		return nil, err
	}
	weights, err := s.weights(ctx, words.all, totals.documents)
	if err != nil {
		return nil, err
	}
	for i := range candidates {
		c := &candidates[i]
		for _, o := range c.found {
			frequency := float64(o.body) + titleWeight*float64(o.title)
			norm := 1 - bm25B + bm25B*float64(c.length)/totals.meanLength
			c.hit.Score += weights[o.term] * frequency * (bm25K1 + 1) / (frequency + bm25K1*norm)
			if o.title > 0 {
				c.hit.Score += titleBonus * weights[o.term]
			}
		}
		_, _, together := bestWindow(c.found, weights)
		c.hit.Score += nearBonus * together
	}
	slices.SortFunc(candidates, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.hit.Score, a.hit.Score), cmp.Compare(a.hit.URL, b.hit.URL))
	})
	candidates = candidates[:min(len(candidates), query.Limit)]
	hits := make([]store.TextHit, len(candidates))
	for i, c := range candidates {
		if c.hit.Snippet, err = s.snippet(ctx, c, weights); err != nil {
			return nil, err
		}
		hits[i] = c.hit
	}
	return hits, nil
}

// totals say how much a tenant has indexed.
type totals struct {
	documents  int
	meanLength float64 // in terms
	languages  []string
}

func (s textSearch) totals(ctx context.Context) (totals, error) {
	rows, err := s.tx.QueryContext(ctx, `SELECT language, documents, terms FROM collection WHERE tenant = ? ORDER BY language`, s.tenant)
	if err != nil {
		return totals{}, err
	}
	defer rows.Close()
	var sum totals
	terms := 0
	for rows.Next() {
		var language string
		var d, t int
		if err := rows.Scan(&language, &d, &t); err != nil {
			return totals{}, err
		}
		sum.languages = append(sum.languages, language)
		sum.documents += d
		terms += t
	}
	sum.meanLength = max(1, float64(terms)/float64(max(1, sum.documents)))
	return sum, rows.Err()
}

// queryTerms are the words of a query as each language's documents have them.
type queryTerms struct {
	all        []string // of all languages
	byLanguage map[string][]string
}

// terms reads the query once for each language that is indexed: nobody can tell
// the language of three words, and each document is asked in its own.
func (s textSearch) terms(ctx context.Context, query string, languages []string) (queryTerms, error) {
	if len(query) > maxQueryBytes {
		query = query[:maxQueryBytes]
	}
	query = strings.ToValidUTF8(query, " ")
	words := queryTerms{byLanguage: make(map[string][]string, len(languages))}
	for _, language := range languages {
		var terms []string
		for _, term := range text.Terms(query, language) {
			term = cleanTerm(term)
			terms = append(terms, term)
			if utf8.RuneCountInString(term) == 1 && len(term) == 3 {
				pairs, err := s.pairs(ctx, term)
				if err != nil {
					return queryTerms{}, err
				}
				terms = append(terms, pairs...)
			}
		}
		terms = sortedSet(terms, maxQueryTerms)
		words.byLanguage[language] = terms
		words.all = append(words.all, terms...)
	}
	words.all = sortedSet(words.all, len(words.all))
	return words, nil
}

// pairs returns terms of two characters that begin with the given one: scripts
// without spaces are indexed in pairs, so a character asked for alone is found by
// the pairs that it begins.
func (s textSearch) pairs(ctx context.Context, character string) ([]string, error) {
	mark := termMark(s.tenant)
	rows, err := s.tx.QueryContext(ctx, `SELECT term FROM document_vocabulary WHERE term > ? AND term < ? LIMIT ?`,
		mark+character, mark+character+"\U0010ffff", maxPairs)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var pairs []string
	for rows.Next() {
		var term string
		if err := rows.Scan(&term); err != nil {
			return nil, err
		}
		pairs = append(pairs, strings.TrimPrefix(term, mark))
	}
	return pairs, rows.Err()
}

// sortedSet keeps the first limit different terms, in byte order.
func sortedSet(terms []string, limit int) []string {
	seen := make(map[string]bool, len(terms))
	set := terms[:0]
	for _, term := range terms {
		if !seen[term] && len(set) < limit {
			seen[term] = true
			set = append(set, term)
		}
	}
	slices.Sort(set)
	return set
}

// candidates are the documents with any of the words, in the engine's order.
func (s textSearch) candidates(ctx context.Context, words queryTerms, query store.TextQuery) ([]candidate, error) {
	const op = "store.search_text"
	mark := termMark(s.tenant)
	match := `"` + mark + strings.Join(words.all, `" OR "`+mark) + `"` // a term holds no quote, see cleanTerm
	where, args := prefixRange(query.URLPrefix)
	if where != "" {
		where = ` AND rowid IN (SELECT id FROM document WHERE tenant = ?` + where + `)`
		args = append([]any{s.tenant}, args...)
	}
	limit := max(minCandidates, 2*query.Limit)
	rows, err := s.tx.QueryContext(ctx, `SELECT d.id, d.url, d.title, d.published, d.language, d.terms, d.terms_record
		FROM (SELECT rowid FROM document_terms WHERE document_terms MATCH ? AND rank MATCH ?`+where+`
			ORDER BY rank LIMIT ?) AS best
		CROSS JOIN document AS d ON d.id = best.rowid AND d.tenant = ?`,
		slices.Concat([]any{match, engineRank}, args, []any{limit, s.tenant})...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []candidate
	for rows.Next() {
		var c candidate
		var packed []byte
		if err := rows.Scan(&c.id, &c.hit.URL, &c.hit.Title, &c.hit.Published, &c.language, &c.length, &packed); err != nil {
			return nil, err
		}
		record, err := unpack(op, packed)
		if err != nil {
			return nil, err
		}
		if c.found, err = findForward(record, words.byLanguage[c.language]); err != nil {
			return nil, damaged(op, "the text index is damaged", err)
		}
		if len(c.found) > 0 { // else it has another language's form only
			list = append(list, c)
		}
	}
	return list, rows.Err()
}

// weights returns each term's inverse document frequency.
func (s textSearch) weights(ctx context.Context, terms []string, documents int) (map[string]float64, error) {
	mark := termMark(s.tenant)
	args := make([]any, len(terms))
	weights := make(map[string]float64, len(terms))
	for i, term := range terms {
		args[i] = mark + term
	}
	rows, err := s.tx.QueryContext(ctx, `SELECT term, doc FROM document_vocabulary
		WHERE term IN (?`+strings.Repeat(", ?", len(terms)-1)+`)`, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var term string
		var n int
		if err := rows.Scan(&term, &n); err != nil {
			return nil, err
		}
		n = min(n, documents)
		weights[strings.TrimPrefix(term, mark)] = math.Log(1 + (float64(documents-n)+0.5)/(float64(n)+0.5))
	}
	return weights, rows.Err()
}

// snippet reads the original of one hit and cuts the words around the best match.
func (s textSearch) snippet(ctx context.Context, c candidate, weights map[string]float64) (string, error) {
	const op = "store.search_text"
	var packed []byte
	err := s.tx.QueryRowContext(ctx, `SELECT text_record FROM document WHERE id = ? AND tenant = ?`, c.id, s.tenant).Scan(&packed)
	if err != nil {
		return "", err
	}
	original, err := unpack(op, packed)
	if err != nil {
		return "", err
	}
	return cutSnippet(string(original), c.found, weights), nil
}
