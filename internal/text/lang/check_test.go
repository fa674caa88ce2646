package lang

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// check reads all sections of a language and returns what is wrong with its file.
func (l *Language) check() (faults []string) {
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	for s, sp := range specs {
		_, named := l.none[sp.name]
		switch known := l.sections[s].known; {
		case known && named:
			fault("[%s] is there, and the line none says that it is not", sp.name)
		case !known && sp.wanted && !named:
			fault("[%s] is missing: write it, or name it in the line none", sp.name)
		case known && len(l.Rows(Section(s))) == 0:
			fault("[%s] is empty", sp.name)
		}
		for _, row := range l.Rows(Section(s)) {
			if err := sp.check(row); err != nil {
				fault("[%s] %v", sp.name, err)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(l.none)) {
		if !slices.ContainsFunc(specs[:], func(sp spec) bool { return sp.name == name && sp.wanted }) {
			fault("none: %q is no section that is asked for", name)
		}
	}
	return faults
}

// check returns what is wrong with one line of a section.
func (sp spec) check(row Row) error {
	line := strings.Join(row.Sides[0], " ")
	for _, side := range row.Sides {
		if len(side) == 0 {
			return fmt.Errorf("%s: a side has no words", row.Key)
		}
	}
	if two := len(row.Sides) == 2; len(row.Sides) > 2 || two != (sp.form == sides) {
		return fmt.Errorf("%q: %d sides of words", line, len(row.Sides))
	}
	switch sp.form {
	case words:
		if row.Key != "" {
			return fmt.Errorf("%q: words have no key", row.Key)
		}
	case numbers:
		if _, err := number(row.Key); err != nil {
			return fmt.Errorf("%q before %q is no number", row.Key, line)
		}
	case keyed:
		if !slices.Contains(strings.Split(sp.keys, ","), row.Key) {
			return fmt.Errorf("%q is no key; keys are %s", row.Key, strings.ReplaceAll(sp.keys, ",", ", "))
		}
	case named:
		if row.Key == "" {
			return fmt.Errorf("%q has no key", line)
		}
	}
	return nil
}
