package search_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/searchcall"
	"github.com/citewell/citewell/search"
)

// counting is a register that counts how often it is asked, and what for.
type counting struct {
	asked []string
	fails error
}

func (*counting) Name() string { return "papers" }
func (*counting) Profile() search.Profile {
	return search.Profile{Lookups: []string{citewell.SchemeDOI}, Kinds: []search.Kind{search.KindScholarly}}
}

func (c *counting) Search(ctx context.Context, q citewell.Query) ([]citewell.Result, error) {
	if c.asked = append(c.asked, q.Text); c.fails != nil {
		return nil, c.fails
	}
	searchcall.Note(ctx, "the query was cut")
	return []citewell.Result{{Title: "A", URL: "https://a.example/", Published: "2024-05-01"},
		{Title: "B", URL: "https://b.example/"}}, nil
}

// The answer to the same query is used again for as long as it is fresh, by each process that
// shares the cache, and counts towards no limit; what an identifier names, for a day.
func TestAnswersAreUsedAgain(t *testing.T) {
	words := citewell.Query{Text: "tides"}
	looked := citewell.Query{Text: "what does 10.5555/a say",
		Identifier: citewell.Identifier{Scheme: citewell.SchemeDOI, Value: "10.5555/a"}}
	inOtherWords := looked
	inOtherWords.Text = "doi:10.5555/a"
	of := func(text string, change func(*citewell.Query)) citewell.Query {
		q := citewell.Query{Text: text}
		change(&q)
		return q
	}
	for name, test := range map[string]struct {
		first, then citewell.Query
		after       time.Duration
		age         time.Duration // of WithMaxAge; below 0: none
		asked       int
	}{
		"soon":              {words, words, 9 * time.Minute, -1, 1},
		"later":             {words, words, 10 * time.Minute, -1, 2},
		"later, let be old": {words, words, 23 * time.Hour, searchcall.KeptFor, 1},
		"too old":           {words, words, 25 * time.Hour, 48 * time.Hour, 2},
		"fresh":             {words, words, 0, 0, 2},
		"other words":       {words, citewell.Query{Text: "ebbs"}, 0, -1, 2},
		"other days":        {words, of("tides", func(q *citewell.Query) { q.Since = "2024-01-01" }), 0, -1, 2},
		"another limit":     {words, of("tides", func(q *citewell.Query) { q.Limit = 1 }), 0, -1, 2},
		"the last week": {of("tides", func(q *citewell.Query) { q.TimeRange = citewell.PastWeek }),
			of("tides", func(q *citewell.Query) { q.TimeRange = citewell.PastWeek }), 0, -1, 2},
		"looked up":          {looked, inOtherWords, 23 * time.Hour, -1, 1},
		"looked up long ago": {looked, looked, 24 * time.Hour, -1, 2},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				service, cache := new(counting), newKept()
				process := func() search.Provider {
					return search.NewGate("papers", search.Limits{Fresh: 10 * time.Minute, PerDay: 1}).
						GuardKept(service, cache)
				}
				if _, err := process().Search(t.Context(), test.first); err != nil {
					t.Fatal(err)
				}
				time.Sleep(test.after)
				ctx := t.Context()
				if test.age >= 0 {
					ctx = searchcall.WithMaxAge(ctx, test.age)
				}
				p := process()
				a := <-search.Ask(ctx, test.then, []search.Provider{p}, 0)
				if a.Outcome != citewell.ProviderOK || len(a.Results) != 2 || a.Results[0].Provider != "papers" ||
					a.Results[1].Rank != 2 || !strings.Contains(a.Detail, "the query was cut") {
					t.Errorf("%+v", a)
				}
				if len(service.asked) != test.asked || strings.Contains(a.Detail,
					"was not asked again") != (test.asked == 1) {
					t.Errorf("asked for %q; %s", service.asked, a.Detail)
				}
				_, err := p.Search(searchcall.WithMaxAge(t.Context(), 0), test.then)
				// of the one call that the second process has
				if spent := citewell.CodeOf(err) == citewell.CodeQuotaExhausted; spent != (test.asked == 2) {
					t.Errorf("afterwards %v", err)
				}
			})
		})
	}
}

// Without a time for which an answer is fresh nothing is kept, and a failure never is.
func TestAnswersThatAreNotKept(t *testing.T) {
	q := citewell.Query{Text: "tides"}
	for name, test := range map[string]struct {
		limits search.Limits
		fails  error
		shared bool
	}{
		"no time":   {search.Limits{}, nil, true},
		"a failure": {search.Limits{Fresh: time.Hour, Tries: 1}, coded(citewell.CodeBadResponse, 0), true},
		"no cache":  {search.Limits{Fresh: time.Hour}, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			service, gate, cache := &counting{fails: test.fails}, search.NewGate("papers", test.limits), newKept()
			p := gate.GuardKept(service, cache)
			if !test.shared {
				p = gate.Guard(service)
			}
			for range 2 {
				if _, err := p.Search(t.Context(), q); (err != nil) != (test.fails != nil) {
					t.Error(err)
				}
			}
			if len(service.asked) != 2 || len(cache.entries) != 0 {
				t.Errorf("asked %d times, %d kept", len(service.asked), len(cache.entries))
			}
		})
	}
}

// A service has its own time for a call, which its queue does not take from; it is asked again
// while the caller has time.
func TestAServiceHasItsOwnTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hangs := &after{name: "papers", delay: time.Hour, listen: true}
		gate := search.NewGate("papers", search.Limits{Timeout: 4 * time.Second, Parallel: 1, Tries: 1})
		began := time.Now()
		answers := []search.Answer{}
		for range 2 {
			for a := range search.Ask(t.Context(), question, []search.Provider{gate.Guard(hangs)}, 30*time.Second) {
				answers = append(answers, a)
			}
		}
		if took := time.Since(began); took != 8*time.Second || answers[0].Outcome != citewell.ProviderTimeout ||
			!strings.Contains(answers[1].Detail, "papers did not answer in time") {
			t.Errorf("after %v %+v", took, answers)
		}
	})
}
