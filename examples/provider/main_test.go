package main

import (
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	var out strings.Builder
	if err := find(t.Context(), &out, "the harbour at night"); err != nil {
		t.Fatal(err)
	}
	first, second := strings.Index(out.String(), "The harbour at night"), strings.Index(out.String(), "Snow in March")
	if first < 0 || second < first || strings.Contains(out.String(), "rye") {
		t.Error(out.String())
	}
}
