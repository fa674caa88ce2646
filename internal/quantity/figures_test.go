package quantity_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/citewell/citewell/internal/quantity"
	"github.com/citewell/citewell/internal/text"
)

// show writes a figure as "value unit dimension", with its range and whether it is
// approximate, so that a table can be read.
func show(f quantity.Figure) string {
	var b strings.Builder
	if f.Approx {
		b.WriteString("~")
	}
	switch {
	case math.IsInf(f.High, 1):
		b.WriteString("≥")
	case math.IsInf(f.Low, -1):
		b.WriteString("≤")
	case f.Low != f.High:
		fmt.Fprintf(&b, "%.6g..%.6g", f.Low, f.High)
	}
	if f.Low == f.High || math.IsInf(f.High-f.Low, 1) {
		fmt.Fprintf(&b, "%.7g", f.Value)
	}
	if f.Unit != "" {
		b.WriteString(" " + f.Unit)
	}
	if f.Dimension != quantity.DimensionCount && f.Unit == "" || f.Dimension == "temperature" ||
		strings.Contains(f.Dimension, "/") {
		b.WriteString(" " + f.Dimension)
	}
	return b.String()
}

func shown(figures []quantity.Figure) string {
	all := make([]string, len(figures))
	for i, f := range figures {
		all[i] = show(f)
	}
	return strings.Join(all, " | ")
}

