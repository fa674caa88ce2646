package agent

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/citewell/citewell/internal/envelope"
)

const sample = `# Title 2024

Opening words that cite nothing at all here. The bridge opened in 1932.[1] It is
1,149 metres long [2, 3] and carries eight lanes.

## Cost

- It cost 4.2 million pounds [1].
1. “It was the longest of its kind in the world” [4]
> Quoted by others in 1999 [2].

| Year | Length |
|------|-------:|
| 1932 | 503 m [2] |

` + "```\ncode 99\n```" + `

What does it carry? The figures:
`

func TestStatements(t *testing.T) {
	want := []struct {
		topic, claim string
		marks        int
		factual      bool
	}{
		{"Title 2024", "Opening words that cite nothing at all here.", 0, true},
		{"Title 2024", "The bridge opened in 1932.", 1, true},
		{"Title 2024", "It is 1,149 metres long and carries eight lanes.", 2, true},
		{"Cost", "It cost 4.2 million pounds.", 1, true},
		{"Cost", "“It was the longest of its kind in the world”", 1, true},
		{"Cost", "Quoted by others in 1999.", 1, true},
		{"Cost", "Year: 1932; Length: 503 m", 1, true},
		{"Cost", "What does it carry?", 0, false},
		{"Cost", "The figures:", 0, false},
	}
	got := statements(sample)
	if len(got) != len(want) {
		t.Fatalf("%d statements, want %d: %+v", len(got), len(want), got)
	}
	for i, w := range want {
		if g := got[i]; g.topic != w.topic || g.claim != w.claim || len(g.marks) != w.marks ||
			g.factual() != w.factual {
			t.Errorf("statement %d is %+v (factual %t), want %+v", i, g, g.factual(), w)
		}
	}
}

func withSource(url, host string) *run {
	r := &run{Agent: &Agent{}, task: "What does the site goals.com say?", shelf: shelf{sources: newSources()}}
	s, _ := r.sources.add("t", url, "", "", nil)
	s.Host = host
	return r
}

func TestPrepared(t *testing.T) {
	r := withSource("https://good.org/page", "www.good.org")
	for in, want := range map[string]string{
		"Plain words, v1.2.3, Node.js, e.g. this [1].":         "Plain words, v1.2.3, Node.js, e.g. this [1].",
		"See [here](https://good.org/page) [1].":               "See [here](https://good.org/page) [1].",
		"See [1](https://other.net/x) now.":                    "See [1] now.",
		"See https://good.org/page and good.org.":              "See https://good.org/page and good.org.",
		"Go to other.net/x, OTHER.NET, ftp://a.b or 10.1.2.3.": "Go to , ,  or .",
		"An ![image](https://other.net/i.png) of it.":          "An image of it.",
		"As goals.com says.":                                   "As goals.com says.",
		"<script>x</script> 3 < 4":                             "&lt;script>x&lt;/script> 3 < 4",
		"Text.\n\n## Sources\n\nThey differ in their age.":     "Text.\n\n## Sources\n\nThey differ in their age.",
		"httpshttps://a.b://c evil。com":                        "",
	} {
		got, _ := r.prepared(in, []int{1})
		if want == "" {
			if strings.Contains(got, "://") || strings.Contains(got, "evil") {
				t.Errorf("%q gives %q", in, got)
			}
			continue
		}
		if got != want {
			t.Errorf("%q gives %q, want %q", in, got, want)
		}
	}
	if got, removed := r.prepared("See https://good.org/page.", nil); strings.Contains(got, "good.org") ||
		len(removed) != 1 {
		t.Errorf("a source that is not cited: %q, %q", got, removed)
	}
}

// What is left of a sentence whose address was taken out says something, or goes too.
func TestNoStumpIsLeft(t *testing.T) {
	r := withSource("https://good.org/page", "www.good.org")
	for in, want := range map[string]string{
		"It grew. See https://other.net/x [①].":                   "It grew.",
		"It grew [1]. See https://other.net/x [1]. It fell.":      "It grew [1]. It fell.",
		"It grew.\n\n- https://other.net/x [1]\n- It fell [1].":   "It grew.\n\n- It fell [1].",
		"It grew.\n1. See other.net/x.\n2. It fell.":              "It grew.\n2. It fell.",
		"It grew (https://other.net/x) [1].":                      "It grew [1].",
		"It grew, says other.net/x.":                              "It grew, says .",
		"At evil.arXiv:2401.00001com/x it is, they say.":          "At  it is, they say.",
		"See https://good.org/page [1].":                          "See https://good.org/page [1].",
		"See 3. It grew \uE000[1].":                               "See 3. It grew [1].",
		"| See other.net/x | 3 |":                                 "| See  | 3 |",
		"Look [here](https://other.net/x) for it, and so on [1].": "Look here for it, and so on [1].",
	} {
		if got, _ := r.prepared(in, []int{1}); got != want {
			t.Errorf("%q gives %q, want %q", in, got, want)
		}
	}
}

