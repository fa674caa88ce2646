package searxng

import (
	"slices"
	"strings"

	"github.com/citewell/citewell/internal/services"
	"github.com/citewell/citewell/search"
	"github.com/citewell/citewell/search/provider"
)

// perPage is how many results a page of our own providers has.
const perPage = 10

// open builds one provider for a target and the words as it takes sites; nil if it has no such search or page.
func (w *webSearch) open(name string, target bang, words string) (search.Provider, string, error) {
	page := w.request.Page
	text := limitedTo(words, target.sites)
	switch {
	case name == "brave" && !(target.vertical == verticalImages && page > 1):
		p, err := provider.NewWith(w.Deps, services.BraveOptions{Vertical: target.vertical, Page: page})
		return p, text, err
	case name == "serpapi":
		p, err := provider.NewWith(w.Deps, services.SerpAPIOptions{
			Vertical: target.vertical, Start: (page - 1) * perPage})
		return p, text, err
	case name == "google" && (target.vertical == "" || target.vertical == verticalImages):
		p, err := provider.NewWith(w.Deps, services.GoogleOptions{
			Images: target.vertical == verticalImages, Start: (page-1)*perPage + 1})
		return p, text, err
	case page > 1: // the others have one page
		return nil, "", nil
	case name == "tavily" && (target.vertical == "" || target.vertical == verticalNews):
		p, err := provider.NewWith(w.Deps, services.TavilyOptions{Topic: target.vertical, IncludeDomains: target.sites})
		return p, words, err
	case name == "exa" && (target.vertical == "" || target.vertical == verticalNews):
		p, err := provider.NewWith(w.Deps, services.ExaOptions{Category: target.vertical, IncludeDomains: target.sites})
		return p, words, err
	case slices.Contains([]string{"brave", "serpapi", "google", "tavily", "exa"}, name), target.vertical != "":
		return nil, "", nil
	case name == stackExchange && len(target.sites) == 1:
		p, err := provider.NewWith(w.Deps, services.StackExchangeOptions{Site: target.sites[0]})
		return p, words, err
	// files have no site, and small indexes are not asked for one
	case slices.Contains([]string{"local", "mwmbl", "marginalia"}, name) && len(target.sites) > 0:
		return nil, "", nil
	}
	p, err := provider.New(name, w.Deps)
	return p, text, err
}

// limitedTo is a query in the form that search engines know for some sites only.
func limitedTo(words string, sites []string) string {
	switch len(sites) {
	case 0:
		return words
	case 1:
		return words + " site:" + sites[0]
	}
	return words + " (site:" + strings.Join(sites, " OR site:") + ")"
}
