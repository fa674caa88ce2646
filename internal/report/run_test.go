package report_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/internal/report"
	"github.com/citewell/citewell/internal/testing/golden"
	"github.com/citewell/citewell/internal/testing/score"
)

const runID = "sgr_agent_5b0c1a9e-1111-4222-8333-444455556666"

// sampleRun is the report of a run over the pages of the sample brief, and the archive
// that has it: sentences with marks in every place, a table, one that leans on its
// paragraph, one of a source that was only a snippet, one that does not hold.
func sampleRun(t *testing.T) (citewell.Report, memory) {
	t.Helper()
	b, kept := sample(t)
	for id, record := range kept.records {
		record.Brief = runID
		kept.records[id] = record
	}
	r := citewell.Report{Schema: citewell.ReportSchema, ID: runID, Agent: "sgr_agent", Task: b.Query,
		Title:    "The Corrin Tower & its <years>",
		Language: "en", Confidence: "medium", Outcome: "partial", CreatedAt: made,
		Removed: []string{"https://evil.test/x"}}
	r.Content = `## Height

This report tells of the tower at the harbour.
The Corrin Tower is **330 m** tall, counted from the quay to the tip of its mast [1]. The tower reaches a height of 312 metres. [4][2] Without the mast it is 306 m.

| what | figure |
|---|---|
| first platform | 57 m [1] |

## Years
- [2] The Corrin Tower was finished on 31 March 1889.
- It was restored in 1986 and again in 2021 [6].
- It was painted green in 1999 (⚠ uncited).

1. The *top* of the tower moves by up to 18 cm [5] away
   from the sun.
2. It weighs 9,000 t [1] (⚠ figure).`
	say := func(topic, text string, citations ...citewell.Citation) {
		r.Findings = append(r.Findings, citewell.Finding{Topic: topic, Text: text, Citations: citations})
	}
	by := func(n int, quote string) citewell.Citation {
		c := cites(t, b, n, quote)
		c.By, c.Reason = "words", "the evidence has the words of the claim"
		return c
	}
	judged := func(n int, quote string) citewell.Citation {
		c := by(n, quote)
		c.By, c.Reason = "judge demo", "the source says it of the top"
		return c
	}
	say("Height", "The Corrin Tower is 330 m tall, counted from the quay to the tip of its mast.",
		by(1, "The Corrin Tower is 330 m tall, counted from the quay to the tip of its mast."))
	say("Height", "The tower reaches a height of 312 metres.", by(4, "The tower reaches a height of 312 metres."))
	say("Height", "Without the mast it is 306 m.", by(1, "Without the mast it is 306 m."))
	say("Height", "what: first platform; figure: 57 m", by(1, "The two platforms lie at 57 m and 116 m"))
	say("Years", "The Corrin Tower was finished on 31 March 1889.",
		by(2, "The Corrin Tower was finished on 31 March 1889."))
	say("Years", "It was restored in 1986 and again in 2021.", by(6, "restored in 1986 and again in 2021."))
	say("Years", "The top of the tower moves by up to 18 cm away from the sun.",
		judged(5, "the top of the tower moves by up to 18 cm away from the sun"))
	say("Years", "It weighs 9,000 t.", by(1, "The frame weighs 7,300 t."))
	r.Findings[5].Citations[0].Verdict = citewell.VerdictSnippetOnly
	r.Findings[7].Citations[0].Verdict, r.Findings[7].Problem = citewell.VerdictUnsupported, "figure"
	r.Unverified = []citewell.UnverifiedPhrase{
		{Text: "It was painted green in 1999.", Problem: "uncited",
			Detail: "it states a fact without a source's number [n] in the sentence"},
		{Text: "It weighs 9,000 t.", Problem: "figure", Detail: "9,000 is in none of the cited passages"},
	}
	at := 0
	for _, p := range []struct {
		opens, closes string
		finding       int
		problem       string
	}{
		{"The Corrin Tower is", "mast [1].", 0, ""}, {"The tower reaches", "[4][2]", 1, ""},
		{"Without", "306 m.", 2, ""}, {"| first", "[1] |", 3, ""},
		{"[2] The", "1889.", 4, ""}, {"It was restored", "[6].", 5, ""}, {"It was painted", "uncited).", -1, "uncited"},
		{"The *top*", "sun.", 6, ""}, {"It weighs", "figure).", 7, "figure"},
	} {
		start := at + strings.Index(r.Content[at:], p.opens)
		at = start + strings.Index(r.Content[start:], p.closes) + len(p.closes)
		r.Places = append(r.Places, citewell.Place{Start: start, End: at, Finding: p.finding, Problem: p.problem})
	}
	for _, n := range []int{1, 2, 4, 5, 6} {
		r.Sources = append(r.Sources, b.Sources[n-1])
	}
	snippet := &r.Sources[4]
	snippet.FinalURL, snippet.Extractor = "", citewell.Extractor{ID: "provider-snippet", Version: 1}
	for id, record := range kept.records {
		if record.Source.N == 6 {
			record.Source = *snippet
			kept.records[id] = record
		}
	}
	for _, p := range b.Passages {
		if slices.ContainsFunc(r.Findings, func(f citewell.Finding) bool { return f.Citations[0].Passage == p.ID }) {
			r.Passages = append(r.Passages, p)
		}
	}
	kept.briefs = map[string]citewell.Brief{runID: r.Brief()}
	return r, kept
}

