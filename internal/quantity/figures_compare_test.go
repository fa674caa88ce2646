package quantity_test

import (
	"strings"
	"testing"
)

// TestSupportsOneWay holds what a figure, a range and a bound bear out, a row for each family of claims.
func TestSupportsOneWay(t *testing.T) {
	for _, test := range []struct{ family, evidence, supported, not string }{
		{"rounding", "2.46 mg", "2.46 mg, 2.5 mg, 2 mg, 2.460 mg", "2.4 mg, 3 mg, 2.461 mg, 0 mg"},
		{"a coarser source", "2 mg", "2 mg, 2.0 mg", "2.46 mg, 1.9 mg, 3 mg"},
		{"a half", "2.5 mg", "2.5 mg, 3 mg", "2 mg"},
		{"a half of a scale", "1,500,000", "1.5 million, two million", "one million, 1.4 million"},
		{"a negative half", "−2.5 °C", "−3 °C", "−2 °C"},
		{"near nothing", "0.4 mg", "0.4 mg, 0.40 mg", "0 mg"},
		{"a temperature near 0", "0.4 °C", "0 °C", "1 °C"},
		{"another unit", "1,046 m", "1.046 km, 1.05 km", "1.1 km, 1.06 km"},
		{"about", "about 2,000", "2,000, about 2,000, roughly 1,950", "1,987, exactly 2,000, more than 2,000"},
		{"a figure", "1,987", "about 2,000, nearly 2,000, exactly 1,987", "2,000, nearly 1,900"},
		{"nearly", "nearly 4,000", "about 4,000, nearly 4,000, at most 4,000, less than 4,000",
			"more than 4,000, at least 4,000"},
		{"more than", "more than 4,000", "more than 4,000, at least 4,000, over 3,000",
			"4,000, nearly 4,000, over 5,000, about 4,000, at most 4,000, over 1,500"},
		{"at least", "at least 4,000", "no fewer than 4,000, over 3,000", "4,000, more than 4,000"},
		{"less than", "fewer than 4,000", "less than 4,000, at most 4,000",
			"4,000, up to 4,000, at least 4,000, under 5,000"},
		{"at most", "at most 80", "up to 80, no more than 80", "80, 60, up to 60, up to 105, fewer than 80"},
		{"beyond a bound", "4,120", "more than 4,000, at least 4,000", "more than 4,120, less than 4,000, over 1,000"},
		{"a range", "10 to 12", "10–12, between 10 and 12, at least 10",
			"10, 11, 12, 10 to 11, about 11, more than 10"},
		{"within a range", "11", "11, at least 10", "10 to 12"},
		{"a tolerance", "1.2 ± 0.1", "1.2", "1.3"},
		{"a negative figure", "−5 degrees", "minus 5 degrees, 5 degrees below zero", "5 degrees, minus 6 degrees"},
		{"a scale left out", "-5 °C", "-5 degrees", "5 degrees"},
		{"a point alone", ".43", "0.43, .430, 0.4", "43, .34"},
		{"a plain space", "1 250 000", "1,250,000, 1.25 million", "250"},
		{"per night", "$120 per night", "$120 a night", "$120 a week, $120 per month"},
		{"per year", "640 GWh per year", "640 GWh a year, 640 GWh in an average year, 640 GWh each year",
			"640 GWh a day"},
		{"days of a week", "three days per week", "three days a week, 3 days each week", "three days a month"},
		{"miles per hour", "30 miles per hour", "30 mph", "30 km/h"},
		{"bits per second", "100 megabits per second", "100 Mbps, 100 Mbit/s, 12.5 MB per second", "100 MB per second"},
	} {
		evidence := one(t, test.evidence)
		for _, list := range []struct {
			claims string
			want   bool
		}{{test.supported, true}, {test.not, false}} {
			for claim := range strings.SplitSeq(list.claims, ", ") {
				if got := one(t, claim).Supports(evidence); got != list.want {
					t.Errorf("%s: %s supported by %s: %v", test.family, claim, test.evidence, got)
				}
			}
		}
	}
}

// TestNames holds which figures a text names, whatever it says of them.
func TestNames(t *testing.T) {
	for _, test := range []struct {
		claim, evidence string
		want            bool
	}{
		{"more than 4,000", "4,000", true},
		{"4,000", "fewer than 4,000", true},
		{"12", "10 to 12", true},
		{"11", "10 to 12", false},
		{"10 to 12", "10–12", true},
		{"up to 105", "up to 80", false},
		{"2", "2.46", true},
		{"2.46", "2", false},
		{"5 km", "5 kg", false},
		{"640 GWh a year", "about 640 GWh", true},
		{"640 GWh", "640 GWh a year", true},
		{"640 GWh a year", "640 GWh a day", false},
	} {
		if got := one(t, test.claim).Names(one(t, test.evidence)); got != test.want {
			t.Errorf("%s is named by %s: %v", test.claim, test.evidence, got)
		}
	}
}
