package brief

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/citewell/citewell/text"
)

// What each topic is asked with at each depth, without the topic itself: after depth 1
// a line adds to the line before.
func TestDecompose(t *testing.T) {
	for _, test := range []struct{ topic, one, two, three string }{
		{"tidal power", "what is tidal power", "tidal power explained", "how does tidal power work; why tidal power; tidal power advantages disadvantages"},
		{"solar and wind power", "what is solar and wind power", "solar; wind power; solar and wind power explained",
			"how does solar and wind power work; why solar and wind power; solar and wind power advantages disadvantages"},
		{"Python vs. Rust", "what is Python vs. Rust", "Python; Rust; Python vs. Rust explained", "how does Python vs. Rust work; why Python vs. Rust; Python vs. Rust advantages disadvantages"},
		{"PostgreSQL versus MySQL", "what is PostgreSQL versus MySQL", "PostgreSQL; MySQL; PostgreSQL versus MySQL explained", "*"},
		{"tea or coffee", "what is tea or coffee", "tea; coffee; tea or coffee explained", "*"},
		{"C and C++", "what is C and C++", "C; C++; C and C++ explained", "*"},
		{"cats, dogs and 1,000 other pets", "what is cats, dogs and 1,000 other pets", "cats; dogs; 1,000 other pets; cats, dogs and 1,000 other pets explained", "*"},

		// A name is asked as a whole too, and one in quotation marks only so.
		{"Research and Development", "what is Research and Development", "Research; Development; Research and Development explained", "*"},
		{`"Research and Development" tax credits`, `what is "Research and Development" tax credits`, `"Research and Development" tax credits explained`, "*"},
		{`“Sense and Sensibility” and “Emma”`, `what is “Sense and Sensibility” and “Emma”`, `Sense and Sensibility; Emma; “Sense and Sensibility” and “Emma” explained`, "*"},
		{"Sandy beaches", "what is Sandy beaches", "Sandy beaches explained", "*"}, // no "and"
		{"tin and tin", "what is tin and tin", "tin; tin and tin explained", "*"},

		// A question gets no second question word.
		{"what is tidal power?", "", "tidal power explained", "how does tidal power work; why tidal power; tidal power advantages disadvantages"},
		{"What are the solar and wind lobbies", "", "solar; wind lobbies; solar and wind lobbies explained", "*"},
		{"how does a heat pump work", "", "heat pump explained", "why heat pump; heat pump advantages disadvantages"},
		{"why is the sky blue", "", "why is the sky blue explained", ""},
		{"When were Bruges and Ghent founded?", "", "Bruges; Ghent founded; When were Bruges and Ghent founded explained", ""},
		{"tidal power explained", "what is tidal power explained", "", "*"},
		{"the difference between tin and zinc", "what is the difference between tin and zinc", "tin; zinc; the difference between tin and zinc explained", "*"},

		// Every language has its own words; a topic that could be of several gets none.
		{"Solarenergie und Windkraft", "was ist Solarenergie und Windkraft", "Solarenergie; Windkraft; Solarenergie und Windkraft einfach erklärt",
			"wie funktioniert Solarenergie und Windkraft; warum Solarenergie und Windkraft; Solarenergie und Windkraft Vorteile Nachteile"},
		{"Was ist Fotosynthese?", "", "Fotosynthese einfach erklärt", "wie funktioniert Fotosynthese; warum Fotosynthese; Fotosynthese Vorteile Nachteile"},
		{"Wie funktioniert eine Wärmepumpe?", "", "Wärmepumpe einfach erklärt", "warum Wärmepumpe; Wärmepumpe Vorteile Nachteile"},
		{"qu'est-ce que la photosynthèse", "", "photosynthèse expliqué simplement", "comment fonctionne photosynthèse; pourquoi photosynthèse; photosynthèse avantages inconvénients"},
		{"l'énergie solaire et l'énergie éolienne en France", "qu'est-ce que l'énergie solaire et l'énergie éolienne en France",
			"l'énergie solaire; l'énergie éolienne en France; l'énergie solaire et l'énergie éolienne en France expliqué simplement", "*"},
		{"¿Qué es la fotosíntesis?", "", "fotosíntesis explicación", "cómo funciona fotosíntesis; por qué fotosíntesis; fotosíntesis ventajas desventajas"},
		{"energia solare ed eolica", "che cos'è energia solare ed eolica", "energia solare; eolica; energia solare ed eolica spiegazione", "*"},
		{"солнечная энергия и ветер", "что такое солнечная энергия и ветер", "солнечная энергия; ветер; солнечная энергия и ветер простыми словами",
			"как работает солнечная энергия и ветер; почему солнечная энергия и ветер; солнечная энергия и ветер преимущества недостатки"},
		{"что такое фотосинтез", "", "фотосинтез простыми словами", "как работает фотосинтез; почему фотосинтез; фотосинтез преимущества недостатки"},
		{"太阳能和风能", "什么是太阳能和风能", "太阳能; 风能; 太阳能和风能 解释", "太阳能和风能 工作原理; 为什么太阳能和风能; 太阳能和风能 优点 缺点"},
		{"世界和平", "什么是世界和平", "世界和平 解释", "*"}, // peace, no "and"
		{"什么是潮汐能", "", "潮汐能 解释", "潮汐能 工作原理; 为什么潮汐能; 潮汐能 优点 缺点"},
		{"潮力発電と風力発電", "潮力発電と風力発電とは", "潮力発電; 風力発電; 潮力発電と風力発電 解説", "*"},
		{"光合成とは", "", "光合成 解説", "光合成 仕組み; なぜ光合成; 光合成 メリット デメリット"},
		{"태양광과 풍력", "태양광과 풍력 무엇인가", "태양광; 풍력; 태양광과 풍력 설명", "*"},
		{"사과 재배", "사과 재배 무엇인가", "사과 재배 설명", "*"}, // apples, no "and"
		{"طاقة المد والجزر", "ما هو طاقة المد والجزر", "شرح طاقة المد والجزر", "*"},
		{"Wärmepumpe vs Gasheizung", "", "Wärmepumpe; Gasheizung", ""},
		{"la energía solar y la energía eólica", "", "la energía solar; la energía eólica", ""},
		{"sol och vind energi", "", "sol; vind energi", ""},
		{"Gödel theorem", "", "", ""},
	} {
		want := []string{test.topic}
		for depth, more := range []string{test.one, test.two, test.three} {
			if more == "*" {
				continue
			}
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
	for _, topic := range []string{"tidal power", "a and b, c; d or e vs f & g and h", "\"a and b", "和和和", "と", "과 과", "and and and", "%s %d", "¿", " vs ", "\x00\xff and \xfe"} {
		f.Add(topic, 3)
	}
	f.Fuzz(func(t *testing.T, topic string, depth int) {
		queries := decompose(topic, 1+max(depth, -depth, 0)%3)
		if queries[0] != oneLine(topic) {
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
			if q != oneLine(q) || utf8.ValidString(topic) && !utf8.ValidString(q) {
				t.Fatalf("query %q of %q", q, topic)
			}
		}
	})
}
