// Package status is the API of the server's state: what a tenant has here and, for the operator, doctor's findings, the
// outcomes of providers and the size of the store.
//
// Flow: request → Room, and for the operator Parts and the last examination → JSON. Reading calls nothing outside; only
// POST examines, one examination at a time.
// Access: details cover all tenants, so only the operator sees them: at the machine without tokens, or with a token of
// the scope admin of the tenant default.
// Errors: {"error": {...}} as everywhere; permission_denied for others who ask for an examination.
// Concurrency: the handler serves many goroutines.
package status

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/server/access"
	"github.com/citewell/citewell/internal/server/intake"
	"github.com/citewell/citewell/internal/server/quota"
)

// Options are what is told of.
type Options struct {
	Room     func(context.Context) (Room, error)  // of the tenant; no request goes out for it
	Parts    func(context.Context) (Parts, error) // of the server; no request goes out for it
	Examiner *Examiner                            // the same for all tenants
	Log      *slog.Logger
}

// A Room is what a tenant has.
type Room struct {
	Version   string        `json:"version"`
	Agents    []Agent       `json:"agents"`
	Documents int           `json:"documents"`
	ByMeaning bool          `json:"by_meaning"` // there is an embedding model
	Nodes     int           `json:"graph_nodes"`
	Edges     int           `json:"graph_edges"`
	Quotas    []quota.Bound `json:"quotas,omitempty"` // of the token that asks
}

// An Agent is one that runs can be begun with.
type Agent struct {
	Name  string `json:"name"`
	Model string `json:"model"` // empty where it needs none
}

// Parts are what the server asks.
type Parts struct {
	Models    []Model    `json:"models"`
	Providers []Provider `json:"providers"`
}

// A Model is one that the configuration names.
type Model struct {
	Kind string `json:"kind"` // chat, embedding or rerank
	Name string `json:"name"`
}

// A Provider is one that there is, with what came of its last call in this process.
type Provider struct {
	Name       string `json:"name"`
	Configured bool   `json:"configured"`
	Standing   bool   `json:"standing"` // asked where nobody says whom to ask
	LeftAlone  bool   `json:"left_alone,omitempty"`
	Key        string `json:"key,omitempty"` // set or missing; empty where it needs none
	Last       *Call  `json:"last,omitempty"`
}

// A Call is what came of one call of a provider.
type Call struct {
	At        time.Time                `json:"at"`
	Outcome   citewell.ProviderOutcome `json:"outcome"`
	Code      citewell.Code            `json:"code,omitempty"`
	ElapsedMS int64                    `json:"elapsed_ms"`
}

// Details are the operator's.
type Details struct {
	Parts
	Examination
}

// An Overview is GET /v1/status.
type Overview struct {
	Room
	Details *Details `json:"details,omitempty"`
}

// An API answers /v1/status.
type API struct {
	o       Options
	handler http.Handler
}

// routes are all, as METHOD PATH.
var routes = map[string]func(*API, http.ResponseWriter, *http.Request) error{
	"GET /v1/status": (*API).show, "POST /v1/status": (*API).examine}

// Routes are all, as METHOD PATH.
func Routes() []string { return slices.Sorted(maps.Keys(routes)) }

// New returns an API.
func New(o Options) *API {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	a := &API{o: o}
	a.handler = intake.Mux(a, routes, func(h intake.Handle) http.HandlerFunc {
		return intake.Answering(o.Log, func(w http.ResponseWriter, r *http.Request) error {
			if _, err := intake.Query(r); err != nil {
				return err
			}
			return h(w, r)
		})
	}, intake.Refuse)
	return a
}

// ServeHTTP implements http.Handler for /v1/status.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.handler.ServeHTTP(w, r) }

// Examiner is that of the API, for another beside it.
func (a *API) Examiner() *Examiner { return a.o.Examiner }

// operator says whether who calls may hear of the whole server.
func operator(ctx context.Context) bool {
	c := access.CallerOf(ctx)
	return c.Name == "" || c.Admin && c.Tenant == access.DefaultTenant
}

// show is GET /v1/status.
func (a *API) show(w http.ResponseWriter, r *http.Request) error {
	answer, err := a.Overview(r.Context())
	return intake.Answer(w, answer, err)
}

// Overview is how the server is, as far as who calls may hear of it.
func (a *API) Overview(ctx context.Context) (o Overview, err error) {
	if o.Room, err = a.o.Room(ctx); err != nil || !operator(ctx) {
		return o, err
	}
	parts, err := a.o.Parts(ctx)
	if err != nil {
		return o, err
	}
	last, err := a.o.Examiner.Last(ctx)
	o.Details = &Details{parts, last}
	return o, err
}

// examine is POST /v1/status. Its body says nothing.
func (a *API) examine(w http.ResponseWriter, r *http.Request) error {
	if err := a.Examine(r.Context()); err != nil {
		return err
	}
	return a.show(w, r)
}

// Examine has every part tried, where who calls may have that: permission_denied where not.
func (a *API) Examine(ctx context.Context) error {
	if !operator(ctx) {
		return &citewell.Error{Code: citewell.CodePermissionDenied, Op: "status",
			Message: "only the operator may test the parts of the server",
			Hint:    "a token of the scope admin of the tenant default may: citewell token create NAME --scope admin"}
	}
	return a.o.Examiner.Examine(ctx)
}
