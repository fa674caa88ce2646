// Package page is the web page: ask, watch a run, read its report, and check each of its citations against the kept
// text.
//
// Flow: request → job.Service, watch.Desk, evidence.Desk, documents.API and status.API, as the APIs use them → a struct
// for each page → html/template → HTML. Each state is a page that works without script; static/app.js only avoids
// reloads by fetching parts of the same pages. The page asks the parts for nothing that a client of /v1 could not ask.
// Limits: a form has at most maxForm bytes; a page of history lists listed runs.
// Safety: untrusted words are data to html/template, except in the report's content, which report.Content writes
// element by element. policy forbids everything from elsewhere.
// Errors: as pages, with the status of their code; 401 is the page to enter a token.
// Concurrency: a Site serves many goroutines.
package page

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"html/template"
	"log/slog"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/evidence"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/server/documents"
	"github.com/citewell/citewell/internal/server/intake"
	"github.com/citewell/citewell/internal/server/status"
	"github.com/citewell/citewell/internal/watch"
)

// Bounds that are the same everywhere.
const (
	maxForm  = 3*job.MaxTask + 64<<10 // bytes of a form: a byte of a question is sent as at most three
	allForms = 16 << 20               // of all that are read at once
)

// Options are what the pages stand on.
type Options struct {
	Desk     job.Service
	Evidence *evidence.Desk
	Shelf    *documents.API // of the library and the graph
	State    *status.API    // of how the server is
	Watches  *watch.Desk    // of callers, as Desk is
	Samples  []string       // questions that an empty page offers
	Lacks    []Lack         // what would make it better
	Visitors func() bool    // whether a browser has to show a token; nil is never
	Beside   *Site          // whose limits are this one's too; nil has its own
	Log      *slog.Logger
}

// A Lack is a part that is not configured.
type Lack struct {
	Words string // what goes on without it
	Line  string // a command that would add it
}

// A Site answers the routes of this package.
type Site struct {
	o     Options
	forms *intake.Room
	mux   *http.ServeMux
}

type handle = func(*Site, http.ResponseWriter, *http.Request) error

// routes are all pages, and what forms are sent to.
var routes = map[string]handle{
	"GET /{$}":                     (*Site).ask,
	"GET /runs":                    (*Site).history,
	"POST /runs":                   (*Site).begin,
	"GET /runs/{id}":               inRun((*Site).run),
	"GET /runs/{id}/c/{k}":         inRun((*Site).citation),
	"GET /runs/{id}/s/{n}":         inRun((*Site).source),
	"GET /runs/{id}/log":           inRun((*Site).log),
	"GET /runs/{id}/map":           inRun((*Site).mapped),
	"GET /runs/{id}/time":          inRun((*Site).timed),
	"GET /runs/{id}/part/news":     inRun((*Site).news),
	"GET /runs/{id}/part/c/{k}":    inRun((*Site).pane),
	"POST /runs/{id}/answer":       inRun((*Site).answer),
	"POST /runs/{id}/cancel":       inRun((*Site).cancel),
	"POST /runs/{id}/delete":       inRun((*Site).remove),
	"POST /runs/{id}/verify":       inRun((*Site).verify),
	"POST /runs/{id}/part/verify":  inRun((*Site).verifyPart),
	"GET /compare":                 (*Site).compare,
	"POST /theme":                  (*Site).theme,
	"GET /library":                 (*Site).library,
	"POST /library":                (*Site).shelve,
	"POST /library/part/add":       (*Site).shelvePart,
	"GET /library/search":          (*Site).found,
	"GET /library/graph":           (*Site).graph,
	"GET /library/d/{id}":          (*Site).document,
	"GET /library/d/{id}/text":     (*Site).documentText,
	"POST /library/d/{id}/delete":  (*Site).unshelve,
	"GET /watches":                 (*Site).watches,
	"POST /watches":                (*Site).addWatch,
	"GET /watches/{watch}":         (*Site).watch,
	"POST /watches/{watch}/run":    (*Site).runWatch,
	"POST /watches/{watch}/delete": (*Site).removeWatch,
	"GET /status":                  (*Site).state,
	"POST /status":                 (*Site).examine,
}

// Patterns are the paths that a Site answers, as http.ServeMux has them.
var Patterns = []string{"/{$}", "/runs", "/runs/", "/compare", "/theme", "/watches", "/watches/", "/library",
	"/library/", "/status"}

// Routes are the methods and paths that a Site answers.
func Routes() []string { return slices.Sorted(maps.Keys(routes)) }

// New returns a Site.
func New(o Options) *Site {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	s := &Site{o: o, forms: intake.NewRoom(allForms)}
	if o.Beside != nil {
		s.forms = o.Beside.forms
	}
	s.mux = intake.Mux(s, routes, s.answering, Refuse)
	s.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		s.refuse(w, r, &citewell.Error{Code: citewell.CodeNotFound, Op: "page",
			Message: "there is nothing at this address", Hint: "go back to the first page"})
	})
	return s
}

