package tool

import (
	"fmt"
	"slices"
	"strings"

	"github.com/citewell/citewell/internal/jsonform"
	"github.com/google/jsonschema-go/jsonschema"
)

// maxUsage bounds what is said of a tool's arguments, in characters: a stranger's schema may have thousands.
const maxUsage = 4000

// usage says in one line what the tool takes.
func (t *Tool) usage() string {
	var fields []string
	for _, name := range jsonform.Order(t.Input) {
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
	return Shorten(t.Name+" takes "+strings.Join(fields, ", "), maxUsage)
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
		return ": " + jsonform.Values(s.Enum)
	case s.Minimum != nil && s.Maximum != nil:
		return fmt.Sprintf(" %s..%s", jsonform.Number(*s.Minimum), jsonform.Number(*s.Maximum))
	case s.Type == "array" && s.MinItems != nil && s.MaxItems != nil:
		return fmt.Sprintf(", %d..%d", *s.MinItems, *s.MaxItems)
	}
	return ""
}
