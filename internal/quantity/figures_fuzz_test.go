package quantity_test

import (
	"math"
	"testing"
	"unicode/utf8"

	"github.com/citewell/citewell/internal/quantity"
	"github.com/citewell/citewell/internal/text"
)

var figureSeeds = []string{
	"about 1.2 million people, 3,5 Mio. €, 5–10 km", "2025-04-03 and 03/04/2025", "1億2000万円 2025年4月3日",
	"twelve hundred and fifty thousand", "6.02×10^23 6×10⁻³ 1e999 1e-999", "5 ft 11 in ± 3 in",
	"half a million, a dozen",
	"$\xff5\xfe,000", "1 234 567", "½ ¾ 3½ −5 °C", "12 per litre per day/per", "999999999999999999999999",
	"1.2.3.4.5,6,7", "в 1812 году", "3. Oktober 1990",
	"mg/ / per 5", "5 \u00a0\u202fkm", "İ5 km İ", "a", "half", "one", "-5--6-7", "5 K\u0130",
}

func FuzzFigures(f *testing.F) {
	for _, seed := range figureSeeds {
		for _, lang := range []string{"", "en", "de", "ja"} {
			f.Add(seed, lang)
		}
	}
	f.Fuzz(func(t *testing.T, s, lang string) {
		end := 0
		for _, figure := range quantity.Figures(text.Read(s, lang)) {
			if figure.Start < end || figure.End <= figure.Start || figure.End > len(s) {
				t.Fatalf("%q: span %d..%d after %d", s, figure.Start, figure.End, end)
			}
			end = figure.End
			if s[figure.Start:figure.End] != figure.Raw {
				t.Fatalf("%q: %q is not its span", s, figure.Raw)
			}
			if utf8.ValidString(s) && !utf8.ValidString(figure.Raw) {
				t.Fatalf("%q: a rune is split in %q", s, figure.Raw)
			}
			if math.IsNaN(figure.Value) || math.IsInf(figure.Value, 0) || figure.Low > figure.High {
				t.Fatalf("%q: value %v, low %v, high %v", s, figure.Value, figure.Low, figure.High)
			}
			if !figure.Agrees(figure) || figure.Clashes(figure) || !figure.Supports(figure) {
				t.Fatalf("%q: %+v does not agree with itself", s, figure)
			}
		}
	})
}

func FuzzDates(f *testing.F) {
	for _, seed := range figureSeeds {
		for _, lang := range []string{"", "en", "de", "ja"} {
			f.Add(seed, lang)
		}
	}
	f.Fuzz(func(t *testing.T, s, lang string) {
		end := 0
		for _, date := range quantity.Dates(text.Read(s, lang)) {
			if date.Start < end || date.End <= date.Start || date.End > len(s) || s[date.Start:date.End] != date.Raw {
				t.Fatalf("%q: span %d..%d of %q after %d", s, date.Start, date.End, date.Raw, end)
			}
			end = date.End
			if date.Month < 0 || date.Month > 12 || date.Day < 0 || date.Day > 31 || date.Year == 0 && date.Month == 0 {
				t.Fatalf("%q: %+v", s, date)
			}
			if !date.Agrees(date) || !date.Supports(date) {
				t.Fatalf("%q: %+v does not agree with itself", s, date)
			}
		}
	})
}

func BenchmarkFigures(b *testing.B) {
	const page = "The tower is 330 m tall and weighs about 10,100 tonnes. It was finished on 31 March 1889 and drew " +
		"1,953,122 visitors. Nobody had built anything higher before it. "
	b.SetBytes(int64(len(page)))
	for b.Loop() {
		quantity.Figures(text.Read(page, "en"))
	}
}
