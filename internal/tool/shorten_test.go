package tool_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/citewell/citewell/internal/tool"
)

// What is shortened fits, stays valid, and says that something is missing.
func TestShorten(t *testing.T) {
	items := strings.Repeat(`{"title":"a page","text":"`+strings.Repeat("é", 300)+`"},`, 200)
	keys := make([]string, 3000)
	for i := range keys {
		keys[i] = fmt.Sprintf(`"key %d": 1`, i)
	}
	for name, text := range map[string]string{
		"prose":         strings.Repeat("Größe ", 5000),
		"list":          "[" + strings.TrimSuffix(items, ",") + "]",
		"object":        `{"n":12345678901234567890,"results":[` + strings.TrimSuffix(items, ",") + `]}`,
		"many_keys":     "{" + strings.Join(keys, ",") + "}",
		"almost_json":   "[" + items,
		"one_long_word": `{"word":"` + strings.Repeat("w", 50_000) + `"}`,
	} {
		for _, limit := range []int{200, 2000, 15_000} {
			got := tool.Shorten(text, limit)
			if len(got) > limit || !utf8.ValidString(got) {
				t.Errorf("%s to %d: %d bytes", name, limit, len(got))
			}
			if json.Valid([]byte(text)) && len(text) > limit && !json.Valid([]byte(got)) {
				t.Errorf("%s to %d is no JSON: %.80s", name, limit, got)
			}
			if len(text) > limit && !strings.Contains(got, "in all]") && !strings.Contains(got, `"cut"`) {
				t.Errorf("%s to %d does not say that it is cut: %.80s", name, limit, got)
			}
		}
	}
	if got := tool.Shorten(`{"a": 1}`, 8); got != `{"a": 1}` {
		t.Errorf("what fits became %s", got)
	}
	if got := tool.Shorten(`{"n":12345678901234567890,"t":"`+strings.Repeat("x", 500)+`"}`, 200); !strings.Contains(got,
		"12345678901234567890") {
		t.Errorf("a long number changed: %s", got)
	}
}

// What is shortened uses what room it has, whatever it is that is long.
func TestShortenUsesItsRoom(t *testing.T) {
	rows := func(n int) string {
		return "[" + strings.Repeat(`{"name":"a place","population":12345,"region":"the north"},`, n) +
			`{"name":"the last"}]`
	}
	for name, text := range map[string]string{
		"one_text":      `{"title":"a page","text":"` + strings.Repeat("word ", 4000) + `"}`,
		"many_rows":     rows(400),
		"far_more_rows": rows(4000),
		"rows_of_text":  "[" + strings.Repeat(`"`+strings.Repeat("long ", 1000)+`",`, 9) + `"short"]`,
		"rows_and_text": `{"rows":` + rows(400) + `,"text":"` + strings.Repeat("word ", 4000) + `"}`,
	} {
		for _, limit := range []int{2000, 15_000} {
			if got := tool.Shorten(text, limit); len(got) > limit || len(got) < limit*19/20 {
				t.Errorf("%s: %d bytes, limit %d", name, len(got), limit)
			}
		}
	}
}

func FuzzShorten(f *testing.F) {
	f.Add(`{"a":["b","c"]}`, 10)
	f.Add(strings.Repeat("é", 100), 41)
	f.Fuzz(func(t *testing.T, text string, limit int) {
		if limit < 100 || limit > 1000 || !utf8.ValidString(text) {
			return
		}
		if got := tool.Shorten(text, limit); len(got) > limit || !utf8.ValidString(got) {
			t.Fatalf("%d bytes for %d: %q", len(got), limit, got)
		}
	})
}
