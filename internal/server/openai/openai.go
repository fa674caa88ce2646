// Package openai offers OpenAI's API, and SGR Deep Research's beside it, over runs: a model is an agent, a chat
// completion is a run, and the run's result is the assistant's message.
//
// Flow: request → task, history, images → Desk.Start (or Desk.Answer) → Desk.Follow → chunks or one message. A client
// that disconnects cancels nothing: the run continues, and its id, sent as model, finds it again.
// Limits: a body has at most MaxBody bytes; Options.Requests are followed at once; images and history as in images.go
// and messages.go. Other fields of a request are ignored, as doc/openai.md lists.
// Errors: OpenAI's form under /v1, {"detail": ...} under /agents. A run that began and failed is an error too, never an
// empty message.
// Concurrency: the handler serves many goroutines; a client that does not read does not hold up one that follows a run
// (internal/server).
package openai

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/server/intake"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/turns"
)

// Bounds that are the same everywhere.
const (
	MaxBody        = 16 << 20         // bytes of a request
	allBodies      = 64 << 20         // of all that are read and made use of at once
	keepAlive      = 15 * time.Second // proxies drop streams that are silent for two minutes
	maxRunID       = 128              // bytes; an agent's name, _ and a UUID
	maxIdempotency = 256              // bytes of an Idempotency-Key
)

// DefaultRequests is how many requests are followed at once.
const DefaultRequests = 256

// The ways in which a stream shows what an agent does.
const (
	AsToolCalls = "openai"     // a chunk with a tool call for each phase
	AsDetails   = "open_webui" // a collapsible block in the content
)

// Options are what the API stands on.
type Options struct {
	Desk      job.Service
	Generator string // AsToolCalls or AsDetails; AsToolCalls when empty
	// FetchImage gets what is at a URL that a message names as an image's; nil takes none by URL.
	FetchImage func(ctx context.Context, url string) (citewell.Page, error)
	// ReadPage reads a document that is there instead, and keeps it with its text; nil takes none.
	ReadPage func(ctx context.Context, page citewell.Page) (job.File, error)
	ReadFile intake.Reader   // of the files that messages have; nil takes none
	Requests int             // followed at once; DefaultRequests when 0
	Beside   *API            // whose limits, and what is under way in them, are this one's too; nil has its own
	Ends     <-chan struct{} // closed when the server ends: who follows a run is told; nil is never
	Log      *slog.Logger
}

// An API answers the routes of this package.
type API struct {
	o      Options
	places *turns.Shares  // of requests that are followed
	bodies *intake.Bodies // which count until a run has what it needs of them
	files  *intake.Files
	mux    *http.ServeMux
	routes []string
}

// Routes lists what there is, as METHOD /path.
func (a *API) Routes() []string { return slices.Clone(a.routes) }

// New returns an API.
func New(o Options) *API {
	if o.Requests <= 0 {
		o.Requests = DefaultRequests
	}
	o.Generator = cmp.Or(o.Generator, AsToolCalls)
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	a := &API{o: o, places: turns.NewShares(o.Requests), bodies: intake.NewBodies(MaxBody, allBodies,
		"send less of the conversation, or smaller images"),
		files: intake.NewFiles(o.ReadFile), mux: http.NewServeMux()}
	if b := o.Beside; b != nil {
		a.places, a.bodies, a.files = b.places, b.bodies, b.files.Reading(o.ReadFile)
	}
	serve := func(pattern string, methods map[string]http.HandlerFunc, refuse func(http.ResponseWriter, error)) {
		a.mux.Handle(pattern, intake.ByMethod(methods, refuse))
		for method := range methods {
			a.routes = append(a.routes, method+" "+pattern)
		}
	}
	v1 := func(pattern string, methods map[string]http.HandlerFunc) { serve(pattern, methods, Refuse) }
	v1("/v1/models", map[string]http.HandlerFunc{"GET": a.listModels})
	v1("/v1/models/{id}", map[string]http.HandlerFunc{"GET": a.showModel})
	v1("/v1/chat/completions", map[string]http.HandlerFunc{"POST": a.chat})
	a.mux.HandleFunc("/v1/", func(w http.ResponseWriter, r *http.Request) { Refuse(w, noRoute(r)) })
	sgr := func(pattern string, methods map[string]http.HandlerFunc) { serve(pattern, methods, RefuseDetail) }
	sgr("/health", map[string]http.HandlerFunc{"GET": a.health})
	sgr("/agents", map[string]http.HandlerFunc{"GET": a.listAgents})
	sgr("/agents/{id}", map[string]http.HandlerFunc{"DELETE": a.deleteAgent})
	sgr("/agents/{id}/state", map[string]http.HandlerFunc{"GET": a.agentState})
	sgr("/agents/{id}/provide_clarification", map[string]http.HandlerFunc{"POST": a.clarify})
	a.mux.HandleFunc("/agents/", func(w http.ResponseWriter, r *http.Request) { RefuseDetail(w, noRoute(r)) })
	return a
}

// ServeHTTP implements http.Handler for /v1, /agents and /health.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.mux.ServeHTTP(w, r) }

func noRoute(r *http.Request) error {
	return &citewell.Error{Code: citewell.CodeNotFound, Message: "there is nothing at this path: " +
		text.Prefix(r.URL.Path, 200), Hint: "see /v1/models, /v1/chat/completions, /v1/runs, /agents"}
}
