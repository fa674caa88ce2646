package fulltext

import (
	"cmp"
	"context"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/text/lang"
	"github.com/citewell/citewell/store"
)

const (
	maxQueryTerms = 64  // different ones, of each language
	maxExpansions = 256 // terms of a segment that a prefix is weighed by
)

// A Part is what an index holds in one language.
type Part struct {
	ID                 int64
	Language           string
	Documents, Lengths int // how many documents, and how many terms they have together
}

// A partQuery is a query as one part is asked it, in the part's language.
type partQuery struct {
	Part
	words  []text.Token // of the whole query, in the part's language
	plain  []text.Token // the same words without stemming, for prefixes
	wanted []wantedTerm // what counts for the rank, in byte order
	match  *expression  // nil where nothing can be found
	seen   map[string]bool

	weights map[string]float64 // of the wanted terms, see weigh
}

// A textQuery is a query as it is asked of all parts of an index.
type textQuery struct {
	bag   bool // any of its words is enough: what ranks a document is what finds it
	parts []*partQuery
}

// An expression finds documents that have its atom, or by its parts: all of must, or if that is empty one of any, and
// none of not.
type expression struct {
	atom           *atom
	must, any, not []*expression
}

// An atom is what a document must have in one place: terms beside each other.
type atom struct {
	column column
	field  string       // of inField, in small letters
	terms  []wantedTerm // as they stand in forward records; the last may be a prefix
}

// A column is where a term stands.
type column int

const (
	inText  column = iota // in the title or in the body
	inTitle               // in the title alone
	inBody                // in the body alone
	inField               // in a field: the address, or a key of the metadata
)

// compile reads a query for the parts of an index. field says whether a document of the index has a key of metadata.
func compile(ctx context.Context, query store.TextQuery, parts []Part,
	field func(ctx context.Context, key string) (bool, error)) (*textQuery, error) {
	asked := query.Text
	if len(asked) > MaxQueryBytes {
		asked = asked[:MaxQueryBytes]
	}
	asked = strings.ToValidUTF8(asked, " ")
	var failed error
	clause := ReadQuery(asked, func(name string) bool {
		if slices.Contains(TextFields, name) {
			return true
		}
		known, err := field(ctx, name)
		failed = cmp.Or(failed, err)
		return known
	})
	if failed != nil {
		return nil, failed
	}
	var unstemmed []text.Token
	if strings.Contains(asked, "*") {
		unstemmed = text.TermTokens(asked, noLanguage)
	}
	q := &textQuery{bag: isBag(clause, unstemmed)}
	for _, part := range parts {
		if part.Documents == 0 {
			continue
		}
		p := &partQuery{Part: part, words: text.TermTokens(asked, readIn(part.Language)), plain: unstemmed,
			seen: map[string]bool{}}
		if p.match = p.clause(clause, true); p.match != nil {
			p.wanted = sortedTerms(p.wanted)
			q.parts = append(q.parts, p)
		}
	}
	return q, nil
}

// isBag says whether any word of a query is enough for a document to be found.
func isBag(clause TextClause, plain []text.Token) bool {
	return len(clause.Must)+len(clause.Not) == 0 && !slices.ContainsFunc(clause.Should, func(t TextTerm) bool {
		return t.Any != nil || t.Phrase || t.Field != "" || t.Prefix && len(within(plain, t.Span)) > 1
	})
}

// clause makes the expression of a clause of the query, nil if it has no words, and adds to wanted what ranks.
func (p *partQuery) clause(c TextClause, ranks bool) *expression {
	made := &expression{}
	for _, term := range c.Must {
		if x := p.term(term, true, ranks); x != nil {
			made.must = append(made.must, x)
		}
	}
	for _, term := range c.Should {
		if x := p.term(term, false, ranks); x != nil {
			made.any = append(made.any, x)
		}
	}
	if len(made.must)+len(made.any) == 0 {
		return nil
	}
	for _, term := range c.Not {
		if x := p.term(term, true, false); x != nil {
			made.not = append(made.not, x)
		}
	}
	return made
}

// term makes the expression of one term; of several words in it, all must stand together where whole is set.
func (p *partQuery) term(t TextTerm, whole, ranks bool) *expression {
	made := &expression{}
	if t.Any != nil {
		for _, clause := range t.Any {
			if x := p.clause(clause, ranks); x != nil {
				made.any = append(made.any, x)
			}
		}
		return made.orNil()
	}
	where, mark := atom{}, ""
	switch t.Field {
	case "":
	case "title":
		where.column = inTitle
	case "text":
		where.column = inBody
	default:
		where, mark, ranks = atom{column: inField, field: strings.ToLower(t.Field)}, fieldMark(t.Field), false
	}
	add := func(words []wantedTerm) {
		if len(words) == 0 || !p.reads(mark, words) {
			return
		}
		if ranks {
			p.wanted = append(p.wanted, words...)
		}
		one := where
		one.terms = slices.Clone(words)
		for i := range one.terms {
			one.terms[i].term = mark + one.terms[i].term
		}
		made.any = append(made.any, &expression{atom: &one})
	}
	words := within(p.words, t.Span)
	if whole || t.Phrase || t.Field != "" {
		add(terms(words))
	} else {
		for _, word := range words {
			add(terms([]text.Token{word}))
		}
	}
	if plain := within(p.plain, t.Span); t.Prefix && len(plain) > 0 {
		beginning := terms(plain)
		for i := range beginning {
			beginning[i].prefix = i == len(beginning)-1
		}
		add(beginning)
		article := lang.Of(p.Language).Article
		if bare, found := strings.CutPrefix(plain[0].Text, article); found && bare != "" && article != "" &&
			len(plain) == 1 {
			add([]wantedTerm{{cleanTerm(bare), true, 1}}) // stems are without it
		}
	}
	return made.orNil()
}

func (x *expression) orNil() *expression {
	switch len(x.any) {
	case 0:
		return nil
	case 1:
		return x.any[0]
	}
	return x
}

// reads says whether words are within what is read of a query, and counts them to it.
func (p *partQuery) reads(mark string, words []wantedTerm) bool {
	for _, w := range words {
		key := mark + w.term
		if w.prefix {
			key += "*"
		}
		if !p.seen[key] && len(p.seen) >= maxQueryTerms {
			return false
		}
		p.seen[key] = true
	}
	return true
}

// terms makes terms of words. A single character of a script without spaces stands for the indexed pairs that it
// begins.
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

// sortedTerms puts terms in byte order, each once with how often it was there; a prefix stands for its word, too.
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
