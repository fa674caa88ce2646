package runs

import (
	"errors"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/server/intake"
	"github.com/citewell/citewell/tool"
)

// Refuse answers with an error.
func Refuse(w http.ResponseWriter, err error) {
	if e, ok := errors.AsType[*citewell.Error](err); ok && e.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(e.RetryAfter.Seconds()))))
	}
	respond(w, intake.StatusOf(err), map[string]citewell.ErrorView{"error": citewell.View(err)})
}

// respond sends JSON of our own types.
func respond(w http.ResponseWriter, status int, body any) {
	data := tool.MustMarshal(body)
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
