package server

import "net/http"

// watched tells watch of each request, as Options.Watch.
func watched(next http.Handler, watch func(*http.Request) (*http.Request, func(string, int))) http.Handler {
	if watch == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// where a fault ends it before it says anything
		seen := &seenWriter{ResponseWriter: w, status: http.StatusInternalServerError}
		r, ended := watch(r)
		defer func() { ended(r.Pattern, seen.status) }()
		next.ServeHTTP(seen, r)
		if !seen.told {
			seen.status = http.StatusOK // what net/http says for a handler that says nothing
		}
	})
}

// A seenWriter remembers the status of an answer.
type seenWriter struct {
	http.ResponseWriter
	status int
	told   bool
}

func (w *seenWriter) WriteHeader(status int) {
	if !w.told && status >= 200 {
		w.status, w.told = status, true
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *seenWriter) Write(p []byte) (int, error) {
	if !w.told {
		w.status, w.told = http.StatusOK, true
	}
	return w.ResponseWriter.Write(p)
}

// Unwrap is for http.ResponseController.
func (w *seenWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
