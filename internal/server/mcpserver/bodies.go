package mcpserver

import (
	"bytes"
	"io"
	"net/http"

	"github.com/citewell/citewell"
	"golang.org/x/sync/semaphore"
)

// Bounds of bodies, in bytes. Almost every message is small; the documents that a
// client hands over are not, and twenty clients with one each must not fill the memory.
const (
	smallBody = 256 << 10
	allBodies = 128 << 20 // of all large bodies that are held at once
)

// bounded lets large bodies in as long as there is room for them; the others wait.
func bounded(next http.Handler) http.Handler {
	room := semaphore.NewWeighted(allBodies)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		held := r.ContentLength
		if held < 0 || held > maxMessage { // not said, or more than is read
			held = maxMessage + 1
		}
		if r.Method != http.MethodPost || held <= smallBody {
			next.ServeHTTP(w, r)
			return
		}
		if err := room.Acquire(r.Context(), held); err != nil {
			return // the client is gone
		}
		defer func() { room.Release(held) }()
		body, err := io.ReadAll(io.LimitReader(r.Body, maxMessage+1)) // one more than is let in, for who refuses it
		if err != nil {
			refuse(w, &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "mcp", Message: "the body could not be read to its end", Err: err})
			return
		}
		room.Release(held - int64(len(body)))
		held = int64(len(body))
		if held <= smallBody { // it was sent in chunks: what runs long must not hold up others
			room.Release(held)
			held = 0
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, r)
	})
}
