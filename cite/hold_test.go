package cite

import (
	"fmt"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/testing/golden"
)

// from is evidence of one source: its passages, of which Hold chooses the words.
func from(n int, passages ...string) Evidence {
	e := Evidence{Title: "About", Text: strings.Join(passages, "\n\n")}
	at := 0
	for i, p := range passages {
		e.Passages = append(e.Passages, citewell.Passage{ID: string(rune('a'+n)) + string(rune('0'+i)), Source: n,
			Start: at, End: at + len(p), Text: p})
		at += len(p) + 2
	}
	return e
}

// quoting has e cite words of its first passage.
func (e Evidence) quoting(words string) Evidence {
	e.Start = strings.Index(e.Passages[0].Text, words)
	e.End = e.Start + len(words)
	return e
}

func (e Evidence) snippet() Evidence { e.Snippet = true; return e }

const (
	counted = "In the spring of 2024 the wardens counted 312 grey herons at Alder Lake."
	covers  = "Alder Lake covers 48 hectares of the valley."
	both    = "The wardens counted 312 grey herons in the spring of 2024 at Alder Lake, which covers 48 hectares."
)

// Each row has one rule of Hold in it. What is said of each is written down.
func TestHold(t *testing.T) {
	var said strings.Builder
	for _, test := range []struct {
		name     string
		claim    Claim
		verdicts string // of the citations
		problem  string
	}{
		{"one source", Claim{Text: counted, Evidence: []Evidence{from(1, counted)}}, "supported", ""},
		{"a quote in its sentence", Claim{Text: "The new drug lowered the risk of stroke.",
			Evidence: []Evidence{from(1, "The new drug did not lower the risk of stroke. It was dear.").
				quoting("lower the risk of stroke")}}, "contradicted", ProblemContradicted},
		{"the quote alone, not what stands beside it", Claim{Text: "Many amber cranes arrive in the marshes of " +
			"Lowmere to breed in April.", Evidence: []Evidence{from(1,
			"Some 212 amber cranes breed in the marshes of Lowmere. They arrive in April.").
			quoting("They arrive in April.")}}, "undecided", ""},
		{"no citation", Claim{Text: counted}, "", ProblemUncited},
		{"an unknown number", Claim{Text: counted, Evidence: []Evidence{from(1, counted)}, Unknown: []int{7, 9},
			Sources: 1}, "supported", ProblemNumber},
		{"nothing could be read", Claim{Text: counted, Evidence: []Evidence{{}}}, "", ProblemNoText},
		{"one could not be read", Claim{Text: counted, Evidence: []Evidence{from(1, counted), {}}}, "supported",
			ProblemNoText},
		{"a figure that nobody has", Claim{Text: both, Evidence: []Evidence{from(1, counted)}}, "unsupported",
			ProblemFigure},
		{"a figure of another passage", Claim{Text: both, Evidence: []Evidence{from(1, counted, covers)}},
			"undecided undecided", ""},
		{"a figure beside the quote", Claim{Text: both, Evidence: []Evidence{
			from(1, counted+" "+covers).quoting("the wardens counted 312 grey herons")}}, "undecided undecided", ""},
		{"a figure of something else", Claim{Text: both, Evidence: []Evidence{
			from(1, counted, "The ferry costs 48 crowns.")}}, "unsupported", ProblemFigure},
		{"each has its figure", Claim{Text: both, Evidence: []Evidence{from(1, counted), from(2, covers)}},
			"undecided undecided", ""},
		{"one has all, the other a part", Claim{Text: both, Evidence: []Evidence{
			from(1, both), from(2, "The wardens counted 312 grey herons in the spring of 2024 at Alder Lake, which "+
				"covers 77 hectares.")}}, "supported contradicted", ""},
		{"one has other figures in place of all", Claim{Text: covers,
			Evidence: []Evidence{from(1, covers), from(2, "Alder Lake covers 77 hectares of the valley.")}},
			"supported contradicted", ""},
		{"one denies what the other says", Claim{Text: "Amber cranes breed in the marshes.",
			Evidence: []Evidence{from(1, "Amber cranes breed in the marshes."),
				from(2, "No amber cranes breed in the marshes.")}}, "supported contradicted", ""},
		{"another has nothing to do with it", Claim{Text: both,
			Evidence: []Evidence{from(1, both), from(2, "Violins of Cremona are dear.")}}, "supported undecided", ""},
		{"a snippet", Claim{Text: counted, Evidence: []Evidence{from(1, counted).snippet()}}, "snippet-only", ""},
		{"a snippet that says nothing of it", Claim{Text: "The mayor collects violins.",
			Evidence: []Evidence{from(1, "Grey herons rest in the reeds.").snippet()}}, "snippet-only", ""},
		{"words of its own", Claim{Text: "Grey herons breed at Alder Lake, loved by poets, bankers and retired " +
			"admirals.", Evidence: []Evidence{from(1, "Grey herons breed at Alder Lake and rest in the reeds.")}},
			"undecided", ""},
		{"an altered quotation", Claim{Text: "The guide says that “a warden explains the whole colony”.",
			Evidence: []Evidence{from(1, "The guide says that a warden explains the colony.")}}, "unsupported",
			ProblemQuote},
		{"a quotation with words left out", Claim{Text: "The guide says that “a warden […] explains the colony”.",
			Evidence: []Evidence{from(1, "The guide says that a warden in green explains the colony.")}},
			"undecided", ""},
		{"a quotation that one of two has", Claim{Text: "The guide says that “a warden explains the colony”.",
			Evidence: []Evidence{from(1, "The guide speaks of the colony and of a warden who explains it."),
				from(2, "The guide says that a warden explains the colony.")}}, "undecided supported", ""},
		{"a quotation cut from a denial", Claim{Text: "The drug did “lower the risk of stroke” in men.",
			Evidence: []Evidence{from(1, "The drug did not lower the risk of stroke in men.")}}, "contradicted",
			ProblemContradicted},
		{"one source denies what is quoted", Claim{Text: "The drug did “lower the risk of stroke” in men.",
			Evidence: []Evidence{from(1, "The drug did not lower the risk of stroke in men."),
				from(2, "The drug did lower the risk of stroke in men.")}}, "contradicted supported", ""},
		{"a short claim in no language", Claim{Text: "Larch 2.0 was downloaded 48,613 times on 9 March 2022.",
			Evidence: []Evidence{from(1, "Larch 2.0 was released on 9 March 2022.",
				"It is the format in which most of the tools of the project write their files, and that is what all "+
					"of them can read.")}}, "undecided", ""},
		{"another language with its figures", Claim{Text: "Im Frühling des Jahres 2024 zählten die Wärter am Alder " +
			"Lake 312 Graureiher und noch viele andere Vögel.", Evidence: []Evidence{
			from(1, "In the spring of 2024 the wardens of the lake counted 312 grey herons, and that is more than "+
				"they had in all of the years before.")}}, "undecided", ""},
		{"another language", Claim{Text: "Журавли прилетают весной и остаются здесь до самой осени.",
			Evidence: []Evidence{from(1, "They arrive in April and stay here until the leaves fall.")}},
			"undecided", ""},
	} {
		fmt.Fprintf(&said, "%s\n", test.name)
		t.Run(test.name, func(t *testing.T) {
			held := Hold(test.claim)
			var verdicts []string
			for _, c := range held.Citations {
				verdicts = append(verdicts, string(c.Verdict))
				source := test.claim.Evidence[c.N-1].Text
				if source[c.Start:c.End] != c.Quote || c.Reason == "" || c.By != ByWords {
					t.Errorf("%+v", c)
				}
				fmt.Fprintf(&said, "\t[%d] %q is %s: %s\n", c.N, c.Quote, c.Verdict, c.Reason)
			}
			fmt.Fprintf(&said, "\tproblem %q, missing %q\n", held.Problem.Message, held.Missing)
			if got := strings.Join(verdicts, " "); got != test.verdicts || held.Problem.Code != test.problem {
				t.Errorf("%s, %+v, missing %q; want %s, %s\n%+v", got, held.Problem, held.Missing, test.verdicts,
					test.problem, held.Citations)
			}
		})
	}
	golden.Check(t, "testdata/held.golden", said.String())
}

