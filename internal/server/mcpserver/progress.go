package mcpserver

import (
	"context"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// fastestProgress is the least time between two notices of one call.
const fastestProgress = 100 * time.Millisecond

// A progress tells the client of one call how far it is.
type progress struct {
	ctx   context.Context
	req   *mcp.CallToolRequest
	token any // nil: the client does not want to know

	mu    sync.Mutex
	last  time.Time
	done  float64
	ended bool
}

func newProgress(ctx context.Context, req *mcp.CallToolRequest) *progress {
	return &progress{ctx: ctx, req: req, token: req.Params.GetProgressToken(), done: -1} // 0 is news too
}

// tell passes on what is new. Values that do not rise, and notices that follow each
// other too fast, are left out: the protocol wants the one, and clients the other.
func (p *progress) tell(done, total float64, message string) {
	if p.token == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended || done <= p.done || time.Since(p.last) < fastestProgress {
		return
	}
	p.done, p.last = done, time.Now()
	// A client that cannot be told anything is found out by the call itself.
	_ = p.req.Session.NotifyProgress(p.ctx, &mcp.ProgressNotificationParams{
		ProgressToken: p.token, Progress: done, Total: total, Message: message})
}

func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
}
