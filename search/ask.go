package search

import (
	"context"
	"time"

	"github.com/citewell/citewell"
)

// DefaultTimeout is the wall for a fan-out when Ask is given none.
const DefaultTimeout = 5 * time.Second

// An Answer is what one provider made of a query.
type Answer struct {
	Provider string
	Results  []citewell.Result
	Outcome  citewell.ProviderOutcome
	Detail   string // for people: why it failed and what helps, and what the provider Noted
	Elapsed  time.Duration
	Err      error // a *citewell.Error unless the outcome is ok or empty
}

// Ask puts q to all providers at once and delivers each answer as it comes. The
// channel closes when all have answered or timeout has passed (DefaultTimeout
// when 0); a provider that has not answered by then, or when ctx ends, is
// delivered as timeout, so there are always len(providers) answers. The channel
// is buffered: a caller may stop reading. The answers' order is that of arrival;
// who needs a stable order sorts by the providers'.
func Ask(ctx context.Context, q citewell.Query, providers []Provider, timeout time.Duration) <-chan Answer {
	if timeout <= 0 {
		timeout = DefaultTimeout
	}
	type arrival struct {
		from   int
		answer Answer
	}
	answers := make(chan Answer, len(providers))
	arrivals := make(chan arrival, len(providers))
	ctx, cancel := context.WithTimeout(ctx, timeout)
	started := time.Now()
	waiting := make(map[int]bool, len(providers))
	for i, p := range providers {
		waiting[i] = true
		go func() { arrivals <- arrival{i, askOne(ctx, q, p, started)} }()
	}
	deliver := func(a arrival) {
		delete(waiting, a.from)
		answers <- a.answer
	}
	go func() {
		defer close(answers)
		defer cancel()
		for len(waiting) > 0 {
			select {
			case a := <-arrivals:
				deliver(a)
				continue
			case <-ctx.Done():
			}
			for len(arrivals) > 0 { // what came at the last moment has come
				deliver(<-arrivals)
			}
			for i, p := range providers {
				if waiting[i] {
					answers <- answerOf(p.Name(), nil, ctx.Err(), time.Since(started))
				}
			}
			return
		}
	}()
	return answers
}

func askOne(ctx context.Context, q citewell.Query, p Provider, started time.Time) Answer {
	var said notes
	results, err := call(WithNotes(ctx, said.add), p, q)
	a := answerOf(p.Name(), results, err, time.Since(started))
	a.Detail = said.after(a.Detail)
	return a
}

func answerOf(name string, results []citewell.Result, err error, elapsed time.Duration) Answer {
	a := Answer{Provider: name, Results: results, Elapsed: elapsed}
	switch {
	case err != nil:
		e := typed(name, err)
		a.Results, a.Err, a.Outcome = nil, e, citewell.ProviderOutcomeOf(e)
		a.Detail = citewell.View(e).Message
		if e.Hint != "" {
			a.Detail += "; " + e.Hint
		}
	case len(results) == 0:
		a.Outcome = citewell.ProviderEmpty
	default:
		a.Outcome = citewell.ProviderOK
	}
	return a
}
