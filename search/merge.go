package search

import (
	"cmp"
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/weburl"
)

// A Ranked is one page that at least one provider found.
//
// Title and Snippet are those of the answer with the longest snippet, Published is
// the first date that any gave, Work the first work, Rank the best rank that any gave. URL is one
// provider's own spelling, never the canonical one, which may not work.
type Ranked struct {
	citewell.Result
	Key       string   // canonical URL; what made the answers one
	Providers []string // those that found it, in the order of the lists
	Class     string   // class of the host
	Score     float64  // 0 until Score has run

	title string // the longest one, for relevance
}

// Merge groups the results of all lists by canonical URL. The order is that of
// first appearance, so the same lists in the same order always give the same.
func Merge(lists ...[]citewell.Result) []Ranked {
	var merged []Ranked
	at := make(map[string]int)
	for _, list := range lists {
		for _, r := range list {
			key := weburl.Canonical(r.URL)
			i, seen := at[key]
			if !seen {
				at[key] = len(merged)
				merged = append(merged, Ranked{Result: r, Key: key,
					Providers: []string{r.Provider}, Class: classOfURL(r.URL), title: r.Title})
				continue
			}
			merged[i].add(r)
		}
	}
	return merged
}

func (m *Ranked) add(r citewell.Result) {
	if !slices.Contains(m.Providers, r.Provider) {
		m.Providers = append(m.Providers, r.Provider)
	}
	if isSecure(r.URL) && !isSecure(m.URL) {
		m.URL = r.URL
	}
	if len(r.Snippet) > len(m.Snippet) {
		m.Snippet = r.Snippet
		m.Title = cmp.Or(r.Title, m.Title)
	}
	m.Title = cmp.Or(m.Title, r.Title)
	if len(r.Title) > len(m.title) {
		m.title = r.Title
	}
	m.Published = cmp.Or(m.Published, r.Published)
	m.Work = cmp.Or(m.Work, r.Work)
	if r.Rank > 0 && (m.Rank <= 0 || r.Rank < m.Rank) {
		m.Rank = r.Rank
	}
}

// PerDomain keeps at most limit results of one registered domain and returns the
// others apart, both in the order of ranked. Files of the user's own have no
// domain and are all kept.
func PerDomain(ranked []Ranked, limit int) (kept, rest []Ranked) {
	count := make(map[string]int)
	for _, r := range ranked {
		domain := weburl.RegisteredDomain(weburl.Host(r.URL))
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
		return ClassLocal
	}
	return Class(weburl.Host(raw))
}

func isSecure(raw string) bool { return hasScheme(raw, "https:") }

func hasScheme(raw, scheme string) bool {
	return len(raw) >= len(scheme) && strings.EqualFold(raw[:len(scheme)], scheme)
}
