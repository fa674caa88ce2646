package disagree

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite golden files")

// Read is what a statement was taken apart into: its facts with what they are of, the terms of its
// subject, with * before names, what tells it from others, and its years.
func (s Statement) Read() string {
	r := readStatement(s, nil)
	var all []string
	for _, f := range r.facts {
		of := f.raw() + " of " + strings.TrimSpace(f.concept.name+" "+f.noun)
		for _, mark := range []struct {
			name string
			is   bool
		}{{" attribute", f.attribute}, {" loose", f.loose}, {" yearly", f.yearly}} {
			if mark.is {
				of += mark.name
			}
		}
		all = append(all, of)
	}
	var about []string
	for _, stem := range r.order {
		if r.names[stem] {
			stem = "*" + stem
		}
		about = append(about, stem)
	}
	for _, name := range slices.Sorted(maps.Keys(r.names)) {
		if _, ok := r.terms[name]; !ok {
			about = append(about, "under *"+name)
		}
	}
	said := strings.Join(all, ", ") + " | " + strings.Join(about, " ")
	if len(r.apart) > 0 {
		said += " | apart by " + strings.Join(slices.Sorted(maps.Keys(r.apart)), " ")
	}
	for _, d := range r.years {
		said += fmt.Sprintf(" | %d", d.Year)
	}
	return said
}

// Golden holds what was said to what is written in a file, line by line.
func Golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	wants, gots := strings.Split(string(data), "\n"), strings.Split(got, "\n")
	if len(wants) != len(gots) {
		t.Errorf("%s has %d lines, want %d", path, len(wants), len(gots))
	}
	for i := range min(len(wants), len(gots)) {
		if gots[i] != wants[i] {
			t.Errorf("%s:%d\n%s\n is\n%s\nwas\n%s", path, i+1, gots[max(0, i-1)], gots[i], wants[i])
		}
	}
}
