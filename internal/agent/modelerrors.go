package agent

import (
	"errors"
	"time"
)

// errWall is a call that the budget has no room for.
var errWall = errors.New("the budget is used up")

// overBudget is errWall with the tokens that the call may have taken at the least.
type overBudget struct{ tokens int }

func (e *overBudget) Error() string { return errWall.Error() }

func (e *overBudget) Unwrap() error { return errWall }

// An overQuota is what keeps whoever pays for the run from spending more today.
type overQuota struct{ error }

func (e *overQuota) Unwrap() error { return e.error }

// A modelError is a model that did not answer, whatever was tried.
type modelError struct {
	error
	kind    string    // of the last failure
	retryAt time.Time // when it may be asked again; zero where it does not say
}

func (e *modelError) Unwrap() error { return e.error }

// refusedTools says whether a model failed since its endpoint takes no tools for it.
func refusedTools(err error) bool {
	failed, ok := errors.AsType[*modelError](err)
	return ok && failed.kind == failedNoTools
}
