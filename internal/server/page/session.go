package page

import (
	"net/http"
	"net/url"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/server/access"
)

var nowhere = &url.URL{Path: "/"}

// Sessions answers POST /session, where a browser shows a token, and POST /session/end.
func Sessions(door *access.Door) http.Handler {
	s := New(Options{})
	mux := http.NewServeMux()
	answering := func(h func(http.ResponseWriter, *http.Request) error) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if err := h(w, r); err != nil {
				s.refuse(w, r, err)
			}
		}
	}
	mux.HandleFunc("GET /session", answering(func(_ http.ResponseWriter, _ *http.Request) error {
		return &citewell.Error{Code: citewell.CodeAuth, Op: "session", Message: "a token is needed here", Hint: "citewell token create NAME makes one"}
	}))
	mux.HandleFunc("POST /session", answering(func(w http.ResponseWriter, r *http.Request) error {
		given, release, err := s.form(w, r)
		if err != nil {
			return err
		}
		defer release()
		if err := door.BeginSession(w, r, given.Get("token")); err != nil {
			return err
		}
		back(w, r, "/")
		return nil
	}))
	mux.HandleFunc("POST /session/end", answering(func(w http.ResponseWriter, r *http.Request) error {
		if err := door.EndSession(w, r); err != nil {
			return err
		}
		seeOther(w, "/session")
		return nil
	}))
	return mux
}