// An identifier leads to a page as an address does: one that no source has, and nobody
// asked for, is taken out.
func TestPreparedIdentifiers(t *testing.T) {
	r := withSource("https://doi.org/10.1000/abc.def", "doi.org")
	r.task = "What does arXiv:2402.00002 say?"
	r.sources.list[0].doc.Text = "Cite as doi:10.1000/ABC.1 and arXiv:2401.00001v2."
	for in, want := range map[string]string{
		"It grew (doi:10.1000/abc.1) [1].":               "It grew (doi:10.1000/abc.1) [1].",
		"It grew 10.1000/abc.def [1].":                   "It grew 10.1000/abc.def [1].",
		"See arXiv:2401.00001v2, and arXiv: 2402.00002.": "See arXiv:2401.00001v2, and arXiv: 2402.00002.",
		"It grew (doi:10.1000/abc.12) [1].":              "It grew [1].",
		"It grew, DOI 10.1000/abc.2. It fell.":           "It grew, . It fell.",
		"It grew 10.9999/j.x.2020.1 [1].":                "It grew  [1].",
		"It grew (arXiv:2401.00009) and [hep-th] [1].":   "It grew and [hep-th] [1].",
		"It grew arXiv:hep-th/9901001v1.":                "It grew .",
		"From 10.2024/11.2025 it fell, 3/4 of 10.5, 10.1000/3.": "From 10.2024/11.2025 it fell, 3/4 of 10.5, " +
			"10.1000/3.",
	} {
		if got, removed := r.prepared(in, []int{1}); got != want || (len(removed) > 0) != (got != in) {
			t.Errorf("%q gives %q, want %q; removed %q", in, got, want, removed)
		}
	}
}

func FuzzPrepared(f *testing.F) {
	for _, seed := range []string{sample, "[a](http://x)[b]", "//evil.com", "![[]]()", "<b>\x00\xff", "evil。com",
		"1. [1] [2](", "> - * 1) x",
		"`git rebase <upstream>` [9]``<b>``", "```html\n<p>\n```\n\n- `a\n<b>` c",
		"| ` | b |\n|---|---|\n| `<x>` | 3 |"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, content string) {
		r := withSource("https://good.org/page", "good.org")
		got, _ := r.prepared(content, []int{1})
		if !utf8.ValidString(got) {
			t.Fatal("no UTF-8")
		}
		for _, found := range addressForm.FindAllString(got, -1) {
			if plain := strings.TrimRight(strings.Trim(found, "<>"), ".,;:"); strings.Contains(plain, "//") &&
				!r.isCited(plain, []int{1}) {
				t.Errorf("%q of %q stayed", found, content)
			}
		}
		end := 0
		for _, s := range statements(got) {
			if s.start < end || s.end <= s.start || s.end > len(got) {
				t.Fatalf("statement %+v of %q", s, got)
			}
			end = s.end
			s.factual()
		}
		for _, shown := range []string{got, r.marked(got, nil, nil)} {
			if alive := aliveIn(t, shown); len(alive) > 0 {
				t.Errorf("%q of %q has HTML that is alive: %q", shown, content, alive)
			}
		}
	})
}

func FuzzDig(f *testing.F) {
	for _, seed := range []string{`{"a":1}`, "x {\"a\":{}} y }", "{", "```json\n{}\n```"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if object, err := dig(text); err == nil && !json.Valid(object) {
			t.Errorf("%q gives %q", text, object)
		}
	})
}

func FuzzWritten(f *testing.F) {
	for _, seed := range []string{`{"name":"web_search_tool","arguments":{"query":"a"}}`, "<tool_call>{}</tool_call>",
		`{"function":{"function":{"function":"x"}},"arguments":"{}"}`, "{{[", `{"query":"a"} {`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		calls, _ := written(t.Context(), text, Tools())
		for _, c := range calls {
			if !json.Valid(c.Arguments) || c.Name == "" {
				t.Errorf("%q gives %+v", text, c)
			}
		}
	})
}

func TestPromptsKeepTheirBraces(t *testing.T) {
	p := Prompts{System: "Say {\"a\": 1}; tools: {available_tools} {unknown}"}.withDefaults()
	if got := p.system(Tools()[:1], envelope.NewEnvelope().Rules(), false); !strings.Contains(got,
		`{"a": 1}; tools: 1. reasoning_tool: `) || !strings.Contains(got, "{unknown}") {
		t.Error(got)
	}
	if got := p.task("{available_tools} {current_date}", withSource("https://a.org", "a.org").began); !strings.Contains(
		got, "{available_tools} {current_date}") {
		t.Error(got)
	}
}

func TestFileNames(t *testing.T) {
	for title, want := range map[string]string{"A/B: c_d-e?": "AB c_d-e", "../../etc/passwd": "etcpasswd",
		"??": "report", "Größe 東京": "Größe 東京",
		strings.Repeat("x", 80): strings.Repeat("x", 50)} {
		if got := fileName(title, withSource("https://a.org", "a.org").began); got != "00010101_000000_"+want+".md" {
			t.Errorf("%q gives %q", title, got)
		}
	}
}

// A title is words: what of it would be HTML in Markdown is shown as it was written.
func TestTitleIsWords(t *testing.T) {
	r := withSource("https://good.org/page", "good.org")
	if got, err := r.reportOf(t.Context(), "What <b> & AT&T mean, and 3 < 4", "", verified{}); err != nil ||
		got.Title != "What <b> & AT&T mean, and 3 < 4" {
		t.Errorf("the title is %q, %v", got.Title, err)
	}
}
