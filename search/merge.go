package search

import (
	"cmp"
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/identifier"
	"github.com/citewell/citewell/internal/siteclass"
	"github.com/citewell/citewell/internal/weburl"
)

// A Ranked is one page, or one work, that at least one provider found.
//
// Of a page, Title and Snippet are those of the answer with the longest snippet, Published is
// the first date that any gave, Work the first work, Rank the best rank that any gave. URL is one
// provider's own spelling, never the canonical one, which may not work. Of a work that was found
// at several addresses, URL, Title and Published are those of what was published, before those
// of a preprint, and Work has what all know of it.
type Ranked struct {
	citewell.Result
	Key       string   // canonical URL of the first answer
	Keys      []string // those of all, in the order of the lists
	Providers []string // those that found it, in the order of the lists
	Class     string   // class of the host
	Score     float64  // 0 until Score has run

	title string // the longest one, for relevance
}

// Merge groups the results of all lists that are of one page, by canonical URL, or of one work (likenessOf), in the
// order of first appearance.
func Merge(lists ...[]citewell.Result) []Ranked {
	var pages [][]citewell.Result
	at := make(map[string]int)
	for _, list := range lists {
		for _, r := range list {
			key := weburl.Canonical(r.URL)
			i, seen := at[key]
			if !seen {
				i = len(pages)
				at[key], pages = i, append(pages, nil)
			}
			pages[i] = append(pages[i], r)
		}
	}
	var merged []Ranked
	for _, group := range byWork(pages) {
		m := mergedPage(pages[group[0]])
		for _, i := range group[1:] {
			m.join(mergedPage(pages[i]))
		}
		m.Work = withArXivCopy(m.Work)
		merged = append(merged, m)
	}
	return merged
}

// withArXivCopy gives a work of which nobody knows an open copy the one that arXiv has of every paper of its own.
func withArXivCopy(w *citewell.Work) *citewell.Work {
	if w == nil || w.OpenCopy != "" || w.ArXiv == "" {
		return w
	}
	open := *w
	open.OpenCopy = "https://arxiv.org/pdf/" + identifier.ArXivOwn(w.ArXiv)
	return &open
}

// mergedPage is what all answers say of one page.
func mergedPage(answers []citewell.Result) Ranked {
	r := answers[0]
	key := weburl.Canonical(r.URL)
	m := Ranked{Result: r, Key: key, Keys: []string{key}, Providers: []string{r.Provider}, Class: classOfURL(r.URL),
		title: r.Title}
	for _, r := range answers[1:] {
		m.addResult(r)
	}
	return m
}

func (m *Ranked) addResult(r citewell.Result) {
	if !slices.Contains(m.Providers, r.Provider) {
		m.Providers = append(m.Providers, r.Provider)
	}
	if isSecure(r.URL) && !isSecure(m.URL) {
		m.URL = r.URL
	}
	m.Work = joinedWork(m.Result, r)
	if len(r.Snippet) > len(m.Snippet) {
		m.Snippet = r.Snippet
		m.Title = cmp.Or(r.Title, m.Title)
	}
	m.Title = cmp.Or(m.Title, r.Title)
	if len(r.Title) > len(m.title) {
		m.title = r.Title
	}
	m.Published = cmp.Or(m.Published, r.Published)
	if r.Rank > 0 && (m.Rank <= 0 || r.Rank < m.Rank) {
		m.Rank = r.Rank
	}
}

// join adds another page of the same work.
func (m *Ranked) join(other Ranked) {
	shown := m.Result
	if standsBefore(other.Result, m.Result) {
		shown = other.Result
	}
	class := siteclass.Class(weburl.Host(shown.URL))
	for _, known := range []string{m.Class, other.Class} {
		if class == siteclass.ClassUnknown {
			class = known
		}
	}
	m.addResult(other.Result)
	for _, name := range other.Providers {
		if !slices.Contains(m.Providers, name) {
			m.Providers = append(m.Providers, name)
		}
	}
	if len(other.title) > len(m.title) {
		m.title = other.title
	}
	m.Keys, m.Class = append(m.Keys, other.Keys...), class
	m.URL, m.Title, m.Published = shown.URL, cmp.Or(shown.Title, m.Title), cmp.Or(shown.Published, m.Published)
}

// Is says whether a canonical URL is one of those at which the work or page was found.
func (m *Ranked) Is(key string) bool { return slices.Contains(m.Keys, key) }

// PerDomain keeps at most limit results of one registered domain and returns the others apart, both in order. A
// resolver's addresses, as of doi.org, are of their publishers. All files of the user's own are kept.
func PerDomain(ranked []Ranked, limit int) (kept, rest []Ranked) {
	count := make(map[string]int)
	for _, r := range ranked {
		domain := weburl.Registrant(r.URL)
		if count[domain]++; domain != "" && count[domain] > limit {
			rest = append(rest, r)
		} else {
			kept = append(kept, r)
		}
	}
	return kept, rest
}

func classOfURL(raw string) string {
	if hasScheme(raw, "file:") {
		return siteclass.ClassLocal
	}
	return siteclass.Class(weburl.Host(raw))
}

func isSecure(raw string) bool { return hasScheme(raw, "https:") }

func hasScheme(raw, scheme string) bool {
	return len(raw) >= len(scheme) && strings.EqualFold(raw[:len(scheme)], scheme)
}
