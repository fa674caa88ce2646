package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/jsonform"
	"github.com/citewell/citewell/internal/text"
	"github.com/google/jsonschema-go/jsonschema"
)

// A Form is a request's body as a T, read, checked and described as a tool's arguments are; but null is not absent.
type Form[T any] struct {
	op     string
	schema func() *jsonschema.Schema
}

// NewForm returns the Form of T, a struct. op is the step that errors name; amend adds to the schema what tags cannot
// say. The schema is made at its first use, which panics on a type without one, as New does.
func NewForm[T any](op string, amend ...func(*jsonschema.Schema)) Form[T] {
	return Form[T]{op, sync.OnceValue(func() *jsonschema.Schema {
		s := schemaOf[T](op, true)
		for _, add := range amend {
			add(s)
		}
		return s
	})}
}

// Schema is what the body must be.
func (f Form[T]) Schema() *jsonschema.Schema { return f.schema() }

// Read reads a body. invalid_argument says all that is wrong with it, and of what is no JSON where.
func (f Form[T]) Read(body []byte) (into T, err error) {
	invalid := func(message string) error {
		return &citewell.Error{Code: citewell.CodeInvalidArgument, Op: f.op, Message: message}
	}
	value, at, err := jsonform.Parse(body)
	if err != nil {
		return into, invalid(fmt.Sprintf("the body is no JSON: %s: %v", position(body, at), err))
	}
	if _, ok := value.(map[string]any); !ok {
		return into, invalid("the body must be a JSON object; it is " + jsonform.Shown(value))
	}
	value, found := jsonform.Check(value, f.schema(), jsonform.Reading{Defaults: true})
	if len(found.Problems) > 0 {
		e := &citewell.Error{Code: citewell.CodeInvalidArgument, Op: f.op,
			Message: jsonform.Say(found.Problems, maxProblems)}
		if i := slices.IndexFunc(found.Problems, func(p jsonform.Problem) bool { return p.Known != "" }); i >= 0 {
			e.Hint = fmt.Sprintf("in place of %s there are %s", text.Prefix(found.Problems[i].At, 80),
				found.Problems[i].Known)
		}
		return into, e
	}
	data, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(data, &into)
	}
	if err != nil {
		return into, invalid("the body cannot be read: " + err.Error())
	}
	return into, nil
}

// position says where a byte is, as people count.
func position(data []byte, at int64) string {
	before := data[:min(int(at), len(data))]
	return fmt.Sprintf("line %d, column %d", bytes.Count(before, []byte("\n"))+1,
		utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])+1)
}
