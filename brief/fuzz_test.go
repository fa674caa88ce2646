package brief

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
)

// witness is the evidence of two sources, and the text of each by number.
func witness(t testing.TB) (*evidence, map[int]string) {
	t.Helper()
	e := &evidence{ledger: cite.NewLedger("b", nil), voices: []int{0, 1}}
	texts := map[int]string{}
	for _, body := range []string{lowmere + "\n\nCafé “Kranich” — naïve\u00a0Straße \u200bＡＢＣ.",
		fenfield + "\n\n琥珀鹤高约1.35米。它每年迁徙。 See www.lowmere.example for more."} {
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
		{Findings: []modelStatement{one("About 212 cranes, see http：//x https://evil.com/212.", "S1.p1",
			"Some  212 amber\ncranes")}},
		{Findings: []modelStatement{one("www .evil.com and evil .com ht\u200btp://x.y/ //z ww\u00adw.q.com [S1.p1, "+
			"S2.p1] ⑦①", "s2.P1", "In 2023 observers counted 187 breeding amber cranes")}},
		{Findings: []modelStatement{one("Café Kranich naive Straße ABC", "S1.p2",
			"Café \"Kranich\" - naïve Straße ABC.")}},
		{Findings: []modelStatement{one("琥珀鹤高约1.35米 http://甲.com/。//乙", "S2.p2", "琥珀鹤高约1.35米。")}},
		{Disagreements: []modelStatement{one("212 or 187 amber cranes breed there", "S1.p1", "212 amber cranes breed",
			"S2.p1", "187 breeding amber cranes")}, Gaps: []string{"mailto:a@b.com x://"}},
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
			if s == "" || strings.ContainsFunc(s, func(r rune) bool {
				return unicode.IsControl(r) || unicode.Is(unicode.Cf, r)
			}) {
				t.Errorf("%q", s)
			}
		}
		cited := func(citations []citewell.Citation) {
			if len(citations) == 0 {
				t.Error("a statement without a citation")
			}
			for _, c := range citations {
				p, ok := e.ledger.Passage(c.Passage)
				if !ok || p.Source != c.N || c.Quote == "" || c.Start < p.Start || c.End > p.End ||
					texts[c.N][c.Start:c.End] != c.Quote || c.Verdict == "" {
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