// A claim may name many sources; further sentences are sought up to a bound.
func TestFurtherCitationsAreBounded(t *testing.T) {
	c := Claim{Text: both}
	for n := range maxHeld {
		c.Evidence = append(c.Evidence, from(n+1, counted, covers))
	}
	if held := Hold(c); len(held.Citations) != maxHeld {
		t.Errorf("%d citations, missing %q", len(held.Citations), held.Missing)
	}
}

// Whatever a page, a quote or a claim is made of, what Hold cites stands in the source.
func FuzzHold(f *testing.F) {
	f.Add(both, counted, covers, 3, 9)
	f.Add("The drug did “lower the risk of stroke” in men.", "It did not lower the risk of stroke.\n\n", "«…»", 0, 0)
	f.Add("\xff“\u00ad\u00ad\u00ad\u00ad one two three four ”7", "7\x00", "\u202e1,5 [1]", 1, 2)
	f.Fuzz(func(t *testing.T, claim, page, other string, start, end int) {
		if len(claim)+len(page)+len(other) > 4000 {
			return
		}
		first := from(1, page, other)
		if start >= 0 && start < end && end <= len(page) {
			first.Start, first.End = start, end
		}
		c := Claim{Text: claim, Evidence: []Evidence{first, from(2, other), {}}}
		held := Hold(c)
		if held.Problem.Code == "" {
			t.Errorf("a source without text is no problem: %+v", held)
		}
		for _, cited := range held.Citations {
			source := c.Evidence[cited.N-1].Text
			if cited.Start < 0 || cited.End > len(source) || cited.Start > cited.End ||
				source[cited.Start:cited.End] != cited.Quote {
				t.Errorf("%+v is not of %q", cited, source)
			}
		}
	})
}

