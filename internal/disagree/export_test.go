package disagree

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

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
