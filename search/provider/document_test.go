package provider

import (
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/citewell/citewell/internal/testing/golden"
	"github.com/citewell/citewell/search"
)

// doc/providers.md is made from the descriptions.
func TestProvidersDocument(t *testing.T) {
	golden.Check(t, filepath.Join("..", "..", "doc", "providers.md"), providersDocument())
}

const providersHead = `# Providers

Made from the descriptions by ` + "`go test ./search/provider -run ProvidersDocument -update`" + `; do not edit.

A question is put to the web and to the kinds of sources that its words call for; ` + "`--sources`" + ` names kinds
instead, ` + "`--provider`" + ` names providers, and ` + "`citewell doctor`" + ` tries all that are configured. Coverage says who was
asked, why, and what came of it. What needs nothing takes part unless ` + "`search.open: off`" + `; an own entry below
` + "`search.providers`" + ` switches one on or off (` + "`enabled`" + `), slows it (` + "`rate`" + `), or leads it elsewhere (` + "`base_url`" + `).

` + "`contact`" + ` (` + "`CITEWELL_CONTACT`" + `) is an address of yours, told to those alone that ask for one: with an e-mail address
some let a caller ask more, and the SEC lets in nobody without. Pages of %s
ask for it as well, and are told over HTTPS by whatever fetches them (` + "`fetch`" + `, ` + "`web_fetch`" + `, a search); no other
site is, nor where a redirect leads. A key that none needs but that raises what one may ask stands in its column in
brackets.

` + "`feeds`" + ` reads the RSS and Atom feeds of ` + "`search.providers.feeds.urls`" + ` and of the OPML file ` + "`search.providers.feeds.opml`" + `,
at most %d. Each is asked for at most once in %d minutes by all processes that share a cache, and sends only what has
changed; ` + "`fetch.allow_networks`" + ` opens private hosts. Its entries are found by words, and by their days. A feed that
cannot be read is named in Coverage.

` + "`worldbank`" + ` is asked where a question names a series by its code, as in "SP.POP.TOTL Germany France" or in an address of
its pages, and for no words: each country that is named in English, in the question's language or by its ISO code of three letters is a
page with its values, the whole world where none is.

What others wrote for others is said to be that (Stack Exchange, Hacker News: "written by users"), and so is an
encyclopedia. None of the addresses that answer without a key has been tried live from here unless the last column
has a day: they are written from their documents.

All processes that share a store keep to a provider's calls a second, at once and a day together. A call that has
not been answered within its time is given up, and so is one when a search's time (` + "`brief.deadlines.fanout`" + `) is
over. That time begins when the provider is really asked. Before it a question waits in our own queue, first come first
served and in turns by tenant: that of a run as long as the run's own time lasts, which its log tells (` + "`queued`" + `), any
other for as long as an answer may take; one whose turn comes later is ` + "`queued`" + ` at once, with the time until
then. ` + "`citewell doctor`" + ` says how many runs at once a provider's rate carries. A provider whose last call ended by the clock, or with a refusal for too many calls, or whose last two failed
otherwise, is asked like the others, but nobody waits for it once the others have ended, more than half of all have
answered and something was found; Coverage says so. That lasts half a minute after a failure, and longer after each further one.

The answer to the same query is used again for as long as its column “used again” says, by all processes that share a
cache and for the same tenant, and what was looked up by its number for a day; a question for the last day or week is
always asked. Coverage says how old such an answer is, and ` + "`search --fresh`" + ` asks anew. Where the column is empty, nothing
is kept.

| provider | what | kinds | needs | calls a second | at once | a day | time of a call | used again | looks up | tried live |
|---|---|---|---|---|---|---|---|---|---|---|
`

func providersDocument() string {
	var b strings.Builder
	var sites []string
	for _, name := range Names() {
		d, _ := Describe(name)
		sites = append(sites, d.ContactSites...)
	}
	fmt.Fprintf(&b, providersHead, strings.Join(sites, ", "), maxFeeds, int(feedInterval.Minutes()))
	for _, name := range Names() {
		d, _ := Describe(name)
		kinds := []string{string(search.KindWeb)}
		if len(d.Kinds) > 0 {
			kinds = nil
			for _, kind := range d.Kinds {
				kinds = append(kinds, string(kind))
			}
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
		fmt.Fprintf(&b, "| [`%s`](%s) | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", name, d.Docs, d.About, strings.Join(kinds, ", "), strings.Join(needs, ", "),
			figure(func(l search.Limits) any { return l.Rate }), figure(func(l search.Limits) any { return l.Parallel }), figure(func(l search.Limits) any { return l.PerDay }),
			figure(func(l search.Limits) any { return l.Timeout }), figure(func(l search.Limits) any { return l.Fresh }), strings.Join(d.Lookups, ", "), tried)
	}
	return strings.ReplaceAll(b.String(), "[`local`](citewell help index)", "`local`")
}
