package main

import (
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	const evidence = "The lighthouse of Hallvik was built in 1871. It has 42 steps."
	for claim, want := range map[string]string{
		"The lighthouse of Hallvik was built in 1871.": "supported",
		"The lighthouse of Hallvik was built in 1872.": "contradicted",
		"The ferry to Hallvik leaves at noon.":         "undecided",
	} {
		var out strings.Builder
		check(&out, claim, evidence)
		if !strings.HasPrefix(out.String(), want+": ") {
			t.Errorf("%s: %s", claim, out.String())
		}
	}
}
