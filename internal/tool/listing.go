package tool

import (
	"reflect"

	"github.com/citewell/citewell/internal/jsonform"
	"github.com/google/jsonschema-go/jsonschema"
)

// Listed gives the schemas as a catalogue lists them, which a model pays for in tokens at every turn: the input does
// not say that unknown names are refused, and the output does not name its fields, which Document does.
func (t *Tool) Listed() (input, output *jsonschema.Schema) {
	return listedInput(t.Input), listedOutput(t.Output)
}

func listedInput(s *jsonschema.Schema) *jsonschema.Schema {
	if s == nil {
		return nil
	}
	short := *s
	if a := s.AdditionalProperties; a != nil && (jsonform.IsFalse(a) || reflect.DeepEqual(*a, jsonschema.Schema{})) {
		short.AdditionalProperties = nil
	}
	if s.Pattern == jsonform.NotBlank {
		one := 1
		short.Pattern, short.MinLength = "", &one
	}
	short.MinLength, short.MinItems = unlessZero(short.MinLength), unlessZero(short.MinItems)
	short.Items = listedInput(s.Items)
	if s.Properties != nil {
		short.Properties = make(map[string]*jsonschema.Schema, len(s.Properties))
		for name, p := range s.Properties {
			short.Properties[name] = listedInput(p)
		}
	}
	return &short
}

// listedOutput keeps what a client holds structured content against: that it is an object.
func listedOutput(s *jsonschema.Schema) *jsonschema.Schema {
	if s == nil || s.Type != "object" {
		return s
	}
	return &jsonschema.Schema{Type: s.Type}
}

// unlessZero drops a lower bound that every value keeps to.
func unlessZero(n *int) *int {
	if n == nil || *n == 0 {
		return nil
	}
	return n
}