// A figure that decides that a citation is contradicted is named by its place in the claim
// and in the source, whether it stands in the quote or beside it; of what no figure decides
// nothing is named.
func TestOtherFigures(t *testing.T) {
	const early = "The pier is made of larch. "
	for _, test := range []struct {
		name  string
		claim Claim
		want  string // "said < found" of each citation, by |
	}{
		{"a count with its unit", Claim{Text: "Alder Lake covers 48 hectares of the valley.",
			Evidence: []Evidence{from(1, early+"Alder Lake covers 77 hectares of the valley.")}},
			"48 hectares < 77 hectares"},
		{"a date", Claim{Text: "The bridge over the Lowmere was opened on 4 May 2019.",
			Evidence: []Evidence{from(1, "The bridge over the Lowmere was opened on 6 June 2021.")}},
			"4 May 2019 < 6 June 2021"},
		{"in the second passage", Claim{Text: "Alder Lake covers 48 hectares of the valley.",
			Evidence: []Evidence{from(1, "Reeds grow.", "Alder Lake covers 77 hectares of the valley.")}},
			"48 hectares < 77 hectares"},
		{"beside the quote", Claim{Text: "Alder Lake covers 48 hectares of the valley.",
			Evidence: []Evidence{from(1, early+"Alder Lake covers 77 hectares of the valley.").
				quoting("Alder Lake covers")}}, "48 hectares < 77 hectares"},
		{"letters of several bytes", Claim{Text: "Die Brücke über die Ötz wurde 2019 eröffnet.",
			Evidence: []Evidence{from(1, "Größe zählt. Die Brücke über die Ötz wurde 2021 eröffnet.")}}, "2019 < 2021"},
		{"of two sources, one", Claim{Text: "Alder Lake covers 48 hectares.",
			Evidence: []Evidence{from(1, covers), from(2, "Alder Lake covers 77 hectares.")}},
			"|48 hectares < 77 hectares"},
		{"a denial", Claim{Text: "Amber cranes breed in the marshes.",
			Evidence: []Evidence{from(1, "No amber cranes breed in the marshes.")}}, ""},
		{"supported", Claim{Text: counted, Evidence: []Evidence{from(1, counted)}}, ""},
	} {
		var got []string
		for i, c := range Hold(test.claim).Citations {
			var all []string
			for _, o := range c.OtherFigures {
				all = append(all, test.claim.Text[o.SaidStart:o.SaidEnd]+" < "+
					test.claim.Evidence[i].Text[o.Start:o.End])
			}
			got = append(got, strings.Join(all, ", "))
		}
		if strings.Join(got, "|") != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// A judge that misses something in the nearest passages sees further ones of the source, and may quote
// them.
func TestFurtherPassagesOfASource(t *testing.T) {
	all := []citewell.Passage{
		{ID: "a", Source: 1, Text: "Cranes are large birds. They live in marshes."},
		{ID: "a2", Source: 1, Start: 50, Text: "Cranes breed in spring."},
		{ID: "a3", Source: 1, Start: 80, Text: "Lowmere is a lake."},
		{ID: "b", Source: 1, Start: 100, Text: "Bei Lowmere nisten 212 Paare, so viele wie nie zuvor."},
		{ID: "c", Source: 2, Text: "Herons are birds too."},
	}
	nearest := all[:3]
	held := Hold(Claim{Text: "More cranes than ever breed near Lowmere.", Lang: "en", Sources: 2, Evidence: []Evidence{
		{Passages: nearest, Further: Further(all, nearest)}}})
	q := held.Inquiry
	if q == nil || len(q.Passages) != 3 || len(q.Further) != 1 || q.Further[0].Passage.ID != "b" ||
		len(q.Wider().Passages) != 4 {
		t.Fatalf("%+v", q)
	}
	judged := held.Judged(Opinion{Verdict: citewell.VerdictSupported, Quote: "nisten 212 Paare, so viele wie nie zuvor",
		By: "judge j"})
	if c := judged.Citations[0]; len(judged.Citations) != 1 || c.Passage != "b" || c.Start != 100 ||
		c.Verdict != citewell.VerdictSupported {
		t.Errorf("%+v", judged.Citations)
	}
	long := citewell.Passage{ID: "long", Source: 1, Start: 500, Text: strings.Repeat("x", maxFurther)}
	if further := Further(append(all, long), nearest); len(further) != 1 {
		t.Errorf("%d further passages are more than a judge may be shown", len(further))
	}
}
