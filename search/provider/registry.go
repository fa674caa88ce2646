// Package provider holds the search providers, one file each.
//
// Flow: Query → request in the provider's format → answer → Results, plain text and fetchable URLs only. A provider
// adds itself by register in its own file; New and All return the configured ones. They have no limits, retries or
// caches: search.Guarded wraps each with the Limits of its Description.
//
// A provider's own filters and verticals, which citewell.Query does not have, are the options of
// NewWith, for the tools of other systems. What is built so is used for many queries, and goes
// behind search.Guarded as the others do.
//
// Units: sizes in bytes; dates are YYYY-MM-DD, and empty if an answer has none. Zero Settings means the provider's
// public address and no key.
// Errors: *citewell.Error. An answer that only looks empty (a bot page, a limiter, an instance whose engines are all
// down) is an error with its own code, never an empty list. No message contains a key, a query, or an address other
// than a host name.
// Concurrency: a provider may be asked from many goroutines.
// Source: each provider's documents, named in its Description.
package provider

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/fetch"
	"github.com/citewell/citewell/internal/services"
	"github.com/citewell/citewell/search"
	"github.com/citewell/citewell/store"
)

// Deps are what providers are built from.
type Deps struct {
	Guard     *egress.Guard       // every connection goes through it; egress.Default when nil
	UserAgent string              // sent as it is
	Texts     TextSearcher        // the user's indexed documents; nil: provider local is not there
	Meanings  TextSearcher        // finds them by meaning; nil without an embedding model
	Pages     PageGetter          // fetches feeds; nil: provider feeds cannot be opened
	Settings  map[string]Settings // by provider name; a missing entry is the zero value
	Own       []egress.Network    // networks of the operator, beside those that nobody else can reach
	Contact   string              // of whoever runs this, an e-mail or a web address; sent where a Description says so
	Closed    bool                // an Open provider is there only where its own settings say so
}

// Settings are what a user configures for one provider.
type Settings struct {
	Disabled bool
	Enabled  bool // said so: an Open provider is there where search is closed off, too
	APIKey   citewell.Secret
	BaseURL  string   // the operator's word: it may be on loopback, and hold {language}
	CSEID    string   // google's programmable search engine
	Rate     float64  // calls a second; 0 means the Description's
	URLs     []string // of feeds
	OPML     string   // path of a file that lists feeds
}

// PageGetter is the part of fetch.Client that gets a page. One with a Cache keeps feeds for as
// long as they are not to be asked for again.
type PageGetter interface {
	Get(ctx context.Context, r fetch.Request) (citewell.Page, error)
}

// TextSearcher is the part of store.Text that searches.
type TextSearcher interface {
	SearchText(ctx context.Context, query store.TextQuery) ([]store.TextHit, error)
}

// A Description says what a provider is and needs.
type Description struct {
	Name  string
	About string   // one sentence for people
	Docs  string   // where its wire is described
	Needs []string // setting names without which it is not configured, as in "base_url"
	// environment names that users already have for those settings; a key's that is needed end in _API_KEY
	Env    []string
	Limits search.Limits // its manners, for search.Guarded

	Kinds []search.Kind // of sources that it knows, the first above all; the web where none is named
	// among those of its first kind, where not all are asked: 1 goes before 2, and 0 comes last
	Place       int
	Open        bool           // it asks for no key and takes part unless search is closed off: see Deps.Closed
	WithContact *search.Limits // its manners towards a caller whose contact it is told; nil: it is never told
	// hosts, with those below them, whose pages ask their visitors for a contact as well
	ContactSites []string
	// its manners towards a caller with a key, where it asks for none; nil: they are the same
	WithKey   *search.Limits
	Languages []string // codes of those that it has a host for, the first where no other is asked for
	Lookups   []string // schemes of the identifiers that it looks up
	// one that is there, of a provider that looks up and does not search; none for all others
	Sample citewell.Identifier
	// the day on which its wire was tried, YYYY-MM-DD; empty: never, it is written from documents
	Tried string
}

// keptAwhile is how long an answer without a key is used again by all processes that share a
// cache: nobody's question needs a commons to be asked twice within it.
const keptAwhile = 15 * time.Minute

// ownLimits are the manners towards a service of the operator's own: no pace, but not more
// calls at once than a server of its size begins well.
var ownLimits = search.Limits{Rate: 1000, Burst: 64, Parallel: 64}

// Limits returns the manners of the provider of that name, as they are configured.
func (d Deps) Limits(name string) search.Limits {
	e, settings := registry[name], d.Settings[name]
	limits := e.Limits
	if e.WithContact != nil && d.Contact != "" {
		limits = *e.WithContact
	}
	if e.WithKey != nil && !settings.APIKey.Empty() {
		limits = *e.WithKey
	}
	if slices.Contains(e.Needs, needURL) && d.isOwn(settings.BaseURL) {
		limits = ownLimits
	}
	itsTerms := limits.RateFixed && settings.BaseURL == "" // a rate may keep below them, and a mirror has its own
	if settings.Rate > 0 && (!itsTerms || settings.Rate < limits.Rate) {
		limits.Rate, limits.Burst = settings.Rate, max(1, min(limits.Burst, int(settings.Rate)))
	}
	return limits
}

