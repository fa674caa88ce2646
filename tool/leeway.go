package tool

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// A Leeway is what a toolset makes of arguments that do not fit. One that carries another
// system's name takes what that system took, and the result says so.
type Leeway int

// None refuses what does not fit. Kinds reads a number or a truth value that is in
// quotes. Nearest also takes a number outside of its range for the nearest one in it,
// and Default for the argument's default.
const (
	None Leeway = iota
	Kinds
	Nearest
	Default
)

// ease gives the arguments as l reads them, and says what was read otherwise than it was
// given. What it cannot read it leaves to be refused.
func (t *Tool) ease(arguments json.RawMessage, l Leeway) (json.RawMessage, []string) {
	if l == None || t.Mend != nil || len(arguments) > MaxArguments {
		return arguments, nil
	}
	value, err := parse(arguments)
	if err != nil {
		return arguments, nil
	}
	e := &easing{leeway: l}
	eased, err := json.Marshal(e.value("", value, t.Input))
	if err != nil || len(e.notes) == 0 {
		return arguments, nil
	}
	return eased, e.notes
}

// An easing collects what was read otherwise.
type easing struct {
	leeway Leeway
	notes  []string
}

func (e *easing) value(at string, v any, s *jsonschema.Schema) any {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if p := s.Properties[name]; p != nil {
				v[name] = e.value(join(at, name), v[name], p)
			}
		}
		return v
	case []any:
		for i := range v {
			if s.Items != nil {
				v[i] = e.value(fmt.Sprintf("%s[%d]", at, i), v[i], s.Items)
			}
		}
		return v
	}
	read := inRange(unquoted(v, s), s, e.leeway)
	if read != v {
		note := fmt.Sprintf("%s: %s was taken as %.40v", at, kindOf(v), read)
		if read != unquoted(v, s) {
			note += "; it must be" + within(s)
		}
		e.notes = append(e.notes, note)
	}
	return read
}

// unquoted reads a string where a number or a truth value is wanted.
func unquoted(v any, s *jsonschema.Schema) any {
	said, ok := v.(string)
	if !ok {
		return v
	}
	said = strings.TrimSpace(said)
	switch s.Type {
	case "boolean":
		if lower := strings.ToLower(said); lower == "true" || lower == "false" {
			return lower == "true"
		}
	case "integer", "number":
		if n, err := parse([]byte(said)); err == nil {
			if n, ok := n.(json.Number); ok {
				return n
			}
		}
	}
	return v
}

// inRange gives a number outside of its range as l takes it.
func inRange(v any, s *jsonschema.Schema, l Leeway) any {
	n, ok := v.(json.Number)
	if !ok || l < Nearest || s.Type != "integer" && s.Type != "number" {
		return v
	}
	f, err := n.Float64()
	low, high := s.Minimum != nil && f < *s.Minimum, s.Maximum != nil && f > *s.Maximum
	switch {
	case err != nil || !low && !high:
		return v
	case l == Default && s.Default != nil:
		return json.Number(s.Default)
	case low:
		return json.Number(number(*s.Minimum))
	}
	return json.Number(number(*s.Maximum))
}
