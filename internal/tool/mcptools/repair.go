package mcptools

import (
	"encoding/json"

	"github.com/google/jsonschema-go/jsonschema"
)

// repaired is a server's input schema in a form that models and clients take: an object with properties, lists with
// items. What is no schema lets everything through.
func repaired(given any) *jsonschema.Schema {
	data, err := json.Marshal(given)
	s := &jsonschema.Schema{}
	if err != nil || json.Unmarshal(data, s) != nil {
		s = &jsonschema.Schema{}
	}
	if s.Type != "object" {
		s = &jsonschema.Schema{Type: "object", Description: s.Description, Properties: s.Properties,
			PropertyOrder: s.PropertyOrder, Required: s.Required}
	}
	repair(s, 0)
	if _, err := s.Resolve(nil); err != nil {
		return &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}}
	}
	return s
}

// deepest is how far down a schema is repaired; what lies below stays as it is.
const deepest = 32

func repair(s *jsonschema.Schema, depth int) {
	if s == nil || depth > deepest {
		return
	}
	if s.Type == "" && len(s.Types) == 0 {
		switch {
		case s.Properties != nil:
			s.Type = "object"
		case s.Items != nil:
			s.Type = "array"
		}
	}
	if s.Type == "object" && s.Properties == nil {
		s.Properties = map[string]*jsonschema.Schema{}
	}
	if s.Type == "array" && s.Items == nil && s.ItemsArray == nil && s.PrefixItems == nil {
		s.Items = &jsonschema.Schema{}
	}
	for name, p := range s.Properties {
		if p == nil {
			s.Properties[name] = &jsonschema.Schema{}
		}
		repair(s.Properties[name], depth+1)
	}
	for _, list := range [][]*jsonschema.Schema{{s.Items, s.AdditionalProperties}, s.AnyOf, s.OneOf, s.AllOf,
		s.PrefixItems} {
		for _, sub := range list {
			repair(sub, depth+1)
		}
	}
}
