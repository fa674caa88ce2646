package cite

import (
	"fmt"
	"strings"
	"testing"
)

func TestNumbersIn(t *testing.T) {
	for s, want := range map[string]string{
		"At 07:30 or 7.30, port 8080.": "07:30 7.30 8080",
		"CD8 and x86 and 12a":          "", // parts of words
		"3..4 5-":                      "3 4 5",
		"1,2:3/4-5":                    "1,2:3/4-5",
		"水12村":                         "12",
		"IL-6 GPL_3":                   "6 3",
		"７７ and ٣":                     "７７ ٣",
		"is 12":                        "12",
	} {
		var got []string
		for _, n := range numbersIn(s) {
			got = append(got, s[n.Start:n.End])
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q, want %s", s, got, want)
		}
	}
	for s, want := range map[string]string{"07:30": "7:30", "7.30": "7:30", "00": "0", "007-010": "7:10",
		"٣": "3", "9": "9"} {
		if got := sameNumber(s); got != want {
			t.Errorf("%q is %q, want %q", s, got, want)
		}
	}
	if got := fmt.Sprint(numberSet("3-5 and 10-12")); got != "map[10:true 10:12:true 12:true 3:true 3:5:true 5:true]" {
		t.Error(got)
	}
}
