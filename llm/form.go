package llm

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/google/jsonschema-go/jsonschema"
)

// maxMisfits is how much of what is wrong a model is told at once.
const maxMisfits = 8

// A misfit is one thing that is wrong with an answer.
type misfit struct {
	what string
	form bool // an endpoint that enforces the schema would not have let it through
}

func inWords(wrong []misfit) string {
	var list []string
	for _, m := range wrong[:min(len(wrong), maxMisfits)] {
		if !slices.Contains(list, m.what) {
			list = append(list, m.what)
		}
	}
	return strings.Join(list, "; ")
}

// A form is a schema that answers are checked against; the zero one takes any object.
type form struct {
	schema   *jsonschema.Schema
	resolved *jsonschema.Resolved
}

func parseSchema(raw json.RawMessage) (*jsonschema.Schema, error) {
	s := &jsonschema.Schema{}
	if err := json.Unmarshal(raw, s); err != nil {
		return nil, err
	}
	return s, nil
}

func newForm(raw json.RawMessage) (form, error) {
	if raw == nil {
		return form{}, nil
	}
	s, err := parseSchema(raw)
	if err != nil {
		return form{}, &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "llm", Message: "the schema asked for is no JSON Schema", Err: err}
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		return form{}, &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "llm", Message: "the schema asked for does not hold together", Err: err}
	}
	return form{s, resolved}, nil
}

// read finds the JSON in what a model wrote: the first that fits, else what is wrong
// with the first that there is.
func (f form) read(written string) (json.RawMessage, []misfit) {
	found := candidates(written, f.schema == nil || f.schema.Type != "array")
	if len(found) == 0 {
		return nil, []misfit{{what: "there is no whole JSON in it", form: true}}
	}
	var first []misfit
	for _, candidate := range found {
		value, wrong := f.check(candidate)
		if len(wrong) == 0 {
			return value, nil
		}
		if first == nil {
			first = wrong
		}
	}
	return nil, first
}

// check holds a value against the schema: our own walk names everything that is wrong
// and what would be right; the library has the last word on what the walk knows not.
func (f form) check(candidate json.RawMessage) (json.RawMessage, []misfit) {
	var value any
	if err := json.Unmarshal(candidate, &value); err != nil {
		return nil, []misfit{{what: "it is not well-formed JSON", form: true}}
	}
	if f.schema == nil {
		return candidate, nil
	}
	w := walk{root: f.schema}
	value = w.value("", value, f.schema, 0)
	if len(w.wrong) > 0 {
		return nil, w.wrong
	}
	if err := f.resolved.Validate(value); err != nil {
		text := err.Error()
		return nil, []misfit{{what: strings.ToValidUTF8(text[:min(len(text), 300)], "")}}
	}
	if !w.changed {
		return candidate, nil // its numbers stay as they were written
	}
	mended, err := json.Marshal(value)
	if err != nil {
		return nil, []misfit{{what: "it is not well-formed JSON", form: true}}
	}
	return mended, nil
}