func TestFigures(t *testing.T) {
	for _, test := range []struct{ lang, in, want string }{
		// marks by language
		{"en", "It has 1,234 rooms and 1,234.5 doors.", "1234 | 1234.5"},
		{"de", "Es hat 1.234 Räume und 1.234,5 Türen.", "1234 | 1234.5"},
		{"fr", "Il y a 1 234 567 habitants et 3,5 enfants.", "1234567 | 3.5"},
		{"ru", "Население 1 234 567 человек, рост 3,5 %.", "1234567 | 3.5 %"},
		{"en", "a total of 12,34,567 voters", "1234567"},
		{"", "1'234'567 Franken", "1234567 CHF"},
		{"xx", "1,234 or 1.234", ""}, // two readings
		{"en", "odds ratio 1·95", "1.95"},
		{"es", "1·234 kg · 2·5 kg · 3", "1.234 kg | 2.5 kg | 3"}, // never thousands
		{"de", "1·234 kg und 1·2·3", "1.234 kg"},
		{"en", "3·10⁶ cells, 2·5·10^3 of them, 2·10 more", "3000000 | 2500 | 2.1"},
		{"ja", "人口は１２３４人", "1234"},
		{"en", "0.125 of it", "0.125"},
		// scales within numbers
		{"fr", "deux millions trois cent mille habitants, un million deux cent mille autres", "2300000 | 1200000"},
		{"fr", "deux millions d'euros et trois millions et demi d'habitants", "2000000 EUR | 3500000"},
		{"es", "dos millones trescientos mil habitantes, cinco mil millones de euros", "2300000 | 5e+09 EUR"},
		{"pt", "dois milhões e trezentos mil habitantes", "2300000"},
		{"it", "due milioni trecento mila abitanti", "2300000"},
		{"de", "zwei Millionen dreihunderttausend Einwohner", "2300000"},
		{"nl", "twee miljoen driehonderdduizend inwoners", "2300000"},
		{"ru", "два миллиона триста тысяч жителей и пять тысяч двести домов", "2300000 | 5200"},
		{"uk", "два мільйони триста тисяч", "2300000"},
		{"tr", "iki milyon üç yüz bin kişi", "2300000"},
		// scales
		{"en", "1.2 million people", "1200000"},
		{"de", "3,5 Mio. Menschen und 2 Mrd. Euro", "3500000 | 2e+09 EUR"},
		{"de", "eine Strecke von 2 Billionen Metern", "2e+12 m"},
		{"en", "2 billion stars", "2e+09"},
		{"es", "3 mil millones de euros", "3e+09 EUR"},
		{"es", "47 millones de habitantes", "4.7e+07"},
		{"ru", "5 млн рублей, 3 тыс. км", "5000000 RUB | 3000000 m"},
		{"zh", "人口约1400万,面积6340平方公里", "~1.4e+07 | 6.34e+09 m²"},
		{"ja", "1億2000万人", "1.2e+08"},
		{"ja", "予算は3億5000万円", "3.5e+08 JPY"},
		{"en", "50k downloads and $5m, $3.2bn in cash", "50000 | 5000000 USD | 3.2e+09 USD"},
		{"en", "6.02×10^23 atoms, 1.5e6 cells, 3 x 10⁻³ m", "6.02e+23 | 1500000 | 0.003 m"},
		// units
		{"en", "a 5-km run, 5km, 5 km, 5,000 metres", "5000 m | 5000 m | 5000 m | 5000 m"},
		{"en", "10,000 feet or 3,048 m", "3048 m | 3048 m"},
		{"en", "5 ft 11 in and 6 feet 2 inches", "1.8034 m | 1.8796 m"},
		{"en", "2 hours 30 minutes; 2 hours and 30 minutes; 150 min", "9000 s | 9000 s | 9000 s"},
		{"en", "$10 a barrel, 80 km an hour, 10 km a day later, $5 a week ago",
			"62.89811 USD/m³ money:USD/volume | 22.22222 m/s length/duration | 10000 m | 5 USD"},
		{"en", "must not exceed 1024, cannot be more than 12 hours, never less than 3, isn't over 18",
			"≤1024 | ≤43200 s | ≥3 | ≤18"},
		{"en", "it is not known; more than 40 came, and they did not report more than 40", "≥40 | ≤40"},
		{"en", "Never take more than 8 tablets. It cannot hold more than 50 litres, nor exceed 3 kg.",
			"≤8 | ≤0.05 m³ | ≤3 kg"},
		{"fr", "ne va pas jusqu'à 5 km, paie 12 euros par an", "≤5000 m | 3.802571e-07 EUR/s money:EUR/duration"},
		{"en", "$12 an hour, 10 km a second time, $5 a month's rent, 10 kg a m",
			"0.003333333 USD/s money:USD/duration | 10000 m | 5 USD | 10 kg"},
		{"fr", "ne doit pas dépasser 12 heures, dépasse 3 kg", "≤43200 s | ≥3 kg"},
		{"es", "no debe superar 12 horas", "≤43200 s"},
		{"de", "nicht mehr als 12 Stunden", "≤43200 s"},
		{"ru", "не превышает 12 часов", "≤43200 s"},
		{"en", "at 7.30 am, 7.30 p.m. and 7.30 in all", "7.3"},
		{"en", "40mg/day of it, 2 g per litre", "4.62963e-10 kg/s mass/duration | 2 kg/m³ mass/volume"},
		{"en", "36 km/h, 10 m/s", "10 m/s length/duration | 10 m/s length/duration"},
		{"en", "25 °C, 77 °F, −5 °C, 20 degrees Celsius", "298.15 K temperature | 298.15 K temperature | 268.15 K " +
			"temperature | 293.15 K temperature"},
		{"en", "64 KiB, 1 GB and 2 bytes", "65536 B | 1e+09 B | 2 B"},
		{"en", "12% or 12 percent, up 3 percentage points", "12 % | 12 % | 3 pp"},
		{"de", "12 Prozent, 3 Prozentpunkte, 4 Jahre", "12 % | 3 pp | 1.262304e+08 s"},
		{"en", "$1,200, US$5, €3.50, £2 million, 20 euros, CHF 40",
			"1200 USD | 5 USD | 3.5 EUR | 2000000 GBP | 20 EUR | 40 CHF"},
		{"fr", "3,50 € et 20 euros", "3.5 EUR | 20 EUR"},
		{"en", "three times as many, 4x faster", "3 × | 4 ×"},
		{"en", "300 mW against 300 MW", "0.3 W | 3e+08 W"},
		// qualifiers
		{"en", "about 500 people, nearly 40 %, at least 3 years", "~500 | ~40 % | ≥9.46728e+07 s"},
		{"en", "more than 5,000, up to 12 km, 500+ users, 30 or more", "≥5000 | ≤12000 m | ≥500 | ≥30"},
		{"de", "rund 500 und mehr als 20 km", "~500 | ≥20000 m"},
		{"fr", "environ 500 et plus de 20 km", "~500 | ≥20000 m"},
		{"ru", "около 500 и более 20 км", "~500 | ≥20000 m"},
		// ranges
		{"en", "5–10 km, 5 to 10 million, between 3 and 4 years, 5%–10%",
			"5000..10000 m | 5e+06..1e+07 | 9.46728e+07..1.2623e+08 s | 5..10 %"},
		{"de", "zwischen 3 und 4 Meter, 5 bis 10 kg", "3..4 m | 5..10 kg"},
		{"en", "24.0 ± 1.5 mg", "2.25e-05..2.55e-05 kg"},
		// words
		{"en", "twelve apostles, two hundred and fifty ships, half a million, a dozen eggs", "12 | 250 | 500000 | 12"},
		{"en", "twenty-one pilots and forty-two thousand fans", "21 | 42000"},
		{"en", "one of the two, one year, no one", "2 | 3.15576e+07 s"},
		{"de", "zwölf Stunden", "43200 s"},
		// a part behind a number, a scale or a unit
		{"en", "one and a half million, two million and a half, a million and a half", "1500000 | 2500000 | 1500000"},
		{"en", "two and a half years, a year and a half, two years and a half",
			"7.8894e+07 s | 4.73364e+07 s | 7.8894e+07 s"},
		{"en", "one-and-a-half million, a two-and-a-half-year study", "1500000 | 7.8894e+07 s"},
		{"en", "two and a quarter million, two and three-quarter hours", "2250000 | 9900 s"},
		{"en", "an hour and a half, one and a half of them", "5400 s"},
		{"en", "a year and a halfpenny, a house and a half", ""},
		{"de", "zehneinhalb Stunden, zweieinhalb Millionen, zwei und eine halbe Million",
			"37800 s | 2500000 | 2500000"},
		{"nl", "tweeënhalf miljoen, vierenhalf uur", "2500000 | 16200 s"},
		{"fr", "un million et demi, un an et demi, deux heures et demie", "1500000 | 4.73364e+07 s | 9000 s"},
		{"it", "un milione e mezzo, un anno e mezzo", "1500000 | 4.73364e+07 s"},
		{"es", "un millón y medio, un año y medio", "1500000 | 4.73364e+07 s"},
		{"pt", "um milhão e meio, um ano e meio", "1500000 | 4.73364e+07 s"},
		{"ru", "пять километров", "5000 m"},
		{"en", "zero losses, twelve hundred ships, twenty and three more", "0 | 1200 | 20 | 3"},
		{"en", "two to three million people, two lakh three hundred votes", "2e+06..3e+06 | 200300"},
		{"en", "two million three hundred", "2000300"},
		// fractions and shares
		{"en", "2 1/2 cups, 1 3/4, 2/3 of it, 24/7, on 9/11", "2.5 | 1.75 | 66.66667 %"},
		{"en", "two-thirds of them, a quarter of the boats, half of it, one in four, 1 in 10",
			"66.66667 % | 25 % | 50 % | 25 % | 10 %"},
		{"en", "a quarter of an hour, one in the morning, 4 in 10 minutes, the third of May", "4 | 600 s"},
		{"de", "ein Viertel der Boote, zwei Drittel der Boote, 2 von 3 Booten", "25 % | 66.66667 % | 66.66667 %"},
		{"fr", "la moitié des bateaux, un sur quatre", "50 % | 25 %"},
		// points, spaces, signs, and numbers in the words of Japan and Korea
		{"en", "r = .43, p < .05, v.5, 1 250 000 people, call 555 123 4567", "0.43 | ≤0.05 | 1250000"},
		{"fr", "moins 5 degrés, 3 degrés sous zéro, au moins 5 degrés", "-5 ° | -3 ° | ≥5 °"},
		{"ja", "運賃は三千二百円で、定員は3万5千人", "3200 JPY | 35000"},
		{"ko", "요금은 삼백이십원이고 3천200원, 정원은 3만 5천 명, 이만 씨", "320 KRW | 3200 KRW | 35000"},
		// identifiers
		{"en", "ISBN 978-3-16-148410-0, 9783161484100, NO93 8601 1117 947", ""},
		{"en", "call +47 22 85 50 50, (555) 010-4477, part AB-1204", ""},
		{"en", "EUR 1200, 12345678 votes", "1200 EUR | 1.234568e+07"},
		// no figures
		{"en", "the 3rd of 21st century, in the 1990s", ""},
		{"en", "version 1.2.3, v3, Python 3.11, Go 1.26 and Windows 11", ""},
		{"en", "RFC 9309, ISO 8601, section 3.1, page 12, Figure 2, B12, SHA256, COVID-19, type 2 diabetes", ""},
		{"en", "see [12] and [3, 4] at 10:30, call 555-0199-12", ""},
		{"en", "192.168.0.1 and http://x.test/4/5?a=6 and item #7", ""},
		{"en", "2.1 Overview of it", ""},
		{"en", "1. First thing\n2) Second thing", ""},
		{"en", "in 2015, on 2025-04-03, 03/04/2025", ""},
		{"de", "am 3. Oktober 1990, der 3. Platz", ""},
		{"zh", "第3章 2025年4月", ""},
		{"en", "", ""},
	} {
		if got := shown(quantity.Figures(text.Read(test.in, test.lang))); got != test.want {
			t.Errorf("%s %q\n got %s\nwant %s", test.lang, test.in, got, test.want)
		}
	}
}

func TestAboutIsAsPreciseAsItIsWritten(t *testing.T) {
	for _, test := range []struct {
		a, b    string
		clashes bool
	}{
		{"about 640 GWh", "590 GWh", true},
		{"about 600 GWh", "640 GWh", false},
		{"about 12 km", "12.9 km", false},
		{"about 640 GWh", "625 GWh", false},
		{"about 286,400 kW", "279,000 kW", false},
		{"about five years", "5.4 years", false},
	} {
		a, b := quantity.Figures(text.Read(test.a, "en")), quantity.Figures(text.Read(test.b, "en"))
		if len(a) != 1 || len(b) != 1 {
			t.Fatalf("%s | %s: %v, %v", test.a, test.b, a, b)
		}
		if got := a[0].Clashes(b[0]); got != test.clashes || b[0].Clashes(a[0]) != got {
			t.Errorf("%s | %s clash: %v", test.a, test.b, got)
		}
	}
}