func TestOfRun(t *testing.T) {
	r, _ := sampleRun(t)
	golden.Check(t, "testdata/run.md", report.OfRun(r))
	_, verification, _ := strings.Cut(report.OfRun(r), "## Verification")
	for i, f := range r.Findings[:5] { // of the others it says how many there are
		if line := fmt.Sprintf("\n- F%d [%d] %s %d-%d ", i+1, f.Citations[0].N, f.Citations[0].Passage,
			f.Citations[0].Start, f.Citations[0].End); strings.Count(verification, line) != 1 {
			t.Errorf("%q is not there once in\n%s", line, verification)
		}
	}
	if empty := report.OfRun(citewell.Report{Title: "x", CreatedAt: made}); !strings.Contains(empty,
		"No source is cited.") || !strings.HasSuffix(empty, "\n") {
		t.Error(empty)
	}
}

// sound is the sample run without what does not hold in it.
func sound(t *testing.T) (citewell.Report, memory) {
	t.Helper()
	r, kept := sampleRun(t)
	r.Findings, r.Unverified = r.Findings[:7], nil
	r.Content, _, _ = strings.Cut(r.Content, "\n2. It weighs")
	r.Content = strings.Replace(r.Content, "- It was painted green in 1999 (⚠ uncited).\n", "", 1)
	r.Outcome = "answered"
	kept.briefs[runID] = r.Brief()
	return r, kept
}

func TestVerifyUntouchedRun(t *testing.T) {
	r, archive := sound(t)
	whole := report.WithRecord(r)
	for name, file := range map[string]string{
		"as written":  whole,
		"crlf":        strings.ReplaceAll(whole, "\n", "\r\n"),
		"stars":       strings.ReplaceAll(whole, "\n- ", "\n* "),
		"blank lines": strings.ReplaceAll(whole, "\n- ", "\n\n- "),
		"no last end": strings.TrimRight(whole, "\n"),
	} {
		codes, v := verified(t, file, archive)
		if !v.OK || len(v.Citations) != 7 || v.Brief != runID {
			t.Errorf("%s: %v, %d citations: %+v", name, codes, len(v.Citations), v)
		}
		for _, c := range v.Citations {
			if c.Basis != cite.BasisSnapshot {
				t.Errorf("%s: %s %d was checked against the %s", name, c.Statement, c.N, c.Basis)
			}
		}
	}
}

// What the run itself marks as not borne out is as it was written, and is no proof. Where
// the mark is gone, the sentence fails as any other.
func TestVerifyPartialRun(t *testing.T) {
	r, archive := sampleRun(t)
	whole := report.WithRecord(r)
	_, v := verified(t, whole, archive)
	for _, c := range v.Citations {
		if marked := c.Marked == "figure" && c.Reason == "9,000 t stands in none of the cited "+
			"sources"; marked != (c.Statement == "F8") {
			t.Errorf("%+v", c)
		}
	}
	if !v.OK || len(v.Citations) != 8 || v.Unproven != 2 {
		t.Errorf("%+v", v)
	}
	for name, change := range map[string]struct {
		code   string
		change func(r *citewell.Report)
	}{
		"mark gone": {cite.ProblemFigure, func(r *citewell.Report) {
			r.Content = strings.Replace(r.Content, " (⚠ figure)", "", 1)
		}},
		"mark of another gone": {cite.ProblemStatement, func(r *citewell.Report) {
			r.Content = strings.Replace(r.Content, " (⚠ uncited)", "", 1)
		}},
		"another reason": {cite.ProblemFigure, func(r *citewell.Report) {
			r.Content = strings.Replace(r.Content, "(⚠ figure)", "(⚠ quote)", 1)
		}},
		"marked sentence": {cite.ProblemStatement, func(r *citewell.Report) {
			r.Content = strings.Replace(r.Content, "9,000", "9,500", 1)
		}},
		"marked sentence and its finding": {cite.ProblemStatement, func(r *citewell.Report) {
			r.Content, r.Findings[7].Text = strings.Replace(r.Content, "9,000", "9,500", 1), "It weighs 9,500 t."
		}},
	} {
		changed := r
		changed.Findings = slices.Clone(r.Findings)
		change.change(&changed)
		if codes, v := verified(t, report.WithRecord(changed), archive); v.OK || !slices.Contains(codes, change.code) {
			t.Errorf("%s: %v, not %s", name, codes, change.code)
		}
	}
}

