package agent

import (
	"encoding/json"

	"github.com/citewell/citewell/internal/tool"
	"github.com/google/jsonschema-go/jsonschema"
)

func functionOf(t *tool.Tool) Function {
	f := Function{Name: t.Name, Description: t.Title, Parameters: schemaJSON(t.Input)}
	if t.Origin.Name == "" {
		f.Parameters = schemaJSON(withoutChecks(t.Input))
	}
	if t.Title == "" {
		f.Description = t.Description
	}
	return f
}

// withoutChecks is a schema of arguments as a model needs it: that a string may not be blank
// and that there are no other arguments is checked, and said where it is wrong.
func withoutChecks(s *jsonschema.Schema) *jsonschema.Schema {
	s = s.CloneSchemas()
	s.AdditionalProperties = nil
	for _, p := range s.Properties {
		if p.Pattern == `\S` {
			p.Pattern = ""
		}
	}
	return s
}

func schemaJSON(s *jsonschema.Schema) json.RawMessage {
	data, err := json.Marshal(s)
	if err != nil {
		panic("agent: a schema as JSON: " + err.Error())
	}
	return data
}
