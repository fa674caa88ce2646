// Package documents is the API of a tenant's knowledge: its documents (list, add, read, search, delete) and the nodes
// of its graph.
//
// Flow: request → library, store or finder → JSON. openapi.yaml of package runs describes it.
// Units: spans are bytes of a document's text, half-open, without parts of characters.
// Limits: a body has at most MaxBody bytes and intake.MaxFiles files; addedAtOnce are read at once; a piece of a text
// has at most evidence.MaxText bytes.
// Errors: {"error": {...}} as everywhere. A file that cannot be read has its own error and does not stop the others.
// Concurrency: the handler serves many goroutines.
package documents

import (
	"cmp"
	"encoding/base64"
	"log/slog"
	"maps"
	"net/http"
	"slices"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/meaning"
	"github.com/citewell/citewell/internal/server/intake"
	"github.com/citewell/citewell/internal/turns"
	"github.com/citewell/citewell/library"
	"github.com/citewell/citewell/store"
)

// Bounds that are the same everywhere.
const (
	MaxBody     = 32 << 20 // bytes of a request: a file has at most 16 MiB, and a third more in base64
	allBodies   = 64 << 20 // of all that are read at once
	addedAtOnce = 4        // files and pages
)

// Options are the parts that the API stands on, all but Beside and Log required.
type Options struct {
	Library *library.Library
	Finder  *meaning.Finder
	Store   interface {
		store.Text
		store.Graph
	}
	Beside *API // whose limits, and what is under way in them, are this one's too; nil has its own
	Log    *slog.Logger
}

// An API answers the routes of this package.
type API struct {
	o      Options
	bodies *intake.Bodies
	places *turns.Turns
	mux    *http.ServeMux
}

// routes are all, as METHOD PATH.
var routes = map[string]func(*API, http.ResponseWriter, *http.Request) error{
	"GET /v1/documents":           (*API).list,
	"POST /v1/documents":          (*API).add,
	"GET /v1/documents/search":    (*API).search,
	"GET /v1/documents/{id}":      (*API).show,
	"DELETE /v1/documents/{id}":   (*API).remove,
	"GET /v1/documents/{id}/text": (*API).text,
	"GET /v1/graph":               (*API).nodes,
	"GET /v1/graph/{node}":        (*API).node,
}

// Routes are all, as METHOD PATH.
func Routes() []string { return slices.Sorted(maps.Keys(routes)) }

// New returns an API.
func New(o Options) *API {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	a := &API{o: o, bodies: intake.NewBodies(MaxBody, allBodies, "send fewer or smaller files"),
		places: turns.New(addedAtOnce)}
	if o.Beside != nil {
		a.bodies, a.places = o.Beside.bodies, o.Beside.places
	}
	answer := func(h intake.Handle) http.HandlerFunc { return intake.Answering(o.Log, h) }
	a.mux = intake.Mux(a, routes, answer, intake.Refuse)
	a.mux.HandleFunc("/", intake.NoSuchPath)
	return a
}

// ServeHTTP implements http.Handler for /v1/documents and /v1/graph.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.mux.ServeHTTP(w, r) }

// ids are URLs in letters that a path may have.
var ids = base64.RawURLEncoding.Strict()

// idOf is the id of the document under a URL, the same as long as the URL is.
func idOf(url string) string { return ids.EncodeToString([]byte(url)) }

// urlOf is the URL of the document of an id; not_found where it can be none's.
func urlOf(id string) (string, error) {
	url, err := ids.DecodeString(id)
	if err != nil || len(url) == 0 || len(url) > store.MaxDocumentID {
		return "", noDocument()
	}
	return string(url), nil
}

func noDocument() error {
	return &citewell.Error{Code: citewell.CodeNotFound, Op: "documents", Message: "there is no document with that id",
		Hint: "GET /v1/documents lists them"}
}