// isOwn says whether a base URL names a host of the operator's own.
func (d Deps) isOwn(base string) bool {
	u, err := url.Parse(base)
	if err != nil || u.Hostname() == "" {
		return false
	}
	addr, err := netip.ParseAddr(u.Hostname())
	return services.IsInside(u.Hostname()) || err == nil && slices.ContainsFunc(d.Own, func(n egress.Network) bool {
		return n.Prefix.Contains(addr.Unmap())
	})
}

// An entry is a registered provider. Open may assume that what Needs lists is
// there, and returns invalid_config where a setting cannot be used.
type entry struct {
	Description
	open func(Deps, Settings) (search.Provider, error)
}

var registry = make(map[string]entry)

// register adds a provider; a second one of the same name is a bug.
func register(d Description, open func(Deps, Settings) (search.Provider, error)) {
	if _, ok := registry[d.Name]; ok || d.Name == "" {
		panic("provider registered twice or without a name: " + d.Name)
	}
	registry[d.Name] = entry{d, open}
}

// Names lists all providers there are, sorted, configured or not.
func Names() []string { return slices.Sorted(maps.Keys(registry)) }

// Describe returns what the provider of that name is and needs.
func Describe(name string) (Description, bool) {
	e, ok := registry[name]
	return e.Description, ok
}

// Configured lists the names that New and All have what they need for, sorted.
func (d Deps) Configured() []string {
	return slices.DeleteFunc(Names(), func(name string) bool { return d.missing(registry[name]) != nil })
}

// New returns the provider of that name. Its errors are unknown_provider, which
// lists the configured names; provider_not_configured, which says what to set; and
// invalid_config.
func New(name string, d Deps) (search.Provider, error) {
	e, ok := registry[name]
	if !ok {
		return nil, &citewell.Error{Code: citewell.CodeUnknownProvider, Op: "search",
			Message: fmt.Sprintf("there is no provider %.40q; configured are: %s", name,
				strings.Join(d.Configured(), ", "))}
	}
	if err := d.missing(e); err != nil {
		return nil, err
	}
	return e.open(d, d.Settings[name])
}

// profileOf is what the Description of a provider says of when it is worth asking.
func profileOf(name string) search.Profile {
	d := registry[name].Description
	return search.Profile{Kinds: d.Kinds, Lookups: d.Lookups, Open: d.Open, Place: d.Place,
		LooksUpAlone: d.Sample != citewell.Identifier{}}
}

// envFor returns the environment names of one need: keys are told by their ending.
func (d Description) envFor(need string) []string {
	return slices.DeleteFunc(slices.Clone(d.Env), func(env string) bool {
		return strings.HasSuffix(env, "_API_KEY") != (need == needKey)
	})
}

// All returns every configured provider, by name. Those whose settings cannot be
// used are left out and named in the error, so that the others can still answer.
func All(d Deps) ([]search.Provider, error) {
	var providers []search.Provider
	var problems []error
	for _, name := range d.Configured() {
		p, err := New(name, d)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		providers = append(providers, p)
	}
	return providers, errors.Join(problems...)
}

// missing says what keeps a provider from being configured, if anything does.
func (d Deps) missing(e entry) error {
	settings := d.Settings[e.Name]
	refuse := func(message, hint string) error {
		return &citewell.Error{Code: citewell.CodeProviderNotConfigured, Op: "search " + e.Name,
			Message: message, Hint: hint}
	}
	if settings.Disabled {
		return refuse(e.Name+" is switched off", "set search.providers."+e.Name+".enabled to true")
	}
	if e.Open && d.Closed && !settings.Enabled && settings.BaseURL == "" {
		return refuse(e.Name+" asks the open web, and search is closed off from it",
			"set search.providers."+e.Name+".enabled to true, or search.open to true for all that need no key")
	}
	for _, need := range e.Needs {
		switch {
		case need == needContact && d.email() == "":
			return refuse(e.Name+" answers those only who give an e-mail address",
				"set contact or CITEWELL_CONTACT to an address of yours")
		case need == needTexts && d.Texts == nil:
			return refuse("no documents are indexed yet", "index a file, a folder or a URL first")
		case need == needKey && settings.APIKey.Empty(), need == needURL && settings.BaseURL == "", need == needCSE &&
			settings.CSEID == "", need == needFeeds && len(settings.URLs) == 0 && settings.OPML == "":
			hint := "set search.providers." + e.Name + "." + need
			if env := e.envFor(need); len(env) > 0 {
				hint += " or " + strings.Join(env, " or ")
			}
			return refuse(e.Name+" has no "+need, hint)
		}
	}
	return nil
}

// What a Description may need, in the words of the configuration.
const (
	needKey   = "api_key"
	needURL   = "base_url"
	needCSE   = "cse_id"
	needTexts = "documents"
	needFeeds = "urls" // or opml

	needContact = "contact" // an e-mail address
)