// answering answers with h, or with the page of its error, which is logged where it is not the caller's fault.
func (s *Site) answering(h intake.Handle) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := h(w, r); err != nil {
			if r.Context().Err() == nil && intake.StatusOf(err) >= 500 {
				s.o.Log.Error("a page failed", "path", r.URL.Path, "error", err)
			}
			s.refuse(w, r, err)
		}
	}
}

// ServeHTTP implements http.Handler. What http.ServeMux answers by itself is under the policy too.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	guard(w.Header())
	s.mux.ServeHTTP(w, r)
}

// A frame is what is around each page.
type frame struct {
	Title   string // of the document
	Here    string // the current page of the navigation: ask, runs, watches, library, status
	Lang    string
	Theme   string // light, dark, or empty as the system has it
	Assets  assetNames
	Glyphs  template.HTML
	Session bool // there may be one to end
	Path    string
	Refresh bool // a reader without script is shown it anew from time to time
}

func (s *Site) frame(r *http.Request, title, here string) frame {
	f := frame{Title: title, Here: here, Lang: "en", Assets: assets().names, Glyphs: glyphs(), Path: r.URL.Path}
	if s != nil && s.o.Visitors != nil {
		f.Session = s.o.Visitors()
	}
	if c, err := r.Cookie(themeCookie); err == nil && (c.Value == "light" || c.Value == "dark") {
		f.Theme = c.Value
	}
	return f
}

// show sends a page, whole or not at all.
func show(w http.ResponseWriter, status int, name string, data any) error {
	var page bytes.Buffer
	if err := templates().ExecuteTemplate(&page, name, data); err != nil {
		return fmt.Errorf("page: %s: %w", name, err)
	}
	guard(w.Header())
	w.WriteHeader(status)
	_, _ = w.Write(page.Bytes()) // the client is gone where this fails
	return nil
}

// form reads what a form sent. It counts until release is called, which it must be where there is no error.
func (s *Site) form(w http.ResponseWriter, r *http.Request) (values url.Values, release func(), err error) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil ||
		kind != "application/x-www-form-urlencoded" {
		return nil, nil, &intake.Fault{Status: http.StatusUnsupportedMediaType,
			Err: &citewell.Error{Code: citewell.CodeUnsupportedType, Op: "page",
				Message: "the request is not a form of these pages", Hint: "send Content-Type: " +
					"application/x-www-form-urlencoded"}}
	}
	body, release, err := s.forms.Read(r.Context(), http.MaxBytesReader(w, r.Body, maxForm))
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return nil, nil, &intake.Fault{Status: http.StatusRequestEntityTooLarge,
			Err: &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "page",
				Message: fmt.Sprintf("what was sent has more than %d bytes", maxForm), Hint: "say less"}}
	}
	if err == nil {
		if values, err = url.ParseQuery(string(body)); err != nil {
			release()
		}
	}
	if err != nil && citewell.CodeOf(err) != citewell.CodeRateLimited {
		err = &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "page",
			Message: "the request's body could not be read to its end", Err: err}
	}
	return values, release, err
}

const themeCookie = "citewell_theme"

// theme keeps which colours a reader wants, and goes back to where it was said.
func (s *Site) theme(w http.ResponseWriter, r *http.Request) error {
	given, release, err := s.form(w, r)
	if err != nil {
		return err
	}
	defer release()
	c := &http.Cookie{Name: themeCookie, Value: given.Get("theme"), Path: "/", MaxAge: 365 * 24 * 3600,
		SameSite: http.SameSiteStrictMode, HttpOnly: true}
	if c.Value != "light" && c.Value != "dark" {
		c.Value, c.MaxAge = "", -1
	}
	http.SetCookie(w, c)
	seeOther(w, cmp.Or(cameFrom(r), "/"))
	return nil
}

// cameFrom is the page that a form was on; empty where that is none of ours, or the one to sign in on.
func cameFrom(r *http.Request) string {
	u, err := url.Parse(r.Referer())
	if err != nil || u.Host != r.Host {
		return ""
	}
	return ownPath(u.RequestURI())
}

// ownPath is an address that a browser finds on this server alone, and empty for another: to
// a browser // and /\ begin the name of a host.
func ownPath(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "" || u.Host != "" || !strings.HasPrefix(u.Path, "/") ||
		strings.HasPrefix(u.Path, "//") || strings.ContainsRune(address, '\\') ||
		u.Path == "/session" || strings.HasPrefix(u.Path, "/session/") {
		return ""
	}
	return u.RequestURI()
}

func seeOther(w http.ResponseWriter, to string) {
	guard(w.Header())
	w.Header().Set("Location", to)
	w.WriteHeader(http.StatusSeeOther)
}
