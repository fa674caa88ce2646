package mcpserver

import (
	"context"
	"sync"

	"github.com/citewell/citewell/internal/server/access"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A caller's session is its id and whose it is: who learns of an id ends nothing by it.
type owned struct{ caller, session string }

// underway are the requests of sessions that wait for their answers. The SDK, asked to end a session, waits for them;
// so they are ended first. One whose cancellation came in before it did would run on, and its session never end.
type underway struct {
	mu sync.Mutex
	of map[owned]*together
}

// together are those of one session, and whoever ends it.
type together struct {
	ctx   context.Context
	end   context.CancelFunc
	count int
}

// hold keeps what a session's requests have together until release.
func (u *underway) hold(key owned) *together {
	u.mu.Lock()
	defer u.mu.Unlock()
	t := u.of[key]
	if t == nil {
		t = &together{}
		t.ctx, t.end = context.WithCancel(context.Background())
		u.of[key] = t
	}
	t.count++
	return t
}

func (u *underway) release(key owned) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if t := u.of[key]; t.count > 1 {
		t.count--
	} else {
		t.end()
		delete(u.of, key)
	}
}

// end ends the requests of a session, and those that come until release.
func (u *underway) end(key owned) (release func()) {
	u.hold(key).end()
	return func() { u.release(key) }
}

// counted has each request end with its session.
func (u *underway) counted(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		key := owned{access.CallerOf(called(ctx, req.GetExtra())).Name, req.GetSession().ID()}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer u.release(key)
		defer context.AfterFunc(u.hold(key).ctx, cancel)()
		return next(ctx, method, req)
	}
}
