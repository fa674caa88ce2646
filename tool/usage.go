package tool

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// usage says in one line what the tool takes.
func (t *Tool) usage() string {
	var fields []string
	for _, name := range Order(t.Input) {
		s := t.Input.Properties[name]
		field := name + " (" + Kind(s)
		if slices.Contains(t.Input.Required, name) {
			field += ", required"
		}
		fields = append(fields, field+")")
	}
	if len(fields) == 0 {
		return t.Name + " takes no arguments"
	}
	return t.Name + " takes " + strings.Join(fields, ", ")
}

// Order gives an object's properties in the order of their definition.
func Order(s *jsonschema.Schema) []string {
	names := slices.Clone(s.PropertyOrder)
	var rest []string
	for name := range s.Properties {
		if !slices.Contains(names, name) {
			rest = append(rest, name)
		}
	}
	slices.Sort(rest)
	return append(names, rest...)
}

// Kind says in words what a value may be, as in "integer 1..10".
func Kind(s *jsonschema.Schema) string { return kindOnly(s) + rangeOf(s) }

func kindOnly(s *jsonschema.Schema) string {
	switch {
	case s.Type == "array" && s.Items != nil:
		return "list of " + Kind(s.Items)
	case s.Type == "array":
		return "list"
	case s.Type != "":
		return s.Type
	case len(s.Types) > 0:
		return strings.Join(s.Types, " or ")
	}
	return "any JSON"
}

// rangeOf says what a value may be, where not everything of its kind.
func rangeOf(s *jsonschema.Schema) string {
	switch {
	case s.Enum != nil:
		return ": " + listOf(s.Enum)
	case s.Minimum != nil && s.Maximum != nil:
		return fmt.Sprintf(" %s..%s", number(*s.Minimum), number(*s.Maximum))
	case s.Type == "array" && s.MinItems != nil && s.MaxItems != nil:
		return fmt.Sprintf(", %d..%d", *s.MinItems, *s.MaxItems)
	}
	return ""
}

func listOf(values []any) string {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = fmt.Sprint(v)
	}
	return strings.Join(words, ", ")
}

func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
