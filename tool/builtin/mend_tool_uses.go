package builtin

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// mendToolUses reads a batch as models write it: a bare list of calls, calls one
// after the other, one call alone, parameters as a string of JSON, and the names that
// other systems have for the fields. What it does not know it leaves as it is.
func mendToolUses(arguments json.RawMessage) json.RawMessage {
	var values []any
	d := json.NewDecoder(bytes.NewReader(arguments))
	d.UseNumber()
	for {
		var v any
		err := d.Decode(&v)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return arguments
		}
		values = append(values, v)
	}
	mended := map[string]any{}
	var uses []any
	for _, v := range values {
		switch v := v.(type) {
		case []any:
			uses = append(uses, v...)
		case map[string]any:
			list, isBatch := v["tool_uses"].([]any)
			if !isBatch {
				uses = append(uses, v)
				continue
			}
			uses = append(uses, list...)
			for key, value := range v {
				mended[key] = value
			}
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

// otherNames are what other systems call the fields of one call.
var otherNames = map[string][]string{
	"recipient_name": {"name", "tool", "tool_name"},
	"parameters":     {"arguments", "args", "input"},
	"tool_call_id":   {"id", "call_id"},
}

func mendToolUse(use map[string]any) map[string]any {
	if _, bare := use["command"].(string); bare && use["recipient_name"] == nil && use["name"] == nil && use["tool"] == nil && use["tool_name"] == nil {
		return map[string]any{"recipient_name": "run_cli", "parameters": use}
	}
	mended := map[string]any{}
	for key, value := range use {
		mended[key] = value
	}
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
