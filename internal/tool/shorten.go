package tool

import (
	"encoding/json"
	"fmt"
	"sort"
	"strings"

	"github.com/citewell/citewell/internal/text"
)

// Shorten brings what is said within limit bytes. It cuts strings and lists of JSON, and says how much is missing.
func Shorten(said string, limit int) string {
	if len(said) <= limit {
		return said
	}
	d := json.NewDecoder(strings.NewReader(said))
	d.UseNumber()
	var value any
	if d.Decode(&value) == nil && !d.More() && isComposite(value) {
		if data := fit(value, limit); data != nil {
			return string(data)
		}
		data, err := Marshal(map[string]string{"cut": fmt.Sprintf("%d bytes of JSON do not fit into %d",
			len(said), limit)})
		if err == nil {
			return string(data)
		}
	}
	note := fmt.Sprintf("\n[cut: %d bytes in all]", len(said))
	return text.Prefix(said, max(limit-len(note), 0)) + note
}

// fit is value as JSON, cut by as little as brings it within limit bytes; nil where no cut does. It shortens strings
// and lists together until all fits; then the lists, and after them the strings, get back what room is left.
func fit(value any, limit int) (fitting []byte) {
	fits := func(longest, most int) bool {
		data, err := Marshal(shortened(value, longest, most))
		if err != nil || len(data) > limit {
			return false
		}
		fitting = data
		return true
	}
	longest, most := limit/4, 64
	for !fits(longest, most) {
		if longest <= 16 && most <= 1 {
			return nil
		}
		longest, most = max(longest*2/3, 16), max(most*2/3, 1)
	}
	most += sort.Search(limit-most, func(n int) bool { return !fits(longest, most+n+1) })
	sort.Search(limit-longest, func(n int) bool { return !fits(longest+n+1, most) })
	return fitting
}

func isComposite(v any) bool {
	switch v.(type) {
	case map[string]any, []any:
		return true
	}
	return false
}

// shortened copies v with strings of at most longest bytes and lists of at most most items.
func shortened(v any, longest, most int) any {
	switch v := v.(type) {
	case string:
		if len(v) <= longest {
			return v
		}
		return text.Prefix(v, longest) + fmt.Sprintf("… [%d bytes in all]", len(v))
	case []any:
		kept := v[:min(len(v), most)]
		out := make([]any, 0, len(kept)+1)
		for _, item := range kept {
			out = append(out, shortened(item, longest, most))
		}
		if len(v) > len(kept) {
			out = append(out, fmt.Sprintf("… [%d items in all]", len(v)))
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, item := range v {
			out[key] = shortened(item, longest, most)
		}
		return out
	}
	return v
}
