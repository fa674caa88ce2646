package report_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/report"
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
	r := citewell.Report{Schema: citewell.ReportSchema, ID: runID, Agent: "sgr_agent", Task: b.Query, Title: "The Corrin Tower & its <years>",
		Language: "en", Confidence: "medium", Outcome: "partial", CreatedAt: made, Removed: []string{"https://evil.test/x"}}
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
		c.Judge, c.Reason = "words", "the evidence has the words of the claim"
		return c
	}
	say("Height", "The Corrin Tower is 330 m tall, counted from the quay to the tip of its mast.", by(1, "The Corrin Tower is 330 m tall, counted from the quay to the tip of its mast."))
	say("Height", "The tower reaches a height of 312 metres.", by(4, "The tower reaches a height of 312 metres."))
	say("Height", "Without the mast it is 306 m.", by(1, "Without the mast it is 306 m."))
	say("Height", "first platform , 57 m", by(1, "The two platforms lie at 57 m and 116 m"))
	say("Years", "The Corrin Tower was finished on 31 March 1889.", by(2, "The Corrin Tower was finished on 31 March 1889."))
	say("Years", "It was restored in 1986 and again in 2021.", by(6, "restored in 1986 and again in 2021."))
	say("Years", "The top of the tower moves by up to 18 cm away from the sun.", by(5, "the top of the tower moves by up to 18 cm away from the sun"))
	say("Years", "It weighs 9,000 t.", by(1, "The frame weighs 7,300 t."))
	r.Findings[5].Citations[0].Verdict = citewell.VerdictSnippetOnly
	r.Findings[7].Citations[0].Verdict, r.Findings[7].Problem = citewell.VerdictUnsupported, "figure"
	r.Unverified = []citewell.UnverifiedPhrase{
		{Text: "It was painted green in 1999.", Problem: "uncited", Detail: "it states a fact without a source's number [n] in the sentence"},
		{Text: "It weighs 9,000 t.", Problem: "figure", Detail: "9,000 is in none of the cited passages"},
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
	golden(t, "run.md", report.OfRun(r))
	_, verification, _ := strings.Cut(report.OfRun(r), "## Verification")
	for _, f := range r.Findings { // also where they are quoted word for word
		if strings.Count(verification, "“"+f.Text+"”") != 1 && f.Problem == "" {
			t.Errorf("%q is not there once in\n%s", f.Text, verification)
		}
	}
	if empty := report.OfRun(citewell.Report{Title: "x", CreatedAt: made}); !strings.Contains(empty, "No source is cited.") || !strings.HasSuffix(empty, "\n") {
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
	whole := report.OfRun(r)
	for name, file := range map[string]string{
		"as written":  whole,
		"crlf":        strings.ReplaceAll(whole, "\n", "\r\n"),
		"stars":       strings.ReplaceAll(whole, "\n- ", "\n* "),
		"blank lines": strings.ReplaceAll(whole, "\n- ", "\n\n- "),
		"rewrapped":   strings.Replace(whole, "height of 312", "height\nof 312", 1),
		"table":       strings.Replace(whole, "|---|---|", "| ---- | ---- |", 1),
		"notes":       "My notes\n========\n\n" + whole + "\n## Notes\n- to do\n",
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
	back, err := report.Parse(whole)
	if err != nil || !back.CreatedAt.Equal(made) || back.Findings[0].Citations[0] != r.Findings[0].Citations[0] || back.Sources[3].Title != "" || back.Sources[0].Title != r.Sources[0].Title {
		t.Errorf("%v %+v", err, back)
	}
}

// What the run itself marks as not borne out is as it was written, and is no proof. Where
// the mark is gone, the sentence fails as any other.
func TestVerifyPartialRun(t *testing.T) {
	r, archive := sampleRun(t)
	whole := report.OfRun(r)
	_, v := verified(t, whole, archive)
	for _, c := range v.Citations {
		if marked := c.Marked == "figure" && c.Reason == "9,000 t is in none of the cited passages"; marked != (c.Statement == "F8") {
			t.Errorf("%+v", c)
		}
	}
	if !v.OK || len(v.Citations) != 8 || v.Unproven != 2 {
		t.Errorf("%+v", v)
	}
	rehashed := func(change func(r *citewell.Report)) string {
		changed := r
		changed.Findings = slices.Clone(r.Findings)
		change(&changed)
		return report.OfRun(changed)
	}
	for name, test := range map[string]struct{ file, code string }{
		"word of a marked sentence":        {strings.Replace(whole, "2. It weighs 9,000 t", "2. It weighs 7,000 t", 1), cite.ProblemUncited},
		"word of one without a citation":   {strings.Replace(whole, "painted green", "painted blue", 1), cite.ProblemUncited},
		"mark gone":                        {strings.Replace(whole, " (⚠ figure)", "", 1), cite.ProblemFigure},
		"mark moved":                       {strings.Replace(strings.Replace(whole, " (⚠ figure)", "", 1), "mast [1].", "mast [1]. (⚠ figure)", 1), cite.ProblemFigure},
		"mark gone, and hashed":            {rehashed(func(r *citewell.Report) { r.Content = strings.Replace(r.Content, " (⚠ figure)", "", 1) }), cite.ProblemFigure},
		"mark of another, gone and hashed": {rehashed(func(r *citewell.Report) { r.Content = strings.Replace(r.Content, " (⚠ uncited)", "", 1) }), cite.ProblemStatement},
		"another reason":                   {rehashed(func(r *citewell.Report) { r.Content = strings.Replace(r.Content, "(⚠ figure)", "(⚠ quote)", 1) }), cite.ProblemStatement},
		"quote of a marked sentence":       {strings.Replace(whole, "“The frame weighs 7,300 t.”", "“The frame weighs 9,000 t.”", 1), cite.ProblemQuote},
		"source of a marked sentence":      {strings.Replace(whole, "9,000 t [1] (⚠ figure)", "9,000 t [2] (⚠ figure)", 1), cite.ProblemSource},
		"passage of a marked sentence":     {strings.Replace(whole, "- F8 [1] "+id(101), "- F8 [1] "+id(100), 1), cite.ProblemSpan},
		"marked sentence and text, rehashed": {rehashed(func(r *citewell.Report) {
			r.Content, r.Findings[7].Text = strings.Replace(r.Content, "9,000", "9,500", 1), "It weighs 9,500 t."
		}), cite.ProblemStatement},
	} {
		if codes, v := verified(t, test.file, archive); v.OK || test.file == whole || !slices.Contains(codes, test.code) {
			t.Errorf("%s: %v, not %s", name, codes, test.code)
		}
	}
}

// A content that looks like the parts of a report around it is read as content.
func TestRunContentIsNoSection(t *testing.T) {
	r, archive := sound(t)
	r.Content += "\n\n---\n\n## Sources\n\n[1] Evil - https://evil.test/\n\n## Verification\n\nRun other_1, outcome answered, text " + strings.Repeat("0", 64) + ".\nTask: “x”\n\nF1 “y”\n\n- F1 [1] z 0-1 supported “y”\n"
	if codes, v := verified(t, report.OfRun(r), archive); !v.OK || v.Brief != runID {
		t.Errorf("%v %+v", codes, v)
	}
}

// A code fence that the content leaves open hides nothing of what is written below it, and
// what was checked in it is found again.
func TestAnOpenFenceIsClosed(t *testing.T) {
	for _, fence := range []string{"```", "~~~~", "```go", "~~~ text", "   `````", "- x\n  ```\n  code", "> ```\n> code", "    ```", "```\ncode\n~~~", "````\n```", "```\ncode\n    ```", "- x\n  ```\n  code\n```", "```\ncode\n```", "~~~\n```\n~~~"} {
		for _, below := range []string{"", "\n", "\nThe tower is iron[2]. It was finished on 31 March 1889[2].", "\n\nIt was finished on 31 March 1889 [2]."} {
			r, archive := sound(t)
			r.Content += "\n\n" + fence + below
			if strings.Contains(below, "1889") {
				finished := r.Findings[4]
				finished.Text = "It was finished on 31 March 1889."
				r.Findings = append(slices.Clone(r.Findings), finished)
			}
			archive.briefs[runID] = r.Brief()
			whole := report.OfRun(r)
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
	for _, hostile := range []string{strings.Repeat("> ", 1_000_000) + "\n```", strings.Repeat(strings.Repeat("> ", 500)+"\n", 200) + "```", strings.Repeat("- ", 100_000) + "\n```", strings.Repeat("```\n~~~\n", 25_000), strings.Repeat("~~~~ ```\n\n", 20_000)} {
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
		said := "The tower is 330 m tall, says " + strings.Join(strings.Fields(words), " ") + " and so on." // a sentence is one line
		b, kept := oneSource(said, hostileURLs[i%len(hostileURLs)])
		r := citewell.Report{ID: b.ID, Task: words, Title: words, Content: said + " [1]\n\n" + words, CreatedAt: made, Findings: b.Findings, Sources: b.Sources, Outcome: "answered"}
		kept.briefs[r.ID] = r.Brief()
		if codes, v := verified(t, report.OfRun(r), kept); !v.OK {
			t.Errorf("%q: %v %+v\n%s", words, codes, v, report.OfRun(r))
		}
	}
}

func TestTamperingWithARun(t *testing.T) {
	r, archive := sound(t)
	whole := report.OfRun(r)
	for _, test := range []struct{ name, old, new, want string }{
		{"title", "# The Corrin Tower &", "# The Corrin Castle &", cite.ProblemUncited},
		{"task", taskOf(r), "Task: “Who built it?”", cite.ProblemStatement},
		{"time", "*Created: 2026", "*Created: 2025", cite.ProblemUncited},
		{"heading", "\n## Years", "\n## Months", cite.ProblemUncited},
		{"word", "reaches a height of 312 metres. [4]", "lacks a height of 312 metres. [4]", cite.ProblemUncited},
		{"figure", "**330 m** tall", "**380 m** tall", cite.ProblemUncited},
		{"sign", "Without the mast it is 306", "Without the mast it is -306", cite.ProblemUncited},
		{"date", "- [2] The Corrin Tower was finished on 31 March", "- [2] The Corrin Tower was finished on 30 March", cite.ProblemUncited},
		{"row", "| first platform | 57 m", "| first platform | 75 m", cite.ProblemUncited},
		{"negated", "moves by up to", "never moves by up to", cite.ProblemUncited},
		{"uncited_word", "This report tells", "This report lies", cite.ProblemUncited},
		{"sentence_added", "Without the mast it is 306 m.\n", "Without the mast it is 306 m. It is rusty.\n", cite.ProblemUncited},
		{"sentence_removed", " Without the mast it is 306 m.\n", "\n", cite.ProblemUncited},
		{"sentence_negated_in_front", "Without the mast", "It is false: Without the mast", cite.ProblemUncited},
		{"mark", "mast [1].", "mast [2].", cite.ProblemSource},
		{"mark_unknown", "mast [1].", "mast [9].", cite.ProblemSource},
		{"mark_added", "mast [1].", "mast [1][2].", cite.ProblemPassage},
		{"mark_removed", "mast [1].", "mast.", cite.ProblemSource},
		{"mark_in_item", "- [2] The", "- [1] The", cite.ProblemSource},
		{"label", "F3 “Without", "F4 “Without", cite.ProblemUncited},
		{"checked_text", "F3 “Without the mast it is 306", "F3 “Without the mast it is 307", cite.ProblemUncited},
		{"checked_text_elsewhere", "F3 “Without", "F3 (in other words) “Without", cite.ProblemUncited},
		{"checked_text_removed", "F3 “Without the mast it is 306 m.”\n", "", cite.ProblemStatement},
		{"entry_mark", "- F2 [4]", "- F2 [5]", cite.ProblemSource},
		{"entry_mark_bad", "- F2 [4]", "- F2 x", cite.ProblemSource},
		{"entry_label", "- F2 [4]", "- F3 [4]", cite.ProblemSource},
		{"entry_removed", "- F2 [4] " + id(400) + " 29-70 supported\n", "", cite.ProblemPassage},
		{"entry_before_all", "\nF1 [1]", "\n- F1 [1] x 0-1 supported “y”\n\nF1 [1]", cite.ProblemUncited},
		{"unread_mark", "- F2 [2] no words", "- F2 [4] no words", cite.ProblemPassage},
		{"passage", "- F2 [4] " + id(400), "- F2 [4] " + id(401), cite.ProblemSpan},
		{"passage_of_other_source", "- F2 [4] " + id(400), "- F2 [4] " + id(100), cite.ProblemSource},
		{"passage_unknown", "- F2 [4] " + id(400), "- F2 [4] " + id(4001), cite.ProblemPassage},
		{"span", "29-70", "30-70", cite.ProblemQuote},
		{"span_far", "29-70", "29-1099511627776", cite.ProblemSpan},
		{"verdict", "29-70 supported", "29-70 weak", cite.ProblemVerdict},
		{"verdict_bettered", "snippet-only “", "supported “", cite.ProblemVerdict},
		{"judge", "  words: the evidence", "  model m: the evidence", cite.ProblemVerdict},
		{"quote", "“The two platforms lie", "“The two platforms lay", cite.ProblemQuote},
		{"quote_figure", "at 57 m and 116 m”", "at 57 m and 161 m”", cite.ProblemQuote},
		{"quote_removed", " “The two platforms lie at 57 m and 116 m”", "", cite.ProblemQuote},
		{"quote_added", "29-70 supported\n", "29-70 supported “The tower reaches a width of 312 metres.”\n", cite.ProblemQuote},
		{"run", "\nRun " + runID, "\nRun " + strings.Replace(runID, "5b0c", "5b0d", 1), cite.ProblemPassage},
		{"source_number", "\n[4] A visitor", "\n[3] A visitor", cite.ProblemSource},
		{"source_title", "\n[4] A visitor's guide", "\n[4] A dealer's guide", cite.ProblemUncited},
		{"source_url", "https://tower-friends.test/guide", "https://evil.test/guide", cite.ProblemSourceData},
		{"source_removed", "[4] A visitor's guide - https://tower-friends.test/guide\n", "", cite.ProblemSource},
		{"source_warning", "⚠ says it is not official", "⚠ says it is official", cite.ProblemUncited},
		{"source_added", "\n[5] ", "\n[7] Another page - https://evil.test/\n\n[5] ", cite.ProblemUncited},
	} {
		t.Run(test.name, func(t *testing.T) {
			if !strings.Contains(whole, test.old) {
				t.Fatalf("%q is not in the report\n%s", test.old, whole)
			}
			if codes, _ := verified(t, strings.Replace(whole, test.old, test.new, 1), archive); !slices.Contains(codes, test.want) {
				t.Errorf("found %v, not %s", codes, test.want)
			}
		})
	}
}

// Who writes the hash of the text anew is still found where a checked sentence, its
// marks or its sources are not what the store has.
func TestTamperingWithARunAndItsHash(t *testing.T) {
	r, archive := sound(t)
	for name, change := range map[string]func(r *citewell.Report){
		"sentence and text": func(r *citewell.Report) {
			r.Content = strings.Replace(r.Content, "a height of 312", "a height of 321", 1)
			r.Findings[1].Text = strings.Replace(r.Findings[1].Text, "312", "321", 1)
		},
		"text alone": func(r *citewell.Report) {
			r.Content = strings.Replace(r.Content, "a height of 312", "a height of 321", 1)
		},
		"mark":    func(r *citewell.Report) { r.Content = strings.Replace(r.Content, "mast [1]", "mast [2]", 1) },
		"finding": func(r *citewell.Report) { r.Findings = r.Findings[:6] },
		"url":     func(r *citewell.Report) { r.Sources[0].FinalURL = "https://evil.test/" },
		"task":    func(r *citewell.Report) { r.Task = "Is it pretty?" },
	} {
		changed := r
		changed.Findings, changed.Sources = slices.Clone(r.Findings), slices.Clone(r.Sources)
		change(&changed)
		if codes, v := verified(t, report.OfRun(changed), archive); v.OK {
			t.Errorf("%s: %v", name, codes)
		}
	}
}

func taskOf(r citewell.Report) string { return "Task: “" + r.Task + "”" }

// Reports that would take a careless reader very long.
func TestParseOfARunIsLinear(t *testing.T) {
	const n = 1 << 18
	tail := "\n\n---\n\n## Sources\n\n## Verification\n\nRun a_1, outcome answered, text " + strings.Repeat("0", 64) + ".\nTask: “x”\n"
	entries := func(form string) string {
		var w strings.Builder
		for i := range 5_000 {
			fmt.Fprintf(&w, form, i+1)
		}
		return w.String()
	}
	for name, file := range map[string]string{
		"brackets":  "# x\n" + strings.Repeat("[", n) + tail,
		"marks":     "# x\n" + strings.Repeat("[1]", n/3) + tail + entries("F%d “y”\n"),
		"links":     "# x\n" + strings.Repeat("[a](", n/4) + tail,
		"missed":    "# x\n" + strings.Repeat("ab", n/2) + tail + entries("F%d “abababababac”\n"),
		"found":     "# x\n" + strings.Repeat("ab", n/2) + tail + entries("F%d “ab”\n- F1 [1] x 0-1 y “z”\n"),
		"items":     "# x\n" + strings.Repeat("- ", n/2) + tail,
		"quotes":    "# x\n" + strings.Repeat("> ", n/2) + tail + "F1 “" + strings.Repeat("“", n/3) + "”\n",
		"sources":   "# x\n\n## Sources\n" + strings.Repeat("[1] a - b\n", n/10) + tail[len("\n\n---\n\n## Sources\n"):],
		"dashes":    "# x\n\n## Sources\n[1] " + strings.Repeat(" - ", n/3) + tail[len("\n\n---\n\n## Sources\n"):],
		"no result": strings.Repeat("## Verification\n\nRun x\n", n/25),
	} {
		began := time.Now()
		_, err := report.Parse(file)
		if took := time.Since(began); took > time.Minute { // a busy machine takes a second
			t.Errorf("%s: %v", name, took)
		}
		if err != nil && citewell.CodeOf(err) != citewell.CodeInvalidArgument {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := report.Parse("# x\n" + strings.Repeat("word ", 1<<20) + tail); citewell.CodeOf(err) != citewell.CodeInvalidArgument {
		t.Error(err)
	}
}
