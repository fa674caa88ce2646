package searchcall

import (
	"context"
	"slices"
	"time"

	"github.com/citewell/citewell"
)

// TakeAge is the key under which a context carries how old an answer may be.
type TakeAge struct{}

// WithMaxAge returns a context whose Search calls use answers again that are up to so old, in
// place of what Limits.Fresh says, and none at 0. None is older than KeptFor.
func WithMaxAge(ctx context.Context, age time.Duration) context.Context {
	return context.WithValue(ctx, TakeAge{}, age)
}

// LocalProvider is the name of the provider of the user's own documents.
const LocalProvider = "local"

// takeNotes is the key under which a context carries who takes notes.
type takeNotes struct{}

// WithNotes returns a context whose Search calls hand what they Note to take, as
// httptrace hands out what a request meets. take may be called from several
// goroutines, and after Search has been given up.
func WithNotes(ctx context.Context, take func(note string)) context.Context {
	return context.WithValue(ctx, takeNotes{}, take)
}

// Note lets a Provider say what a reader should know of an answer that is no
// failure: the query was cut, a filter is not known there, some engines behind it
// failed. It is one sentence without a capital or a full stop, and holds neither the
// query nor a key. Nothing happens where nobody takes notes.
func Note(ctx context.Context, note string) {
	if take, ok := ctx.Value(takeNotes{}).(func(string)); ok && note != "" {
		take(note)
	}
}

// TakeReports is the key under which a context carries who takes reports.
type TakeReports struct{}

// WithReports returns a context in which Ask hands to take what became of each provider,
// before it yields that answer: for who stands above a search that gives its results alone.
// take may be called from several goroutines.
func WithReports(ctx context.Context, take func(citewell.ProviderReport)) context.Context {
	return context.WithValue(ctx, TakeReports{}, take)
}

// NobodyAnswered reports whether no provider answered. That documents have nothing is no answer
// where others were asked and failed: what these know stays open.
func NobodyAnswered(reports []citewell.ProviderReport) bool {
	return !slices.ContainsFunc(reports, func(p citewell.ProviderReport) bool {
		return p.Outcome.Answered() && (p.Results > 0 || p.Name != LocalProvider || len(reports) == 1)
	})
}

// DocumentsAlone reports whether the user's own documents answered, and others were asked and failed.
func DocumentsAlone(reports []citewell.ProviderReport) bool {
	answered := func(p citewell.ProviderReport) bool { return p.Outcome.Answered() }
	i := slices.IndexFunc(reports, answered)
	return i >= 0 && reports[i].Name == LocalProvider && len(reports) > 1 &&
		!slices.ContainsFunc(reports[i+1:], answered)
}

// A Wait says for how long searches wait for their turn in our own queue.
type Wait struct {
	Until time.Time // when the work that they are for is to be over; zero where nobody says
	// Told hears of a wait of a second or more when it begins: of which provider, and how long it is
	// likely to be. Several goroutines call it; nil hears nothing.
	Told func(provider string, wait time.Duration)
}

type waitKey struct{}

// WithWait returns a context whose searches wait for their turn at a provider for as long as ctx
// lasts, as a run does. Without it they wait no longer than the provider has for its answer.
func WithWait(ctx context.Context, w Wait) context.Context {
	return context.WithValue(ctx, waitKey{}, w)
}

// WaitOf returns the Wait of a context, and false where it has none.
func WaitOf(ctx context.Context) (Wait, bool) {
	w, ok := ctx.Value(waitKey{}).(Wait)
	return w, ok
}

// KeptFor is how long an answer is kept of a service whose Limits have Fresh. What an identifier
// names is looked up again after that time alone.
const KeptFor = 24 * time.Hour

// A Resting hears for how long a service that answered wants to be left alone.
type Resting struct{ Asked time.Duration }

type restKey struct{}

// In returns a context in which a Provider's Rest is heard.
func (r *Resting) In(ctx context.Context) context.Context {
	return context.WithValue(ctx, restKey{}, r)
}

// Rest lets a Provider say, before Search returns its results, for how long the service wants
// to be left alone by all. Nothing happens where no Gate is before the provider.
func Rest(ctx context.Context, d time.Duration) {
	if r, ok := ctx.Value(restKey{}).(*Resting); ok && d > r.Asked {
		r.Asked = d
	}
}
