package fulltext

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/store"
)

// What is read of a query: what is beyond adds no meaning, only work.
const (
	MaxQueryBytes = 8 << 10
	maxQueryAtoms = 512
	maxQueryDepth = 8
)

// A TextClause is what a document must, may and must not have. One without must and may finds nothing.
type TextClause struct {
	Must, Should, Not []TextTerm
}

// A TextTerm is a span of the query whose words are looked for, or a group.
type TextTerm struct {
	store.Span
	Field  string       // where to look; empty is title and text
	Phrase bool         // the words stand beside each other
	Prefix bool         // the last word is a beginning
	Any    []TextClause // a group, of which one clause must hold; the fields above are unset
}

// ReadQuery reads the text of a query as TextQuery says: one clause, empty without words. Known says whether a name is
// a field.
func ReadQuery(query string, known func(field string) bool) TextClause {
	query = text.Prefix(query, MaxQueryBytes)
	r := queryReader{query: query, known: known}
	var all TextClause
	for r.at < len(query) { // a ")" too many ends a sequence and no more
		all.add(r.sequence(0))
	}
	return all
}

func (c *TextClause) add(other TextClause) {
	c.Must = append(c.Must, other.Must...)
	c.Should = append(c.Should, other.Should...)
	c.Not = append(c.Not, other.Not...)
}

func (c TextClause) empty() bool { return len(c.Must)+len(c.Should)+len(c.Not) == 0 }

// A queryReader descends through a query from left to right.
type queryReader struct {
	query string
	known func(string) bool
	at    int
	atoms int
}

// sequence reads terms with spaces between, up to the end or past a ")".
func (r *queryReader) sequence(depth int) TextClause {
	var all TextClause
	for {
		r.space()
		if r.at == len(r.query) {
			return all
		}
		if r.query[r.at] == ')' {
			r.at++
			return all
		}
		all.add(r.alternatives(depth))
	}
}

// alternatives reads terms with OR between.
func (r *queryReader) alternatives(depth int) TextClause {
	var any []TextClause
	for {
		if clause := r.together(depth); !clause.empty() {
			any = append(any, clause)
		}
		if !r.operator("OR") {
			break
		}
	}
	switch {
	case len(any) == 0:
		return TextClause{}
	case len(any) == 1:
		return any[0]
	}
	var plain TextClause
	for _, clause := range any {
		if len(clause.Must)+len(clause.Not) > 0 {
			return TextClause{Must: []TextTerm{{Any: any}}}
		}
		plain.add(clause)
	}
	return plain // among words any of which is enough, one more OR changes nothing
}

// together reads terms with AND between.
func (r *queryReader) together(depth int) TextClause {
	first := r.term(depth)
	if !r.operator("AND") {
		return first
	}
	all := first.required()
	for {
		all.add(r.term(depth).required())
		if !r.operator("AND") {
			return all
		}
	}
}

// required makes a clause of which something may hold one that must hold.
func (c TextClause) required() TextClause {
	switch {
	case len(c.Should) == 0:
		return c
	case len(c.Should) == 1 && len(c.Must) == 0 && c.Should[0].Any == nil:
		return TextClause{Must: c.Should, Not: c.Not}
	}
	return TextClause{Must: []TextTerm{{Any: []TextClause{c}}}}
}

// term reads one term with what stands before it.
func (r *queryReader) term(depth int) TextClause {
	negated, required := false, false
	for {
		r.space()
		switch {
		case r.operator("AND"), r.operator("OR"): // with nothing before
			continue
		case r.operator("NOT"):
			negated = !negated
			continue
		case r.at == len(r.query) || r.query[r.at] == ')':
			return TextClause{}
		case r.query[r.at] == '+' && r.begins(r.at+1):
			required = true
			r.at++
			continue
		case r.query[r.at] == '-' && r.begins(r.at+1) && !isDigit(r.query[r.at+1]):
			negated = !negated
			r.at++
			continue
		}
		break
	}
	var clause TextClause
	switch open := r.query[r.at] == '('; {
	case open && depth < maxQueryDepth:
		r.at++
		clause = r.sequence(depth + 1)
	case open:
		r.at++
		return TextClause{}
	default:
		clause = r.atom()
	}
	switch {
	case clause.empty():
		return clause
	case negated && len(clause.Must)+len(clause.Not) == 0:
		return TextClause{Not: clause.Should}
	case negated && len(clause.Must) == 1 && len(clause.Should)+len(clause.Not) == 0:
		return TextClause{Not: clause.Must}
	case negated:
		return TextClause{Not: []TextTerm{{Any: []TextClause{clause}}}}
	case required:
		return clause.required()
	}
	return clause
}

