package app

import (
	"context"
	"net/http"
	"path/filepath"
	"sync"
	"time"

	"github.com/citewell/citewell/internal/backend"
	"github.com/citewell/citewell/internal/evidence"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/meaning"
	"github.com/citewell/citewell/internal/server/access"
	"github.com/citewell/citewell/internal/server/documents"
	"github.com/citewell/citewell/internal/server/mcpserver"
	"github.com/citewell/citewell/internal/server/openai"
	"github.com/citewell/citewell/internal/server/page"
	"github.com/citewell/citewell/internal/server/runs"
	"github.com/citewell/citewell/internal/server/status"
	"github.com/citewell/citewell/internal/turns"
)

// rooms are the Apps of all tenants.
type rooms struct {
	mu    sync.Mutex
	all   map[string]*App
	opens chan struct{} // a room was made; has room for one
}

func (r *rooms) begin(own *App) {
	r.all, r.opens = map[string]*App{own.tenant: own}, make(chan struct{}, 1)
}

func newRoom(p *parts, tenant string, kept backend.Kept) *App {
	room := &App{parts: p, tenant: tenant, Store: kept}
	room.programs = sync.OnceValues(room.findPrograms)
	return room
}

// Room is the App as a tenant has it, the same each time. Nothing that is made of it reaches
// what another tenant keeps: it has no way to name one.
func (a *App) Room(tenant string) *App {
	a.rooms.mu.Lock()
	defer a.rooms.mu.Unlock()
	room := a.rooms.all[tenant]
	if room == nil {
		room = newRoom(a.parts, tenant, a.DB.Tenant(tenant))
		a.rooms.all[tenant] = room
		select {
		case a.rooms.opens <- struct{}{}:
		default:
		}
	}
	return room
}

// list are the rooms that were made.
func (r *rooms) list() (all []*App) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, room := range r.all {
		all = append(all, room)
	}
	return all
}

// ownFolder is the part of a folder of the configuration that the tenant's files go into.
func (a *App) ownFolder(dir string) string {
	if a.tenant == access.DefaultTenant {
		return dir
	}
	return filepath.Join(dir, a.tenant)
}

// lookForTenants is how often Execute looks for tenants whose runs others began.
const lookForTenants = time.Second

// Execute plays the runs of every tenant until ctx ends, with the executors of what of gives for its room.
func (a *App) Execute(ctx context.Context, of func(room *App) (*Runs, error)) {
	var all sync.WaitGroup
	defer all.Wait()
	look := time.NewTicker(lookForTenants)
	defer look.Stop()
	at := map[*App]bool{}
	var mu sync.Mutex
	var executors []*job.Executor
	a.DB.OnWork(func() {
		mu.Lock()
		defer mu.Unlock()
		for _, x := range executors {
			x.Wake()
		}
	})
	for {
		tenants, err := a.DB.TenantsWanting(ctx)
		if err != nil && ctx.Err() == nil {
			a.log.Error("nobody knows which tenants have runs to execute", "error", err)
		}
		for _, tenant := range tenants {
			a.Room(tenant)
		}
		for _, room := range a.rooms.list() {
			if at[room] {
				continue
			}
			runs, err := of(room)
			if err != nil {
				a.log.Error("the runs of a tenant are not executed", "tenant", room.tenant, "error", err)
				continue
			}
			at[room] = true
			mu.Lock()
			executors = append(executors, runs.Executor)
			mu.Unlock()
			all.Go(func() { runs.Executor.Serve(turns.As(ctx, room.tenant, "")) })
			all.Go(func() { runs.Watches.Serve(ctx) })
		}
		select {
		case <-a.rooms.opens:
		case <-look.C:
		case <-ctx.Done():
			return
		}
	}
}

// A front is what answers the requests of a tenant.
type front struct {
	tools    *mcpserver.HTTP
	chat     *openai.API
	research *runs.API
	shelf    *documents.API
	state    *status.API
	evidence *evidence.Desk
	site     *page.Site
}

// opened is the front of the tenant, made when it is first wanted. Its limits are those of
// the front beside it; nil has its own. Who follows a run is told when ctx ends.
func (a *App) opened(ctx context.Context, beside *front) (*front, error) {
	return a.front.get("", func() (*front, error) { return a.newFront(ctx, beside) })
}

func (a *App) newFront(ctx context.Context, beside *front) (*front, error) {
	registry, err := a.Tools(ctx)
	if err != nil {
		return nil, err
	}
	desk, err := a.Runs(ctx)
	if err != nil {
		return nil, err
	}
	if beside == nil {
		beside = &front{}
	}
	watches := desk.Watches.ForCallers(callerOf)
	limits, service, mcp := a.Config.Server.Limits, forCallers(desk), a.MCP(ctx)
	mcp.Beside = beside.tools
	behind := evidence.New(a.Archive(), beside.evidence)
	shelf := documents.New(documents.Options{Library: a.Library(), Finder: meaning.NewFinder(a.Store, a.meanings()),
		Store: a.Store, Beside: beside.shelf, Log: a.log})
	state := a.status(service, beside.state)
	return &front{
		evidence: behind, shelf: shelf, state: state,
		tools: mcpserver.Handler(registry.Toolset, mcp),
		chat: openai.New(openai.Options{Desk: service, Generator: a.Config.Execution.StreamingGenerator,
			FetchImage: a.fetchImage, ReadPage: a.readPage, ReadFile: a.readFile, Requests: limits.OpenAIRequests,
			Beside: beside.chat, Ends: ctx.Done(), Log: a.log}),
		research: runs.New(runs.Options{Desk: service, Watches: watches, Kept: a.Store, Evidence: behind,
			ReadFile: a.readFile, Streams: limits.RunStreams, Beside: beside.research, Log: a.log}),
		site: page.New(page.Options{Desk: service, Watches: watches, Evidence: behind, Shelf: shelf, State: state,
			Samples: a.samples, Lacks: a.lacks(), Visitors: a.AsksForTokens, Beside: beside.site, Log: a.log}),
	}, nil
}

// inRooms has each request answered by the front of its caller's tenant, own where the caller needed no token.
func (a *App) inRooms(ctx context.Context, own *front, refuse func(http.ResponseWriter, error),
	part func(*front) http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f, err := a.Room(access.CallerOf(r.Context()).Tenant).opened(ctx, own)
		if err != nil {
			refuse(w, err)
			return
		}
		part(f).ServeHTTP(w, r)
	})
}
