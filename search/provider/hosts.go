package provider

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/search"
)

// languageMark stands in an address for the code of a language.
const languageMark = "{language}"

// A place is a wire with where on it a provider answers.
type place struct {
	*wire
	endpoint *url.URL
}

// hosts are the places of a provider that has one for each of its Description's Languages.
// Nothing but a code of that list is ever put into an address.
type hosts struct {
	name       string
	byLanguage map[string]place
}

// newHosts makes the places of an address that holds {language}; a configured one without it is
// where all languages are.
func newHosts(d Deps, name string, s Settings, public, path string, refused refuse) (*hosts, error) {
	languages := registry[name].Languages
	h := &hosts{name: name, byLanguage: make(map[string]place, len(languages))}
	for _, code := range languages {
		configured := strings.ReplaceAll(cmp.Or(s.BaseURL, public), languageMark, code)
		u, err := endpoint(name, configured, "", path)
		if err != nil {
			return nil, err
		}
		h.byLanguage[code] = place{newWire(d, name, u, refused), u}
	}
	return h, nil
}

// Name implements search.Provider.
func (h *hosts) Name() string { return h.name }

// Profile implements search.Profiled.
func (h *hosts) Profile() search.Profile { return profileOf(h.name) }

// of is the place for the language of a query, and that language's code.
func (h *hosts) of(q citewell.Query) (place, string) {
	code := languageIn(registry[h.name].Languages, q)
	return h.byLanguage[code], code
}

// languageIn is the language of a query where it is one of some, and otherwise the first of them.
func languageIn(languages []string, q citewell.Query) string {
	if code := queryLanguage(q); slices.Contains(languages, code) {
		return code
	}
	return languages[0]
}

// queryLanguage is the code of the language in which a query is asked: its region's, else that
// of its words. It is empty where neither says.
func queryLanguage(q citewell.Query) string {
	if _, language := regionParts(q.Region); language != "" {
		return language
	}
	return text.LikelyLanguage(q.Text)
}
