package agent

import (
	"encoding/json"
	"strings"

	"github.com/citewell/citewell/internal/tool"
	"github.com/google/jsonschema-go/jsonschema"
)

// inputPart is the schema of a tool's arguments as a part of another schema: what it
// refers to is returned beside it, under names of its own, to be the definitions of the
// whole. A reference to any other place lets everything through; the tool itself judges.
func inputPart(t *tool.Tool) (s *jsonschema.Schema, definitions map[string]*jsonschema.Schema) {
	known := t.Input.Defs // a schema has one of the two
	if known == nil {
		known = t.Input.Definitions
	}
	if len(known) == 0 {
		return t.Input.CloneSchemas(), nil
	}
	definitions = map[string]*jsonschema.Schema{}
	for name, d := range known {
		definitions[t.Name+"."+name] = referring(d, t.Name, known)
	}
	s = referring(t.Input, t.Name, known)
	s.Defs, s.Definitions = nil, nil
	return s, definitions
}

// referring is a schema whose references lead to the known definitions of the tool owner by their names in the whole.
func referring(s *jsonschema.Schema, owner string, known map[string]*jsonschema.Schema) *jsonschema.Schema {
	var value any
	moved := &jsonschema.Schema{}
	if json.Unmarshal(schemaJSON(s), &value) != nil {
		return moved
	}
	redirect(value, owner, known)
	if data, err := json.Marshal(value); err != nil || json.Unmarshal(data, moved) != nil {
		return &jsonschema.Schema{}
	}
	return moved
}

func redirect(value any, owner string, known map[string]*jsonschema.Schema) {
	switch v := value.(type) {
	case []any:
		for _, part := range v {
			redirect(part, owner, known)
		}
	case map[string]any:
		if ref, ok := v["$ref"].(string); ok {
			name := strings.TrimPrefix(strings.TrimPrefix(ref, "#/$defs/"), "#/definitions/")
			if _, there := known[name]; there && name != ref {
				v["$ref"] = "#/$defs/" + owner + "." + name
			} else {
				delete(v, "$ref")
			}
		}
		for _, part := range v {
			redirect(part, owner, known)
		}
	}
}
