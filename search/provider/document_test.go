package provider

import (
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/testing/golden"
	"github.com/citewell/citewell/search"
)

// doc/providers.md is made from the descriptions.
func TestProvidersDocument(t *testing.T) {
	golden.Check(t, filepath.Join("..", "..", "doc", "providers.md"), providersDocument())
}

const providersHead = `# Providers

Made from the descriptions by ` + "`go test ./search/provider -run ProvidersDocument -update`" + `; do not edit.

A question goes to the web and to the kinds of sources that suit it. ` + "`--sources`" + ` names kinds instead, ` + "`--provider`" + ` names
providers, and ` + "`citewell doctor`" + ` tests all configured ones. Coverage says which were asked, why, and with what outcome.
A provider that needs nothing takes part unless ` + "`search.open`" + ` is ` + "`off`" + `. An entry below ` + "`search.providers`" + ` switches one
on or off (` + "`enabled`" + `), slows it (` + "`rate`" + `), or changes its address (` + "`base_url`" + `).

` + "`contact`" + ` (` + "`CITEWELL_CONTACT`" + `) is your address, sent only to services that ask for one. With an e-mail address some
allow more calls, and the SEC requires it. Pages of %s ask for it as well, and get it over HTTPS whenever Citewell
fetches them (` + "`fetch`" + `, ` + "`web_fetch`" + `, a search); no other site gets it, not even through a redirect. A key in brackets is
optional: it raises a provider's limits.

` + "`feeds`" + ` reads the RSS and Atom feeds of ` + "`search.providers.feeds.urls`" + ` and of the OPML file
` + "`search.providers.feeds.opml`" + `, at most %d. All processes that share a cache fetch each feed at most once in %d minutes,
and only if it has changed; ` + "`fetch.allow_networks`" + ` opens private hosts. Entries are found by words and by their days.
Coverage names a feed that cannot be read.

A question whose words call for a kind asks all providers of it with a key and at most four without one, in an
order that their descriptions give. One that is "not by words" is never among them: a number that it looks up,
` + "`--sources`" + ` or ` + "`--provider`" + ` asks it.

` + "`worldbank`" + ` is asked only if a question names a series by its code, as in "SP.POP.TOTL Germany France" or in an address
of its pages, and never for words. Each country named in English, in the question's language or by its three-letter ISO
code is a page with its values; without a country it is the whole world.

Results by users (Stack Exchange, Hacker News: "written by users") and encyclopedias are marked as such. Providers
without a key were written from their documentation; none was tried live unless the last column has a day.

All processes that share a store together keep a provider's limits: calls a second, at once and a day. A call ends
without an answer when its own time or the search's (` + "`brief.deadlines.fanout`" + `) is over. That time begins when the
provider is really asked. Before that a question waits in Citewell's queue, first come first served and in turns by
tenant. A run's question waits as long as the run's own time lasts, and the run's log says so (` + "`queued`" + `); any other
waits as long as an answer may take, and if its turn comes later, it is ` + "`queued`" + ` at once, with the time until then.
` + "`citewell doctor`" + ` says how many runs at once a provider's rate allows.

A provider is *doubtful* if its last call timed out or was refused for too many calls, or if its last two calls failed
otherwise. It is asked like the others, but nobody waits for it once the others have ended, more than half of all have
answered and something was found; Coverage says so. This lasts half a minute after a failure, and longer after each
further one.

An answer to the same query is reused for the time in the column “used again”, by all processes that share a cache and
for the same tenant; a look-up by number is reused for a day; a question about the last day or week is always asked.
Coverage gives the age of a reused answer, and ` + "`search --fresh`" + ` asks again. If the column is empty, nothing is kept.

| provider | what | kinds | needs | calls a second | at once | a day | time of a call | used again | looks up | tried live |
|---|---|---|---|---|---|---|---|---|---|---|
`

// A described provider has a name and a profile only.
type described struct {
	search.Provider
	name string
}

func (d described) Name() string { return d.name }

func (d described) Profile() search.Profile { return profileOf(d.name) }

// calledByWords returns the providers that are asked for one of their kinds where a question only calls for it.
func calledByWords() map[string]bool {
	var all []search.Provider
	for _, name := range Names() {
		all = append(all, described{name: name})
	}
	called := make(map[string]bool)
	for _, kind := range search.Kinds {
		scope := search.Scope{Kinds: []search.Kind{kind}, Lens: "any"}
		route, _ := search.Choose(citewell.Query{Text: "tides"}, scope, all)
		for _, p := range route.Providers {
			called[p.Name()] = true
		}
	}
	return called
}

func providersDocument() string {
	var b strings.Builder
	var sites []string
	for _, name := range Names() {
		d, _ := Describe(name)
		sites = append(sites, d.ContactSites...)
	}
	fmt.Fprintf(&b, providersHead, strings.Join(sites, ", "), maxFeeds, int(feedInterval.Minutes()))
	called := calledByWords()
	for _, name := range Names() {
		d, _ := Describe(name)
		kinds := []string{string(search.KindWeb)}
		if len(d.Kinds) > 0 {
			kinds = nil
			for _, kind := range d.Kinds {
				kinds = append(kinds, string(kind))
			}
		}
		if !called[name] {
			kinds = append(kinds, "not by words")
		}
		needs := slices.Clone(d.Needs)
		if d.WithKey != nil {
			needs = append(needs, "("+needKey+")")
		}
		figure := func(n func(search.Limits) any) string {
			of := func(l *search.Limits) string {
				if l == nil || reflect.ValueOf(n(*l)).IsZero() {
					return ""
				}
				return strings.NewReplacer("h0m0s", "h", "m0s", "m").Replace(fmt.Sprint(n(*l)))
			}
			said := of(&d.Limits)
			if more := of(d.WithContact); more != "" && more != said {
				said += ", with a contact " + more
			}
			if more := of(d.WithKey); more != "" && more != said {
				said += ", with a key " + more
			}
			return said
		}
		tried := d.Tried
		if tried == "" {
			tried = "no"
		}
		fmt.Fprintf(&b, "| [`%s`](%s) | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", name, d.Docs, d.About,
			strings.Join(kinds, ", "), strings.Join(needs, ", "),
			figure(func(l search.Limits) any { return l.Rate }), figure(func(l search.Limits) any {
				return l.Parallel
			}), figure(func(l search.Limits) any { return l.PerDay }),
			figure(func(l search.Limits) any { return l.Timeout }), figure(func(l search.Limits) any {
				return l.Fresh
			}), strings.Join(d.Lookups, ", "), tried)
	}
	return strings.ReplaceAll(b.String(), "[`local`](citewell help index)", "`local`")
}
