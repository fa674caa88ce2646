package fulltext

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// write shows a clause: what must hold as +, what must not as -, a group in
// parentheses with | between its clauses.
func write(query string, c TextClause) string {
	var parts []string
	term := func(sign string, t TextTerm) {
		if t.Any != nil {
			var clauses []string
			for _, clause := range t.Any {
				clauses = append(clauses, write(query, clause))
			}
			parts = append(parts, sign+"("+strings.Join(clauses, " | ")+")")
			return
		}
		word := query[t.Start:t.End]
		if t.Phrase {
			word = "“" + word + "”"
		}
		if t.Field != "" {
			word = t.Field + "=" + word
		}
		if t.Prefix {
			word += "…"
		}
		parts = append(parts, sign+word)
	}
	for _, t := range c.Must {
		term("+", t)
	}
	for _, t := range c.Should {
		term("", t)
	}
	for _, t := range c.Not {
		term("-", t)
	}
	return strings.Join(parts, " ")
}

func known(field string) bool {
	return field == "tag" || field == "title" || field == "text" || field == "url"
}

func TestReadQuery(t *testing.T) {
	tests := []struct{ query, want string }{
		{"tide harbour", "tide harbour"},
		{`"high water" harbour`, "+“high water” harbour"},
		{`“high water” low`, "+“high water” low"},
		{"harb*  h* **", "harb*… h* **"},
		{"title:tide x", "+title=tide x"},
		{"Title:tide tag:\"a b\" tag:se*", "+title=tide +tag=“a b” +tag=se*…"},
		{"note: tide re:tide http://a.example/x 12:30", "note: tide re:tide http://a.example/x 12:30"},
		{"title: tide", "title: tide"},
		{"url:https://a.example/", "+url=https://a.example/"},
		{"+tide -harbour NOT sea", "+tide -harbour -sea"},
		{"well-known - dash -5 --x C++", "well-known - dash -5 --x C++"},
		{"tide AND harbour sea", "+tide +harbour sea"},
		{"tide OR harbour", "tide harbour"},
		{`"a b" OR "c d" e`, "+(+“a b” | +“c d”) e"},
		{"a AND b OR c AND d", "+(+a +b | +c +d)"},
		{"a AND (b OR c)", "+a +(b c)"},
		{"(a b) c", "a b c"},
		{"(a AND b) c", "+a +b c"},
		{"a AND NOT b", "+a -b"},
		{"-(a b)", "-a -b"},
		{"-(a AND b)", "-(+a +b)"},
		{"NOT NOT a", "a"},
		{"a or b and c not d", "a or b and c not d"},
		{"AND", ""}, {"a AND", "+a"}, {"OR OR a OR OR b", "a b"}, {"NOT", ""}, {"", ""}, {"  ", ""},
		{"(", ""}, {")", ""}, {"tide) x", "tide x"}, {"((tide", "tide"}, {"f(x) y", "f(x) y"}, {"(f(x) y)", "f(x) y"},
		{`"`, ""}, {`""`, "+“”"}, {`"unclosed tide`, "unclosed tide"}, {`5" pipe`, `5" pipe`},
		{"ORDER ANDES NOTE", "ORDER ANDES NOTE"}, {"a OR(b)", "a b"},
		{"潮汐 -港口 \"満潮 時刻\"", "+“満潮 時刻” 潮汐 -港口"},
	}
	for _, test := range tests {
		if got := write(test.query, ReadQuery(test.query, known)); got != test.want {
			t.Errorf("%q is read as\n got %s\nwant %s", test.query, got, test.want)
		}
	}
	deep := strings.Repeat("(", 5000) + "tide" + strings.Repeat(")", 3000) + " sea"
	if got := write(deep, ReadQuery(deep, known)); got != "tide" && got != "tide sea" {
		t.Errorf("deep parentheses are read as %.60q", got)
	}
	if n := len(ReadQuery(strings.Repeat("ab ", 10_000), known).Should); n != maxQueryAtoms {
		t.Errorf("%d terms of a long query are read, want %d", n, maxQueryAtoms)
	}
}

func FuzzReadQuery(f *testing.F) {
	for _, seed := range []string{`a "b c" -d +e f:g* (h OR i) AND NOT j`, "((((", `"""`, "tag:tag:tag:", "-+-+(\"",
		"title:*", "\xff\"\xfe:"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, query string) {
		terms := 0
		var visit func(c TextClause, depth int)
		visit = func(c TextClause, depth int) {
			if depth > 4*maxQueryDepth {
				t.Fatalf("%q nests %d deep", query, depth)
			}
			for _, list := range [][]TextTerm{c.Must, c.Should, c.Not} {
				for _, term := range list {
					for _, clause := range term.Any {
						visit(clause, depth+1)
					}
					if term.Any != nil {
						continue
					}
					if terms++; term.Start < 0 || term.Start > term.End || term.End > len(query) {
						t.Fatalf("%q: term %+v is outside", query, term)
					}
					if utf8.ValidString(query) && !utf8.ValidString(query[term.Start:term.End]) {
						t.Fatalf("%q: term %+v cuts a character", query, term)
					}
				}
			}
		}
		visit(ReadQuery(query, known), 0)
		if terms > maxQueryAtoms {
			t.Fatalf("%d terms", terms)
		}
	})
}