// atom reads a word or a phrase, perhaps with its field. The index divides what is between two spaces.
func (r *queryReader) atom() TextClause {
	start := r.at
	field := r.field()
	t := TextTerm{Field: field}
	if text, after, ok := r.quoted(); ok {
		t.Span, t.Phrase = text, true
		r.at = after
		if r.at < len(r.query) && r.query[r.at] == '*' {
			r.at++
		}
	} else {
		t.Start = r.at
		r.word()
		if t.End = r.at; t.End == t.Start { // a quote alone, or a field without a word
			_, size := utf8.DecodeRuneInString(r.query[r.at:])
			r.at = max(start+1, r.at+size)
			return TextClause{}
		}
		word := r.query[t.Start:t.End]
		if beginning := strings.TrimRight(word, "*"); beginning != word {
			t.Prefix = utf8.RuneCountInString(strings.Trim(beginning, "()\"'*")) >= 2
		}
	}
	if r.atoms++; r.atoms > maxQueryAtoms {
		return TextClause{}
	}
	if t.Phrase || t.Field != "" {
		return TextClause{Must: []TextTerm{t}}
	}
	return TextClause{Should: []TextTerm{t}}
}

// word passes over a word: up to a space, or a ")" that the word has not opened.
func (r *queryReader) word() {
	open := 0
	for r.at < len(r.query) {
		c, size := utf8.DecodeRuneInString(r.query[r.at:])
		switch {
		case unicode.IsSpace(c):
			return
		case c == '(':
			open++
		case c == ')' && open == 0:
			return
		case c == ')':
			open--
		}
		r.at += size
	}
}

// field passes over a field's name and its colon, where a name that is known stands right before a word or a quote.
func (r *queryReader) field() string {
	name, rest, found := strings.Cut(r.query[r.at:], ":")
	if !found || name == "" || len(name) > store.MaxMetadataKey || !r.begins(r.at+len(name)+1) ||
		strings.HasPrefix(rest, "/") || strings.ContainsAny(name, " \t\n\"()") {
		return ""
	}
	if lower := strings.ToLower(name); slices.Contains(TextFields, lower) && !r.known(name) {
		name = lower
	} else if !r.known(name) {
		return ""
	}
	r.at = len(r.query) - len(rest)
	return name
}

// TextFields are the fields that every document has.
var TextFields = []string{"title", "text", "url"}

// quoted returns the span of the phrase that begins here and where it ends.
func (r *queryReader) quoted() (inside store.Span, after int, ok bool) {
	open, size := utf8.DecodeRuneInString(r.query[r.at:])
	if !isQuote(open) {
		return store.Span{}, 0, false
	}
	begin := r.at + size
	length := strings.IndexFunc(r.query[begin:], isQuote)
	if length < 0 {
		r.at = begin // a quote alone is only a mark
		return store.Span{}, 0, false
	}
	_, size = utf8.DecodeRuneInString(r.query[begin+length:])
	return store.Span{Start: begin, End: begin + length}, begin + length + size, true
}

func isQuote(r rune) bool { return r == '"' || r == '“' || r == '”' || r == '„' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// operator passes over an operator that stands here by itself.
func (r *queryReader) operator(name string) bool {
	before := r.at
	r.space()
	rest, found := strings.CutPrefix(r.query[r.at:], name)
	next, _ := utf8.DecodeRuneInString(rest)
	if !found || rest != "" && !unicode.IsSpace(next) && next != '(' && next != ')' && !isQuote(next) {
		r.at = before
		return false
	}
	r.at += len(name)
	return true
}

// begins says whether something that is looked for begins at byte i.
func (r *queryReader) begins(i int) bool {
	if i >= len(r.query) {
		return false
	}
	c, _ := utf8.DecodeRuneInString(r.query[i:])
	return unicode.IsLetter(c) || unicode.IsDigit(c) || isQuote(c) || c == '(' || c == '_'
}

func (r *queryReader) space() {
	for r.at < len(r.query) {
		c, size := utf8.DecodeRuneInString(r.query[r.at:])
		if !unicode.IsSpace(c) {
			return
		}
		r.at += size
	}
}
