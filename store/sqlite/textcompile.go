package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/text"
)

const arabicArticle = "ال"

const (
	maxQueryTerms = 64  // different ones, of each language
	maxExpansions = 256 // terms that a prefix is weighed by
)

// A partInfo is what one part of an index holds.
type partInfo struct {
	id                 int64
	language           string
	documents, lengths int
}

// A partQuery is a query as it is asked of one part: nobody can tell the language of
// three words, so each document is asked in its own.
type partQuery struct {
	partInfo
	mark   string
	words  []text.Token // of the whole query, in the part's language
	plain  []text.Token // the same words without stemming, for prefixes
	wanted []wantedTerm // what counts for the rank, in byte order
	match  string       // FTS5's expression; empty where nothing can be found
	seen   map[string]bool

	weights map[string]float64 // of the wanted terms, see weigh
}

// A textQuery is a query as it is asked of all parts of an index.
type textQuery struct {
	text    string
	clause  store.TextClause
	bag     bool // any of its words is enough: what ranks a document is what finds it
	parts   []*partQuery
	counts  map[string]int // marked term, with a star after a prefix → documents that have it
	queries *sql.Tx
}

// compile reads a query for the parts of an index.
func (s textSearch) compile(ctx context.Context, query store.TextQuery, parts []partInfo) (*textQuery, error) {
	asked := query.Text
	if len(asked) > store.MaxQueryBytes {
		asked = asked[:store.MaxQueryBytes]
	}
	q := &textQuery{text: strings.ToValidUTF8(asked, " "), counts: map[string]int{}, queries: s.tx}
	if query.Plain {
		q.clause.Should = []store.TextTerm{{Span: store.Span{End: len(q.text)}}}
	} else {
		var failed error
		q.clause = store.ReadQuery(q.text, func(field string) bool {
			known, err := s.isField(ctx, field)
			failed = cmp.Or(failed, err)
			return known
		})
		if failed != nil {
			return nil, failed
		}
	}
	var unstemmed []text.Token
	if strings.Contains(q.text, "*") {
		unstemmed = text.TermTokens(q.text, noLanguage)
	}
	for _, part := range parts {
		if part.documents > 0 {
			q.parts = append(q.parts, &partQuery{partInfo: part, mark: partMark(part.id), words: text.TermTokens(q.text, readIn(part.language)), plain: unstemmed})
		}
	}
	// Once to learn which terms there are, once to leave out those that are not.
	for _, p := range q.parts {
		p.match = p.build(q.clause, func(string) bool { return true })
		p.wanted = sortedTerms(p.wanted)
	}
	if q.bag = isBag(q.clause, unstemmed); q.bag {
		return q, nil
	}
	if err := q.countTerms(ctx); err != nil {
		return nil, err
	}
	for _, p := range q.parts {
		p.wanted = nil
		p.match = p.build(q.clause, func(term string) bool { return q.counts[term] > 0 })
		p.wanted = sortedTerms(p.wanted)
	}
	return q, nil
}

// isBag says whether any word of a query is enough for a document to be found.
func isBag(clause store.TextClause, plain []text.Token) bool {
	return len(clause.Must)+len(clause.Not) == 0 && !slices.ContainsFunc(clause.Should, func(t store.TextTerm) bool {
		return t.Any != nil || t.Phrase || t.Field != "" || t.Prefix && len(within(plain, t.Span)) > 1
	})
}

