// Package brief answers one question: it searches, reads the best pages, and writes findings with citations that can be
// checked.
//
// Flow: Query → all providers at once → merged and scored results → the best pages, read while slower providers still
// answer → passages → findings, disagreements, gaps → Brief. With a model the findings are its claims: code checks them
// against the passages that they name, and a judge checks what code leaves undecided. Without a model, or if it fails,
// findings are quoted from the passages. An embedding model finds passages in other words.
//
// A question that compares is also asked for each side, and sources of the sides are taken in turn. The same holds for
// the queries that a model adds before anything is searched or read. Research answers a topic instead: several queries,
// more sources, no model, and a counted confidence.
//
// Limits: Deadlines bound each stage and the whole. At the outer deadline the brief is written from what has arrived.
// Errors: invalid_argument (blank query, depth outside 1..10), canceled, all_providers_failed (with a brief whose
// coverage says why), provider_not_configured (no provider to ask), store_failed. Every other failure is an outcome in
// the brief's coverage.
// Concurrency: a Writer serves many callers at once.
package brief

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/httpwire"
	"github.com/citewell/citewell/internal/retraction"
	"github.com/citewell/citewell/internal/searchcall"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/search"
)

// Write answers one question. When every provider failed it returns the brief,
// whose coverage says why, together with an all_providers_failed error.
func (w *Writer) Write(ctx context.Context, r Request) (citewell.Brief, error) {
	if err := check(&r); err != nil {
		return citewell.Brief{}, err
	}
	started, asked := time.Now(), r
	if b, ok := w.cached(ctx, asked, started); ok {
		return b, nil
	}
	deadline, cancel := w.total(ctx)
	defer cancel()
	if r.Fresh {
		deadline = httpwire.Afresh(searchcall.WithMaxAge(deadline, 0))
	}

	route, err := search.Choose(r.Query, r.Sources, w.o.Providers)
	if err != nil {
		return citewell.Brief{}, err
	}
	r.Query, r.Depth = route.Query, cmp.Or(r.Depth, usualDepth(route.Providers))
	p := &progress{report: r.Progress}
	b := newBrief(citewell.NewID(), r.Query.Text, started)
	gathered, q := gathered{}, newQuestion(r.Query.Text)
	queries := withRivals(q)
	further := w.furtherQueries(deadline, route, queries, p)
	if queries = append(queries, further...); len(queries) > 1 {
		b.Queries = queries
		gathered = w.gatherAll(deadline, plan{asked: route.Providers, query: r.Query, queries: queries,
			further: len(further), rivals: q.rivals, texts: q.readings, sources: r.Depth, perDomain: w.o.PerDomain}, p)
	} else {
		gathered = w.gather(deadline, r, route.Providers, q.readings, p)
	}
	if ctx.Err() != nil {
		return b, fmt.Errorf("brief: %w", ctx.Err())
	}
	evidence, err := w.register(ctx, b.ID, q, further, gathered)
	if err != nil {
		return b, notKept(ctx, err)
	}
	b.Sources, b.Passages, b.Additional = evidence.sources, evidence.passages, gathered.additional
	b.Coverage = gathered.coverage
	b.Coverage.Routing = route.Routing
	w.findings(deadline, &b, q, evidence, p)
	b.Coverage.Models = evidence.models
	if ctx.Err() != nil {
		return b, fmt.Errorf("brief: %w", ctx.Err())
	}
	if err := w.keep(ctx, deadline, &b, started); err != nil {
		return b, err
	}
	w.remember(ctx, asked, b)
	return b, nil
}

// total bounds the whole.
func (w *Writer) total(ctx context.Context) (context.Context, context.CancelFunc) {
	wait, waits := searchcall.WaitOf(ctx)
	switch {
	case !waits:
		return context.WithTimeout(ctx, w.o.Deadlines.Total)
	case wait.Until.IsZero():
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, wait.Until)
}

func newBrief(id, query string, started time.Time) citewell.Brief {
	return citewell.Brief{Schema: citewell.BriefSchema, ID: id, Query: query, CreatedAt: started.UTC(),
		Findings:      []citewell.Finding{},
		Disagreements: []citewell.Disagreement{}, Nearest: []citewell.Nearest{}, Gaps: []string{},
		Additional: []citewell.Additional{}}
}

