package measure

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/sheet"
	"github.com/citewell/citewell/internal/testing/score"
)

// A Pipeline answers the question from the engines of a simulated web, with nothing
// remembered of an earlier run. The caller calls done when it has the answer.
type Pipeline func(ctx context.Context, engines []Endpoint) (ask func(ctx context.Context, question string,
	depth int) (citewell.Brief, error), done func() error, err error)

// An Endpoint is one search engine of the simulated web, in SearXNG's shape.
type Endpoint struct{ Name, URL string }

// A profile is how a simulated web behaves: how long each engine takes and which
// sites it lists, best first, and how long the robots.txt and the page of each site
// take.
type profile struct {
	name    string
	about   string
	engines []engine
	robots  time.Duration
	pages   []time.Duration // by site
}

type engine struct {
	after time.Duration
	sites []int
}

const ms = time.Millisecond

// profiles are the ways latencies fall. Every engine answers and every page can be
// read: what failures cost is the business of tests.
var profiles = []profile{
	{name: "alike", about: "every engine and page takes 300 ms", engines: alike(300*ms, 300*ms, 300*ms),
		pages: []time.Duration{300 * ms, 300 * ms, 300 * ms, 300 * ms, 300 * ms, 300 * ms}},
	{name: "slow-engine", about: "two engines 100 and 150 ms, one 1 s; pages 250 ms",
		engines: alike(100*ms, 150*ms, 1000*ms), pages: []time.Duration{
			250 * ms, 250 * ms, 250 * ms, 250 * ms, 250 * ms, 250 * ms}},
	{name: "slow-page", about: "engines 150 to 250 ms; one page 1.2 s", engines: alike(150*ms, 200*ms, 250*ms),
		pages: []time.Duration{100 * ms, 1200 * ms, 200 * ms, 150 * ms, 150 * ms, 150 * ms}},
	{name: "robots", about: "each robots.txt takes 150 ms, engines and pages 300 to 400 ms",
		engines: alike(300*ms, 350*ms, 400*ms), robots: 150 * ms,
		pages: []time.Duration{300 * ms, 350 * ms, 400 * ms, 300 * ms, 300 * ms, 300 * ms}},
	{name: "late-leaders", about: "the slow engines, 800 and 850 ms, put first what the fast one, 100 ms, does " +
		"not have", engines: []engine{{100 * ms, []int{0, 1, 2, 3}}, {800 * ms, []int{4, 5, 0, 1}},
		{850 * ms, []int{4, 5, 1, 0}}},
		pages: []time.Duration{400 * ms, 400 * ms, 400 * ms, 400 * ms, 500 * ms, 500 * ms}},
	{name: "slow", about: "engines 1.5 to 2 s, pages 1.2 to 1.8 s", engines: alike(1500*ms, 1800*ms, 2000*ms),
		pages: []time.Duration{1500 * ms, 1200 * ms, 1800 * ms, 1500 * ms, 1500 * ms, 1500 * ms}},
	{name: "fast", about: "everything takes 20 ms: what is left is our own work", engines: alike(20*ms, 20*ms, 20*ms),
		pages: []time.Duration{20 * ms, 20 * ms, 20 * ms, 20 * ms, 20 * ms, 20 * ms}},
}

func alike(after ...time.Duration) []engine {
	var engines []engine
	for _, d := range after {
		engines = append(engines, engine{d, []int{0, 1, 2, 3, 4, 5}})
	}
	return engines
}

// readings is how many sources are read, web_search's default.
const readings = 3

// Search measures the wall time of whole answers on simulated webs whose latencies
// are known, beside the critical path: the slowest engine, then the slowest page
// that became a source. Overlap lets an answer be faster than that; what foresight
// could at best reach is shown as well. Webs names some of them; none means all.
func Search(ctx context.Context, pipeline Pipeline, webs []string, o Options) (sheet.Report, error) {
	var chosen []profile
	for _, p := range profiles {
		if len(webs) == 0 || slices.Contains(webs, p.name) {
			chosen = append(chosen, p)
		}
	}
	for _, web := range webs {
		if !slices.Contains(Webs(), web) {
			return sheet.Report{}, &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "bench.search",
				Message: fmt.Sprintf("there is no simulated web %q", web),
				Hint:    "there are " + strings.Join(Webs(), ", ")}
		}
	}
	return searchOn(ctx, chosen, pipeline, o)
}

