package intake

import (
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/tool"
)

// Refuse answers with an error, as our own APIs do.
func Refuse(w http.ResponseWriter, err error) {
	RetryAfter(w.Header(), err)
	Respond(w, StatusOf(err), map[string]citewell.ErrorView{"error": citewell.View(err)})
}

// Respond sends JSON of our own types.
func Respond(w http.ResponseWriter, status int, body any) {
	Guard(w, "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(tool.MustMarshal(body), '\n')) // the client is gone where this fails
}

// Answer sends JSON of our own types as what was asked for, unless err says why there is none.
func Answer(w http.ResponseWriter, body any, err error) error {
	if err == nil {
		Respond(w, http.StatusOK, body)
	}
	return err
}

// Guard says what an answer is, and that nothing is to be made of it but that.
func Guard(w http.ResponseWriter, mediaType string) {
	h := w.Header()
	h.Set("Content-Type", mediaType)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; sandbox")
}

// Gone says that what was asked to be deleted is gone, unless err says why it is not.
func Gone(w http.ResponseWriter, err error) error {
	if err == nil {
		w.Header().Set("Cache-Control", "no-store")
		w.WriteHeader(http.StatusNoContent)
	}
	return err
}

// A Handle answers a request, or returns the error that it is refused with.
type Handle = func(http.ResponseWriter, *http.Request) error

// Mux serves the routes of an API by their names, "METHOD PATH". answer makes an http.HandlerFunc of what answers
// one; refuse answers a method that a path does not have.
func Mux[A any](api A, routes map[string]func(A, http.ResponseWriter, *http.Request) error,
	answer func(Handle) http.HandlerFunc, refuse func(http.ResponseWriter, error)) *http.ServeMux {
	byPath := map[string]map[string]http.HandlerFunc{}
	for route, h := range routes {
		method, path, _ := strings.Cut(route, " ")
		if byPath[path] == nil {
			byPath[path] = map[string]http.HandlerFunc{}
		}
		byPath[path][method] = answer(func(w http.ResponseWriter, r *http.Request) error { return h(api, w, r) })
	}
	mux := http.NewServeMux()
	for path, methods := range byPath {
		mux.Handle(path, ByMethod(methods, refuse))
	}
	return mux
}

// Instead is err, or another where err says that something was not found: what is missing has a name here.
func Instead(err error, missing error) error {
	if citewell.CodeOf(err) == citewell.CodeNotFound {
		return missing
	}
	return err
}

// Answering answers with h, or refuses with its error, which is logged where it is not the caller's fault.
func Answering(log *slog.Logger, h Handle) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		err := h(w, r)
		if err == nil {
			return
		}
		if r.Context().Err() == nil && StatusOf(err) >= 500 {
			log.Error("a request failed", "path", r.URL.Path, "error", err)
		}
		Refuse(w, err)
	}
}

// NoSuchPath refuses a path at which there is nothing.
func NoSuchPath(w http.ResponseWriter, _ *http.Request) {
	Refuse(w, &citewell.Error{Code: citewell.CodeNotFound, Message: "there is nothing at this path",
		Hint: "/openapi.json lists the paths"})
}

// busyFor is how long a client is asked to wait that found no place.
const busyFor = 5 * time.Second

// Busy is the error of a request for which there is no place now.
func Busy(message string) error {
	return &citewell.Error{Code: citewell.CodeRateLimited, Message: message, RetryAfter: busyFor}
}
