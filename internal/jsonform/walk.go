package jsonform

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/citewell/citewell/internal/text"
	"github.com/google/jsonschema-go/jsonschema"
)

// Findings are what Check found.
type Findings struct {
	Problems []Problem
	Notes    []string // what was unquoted or clamped, by name
	Changed  bool     // the value is not read as it was given
}

// Check holds v against s and gives it as r reads it. A value without a Problem fits s.
func Check(v any, s *jsonschema.Schema, r Reading) (any, Findings) {
	w := &walk{common: &common{root: s, patterns: map[string]*regexp.Regexp{}}, reading: r}
	v = w.value("", v, s, 0)
	if w.Changed && len(w.Problems) == 0 { // one part of s may refuse what another made of it
		_, again := Check(v, s, Reading{})
		w.Problems = again.Problems
	}
	slices.Sort(w.Notes)
	return v, w.Findings
}

// Bounds of what a value and its schema may cost.
const (
	maxHops  = 64      // from schema to schema without a step into the value
	maxSteps = 1 << 22 // values held against a schema, hops included
	maxKept  = 1000    // problems
)

// A walk goes through a value beside its schema.
type walk struct {
	*common
	reading Reading
	Findings
}

// common is what a walk shares with those that try a part of it.
type common struct {
	root     *jsonschema.Schema
	steps    int
	patterns map[string]*regexp.Regexp
}

// value checks one value, and returns it as it is read. hops are the schemas that led to s at this value.
func (w *walk) value(at string, v any, s *jsonschema.Schema, hops int) any {
	if w.steps++; hops > maxHops || w.steps > maxSteps {
		w.wrong(at, endless)
		return v
	}
	types := s.Types
	if s.Type != "" {
		types = []string{s.Type}
	}
	v = w.readAs(at, v, s, types)
	kind := kindOf(v)
	is := func(allowed any) bool { return same(allowed, v) }
	switch {
	case len(types) > 0 && !slices.Contains(types, kind) && (kind != "number" || !slices.Contains(types, "integer")):
		w.wrong(at, otherKind, listOf(types), Shown(v))
		return v
	case s.Enum != nil && !slices.ContainsFunc(s.Enum, is):
		w.wrong(at, notOneOf, Values(s.Enum), brief(v))
		return v
	case s.Const != nil && !is(*s.Const):
		w.wrong(at, notThat, brief(*s.Const), brief(v))
		return v
	}
	switch given := v.(type) {
	case string:
		w.text(at, given, s)
	case json.Number:
		v = w.number(at, given, s, slices.Contains(types, "integer") && !slices.Contains(types, "number"))
	case []any:
		v = w.list(at, given, s)
	case map[string]any:
		v = w.object(at, given, s)
	}
	return w.parts(at, v, s, hops+1)
}

// parts applies the schemas that s is made of.
func (w *walk) parts(at string, v any, s *jsonschema.Schema, hops int) any {
	if target := w.target(s.Ref); target != nil {
		v = w.value(at, v, target, hops)
	}
	for _, part := range s.AllOf {
		v = w.value(at, v, part, hops)
	}
	for _, variants := range [][]*jsonschema.Schema{s.AnyOf, s.OneOf} {
		if len(variants) > 0 {
			v = w.variant(at, v, variants, hops)
		}
	}
	if s.Not != nil && w.fits(v, s.Not, Reading{}, hops) {
		w.wrong(at, forbidden, Shown(v))
	}
	return v
}

// target is the schema that a $ref names; nil where it names none that is known here.
func (w *walk) target(ref string) *jsonschema.Schema {
	if ref == "#" {
		return w.root
	}
	if name, ok := strings.CutPrefix(ref, "#/definitions/"); ok {
		return w.root.Definitions[name]
	}
	return w.root.Defs[strings.TrimPrefix(ref, "#/$defs/")]
}

func (w *walk) fits(v any, s *jsonschema.Schema, r Reading, hops int) bool {
	tried := &walk{common: w.common, reading: r}
	tried.value("", v, s, hops)
	return len(tried.Problems) == 0
}

// variant takes the first variant that fits as v stands, else one that fits as it is read, else the one whose constants
// v names, else the one with the least wrong.
func (w *walk) variant(at string, v any, variants []*jsonschema.Schema, hops int) any {
	for _, s := range variants {
		if w.reading != (Reading{}) && w.fits(v, s, Reading{}, hops) {
			return w.value(at, v, s, hops)
		}
	}
	if names := w.missingAll(v, variants); len(names) > 1 {
		last := len(names) - 1
		w.wrong(at, missingAll, strings.Join(names[:last], ", ")+" and "+names[last])
		return v
	}
	var best *walk
	var read any
	meant := false
	for _, s := range variants {
		tried := &walk{common: w.common, reading: w.reading}
		value := tried.value(at, v, s, hops)
		fits, means := len(tried.Problems) == 0, w.means(v, s)
		if best == nil || fits || means || !meant && len(tried.Problems) < len(best.Problems) {
			best, read, meant = tried, value, means
		}
		if fits {
			break
		}
	}
	w.Problems, w.Notes = append(w.Problems, best.Problems...), append(w.Notes, best.Notes...)
	w.Changed = w.Changed || best.Changed
	return read
}

// missingAll gives the names of which variants want one each and nothing else, where an object has none of them.
func (w *walk) missingAll(v any, variants []*jsonschema.Schema) (names []string) {
	object, ok := v.(map[string]any)
	for _, s := range variants {
		if !ok || len(s.Required) != 1 || s.Properties != nil || s.Ref != "" ||
			!w.fits(map[string]any{s.Required[0]: nil}, s, Reading{}, 0) {
			return nil
		}
		name := s.Required[0]
		if _, has := object[name]; has {
			return nil
		}
		names = append(names, name)
	}
	return names
}

