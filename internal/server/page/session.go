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

// Sessions answers POST /session, where a browser shows a token, and POST /session/end.
func Sessions(door *access.Door) http.Handler {
	s := New(Options{})
	return intake.Mux(s, map[string]handle{
		"GET /session": func(*Site, http.ResponseWriter, *http.Request) error {
			return &citewell.Error{Code: citewell.CodeAuth, Op: "session", Message: "a token is needed here",
				Hint: "citewell token create NAME makes one"}
		},
		"POST /session": func(s *Site, w http.ResponseWriter, r *http.Request) error {
			return s.beginSession(door, w, r)
		},
		"POST /session/end": func(_ *Site, w http.ResponseWriter, r *http.Request) error {
			err := door.EndSession(w, r)
			if err == nil {
				seeOther(w, "/session")
			}
			return err
		},
	}, s.answering, Refuse)
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
