package brief

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/citewell/citewell/internal/text"
)

// What each topic is asked with beside itself: at depth 1, and from depth 2 on.
func TestDecompose(t *testing.T) {
	for _, test := range []struct{ topic, one, two string }{
		{"tidal power", "", ""},
		{"solar and wind power", "", "solar; wind power"},
		{"C and C++", "", "C; C++"},
		{"cats, dogs and 1,000 other pets", "", "cats; dogs; 1,000 other pets"},

		// A comparison asks of each of the things, and of nothing else.
		{"Python vs. Rust", "Python; Rust", ""},
		{"SQLite versus PostgreSQL concurrency", "SQLite concurrency; PostgreSQL concurrency", ""},
		{"the difference between tin and zinc", "tin; zinc", ""},
		{"Wärmepumpe vs Gasheizung", "Wärmepumpe; Gasheizung", ""},

		// A name is asked as a whole too, and one in quotation marks only so.
		{"Research and Development", "", "Research; Development"},
		{`"Research and Development" tax credits`, "", ""},
		{`“Sense and Sensibility” and “Emma”`, "", "Sense and Sensibility; Emma"},
		{"Sandy beaches", "", ""}, // no "and"
		{"tin and tin", "", "tin"},

		// The words that ask belong to no part.
		{"what is tidal power?", "", ""},
		{"What are the solar and wind lobbies", "", "solar; wind lobbies"},
		{"When were Bruges and Ghent founded?", "", "Bruges; Ghent founded"},

		// Every language joins with its own words; in a topic that could be of several, any does.
		{"Solarenergie und Windkraft", "", "Solarenergie; Windkraft"},
		{"l'énergie solaire et l'énergie éolienne en France", "", "l'énergie solaire; l'énergie éolienne en France"},
		{"energia solare ed eolica", "", "energia solare; eolica"},
		{"солнечная энергия и ветер", "", "солнечная энергия; ветер"},
		{"太阳能和风能", "", "太阳能; 风能"},
		{"世界和平", "", ""}, // peace, no "and"
		{"潮力発電と風力発電", "", "潮力発電; 風力発電"},
		{"태양광과 풍력", "", "태양광; 풍력"},
		{"사과 재배", "", ""}, // apples, no "and"
		{"طاقة المد والجزر", "", ""},
		{"la energía solar y la energía eólica", "", "la energía solar; la energía eólica"},
		{"sol och vind energi", "", "sol; vind energi"},
		{"Gödel theorem", "", ""},
	} {
		want := []string{test.topic}
		for depth, more := range []string{test.one, test.two, ""} {
			if more != "" {
				want = append(want, strings.Split(more, "; ")...)
			}
			if got := decompose(test.topic, depth+1); !slices.Equal(got, want) {
				t.Errorf("%s at depth %d:\ngot  %q\nwant %q", test.topic, depth+1, got, want)
			}
		}
	}
}

// Whatever the topic, it is asked first, nothing is asked twice, and there are not
// more queries than providers can be expected to answer.
func FuzzDecompose(f *testing.F) {
	for _, topic := range []string{"tidal power", "a and b, c; d or e vs f & g and h", "\"a and b", "和和和", "と", "과 과",
		"and and and", "%s %d", "¿", " vs ", "\x00\xff and \xfe"} {
		f.Add(topic, 3)
	}
	f.Fuzz(func(t *testing.T, topic string, depth int) {
		queries := decompose(topic, 1+max(depth, -depth, 0)%3)
		if queries[0] != text.OneLine(topic) {
			t.Fatalf("%q is asked first, not %q", queries[0], topic)
		}
		if len(queries) > maxQueries {
			t.Fatalf("%d queries of %q", len(queries), topic)
		}
		seen := map[string]bool{}
		for _, q := range queries {
			if folded := text.Fold(q); seen[folded] {
				t.Fatalf("%q is asked twice: %q", q, queries)
			} else {
				seen[folded] = true
			}
			if q != text.OneLine(q) || utf8.ValidString(topic) && !utf8.ValidString(q) {
				t.Fatalf("query %q of %q", q, topic)
			}
		}
	})
}
