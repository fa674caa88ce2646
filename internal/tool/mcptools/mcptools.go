// Package mcptools makes tools of those that remote MCP servers offer.
//
// Flow: Server → connect → list → schemas repaired → pinned → tool.Tool → call → result within Options.Limit, its
// resources read by Options.Read. The tool ask of the server deepwiki is deepwiki_ask; the bare name works too if no
// other tool has it.
// Trust: the operator chose the server, but its words are not trusted. A tool is pinned by a hash of everything that
// the server says about it when it is first seen; a tool that changed later is held back until the operator accepts it.
// A started server's environment is PATH, HOME, LANG and what the operator adds. Its annotations count only if Trust
// says so.
// Limits: Connect (10 s) to reach and list a server, Call (60 s) a call, 200 tools a server, 16 MiB a message. A result
// longer than Limit is shortened; JSON stays JSON.
// Errors: a server that cannot be reached is a Report and does not stop the others; tool_failed with the server's own
// words; timeout; connect_failed if it has gone, after one more try.
// Concurrency: a Set may be called from many goroutines. Close ends its servers.
package mcptools

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/internal/sandbox"
	"github.com/citewell/citewell/internal/tool"
)

// Limits where Options says nothing.
const (
	DefaultLimit   = 15_000 // bytes of one result
	connectTimeout = 10 * time.Second
	callTimeout    = 60 * time.Second
	maxTools       = 200 // of one server
	maxMessage     = 16 << 20
)

// A Server is how one is reached: by URL, or started as a command.
type Server struct {
	Name    string
	URL     string
	Headers map[string]citewell.Secret
	Command string
	Args    []string
	Env     map[string]citewell.Secret
	Trust   Trust
}

// Trust is what the operator says of a server. By the zero value its tools may act, tell others, and read private
// texts.
type Trust struct {
	ReadOnly      bool     // its tools that it calls read-only are
	ReadOnlyTools []string // these are, by its own names, whatever it says
	Private       bool     // what its tools are told stays with the operator
	Public        bool     // what they say may be told to anybody
}

// Options are what servers are used with.
type Options struct {
	Version string
	Limit   int    // bytes of one result; DefaultLimit when 0
	Pins    string // the file in which tools are pinned; empty pins nothing
	Dir     string // in which servers are started
	Guard   *egress.Guard
	Log     *slog.Logger
	// Read reads a resource of a result, by its name and the server's media type, which may be empty. Nil reads none.
	Read func(ctx context.Context, name, mediaType string, body []byte) (tool.Page, error)
}

// A Report is what became of one server.
type Report struct {
	Server  string
	Tools   int   // that it offers
	Changed int   // that are kept back since they changed
	Err     error // why it cannot be used
}

// A Set is the tools of several servers.
type Set struct {
	Tools   []*tool.Tool
	Reports []Report
	remotes []*remote
}

// Open reaches all servers at once. It fails if the pins cannot be read or kept; the Reports have failing servers.
func Open(ctx context.Context, servers []Server, o Options) (*Set, error) {
	if o.Limit <= 0 {
		o.Limit = DefaultLimit
	}
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	pins, err := readPins(o.Pins)
	if err != nil {
		return nil, err
	}
	s := &Set{Reports: make([]Report, len(servers)), remotes: make([]*remote, len(servers))}
	listed := make([][]*mcp.Tool, len(servers))
	var wg sync.WaitGroup
	for i, server := range servers {
		s.remotes[i] = &remote{server: server, o: o}
		wg.Go(func() {
			limited, cancel := context.WithTimeout(ctx, connectTimeout)
			defer cancel()
			listed[i], s.Reports[i].Err = s.remotes[i].list(limited)
		})
	}
	wg.Wait()
	for i, server := range servers {
		r := &s.Reports[i]
		if r.Server, r.Tools = server.Name, len(listed[i]); r.Err != nil {
			o.Log.Warn("MCP server cannot be used", "server", server.Name, "error", r.Err)
		}
		for _, t := range listed[i] {
			made := s.remotes[i].tool(t)
			if !pins.hold(server.Name, t) {
				r.Changed++
				made.Hidden = "the server changed what it says of this tool since it was first seen; look at it " +
					"again, then accept it by citewell tools --accept " + made.Name
			}
			s.Tools = append(s.Tools, made)
		}
	}
	s.nameBare()
	return s, pins.write()
}

