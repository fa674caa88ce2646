package server

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"
)

// Patience is how long a client may take over a body, and over taking one piece of
// an answer. A whole answer has no limit: a call may run for minutes.
const Patience = 30 * time.Second

// paced lets no slow client hold a handler: neither one that sends its body byte by byte, nor one that does not read.
func paced(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := http.NewResponseController(w)
		_ = c.SetWriteDeadline(time.Time{}) // what the request before left on this connection; as below
		if r.Body != nil && r.Body != http.NoBody {
			// Not supported in tests that have no connection: there is nobody to wait for.
			if c.SetReadDeadline(time.Now().Add(Patience)) == nil {
				r.Body = &timedBody{ReadCloser: r.Body, control: c}
			}
		}
		next.ServeHTTP(&timedWriter{ResponseWriter: w, control: c}, r)
	})
}

// A timedBody takes the deadline away when it was read: from then on the connection
// is read only to hear that the client has gone.
type timedBody struct {
	io.ReadCloser
	control *http.ResponseController
}

func (b *timedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) {
		_ = b.control.SetReadDeadline(time.Time{}) // was supported a moment ago
	}
	return n, err
}

// A timedWriter gives each piece its time.
type timedWriter struct {
	http.ResponseWriter
	control *http.ResponseController
}

func (w *timedWriter) Write(p []byte) (int, error) {
	_ = w.control.SetWriteDeadline(time.Now().Add(Patience)) // as in paced
	return w.ResponseWriter.Write(p)
}

func (w *timedWriter) FlushError() error {
	_ = w.control.SetWriteDeadline(time.Now().Add(Patience))
	return w.control.Flush()
}

func (w *timedWriter) Flush() { _ = w.FlushError() } // http.Flusher says nothing of errors

// Unwrap is for http.ResponseController.
func (w *timedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// ending ends streams of news when ctx does: who holds one open would hold up the
// end of the server for as long as Drain.
func ending(ctx context.Context, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			next.ServeHTTP(w, r)
			return
		}
		call, cancel := context.WithCancel(r.Context())
		defer cancel()
		defer context.AfterFunc(ctx, cancel)()
		next.ServeHTTP(w, r.WithContext(call))
	})
}
