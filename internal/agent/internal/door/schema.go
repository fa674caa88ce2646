package door

import (
	"encoding/json"
	"slices"

	"github.com/citewell/citewell/internal/envelope"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/tool"
	"github.com/google/jsonschema-go/jsonschema"
)

// maxAbout bounds what a foreign schema says of one field, in bytes.
const maxAbout = 500

// cleaned is a foreign schema as a model is shown it: what is said of a field is neutralised and bounded, and fields
// and values go whose names a model could take for something else. The server is sent what fits its own schema.
func cleaned(given *jsonschema.Schema) *jsonschema.Schema {
	s := given.CloneSchemas()
	clean(s)
	return s
}

func clean(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	s.Title, s.Comment, s.Examples, s.Extra = "", "", nil, nil
	s.Vocabulary, s.DependentRequired, s.DependencyStrings = nil, nil, nil
	for _, word := range []*string{&s.ID, &s.Schema, &s.Type, &s.Ref, &s.Anchor, &s.DynamicAnchor, &s.DynamicRef,
		&s.Pattern, &s.Format, &s.ContentEncoding, &s.ContentMediaType} {
		if !isPlain(*word) {
			*word = ""
		}
	}
	s.Types = slices.DeleteFunc(slices.Clone(s.Types), func(name string) bool { return !isPlain(name) })
	s.Description = text.OneLine(envelope.Neutralize(tool.Shorten(s.Description, maxAbout)))
	var value any
	if len(s.Default) > maxAbout || json.Unmarshal(s.Default, &value) != nil || !isPlainValue(value) {
		s.Default = nil
	}
	if s.Const != nil && !isPlainValue(*s.Const) {
		s.Const = nil
	}
	s.Enum = slices.DeleteFunc(slices.Clone(s.Enum), func(v any) bool { return !isPlainValue(v) })
	gone := func(name string) bool { return !isPlain(name) }
	s.Required = slices.DeleteFunc(slices.Clone(s.Required), gone)
	s.PropertyOrder = slices.DeleteFunc(slices.Clone(s.PropertyOrder), gone)
	for _, list := range [][]*jsonschema.Schema{s.PrefixItems, s.ItemsArray, s.AllOf, s.AnyOf, s.OneOf,
		{s.Items, s.AdditionalItems, s.Contains, s.AdditionalProperties, s.PropertyNames, s.UnevaluatedItems,
			s.UnevaluatedProperties, s.Not, s.If, s.Then, s.Else, s.ContentSchema}} {
		for _, sub := range list {
			clean(sub)
		}
	}
	for _, named := range []map[string]*jsonschema.Schema{s.Properties, s.PatternProperties, s.Defs, s.Definitions,
		s.DependentSchemas, s.DependencySchemas} {
		for name, sub := range named {
			if !isPlain(name) {
				delete(named, name)
			}
			clean(sub)
		}
	}
}

// isPlainValue says whether all that a value says is plain, the names of its fields too.
func isPlainValue(v any) bool {
	switch v := v.(type) {
	case string:
		return isPlain(v)
	case []any:
		return !slices.ContainsFunc(v, func(each any) bool { return !isPlainValue(each) })
	case map[string]any:
		for name, each := range v {
			if !isPlain(name) || !isPlainValue(each) {
				return false
			}
		}
	}
	return true
}

// isPlain says whether a name or a value is short and has nothing that a model would take for a mark of its own.
func isPlain(s string) bool { return len(s) <= maxAbout && envelope.Neutralize(s) == s }
