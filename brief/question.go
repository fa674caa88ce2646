package brief

import (
	"regexp"
	"slices"
	"strings"

	"github.com/citewell/citewell/text"
)

// A question is a query taken apart into the aspects that an answer should cover.
type question struct {
	text     string
	language string
	terms    []string
	aspects  []aspect // at least one, unless the query has no words
}

// An aspect is one of the things that a query asks about, and the kind of answer
// that it asks for.
type aspect struct {
	text        string
	terms       []string
	wantsFigure bool
	wantsDate   bool
}

var (
	// Words that join aspects, in the languages whose word lists we keep.
	joints     = regexp.MustCompile(`(?i)[,;?!。？；，、]+|\s+(?:and|or|vs\.?|versus|compared (?:to|with)|und|oder|et|ou|y|o|и|или|gegenüber|contra)\s+`)
	asksFigure = regexp.MustCompile(`(?i)\b(how (?:many|much|long|tall|far|high|deep|fast|old|big|large|heavy|often)|what (?:percentage|share|rate|number|price|height|length|speed|size)|wie (?:viele?|hoch|lang|weit|schnell|alt|groß|schwer|tief|oft)|combien|cuántos?|cuántas?|cuánto|сколько)\b`)
	asksDate   = regexp.MustCompile(`(?i)\b(when|what year|which year|since when|wann|seit wann|in welchem jahr|quand|en quelle année|cuándo|en qué año|когда|в каком году)\b`)
)

func newQuestion(query string) question {
	q := question{text: query, language: text.Language(query)}
	q.terms = contentTerms(query, q.language)
	for _, part := range joints.Split(query, -1) {
		part = strings.TrimSpace(part)
		if terms := contentTerms(part, q.language); len(terms) > 0 {
			q.aspects = append(q.aspects, aspect{text: part, terms: terms,
				wantsFigure: asksFigure.MatchString(part), wantsDate: asksDate.MatchString(part)})
		}
	}
	return q
}

// asking are words that say what kind of answer is wanted and need not stand in it.
var asking = strings.Fields(`far long high tall deep fast old big large heavy often number amount figure
	compare comparison explain describe list tell show give find difference differences differ overview meaning mean
	weit lang hoch tief schnell alt groß schwer oft zahl vergleiche erkläre beschreibe unterschied unterschiede
	loin longtemps haut compare comparer expliquer décrire différence différences lejos alto comparar explicar diferencia diferencias
	далеко высоко сравни сравнить объясни разница`)

// contentTerms are the terms of a question that an answer should have; all of them
// where there are no others.
func contentTerms(s, lang string) []string {
	var content, all []string
	for _, token := range text.TermTokens(s, lang) {
		all = append(all, token.Text)
		if !slices.Contains(asking, text.Fold(s[token.Start:token.End])) {
			content = append(content, token.Text)
		}
	}
	if len(content) == 0 {
		return all
	}
	return content
}

// share is the part of the wanted terms that occur among the given ones.
func share(wanted, given []string) float64 {
	if len(wanted) == 0 {
		return 0
	}
	found := 0
	for _, term := range wanted {
		if slices.Contains(given, term) {
			found++
		}
	}
	return float64(found) / float64(len(wanted))
}
