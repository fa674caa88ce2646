package quantity

import (
	"testing"

	"github.com/citewell/citewell/internal/text/lang"
)

// TestUnitsOfLanguages fails for a word that is of no unit, and for one that two languages read otherwise:
// such a word belongs among a language's own.
func TestUnitsOfLanguages(t *testing.T) {
	all, units, scales := units(), map[string]string{}, map[string]float64{}
	for _, l := range lang.All() {
		for _, s := range []lang.Section{lang.Units, lang.OwnUnits} {
			for _, row := range l.Rows(s) {
				if _, ok := all.names[row.Key]; !ok {
					t.Errorf("%s.txt [%s]: there is no unit %q", l.Code, s, row.Key)
				}
				for _, word := range row.Words() {
					if other := units[word]; s == lang.Units && other != "" && other != row.Key {
						t.Errorf("%s.txt [%s]: %q is %s, and %s in another language", l.Code, s, word, row.Key, other)
					} else if s == lang.Units {
						units[word] = row.Key
					}
				}
			}
		}
		for word, value := range l.Numbers(lang.Scales) {
			if other := scales[word]; other != 0 && other != value {
				t.Errorf("%s.txt [%s]: %q is %g, and %g in another language", l.Code, lang.Scales, word, value, other)
			}
			scales[word] = value
		}
		for word, n := range l.Numbers(lang.Months) {
			if n < 1 || n > 12 || n != float64(int(n)) {
				t.Errorf("%s.txt [%s]: %q is month %g", l.Code, lang.Months, word, n)
			}
		}
		for word := range l.Words(lang.WholeFigures) {
			_, unit, ok := tongueOf(l.Code).wholeFigure(word)
			if _, known := unitTableWord(unit); !ok || unit != "" && !known {
				t.Errorf("%s.txt [%s]: %q has no number or no unit", l.Code, lang.WholeFigures, word)
			}
		}
	}
}

func unitTableWord(word string) (unit, bool) {
	u, ok := units().words[word]
	return u, ok
}
