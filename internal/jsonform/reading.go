package jsonform

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// A Reading is what a value that does not fit is read as.
type Reading struct {
	NullAbsent bool // null is an absent property where its schema takes no null
	NullEmpty  bool // null is the empty list where a list is wanted
	Defaults   bool // an absent property has its default, where that fits
	Unquote    bool // a string is the number or truth value in it, where such a one is wanted
	Objects    bool // a string is the object in it, where an object alone is wanted
	Clamp      bool // a number outside of its range is the nearest one in it
	Reset      bool // a number outside of its range is its default, where it has one
}

// readAs is v as the reading takes it.
func (w *walk) readAs(at string, v any, s *jsonschema.Schema, types []string) any {
	if v == nil && w.reading.NullEmpty && slices.Equal(types, []string{"array"}) {
		w.Changed = true
		return []any{}
	}
	if object, ok := objectIn(v); ok && w.reading.Objects && slices.Equal(types, []string{"object"}) {
		w.Changed = true // without a note, which could tell a secret
		return object
	}
	unquoted := v
	if said, ok := v.(string); ok && w.reading.Unquote {
		unquoted = unquote(said, types)
	}
	read := unquoted
	if n, ok := unquoted.(json.Number); ok {
		read = w.reading.inRange(n, s)
	}
	if kindOf(v) != kindOf(read) || kindOf(v) == "number" && v != read {
		note := fmt.Sprintf("%s: %s was taken as %.40v", at, Shown(v), read)
		if kindOf(read) == "number" && read != unquoted {
			note += "; it must be " + span(s)
		}
		w.Notes, w.Changed = append(w.Notes, note), true
	}
	return read
}

// objectIn is the object that a string has; a blank string has an empty one.
func objectIn(v any) (any, bool) {
	said, ok := v.(string)
	if !ok {
		return nil, false
	}
	if strings.TrimSpace(said) == "" {
		return map[string]any{}, true
	}
	object, _, err := Parse([]byte(said))
	return object, err == nil && kindOf(object) == "object"
}

// unquote reads a string where a number or a truth value is wanted, and no string.
func unquote(said string, types []string) any {
	v, _, err := Parse([]byte(strings.ToLower(strings.TrimSpace(said))))
	kind := kindOf(v)
	wanted := slices.Contains(types, kind) || kind == "number" && slices.Contains(types, "integer")
	if err != nil || !wanted || kind != "number" && kind != "boolean" || slices.Contains(types, "string") {
		return said
	}
	return v
}

// inRange gives a number outside of its range as the reading takes it.
func (r Reading) inRange(n json.Number, s *jsonschema.Schema) json.Number {
	f, err := n.Float64()
	low, high := s.Minimum != nil && f < *s.Minimum, s.Maximum != nil && f > *s.Maximum
	if err != nil || !low && !high {
		return n
	}
	standard, _, _ := Parse(s.Default) // nil where there is none
	number, ok := standard.(json.Number)
	switch {
	case r.Reset && ok:
		return number
	case r.Clamp && low:
		return json.Number(Number(*s.Minimum))
	case r.Clamp:
		return json.Number(Number(*s.Maximum))
	}
	return n
}
