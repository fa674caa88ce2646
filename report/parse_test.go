package report_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/report"
	"github.com/citewell/citewell/text"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// shown is a string as it comes back: in one line, without what is not seen.
func shown(s string) string {
	return strings.Join(strings.Fields(visible(s)), " ")
}

// kept is what of a brief Markdown keeps.
func kept(b citewell.Brief) citewell.Brief {
	k := citewell.Brief{Schema: b.Schema, ID: b.ID, Query: shown(b.Query), CreatedAt: b.CreatedAt}
	citations := func(list []citewell.Citation) []citewell.Citation {
		var kept []citewell.Citation
		for _, c := range list {
			c.Quote, c.Reason = shown(c.Quote), shown(c.Reason)
			switch {
			case c.Reason == "":
				c.Judge = ""
			case c.Judge == "":
				c.Judge = cite.ByWords
			}
			kept = append(kept, c)
		}
		return kept
	}
	for _, f := range b.Findings {
		k.Findings = append(k.Findings, citewell.Finding{Topic: shown(f.Topic), Text: shown(f.Text), Citations: citations(f.Citations)})
	}
	for _, d := range b.Disagreements {
		k.Disagreements = append(k.Disagreements, citewell.Disagreement{Text: shown(d.Text), Citations: citations(d.Citations)})
	}
	if b.Outcome == citewell.BriefUnanswered {
		k.Outcome = b.Outcome
		for _, n := range b.Nearest {
			k.Nearest = append(k.Nearest, citewell.Nearest{Text: shown(n.Text), Citations: citations(n.Citations)})
		}
	}
	for _, gap := range b.Gaps {
		k.Gaps = append(k.Gaps, shown(gap))
	}
	for _, s := range b.Sources {
		if s.FinalURL == "" {
			s.FinalURL = s.URL
		}
		k.Sources = append(k.Sources, citewell.Source{N: s.N, Title: shown(s.Title), URL: s.FinalURL, FinalURL: s.FinalURL, Host: s.Host, Class: s.Class, Date: s.Date})
	}
	return k
}

func roundTrip(t interface{ Fatalf(string, ...any) }, b citewell.Brief) {
	markdown := report.Markdown(b, report.Options{Verification: true})
	got, err := report.Parse(markdown)
	if err != nil {
		t.Fatalf("%v\n%s", err, markdown)
	}
	want := kept(b)
	if len(want.Sources) > len(got.Sources) { // more than are shown
		want.Sources = slices.DeleteFunc(want.Sources, func(s citewell.Source) bool {
			return !slices.ContainsFunc(got.Sources, func(g citewell.Source) bool { return g.N == s.N })
		})
		if len(want.Sources) < 20 {
			t.Fatalf("only %d sources are shown", len(want.Sources))
		}
	}
	for i := range want.Sources {
		if title := want.Sources[i].Title; len(title) > 300 || title == "(no title)" {
			want.Sources[i].Title = got.Sources[i].Title
		}
	}
	for i := range want.Findings { // a topic that is not there cannot come back
		if want.Findings[i].Topic == "" {
			want.Findings[i].Topic = got.Findings[i].Topic
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("(-want +got):\n%s\n%s", diff, markdown)
	}
}

func TestRoundTrip(t *testing.T) {
	b, _ := sample(t)
	roundTrip(t, b)
	for _, words := range hostile {
		b := everywhere(words, "https://a.test/")
		for i := range b.Sources { // hosts and the like are ours
			s := &b.Sources[i]
			s.Host, s.Class, s.Date = "", "unknown", "2020-01-02"
		}
		roundTrip(t, b)
	}
	rapid.Check(t, func(t *rapid.T) { roundTrip(t, hostileBrief().Draw(t, "brief")) })
}

// What Markdown leaves out of a quote, a verification does not look at either.
func TestWhatIsLeftOutIsNotCompared(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		said := strings.Map(func(r rune) rune { // a canonical text has no control characters
			if unicode.IsControl(r) && !unicode.IsSpace(r) {
				return -1
			}
			return r
		}, strings.ToValidUTF8(hostileText().Draw(t, "words"), "\ufffd"))
		b, err := report.Parse(report.Markdown(everywhere(said, "https://a.test/"), report.Options{Verification: true}))
		if err != nil {
			t.Fatal(err)
		}
		for _, got := range []string{b.Findings[0].Text, b.Findings[0].Citations[0].Quote, b.Disagreements[0].Text, b.Disagreements[0].Citations[0].Quote} {
			if text.Normalize(got) != text.Normalize(said) {
				t.Fatalf("%q comes back as %q", said, got)
			}
		}
	})
}

