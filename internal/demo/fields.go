package demo

import (
	"fmt"
	"slices"
	"strings"
)

// fields are "key: value" lines; a key may come many times.
type fields map[string][]string

func (f fields) get(key string) string {
	if len(f[key]) == 0 {
		return ""
	}
	return f[key][0]
}

// parseFields reads lines up to the first empty one and returns what follows it.
func parseFields(text string, known ...string) (fields, string, error) {
	head, rest, _ := strings.Cut(text, "\n\n")
	f := fields{}
	for line := range strings.Lines(head) {
		key, value, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok {
			return nil, "", fmt.Errorf("line %q is not \"key: value\"", line)
		}
		if !slices.Contains(known, key) {
			return nil, "", fmt.Errorf("unknown key %q; known are %s", key, strings.Join(known, ", "))
		}
		f[key] = append(f[key], strings.TrimSpace(value))
	}
	return f, rest, nil
}
