package quantity_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/citewell/citewell/internal/quantity"
	"github.com/citewell/citewell/internal/text"
)

func TestDates(t *testing.T) {
	for _, test := range []struct{ lang, in, want string }{
		{"en", "2025-04-03, 2025/04/03, 2025-04-03T10:00:00Z, 2025-04.", "2025-4-3 2025-4-3 2025-4-3 2025-4-0"},
		{"en", "3 April 2025, 3rd of April, 2025, April 3, 2025, Apr. 3rd 2025", "2025-4-3 2025-4-3 2025-4-3 2025-4-3"},
		{"en", "April 2025 and on April 3. It may 5 be. In May 2020", "2025-4-0 0-4-3 2020-5-0"},
		{"en", "3-Apr-2025", "2025-4-3"},
		{"en", "People aged 18 may vote; on 18 May, 18 may 2020 and 3 march they do.", "0-5-18 2020-5-18 0-3-3"},
		{"en", "03/04/2025", ""},
		{"en", "13/04/2025 and 04/13/2025 and 5/5/2025", "2025-4-13 2025-4-13 2025-5-5"},
		{"fr", "03/04/2025", "2025-4-3"},
		{"de", "am 3. Oktober 1990, 03.10.1990, 3. 10. 1990, im Jahr 1990", "1990-10-3 1990-10-3 1990-10-3 1990-0-0"},
		{"de", "Sie wurde 1931 eröffnet und hatte 1931 Besucher.", "1931-0-0"},
		{"fr", "le 1er mai 2020, 14 juillet 1789, en 1889", "2020-5-1 1789-7-14 1889-0-0"},
		{"es", "3 de octubre de 1990, mayo de 2001", "1990-10-3 2001-5-0"},
		{"ru", "3 октября 1990 года, в 1812 году, 1945 г.", "1990-10-3 1812-0-0 1945-0-0"},
		{"zh", "2025年4月3日，2024年", "2025-4-3 2024-0-0"},
		{"ja", "2025年4月3日、4月3日", "2025-4-3 0-4-3"},
		{"ko", "2025년 4월 3일", "2025-4-3"},
		{"", "3 октября 1990", "1990-10-3"},
		{"en", "founded in 1889 (rebuilt 1934), 1914–1918, since 2004, World Cup 2014.",
			"1889-0-0 1934-0-0 1914-0-0 1918-0-0 2004-0-0 2014-0-0"},
		{"en", "2000 patients, 2015 km, 1990s, $2000, 2000 m, 1850 voters, version 2019", ""},
		{"en", "31 February 2020, 29 February 2023, 29 February 2024", "2024-2-29"},
		{"en", "192.168.10.2015, 555-01-2015, 2025-04-03-17, part ABC2015", ""},
		{"en", "", ""},
	} {
		var got []string
		for _, d := range quantity.Dates(text.Read(test.in, test.lang)) {
			got = append(got, fmt.Sprintf("%d-%d-%d", d.Year, d.Month, d.Day))
			if test.in[d.Start:d.End] != d.Raw {
				t.Errorf("%q: span %d..%d is not %q", test.in, d.Start, d.End, d.Raw)
			}
		}
		if joined := strings.Join(got, " "); joined != test.want {
			t.Errorf("%s %q\n got %s\nwant %s", test.lang, test.in, joined, test.want)
		}
	}
}

func TestDateComparison(t *testing.T) {
	full, year, other := quantity.Date{Year: 1990, Month: 10, Day: 3}, quantity.Date{Year: 1990},
		quantity.Date{Year: 1991}
	if !full.Agrees(year) || full.Agrees(other) {
		t.Error("a date agrees with its own year and with no other")
	}
	if !year.Supports(full) || full.Supports(year) {
		t.Error("a day supports its year; a year does not support a day")
	}
}

// one reads the only figure of s.
func one(t *testing.T, s string) quantity.Figure {
	t.Helper()
	figures := quantity.Figures(text.Read(s, "en"))
	if len(figures) != 1 {
		t.Fatalf("%q has %d figures, not one", s, len(figures))
	}
	return figures[0]
}

func TestFigureComparison(t *testing.T) {
	for _, test := range []struct {
		claim, evidence          string
		supports, agrees, clashs bool
	}{
		{"5 km", "5,000 m", true, true, false},
		{"5 km", "6,000 m", false, false, true},
		{"10,000 ft", "3,050 m", true, true, false},
		{"1.2 million", "1,187,345", true, true, false},
		{"1,187,345", "1.2 million", false, true, false},
		{"1,187,345", "1,187,346", false, false, false},
		{"40%", "41%", false, false, true},
		{"three", "four", false, false, true},
		{"3", "3", true, true, false},
		{"40.2%", "41.7%", false, false, true},
		{"about 500", "487", true, true, false},
		{"about 500", "700", false, false, true},
		{"more than 5,000", "5,300", true, true, false},
		{"5,300", "more than 5,000", false, true, false},
		{"5 to 10 years", "7 years", false, true, false},
		{"10 years", "5 to 10 years", false, true, false},
		{"12 years", "5 to 10 years", false, false, true},
		{"18 months", "1.5 years", true, true, false},
		{"1 MB", "1 MiB", true, true, false},
		{"5 kg", "5 km", false, false, false},
		{"$5", "€5", false, false, false},
		{"26 miles", "42 km", true, true, false},
		{"100 °C", "212 °F", true, true, false},
		{"3 percentage points", "3%", false, false, false},
		{"$5 million a month", "$5 million", false, false, false},
		{"$5 million a month", "a monthly budget of $5 million", true, false, false},
		{"a weekly rent of $200", "$200 a month", false, false, false},
		{"$5 million", "$5 million per year", true, false, false},
		{"$5 million a week", "$5 million a month", false, false, true},
		{"80 km", "80 km/h", false, false, false},
		{"at most 12 hours", "not more than 12 hours", true, true, false},
		{"at least 12 hours", "not more than 12 hours", false, true, false},
	} {
		c, e := one(t, test.claim), one(t, test.evidence)
		if got := c.Supports(e); got != test.supports {
			t.Errorf("%s supported by %s: %v", test.claim, test.evidence, got)
		}
		if got := c.Agrees(e); got != test.agrees {
			t.Errorf("%s agrees with %s: %v", test.claim, test.evidence, got)
		}
		if c.Agrees(e) != e.Agrees(c) || c.Clashes(e) != e.Clashes(c) {
			t.Errorf("%s and %s: not symmetrical", test.claim, test.evidence)
		}
		if got := c.Clashes(e); got != test.clashs {
			t.Errorf("%s clashes with %s: %v", test.claim, test.evidence, got)
		}
	}
}