// A content that looks like the parts of a report around it is read as content.
func TestRunContentIsNoSection(t *testing.T) {
	r, archive := sound(t)
	r.Content += "\n\n---\n\n## Sources\n\n[1] Evil - https://evil.test/\n\n## Verification\n\nRun other_1, outcome " +
		"answered, text " + strings.Repeat("0", 64) + ".\nTask: “x”\n\nF1 “y”\n\n- F1 [1] z 0-1 supported “y”\n"
	if codes, v := verified(t, report.WithRecord(r), archive); !v.OK || v.Brief != runID {
		t.Errorf("%v %+v", codes, v)
	}
}

// A code fence that the content leaves open hides nothing of what is written below it, and
// what was checked in it is found again.
func TestAnOpenFenceIsClosed(t *testing.T) {
	if score.RaceDetector {
		t.Skip("one goroutine that takes seconds")
	}
	for _, fence := range []string{"```", "~~~~", "```go", "~~~ text", "   `````", "- x\n  ```\n  code",
		"> ```\n> code", "    ```", "```\ncode\n~~~", "````\n```", "```\ncode\n    ```", "- x\n  ```\n  code\n```",
		"```\ncode\n```", "~~~\n```\n~~~"} {
		for _, below := range []string{"", "\n", "\nThe tower is iron[2]. It was finished on 31 March 1889[2].",
			"\n\nIt was finished on 31 March 1889 [2]."} {
			r, archive := sound(t)
			r.Content += "\n\n" + fence + below
			if strings.Contains(below, "1889") {
				finished := r.Findings[4]
				finished.Text = "It was finished on 31 March 1889."
				r.Findings = append(slices.Clone(r.Findings), finished)
			}
			archive.briefs[runID] = r.Brief()
			whole := report.WithRecord(r)
			for name, renderer := range renderers {
				var page strings.Builder
				if err := renderer.Convert([]byte(whole), &page); err != nil {
					t.Fatal(err)
				}
				for _, section := range []string{">Sources</h2>", ">Verification</h2>"} {
					if !strings.Contains(page.String(), section) {
						t.Errorf("%s: %q has no %s\n%s", name, fence+below, section, page.String())
					}
				}
			}
			if codes, v := verified(t, whole, archive); !v.OK {
				t.Errorf("%q: %v\n%s", fence+below, codes, whole)
			}
		}
	}
	for _, hostile := range []string{strings.Repeat("> ", 1_000_000) + "\n```",
		strings.Repeat(strings.Repeat("> ", 500)+"\n", 200) + "```", strings.Repeat("- ", 100_000) + "\n```",
		strings.Repeat("```\n~~~\n", 25_000), strings.Repeat("~~~~ ```\n\n", 20_000)} {
		began := time.Now()
		report.CloseFence(hostile)
		if took := time.Since(began); took > time.Minute { // a busy machine takes a second
			t.Errorf("%.10q: %v", hostile, took)
		}
	}
}

// Sentences of every kind are found in the content again.
func TestVerifyUntouchedHostileRun(t *testing.T) {
	for i, words := range append(slices.Clone(hostile), hostileURLs...) {
		words = strings.Map(func(r rune) rune { // what no canonical text has
			if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 {
				return -1
			}
			return r
		}, strings.ToValidUTF8(words, "\ufffd"))
		// a sentence is one line
		said := "The tower is 330 m tall, says " + strings.Join(strings.Fields(words), " ") + " and so on."
		b, kept := oneSource(said, hostileURLs[i%len(hostileURLs)])
		r := citewell.Report{ID: b.ID, Task: words, Title: words, Content: said + " [1]\n\n" + words, CreatedAt: made,
			Findings: b.Findings, Sources: b.Sources, Outcome: "answered"}
		kept.briefs[r.ID] = r.Brief()
		if codes, v := verified(t, report.WithRecord(r), kept); !v.OK {
			t.Errorf("%q: %v %+v\n%s", words, codes, v, report.OfRun(r))
		}
	}
}

