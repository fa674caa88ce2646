package page

import (
	"net/http"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/server/intake"
)

// A troublePage says what is wrong, in words, and what the reader can do.
type troublePage struct {
	frame
	Status int
	Error  citewell.ErrorView
	SignIn bool
	Wanted string // the page to go to when a token was shown; empty is the one it is shown on
}

// Refuse answers with an error as a page: what an access.Door answers with.
func Refuse(w http.ResponseWriter, err error) {
	(*Site)(nil).refuse(w, &http.Request{URL: nowhere}, err)
}

func (s *Site) refuse(w http.ResponseWriter, r *http.Request, err error) { s.askAgain(w, r, err, "") }

// askAgain is refuse, for who wanted a page and showed a token that opens nothing.
func (s *Site) askAgain(w http.ResponseWriter, r *http.Request, err error, wanted string) {
	intake.RetryAfter(w.Header(), err)
	p := troublePage{frame: s.frame(r, "", ""), Status: intake.StatusOf(err), Error: citewell.View(err), Wanted: wanted}
	p.SignIn = p.Error.Code == citewell.CodeAuth
	p.Title = p.Error.Message
	if p.SignIn {
		p.Title = "Sign in"
	}
	if err := show(w, p.Status, "trouble.html", p); err != nil {
		http.Error(w, "the page of an error failed", http.StatusInternalServerError)
	}
}

// invalid is an error of what a form or an address says.
func invalid(message, hint string) error {
	return &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "page", Message: message, Hint: hint}
}

func notFound(message, hint string) error {
	return &citewell.Error{Code: citewell.CodeNotFound, Op: "page", Message: message, Hint: hint}
}