// nameBare lets a tool be called by its own name where one server alone has it.
func (s *Set) nameBare() {
	count := map[string]int{}
	for _, t := range s.Tools {
		for _, name := range t.Also {
			count[name]++
		}
	}
	for _, t := range s.Tools {
		t.Also = slices.DeleteFunc(t.Also, func(name string) bool { return count[name] > 1 })
	}
}

// Close ends the sessions and the servers that were started.
func (s *Set) Close() {
	var wg sync.WaitGroup
	for _, r := range s.remotes {
		wg.Go(r.close)
	}
	wg.Wait()
}

// A remote is one server and the session with it, made when it is needed.
type remote struct {
	server Server
	o      Options

	mu      sync.Mutex
	session *session
	dropped sync.WaitGroup // sessions that are being ended
}

// A session with a server, and the server where we started it.
type session struct {
	*mcp.ClientSession
	started *exec.Cmd
}

// end takes some seconds where the server does not hear. What the server itself started ends too.
func (s *session) end() {
	_ = s.Close() // it is over either way
	sandbox.KillGroup(s.started)
}

// connected returns the session, a new one where there is none.
func (r *remote) connected(ctx context.Context) (*session, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.session != nil {
		return r.session, nil
	}
	transport, started, err := r.transport()
	if err != nil {
		return nil, err
	}
	s, err := r.connect(ctx, transport)
	if err != nil {
		sandbox.KillGroup(started)
		return nil, &citewell.Error{Code: citewell.CodeConnectFailed, Op: "mcp " + r.server.Name,
			Message: "the MCP server " + r.server.Name + " cannot be reached",
			Hint:    "citewell doctor tests it", Err: err}
	}
	r.session = &session{s, started}
	return r.session, nil
}

// connect gives a server as long as ctx and connectTimeout to say who it is. The session outlives the call.
func (r *remote) connect(ctx context.Context, transport mcp.Transport) (*mcp.ClientSession, error) {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	inTime := context.AfterFunc(ctx, end)
	s, err := mcp.NewClient(&mcp.Implementation{Name: "citewell", Version: r.o.Version}, nil).Connect(life,
		transport, nil)
	if inTime() && err == nil {
		return s, nil
	}
	if end(); err == nil { // it answered in the last moment
		err = errors.Join(context.Cause(ctx), s.Close())
	}
	return nil, err
}

// drop forgets a session that broke. Ending it may take its server's time; only close waits for that.
func (r *remote) drop(s *session) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.session == s {
		r.session = nil
		r.dropped.Go(s.end)
	}
}

// close ends the session, and waits some seconds for those that were dropped, so that no server is left behind.
func (r *remote) close() {
	r.mu.Lock()
	if r.session != nil {
		r.session.end()
		r.session = nil
	}
	r.mu.Unlock()
	r.dropped.Wait()
}

// list asks for the server's tools.
func (r *remote) list(ctx context.Context) ([]*mcp.Tool, error) {
	session, err := r.connected(ctx)
	if err != nil {
		return nil, err
	}
	var tools []*mcp.Tool
	for t, err := range session.Tools(ctx, nil) {
		if err != nil {
			r.drop(session)
			return nil, &citewell.Error{Code: citewell.CodeToolFailed, Op: "mcp " + r.server.Name,
				Message: "the MCP server " + r.server.Name + " does not list its tools", Err: err}
		}
		if tools = append(tools, t); len(tools) == maxTools {
			break
		}
	}
	return tools, nil
}

// keyed adds the operator's headers, to that host alone.
type keyed struct {
	next    http.RoundTripper
	headers map[string]citewell.Secret
}

func (k keyed) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for name, value := range k.headers {
		r.Header.Set(name, value.Reveal())
	}
	return k.next.RoundTrip(r)
}

// toolName is the name of a server's tool with us: letters, digits, _ and -.
func toolName(server, name string) string {
	clean := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, server+"_"+name)
	return clean[:min(len(clean), 128)]
}
