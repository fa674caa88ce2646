package llm

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"

	"github.com/citewell/citewell/internal/jsonform"
	"github.com/google/jsonschema-go/jsonschema"
)

// A format is one way to ask for JSON, strongest first.
type format int32

const (
	formatSchema  format = iota // response_format json_schema: the endpoint enforces it
	formatGrammar               // fields of llama.cpp, vLLM and Ollama that enforce it
	formatTool                  // a tool that has to be called, with the schema as its arguments
	formatObject                // response_format json_object: some JSON; the schema in words
	formatPrompt                // the schema in words only
	formatNone                  // no JSON is asked for
)

var formatNames = [...]string{"json_schema", "grammar", "tool", "json_object", "prompt"}

func formatNamed(name string) (format, bool) {
	if name == "" || name == "auto" {
		return formatSchema, true
	}
	i := slices.Index(formatNames[:], name)
	return format(max(i, 0)), i >= 0
}

func (f format) String() string { return formatNames[f] }

// enforced says whether the endpoint, not the model, sees to the form.
func (f format) enforced() bool { return f <= formatGrammar }

// weaker is the next way to try where the endpoint refuses this one.
func (f format) weaker(ownAPI bool) format {
	if f == formatSchema && ownAPI {
		return formatTool // it knows no grammar fields
	}
	return min(f+1, formatPrompt)
}

// ignored is the next way where the endpoint passed over this one, as it does with all that it does not know: a tool.
func (f format) ignored() format {
	if f.enforced() {
		return formatTool
	}
	return formatPrompt
}

// apply puts the schema of r into the request in the format's way.
func (f format) apply(body map[string]any, r Request, ownAPI bool) {
	if r.Schema == nil {
		return
	}
	name := cmp.Or(r.SchemaName, "answer")
	switch f {
	case formatSchema:
		body["response_format"] = map[string]any{"type": "json_schema", "json_schema": map[string]any{
			"name": name, "schema": r.Schema, "strict": !ownAPI || strict(r.Schema)}}
	case formatGrammar:
		body["json_schema"] = r.Schema                                // llama.cpp's server
		body["guided_json"] = r.Schema                                // vLLM
		body["structured_outputs"] = map[string]any{"json": r.Schema} // vLLM since 0.12
		body["format"] = r.Schema                                     // Ollama
	case formatTool:
		body["tools"] = []any{map[string]any{"type": "function", "function": map[string]any{
			"name": name, "description": "Give the answer in this form.", "parameters": r.Schema}}}
		body["tool_choice"] = ToolRequired // servers that cannot name a tool can require one; there is no other
	case formatObject:
		body["response_format"] = map[string]any{"type": "json_object"}
	}
	if f == formatObject || f == formatPrompt {
		body["messages"] = append(body["messages"].([]any), map[string]any{"role": RoleUser,
			"content": InWords(r.Schema)})
	}
}

// InWords asks for JSON of a schema where nothing keeps a model to it.
func InWords(schema json.RawMessage) string {
	return "Answer with one JSON value of this JSON Schema and nothing else:\n" + string(schema)
}

// strict reports whether a schema keeps OpenAI's rules for enforcing one: every object closed, every property required.
func strict(raw []byte) bool {
	s, err := parseSchema(raw)
	return err == nil && strictSchema(s)
}

func strictSchema(s *jsonschema.Schema) bool {
	if s == nil {
		return true
	}
	if (s.Properties != nil || s.Type == "object") &&
		(!jsonform.IsFalse(s.AdditionalProperties) || len(s.Required) != len(s.Properties)) {
		return false
	}
	parts := slices.Concat(slices.Collect(maps.Values(s.Properties)), slices.Collect(maps.Values(s.Defs)),
		s.AnyOf, s.OneOf, s.AllOf, []*jsonschema.Schema{s.Items})
	return !slices.ContainsFunc(parts, func(part *jsonschema.Schema) bool { return !strictSchema(part) })
}

// refusesFormat reports whether an endpoint may have refused the response format.
func refusesFormat(err error) bool {
	refusal, ok := errors.AsType[statusError](err)
	return ok && !errors.Is(err, ErrContext) &&
		(refusal.status == http.StatusBadRequest || refusal.status == http.StatusUnprocessableEntity ||
			refusal.status == http.StatusNotImplemented)
}
