package app

import (
	"cmp"
	"context"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/backend"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/server/access"
	"github.com/citewell/citewell/internal/server/quota"
)

// forCallers are the runs of who came in by a door: by HTTP, with a tool or for a resource.
func forCallers(runs *Runs) job.Service { return job.ForCallers(runs.Desk, callerOf) }

type runKey struct{}

// running is for whom a run is played, and in which room.
type running struct {
	job.Caller
	room *App
}

// within is a job.ExecutorOptions.Within: what is done for a run is told within its span, and
// is done for whoever began it.
func (a *App) within(ctx context.Context, run runstore.Run) context.Context {
	return context.WithValue(a.telemetry.Within(ctx, run), runKey{}, running{job.Caller{Owner: run.Caller}, a})
}

// callerOf is for whom something is done in ctx: for the caller of a door, or for whoever began the run.
func callerOf(ctx context.Context) job.Caller {
	if r, ok := ctx.Value(runKey{}).(running); ok {
		return r.Caller
	}
	c := access.CallerOf(ctx)
	return job.Caller{Owner: job.OwnerOf(c.Name), All: c.Admin}
}

// quota are the bounds of the tenant's callers.
func (a *App) quota() quota.Room {
	return quota.Room{Quotas: &a.quotas, Tenant: a.tenant, Kept: a.Store, Queued: a.Config.Server.Limits.QueuedRuns}
}

// spender is who spends in ctx, in a run or with a tool, and the bounds of its room.
func (a *App) spender(ctx context.Context) (room quota.Room, owner string) {
	if r, ok := ctx.Value(runKey{}).(running); ok {
		return r.room.quota(), r.Owner
	}
	return a.Room(cmp.Or(access.CallerOf(ctx).Tenant, access.DefaultTenant)).quota(), callerOf(ctx).Owner
}

// allow says whether whoever spends in ctx may still spend of these bounds.
func (a *App) allow(bounds ...string) func(context.Context) error {
	return func(ctx context.Context) error {
		room, owner := a.spender(ctx)
		return room.Allow(ctx, owner, bounds...)
	}
}

// charge keeps what was spent in ctx, of those who have a budget.
func (a *App) charge(ctx context.Context, more runstore.Spent) {
	if more == (runstore.Spent{}) {
		return
	}
	ctx = context.WithoutCancel(ctx) // it was spent, whether anybody still waits or not
	room, owner := a.spender(ctx)
	if err := room.Charge(ctx, owner, more); err != nil {
		a.log.Error("what a token has spent was not kept", "error", err)
	}
}

// kept are the briefs and texts of a tenant as they are there for who calls: the report of a
// run, which is kept as a brief is, is its owner's.
type kept struct{ backend.Kept }

// Brief implements claim.Kept and mcpserver.Kept.
func (k kept) Brief(ctx context.Context, id string) (citewell.Brief, error) {
	run, err := k.Run(ctx, id)
	if err == nil && !callerOf(ctx).Sees(run) {
		id = "" // which names none
	} else if err != nil && citewell.CodeOf(err) != citewell.CodeNotFound {
		return citewell.Brief{}, err
	}
	return k.Kept.Brief(ctx, id)
}
