package trials

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/fetch"
	"github.com/citewell/citewell/internal/doctor"
	"github.com/citewell/citewell/internal/searchcall"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/search"
	"github.com/citewell/citewell/search/provider"
)

// query is what every provider is asked: words that any index has.
const query = "weather"

// feedsProvider searches the feeds that the user lists.
const feedsProvider = "feeds"

// Providers try each provider that is configured, and say what a contact would raise.
func Providers(deps provider.Deps) (probes []doctor.Probe) {
	for _, name := range provider.Names() {
		probe := doctor.Probe{Part: "provider", Name: name}
		if p, err := provider.New(name, deps); err == nil {
			probe.Try = func(ctx context.Context) (doctor.Answer, error) {
				return tryProvider(ctx, p, deps.Limits(name).Rate)
			}
		} else if view := citewell.View(err); view.Code == citewell.CodeProviderNotConfigured {
			probe.Off = view.Line()
		} else {
			probe.Try = func(context.Context) (doctor.Answer, error) { return doctor.Answer{}, err }
		}
		probes = append(probes, probe)
	}
	return append(probes, contact(deps))
}

// contact says what a contact would raise. Nothing is tried: nobody says whether it is believed.
func contact(deps provider.Deps) doctor.Probe {
	probe := doctor.Probe{Part: "contact", Name: "contact", Off: "none is set, and no provider here asks for one"}
	switch raises := provider.ContactRaises(deps); {
	case deps.Contact != "":
		probe.Off = deps.Contact + " is told to providers that ask for a contact"
	case len(raises) > 0:
		probe.Off = "none is set; contact or CITEWELL_CONTACT, an address of yours, would raise " +
			strings.Join(raises, "; ")
	}
	return probe
}

// tryProvider asks for what any index has, so only a person's own documents and feeds may find nothing. rate is how
// many calls a second it is asked at most; 0 is no limit.
func tryProvider(ctx context.Context, p search.Provider, rate float64) (doctor.Answer, error) {
	q := citewell.Query{Text: query, Limit: 5}
	if d, _ := provider.Describe(p.Name()); d.Sample != (citewell.Identifier{}) {
		q.Text, q.Identifier = d.Sample.Value, d.Sample
	}
	a := <-search.Ask(searchcall.WithMaxAge(ctx, 0), q, []search.Provider{p}, doctor.Timeout)
	if a.Err != nil {
		return doctor.Answer{}, a.Err
	}
	answer := doctor.Answer{Detail: fmt.Sprintf("%s for %q", text.Count(len(a.Results), "result"), q.Text)}
	if a.Detail != "" {
		answer.Detail += "; " + a.Detail
	}
	if rate > 0 {
		answer.Detail += "; " + carries(rate)
	}
	if len(a.Results) == 0 && p.Name() != searchcall.LocalProvider && p.Name() != feedsProvider {
		answer.Doubt = "a word this common should find something"
		answer.Hint = "the provider may be blocking this machine, or have nothing behind it; try it in a browser"
	}
	return answer, nil
}

// searchesAMinute is what a run is taken to search: one that thinks for some seconds between two searches.
const searchesAMinute = 3

// carries says how many runs at once find a provider free that is asked so many times a second.
func carries(rate float64) string {
	runs := max(int(rate*60/searchesAMinute), 1)
	return fmt.Sprintf(
		"%g calls a second carry about %s at once at %d searches a minute each, beyond that searches wait for "+
			"their turn", rate, text.Count(runs, "run"), searchesAMinute)
}

// Archive looks up a page that every archive of the web has; nobody is asked where it is off.
func Archive(client *fetch.Client, isOff bool) doctor.Probe {
	const address = "https://example.com/"
	p := doctor.Probe{Part: "archive", Name: "wayback"}
	if isOff {
		p.Off = "fetch.archive.use is off; a page that is gone is not looked for elsewhere"
		return p
	}
	p.Try = func(ctx context.Context) (doctor.Answer, error) {
		found, err := client.LookUp(ctx, address, time.Time{})
		if err != nil { // pages that are there are read without
			return doctor.Answer{
				Doubt: citewell.View(err).Message + ", so pages that are gone stay gone",
				Hint:  "fetch.archive.base_url is its address; fetch.archive.use: off switches it off",
			}, nil
		}
		return doctor.Answer{Detail: "the newest copy of " + address + " is of " + found.Date()}, nil
	}
	return p
}