// Webs are the names of the simulated webs.
func Webs() []string {
	var names []string
	for _, p := range profiles {
		names = append(names, p.name)
	}
	return names
}

func searchOn(ctx context.Context, profiles []profile, pipeline Pipeline, o Options) (sheet.Report, error) {
	o = o.withDefaults()
	t := sheet.Table{
		Title: fmt.Sprintf("Wall time of an answer from %d sources, three engines, loopback", readings),
		Columns: []sheet.Column{{Key: "wall_ms", Title: "wall ms"}, {Key: "critical_ms", Title: "critical path"},
			{Key: "of_critical", Title: "× critical", Decimals: 2},
			{Key: "foresight_ms", Title: "foresight"}, {Key: "over_ms", Title: "ms above it"},
			{Key: "sequence_ms", Title: "in sequence"}},
		Notes: []string{
			"critical path: the slowest engine, then the slowest fetch that became a source, robots.txt included; " +
				"computed from the latencies",
			"foresight: the least possible, had the pages been known as soon as any engine named them; in sequence: " +
				"one thing after another",
			"wall: the median; what is above foresight is waiting to know which pages are needed, extraction, " +
				"checking and keeping",
		},
	}
	for _, p := range profiles {
		o.Say("a simulated web: " + p.about)
		row, err := p.measure(ctx, pipeline, o.Rounds)
		if err != nil {
			return sheet.Report{}, err
		}
		t.Rows = append(t.Rows, row)
	}
	return sheet.Report{Schema: sheet.Schema, Name: "search", Rounds: o.Rounds, Tables: []sheet.Table{t}}, nil
}

func (p profile) measure(ctx context.Context, pipeline Pipeline, rounds int) (sheet.Row, error) {
	web, err := startWeb(p)
	if err != nil {
		return sheet.Row{}, err
	}
	defer web.Close()
	figures := map[string][]float64{}
	for range rounds {
		ask, done, err := pipeline(ctx, web.endpoints())
		if err != nil {
			return sheet.Row{}, err
		}
		began := time.Now()
		b, err := ask(ctx, web.question(), readings)
		wall := time.Since(began)
		if closed := done(); err == nil {
			err = closed
		}
		if err != nil {
			return sheet.Row{}, err
		}
		sites := web.sitesOf(b)
		if len(sites) != readings {
			return sheet.Row{}, &citewell.Error{Code: citewell.CodeInternal, Op: "bench.search",
				Message: fmt.Sprintf("on the web %s %d of %d pages became sources", p.name, len(sites), readings)}
		}
		critical, foresight, sequence := p.paths(sites)
		for key, d := range map[string]time.Duration{"wall_ms": wall, "critical_ms": critical,
			"foresight_ms": foresight, "sequence_ms": sequence, "over_ms": wall - foresight} {
			figures[key] = append(figures[key], float64(d)/float64(time.Millisecond))
		}
		figures["of_critical"] = append(figures["of_critical"], float64(wall)/float64(critical))
	}
	row := sheet.Row{Name: p.name, Origin: sheet.Measured, Figures: map[string]float64{}, Note: p.about}
	for key, values := range figures {
		row.Figures[key] = score.Median(values)
	}
	return row, nil
}

// paths are the times that an answer from some sites takes: by the critical path, by
// the best possible order, and one step after another.
func (p profile) paths(sites []int) (critical, foresight, sequence time.Duration) {
	var slowestEngine, slowestFetch time.Duration
	for _, e := range p.engines {
		slowestEngine = max(slowestEngine, e.after)
		sequence += e.after
	}
	foresight = slowestEngine
	for _, site := range sites {
		fetch := p.robots + p.pages[site]
		slowestFetch = max(slowestFetch, fetch)
		sequence += fetch
		named := time.Duration(-1)
		for _, e := range p.engines {
			for _, s := range e.sites {
				if s == site && (named < 0 || e.after < named) {
					named = e.after
				}
			}
		}
		foresight = max(foresight, max(named, 0)+fetch)
	}
	return slowestEngine + slowestFetch, foresight, sequence
}
