package brief

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/siteclass"
	"github.com/citewell/citewell/internal/weburl"
	"github.com/citewell/citewell/search"
)

// askedAtOnce is how many queries of one topic are put to one provider side by side: as
// many as one that takes a query a second answers within the fan-out, the topic itself
// among them. A provider's own limits still hold: what they leave no time for is not
// asked, and since the queries go in their order, that is the least of them.
const askedAtOnce = 4

// headStart is how long the first query, which is the whole topic, has for itself, so that
// it is the first in a provider's queue.
const headStart = 200 * time.Microsecond

// A hearing is one provider's answers to all queries, by query.
type hearing struct {
	answers []search.Answer
	skipped int // queries that were not put to it, since it had refused an earlier one
}

// askAll puts every query to every provider that is asked, within the fan-out's deadline from the first that it is
// really asked, or as long as that provider is waited for. In a run each query has that time.
func (w *Writer) askAll(ctx context.Context, asked []search.Provider, q citewell.Query, queries []string,
	p *progress) []hearing {
	all := make([]hearing, len(asked))
	fanout := search.NewFanout(ctx, asked)
	var providers sync.WaitGroup
	for i, provider := range asked {
		providers.Go(func() {
			ctx := search.Together(fanout.Context(i), search.WaitFor(provider, w.o.Deadlines.Fanout))
			all[i] = w.askQueries(ctx, q, queries, provider, p)
			fanout.End(i, all[i].report(provider.Name()))
		})
	}
	providers.Wait()
	return all
}

func (w *Writer) askQueries(ctx context.Context, q citewell.Query, queries []string, provider search.Provider,
	p *progress) hearing {
	a := hearing{answers: make([]search.Answer, len(queries))}
	var mu sync.Mutex
	var refusal search.Answer
	next := 0
	// take gives the next query, or why it is not to be asked.
	take := func() (at int, left bool) {
		mu.Lock()
		defer mu.Unlock()
		for next < len(queries) {
			next++
			if refusal.Err == nil {
				return next - 1, true
			}
			a.answers[next-1] = refusal
			a.skipped++
		}
		return 0, false
	}
	var workers sync.WaitGroup
	for i := range min(askedAtOnce, len(queries)) {
		if i == 1 {
			time.Sleep(headStart)
		}
		workers.Go(func() {
			for at, left := take(); left; at, left = take() {
				asking := q
				asking.Text = queries[at]
				if at > 0 { // what the whole topic names was looked up
					asking.Identifier = citewell.Identifier{}
				}
				answer := <-search.Ask(ctx, asking, []search.Provider{provider}, w.o.Deadlines.Fanout)
				p.tell(Event{Kind: EventProvider, Subject: provider.Name() + " for " + quoted(queries[at]),
					Outcome: string(answer.Outcome), Count: len(answer.Results), Elapsed: answer.Elapsed})
				mu.Lock()
				a.answers[at] = answer
				switch answer.Outcome {
				case citewell.ProviderBlocked, citewell.ProviderQuotaExhausted, citewell.ProviderAuth,
					citewell.ProviderTimeout:
					refusal = answer // asking on makes it worse
				}
				mu.Unlock()
			}
		})
	}
	workers.Wait()
	return a
}

// withNote adds a note that is not there yet. Of waits for one reason the longest is kept.
func withNote(notes []string, note string) []string {
	length, reason := waited(note)
	for i, known := range notes {
		switch before, same := waited(known); {
		case known == note:
			return notes
		case length > 0 && before > 0 && reason == same:
			if length > before {
				notes[i] = note
			}
			return notes
		}
	}
	return append(notes, note)
}

// waited takes apart a note of a wait: "waited 2s, since …".
func waited(note string) (time.Duration, string) {
	rest, found := strings.CutPrefix(note, "waited ")
	if !found {
		return 0, ""
	}
	length, reason, _ := strings.Cut(rest, ",")
	d, err := time.ParseDuration(length)
	if err != nil {
		return 0, ""
	}
	return d, reason
}

