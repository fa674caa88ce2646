package openai_test

import (
	"compress/gzip"
	"encoding/json"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/citewell/citewell/internal/testing/realpart"
	"github.com/google/jsonschema-go/jsonschema"
)

// published are the schemas of OpenAI's own description of its API, as
// the measurement set openai-openapi has it; nil where that is missing.
var published = sync.OnceValues(func() (map[string]any, error) {
	path, found := realpart.FindData("openai-openapi", "openapi.json.gz")
	if !found {
		return nil, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	var api struct {
		Components struct{ Schemas map[string]any }
	}
	return api.Components.Schemas, json.NewDecoder(z).Decode(&api)
})

var (
	resolved   = map[string]*jsonschema.Resolved{}
	resolvedMu sync.Mutex
)

// valid says what of an answer does not fit the published schema of that name.
func valid(t *testing.T, name string, data []byte) {
	t.Helper()
	schemas, err := published()
	if err != nil {
		t.Fatal(err)
	}
	if schemas == nil {
		return // TestPublishedSchemas says so
	}
	resolvedMu.Lock()
	s := resolved[name]
	if s == nil {
		defs := map[string]any{}
		collect(schemas, name, defs)
		raw, err := json.Marshal(map[string]any{"$ref": "#/$defs/" + name, "$defs": defs})
		if err != nil {
			t.Fatal(err)
		}
		var schema jsonschema.Schema
		if err := json.Unmarshal(raw, &schema); err != nil {
			t.Fatal(err)
		}
		if s, err = schema.Resolve(nil); err != nil {
			t.Fatal(err)
		}
		resolved[name] = s
	}
	resolvedMu.Unlock()
	var value any
	if err := json.Unmarshal(data, &value); err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(value); err != nil {
		t.Errorf("%s does not fit: %v\n%s", name, err, data)
	}
}

// collect takes a schema and those it names, in the words of JSON Schema 2020-12.
func collect(schemas map[string]any, name string, into map[string]any) {
	if _, known := into[name]; known {
		return
	}
	into[name] = true
	var plain func(v any) any
	plain = func(v any) any {
		switch v := v.(type) {
		case []any:
			list := make([]any, len(v))
			for i, item := range v {
				list[i] = plain(item)
			}
			return list
		case map[string]any:
			object := map[string]any{}
			for key, item := range v {
				switch {
				case key == "$ref":
					to := strings.TrimPrefix(item.(string), "#/components/schemas/")
					collect(schemas, to, into)
					return map[string]any{"$ref": "#/$defs/" + to}
				case key == "nullable", key == "discriminator", key == "example", key == "deprecated",
					strings.HasPrefix(key, "x-"):
				default:
					object[key] = plain(item)
				}
			}
			if v["nullable"] == true {
				return map[string]any{"anyOf": []any{object, map[string]any{"type": "null"}}}
			}
			return object
		}
		return v
	}
	into[name] = plain(schemas[name])
	// null until the last chunk, as its description says and its type does not
	if name == "CreateChatCompletionStreamResponse" {
		properties := into[name].(map[string]any)["properties"].(map[string]any)
		properties["usage"] = map[string]any{"anyOf": []any{properties["usage"], map[string]any{"type": "null"}}}
	}
}

// What the checks of this package rest on is there, and refuses what is wrong.
func TestPublishedSchemas(t *testing.T) {
	schemas, err := published()
	if err != nil {
		t.Fatal(err)
	}
	if schemas == nil {
		// which skips: answers are not held against the published schemas
		realpart.Data(t, "openai-openapi", "openapi.json.gz")
	}
	for _, name := range []string{"CreateChatCompletionResponse", "CreateChatCompletionStreamResponse",
		"ListModelsResponse", "Model", "ErrorResponse"} {
		if schemas[name] == nil {
			t.Errorf("there is no schema %s", name)
		}
	}
	valid(t, "ErrorResponse", []byte(`{"error":{"message":"m","type":"t","param":null,"code":null}}`))
	if s := resolved["ErrorResponse"]; s.Validate(map[string]any{"error": map[string]any{"message": "m"}}) == nil {
		t.Error("an error without a type fits")
	}
}