// means says whether an object has all the constants of a variant, and so is meant to be it.
func (w *walk) means(v any, s *jsonschema.Schema) bool {
	if target := w.target(s.Ref); target != nil {
		s = target
	}
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

// same says whether v is a value that a schema names, whose numbers are float64.
func same(named, v any) bool {
	if s, ok := v.(string); ok {
		return named == s
	}
	var plain any
	data, err := json.Marshal(v)
	return err == nil && json.Unmarshal(data, &plain) == nil && jsonschema.Equal(named, plain)
}

// number checks a number, and gives a whole one without a fraction.
func (w *walk) number(at string, n json.Number, s *jsonschema.Schema, whole bool) json.Number {
	f, err := n.Float64()
	low, high, above, below := s.Minimum, s.Maximum, s.ExclusiveMinimum, s.ExclusiveMaximum
	switch {
	case err != nil:
		w.wrong(at, notCounted, strings.TrimRight(" "+span(s), " "))
	case low != nil && f < *low || high != nil && f > *high || above != nil && f <= *above || below != nil &&
		f >= *below:
		w.wrong(at, outside, span(s), brief(n))
	case whole && f != math.Trunc(f):
		w.wrong(at, notWhole, brief(n))
	case whole && math.Abs(f) >= 1<<53:
		w.wrong(at, tooLarge)
	case whole:
		plain := json.Number(strconv.FormatInt(int64(f), 10))
		w.Changed = w.Changed || plain != n
		return plain
	}
	return n
}

func (w *walk) text(at, v string, s *jsonschema.Schema) {
	switch {
	case s.Pattern == NotBlank && strings.TrimSpace(v) == "":
		w.wrong(at, blank)
	case !w.counted(at, utf8.RuneCountInString(v), "characters", s.MinLength, s.MaxLength):
	case s.Pattern != "" && !w.matches(s.Pattern, v):
		w.wrong(at, mismatched, s.Pattern, brief(v))
	}
}

// matches says whether v has what a pattern describes. One that cannot be read takes all.
func (w *walk) matches(pattern, v string) bool {
	re, known := w.patterns[pattern]
	if !known {
		re, _ = regexp.Compile(pattern) // nil where it cannot be read
		w.patterns[pattern] = re
	}
	return re == nil || re.MatchString(v)
}

// counted says whether there are as many as there may be.
func (w *walk) counted(at string, n int, of string, low, high *int) bool {
	fits := (low == nil || n >= *low) && (high == nil || n <= *high)
	if !fits {
		w.wrong(at, miscounted, count(low, high), of, n)
	}
	return fits
}

func (w *walk) list(at string, v []any, s *jsonschema.Schema) []any {
	if !w.counted(at, len(v), "items", s.MinItems, s.MaxItems) || s.Items == nil {
		return v
	}
	read := slices.Clone(v)
	for i := len(s.PrefixItems); i < len(read); i++ {
		read[i] = w.value(fmt.Sprintf("%s[%d]", at, i), read[i], s.Items, 0)
	}
	return read
}

func (w *walk) object(at string, object map[string]any, s *jsonschema.Schema) map[string]any {
	below := func(name string) string { return strings.TrimPrefix(at+"."+name, ".") }
	read := maps.Clone(object)
	names := Order(s)
	for _, name := range names {
		p := s.Properties[name]
		v, given := object[name]
		if given && v == nil && w.reading.NullAbsent && !w.fits(nil, p, w.reading, 0) {
			delete(read, name)
			given, w.Changed = false, true
		}
		if given {
			read[name] = w.value(below(name), v, p, 0)
		} else if v, ok := w.defaultOf(p); ok && !slices.Contains(s.Required, name) {
			read[name], w.Changed = v, true
		}
	}
	for _, name := range append(names, s.Required...) {
		if _, given := read[name]; !given && slices.Contains(s.Required, name) {
			w.wrong(below(name), missing)
		}
	}
	if s.AdditionalProperties == nil || s.PatternProperties != nil {
		return read
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if s.Properties[name] != nil {
			continue
		}
		if !IsFalse(s.AdditionalProperties) {
			read[name] = w.value(below(name), object[name], s.AdditionalProperties, 0)
		} else if near := text.Nearest(name, names); near != "" {
			w.wrong(below(name), misspelt, near)
		} else {
			if w.wrong(below(name), unknown); len(w.Problems) < maxKept {
				w.Problems[len(w.Problems)-1].Known = text.Shorten(strings.Join(names, ", "), maxWords)
			}
		}
	}
	return read
}

// defaultOf is what an absent property is read as. A default that does not fit is none.
func (w *walk) defaultOf(s *jsonschema.Schema) (any, bool) {
	if !w.reading.Defaults || s.Default == nil {
		return nil, false
	}
	v, _, err := Parse(s.Default)
	return v, err == nil && w.fits(v, s, Reading{}, 0)
}

// Order gives an object's properties in the order of their definition.
func Order(s *jsonschema.Schema) []string {
	names := slices.Clone(s.PropertyOrder)
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if !slices.Contains(s.PropertyOrder, name) {
			names = append(names, name)
		}
	}
	return names
}

// IsFalse says whether s is the schema that nothing fits: of additionalProperties, that an object takes no others.
func IsFalse(s *jsonschema.Schema) bool {
	return s != nil && reflect.DeepEqual(*s, jsonschema.Schema{Not: &jsonschema.Schema{}})
}
