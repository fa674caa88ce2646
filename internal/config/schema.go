package config

import (
	"encoding"
	"reflect"
	"slices"
	"strings"
)

// fieldOf finds the field of struct type t that key names.
func fieldOf(t reflect.Type, key string) (reflect.StructField, bool) {
	for i := range t.NumField() {
		if f := t.Field(i); f.Tag.Get("yaml") == key {
			return f, true
		}
	}
	return reflect.StructField{}, false
}

// keysOf lists the keys of struct type t in their order.
func keysOf(t reflect.Type) []string {
	keys := make([]string, t.NumField())
	for i := range keys {
		keys[i] = t.Field(i).Tag.Get("yaml")
	}
	return keys
}

// isSection says whether values of t are a mapping of further settings rather than one setting.
func isSection(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && !reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

// settingAt walks a path of keys from Config and returns the type found there; ok is false where some key is unknown.
func settingAt(path []string) (reflect.Type, bool) {
	t := reflect.TypeFor[Config]()
	for _, key := range path {
		switch {
		case isSection(t):
			f, ok := fieldOf(t, key)
			if !ok {
				return nil, false
			}
			t = f.Type
		case t.Kind() == reflect.Map:
			t = t.Elem()
		case t.Kind() == reflect.Interface:
			return t, true
		default:
			return nil, false
		}
	}
	return t, true
}

// deadKeys are keys of SGR's files that nothing there reads either, by section. They are warned about, not refused.
var deadKeys = map[string][]string{
	"search":    {"max_pages"},
	"execution": {"max_steps", "max_searches"},
	"prompts":   {"system_prompt"},
	"agent":     {"name"},
}

func isDeadKey(path, key string) bool {
	section := path[strings.LastIndex(path, ".")+1:]
	if strings.HasPrefix(path, "agents.") && strings.Count(path, ".") == 1 {
		section = "agent"
	}
	return slices.Contains(deadKeys[section], key)
}
