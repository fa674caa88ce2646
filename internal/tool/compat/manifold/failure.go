package manifold

import (
	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/tool"
)

// failed is how Manifold's tools tell of a failure: as data.
type failed struct {
	OK    bool          `json:"ok"`
	Error string        `json:"error"`
	Code  citewell.Code `json:"code"`
	Hint  string        `json:"hint,omitempty"`
}

// Failure is an error as data, as the toolset tells of it.
func Failure(err error) tool.Result {
	v := citewell.View(err)
	out := failed{Error: v.Message, Code: v.Code, Hint: v.Hint}
	return tool.Result{Text: string(tool.MustMarshal(out)), Structured: out}
}
