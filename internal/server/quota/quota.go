// Package quota limits a caller: what its token spends in a day, and how many of its runs wait.
//
// Flow: a caller's owner → its token → the store's count for this day → [Bound].
// Units: days are of UTC. The operator at the machine, whose owner is empty, has no limits.
// Errors: quota_exceeded, rate_limited; store_failed.
// Concurrency: Quotas and Rooms serve many goroutines.
package quota

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/server/access"
)

// DefaultQueued is how many runs of one caller wait to be executed at most.
const DefaultQueued = 1000

// retry is when a caller whose runs are too many is asked to come again.
const retry = 30 * time.Second

// What a token may be bounded in, by the day.
const (
	Tokens   = "tokens"
	USD      = "usd"
	Searches = "searches"
)

// A Bound is one of a token, with what it has used of it.
type Bound struct {
	Of    string    `json:"of"` // tokens, usd, searches: of this day; runs: that have not ended
	Used  float64   `json:"used"`
	Most  float64   `json:"most"`
	Until time.Time `json:"until,omitzero"` // when it is renewed
}

// Quotas are those of all tenants. The zero value needs File.
type Quotas struct {
	File string // of the tokens

	mu     sync.Mutex
	tokens *access.Tokens // nil until a token spends something
}

// known are the tokens of the file: none where it cannot be used, as at the door, which is then shut to all.
func (q *Quotas) known() []access.Token {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.tokens == nil {
		q.tokens, _ = access.Load(q.File) // tried again each second
	}
	return q.tokens.List()
}

// Kept is what a tenant's store has of its callers.
type Kept interface {
	runstore.Spending
	CountRuns(ctx context.Context, caller string) (map[runstore.RunState]int, error)
}

// A Room has the quotas of one tenant's callers.
type Room struct {
	Quotas *Quotas
	Tenant string
	Kept   Kept
	Queued int // runs of one caller that wait to be executed at most
}

// A purse is a token's budget with what was spent of it today.
type purse struct {
	name   string
	budget access.Budget
	spent  runstore.Spent
	now    time.Time
}

// purse is that of who began a run, or of who calls; nil where nothing bounds it. A token
// that was taken away leaves its runs to their own budgets.
func (r Room) purse(ctx context.Context, owner string) (*purse, error) {
	if owner == "" {
		return nil, nil
	}
	for _, t := range r.Quotas.known() {
		if t.Tenant != r.Tenant || job.OwnerOf(t.Name) != owner || t.Budget == (access.Budget{}) {
			continue
		}
		p := &purse{name: t.Name, budget: t.Budget, now: time.Now().UTC()}
		var err error
		p.spent, err = r.Kept.Spent(ctx, owner, p.now)
		return p, err
	}
	return nil, nil
}

// HasToken reports whether an owner is a token of the tenant that has not ended.
func (r Room) HasToken(owner string) bool {
	return slices.ContainsFunc(r.Quotas.known(), func(t access.Token) bool {
		return t.Tenant == r.Tenant && job.OwnerOf(t.Name) == owner &&
			(t.ExpiresAt.IsZero() || time.Now().Before(t.ExpiresAt))
	})
}

// bounds are those of the day that the token has.
func (p *purse) bounds() []Bound {
	until := p.now.Truncate(24 * time.Hour).Add(24 * time.Hour)
	all := []Bound{{Tokens, float64(p.spent.Tokens), float64(p.budget.Tokens), until},
		{USD, p.spent.USD, p.budget.USD, until},
		{Searches, float64(p.spent.Searches), float64(p.budget.Searches), until}}
	return slices.DeleteFunc(all, func(b Bound) bool { return b.Most <= 0 })
}

// over is the error of a bound that is reached, of those that are named; nil while there is something left.
func (p *purse) over(named ...string) error {
	for _, b := range p.bounds() {
		if b.Used < b.Most || !slices.Contains(named, b.Of) {
			continue
		}
		return &citewell.Error{Code: citewell.CodeQuotaExceeded, Op: "quota", RetryAfter: b.Until.Sub(p.now),
			Message: fmt.Sprintf("the token %s has spent %s of its %s %s of %s", p.name, figure(b.Used),
				figure(b.Most), b.Of, p.now.Format(time.DateOnly)),
			Hint: "its budget starts again at " + b.Until.Format("2006-01-02 15:04 UTC") +
				"; the operator can give it a larger one"}
	}
	return nil
}

func figure(f float64) string {
	if f == float64(int64(f)) {
		return fmt.Sprint(int64(f))
	}
	return fmt.Sprintf("%.4f", f)
}

// Bounds are those of a caller's token; nil where there are none.
func (r Room) Bounds(ctx context.Context, owner string) ([]Bound, error) {
	p, err := r.purse(ctx, owner)
	if err != nil || p == nil {
		return nil, err
	}
	all := p.bounds()
	if p.budget.Runs > 0 {
		counts, err := r.Kept.CountRuns(ctx, owner)
		if err != nil {
			return nil, err
		}
		all = append(all, Bound{Of: "runs", Used: float64(notEnded(counts)), Most: float64(p.budget.Runs)})
	}
	return all, nil
}

// Allow says whether a caller may still spend of the bounds that are named.
func (r Room) Allow(ctx context.Context, owner string, named ...string) error {
	p, err := r.purse(ctx, owner)
	if err != nil || p == nil {
		return err
	}
	return p.over(named...)
}

// Charge keeps what a caller has spent, where it has a budget. The error names its token.
func (r Room) Charge(ctx context.Context, owner string, more runstore.Spent) error {
	p, err := r.purse(ctx, owner)
	if err == nil && p != nil {
		err = r.Kept.Spend(ctx, owner, p.now, more)
	}
	if err != nil && p != nil {
		err = fmt.Errorf("token %s: %w", p.name, err)
	}
	return err
}

// MayBegin says whether a caller may begin one more run.
func (r Room) MayBegin(ctx context.Context, owner string) error {
	if owner == "" {
		return nil
	}
	p, err := r.purse(ctx, owner)
	if err == nil && p != nil {
		err = p.over(Tokens, USD, Searches)
	}
	if err != nil {
		return err
	}
	counts, err := r.Kept.CountRuns(ctx, owner)
	if err != nil {
		return err
	}
	queued, under := counts[runstore.RunInited], notEnded(counts)
	switch {
	case p != nil && p.budget.Runs > 0 && under >= p.budget.Runs:
		return &citewell.Error{Code: citewell.CodeQuotaExceeded, Op: "quota", RetryAfter: retry,
			Message: fmt.Sprintf("%d runs of the token %s have not ended, and it may have %d at once", under, p.name,
				p.budget.Runs),
			Hint: "wait for one, answer what it asks, or cancel it"}
	case queued >= r.Queued:
		return &citewell.Error{Code: citewell.CodeRateLimited, Op: "runs", RetryAfter: retry,
			Message: fmt.Sprintf("%d runs of this caller wait to be executed, and no more may", queued),
			Hint:    "wait for some, or cancel them; the operator can raise server.limits.queued_runs"}
	}
	return nil
}

// notEnded is how many of the runs that were counted have not ended.
func notEnded(counts map[runstore.RunState]int) int {
	return counts[runstore.RunInited] + counts[runstore.RunResearching] + counts[runstore.RunWaiting]
}
