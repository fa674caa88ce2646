package identifier

import (
	"net/url"
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/lazyregexp"
)

// The forms in which identifiers stand in a question. A bare number is none.
var identifierForms = []struct {
	scheme string
	form   *lazyregexp.Regexp
	value  func(groups []string) string
}{
	{citewell.SchemeArXiv, lazyregexp.New(
		`(?i)\b10\.48550/arxiv\.(\d{4}\.\d{4,5}|[a-z-]+(?:\.[a-z]{2})?/\d{7})(?:v\d+)?\b`), lowerFirst},
	{citewell.SchemeDOI, lazyregexp.New(`(?i)\b10\.\d{4,9}/[^\s"<>]+`), func(g []string) string { return DOI(g[0]) }},
	{citewell.SchemeArXiv, lazyregexp.New(
		`(?i)\barxiv(?::\s?|\s|\.org/(?:abs|pdf|html)/)(\d{4}\.\d{4,5}|[a-z-]+(?:\.[a-z]{2})?/\d{7})(?:v\d+)?\b`),
		lowerFirst},
	{citewell.SchemePMID, lazyregexp.New(`(?i)\b(?:pmid:?\s?|pubmed\.ncbi\.nlm\.nih\.gov/)(\d{1,9})\b`), lowerFirst},
	{citewell.SchemePMCID, lazyregexp.New(`(?i)\b(PMC\d{4,9})\b`), upperFirst},
	{citewell.SchemeISBN, lazyregexp.New(`(?i)\bisbn(?:-1[03])?:?\s?((?:\d[ -]?){9}(?:[\dx]|(?:\d[ -]?){3}\d))\b`),
		func(g []string) string { return ISBN(g[1]) }},
	{citewell.SchemeISBN, lazyregexp.New(`\b(97[89][ -]?(?:\d[ -]?){9}\d)\b`), func(g []string) string {
		return ISBN(g[1])
	}},
	{citewell.SchemeNCT, lazyregexp.New(`(?i)\b(NCT\d{8})\b`), upperFirst},
	{citewell.SchemeCVE, lazyregexp.New(`(?i)\b(CVE-\d{4}-\d{4,7})\b`), upperFirst},
	{citewell.SchemeWorldBank, lazyregexp.New(`\b([A-Z]{2}\.[A-Z0-9]{2,}(?:\.[A-Z0-9]+){1,4})\b`), upperFirst},
	{citewell.SchemeRFC, lazyregexp.New(`(?i)\brfc[ -]?(\d{1,5})\b`), lowerFirst},
}

func lowerFirst(groups []string) string { return strings.ToLower(groups[1]) }
func upperFirst(groups []string) string { return strings.ToUpper(groups[1]) }

// maxIdentifiers bounds what is read of one question.
const maxIdentifiers = 8

// Identifiers finds the identifiers in a question, in the order of the registers.
func Identifiers(question string) []citewell.Identifier {
	var all []citewell.Identifier
	for _, f := range identifierForms {
		for _, groups := range f.form.FindAllStringSubmatch(question, maxIdentifiers) {
			id := citewell.Identifier{Scheme: f.scheme, Value: f.value(groups)}
			switch {
			case id.Scheme == citewell.SchemeDOI && ArXiv(id.Value) != "":
				continue // it is found as what it is
			case id.Scheme == citewell.SchemeWorldBank:
				if countries := countriesOf(question); len(countries) > 0 {
					id.Value += "/" + strings.Join(countries, ";")
				}
			}
			if id.Value != "" && !slices.Contains(all, id) && len(all) < maxIdentifiers {
				all = append(all, id)
			}
		}
	}
	return all
}

var (
	doiForm   = lazyregexp.New(`^10\.\d{4,9}/\S+$`)
	arxivForm = lazyregexp.New(`^(\d{4}\.\d{4,5}|[a-z-]+(?:\.[a-z]{2})?/\d{7})(?:v\d+)?$`)
)

// DOI returns a DOI in the form in which two can be compared: lower case, without a resolver's
// address before it or punctuation after it. Empty is no DOI.
func DOI(s string) string {
	s = strings.ToLower(strings.TrimSpace(s))
	if _, after, ok := strings.Cut(s, "doi.org/"); ok {
		s = after
		if plain, err := url.PathUnescape(s); err == nil {
			s = plain
		}
	}
	s = strings.TrimSpace(strings.TrimPrefix(s, "doi:"))
	for trimmed := ""; trimmed != s; {
		trimmed = s
		s = strings.TrimRight(s, ".,;:!?'\"`”’»")
		for _, pair := range []string{"()", "[]", "{}"} { // a bracket that was opened within belongs to it
			if strings.HasSuffix(s, pair[1:]) && strings.Count(s, pair[:1]) < strings.Count(s, pair[1:]) {
				s = s[:len(s)-1]
			}
		}
	}
	if !doiForm.MatchString(s) || len(s) > 300 {
		return ""
	}
	return s
}

// ArXiv returns the identifier of an arXiv paper without its version, from any form in which
// it is written. Empty is none.
func ArXiv(s string) string {
	s = strings.ToLower(strings.TrimSpace(s))
	for _, before := range []string{"arxiv.org/abs/", "arxiv.org/pdf/", "arxiv.org/html/",
		"10.48550/arxiv.", "arxiv:"} {
		if _, after, ok := strings.Cut(s, before); ok {
			s = strings.TrimSuffix(after, ".pdf")
			break
		}
	}
	if found := arxivForm.FindStringSubmatch(s); found != nil {
		return found[1]
	}
	return ""
}

// ArXivOwn is an identifier as arXiv has it: of an old one, math.gt/0309136, without its class.
func ArXivOwn(id string) string {
	if archive, number, old := strings.Cut(id, "/"); old {
		archive, _, _ = strings.Cut(archive, ".")
		return archive + "/" + number
	}
	return id
}

// ISBN returns the digits of an ISBN whose check digit is right. Empty is none.
func ISBN(s string) string {
	digits := strings.Map(func(r rune) rune {
		switch {
		case r >= '0' && r <= '9' || r == 'X':
			return r
		case r == 'x':
			return 'X'
		}
		return -1
	}, s)
	sum := 0
	for i, r := range digits {
		value := int(r - '0')
		switch {
		case r == 'X' && (i != 9 || len(digits) != 10):
			return ""
		case r == 'X':
			value = 10
		}
		switch len(digits) {
		case 10:
			sum += (10 - i) * value
		case 13:
			sum += value * (1 + 2*(i%2))
		}
	}
	if len(digits) == 10 && sum%11 == 0 || len(digits) == 13 && sum%10 == 0 {
		return digits
	}
	return ""
}
