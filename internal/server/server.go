// Package server is the HTTP server: its routes, and an orderly start and end.
//
// Flow: listener → access → route → handler.
// Routes: /healthz says that the process lives, /readyz that it can answer; /mcp and /mcp/{toolset} are MCP; /v1/models
// and /v1/chat/completions are OpenAI's API, /agents and /health SGR's; /v1/runs, /v1/watches and /v1/agents are the
// API of runs; /v1/documents and /v1/graph are the API of a tenant's knowledge; /v1/status reports the server's state;
// /openapi.json describes them. /, /runs and the paths below it are the web page over runs, /session signs a browser
// in, /metrics is Prometheus's.
// Limits: 8,192 connections, and of one address as many as leave room for others; headers 64 KiB within 10 s; a body
// within 30 s, of the size that its route allows; a client must accept data within 30 s. At the end, work in progress
// has Drain to finish; streams that only wait for news end at once.
// Concurrency: Run serves until its context ends.
package server

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/server/access"
	"github.com/citewell/citewell/internal/server/intake"
	"github.com/citewell/citewell/internal/server/openai"
	"github.com/citewell/citewell/internal/server/page"
)

// Drain is how long what is under way may take when the server ends.
const Drain = 10 * time.Second

// Options are what is served.
type Options struct {
	Door      *access.Door
	MCP       http.Handler
	OpenAI    http.Handler                // an *openai.API
	Runs      http.Handler                // a *runs.API
	Documents http.Handler                // a *documents.API
	Status    http.Handler                // a *status.API
	Page      http.Handler                // a *page.Site
	Ready     func(context.Context) error // whether the parts answer
	Log       *slog.Logger

	Metrics http.Handler // a *metrics.Set
	// Watch hears of each request when it comes, and gives it as it is to be answered. The
	// function that it returns hears when the answer has ended: the pattern of the route,
	// empty where there is none, and the status. Nil hears nothing; several goroutines call it.
	Watch func(*http.Request) (*http.Request, func(route string, status int))
}

// Handler is every route.
func Handler(o Options) http.Handler {
	mux := http.NewServeMux()
	for pattern, h := range o.routes() {
		mux.Handle(pattern, h)
	}
	return watched(mux, o.Watch)
}

// Watching is the routes of those who watch a process that serves nothing else: /healthz, /readyz and /metrics.
func Watching(o Options) http.Handler {
	mux := http.NewServeMux()
	for pattern, h := range o.watching() {
		mux.Handle(pattern, h)
	}
	return watched(mux, o.Watch)
}

// Patterns are those of all routes, as http.ServeMux has them.
func Patterns() (all []string) {
	for pattern := range (Options{Door: &access.Door{}}).routes() {
		all = append(all, pattern)
	}
	return all
}

func (o Options) routes() map[string]http.Handler {
	sgr, desk, site := o.Door.Refusing(openai.RefuseDetail), o.Door.Refusing(intake.Refuse),
		o.Door.Refusing(page.Refuse)
	sessions := site.Open(page.Sessions(o.Door))
	all := map[string]http.Handler{
		"/mcp":                     o.Door.For(access.ScopeMCP, o.MCP),
		"/mcp/{toolset}":           o.Door.For(access.ScopeMCP, o.MCP),
		"/health":                  sgr.Open(o.OpenAI),
		"/v1/":                     o.Door.Refusing(openai.Refuse).For(access.ScopeAPI, o.OpenAI),
		"/agents":                  sgr.For(access.ScopeAPI, o.OpenAI),
		"/agents/":                 sgr.For(access.ScopeAPI, o.OpenAI),
		"/openapi.json":            desk.Open(o.Runs),
		"/v1/agents":               desk.For(access.ScopeAPI, o.Runs),
		"/v1/runs":                 desk.For(access.ScopeAPI, o.Runs),
		"/v1/runs/":                desk.For(access.ScopeAPI, o.Runs),
		"/v1/watches":              desk.For(access.ScopeAPI, o.Runs),
		"/v1/watches/":             desk.For(access.ScopeAPI, o.Runs),
		"/v1/watches/{watch}/feed": desk.ForFeed(o.Runs),
		"/v1/documents":            desk.For(access.ScopeAPI, o.Documents),
		"/v1/documents/":           desk.For(access.ScopeAPI, o.Documents),
		"/v1/graph":                desk.For(access.ScopeAPI, o.Documents),
		"/v1/graph/":               desk.For(access.ScopeAPI, o.Documents),
		"/v1/status":               desk.For(access.ScopeAPI, o.Status),
		"/a/":                      site.Open(http.HandlerFunc(page.Assets)),
		"/session":                 sessions,
		"/session/end":             sessions,
	}
	maps.Copy(all, o.watching())
	for _, pattern := range page.Patterns {
		all[pattern] = site.For(access.ScopeAPI, o.Page)
	}
	return all
}

func (o Options) watching() map[string]http.Handler {
	live := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { answerText(w, http.StatusOK, "ok\n") })
	ready := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := o.Ready(r.Context()); err != nil {
			o.Log.Error("not ready", "error", err)
			answerText(w, http.StatusServiceUnavailable, string(citewell.CodeOf(err))+"\n")
			return
		}
		answerText(w, http.StatusOK, "ok\n")
	})
	return map[string]http.Handler{
		"GET /healthz": o.Door.Open(live),
		"GET /readyz":  o.Door.Open(ready),
		"GET /metrics": o.Door.For(access.ScopeMetrics, o.Metrics),
	}
}

func answerText(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text)) // the client is gone where this fails
}

// Run serves on l until ctx ends, then lets what is under way finish.
func Run(ctx context.Context, l net.Listener, h http.Handler, log *slog.Logger) error {
	calls, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	s := &http.Server{Handler: paced(ending(ctx, h)), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute,
		MaxHeaderBytes: 64 << 10,
		ErrorLog:       slog.NewLogLogger(log.Handler(), slog.LevelDebug),
		BaseContext: func(net.Listener) context.Context {
			return calls
		}}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(newShared(l, maxConnections, log)) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), Drain)
	defer cancel()
	err := s.Shutdown(drain)
	end() // what is still under way hears of it
	if errors.Is(err, context.DeadlineExceeded) {
		err = s.Close()
	}
	<-ended
	return err
}
