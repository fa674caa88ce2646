// Package fault makes the errors that all backends share.
//
// Errors: not_found, invalid_argument, and store_failed for damaged data.
package fault

import (
	"fmt"

	"github.com/citewell/citewell"
)

// NotFound is the error of asking for what is not kept.
func NotFound(op, message string) error {
	return &citewell.Error{Code: citewell.CodeNotFound, Op: op, Message: message}
}

// Invalid is the error of an argument that cannot be kept.
func Invalid(op, format string, args ...any) error {
	return &citewell.Error{Code: citewell.CodeInvalidArgument, Op: op, Message: fmt.Sprintf(format, args...)}
}

// Damaged is the error of something kept that is not as it was written.
func Damaged(op, message string, cause error) error {
	return &citewell.Error{Code: citewell.CodeStoreFailed, Op: op, Message: message,
		Hint: "restore it from a backup, or fetch the page again", Err: cause}
}

// Failed is the error of a store that could not be read or written.
func Failed(op, message, hint string, cause error) error {
	return &citewell.Error{Code: citewell.CodeStoreFailed, Op: op, Message: message, Hint: hint, Err: cause}
}
