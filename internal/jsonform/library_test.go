package jsonform_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/citewell/citewell/internal/jsonform"
	"github.com/google/jsonschema-go/jsonschema"
)

// A maker makes schemas and values that have something to do with each other.
type maker struct{ *rand.Rand }

func (m maker) one(of ...string) string { return of[m.IntN(len(of))] }

func (m maker) value(depth int) string {
	if depth == 0 || m.IntN(3) > 0 {
		return m.one(`null`, `true`, `"a"`, `"ab"`, `" "`, `"2"`, `"true"`, `0`, `1`, `2.0`, `2.5`, `-1`, `1e3`,
			`12345678901234567890`)
	}
	if m.IntN(3) == 0 {
		return "[" + m.value(depth-1) + "," + m.value(depth-1) + "]"
	}
	return fmt.Sprintf(`{"a":%s,%q:%s}`, m.value(depth-1), m.one("b", "c", "aa"), m.value(depth-1))
}

func (m maker) schema(depth int) string {
	words := map[string]string{}
	for range 1 + m.IntN(3) {
		switch m.IntN(7 + 4*depth) {
		case 0, 1:
			words["type"] = m.one(`"string"`, `"integer"`, `"number"`, `"boolean"`, `"array"`, `"object"`, `"null"`,
				`["integer","null"]`, `["string","number"]`)
		case 2:
			words[m.one("enum", "default")] = "[" + m.value(0) + "," + m.value(1) + "]"
		case 3:
			words[m.one("const", "default")] = m.value(0)
		case 4:
			words[m.one("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")] = m.one("0", "1", "2", "2.5")
		case 5:
			words[m.one("minLength", "maxLength", "minItems", "maxItems")] = m.one("0", "1", "2")
		case 6:
			words["pattern"] = m.one(`"\\S"`, `"^a"`)
		case 7:
			words["$ref"] = m.one(`"#/$defs/n"`, `"#/$defs/o"`)
		case 8, 9:
			words[m.one("allOf", "anyOf")] = "[" + m.schema(depth-1) + "," + m.schema(depth-1) + "]"
		case 10:
			words[m.one("not", "items", "items")] = m.schema(depth - 1)
		case 11, 12:
			words["properties"] = fmt.Sprintf(`{"a":%s,"b":%s}`, m.schema(depth-1), m.schema(depth-1))
		case 13:
			words["additionalProperties"] = m.one(`false`, m.schema(depth-1))
		default:
			words["required"] = m.one(`["a"]`, `["b","c"]`)
		}
	}
	var list []string
	for _, word := range slices.Sorted(maps.Keys(words)) {
		list = append(list, fmt.Sprintf("%q:%s", word, words[word]))
	}
	return "{" + strings.Join(list, ",") + "}"
}

// defs are what a $ref may lead to: no further $ref, so that it ends.
const defs = `"$defs":{"n":{"type":"integer"},"o":{"type":["object","null"],"properties":{"b":{"minimum":1}}}}`

func (m maker) document() string { return "{" + defs + `,"allOf":[` + m.schema(2) + "]}" }

// What the library takes and what Check takes is the same, of what Check knows; what is
// read otherwise fits; nothing is the end of the process.
//
// Meant to differ, and left out below: whole numbers from 2^53 on and numbers that are no
// float64 are refused; one variant of oneOf that fits is enough; a $ref to elsewhere, and
// each keyword that is not in claimed, lets everything through.
func FuzzCheck(f *testing.F) {
	for seed := range uint64(1000) {
		m := maker{rand.New(rand.NewPCG(seed, 0))}
		f.Add(m.document(), m.value(3))
	}
	f.Fuzz(func(t *testing.T, schema, value string) {
		s := &jsonschema.Schema{}
		v, _, err := jsonform.Parse([]byte(value))
		if err != nil || json.Unmarshal([]byte(schema), s) != nil {
			return
		}
		_, strict := jsonform.Check(v, s, jsonform.Reading{})
		mended, found := jsonform.Check(v, s, lenient)
		data, err := json.Marshal(mended)
		if err != nil {
			t.Fatal(err)
		}
		if len(strict.Problems) == 0 && len(found.Notes) > 0 {
			t.Errorf("%s: %s fits, and was bent: %q", schema, value, found.Notes)
		}
		if len(found.Problems) == 0 {
			if again, twice := jsonform.Check(mended, s, jsonform.Reading{}); len(twice.Problems) > 0 ||
				jsonOf(t, again) != string(data) {
				t.Errorf("%s: %s was read as %s: %v", schema, value, data, twice.Problems)
			}
		}
		resolved, err := s.Resolve(nil)
		if err != nil || !claimed(schema) || tooLarge(v) {
			return
		}
		for _, held := range []struct {
			text     string
			problems []jsonform.Problem
		}{{value, strict.Problems}, {string(data), found.Problems}} {
			var plain any
			if json.Unmarshal([]byte(held.text), &plain) != nil {
				return
			}
			err := resolved.Validate(plain)
			if len(held.problems) == 0 && err != nil || err == nil && held.text == value && len(held.problems) > 0 {
				t.Errorf("%s: of %s the library says %v, and we %v", schema, held.text, err, held.problems)
			}
		}
	})
}

// claimed says whether a schema has only what the generator writes, and no $ref that could
// lead the library in a circle.
func claimed(schema string) bool {
	for word := range strings.SplitSeq(schema, `"`) {
		if strings.ContainsAny(word, "{}[]:,") || strings.Contains(" type enum const minimum maximum exclusiveMinimum "+
			"exclusiveMaximum minLength maxLength minItems maxItems pattern "+
			"required default $ref allOf anyOf not items properties additionalProperties $defs string integer number "+
			"boolean array object null a b c n o aa ab 2 true false ", " "+word+" ") {
			continue
		}
		if word != "#/$defs/n" && word != "#/$defs/o" && word != " " && word != "^a" && word != `\\S` {
			return false
		}
	}
	return strings.Count(schema, "$defs\"") == 1 && strings.Contains(schema, defs)
}

// tooLarge says whether a number in v is one that we refuse where a whole one is wanted.
func tooLarge(v any) bool {
	switch v := v.(type) {
	case json.Number:
		f, err := v.Float64()
		return err != nil || math.Abs(f) >= 1<<53
	case []any:
		return slices.ContainsFunc(v, tooLarge)
	case map[string]any:
		return slices.ContainsFunc(slices.Collect(maps.Values(v)), tooLarge)
	}
	return false
}
