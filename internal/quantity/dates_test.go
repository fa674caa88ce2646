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
		{"en", "2000 patients, 2015 km, 90s, $2000, 2000 m, 1850 voters, version 2019", ""},
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
		{"$5 million", "$5 million per year", false, false, false},
		{"an annual budget of $5 million", "$5 million per year", true, false, false},
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

// TestTimeSpans holds which dates bear out a span of time, and which may be true beside it.
func TestTimeSpans(t *testing.T) {
	for _, test := range []struct{ lang, date, borneOut, agrees, not string }{
		{"en", "in the 1990s", "in 1994, in the nineties, in May 1999, in Q1 1990, in the early 1990s", "",
			"in 1984, in the 1980's, in 2000, in the eighties, in the 19th century"},
		{"en", "in 1994", "in May 1994, in Q3 1994, in summer 1994", "in the 1990s, in the early 1990s",
			"in the 1980s"},
		{"en", "in the early 1990s", "in 1991", "in 1994", "in 1998, in the late 1990s"},
		{"en", "in the late 1980s", "in 1988", "in 1985", "in 1981"},
		{"en", "in the mid-1990s", "in 1995", "in 1992", "in 1990"},
		{"en", "in the 19th century", "in May 1887, in the nineteenth century, in the 1880s", "in 1800, in 1900",
			"in June 1911, in the eighteenth century"},
		{"en", "in the early 19th century", "in May 1812", "in May 1845", "in May 1880"},
		{"en", "in the late 1700s", "in 1792", "in 1755", "in 1712, in 1842"},
		{"en", "in the 2000s", "in 2004", "in 2015", "in 1894"},
		{"en", "in Q1 2024", "in February 2024, in the first quarter of 2024", "in 2024, in the first half of 2024",
			"in August 2024, in Q1 2023, in Q2 2024"},
		{"en", "in the second half of 2024", "in Q4 2024, in July 2024", "in 2024", "in March 2024, in H1 2024"},
		{"en", "in summer 2019", "in July 2019, in the summer of 2019", "in December 2019",
			"in summer 2018, in spring 2019"},
		{"de", "in den 1980er Jahren", "im Jahr 1984", "", "im Jahr 1994, in den 1990er Jahren"},
		{"de", "im 19. Jahrhundert", "im Mai 1887", "", "im Mai 1787, im 18. Jahrhundert"},
		{"de", "im ersten Quartal 2024", "im Februar 2024", "im Jahr 2024", "im August 2024, im dritten Quartal 2024"},
		{"fr", "au XIXe siècle", "en mai 1887", "", "au XVIIIe siècle, en mai 1787"},
		{"fr", "dans les années 1980", "en 1984", "", "en 1994"},
		{"es", "en el siglo XIX", "en mayo de 1887, en los años 1880", "", "en el siglo XVIII"},
	} {
		date := func(s string) quantity.Date {
			dates := quantity.Dates(text.Read(s, test.lang))
			if len(dates) != 1 {
				t.Fatalf("%q has %d dates, not one", s, len(dates))
			}
			return dates[0]
		}
		d := date(test.date)
		for i, list := range []string{test.borneOut, test.agrees, test.not} {
			for s := range strings.SplitSeq(list, ", ") {
				if s == "" {
					continue
				}
				e := date(s)
				if got := d.Supports(e); got != (i == 0) {
					t.Errorf("%s supported by %s: %v", test.date, s, got)
				}
				if got := d.Agrees(e); got != (i < 2) || e.Agrees(d) != got {
					t.Errorf("%s agrees with %s: %v", test.date, s, got)
				}
			}
		}
	}
	for _, s := range []string{"in his thirties", "the second half of the match", "I saw X and Q 4", "fall 3 metres",
		"in the 80s"} {
		if got := quantity.Dates(text.Read(s, "en")); len(got) > 0 {
			t.Errorf("%q: %v", s, got)
		}
	}
}
