package search

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/searchcall"
	"github.com/citewell/citewell/internal/weburl"
)

// Guarded wraps p with limits of its own.
func Guarded(p Provider, limits Limits) Provider { return NewGate(p.Name(), limits).Guard(p) }

// Guard wraps p with the limits of g. Errors are Do's, and invalid_argument for a query that no provider could answer.
func (g *Gate) Guard(p Provider) Provider { return g.GuardKept(p, nil) }

type guarded struct {
	provider Provider
	gate     *Gate
	cache    Cache // of answers; may be nil
}

func (g *guarded) Name() string { return g.provider.Name() }

// Patience implements Patient, as the provider does.
func (g *guarded) Patience(timeout time.Duration) (time.Duration, string) {
	return patience(g.provider, timeout)
}

// Profile implements Profiled, as the provider does.
func (g *guarded) Profile() Profile { return profileOf(g.provider) }

func (g *guarded) Search(ctx context.Context, q citewell.Query) ([]citewell.Result, error) {
	if err := checkQuery(q); err != nil {
		return nil, err
	}
	q = withRange(q, time.Now())
	if known, ok := g.provider.(Profiled); ok && !slices.Contains(known.Profile().Lookups, q.Identifier.Scheme) {
		q.Identifier = citewell.Identifier{} // to it the query is its words, and counts as a search
	}
	results, ok := g.kept(ctx, q)
	if !ok {
		var err error
		if results, err = g.askProvider(ctx, q); err != nil {
			return nil, err
		}
	}
	if len(q.Sites) > 0 && slices.Contains(g.Profile().Kinds, KindWeb) {
		results = onSites(ctx, results, q.Sites)
	}
	return g.tidied(within(results, q)), nil
}

// askProvider puts q to the provider, and keeps what it answers.
func (g *guarded) askProvider(ctx context.Context, q citewell.Query) (results []citewell.Result, err error) {
	x := &Exchange{Query: q.Text, Lookup: q.Identifier != (citewell.Identifier{})}
	var said notes
	err = g.gate.doExchange(ctx, x, func(ctx context.Context) (err error) {
		noting := searchcall.WithNotes(ctx, func(note string) { said.add(note); searchcall.Note(ctx, note) })
		results, err = g.provider.Search(noting, q)
		x.Results = min(len(results), g.gate.limits.MaxResults)
		return err
	})
	if err != nil {
		return nil, err
	}
	g.keepAnswer(ctx, q, results, said.all())
	return results, nil
}

// onSites leaves out what is of other sites, since an engine may take them for words, and Notes which were looked at.
func onSites(ctx context.Context, results []citewell.Result, sites []string) []citewell.Result {
	kept := slices.DeleteFunc(slices.Clone(results), func(r citewell.Result) bool {
		return !weburl.OnSites(r.URL, sites)
	})
	note := "kept to " + strings.Join(sites, ", ")
	if n := len(results) - len(kept); n > 0 {
		note += fmt.Sprintf("; %d of other sites left out", n)
	}
	searchcall.Note(ctx, note)
	return kept
}

// checkQuery refuses what no provider could answer, before anything is sent.
func checkQuery(q citewell.Query) error {
	refuse := func(message string) error {
		return &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "search", Message: message}
	}
	if strings.TrimSpace(q.Text) == "" {
		return refuse("query is required")
	}
	if q.Limit < 0 {
		return refuse("the number of results wanted must be 1 or more")
	}
	if !q.TimeRange.Valid() {
		return refuse("time_range must be day, week, month or year")
	}
	if len(q.Sites) > MaxSites {
		return refuse(fmt.Sprintf("there may be %d sites, not %d", MaxSites, len(q.Sites)))
	}
	for name, day := range map[string]string{"since": q.Since, "until": q.Until} {
		if _, err := time.Parse(time.DateOnly, day); day != "" && err != nil {
			return refuse(name + " must be a day, as in 2024-01-31")
		}
	}
	if q.Since != "" && q.Until != "" && q.Since > q.Until {
		return refuse("since must not be after until")
	}
	return nil
}

// withRange gives a query that begins on a day the narrowest time range that holds it, for providers that know no days.
func withRange(q citewell.Query, now time.Time) citewell.Query {
	since, err := time.Parse(time.DateOnly, q.Since)
	if err != nil || q.TimeRange != citewell.AnyTime {
		return q
	}
	for _, r := range []struct {
		name citewell.TimeRange
		days int
	}{{citewell.PastDay, 1}, {citewell.PastWeek, 7}, {citewell.PastMonth, 30}, {citewell.PastYear, 365}} {
		if !since.Before(now.UTC().AddDate(0, 0, -r.days).Truncate(24 * time.Hour)) {
			q.TimeRange = r.name
			break
		}
	}
	return q
}

// within leaves out what is dated and outside of the query's days; most pages have no date.
func within(results []citewell.Result, q citewell.Query) []citewell.Result {
	if q.Since == "" && q.Until == "" {
		return results
	}
	return slices.DeleteFunc(slices.Clone(results), func(r citewell.Result) bool {
		return r.Published != "" && (r.Published < q.Since || q.Until != "" && r.Published > q.Until)
	})
}

// tidied gives each result its provider and rank and cuts what nobody would read.
func (g *guarded) tidied(results []citewell.Result) []citewell.Result {
	results = slices.Clone(results[:min(len(results), g.gate.limits.MaxResults)])
	for i := range results {
		results[i].Provider, results[i].Rank = g.Name(), i+1
	}
	return results
}

// call asks p and turns a panic into an error.
func call(ctx context.Context, p Provider, q citewell.Query) (results []citewell.Result, err error) {
	err = recovering(ctx, p.Name(), func(ctx context.Context) (err error) {
		results, err = p.Search(ctx, q)
		return err
	})
	return results, err
}

// recovering makes a call and turns a panic, which a hostile answer may have caused, into an error.
func recovering(ctx context.Context, name string, call func(context.Context) error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &citewell.Error{Code: citewell.CodeInternal, Op: "search " + name,
				Message: "reading the answer of " + name + " went wrong; please report it",
				Err:     fmt.Errorf("panic: %v\n%s", v, debug.Stack())}
		}
	}()
	return call(ctx)
}

// typed returns the *citewell.Error in err's chain, or one that stands for it.
func typed(name string, err error) *citewell.Error {
	if e, ok := errors.AsType[*citewell.Error](err); ok {
		return e
	}
	e := &citewell.Error{Code: citewell.CodeOf(err), Op: "search " + name, Err: err}
	switch e.Code {
	case citewell.CodeTimeout:
		e.Message = name + " did not answer in time"
	case citewell.CodeCanceled:
		e.Message = "the search was ended before " + name + " answered"
	default:
		e.Message = name + " failed in a way it should not; please report it"
	}
	return e
}