func (s textSearch) isField(ctx context.Context, name string) (bool, error) {
	if slices.Contains(store.TextFields, name) {
		return true, nil
	}
	var there bool
	err := s.tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM text_metadata WHERE tenant = ? AND index_name = ? AND key = ?)`,
		s.tenant, s.index, name).Scan(&there)
	return there, err
}

// match is the expression for all parts.
func (q *textQuery) match() string {
	var parts []string
	for _, p := range q.parts {
		if p.match != "" {
			parts = append(parts, "("+p.match+")")
		}
	}
	return strings.Join(parts, " OR ")
}

// countTerms learns in how many documents each term of the query occurs.
func (q *textQuery) countTerms(ctx context.Context) error {
	var exact []any
	for _, p := range q.parts {
		for term := range p.seen {
			begin, prefix := strings.CutSuffix(term, "*")
			if !prefix {
				exact = append(exact, term)
				continue
			}
			var n int
			if err := q.queries.QueryRowContext(ctx, `SELECT coalesce(sum(doc), 0) FROM (SELECT doc FROM text_vocabulary
				WHERE term >= ? AND term < ? LIMIT ?)`, begin, begin+"\U0010ffff", maxExpansions).Scan(&n); err != nil {
				return err
			}
			q.counts[term] = min(n, p.documents)
		}
	}
	if len(exact) == 0 {
		return nil
	}
	return each(ctx, q.queries, `SELECT term, doc FROM text_vocabulary WHERE term IN (?`+strings.Repeat(", ?", len(exact)-1)+`)`, func(scan func(...any) error) error {
		var term string
		var n int
		err := scan(&term, &n)
		q.counts[term] = n
		return err
	}, exact...)
}

// build makes the expression of a clause of the query; has says whether any document
// has a term.
func (p *partQuery) build(clause store.TextClause, has func(string) bool) string {
	p.seen = map[string]bool{}
	b := matchBuilder{p, has}
	match, _ := b.clause(clause, true)
	return match
}

// What a part of a query comes to.
type meaning int

const (
	nothing meaning = iota // it has no words: as if it were not there
	never                  // it has words and no document can meet it
	maybe
)

type matchBuilder struct {
	*partQuery
	has func(string) bool
}

func (b matchBuilder) clause(c store.TextClause, ranks bool) (string, meaning) {
	var must, should, not []string
	best := nothing
	for _, term := range c.Must {
		match, means := b.term(term, true, ranks)
		switch means {
		case never:
			return "", never
		case maybe:
			must = append(must, match)
		}
	}
	for _, term := range c.Should {
		match, means := b.term(term, false, ranks)
		if best = max(best, means); means == maybe {
			should = append(should, match)
		}
	}
	for _, term := range c.Not {
		if match, means := b.term(term, true, false); means == maybe {
			not = append(not, match)
		}
	}
	var match string
	switch {
	case len(must) > 0 && len(should) > 0: // what may be there only ranks
		match = strings.Join(must, " AND ") + " AND (" + strings.Join(append(should, must[0]), " OR ") + ")"
	case len(must) > 0:
		match = strings.Join(must, " AND ")
	case len(should) > 0:
		match = strings.Join(should, " OR ")
	default:
		return "", best
	}
	if len(not) > 0 {
		match = "(" + match + ") NOT (" + strings.Join(not, " OR ") + ")"
	}
	return match, maybe
}

// term makes the expression of one term; of several words in it, all must stand
// together where whole is set.
func (b matchBuilder) term(t store.TextTerm, whole, ranks bool) (string, meaning) {
	if t.Any != nil {
		var any []string
		best := nothing
		for _, clause := range t.Any {
			match, means := b.clause(clause, ranks)
			if best = max(best, means); means == maybe {
				any = append(any, "("+match+")")
			}
		}
		if len(any) == 0 {
			return "", best
		}
		return "(" + strings.Join(any, " OR ") + ")", maybe
	}
	column, mark := "", b.mark
	switch t.Field {
	case "":
	case "title":
		column = "title : "
	case "text":
		column = "body : "
	default:
		column, mark = "fields : ", b.mark+fieldMark(t.Field)
		ranks = false
	}
	words := within(b.words, t.Span)
	var any []string
	best := nothing
	add := func(words []wantedTerm) {
		if len(words) == 0 {
			return
		}
		best = max(best, never)
		keys := make([]string, len(words))
		for i, w := range words {
			if keys[i] = mark + w.term; w.prefix {
				keys[i] += "*"
			}
			if !b.seen[keys[i]] && len(b.seen) >= maxQueryTerms {
				best = nothing // as what is beyond the limit of bytes
				return
			}
			b.seen[keys[i]] = true
			if !b.has(keys[i]) {
				return
			}
		}
		best = maybe
		any = append(any, column+quotePhrase(keys))
		if ranks {
			b.wanted = append(b.wanted, words...)
		}
	}
	if whole || t.Phrase || t.Field != "" {
		add(terms(words))
	} else {
		for _, word := range words {
			add(terms([]text.Token{word}))
		}
	}
	if plain := within(b.plain, t.Span); t.Prefix && len(plain) > 0 {
		beginning := terms(plain)
		for i := range beginning {
			beginning[i].prefix = i == len(beginning)-1
		}
		add(beginning)
		if bare, found := strings.CutPrefix(plain[0].Text, arabicArticle); found && b.language == "ar" && len(plain) == 1 && bare != "" {
			add([]wantedTerm{{cleanTerm(bare), true, 1}}) // stems are without it
		}
	}
	switch len(any) {
	case 0:
		return "", best
	case 1:
		return any[0], maybe
	}
	return "(" + strings.Join(any, " OR ") + ")", maybe
}

// terms makes terms of words. Scripts without spaces are indexed in pairs, so a
// character asked for alone stands for the pairs that it begins.
func terms(words []text.Token) []wantedTerm {
	list := make([]wantedTerm, len(words))
	for i, word := range words {
		term := cleanTerm(word.Text)
		list[i] = wantedTerm{term, len(words) == 1 && len(term) == 3 && utf8.RuneCountInString(term) == 1, 1}
	}
	return list
}

// within returns the words that stand in a span.
func within(words []text.Token, span store.Span) []text.Token {
	from := sort.Search(len(words), func(i int) bool { return words[i].Start >= span.Start })
	to := sort.Search(len(words), func(i int) bool { return words[i].Start >= span.End })
	return words[min(from, to):to]
}

// quotePhrase makes a phrase of FTS5; a star at the end of the last term makes it a
// prefix. A term holds no quote, see cleanTerm.
func quotePhrase(terms []string) string {
	last := len(terms) - 1
	if begin, prefix := strings.CutSuffix(terms[last], "*"); prefix {
		return `"` + strings.Join(append(slices.Clone(terms[:last]), begin), " ") + `" *`
	}
	return `"` + strings.Join(terms, " ") + `"`
}

// sortedTerms puts terms in byte order, each once with how often it was there; a prefix
// stands for its word, too.
func sortedTerms(terms []wantedTerm) []wantedTerm {
	slices.SortFunc(terms, func(a, b wantedTerm) int { return cmp.Compare(a.term, b.term) })
	var list []wantedTerm
	for _, t := range terms {
		last := len(list) - 1
		switch {
		case last < 0 || list[last].term != t.term:
			list = append(list, t)
		case list[last].prefix == t.prefix:
			list[last].times++
		case t.prefix:
			list[last] = t
		}
	}
	return list
}
