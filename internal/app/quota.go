package app

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/server/access"
	"github.com/citewell/citewell/llm"
	"github.com/citewell/citewell/search"
	"github.com/citewell/citewell/store"
)

// quotas hold the budgets of tokens: whoever spends, in a run or with a tool, is known by the
// context. The operator at the machine has none.
type quotas struct {
	once   sync.Mutex
	tokens *access.Tokens // nil until a token spends something
}

// known are the tokens of the file: none where it cannot be used, as at the door, which is
// then shut to all.
func (q *quotas) known(file string) []access.Token {
	q.once.Lock()
	defer q.once.Unlock()
	if q.tokens == nil {
		q.tokens, _ = access.Load(file) // tried again each second
	}
	return q.tokens.List()
}

// A purse is a token's budget with what was spent of it today.
type purse struct {
	name   string
	budget access.Budget
	spent  store.Spent
	now    time.Time
}

// purseOf is that of who began a run, or of who calls; false where nothing bounds it. A token
// that was taken away leaves its runs to their own budgets.
func (a *App) purseOf(ctx context.Context, owner string) (purse, bool, error) {
	if owner == "" {
		return purse{}, false, nil
	}
	for _, t := range a.quotas.known(a.tokensFile) {
		if t.Tenant != a.tenant || job.OwnerOf(t.Name) != owner || t.Budget == (access.Budget{}) {
			continue
		}
		p := purse{name: t.Name, budget: t.Budget, now: time.Now().UTC()}
		var err error
		p.spent, err = a.Store.Spent(ctx, owner, p.now)
		return p, err == nil, err
	}
	return purse{}, false, nil
}

// hasToken says whether an owner is a token of the tenant that has not ended.
func (a *App) hasToken(owner string) bool {
	return slices.ContainsFunc(a.quotas.known(a.tokensFile), func(t access.Token) bool {
		return t.Tenant == a.tenant && job.OwnerOf(t.Name) == owner && (t.ExpiresAt.IsZero() || time.Now().Before(t.ExpiresAt))
	})
}

// over is the error of a bound that is reached; nil while there is something left.
func (p purse) over(bounds ...string) error {
	for _, bound := range bounds {
		var spent, most float64
		switch bound {
		case "tokens":
			spent, most = float64(p.spent.Tokens), float64(p.budget.Tokens)
		case "usd":
			spent, most = p.spent.USD, p.budget.USD
		case "searches":
			spent, most = float64(p.spent.Searches), float64(p.budget.Searches)
		}
		if most <= 0 || spent < most {
			continue
		}
		renewed := p.renewed()
		return &citewell.Error{Code: citewell.CodeQuotaExceeded, Op: "quota", RetryAfter: renewed.Sub(p.now),
			Message: fmt.Sprintf("the token %s has spent %s of its %s %s of %s", p.name, figure(spent), figure(most), bound, p.now.Format(time.DateOnly)),
			Hint:    "its budget begins anew at " + renewed.Format("2006-01-02 15:04 UTC") + "; the operator can give it a larger one"}
	}
	return nil
}

// renewed is when the budget begins anew.
func (p purse) renewed() time.Time { return p.now.Truncate(24 * time.Hour).Add(24 * time.Hour) }

func figure(f float64) string {
	if f == float64(int64(f)) {
		return fmt.Sprint(int64(f))
	}
	return fmt.Sprintf("%.4f", f)
}

// DefaultQueuedRuns is how many runs of one caller wait to be executed at most.
const DefaultQueuedRuns = 1000

// mayBegin says whether a caller may begin one more run.
func (a *App) mayBegin(ctx context.Context, owner string) error {
	if owner == "" {
		return nil
	}
	p, _, err := a.purseOf(ctx, owner)
	if err != nil {
		return err
	}
	if err := p.over("tokens", "usd", "searches"); err != nil {
		return err
	}
	counts, err := a.Store.CountRuns(ctx, owner)
	if err != nil {
		return err
	}
	queued, under := counts[store.RunInited], notEnded(counts)
	switch most := a.Config.Server.Limits.QueuedRuns; {
	case p.budget.Runs > 0 && under >= p.budget.Runs:
		return &citewell.Error{Code: citewell.CodeQuotaExceeded, Op: "quota", RetryAfter: runsRetry,
			Message: fmt.Sprintf("%d runs of the token %s have not ended, and it may have %d at once", under, p.name, p.budget.Runs),
			Hint:    "wait for one, answer what it asks, or cancel it"}
	case queued >= most:
		return &citewell.Error{Code: citewell.CodeRateLimited, Op: "runs", RetryAfter: runsRetry,
			Message: fmt.Sprintf("%d runs of this caller wait to be executed, and no more may", queued), Hint: "wait for some, or cancel them; the operator can raise server.limits.queued_runs"}
	}
	return nil
}

// notEnded is how many of the runs that were counted have not ended.
func notEnded(counts map[store.RunState]int) int {
	return counts[store.RunInited] + counts[store.RunResearching] + counts[store.RunWaiting]
}

// runsRetry is when a caller whose runs are too many is asked to come again.
const runsRetry = 30 * time.Second

// allow says whether whoever spends in ctx may still spend of these bounds.
func (a *App) allow(bounds ...string) func(context.Context) error {
	return func(ctx context.Context) error {
		room, owner := a.spender(ctx)
		p, bounded, err := room.purseOf(ctx, owner)
		if err != nil || !bounded {
			return err
		}
		return p.over(bounds...)
	}
}

// spender is who spends in ctx, and its room.
func (a *App) spender(ctx context.Context) (room *App, owner string) {
	if r, ok := ctx.Value(runKey{}).(running); ok {
		return r.room, r.Owner
	}
	return a.Room(cmp.Or(access.CallerOf(ctx).Tenant, access.DefaultTenant)), callerOf(ctx).Owner
}

// charge keeps what was spent in ctx, of those who have a budget.
func (a *App) charge(ctx context.Context, more store.Spent) {
	if more == (store.Spent{}) {
		return
	}
	ctx = context.WithoutCancel(ctx) // it was spent, whether anybody still waits or not
	room, owner := a.spender(ctx)
	p, bounded, err := room.purseOf(ctx, owner)
	if err == nil && bounded {
		err = room.Store.Spend(ctx, owner, p.now, more)
	}
	if err != nil {
		a.log.Error("what a token has spent was not kept", "token", p.name, "error", err)
	}
}

func (a *App) chargeModel(ctx context.Context, x llm.Exchange) {
	a.charge(ctx, store.Spent{Tokens: int64(x.Input + x.Output), USD: x.USD})
}

func (a *App) chargeSearch(ctx context.Context, x search.Exchange) {
	if x.Asked {
		a.charge(ctx, store.Spent{Searches: 1})
	}
}
