// Package intake reads requests in the same way for all APIs of the server: it checks their methods and limits their
// bodies, one by one and all together.
//
// Errors: *Fault if the status is not that of a code: 405 with Allow, 413, 415.
// Concurrency: everything here may be used from many goroutines.
package intake

import (
	"errors"
	"fmt"
	"math"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/citewell/citewell"
)

// A Fault is an error with a status that is not its code's.
type Fault struct {
	Status int
	Err    error
}

func (f *Fault) Error() string { return f.Err.Error() }

// Unwrap gives the error.
func (f *Fault) Unwrap() error { return f.Err }

// StatusOf is the status that an error is answered with.
func StatusOf(err error) int {
	if f, ok := errors.AsType[*Fault](err); ok {
		return f.Status
	}
	return citewell.CodeOf(err).Row().HTTP
}

// RetryAfter says in a header, in whole seconds, how long an error asks to wait.
func RetryAfter(h http.Header, err error) {
	if e, ok := errors.AsType[*citewell.Error](err); ok && e.RetryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(int(math.Ceil(e.RetryAfter.Seconds()))))
	}
}

// ByMethod chooses by the method, HEAD as GET; refuse answers others.
func ByMethod(methods map[string]http.HandlerFunc, refuse func(http.ResponseWriter, error)) http.Handler {
	var names []string
	for name := range methods {
		if names = append(names, name); name == http.MethodGet {
			names = append(names, http.MethodHead)
		}
	}
	slices.Sort(names)
	allowed := strings.Join(names, ", ")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		method := r.Method
		if method == http.MethodHead {
			method = http.MethodGet
		}
		if h := methods[method]; h != nil {
			h(w, r)
			return
		}
		w.Header().Set("Allow", allowed)
		refuse(w, &Fault{http.StatusMethodNotAllowed, &citewell.Error{
			Code: citewell.CodeInvalidArgument, Message: fmt.Sprintf("%.20s is not for this path", r.Method),
			Hint: "use " + allowed}})
	})
}

// Bodies reads the bodies of requests.
type Bodies struct {
	each int64
	room *Room
	hint string
}

// NewBodies returns a Bodies that takes bodies of each bytes, and so many bytes of all
// at once; further ones wait. hint says how to make a smaller one.
func NewBodies(each, all int64, hint string) *Bodies {
	return &Bodies{each, NewRoom(all), hint}
}

// JSON reads a body that is said to be JSON; whether it is one is not looked at. It
// counts until release is called, which it must be where there is no error.
func (b *Bodies) JSON(w http.ResponseWriter, r *http.Request) (body []byte, release func(), err error) {
	if kind, _ := MediaType(r); kind != TypeJSON {
		return nil, nil, &Fault{http.StatusUnsupportedMediaType,
			&citewell.Error{Code: citewell.CodeUnsupportedType, Message: "the body must be JSON",
				Hint: "send Content-Type: application/json"}}
	}
	return b.read(w, r)
}

// What bodies are said to be.
const (
	TypeJSON = "application/json"
	TypeForm = "multipart/form-data"
)

// MediaType is what the body of a request is said to be, with its parameters; empty where that cannot be read.
func MediaType(r *http.Request) (kind string, parameters map[string]string) {
	kind, parameters, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		return "", nil
	}
	return kind, parameters
}

func (b *Bodies) read(w http.ResponseWriter, r *http.Request) (body []byte, release func(), err error) {
	body, release, err = b.room.Read(r.Context(), http.MaxBytesReader(w, r.Body, b.each))
	if err == nil || citewell.CodeOf(err) == citewell.CodeRateLimited {
		return body, release, err
	}
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return nil, nil, &Fault{http.StatusRequestEntityTooLarge,
			&citewell.Error{Code: citewell.CodeInvalidArgument, Message: fmt.Sprintf("the body has more than %d bytes",
				b.each), Hint: b.hint}}
	}
	return nil, nil, &citewell.Error{Code: citewell.CodeInvalidArgument,
		Message: "the body could not be read to its end", Err: err}
}
