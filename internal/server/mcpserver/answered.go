package mcpserver

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// How long Stdio goes on when its input has ended.
const (
	AnswerTime = 2 * time.Minute // for the calls that it has read to be answered; then they are cancelled
	CancelTime = 5 * time.Second // for the cancelled calls to say so; what has not ended by then is left
)

// An answered is a Transport that tells the SDK of the end of the input when each call that was
// read has its answer. The SDK cancels calls at the end of the input and writes no answer after it.
type answered struct {
	mcp.Transport
	inputEnded chan struct{} // closed at the end of the input
}

// Connect implements mcp.Transport.
func (t answered) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := t.Transport.Connect(ctx)
	return &answeredConn{Connection: c, inputEnded: t.inputEnded, closed: make(chan struct{}),
		changed: make(chan struct{}, 1), open: map[jsonrpc.ID]bool{}, asked: map[jsonrpc.ID]bool{}}, err
}

type answeredConn struct {
	mcp.Connection
	inputEnded chan struct{}
	ended      bool // inputEnded is closed; the reader's alone
	closing    sync.Once
	closed     chan struct{}
	changed    chan struct{} // has an entry when open or asked has changed

	mu    sync.Mutex
	open  map[jsonrpc.ID]bool // the client's calls that have no answer yet
	asked map[jsonrpc.ID]bool // the server's calls that the client has not answered
}

// Read implements mcp.Connection.
func (c *answeredConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	if !c.ended {
		m, err := c.Connection.Read(ctx)
		if !errors.Is(err, io.EOF) {
			c.note(m)
			return m, err
		}
		c.ended = true
		close(c.inputEnded)
	}
	for {
		if refusal, waits := c.left(); refusal != nil {
			return refusal, nil
		} else if !waits {
			return nil, io.EOF
		}
		select {
		case <-c.changed:
		case <-c.closed:
			return nil, io.EOF
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// note takes in what the client sent.
func (c *answeredConn) note(m jsonrpc.Message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch m := m.(type) {
	case *jsonrpc.Request:
		if m.IsCall() {
			c.open[m.ID] = true
		}
	case *jsonrpc.Response:
		delete(c.asked, m.ID)
	}
}

// left says whether calls of the client wait for answers when the input has ended. A call of the
// server is refused in the client's place, since nobody can answer it.
func (c *answeredConn) left() (refusal *jsonrpc.Response, waits bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id := range c.asked {
		delete(c.asked, id)
		return &jsonrpc.Response{ID: id, Error: &jsonrpc.Error{
			Code: jsonrpc.CodeInternalError, Message: "the client cannot answer: its messages have ended"}}, true
	}
	return nil, len(c.open) > 0
}

// Write implements mcp.Connection.
func (c *answeredConn) Write(ctx context.Context, m jsonrpc.Message) error {
	if call, ok := m.(*jsonrpc.Request); ok && call.IsCall() {
		c.change(func() { c.asked[call.ID] = true })
	}
	err := c.Connection.Write(ctx, m)
	if answer, ok := m.(*jsonrpc.Response); ok {
		c.change(func() { delete(c.open, answer.ID) })
	}
	return err
}

func (c *answeredConn) change(do func()) {
	c.mu.Lock()
	do()
	c.mu.Unlock()
	select {
	case c.changed <- struct{}{}:
	default:
	}
}

// Close implements mcp.Connection.
func (c *answeredConn) Close() error {
	c.closing.Do(func() { close(c.closed) })
	return c.Connection.Close()
}
