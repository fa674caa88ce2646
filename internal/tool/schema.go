package tool

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"github.com/citewell/citewell/internal/jsonform"
	"github.com/google/jsonschema-go/jsonschema"
)

// outputs are the schemas of outputs by their types, so that tools which give the same share one. Nobody changes it.
var outputs sync.Map // reflect.Type → *jsonschema.Schema

// outputOf is schemaOf an output.
func outputOf[T any](name string) *jsonschema.Schema {
	t := reflect.TypeFor[T]()
	if s, ok := outputs.Load(t); ok {
		return s.(*jsonschema.Schema)
	}
	s, _ := outputs.LoadOrStore(t, schemaOf[T](name, false))
	return s.(*jsonschema.Schema)
}

// schemaOf infers the schema of a struct and completes it by the fields' tags.
func schemaOf[T any](name string, input bool) *jsonschema.Schema {
	t := reflect.TypeFor[T]()
	s, err := jsonschema.ForType(t, nil)
	if err != nil {
		panic(fmt.Sprintf("tool %s: %v", name, err))
	}
	if s.Type != "object" {
		panic(fmt.Sprintf("tool %s: %s is no struct", name, t))
	}
	if err := complete(s, t, input); err != nil {
		panic(fmt.Sprintf("tool %s: %v", name, err))
	}
	return s
}

// complete walks a schema beside its type. A list is never null. An output may gain fields in a later version.
func complete(s *jsonschema.Schema, t reflect.Type, input bool) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if len(s.Types) == 2 && s.Types[0] == "null" && (s.Types[1] == "array" || input) {
		s.Type, s.Types = s.Types[1], nil
	}
	switch {
	case s.Items != nil && (t.Kind() == reflect.Slice || t.Kind() == reflect.Array):
		return complete(s.Items, t.Elem(), input)
	case s.AdditionalProperties != nil && t.Kind() == reflect.Map:
		return complete(s.AdditionalProperties, t.Elem(), input)
	case s.Properties == nil || t.Kind() != reflect.Struct:
		return nil
	}
	if !input {
		s.AdditionalProperties = nil
	}
	for _, field := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		name = cmp.Or(name, field.Name)
		p := s.Properties[name]
		if p == nil || field.Anonymous {
			continue
		}
		if err := complete(p, field.Type, input); err != nil {
			return err
		}
		if err := tagged(p, field.Tag); err != nil {
			return fmt.Errorf("field %s: %w", field.Name, err)
		}
		required := strings.Contains(","+strings.Join(s.Required, ",")+",", ","+name+",")
		if input && required && p.Type == "string" && p.Pattern == "" && p.Enum == nil {
			p.Pattern = jsonform.NotBlank
		}
	}
	return nil
}

// tagged puts the tags of one field into its schema.
func tagged(s *jsonschema.Schema, tag reflect.StructTag) error {
	if words, ok := tag.Lookup("oneof"); ok {
		for word := range strings.FieldsSeq(words) {
			s.Enum = append(s.Enum, word)
		}
	}
	if bounds, ok := tag.Lookup("bounds"); ok {
		if err := bounded(s, bounds); err != nil {
			return err
		}
	}
	if value, ok := tag.Lookup("default"); ok {
		if s.Type == "string" {
			value = strconv.Quote(value)
		}
		if !json.Valid([]byte(value)) {
			return fmt.Errorf("default %s is not JSON", value)
		}
		s.Default = json.RawMessage(value)
	}
	return nil
}

// bounded reads "1..10", "1.." or "..10" for the kind of value that s is.
func bounded(s *jsonschema.Schema, bounds string) error {
	low, high, ok := strings.Cut(bounds, "..")
	if !ok {
		return fmt.Errorf("bounds %q are no range", bounds)
	}
	number := func(text string) (*float64, *int, error) {
		if text == "" {
			return nil, nil, nil
		}
		f, err := strconv.ParseFloat(text, 64)
		n := int(f)
		return &f, &n, err
	}
	lowest, fewest, err := number(low)
	if err != nil {
		return err
	}
	highest, most, err := number(high)
	if err != nil {
		return err
	}
	switch s.Type {
	case "integer", "number":
		s.Minimum, s.Maximum = lowest, highest
	case "string":
		s.MinLength, s.MaxLength = fewest, most
	case "array":
		s.MinItems, s.MaxItems = fewest, most
	default:
		return fmt.Errorf("bounds on %s", s.Type)
	}
	return nil
}
