package mcpserver

import (
	"bytes"
	"io"
	"net/http"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/server/access"
	"github.com/citewell/citewell/internal/server/intake"
)

// Bounds of bodies, in bytes. Almost every message is small; the documents that a
// client hands over are not, and twenty clients with one each must not fill the memory.
const (
	smallBody = 256 << 10
	allBodies = 128 << 20 // of all large bodies that are held at once
)

// bounded lets large bodies in as long as there is room for them; the others wait.
func bounded(room *intake.Room, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || r.ContentLength >= 0 && r.ContentLength <= smallBody {
			next.ServeHTTP(w, r)
			return
		}
		// one more than is let in, for who refuses it
		body, release, err := room.Read(r.Context(), io.LimitReader(r.Body, maxMessage+1))
		if err != nil {
			if citewell.CodeOf(err) != citewell.CodeRateLimited {
				err = &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "mcp",
					Message: "the body could not be read to its end", Err: err}
			}
			access.Refuse(w, err)
			return
		}
		if len(body) <= smallBody { // it was sent in chunks: what runs long must not hold up others
			release()
		} else {
			defer release()
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, r)
	})
}
