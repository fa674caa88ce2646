package mcpserver

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/server/access"
	"github.com/citewell/citewell/internal/server/intake"
	"github.com/citewell/citewell/internal/tool"
	"github.com/citewell/citewell/internal/turns"
	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// sessionIdle is how long a session of an older protocol is kept without a request.
const sessionIdle = 30 * time.Minute

// maxSent bounds what is kept of all that was sent in sessions, in bytes, so that a
// client whose connection broke can take a stream up again.
const maxSent = 32 << 20

// sessionless is the first revision that has no sessions.
const sessionless = "2026-07-28"

// HTTP is MCP over streamable HTTP.
type HTTP struct {
	http.Handler
	limits *limits
}

// Sessions counts the sessions of the older protocols, and what is under way in the new one,
// here and in the handlers beside.
func (h *HTTP) Sessions() int { return h.limits.sessions() }

// limits are what handlers beside each other share.
type limits struct {
	bodies *intake.Room
	sent   *mcp.MemoryEventStore

	mu     sync.Mutex
	all    []*servers
	owners map[string]string // callers by the ids of their sessions
	begin  map[string]int    // sessions that are being begun, by callers
}

func (o Options) limits() *limits {
	if o.Beside != nil {
		return o.Beside.limits
	}
	l := &limits{bodies: intake.NewRoom(allBodies), sent: mcp.NewMemoryEventStore(nil), owners: map[string]string{},
		begin: map[string]int{}}
	l.sent.SetMaxBytes(maxSent)
	return l
}

func (l *limits) add(s *servers) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, s)
}

func (l *limits) sessions() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.ids())
}

// ids are those of all sessions.
func (l *limits) ids() (all []string) {
	for _, s := range l.all {
		all = s.ids(all)
	}
	return all
}

// room says whether a caller may begin one more session, which it then does until begun is
// called with the id that it was given; empty where it was given none.
func (l *limits) room(caller string) (begun func(id string), ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	ids := l.ids()
	free, own := maxSessions-len(ids), l.begin[caller]
	for _, n := range l.begin {
		free -= n
	}
	kept := make(map[string]string, len(ids))
	for _, id := range ids {
		if owner, ok := l.owners[id]; ok {
			if kept[id] = owner; owner == caller {
				own++
			}
		}
	}
	l.owners = kept // without those that have ended
	if !turns.Fits(caller, int64(own), 1, int64(free)) {
		return nil, false
	}
	l.begin[caller]++
	return func(id string) {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.begin[caller]--; l.begin[caller] == 0 {
			delete(l.begin, caller)
		}
		if id != "" {
			l.owners[id] = caller
		}
	}, true
}

// Handler serves the toolsets over streamable HTTP: {toolset} in the path names one,
// its absence means the default. Who may come in is decided before it.
func Handler(toolset func(name string) (*tool.Toolset, error), o Options) *HTTP {
	servers, limits := &servers{toolset: toolset, o: o, byName: map[string]served{},
		underway: underway{of: map[owned]*together{}}}, o.limits()
	limits.add(servers)
	of := func(r *http.Request) *mcp.Server {
		s, _ := servers.named(r.PathValue("toolset")) // was there a moment ago
		return s.Server
	}
	without := mcp.NewStreamableHTTPHandler(of, &mcp.StreamableHTTPOptions{Stateless: true, Logger: o.Log,
		MaxRequestBodyBytes: maxMessage, PropagateRequestCancellation: true, DisableLocalhostProtection: true})
	with := mcp.NewStreamableHTTPHandler(of, &mcp.StreamableHTTPOptions{SessionTimeout: sessionIdle, Logger: o.Log,
		MaxRequestBodyBytes: maxMessage, DisableLocalhostProtection: true, EventStore: limits.sent})
	within := ofCaller(with)
	return &HTTP{limits: limits, Handler: bounded(limits.bodies,
		http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			s, err := servers.named(r.PathValue("toolset"))
			if err != nil {
				access.Refuse(w, err)
				return
			}
			if r.Header.Get("Mcp-Protocol-Version") >= sessionless {
				without.ServeHTTP(w, r)
				return
			}
			session := r.Header.Get("Mcp-Session-Id")
			if session != "" && !strings.HasSuffix(session, s.mark) {
				refuseSession(w)
				return
			}
			if r.Method == http.MethodPost && session == "" {
				begun, ok := limits.room(access.CallerOf(r.Context()).Name)
				if !ok {
					w.Header().Set("Retry-After", "60")
					access.Refuse(w, &citewell.Error{Code: citewell.CodeRateLimited, Op: "mcp",
						Message: fmt.Sprintf("there are too many sessions: at most %d, and of one token as many as "+
							"are left free for others", maxSessions),
						Hint: "end finished sessions with DELETE; an idle one ends by itself after " +
							sessionIdle.String()})
					return
				}
				defer func() { begun(w.Header().Get("Mcp-Session-Id")) }()
			}
			if session != "" {
				w = &keeping{ResponseWriter: w}
			}
			if r.Method == http.MethodDelete {
				defer servers.underway.end(owned{access.CallerOf(r.Context()).Name, session})()
			}
			within.ServeHTTP(unnamed{w}, r)
		}))}
}

