// Package runs is the API of research runs, which are begun, listed, followed, answered, cancelled and read over HTTP,
// and of watches, whose rounds are runs. openapi.yaml beside this file describes it, and is served at /openapi.json.
//
// Flow: request → Desk → JSON, a stream of the run's log, or a file. A client that disconnects cancels nothing; it
// continues after the number of the last entry that it received.
// Limits: a body has at most MaxBody bytes, one that begins a run MaxStart. Options.Streams are followed at once, each
// with at most buffered entries that wait for its client, which must accept what it is sent (internal/server).
// exportsAtOnce files are made at once.
// Errors: {"error": {...}} as everywhere, with the status of the code in code.go, except for methods (405), accepted
// types (406) and the size of bodies (413).
// Concurrency: the handler serves many goroutines.
package runs

import (
	"cmp"
	"log/slog"
	"net/http"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/evidence"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/report"
	"github.com/citewell/citewell/internal/server/intake"
	"github.com/citewell/citewell/internal/turns"
	"github.com/citewell/citewell/internal/watch"
)

// Bounds that are the same everywhere.
const (
	MaxBody       = 512 << 10 // bytes of a request
	MaxStart      = 16 << 20  // of one that begins a run, which may bring files
	allBodies     = 64 << 20  // of all of either kind that are read at once
	exportsAtOnce = 4
)

// DefaultStreams is how many streams of events are followed at once.
const DefaultStreams = 2048

// Options are what the API stands on.
type Options struct {
	Desk    job.Service
	Watches *watch.Desk      // of callers, as Desk is
	Kept    report.Snapshots // of cited pages; nil has none
	// Evidence is where texts of sources and checks of citations are asked for.
	Evidence *evidence.Desk
	// ReadFile reads what is attached to a task; nil takes none.
	ReadFile intake.Reader
	Streams  int  // followed at once; DefaultStreams when 0 or below
	Beside   *API // whose limits, and what is under way in them, are this one's too; nil has its own
	Log      *slog.Logger
}

// An API answers the routes of this package.
type API struct {
	o       Options
	streams *turns.Shares
	bodies  *intake.Bodies
	starts  *intake.Bodies // that begin runs
	files   *intake.Files
	exports *turns.Turns
	mux     *http.ServeMux
}

type handle = func(*API, http.ResponseWriter, *http.Request) error

// routes are all, as METHOD PATH.
var routes = map[string]handle{
	"GET /openapi.json":                  describe,
	"GET /v1/agents":                     plain((*API).agents),
	"GET /v1/runs":                       (*API).list,
	"POST /v1/runs":                      plain((*API).start),
	"GET /v1/runs/{id}":                  plain((*API).show),
	"DELETE /v1/runs/{id}":               plain((*API).remove),
	"GET /v1/runs/{id}/events":           (*API).events,
	"POST /v1/runs/{id}/answer":          plain((*API).answer),
	"POST /v1/runs/{id}/cancel":          plain((*API).cancel),
	"GET /v1/runs/{id}/result":           plain((*API).result),
	"GET /v1/runs/{id}/report":           (*API).report,
	"GET /v1/runs/{id}/sources":          plain((*API).sources),
	"GET /v1/runs/{id}/sources/{n}/text": (*API).text,
	"POST /v1/runs/{id}/verification":    plain((*API).verify),
	"GET /v1/runs/{id}/evidence":         plain((*API).evidence),
	"GET /v1/watches":                    plain((*API).watches),
	"POST /v1/watches":                   plain((*API).addWatch),
	"GET /v1/watches/{watch}":            plain((*API).showWatch),
	"DELETE /v1/watches/{watch}":         plain((*API).removeWatch),
	"POST /v1/watches/{watch}/run":       plain((*API).runWatch),
	"GET /v1/watches/{watch}/news":       (*API).news,
	"GET /v1/watches/{watch}/feed":       (*API).feed,
}

// New returns an API.
func New(o Options) *API {
	if o.Streams <= 0 {
		o.Streams = DefaultStreams
	}
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	a := &API{o: o, streams: turns.NewShares(o.Streams), bodies: intake.NewBodies(MaxBody, allBodies, "say less"),
		starts: intake.NewBodies(MaxStart, allBodies, "say less in task and history, or attach smaller files"),
		files:  intake.NewFiles(o.ReadFile), exports: turns.New(exportsAtOnce)}
	if b := o.Beside; b != nil {
		a.streams, a.bodies, a.starts, a.exports, a.files = b.streams, b.bodies, b.starts, b.exports,
			b.files.Reading(o.ReadFile)
	}
	a.mux = intake.Mux(a, routes, a.answering, intake.Refuse)
	a.mux.HandleFunc("/", intake.NoSuchPath)
	return a
}

// ServeHTTP implements http.Handler for /v1/runs, /v1/watches, /v1/agents and /openapi.json.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.mux.ServeHTTP(w, r) }

// plain is h for a route whose query has no parameters.
func plain(h handle) handle {
	return func(a *API, w http.ResponseWriter, r *http.Request) error {
		if _, err := intake.Query(r); err != nil {
			return err
		}
		return h(a, w, r)
	}
}

// answering answers with h, or its error.
func (a *API) answering(h intake.Handle) http.HandlerFunc {
	return intake.Answering(a.o.Log, func(w http.ResponseWriter, r *http.Request) error {
		if id := r.PathValue("id"); id != "" && !runID.MatchString(id) {
			return noRun()
		}
		return h(w, r)
	})
}

// runID is the form of ids, as openapi.yaml has it.
var runID = lazyregexp.New(
	`^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}_[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)

// ofRun is an error of what was asked of a run: here it may not be there.
func ofRun(err error) error { return intake.Instead(err, noRun()) }

// notReady is the error of asking of a run what cannot be asked of it yet.
func notReady(message, hint string) error {
	return &citewell.Error{Code: citewell.CodeRunNotReady, Op: "runs", Message: message, Hint: hint}
}

func noRun() error {
	return &citewell.Error{Code: citewell.CodeNotFound, Op: "runs", Message: "there is no run with that id",
		Hint: "GET /v1/runs lists them"}
}

// agents is GET /v1/agents.
func (a *API) agents(w http.ResponseWriter, r *http.Request) error {
	type offered struct {
		Name        string     `json:"name"`
		Description string     `json:"description"`
		Model       string     `json:"model"`
		Budget      job.Budget `json:"budget"`
		Choices     job.Offer  `json:"choices"`
	}
	list := []offered{}
	for _, d := range a.o.Desk.Agents() {
		offer, err := a.o.Desk.Offer(r.Context(), d.Name)
		if err != nil {
			return err
		}
		list = append(list, offered{d.Name, d.Description, d.Model, d.Budget, offer})
	}
	return intake.Answer(w, map[string]any{"agents": list}, nil)
}