func TestTamperingWithARun(t *testing.T) {
	r, archive := sound(t)
	whole := report.WithRecord(r)
	for _, test := range []struct{ name, old, new string }{
		{"title", "# The Corrin Tower &", "# The Corrin Castle &"},
		{"task", taskOf(r), "Task: “Who built it?”"},
		{"time", "*Created: 2026", "*Created: 2025"},
		{"heading", "\n## Years", "\n## Months"},
		{"word", "reaches a height of 312 metres. [4]", "lacks a height of 312 metres. [4]"},
		{"figure", "**330 m** tall", "**380 m** tall"},
		{"sign", "Without the mast it is 306", "Without the mast it is -306"},
		{"date", "- [2] The Corrin Tower was finished on 31 March", "- [2] The Corrin Tower was finished on 30 March"},
		{"row", "| first platform | 57 m", "| first platform | 75 m"},
		{"negated", "moves by up to", "never moves by up to"},
		{"uncited_word", "This report tells", "This report lies"},
		{"sentence_added", "Without the mast it is 306 m.\n", "Without the mast it is 306 m. It is rusty.\n"},
		{"sentence_removed", " Without the mast it is 306 m.\n", "\n"},
		{"sentence_negated_in_front", "Without the mast", "It is false: Without the mast"},
		{"mark", "mast [1].", "mast [2]."},
		{"mark_unknown", "mast [1].", "mast [9]."},
		{"mark_added", "mast [1].", "mast [1][2]."},
		{"mark_removed", "mast [1].", "mast."},
		{"mark_in_item", "- [2] The", "- [1] The"},
		{"hash", ", hash ", ", hash 0"},
		{"entry_mark", "- F2 [4]", "- F2 [5]"},
		{"entry_removed", "- F2 [4] " + id(400) + " 29-70 supported\n", ""},
		{"passage", "- F2 [4] " + id(400), "- F2 [4] " + id(401)},
		{"passage_of_other_source", "- F2 [4] " + id(400), "- F2 [4] " + id(100)},
		{"passage_unknown", "- F2 [4] " + id(400), "- F2 [4] " + id(4001)},
		{"span", "29-70", "30-70"},
		{"span_far", "29-70", "29-1099511627776"},
		{"verdict", "29-70 supported", "29-70 partly"},
		{"verdict_bettered", "40-75 snippet-only", "40-75 supported"},
		{"quote", "“The two platforms lie", "“The two platforms lay"},
		{"quote_figure", "at 57 m and 116 m”", "at 57 m and 161 m”"},
		{"quote_removed", " “The two platforms lie at 57 m and 116 m”", ""},
		{"source_number", "\n[4] A visitor", "\n[3] A visitor"},
		{"source_title", "\n[4] A visitor's guide", "\n[4] A dealer's guide"},
		{"source_url", "https://tower-friends.test/guide", "https://evil.test/guide"},
		{"source_removed", "[4] A visitor's guide - https://tower-friends.test/guide\n", ""},
		{"source_warning", "⚠ says it is not official", "⚠ says it is official"},
		{"source_added", "\n[5] ", "\n[7] Another page - https://evil.test/\n\n[5] "},
	} {
		t.Run(test.name, func(t *testing.T) {
			if !strings.Contains(whole, test.old) {
				t.Fatalf("%q is not in the report\n%s", test.old, whole)
			}
			if codes, v := verified(t, strings.Replace(whole, test.old, test.new, 1), archive); v.OK ||
				codes[0] != cite.ProblemChanged {
				t.Errorf("found %v", codes)
			}
		})
	}
}

// Who writes the data anew too is still found where a checked sentence or its sources are
// not what the store has, or the sentence does not stand in the text.
func TestTamperingWithARunAndItsData(t *testing.T) {
	r, archive := sound(t)
	for name, change := range map[string]func(r *citewell.Report){
		"sentence and text": func(r *citewell.Report) {
			r.Content = strings.Replace(r.Content, "a height of 312", "a height of 321", 1)
			r.Findings[1].Text = strings.Replace(r.Findings[1].Text, "312", "321", 1)
		},
		"text alone": func(r *citewell.Report) {
			r.Content = strings.Replace(r.Content, "a height of 312", "a height of 321", 1)
		},
		"finding": func(r *citewell.Report) { r.Findings = r.Findings[:6] },
		"url":     func(r *citewell.Report) { r.Sources[0].FinalURL = "https://evil.test/" },
		"task":    func(r *citewell.Report) { r.Task = "Is it pretty?" },
	} {
		changed := r
		changed.Findings, changed.Sources = slices.Clone(r.Findings), slices.Clone(r.Sources)
		change(&changed)
		if codes, v := verified(t, report.WithRecord(changed), archive); v.OK {
			t.Errorf("%s: %v", name, codes)
		}
	}
}

func taskOf(r citewell.Report) string { return "Task: “" + r.Task + "”" }