// refuseSession is the answer to every id by which the caller has no session here, whether
// somebody else has one or not.
func refuseSession(w http.ResponseWriter) {
	access.Refuse(w, &citewell.Error{Code: citewell.CodeNotFound, Op: "mcp",
		Message: "there is no such session at this path with this token",
		Hint:    "begin a session here: it is valid only for the toolset and the token that it began with"})
}

// A keeping writer answers in a session's place where the SDK refuses its id: 404 where it
// is nobody's, and 403 where it is another token's, from which that would learn that it is.
type keeping struct {
	http.ResponseWriter
	refused bool
}

func (k *keeping) WriteHeader(status int) {
	if status != http.StatusNotFound && status != http.StatusForbidden {
		k.ResponseWriter.WriteHeader(status)
	} else if !k.refused {
		k.refused = true
		refuseSession(k.ResponseWriter)
	}
}

func (k *keeping) Write(p []byte) (int, error) {
	if k.refused {
		return len(p), nil
	}
	return k.ResponseWriter.Write(p)
}

// Unwrap lets the SDK flush what is below.
func (k *keeping) Unwrap() http.ResponseWriter { return k.ResponseWriter }

// An unnamed writer leaves the name off the event by which the SDK begins a stream that
// can be taken up again: the protocol has events of messages alone there, and clients
// tell of a name that they do not know as if something were wrong.
type unnamed struct{ http.ResponseWriter }

// primed is how the SDK writes that event, in one piece.
var primed = []byte("event: prime\n")

func (u unnamed) Write(p []byte) (int, error) {
	rest := bytes.TrimPrefix(p, primed)
	n, err := u.ResponseWriter.Write(rest)
	return n + len(p) - len(rest), err
}

// Unwrap lets the SDK flush what is below.
func (u unnamed) Unwrap() http.ResponseWriter { return u.ResponseWriter }

// maxSessions bounds the sessions that are kept at once, of all toolsets together:
// at some 50 KB each, 200 MB.
const maxSessions = 4096

// markOf ends the ids of a toolset's sessions.
func markOf(set *tool.Toolset) string { return "-" + citewell.SHA256([]byte(set.Name))[:8] }

// ofCaller keeps a session to the token that began it: the id alone opens nothing for another.
func ofCaller(next http.Handler) http.Handler {
	named := auth.RequireBearerToken(func(ctx context.Context, _ string, _ *http.Request) (*auth.TokenInfo, error) {
		caller := access.CallerOf(ctx)
		// the door has judged the token
		return &auth.TokenInfo{UserID: caller.Name, Expiration: time.Now().Add(sessionIdle),
			Extra: map[string]any{callerField: caller}}, nil
	}, nil)(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if access.CallerOf(r.Context()).Name == "" {
			next.ServeHTTP(w, r)
			return
		}
		named.ServeHTTP(w, r)
	})
}

// callerField is where the SDK carries who sent a request of a session.
const callerField = "caller"

// servers are built when they are first asked for.
type servers struct {
	toolset func(name string) (*tool.Toolset, error)
	o       Options

	underway underway

	mu     sync.Mutex
	byName map[string]served
}

// A served is the server of one toolset, and what ends the ids of its sessions.
type served struct {
	*mcp.Server
	mark string
}

// ids appends those of the sessions of the older protocols, and none for what is under way in the new one.
func (s *servers) ids(all []string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.byName {
		for session := range m.Sessions() {
			all = append(all, session.ID())
		}
	}
	return all
}

func (s *servers) named(name string) (served, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m, ok := s.byName[name]; ok {
		return m, nil
	}
	set, err := s.toolset(name)
	if err != nil {
		return served{}, err
	}
	m := served{New(set, s.o), markOf(set)}
	m.AddReceivingMiddleware(s.underway.counted)
	s.byName[name] = m
	return m, nil
}
