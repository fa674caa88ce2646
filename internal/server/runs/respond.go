package runs

import (
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/tool"
)

// A fault is an error with a status that is not its code's.
type fault struct {
	status int
	error
}

func (f *fault) Unwrap() error { return f.error }

// Refuse answers with an error.
func Refuse(w http.ResponseWriter, err error) {
	view := citewell.View(err)
	status := view.Code.Row().HTTP
	if f, ok := errors.AsType[*fault](err); ok {
		status = f.status
	}
	if e, ok := errors.AsType[*citewell.Error](err); ok && e.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(e.RetryAfter.Seconds()))))
	}
	respond(w, status, map[string]citewell.ErrorView{"error": view})
}

// respond sends JSON of our own types.
func respond(w http.ResponseWriter, status int, body any) {
	data, err := tool.Marshal(body)
	if err != nil {
		panic("runs: an answer as JSON: " + err.Error())
	}
	guard(w, "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(data, '\n')) // the client is gone where this fails
}

// guard says what an answer is, and that nothing is to be made of it but that.
func guard(w http.ResponseWriter, mediaType string) {
	h := w.Header()
	h.Set("Content-Type", mediaType)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; sandbox")
}

// busyFor is how long a client is asked to wait that found no place.
const busyFor = 5 * time.Second

func busy(message string) error {
	return &citewell.Error{Code: citewell.CodeRateLimited, Op: "runs", Message: message, RetryAfter: busyFor}
}

// notReady is the error of asking of a run what cannot be asked of it yet.
func notReady(message, hint string) error {
	return &citewell.Error{Code: citewell.CodeRunNotReady, Op: "runs", Message: message, Hint: hint}
}

// cut is text of at most limit bytes, in UTF-8.
func cut(text string, limit int) string {
	if len(text) > limit {
		text = text[:limit]
	}
	return strings.ToValidUTF8(text, "\ufffd")
}
