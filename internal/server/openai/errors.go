package openai

import (
	"cmp"
	"errors"
	"net/http"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/server/intake"
	"github.com/citewell/citewell/internal/tool"
)

// A fault is an error with what OpenAI's form says of it beside its words.
type fault struct {
	error
	param  string // of the request, that is wrong
	code   string // OpenAI's where it has one; the error's own otherwise
	status int    // the error's own when 0
	begun  *about // the run that it is about
}

func (f *fault) Unwrap() error { return f.error }

// wrong is a field of a request that cannot be taken.
func wrong(param, message, hint string) error {
	return &fault{param: param, error: &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "openai",
		Message: message, Hint: hint}}
}

// An errorBody is an error in OpenAI's form.
type errorBody struct {
	Error    errorObject `json:"error"`
	Citewell *about      `json:"citewell,omitempty"`
}

type errorObject struct {
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Param   *string `json:"param"`
	Code    *string `json:"code"`
}

// bodyOf gives an error in OpenAI's form, and its status.
func bodyOf(err error) (errorBody, int) {
	view := citewell.View(err)
	status, code := intake.StatusOf(err), string(view.Code)
	body := errorBody{Error: errorObject{Message: sentence(view), Code: &code}}
	if f, ok := errors.AsType[*fault](err); ok {
		status = cmp.Or(f.status, status)
		code = cmp.Or(f.code, code)
		if f.param != "" {
			body.Error.Param = &f.param
		}
		body.Citewell = f.begun
	}
	body.Error.Type = kindOf(status)
	return body, status
}

// sentence is the message with its hint: there is no other place for it.
func sentence(view citewell.ErrorView) string {
	if view.Hint == "" {
		return view.Message
	}
	return view.Message + " (" + view.Hint + ")"
}

// kindOf is the type of an error as clients know it.
func kindOf(status int) string {
	switch {
	case status == http.StatusUnauthorized:
		return "authentication_error"
	case status == http.StatusForbidden:
		return "permission_error"
	case status == http.StatusTooManyRequests:
		return "rate_limit_error"
	case status >= 500:
		return "server_error"
	}
	return "invalid_request_error"
}

// Refuse answers with an error in OpenAI's form.
func Refuse(w http.ResponseWriter, err error) {
	body, status := bodyOf(err)
	if body.Citewell != nil || !citewell.View(err).Retryable { // OpenAI's own clients would begin a second run
		w.Header().Set("X-Should-Retry", "false")
	}
	respond(w, status, body, err)
}

// RefuseDetail answers with an error in the form of SGR's own routes.
func RefuseDetail(w http.ResponseWriter, err error) {
	body, status := bodyOf(err)
	respond(w, status, map[string]string{"detail": body.Error.Message}, err)
}

// respond sends JSON of our own types. err is nil where it is no error.
func respond(w http.ResponseWriter, status int, body any, err error) {
	h := w.Header()
	intake.RetryAfter(h, err)
	h.Set("Content-Type", "application/json")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(append(tool.MustMarshal(body), '\n')) // the client is gone where this fails
}
