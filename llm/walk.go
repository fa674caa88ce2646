package llm

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/citewell/citewell/text"
	"github.com/google/jsonschema-go/jsonschema"
)

// walk goes through a value beside its schema.
type walk struct {
	root    *jsonschema.Schema
	wrong   []misfit
	changed bool
}

func (w *walk) form(at, format string, args ...any) {
	w.wrong = append(w.wrong, misfit{named(at) + " " + fmt.Sprintf(format, args...), true})
}

func (w *walk) bound(at, format string, args ...any) {
	w.wrong = append(w.wrong, misfit{named(at) + " " + fmt.Sprintf(format, args...), false})
}

func named(at string) string {
	if at == "" {
		return "the whole"
	}
	return at
}

// maxWalk bounds how deep a schema that refers to itself is followed.
const maxWalk = 64

// value checks one value and returns it, with null where a list or nothing was meant
// put right.
func (w *walk) value(at string, v any, s *jsonschema.Schema, depth int) any {
	if depth > maxWalk || len(w.wrong) >= maxMisfits {
		return v
	}
	if name, ok := strings.CutPrefix(s.Ref, "#/$defs/"); ok && w.root.Defs[name] != nil {
		return w.value(at, v, w.root.Defs[name], depth+1)
	}
	if variants := slices.Concat(s.AnyOf, s.OneOf); len(variants) > 0 {
		return w.variant(at, v, variants, depth)
	}
	types := s.Types
	if s.Type != "" {
		types = []string{s.Type}
	}
	if v == nil && len(types) == 1 && types[0] == "array" {
		v, w.changed = []any{}, true
	}
	if len(types) > 0 && !slices.ContainsFunc(types, func(t string) bool { return isType(v, t) }) {
		w.form(at, "must be %s, not %s", strings.Join(types, " or "), typeOf(v))
		return v
	}
	if s.Const != nil && !same(*s.Const, v) {
		w.form(at, "must be %s", short(*s.Const))
	}
	if s.Enum != nil && !slices.ContainsFunc(s.Enum, func(e any) bool { return same(e, v) }) {
		allowed := make([]string, len(s.Enum))
		for i, e := range s.Enum {
			allowed[i] = short(e)
		}
		w.form(at, "is %s; it must be one of %s", short(v), strings.Join(allowed, ", "))
	}
	switch v := v.(type) {
	case map[string]any:
		w.object(at, v, s, depth)
	case []any:
		w.list(at, v, s, depth)
	case string:
		n := utf8.RuneCountInString(v)
		if s.MinLength != nil && n < *s.MinLength {
			w.bound(at, "has %s; it must have at least %d", text.Count(n, "character"), *s.MinLength)
		}
		if s.MaxLength != nil && n > *s.MaxLength {
			w.bound(at, "has %s; it may have at most %d", text.Count(n, "character"), *s.MaxLength)
		}
	case float64:
		if s.Minimum != nil && v < *s.Minimum {
			w.bound(at, "is %v; it must be at least %v", v, *s.Minimum)
		}
		if s.Maximum != nil && v > *s.Maximum {
			w.bound(at, "is %v; it may be at most %v", v, *s.Maximum)
		}
	}
	return v
}

func (w *walk) object(at string, v map[string]any, s *jsonschema.Schema, depth int) {
	below := func(name string) string { return strings.TrimPrefix(at+"."+name, ".") }
	for _, name := range s.Required {
		if _, ok := v[name]; !ok {
			w.form(below(name), "is missing")
		}
	}
	closed := s.AdditionalProperties != nil && s.AdditionalProperties.Not != nil
	for _, name := range slices.Sorted(maps.Keys(v)) {
		p := s.Properties[name]
		switch {
		case p == nil && closed:
			w.form(below(name), "is not asked for")
		case p == nil:
		case v[name] == nil && !slices.Contains(s.Required, name) && !allowsNull(p):
			delete(v, name) // said to be nothing is not said
			w.changed = true
		default:
			v[name] = w.value(below(name), v[name], p, depth+1)
		}
	}
}

func (w *walk) list(at string, v []any, s *jsonschema.Schema, depth int) {
	if s.MinItems != nil && len(v) < *s.MinItems {
		w.bound(at, "has %s; it must have at least %d", text.Count(len(v), "item"), *s.MinItems)
	}
	if s.MaxItems != nil && len(v) > *s.MaxItems {
		w.bound(at, "has %s; it may have at most %d", text.Count(len(v), "item"), *s.MaxItems)
	}
	if s.Items == nil {
		return
	}
	for i := range v {
		v[i] = w.value(fmt.Sprintf("%s[%d]", at, i), v[i], s.Items, depth+1)
	}
}

// variant takes the variant whose constants the value names, else the one with the
// least wrong: the model is told what is wrong with what it meant.
func (w *walk) variant(at string, v any, variants []*jsonschema.Schema, depth int) any {
	var best *walk
	var bestValue any
	for _, s := range variants {
		if name, ok := strings.CutPrefix(s.Ref, "#/$defs/"); ok && w.root.Defs[name] != nil {
			s = w.root.Defs[name]
		}
		tried := &walk{root: w.root}
		value := tried.value(at, copied(v), s, depth+1)
		if best == nil || len(tried.wrong) < len(best.wrong) || means(v, s) && len(tried.wrong) > 0 && len(best.wrong) > 0 {
			best, bestValue = tried, value
		}
		if len(tried.wrong) == 0 {
			break
		}
	}
	w.wrong = append(w.wrong, best.wrong...)
	w.changed = w.changed || best.changed
	return bestValue
}

// means says whether an object has all the constants of a variant, and so is meant to
// be it.
func means(v any, s *jsonschema.Schema) bool {
	object, ok := v.(map[string]any)
	constants := 0
	for name, p := range s.Properties {
		if p.Const == nil {
			continue
		}
		if constants++; !same(*p.Const, object[name]) {
			return false
		}
	}
	return ok && constants > 0
}

// copied is a value that may be changed without changing v.
func copied(v any) any {
	switch v := v.(type) {
	case map[string]any:
		m := make(map[string]any, len(v))
		for key, value := range v {
			m[key] = copied(value)
		}
		return m
	case []any:
		list := make([]any, len(v))
		for i, value := range v {
			list[i] = copied(value)
		}
		return list
	}
	return v
}

func allowsNull(s *jsonschema.Schema) bool {
	return s.Type == "null" || s.Type == "array" || slices.Contains(s.Types, "null") || s.Type == "" && len(s.Types) == 0
}

func isType(v any, t string) bool {
	got := typeOf(v)
	return got == t || got == "integer" && t == "number"
}

func typeOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case float64:
		if v == math.Trunc(v) {
			return "integer"
		}
		return "number"
	case []any:
		return "array"
	}
	return "object"
}

func same(a, b any) bool { return short(a) == short(b) }

// short is a value as JSON, cut where it is long.
func short(v any) string {
	encoded, err := json.Marshal(v)
	if err != nil {
		return "?"
	}
	if len(encoded) > 400 {
		return strings.ToValidUTF8(string(encoded[:400]), "") + "…"
	}
	return string(encoded)
}
