package brief

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/text"
)

// witness is the evidence of two sources, and the text of each by number.
func witness(t testing.TB) (*evidence, map[int]string) {
	t.Helper()
	e := &evidence{ledger: cite.NewLedger("b", nil), voices: []int{0, 1}}
	texts := map[int]string{}
	for _, body := range []string{lowmere + "\n\nCafé “Kranich” — naïve\u00a0Straße \u200bＡＢＣ.", fenfield + "\n\n琥珀鹤高约1.35米。它每年迁徙。 See www.lowmere.example for more."} {
		doc, err := plainText(t.Context(), citewell.Page{Body: []byte(body)})
		if err != nil {
			t.Fatal(err)
		}
		s, passages, err := e.ledger.Add(t.Context(), citewell.Source{Host: "lowmere.example"}, doc)
		if err != nil {
			t.Fatal(err)
		}
		e.sources = append(e.sources, s)
		e.passages = append(e.passages, passages...)
		texts[s.N] = body
	}
	return e, texts
}

// Whatever a model answers: no citation whose quote is not, byte by byte, in its
// passage, no URL, no invisible character, no statement without a citation.
func FuzzHold(f *testing.F) {
	for _, seed := range []modelAnswer{
		{Findings: []modelStatement{good, nobody}, Gaps: []string{"none", ""}},
		{Findings: []modelStatement{one("About 212 cranes, see http：//x https://evil.com/212.", "S1.p1", "Some  212 amber\ncranes")}},
		{Findings: []modelStatement{one("www .evil.com and evil .com ht\u200btp://x.y/ //z ww\u00adw.q.com [S1.p1, S2.p1] ⑦①", "s2.P1", "In 2023 observers counted 187 breeding amber cranes")}},
		{Findings: []modelStatement{one("Café Kranich naive Straße ABC", "S1.p2", "Café \"Kranich\" - naïve Straße ABC.")}},
		{Findings: []modelStatement{one("琥珀鹤高约1.35米 http://甲.com/。//乙", "S2.p2", "琥珀鹤高约1.35米。")}},
		{Disagreements: []modelStatement{one("212 or 187 amber cranes breed there", "S1.p1", "212 amber cranes breed", "S2.p1", "187 breeding amber cranes")}, Gaps: []string{"mailto:a@b.com x://"}},
	} {
		encoded, err := json.Marshal(seed)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(encoded))
	}
	f.Add(`{"findings":null,"gaps":["\ud800www.\u0000"]}`)
	f.Add(`{"findings":[{"text":"(www.","topic":"x://","citations":[{"passage":"S1.p1","quote":"S"},{"passage":"","quote":""}]}]}`)
	e, texts := witness(f)
	f.Fuzz(func(t *testing.T, raw string) {
		var answer modelAnswer
		if json.Unmarshal([]byte(raw), &answer) != nil {
			return
		}
		found, err := new(Writer).hold(t.Context(), time.Second, answer, newQuestion(cranes), e)
		if err != nil {
			if len(found.findings)+len(found.disagreements)+len(found.gaps) > 0 {
				t.Error("an answer that is refused leaves something behind")
			}
			return
		}
		written := func(s string) {
			lower := strings.ToLower(s)
			if strings.Contains(s, "//") || strings.Contains(lower, "www.") {
				t.Errorf("a URL in %q", s)
			}
			if s == "" || strings.ContainsFunc(s, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }) {
				t.Errorf("%q", s)
			}
		}
		cited := func(citations []citewell.Citation) {
			if len(citations) == 0 {
				t.Error("a statement without a citation")
			}
			for _, c := range citations {
				p, ok := e.ledger.Passage(c.Passage)
				if !ok || p.Source != c.N || c.Quote == "" || c.Start < p.Start || c.End > p.End || texts[c.N][c.Start:c.End] != c.Quote || c.Verdict == "" {
					t.Errorf("%+v is not in its passage", c)
				}
			}
		}
		for _, f := range found.findings {
			written(f.Topic)
			written(f.Text)
			cited(f.Citations)
		}
		for _, d := range found.disagreements {
			written(d.Text)
			cited(d.Citations)
		}
		for _, g := range found.gaps {
			written(g)
		}
	})
}

// Taking one thing out never leaves another behind.
func FuzzClean(f *testing.F) {
	f.Add("www .evil.com http:S1.p1//x [①] (http://a) ht//tp://b mailto:x", "")
	f.Add("wwhttps://a。w.evil.com", "a.com")
	f.Fuzz(func(t *testing.T, s, known string) {
		got := clean(s, known)
		if strings.Contains(got, "//") || strings.Contains(strings.ToLower(got), "www.") || aliases.MatchString(got) || got != text.OneLine(got) || clean(got, known) != got {
			t.Errorf("%q became %q", s, got)
		}
	})
}

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"Water boils at 100 °C.":                          "Water boils at 100 °C.",
		"Water boils (see https://a.com/b).":              "Water boils (see).",
		"Water boils [S1.p2, S3.p1].":                     "Water boils.",
		"Go to www.evil.com now":                          "Go to now",
		"Go to evil.com now":                              "Go to now",
		"Go to EVIL.COM/x now":                            "Go to now",
		"Node.js and ASP are old, e.g. v1.2.3":            "Node.js and ASP are old, e.g. v1.2.3",
		"lowmere.example and marsh.com say so":            "lowmere.example and marsh.com say so",
		"请看https://evil.com/x。更多":                         "请看。更多",
		"write to mailto:a@b.c":                           "write to",
		"www .evil.com":                                   "",
		"a\u200bb\u202ec <|im_start|>system":              "abc < |im_start|>system",
		"half an emoji \xff and a \u0000 zero":            "half an emoji and a zero",
		"3.5 million (about 12 %) of 1,000 in U.S. units": "3.5 million (about 12 %) of 1,000 in U.S. units",
	} {
		if got := clean(in, "lowmere.example marsh.com"); got != want {
			t.Errorf("%q\n got  %q\n want %q", in, got, want)
		}
	}
}
