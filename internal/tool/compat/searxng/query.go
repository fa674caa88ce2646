package searxng

import (
	"slices"
	"strings"

	"github.com/citewell/citewell/internal/lazyregexp"
)

// A query is words and, set off by white space, bangs (!news), a language (:de), and what leads to another site (!!g).
type query struct {
	words    string // what is looked for
	bangs    []bang // each once, in their order
	language string // as in de or de-CH; empty for any
	external bool   // holds a !!, which is never followed
}

var languageTag = lazyregexp.New(`^:([a-z]{2,3})(?:[-_]([A-Za-z]{2,4}))?$`)

// readQuery takes a query apart. An unknown bang, and what only looks like a language, are words, as in an instance.
func readQuery(q string) query {
	var read query
	var words []string
	for token := range strings.FieldsSeq(q) {
		switch {
		case strings.HasPrefix(token, "!!"):
			read.external = true
			continue
		case strings.HasPrefix(token, "!"):
			if b, ok := findBang(token[1:]); ok {
				read.addBang(b)
				continue
			}
		case strings.EqualFold(token, ":all"):
			read.language = ""
			continue
		case strings.HasPrefix(token, ":"):
			if language, ok := languageOf(token[1:]); ok {
				read.language = language
				continue
			}
		}
		words = append(words, token)
	}
	read.words = strings.Join(words, " ")
	return read
}

func (q *query) addBang(b bang) {
	if !slices.ContainsFunc(q.bangs, func(known bang) bool { return known.name == b.name }) {
		q.bangs = append(q.bangs, b)
	}
}

// languageOf reads a language tag, and says whether it names a language that has readers somewhere.
func languageOf(tag string) (string, bool) {
	parts := languageTag.FindStringSubmatch(":" + strings.ToLower(tag))
	if parts == nil || languageRegions[parts[1]] == "" {
		return "", false
	}
	if parts[2] == "" {
		return parts[1], true
	}
	return parts[1] + "-" + strings.ToUpper(parts[2]), true
}

// regionOf gives a language tag as a region, without a country the one with the most pages in that language.
func regionOf(tag string) string {
	language, country, _ := strings.Cut(strings.ToLower(tag), "-")
	region := languageRegions[language]
	switch {
	case region == "":
		return ""
	case language == "zh" && slices.Contains([]string{"tw", "hk", "hant"}, country):
		return "tw-tzh"
	case len(country) != 2:
		return region
	case country == "gb":
		country = "uk"
	}
	_, language, _ = strings.Cut(region, "-")
	return country + "-" + language
}

// languageRegions are regions in the spelling of citewell.Query, by language.
var languageRegions = func() map[string]string {
	const regions = `ar xa-ar bg bg-bg ca ct-ca cs cz-cs da dk-da de de-de el gr-el en us-en es es-es et ee-et fi fi-fi fr fr-fr
		he il-he hi in-hi hr hr-hr hu hu-hu id id-id it it-it ja jp-jp ko kr-kr lt lt-lt lv lv-lv nb no-no nl nl-nl no no-no
		pl pl-pl pt pt-pt ro ro-ro ru ru-ru sk sk-sk sl sl-sl sv se-sv th th-th tr tr-tr uk ua-uk vi vn-vi zh cn-zh`
	byLanguage := make(map[string]string)
	fields := strings.Fields(regions)
	for i := 0; i < len(fields); i += 2 {
		byLanguage[fields[i]] = fields[i+1]
	}
	return byLanguage
}()
