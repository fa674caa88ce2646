package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/text"
	"github.com/google/jsonschema-go/jsonschema"
)

// Bounds of what a caller may send.
const (
	MaxArguments = 17 << 20 // bytes: one document of 16 MiB and what stands around it
	maxProblems  = 5        // told of in one message
)

// check reads the arguments, says everything that is wrong with them at once, and
// returns them as JSON of the input schema: null taken for absent, defaults put
// in, whole numbers without a fraction.
func (t *Tool) check(arguments json.RawMessage) (json.RawMessage, error) {
	if len(arguments) > MaxArguments {
		return nil, t.invalid(fmt.Sprintf("the arguments have %d bytes; at most %d are taken", len(arguments), MaxArguments))
	}
	if t.Mend != nil {
		arguments = t.Mend(arguments)
	}
	if len(bytes.TrimSpace(arguments)) == 0 || string(bytes.TrimSpace(arguments)) == "null" {
		arguments = json.RawMessage("{}")
	}
	value, err := parse(arguments)
	if err != nil {
		return nil, t.invalid("the arguments are no JSON object: " + err.Error())
	}
	object, ok := value.(map[string]any)
	if !ok {
		return nil, t.invalid("the arguments must be a JSON object; they are " + kindOf(value))
	}
	c := &checker{}
	checked := c.object("", object, t.Input)
	if said := c.said(); said != "" {
		return nil, t.invalid(said)
	}
	return json.Marshal(checked)
}

// invalid is the error of arguments that do not fit; its hint is what would.
func (t *Tool) invalid(message string) error {
	return &citewell.Error{Code: citewell.CodeInvalidArgument, Op: t.Name, Message: message, Hint: t.usage()}
}

// A checker collects what is wrong with a value.
type checker struct {
	problems []string
	nulls    bool // null is a value that does not fit, not one that is absent
}

// said is what is wrong, in one sentence; empty where nothing is.
func (c *checker) said() string {
	more := ""
	if n := len(c.problems) - maxProblems; n > 0 {
		c.problems, more = c.problems[:maxProblems], fmt.Sprintf("; and %d more", n)
	}
	return strings.Join(c.problems, "; ") + more
}

func (c *checker) problem(format string, args ...any) {
	c.problems = append(c.problems, fmt.Sprintf(format, args...))
}

func (c *checker) object(path string, object map[string]any, s *jsonschema.Schema) map[string]any {
	out := map[string]any{}
	names := Order(s)
	for _, name := range names {
		at := join(path, name)
		v, given := object[name]
		if given && v == nil && !c.nulls && !nullable(s.Properties[name]) {
			given = false
		}
		switch {
		case given:
			out[name] = c.value(at, v, s.Properties[name])
		case slices.Contains(s.Required, name):
			c.problem("%s is required", at)
		case s.Properties[name].Default != nil:
			out[name] = s.Properties[name].Default
		}
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if s.Properties[name] != nil {
			continue
		}
		switch {
		case s.AdditionalProperties == nil:
			out[name] = object[name]
		case isFalse(s.AdditionalProperties):
			if near := text.Nearest(name, names); near != "" {
				c.problem("%.80s is unknown; did you mean %s?", join(path, name), near)
			} else {
				c.problem("%.80s is unknown", join(path, name))
			}
		default:
			out[name] = c.value(join(path, name), object[name], s.AdditionalProperties)
		}
	}
	return out
}

func (c *checker) value(at string, v any, s *jsonschema.Schema) any {
	if v == nil && nullable(s) {
		return nil
	}
	switch s.Type {
	case "string":
		return c.text(at, v, s)
	case "integer", "number":
		return c.number(at, v, s)
	case "boolean":
		if _, ok := v.(bool); !ok {
			c.problem("%s must be true or false, not %s", at, kindOf(v))
		}
	case "array":
		list, ok := v.([]any)
		if !ok {
			c.problem("%s must be a list, not %s", at, kindOf(v))
			return v
		}
		if n := len(list); s.MinItems != nil && n < *s.MinItems || s.MaxItems != nil && n > *s.MaxItems {
			c.problem("%s must have %s items; it has %d", at, span(s.MinItems, s.MaxItems), n)
			return v
		}
		if s.Items != nil {
			for i := range list {
				list[i] = c.value(fmt.Sprintf("%s[%d]", at, i), list[i], s.Items)
			}
		}
	case "object":
		object, ok := v.(map[string]any)
		if !ok {
			c.problem("%s must be an object, not %s", at, kindOf(v))
			return v
		}
		return c.object(at, object, s)
	}
	return v
}

func (c *checker) text(at string, v any, s *jsonschema.Schema) any {
	value, ok := v.(string)
	if !ok {
		c.problem("%s must be a string, not %s", at, kindOf(v))
		return v
	}
	length := utf8.RuneCountInString(value)
	switch {
	case s.Enum != nil && !slices.Contains(s.Enum, any(value)):
		c.problem("%s must be one of %s; it is %.60q", at, listOf(s.Enum), value)
	case s.Pattern == notBlank && strings.TrimSpace(value) == "":
		c.problem("%s is required and may not be blank", at)
	case s.MinLength != nil && length < *s.MinLength || s.MaxLength != nil && length > *s.MaxLength:
		c.problem("%s must have %s characters; it has %d", at, span(s.MinLength, s.MaxLength), length)
	}
	return value
}

func (c *checker) number(at string, v any, s *jsonschema.Schema) any {
	n, ok := v.(json.Number)
	if !ok {
		c.problem("%s must be a number, not %s", at, kindOf(v))
		return v
	}
	f, err := n.Float64()
	if err != nil || math.IsInf(f, 0) {
		c.problem("%s is no number that can be counted with%s", at, within(s))
		return v
	}
	switch {
	case s.Minimum != nil && f < *s.Minimum || s.Maximum != nil && f > *s.Maximum:
		c.problem("%s must be%s; it is %.30s", at, within(s), n)
	case s.Type == "integer" && f != math.Trunc(f):
		c.problem("%s must be a whole number; it is %.30s", at, n)
	case s.Type == "integer" && math.Abs(f) >= 1<<53:
		c.problem("%s is too large a number", at)
	case s.Type == "integer":
		return int64(f)
	}
	return n
}

// within says a number's range: " from 1 to 10".
func within(s *jsonschema.Schema) string {
	switch {
	case s.Minimum != nil && s.Maximum != nil:
		return fmt.Sprintf(" from %s to %s", number(*s.Minimum), number(*s.Maximum))
	case s.Minimum != nil:
		return " at least " + number(*s.Minimum)
	case s.Maximum != nil:
		return " at most " + number(*s.Maximum)
	}
	return ""
}

func span(low, high *int) string {
	switch {
	case high == nil:
		return fmt.Sprintf("at least %d", *low)
	case low == nil:
		return fmt.Sprintf("at most %d", *high)
	}
	return fmt.Sprintf("%d to %d", *low, *high)
}

func kindOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		return fmt.Sprintf("the string %.40q", v)
	case json.Number:
		return fmt.Sprintf("the number %.40s", v)
	case bool:
		return fmt.Sprint(v)
	case []any:
		return "a list"
	}
	return "an object"
}

func nullable(s *jsonschema.Schema) bool {
	return slices.Contains(s.Types, "null") || s.Type == "" && s.Types == nil && s.Enum == nil && s.AnyOf == nil
}

// isFalse says whether s is the schema that nothing fits.
func isFalse(s *jsonschema.Schema) bool { return s.Not != nil }

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