// keep completes a brief and gives it to the archive. Where every provider failed, that is
// the error.
func (w *Writer) keep(ctx, deadline context.Context, b *citewell.Brief, started time.Time) error {
	b.Coverage.DeadlineHit = deadline.Err() != nil
	if err := w.settle(deadline, b); err != nil {
		return fmt.Errorf("brief: %w", err)
	}
	b.NamePages()
	b.Coverage.WallMS = time.Since(started).Milliseconds()
	if err := w.o.Archive.PutBrief(ctx, *b); err != nil {
		return notKept(ctx, err)
	}
	return allFailed(b.Coverage.Providers)
}

// settle has registers say, in what is left of a brief's time, whether the works that it quotes still
// stand.
func (w *Writer) settle(ctx context.Context, b *citewell.Brief) error {
	if w.o.Standing == nil {
		return nil
	}
	leantOn := b.Cited()
	cited := slices.DeleteFunc(slices.Clone(b.Sources), func(s citewell.Source) bool { return !leantOn[s.N] })
	desk := &retraction.Desk{}
	desk.Ask = func(ctx context.Context, work citewell.Work) (citewell.Work, error) {
		return desk.Within(ctx, w.o.Standing, work)
	}
	err := desk.Settle(ctx, cited)
	for _, s := range cited {
		b.Sources[s.N-1] = s
	}
	return err
}

func check(r *Request) error {
	r.Query.Text = text.OneLine(r.Query.Text)
	if r.Query.Text == "" {
		return &citewell.Error{Code: citewell.CodeInvalidArgument, Message: "query is empty",
			Hint: "say what to look for"}
	}
	if r.Query.Region == citewell.WholeWorld {
		r.Query.Region = ""
	}
	if r.Depth < 0 || r.Depth > MaxDepth {
		return &citewell.Error{Code: citewell.CodeInvalidArgument,
			Message: fmt.Sprintf("depth is %d; it must be 1 to %d", r.Depth, MaxDepth)}
	}
	if !r.Query.TimeRange.Valid() {
		return &citewell.Error{Code: citewell.CodeInvalidArgument,
			Message: fmt.Sprintf("time range is %q; it must be one of day, week, month, year", r.Query.TimeRange)}
	}
	return nil
}

// usualDepth is how many sources are read where the caller does not say: reading one of the user's own
// documents takes milliseconds.
func usualDepth(asked []search.Provider) int {
	if slices.ContainsFunc(asked, func(p search.Provider) bool { return p.Name() != searchcall.LocalProvider }) {
		return DefaultDepth
	}
	return DefaultOwnDepth
}

// notKept is the error for what the archive did not take: without its copy nothing
// may be cited.
func notKept(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("brief: %w", ctx.Err())
	}
	if _, ok := errors.AsType[*citewell.Error](err); ok {
		return fmt.Errorf("brief: %w", err)
	}
	return &citewell.Error{Code: citewell.CodeStoreFailed, Op: "brief",
		Message: "the pages that were read could not be stored",
		Hint:    "check the disk that the store is on", Err: err}
}

// allFailed is the error for a search in which no provider gave a real answer.
func allFailed(reports []citewell.ProviderReport) error {
	if !searchcall.NobodyAnswered(reports) {
		return nil
	}
	var reasons []string
	for _, report := range reports {
		reason := fmt.Sprintf("%s %s", report.Name, report.Outcome)
		if report.Outcome == citewell.ProviderQueued { // when its turn would come
			reason += " (" + report.Detail + ")"
		}
		reasons = append(reasons, reason)
	}
	if len(reasons) == 0 {
		return &citewell.Error{Code: citewell.CodeProviderNotConfigured, Op: "brief",
			Message: "no provider is switched on", Hint: "switch one on; provider local answers from documents that " +
				"are indexed"}
	}
	return &citewell.Error{Code: citewell.CodeAllProvidersFailed, Op: "brief",
		Message: "no provider answered: " + strings.Join(reasons, ", "),
		Hint:    "try again later, or add a provider"}
}
