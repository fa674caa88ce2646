package app

import (
	"context"
	"runtime"

	"github.com/citewell/citewell/extract"
	"github.com/citewell/citewell/fetch"
	"github.com/citewell/citewell/internal/backend"
	"github.com/citewell/citewell/internal/places"
	"github.com/citewell/citewell/search/provider"
)

// reading is what gets pages and reads them.
type reading struct {
	Fetch   *fetch.Client
	Extract *extract.Extractor
	whole   *extract.Extractor // keeps all that a page shows
	readers *places.Places     // of both
}

// newReading fetches with the manners of all processes that share the store, where there is one.
func newReading(s settings, n network, kept backend.Kept, cache backend.Cache,
	heard func(context.Context, fetch.Exchange)) (r reading, err error) {
	c := s.Config
	o := fetch.Options{Guard: n.Guard, UserAgent: s.userAgent, IgnoreRobots: !c.Fetch.RespectRobots,
		CacheTTL: c.Fetch.CacheTTL, Heard: heard, AgentAt: provider.Deps{
			UserAgent: s.userAgent, Contact: c.Contact}.AgentAt}
	if o.Archive, err = webArchive(c.Fetch.Archive); err != nil {
		return r, err
	}
	if kept != nil { // of all tenants: a host knows no more of them than an address
		o.Pace, o.Alone = kept, s.alone("ask the same hosts at the same time")
	}
	if cache != nil && c.Fetch.CacheTTL != 0 { // 0: no page comes from the cache
		if o.Cache, err = newCacheSpace(cache, pageSettings(c)); err != nil {
			return r, err
		}
	}
	of := extract.Options{Timeout: c.Brief.Deadlines.Extract, Places: places.New(runtime.GOMAXPROCS(0))}
	r = reading{Fetch: fetch.New(o), Extract: extract.New(of), readers: of.Places}
	of.Whole = true
	r.whole = extract.New(of)
	return r, nil
}
