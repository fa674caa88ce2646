package llm

import (
	"encoding/json"
	"testing"
)

// Whatever is found in what a model wrote is JSON, and so are the arguments of a call.
func FuzzCandidates(f *testing.F) {
	for _, seed := range []string{`{"a":[1,{'b':'it's'},],}`, `{“a”: True // x` + "\n}", `{"a":"\ud83d\ude00\ud83d"}`,
		"```json\n{a: 1}\n```", `{"a":"` + "\xff" + `"}`, `{"a":1e999}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, written string) {
		for _, c := range candidates(written, true) {
			if !json.Valid(c) {
				t.Fatalf("%q gave %q", written, c)
			}
		}
		if value, fault := arguments(written); strictObject(string(value)) == nil || fault == "" && len(value) == 0 {
			t.Fatalf("arguments %q became %q", written, value)
		}
	})
}
