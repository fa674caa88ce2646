package builtin

import (
	"github.com/citewell/citewell"
	"github.com/citewell/citewell/tool"
)

// A manifoldError is how Manifold's tools tell of a failure: as data.
type manifoldError struct {
	OK    bool          `json:"ok"`
	Error string        `json:"error"`
	Code  citewell.Code `json:"code"`
	Hint  string        `json:"hint,omitempty"`
}

func manifoldFailure(err error) tool.Result {
	v := citewell.View(err)
	out := manifoldError{Error: v.Message, Code: v.Code, Hint: v.Hint}
	text, _ := tool.Marshal(out) // strings and a bool: it cannot fail
	return tool.Result{Text: string(text), Structured: out}
}
