package manifold

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
)

// mendToolUses reads a batch as models write it: a bare list of calls, calls one after the other, one call alone, any
// of these or the parameters as a string of JSON, and other systems' names for the fields. It leaves as it is what it
// does not know.
func mendToolUses(arguments json.RawMessage) json.RawMessage {
	values, ok := valuesIn(arguments)
	if !ok {
		return arguments
	}
	mended := map[string]any{}
	var uses []any
	for _, v := range values {
		switch v := v.(type) {
		case []any:
			uses = append(uses, v...)
		case map[string]any:
			batch, isBatch := v["tool_uses"]
			if !isBatch {
				uses = append(uses, v)
				continue
			}
			list, ok := usesIn(batch)
			if !ok {
				return arguments
			}
			uses = append(uses, list...)
			maps.Copy(mended, v)
		default:
			return arguments
		}
	}
	for i, use := range uses {
		if object, ok := use.(map[string]any); ok {
			uses[i] = mendToolUse(object)
		}
	}
	mended["tool_uses"] = uses
	if uses == nil {
		return arguments
	}
	data, err := json.Marshal(mended)
	if err != nil {
		return arguments
	}
	return data
}

// valuesIn are the JSON values that stand in data, one after the other.
func valuesIn(data []byte) (values []any, ok bool) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	for {
		var v any
		err := d.Decode(&v)
		if errors.Is(err, io.EOF) {
			return values, true
		}
		if err != nil {
			return nil, false
		}
		values = append(values, v)
	}
}

// usesIn are the calls that a batch's tool_uses hold: a list, one call alone, or either as a string of JSON.
func usesIn(batch any) (uses []any, ok bool) {
	switch batch := batch.(type) {
	case []any:
		return batch, true
	case map[string]any:
		return []any{batch}, true
	case string:
		values, ok := valuesIn([]byte(batch))
		if !ok {
			return nil, false
		}
		for _, v := range values {
			if _, text := v.(string); text {
				return nil, false
			}
			more, ok := usesIn(v)
			if !ok {
				return nil, false
			}
			uses = append(uses, more...)
		}
		return uses, uses != nil
	}
	return nil, false
}

// otherNames are what other systems call the fields of one call.
var otherNames = map[string][]string{
	"recipient_name": {"name", "tool", "tool_name"},
	"parameters":     {"arguments", "args", "input"},
	"tool_call_id":   {"id", "call_id"},
}

func mendToolUse(use map[string]any) map[string]any {
	if _, bare := use["command"].(string); bare && use["recipient_name"] == nil && use["name"] == nil &&
		use["tool"] == nil && use["tool_name"] == nil {
		return map[string]any{"recipient_name": "run_cli", "parameters": use}
	}
	mended := map[string]any{}
	maps.Copy(mended, use)
	for field, names := range otherNames {
		for _, name := range names {
			value, given := mended[name]
			if _, named := mended[field]; given && !named {
				mended[field] = value
				delete(mended, name)
			}
		}
	}
	if text, ok := mended["parameters"].(string); ok {
		var parameters map[string]any
		d := json.NewDecoder(bytes.NewReader([]byte(text)))
		d.UseNumber()
		if d.Decode(&parameters) == nil {
			mended["parameters"] = parameters
		}
	}
	return mended
}
