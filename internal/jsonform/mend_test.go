package jsonform_test

import (
	"encoding/json"
	"testing"

	"github.com/citewell/citewell/internal/jsonform"
)

func TestMend(t *testing.T) {
	for written, want := range map[string]string{
		`{"a":1,}`:                        `{"a":1}`,
		`[1,2,]`:                          `[1,2]`,
		`{'it': 'it's Ann's'}`:            `{"it":"it's Ann's"}`,
		`{'a': 'say "no"'}`:               `{"a":"say \"no\""}`,
		`{"a": "one` + "\n" + `two"}`:     `{"a":"one\ntwo"}`,
		`{"a": True, b: None, c: -1.5e3}`: `{"a":true,"b":null,"c":-1.5e3}`,
		`{"a": "\d \u00e9 \ud83d\ude00"}`: `{"a":"d é 😀"}`,
		`/* x */ {"a" /* y */ : 1}`:       `{"a":1}`,
		`{“a”: “b”}`:                      `{"a":"b"}`,
		`{"a":{}, "b":[]}`:                `{"a":{},"b":[]}`,
	} {
		got, ok := jsonform.Mend(written)
		if !ok || string(got) != want {
			t.Errorf("%s became %s, want %s", written, got, want)
		}
	}
	for _, broken := range []string{``, `{`, `{"a"`, `{"a":`, `{"a":1`, `{"a":"b`, `[1,`, `{"a":1}}`, `{,}`, `{"a" 1}`,
		`{"a":b c}`, `{"a":1 "b":2}`, `{"a":"\u12"}`, `{"a":"x\`} {
		if got, ok := jsonform.Mend(broken); ok {
			t.Errorf("%s became %s", broken, got)
		}
	}
}

// Whatever is mended is JSON; JSON is left to mean what it meant; and no prefix of an
// object passes for one.
func FuzzMend(f *testing.F) {
	for _, seed := range []string{`{"a":[1,{'b':'it's'},],}`, `{“a”: True // x` + "\n}", `{"a":"\ud83d\ude00\ud83d"}`,
		"```json\n{a: 1}\n```", `{"a":"` + "\xff" + `"}`, `{"a":1e999}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, written string) {
		if got, ok := jsonform.Mend(written); ok && !json.Valid(got) {
			t.Fatalf("%q became %q", written, got)
		}
		var object map[string]any
		if json.Unmarshal([]byte(written), &object) != nil || object == nil {
			return
		}
		encoded, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := jsonform.Mend(string(encoded))
		var same map[string]any
		if !ok || json.Unmarshal(got, &same) != nil || len(same) != len(object) {
			t.Fatalf("%s became %q", encoded, got)
		}
		for n := range encoded[:min(len(encoded), 500)] {
			if got, ok := jsonform.Mend(string(encoded[:n])); ok {
				t.Fatalf("the beginning %q of %q passed as %q", encoded[:n], encoded, got)
			}
		}
	})
}
