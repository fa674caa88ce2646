package lang

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// check reads all sections of a language and returns what is wrong with its file.
func (l *Language) check() (faults []string) {
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	if unicode.Scripts[l.Script] == nil && l.Script != "" && l.Script != "Kana" {
		fault("script: %q is no script of Unicode, such as Latin", l.Script)
	}
	if l.Order <= 0 {
		fault("order: write a number above 0 that no other file has")
	}
	for s, sp := range specs {
		_, leftOut := l.none[sp.name]
		switch known := l.sections[s].known; {
		case known && leftOut:
			fault("[%s] is there, and the line none says that it is not", sp.name)
		case !known && sp.wanted && !leftOut:
			fault("[%s] is missing: write it, or name it in the line none", sp.name)
		case known && len(l.Rows(Section(s))) == 0:
			fault("[%s] is empty", sp.name)
		}
		keys := map[string]string{} // of each word
		for _, row := range l.Rows(Section(s)) {
			if err := sp.check(row); err != nil {
				fault("[%s] %v", sp.name, err)
			}
			if sp.form == sides {
				keys = map[string]string{} // a word may have several opposites
			}
			for _, word := range slices.Concat(row.Sides...) {
				if key, twice := keys[word]; twice && (key == row.Key || sp.form == numbers || sp.form == named) {
					fault("[%s] %q stands twice, at %q and %q", sp.name, word, key, row.Key)
				}
				keys[word] = row.Key
				if strings.Contains(word, "_") && !sp.spaced {
					fault("[%s] %q: nothing reads _ as a space in this section", sp.name, word)
				}
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

// clashes returns what two files cannot both have: an order, a code.
func clashes(all []*Language) (faults []string) {
	orders, codes := map[int]string{}, map[string]string{}
	for _, l := range all {
		if other, ok := orders[l.Order]; ok {
			faults = append(faults, fmt.Sprintf("%s.txt and %s.txt have the order %d: give one another", other, l.Code,
				l.Order))
		}
		orders[l.Order] = l.Code
		for _, code := range append([]string{l.Code}, l.Also...) {
			if other, ok := codes[code]; ok {
				faults = append(faults, fmt.Sprintf("%s.txt and %s.txt have the code %s", other, l.Code, code))
			}
			codes[code] = l.Code
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
			keys := strings.Split(sp.keys, ",")
			if keys[0] == "" {
				keys[0] = "none"
			}
			return fmt.Errorf("%q is no key; keys are %s", row.Key, strings.Join(keys, ", "))
		}
	case named:
		if row.Key == "" {
			return fmt.Errorf("%q has no key", line)
		}
	}
	return nil
}
