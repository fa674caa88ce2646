package llm

import (
	"bytes"
	"encoding/json"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/jsonform"
	"github.com/google/jsonschema-go/jsonschema"
)

// maxMisfits is how much of what is wrong a model is told at once.
const maxMisfits = 8

// A form is a schema that answers are checked against; the zero one takes any object.
type form struct{ schema *jsonschema.Schema }

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
		return form{}, &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "llm",
			Message: "the schema asked for is not a JSON Schema", Err: err}
	}
	if _, err := s.Resolve(nil); err != nil {
		return form{}, &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "llm",
			Message: "the schema asked for cannot be resolved", Err: err}
	}
	return form{s}, nil
}

// findJSON finds the JSON in what a model wrote: the first that fits, else what is wrong with the first that there is.
func (f form) findJSON(written string) (json.RawMessage, []jsonform.Problem) {
	found := candidates(written, f.schema == nil || f.schema.Type != "array")
	if len(found) == 0 {
		return nil, []jsonform.Problem{{At: "it", Words: "has no whole JSON"}}
	}
	var first []jsonform.Problem
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

// decode puts the JSON in what a model wrote into out, and returns what is wrong with it.
func (f form) decode(written string, out any) []jsonform.Problem {
	value, wrong := f.findJSON(written)
	if len(wrong) > 0 {
		return wrong
	}
	if err := json.Unmarshal(value, out); err != nil {
		return unmarshalled(err)
	}
	return nil
}

// check holds a value against the schema, which reads null as an empty list or as absent, and returns it as it was
// written unless that changed something.
func (f form) check(candidate json.RawMessage) (json.RawMessage, []jsonform.Problem) {
	if f.schema == nil {
		return candidate, nil
	}
	var value any
	decoder := json.NewDecoder(bytes.NewReader(candidate))
	decoder.UseNumber()
	if decoder.Decode(&value) != nil {
		return nil, malformed
	}
	value, found := jsonform.Check(value, f.schema, jsonform.Reading{NullAbsent: true, NullEmpty: true})
	if len(found.Problems) > 0 || !found.Changed {
		return candidate, found.Problems
	}
	mended, err := json.Marshal(value)
	if err != nil {
		return nil, malformed
	}
	return mended, nil
}

// malformed is what is wrong with what cannot be read at all.
var malformed = []jsonform.Problem{{At: "it", Words: "is not well-formed JSON"}}
