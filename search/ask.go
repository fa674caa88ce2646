package search

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/outcomes"
	"github.com/citewell/citewell/internal/searchcall"
)

// An Answer is what one provider made of a query.
type Answer struct {
	Provider string
	Results  []citewell.Result
	Outcome  citewell.ProviderOutcome
	Detail   string // for people: why it failed and what helps, and what the provider Noted
	Elapsed  time.Duration
	Err      error // a *citewell.Error unless the outcome is ok or empty
}

// Report is the answer without its results, as it is told of.
func (a Answer) Report() citewell.ProviderReport {
	return citewell.ProviderReport{Name: a.Provider, Outcome: a.Outcome, Results: len(a.Results),
		ElapsedMS: a.Elapsed.Milliseconds(), Detail: a.Detail}
}

// A Patient provider is waited for longer than others: it asks nobody else, and what it knows cannot be had elsewhere.
type Patient interface {
	// Patience is how long it is waited for where others have a timeout, and what helps where that was not enough.
	Patience(timeout time.Duration) (wait time.Duration, hint string)
}

// WaitFor is how long p is waited for where others have a timeout.
func WaitFor(p Provider, timeout time.Duration) time.Duration {
	wait, _ := patience(p, timeout)
	return wait
}

func patience(p Provider, timeout time.Duration) (wait time.Duration, hint string) {
	if patient, ok := p.(Patient); ok {
		return patient.Patience(timeout)
	}
	return timeout, ""
}

// Ask puts q to all providers at once and delivers each answer as it comes. A provider has timeout (DefaultTimeout when
// 0; a Patient one has its own) from when it is really asked. The wait in our own queue before it is bounded by timeout
// as well, and in a context with a Wait by ctx alone; a question whose turn would come later is delivered as queued, at
// once where that is known. A provider that has not answered in time, when ctx ends, or when a Fanout stops waiting, is
// delivered as timeout, so there are always len(providers) answers, in the order of arrival. The channel closes after
// the last and is buffered: a caller may stop reading.
func Ask(ctx context.Context, q citewell.Query, providers []Provider, timeout time.Duration) <-chan Answer {
	if timeout <= 0 {
		timeout = DefaultTimeout
	}
	answers := make(chan Answer, len(providers))
	started := time.Now()
	fanout := NewFanout(ctx, providers)
	var asking sync.WaitGroup
	for i, p := range providers {
		asking.Go(func() {
			answer := askWithin(fanout.Context(i), q, p, timeout, started)
			if take, ok := ctx.Value(searchcall.TakeReports{}).(func(citewell.ProviderReport)); ok {
				take(answer.Report())
			}
			answers <- answer
			fanout.End(i, answer.Report())
		})
	}
	go func() {
		asking.Wait()
		close(answers)
	}()
	return answers
}

// lastWords is how long a provider whose time is over may take to say what happened.
const lastWords = 50 * time.Millisecond

// askWithin asks one provider and leaves it behind when its time is up.
func askWithin(ctx context.Context, q citewell.Query, p Provider, timeout time.Duration, started time.Time) Answer {
	wait, hint := patience(p, timeout)
	asking := newAsking(ctx, wait)
	if asking.left(time.Now()) <= 0 { // those that share the time have spent it
		return answerOf(p.Name(), nil, context.DeadlineExceeded, time.Since(started))
	}
	ctx, cancel := context.WithCancel(context.WithValue(ctx, askingKey{}, asking))
	defer cancel()
	if gateOf(p) == nil {
		var ended func()
		ctx, ended = asked(ctx)
		defer ended()
	}
	arrival := make(chan Answer, 1)
	go func() { arrival <- askOne(ctx, q, p, started) }()
	a, err := asking.await(ctx, arrival)
	if err != nil {
		a = answerOf(p.Name(), nil, err, time.Since(started))
	}
	if left := context.Cause(ctx); errors.Is(left, errNotWaited) && a.Err != nil {
		a = answerOf(p.Name(), nil, left, a.Elapsed)
	}
	if a.Outcome == citewell.ProviderTimeout && hint != "" {
		a.Detail += "; " + hint
	}
	return a
}

// await returns the answer, or why nobody waits for it any longer.
func (a *asking) await(ctx context.Context, arrival <-chan Answer) (Answer, error) {
	late := time.NewTimer(0)
	defer late.Stop()
	for {
		var over <-chan time.Time // of the provider's time and its last words
		if until := a.over(); !until.IsZero() {
			late.Reset(time.Until(until) + lastWords)
			over = late.C
		}
		select {
		case answer := <-arrival:
			return answer, nil
		case <-a.changed:
			continue
		case <-over:
			return Answer{}, context.DeadlineExceeded
		case <-ctx.Done():
		}
		late.Reset(lastWords)
		select {
		case answer := <-arrival: // what came at the last moment has come, and what is known of the provider is known
			return answer, nil
		case <-late.C:
			return Answer{}, ctx.Err()
		}
	}
}

func askOne(ctx context.Context, q citewell.Query, p Provider, started time.Time) Answer {
	var said notes
	results, err := call(searchcall.WithNotes(ctx, said.add), p, q)
	a := answerOf(p.Name(), results, err, time.Since(started))
	a.Detail = said.after(a.Detail)
	return a
}

func answerOf(name string, results []citewell.Result, err error, elapsed time.Duration) Answer {
	a := Answer{Provider: name, Results: results, Elapsed: elapsed}
	if err != nil {
		e := typed(name, err)
		a.Results, a.Err, err = nil, e, e
		a.Detail = citewell.View(e).Message
		if e.Hint != "" {
			a.Detail += "; " + e.Hint
		}
	}
	a.Outcome = OutcomeOf(err, len(results) == 0)
	return a
}

// OutcomeOf is what became of a call that ended with err, or found nothing.
func OutcomeOf(err error, empty bool) citewell.ProviderOutcome {
	switch {
	case errors.Is(err, errQueued):
		return citewell.ProviderQueued
	case err != nil:
		return outcomes.OfProvider(err)
	case empty:
		return citewell.ProviderEmpty
	}
	return citewell.ProviderOK
}
