package page

import (
	"cmp"
	"net/http"
	"net/url"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/server/access"
	"github.com/citewell/citewell/internal/server/intake"
)

var nowhere = &url.URL{Path: "/"}

// sessions are what Sessions answers.
var sessions = map[string]func(*Site, *access.Door, http.ResponseWriter, *http.Request) error{
	"GET /session":      (*Site).askToken,
	"POST /session":     (*Site).beginSession,
	"POST /session/end": (*Site).endSession,
}

// Sessions answers POST /session, where a browser shows a token, and POST /session/end.
func Sessions(door *access.Door) http.Handler {
	s := New(Options{})
	mux := http.NewServeMux()
	for path, methods := range byPath(sessions) {
		answers := map[string]http.HandlerFunc{}
		for method, h := range methods {
			answers[method] = func(w http.ResponseWriter, r *http.Request) {
				if err := h(s, door, w, r); err != nil {
					s.refuse(w, r, err)
				}
			}
		}
		mux.Handle(path, intake.ByMethod(answers, Refuse))
	}
	return mux
}

func (s *Site) askToken(*access.Door, http.ResponseWriter, *http.Request) error {
	return &citewell.Error{Code: citewell.CodeAuth, Op: "session", Message: "a token is needed here",
		Hint: "citewell token create NAME makes one"}
}

// beginSession leads to the page that asked for the token, also after a token that was wrong.
func (s *Site) beginSession(door *access.Door, w http.ResponseWriter, r *http.Request) error {
	given, release, err := s.form(w, r)
	if err != nil {
		return err
	}
	defer release()
	wanted := cmp.Or(ownPath(given.Get("wanted")), cameFrom(r))
	err = door.BeginSession(w, r, given.Get("token"))
	if citewell.CodeOf(err) == citewell.CodeAuth {
		s.askAgain(w, r, err, wanted)
		return nil
	}
	if err != nil {
		return err
	}
	seeOther(w, cmp.Or(wanted, "/"))
	return nil
}

func (s *Site) endSession(door *access.Door, w http.ResponseWriter, r *http.Request) error {
	if err := door.EndSession(w, r); err != nil {
		return err
	}
	seeOther(w, "/session")
	return nil
}