// report sums up what one provider did with all queries. It answered if it answered
// one; it found nothing only if it answered all and none with a result.
func (a hearing) report(name string) citewell.ProviderReport {
	r := citewell.ProviderReport{Name: name, Outcome: citewell.ProviderEmpty}
	failed := map[citewell.ProviderOutcome]int{}
	var first search.Answer
	var notes []string
	for _, answer := range a.answers {
		r.Results += len(answer.Results)
		r.ElapsedMS = max(r.ElapsedMS, answer.Elapsed.Milliseconds())
		switch {
		case !answer.Outcome.Answered():
			if failed[answer.Outcome]++; first.Outcome == "" {
				first = answer
			}
		case answer.Detail != "":
			notes = withNote(notes, answer.Detail)
		}
	}
	switch {
	case r.Results > 0:
		r.Outcome = citewell.ProviderOK
	case first.Outcome != "":
		r.Outcome = first.Outcome
	}
	if first.Outcome != "" {
		var counts []string
		for _, outcome := range providerOutcomes {
			if n := failed[outcome]; n > 0 {
				counts = append(counts, fmt.Sprintf("%d %s", n, outcome))
			}
		}
		queries := "1 query"
		if n := len(a.answers); n != 1 {
			queries = fmt.Sprintf("%d queries", n)
		}
		notes = append([]string{fmt.Sprintf("of %s %s: %s", queries, strings.Join(counts, ", "), first.Detail)},
			notes...)
		if a.skipped > 0 {
			notes = append(notes, fmt.Sprintf("%d of them not sent after that", a.skipped))
		}
	}
	r.Detail = strings.Join(notes, "; ")
	return r
}

// providerOutcomes are those of a failure, in the order in which they are counted.
var providerOutcomes = []citewell.ProviderOutcome{citewell.ProviderBlocked, citewell.ProviderRateLimited,
	citewell.ProviderQueued, citewell.ProviderQuotaExhausted,
	citewell.ProviderAuth, citewell.ProviderTimeout, citewell.ProviderBadResponse, citewell.ProviderFailed}

// What counts for a page beside its fit to the topic.
const (
	maxFrequency = 0.5 // reached by many queries; half of what is missing is added by each one more
	perScore     = 0.2 // for each point of quality above the least
	derivedRank  = 3   // places that a result loses whose query is not the topic itself
)

// rankFound merges and scores what all providers answered to all queries, best first. A
// page that several queries found counts more, and so does one at a better place. The
// results of the first of the queries are taken at their place, those of others lose some.
func rankFound(topic string, all []hearing, queries []int, now time.Time) []search.Ranked {
	var lists [][]citewell.Result
	found := map[string]int{} // in how many lists, by canonical URL
	for place, q := range queries {
		for _, a := range all {
			list := slices.Clone(a.answers[q].Results)
			seen := map[string]bool{}
			for i := range list {
				if place > 0 && list[i].Rank > 0 {
					list[i].Rank += derivedRank
				}
				if key := weburl.Canonical(list[i].URL); !seen[key] {
					seen[key] = true
					found[key]++
				}
			}
			lists = append(lists, list)
		}
	}
	ranked := search.Score(topic, now, search.Merge(lists...))
	for i := range ranked {
		r := &ranked[i]
		often := 0
		for _, key := range r.Keys {
			often = max(often, found[key])
		}
		r.Score += standing(*r, topic) - siteclass.Authority(r.Class) + maxFrequency*(1-math.Pow(0.5, float64(often-1)))
	}
	slices.SortStableFunc(ranked, func(a, b search.Ranked) int { return cmp.Compare(b.Score, a.Score) })
	return ranked
}

// standing is the authority of a page's place by its quality, or else by its class:
// a label that anyone can choose gives none.
func standing(r search.Ranked, topic string) float64 {
	q := quality(weburl.Host(r.URL), topic)
	switch {
	case q.Score > scoreUnverified:
		return perScore * float64(q.Score-scoreUnverified)
	case r.Class == siteclass.ClassOfficialDocs:
		return 0
	}
	return siteclass.Authority(r.Class)
}
