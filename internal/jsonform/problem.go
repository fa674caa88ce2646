package jsonform

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/citewell/citewell/internal/text"
	"github.com/google/jsonschema-go/jsonschema"
)

// A Problem is one thing that is wrong with a value.
type Problem struct {
	At    string // the place of the value, as in nodes[1].id
	Words string // what follows it, as in "is required"
	Bound bool   // a length, a range or a pattern, which endpoints that enforce a schema may pass over
	Known string // of a name that is unknown and near no other: those that there are
}

// String is the problem as a sentence without its end.
func (p Problem) String() string {
	return text.Prefix(p.At, maxPlace) + " " + p.Words
}

// maxPlace and maxWords bound what is said of a place and of its problem, in bytes: names, patterns and lists may be
// long.
const (
	maxPlace = 160
	maxWords = 1000
)

// Say tells of problems in one sentence: of each once, of most at most.
func Say(problems []Problem, most int) string {
	var said []string
	for _, p := range problems {
		if words := p.String(); !slices.Contains(said[:min(len(said), most)], words) {
			said = append(said, words)
		}
	}
	if n := len(said) - most; n > 0 {
		said = append(said[:most], fmt.Sprintf("and %d more", n))
	}
	return strings.Join(said, "; ")
}

// A wrong is one way not to fit: the words for it and whether it is a bound.
type wrong struct {
	words string
	bound bool
}

// The ways not to fit, and all the words for them.
var (
	missing    = wrong{"is required", false}
	missingAll = wrong{"must have one of %s", false}
	blank      = wrong{"is required and may not be blank", true}
	unknown    = wrong{"is unknown", false}
	misspelt   = wrong{"is unknown; did you mean %s?", false}
	otherKind  = wrong{"must be %s, not %s", false}
	notOneOf   = wrong{"must be one of %s; it is %s", false}
	notThat    = wrong{"must be %s; it is %s", false}
	forbidden  = wrong{"may not be %s", false}
	notCounted = wrong{"is no number that can be counted with%s", false}
	notWhole   = wrong{"must be a whole number; it is %s", false}
	tooLarge   = wrong{"is too large a number", false}
	outside    = wrong{"must be %s; it is %s", true}
	miscounted = wrong{"must have %s %s; it has %d", true}
	mismatched = wrong{"must match the pattern %s; it is %s", true}
	endless    = wrong{"cannot be checked: it is too large, or its schema leads back to itself", false}
)

func (w *walk) wrong(at string, what wrong, args ...any) {
	at = cmp.Or(at, "the whole")
	if len(w.Problems) < maxKept {
		words := text.Shorten(fmt.Sprintf(what.words, args...), maxWords)
		w.Problems = append(w.Problems, Problem{At: at, Words: words, Bound: what.bound})
	}
}

// NotBlank is the pattern of a string that says something.
const NotBlank = `\S`

// kinds are the types of JSON Schema in words.
var kinds = map[string]string{"string": "a string", "integer": "a number", "number": "a number",
	"boolean": "true or false", "array": "a list", "object": "an object", "null": "null"}

// listOf says what something may be.
func listOf(types []string) string {
	words := make([]string, len(types))
	for i, t := range types {
		words[i] = kinds[t]
	}
	return strings.Join(words, " or ")
}

// kindOf is a value's type as JSON Schema names it.
func kindOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case json.Number, float64:
		return "number"
	case []any:
		return "array"
	}
	return "object"
}

// Shown says what a value is: its kind, and itself where it is short.
func Shown(v any) string {
	if kind := kindOf(v); kind == "string" || kind == "number" {
		return "the " + kind + " " + brief(v)
	}
	return brief(v)
}

// brief is a value itself, cut after 40 characters.
func brief(v any) string {
	switch kind := kindOf(v); kind {
	case "string":
		return fmt.Sprintf("%.40q", v)
	case "array", "object", "null":
		return kinds[kind]
	}
	return fmt.Sprintf("%.40s", fmt.Sprint(v))
}

// Values lists what a value may be.
func Values(values []any) string {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = fmt.Sprint(v)
	}
	return strings.Join(words, ", ")
}

// span says a number's range: "from 1 to 10".
func span(s *jsonschema.Schema) string {
	if s.Minimum != nil && s.Maximum != nil && s.ExclusiveMinimum == nil && s.ExclusiveMaximum == nil {
		return fmt.Sprintf("from %s to %s", Number(*s.Minimum), Number(*s.Maximum))
	}
	var words []string
	for _, limit := range []struct {
		words string
		at    *float64
	}{{"at least ", s.Minimum}, {"more than ", s.ExclusiveMinimum}, {"at most ", s.Maximum},
		{"less than ", s.ExclusiveMaximum}} {
		if limit.at != nil {
			words = append(words, limit.words+Number(*limit.at))
		}
	}
	return strings.Join(words, " and ")
}

// count says how many there may be: "1 to 10".
func count(low, high *int) string {
	switch {
	case high == nil:
		return fmt.Sprintf("at least %d", *low)
	case low == nil:
		return fmt.Sprintf("at most %d", *high)
	}
	return fmt.Sprintf("%d to %d", *low, *high)
}

// Number is f in decimal digits, as few as say it.
func Number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
