package citewell

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"
)

// An Error says what went wrong and what the caller can do about it.
//
// Message and Hint are for people and models: they name the argument and the
// limit, never a key or an internal address. Err keeps the cause for logs and for
// errors.Is; its text is not part of Message.
type Error struct {
	Code       Code
	Op         string        // step and target, as in "fetch.get example.com"; for logs
	Message    string        // one sentence without a capital or a full stop
	Hint       string        // what to do about it; may be empty
	RetryAfter time.Duration // how long the other side asked us to wait; 0 when it did not say
	Err        error
}

// Error gives the operation and the message, without the cause.
func (e *Error) Error() string {
	s := e.Message
	if s == "" {
		s = e.Code.Row().Meaning
	}
	if e.Op != "" {
		s = e.Op + ": " + s
	}
	return s
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// ErrorView is the JSON form of an error at every edge.
type ErrorView struct {
	Code      Code     `json:"code"`
	Category  Category `json:"category"`
	Message   string   `json:"message"`
	Hint      string   `json:"hint,omitempty"`
	Retryable bool     `json:"retryable"`
}

// View returns err in the form that is shown: the first Error in its chain, or
// the code that a context or an unknown error stands for. No error is empty.
func View(err error) ErrorView {
	if err == nil {
		return ErrorView{}
	}
	row := CodeOf(err).Row()
	v := ErrorView{Code: row.Code, Category: row.Category, Retryable: row.Retryable}
	if e, ok := errors.AsType[*Error](err); ok {
		v.Message, v.Hint = e.Message, e.Hint
	} else if row.Code == CodeInternal {
		v.Message = err.Error()
	}
	v.Message = cmp.Or(v.Message, row.Meaning)
	return v
}

// CodeOf returns the code of the first Error in err's chain; a context's end is
// canceled or timeout, anything else is internal, and nil is empty.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return CodeTimeout
	case errors.Is(err, context.Canceled):
		return CodeCanceled
	}
	return CodeInternal
}

// Line is the message, and what helps, in one line.
func (v ErrorView) Line() string { return strings.TrimSuffix(v.Message+"; "+v.Hint, "; ") }

// CategoryOf returns the category of err's code.
func CategoryOf(err error) Category { return CodeOf(err).Row().Category }