// Programs change line ends, list markers and blank lines; the words stay.
func TestParseAfterFormatting(t *testing.T) {
	b, _ := sample(t)
	markdown := report.Markdown(b, report.Options{Verification: true})
	want, err := report.Parse(markdown)
	if err != nil {
		t.Fatal(err)
	}
	for name, formatted := range map[string]string{
		"crlf":        strings.ReplaceAll(markdown, "\n", "\r\n"),
		"stars":       strings.ReplaceAll(markdown, "\n- ", "\n* "),
		"blank_lines": strings.ReplaceAll(strings.ReplaceAll(markdown, "\n- ", "\n\n- "), "\n### ", "\n\n### "),
		"notes":       "My notes\n========\n\n" + markdown + "\n## Notes\n- to do\n",
		"no_last_end": strings.TrimRight(markdown, "\n"),
	} {
		got, err := report.Parse(formatted)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v %s", name, err, diff)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	b, _ := sample(t)
	whole := report.Markdown(b, report.Options{Verification: true})
	for name, markdown := range map[string]string{
		"empty":           "",
		"other_text":      "# Research: x\n\nSome text.\n",
		"no_verification": report.Markdown(b, report.Options{}),
		"no_brief_line":   strings.Replace(whole, "\nBrief ", "\nBericht ", 1),
		"short_id":        strings.Replace(whole, b.ID, b.ID[1:], 1),
		"two_briefs":      whole + strings.ReplaceAll(whole, b.ID, id(2)),
		"binary":          "\x00\x01\xff",
	} {
		got, err := report.Parse(markdown)
		view := citewell.View(err)
		if view.Code != citewell.CodeInvalidArgument || view.Message == "" || strings.Contains(view.Message, "\n") {
			t.Errorf("%s: %v, %+v", name, err, got)
		}
	}
}

// hostileTexts would take a careless reader very long.
func hostileTexts(n int) map[string]string {
	head := "# Research: x\n\n## Key findings\n"
	quoting := "# Research: x\n\n## Key Findings\n"
	tail := "\n## Verification\nBrief " + id(1) + ", made 2026-03-04T05:06:07Z. To\n"
	entry := "- F1 ① " + id(2) + " 0-5 "
	var distinct strings.Builder
	for i := range n / 60 {
		fmt.Fprintf(&distinct, "%sv%d “x”\n", entry, i)
	}
	rep := strings.Repeat
	return map[string]string{
		"brackets":        head + "- " + rep("[", n) + tail,
		"marks":           head + "- " + rep(" [①]", n/6) + tail,
		"one_group":       head + "- x [" + rep("①", n/3) + "]" + tail,
		"parentheses":     head + "- " + rep(" (weak)", n/7) + tail,
		"open":            head + "- " + rep("(", n) + ")" + tail,
		"remark":          head + "- x [①] (" + rep("weak, ", n/6) + "weak)" + tail,
		"backslashes":     head + "- " + rep("\\", n) + tail,
		"quotes":          head + "- " + rep("“", n/3) + tail + "- F1 ① x 0-1 y " + rep(" “", n/4),
		"findings":        head + rep("- x [①]\n", n/10) + tail,
		"topics":          head + rep("### \n", n/5) + tail,
		"disagreements":   "## Disagreements\n" + rep("- ①②③④⑤\n", n/18) + tail,
		"entries":         head + "- x [①②③]\n" + tail + rep(entry+"supported\n", n/60),
		"verdicts":        head + "- x [①]\n" + tail + distinct.String(),
		"labels":          head + tail + rep("- F9 x\n", n/7),
		"sources":         "## Sources\n" + rep("① a [b · c]\n", n/14) + tail,
		"source_brackets": "## Sources\n" + rep("[", n) + "\n" + rep("[[[ [\n", n/6) + tail,
		"spaces":          head + rep(" ", n) + "\n- " + rep(" ", n) + tail + "- " + rep(" ", n),
		"sections":        rep("## \n", n/4) + tail,
		"blocks":          quoting + rep("**[1] a** (A)\n“x” [1, 2]\n", n/26) + tail,
		"block_titles":    quoting + rep("**[1] ", n/6) + "** (A)" + tail,
		"also":            quoting + "**[1] a** (A)\n“x” [" + rep("1, ", n/3) + "1]" + tail,
		"many_also":       quoting + "**[1] a** (A)\n“x”" + rep(" [1, 2]", n/7) + tail,
		"listed":          "## Sources\n" + rep("[1] [A] x — y\n", n/16) + tail,
		"dashes":          "## Sources\n[1] [A] " + rep(" — ", n/5) + tail,
	}
}

func TestParseIsLinear(t *testing.T) {
	for name, markdown := range hostileTexts(1 << 19) {
		began := time.Now()
		if _, err := report.Parse(markdown); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if took := time.Since(began); took > time.Minute { // half a MB at the square would take many, and a busy machine takes a few seconds
			t.Errorf("%s: %v", name, took)
		} else {
			t.Logf("%s: %v", name, took)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(report.Markdown(everywhere("words", "https://a.test/[x]"), report.Options{Verification: true}))
	f.Add(report.Markdown(researched(everywhere("words", "https://a.test/[x]")), report.Options{Verification: true}))
	f.Add("## Key Findings\n0\n## Confidence:  — 0\n## Verification\nBrief " + id(0))
	for _, words := range hostile {
		f.Add(words)
		f.Add("# Research: " + words + "\n## Key findings\n- " + words + "\n## Disagreements\n- " + words + "\n## Sources\n① " + words + "\n   " + words + "\n" + words +
			"\n## Verification\nBrief " + id(1) + ", made " + words + "\n- " + words + "\n- F1 ① " + words + "\n- S1 “" + words + "”\n")
	}
	for _, markdown := range hostileTexts(200) {
		f.Add(markdown)
	}
	f.Add("# x\n\n*Created: 2026*\n\nIt is [1] so. [2]\n\n---\n\n## Sources\n\n[1] a - b\n\n## Verification\n\nRun a_1, outcome x, text " + strings.Repeat("0", 64) +
		".\nTask: “x”\n\nF1 [1] “It is so.”\n\n- F1 [1] x 0-5 supported “y”\n  words: z\n- F1 [2] no words of it are kept\n\n- S1 “\"b\"”\n")
	f.Fuzz(func(t *testing.T, markdown string) {
		b, err := report.Parse(markdown)
		if err != nil {
			if citewell.CodeOf(err) != citewell.CodeInvalidArgument {
				t.Fatal(err)
			}
			return
		}
		if len(b.ID) == 0 || b.Schema != citewell.BriefSchema {
			t.Fatalf("a brief without an id: %+v", b)
		}
		for _, f := range b.Findings {
			for _, c := range f.Citations {
				if c.N < 0 || c.Start < -1 || c.End < -1 {
					t.Fatalf("%+v", c)
				}
			}
		}
		check(t, b) // what was read can be shown as safely
	})
}
