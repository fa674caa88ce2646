package llm

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

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
			w.bound(at, "has %d characters; it must have at least %d", n, *s.MinLength)
		}
		if s.MaxLength != nil && n > *s.MaxLength {
			w.bound(at, "has %d characters; it may have at most %d", n, *s.MaxLength)
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
		w.bound(at, "has %d items; it must have at least %d", len(v), *s.MinItems)
	}
	if s.MaxItems != nil && len(v) > *s.MaxItems {
		w.bound(at, "has %d items; it may have at most %d", len(v), *s.MaxItems)
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
