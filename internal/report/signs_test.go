package report_test

import (
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/notation"
	"github.com/citewell/citewell/internal/report"
)

// stands is a report of one sentence for each verdict, and one that a judge supports.
func stands(t *testing.T) citewell.Report {
	t.Helper()
	r := citewell.Report{ID: "a_1", Task: "How tall is it?", Title: "Towers", Outcome: "answered",
		Sources: []citewell.Source{{N: 1, URL: "https://a.test/"}, {N: 2, URL: "https://b.test/"}}}
	for _, one := range []struct {
		said, by string
		verdict  citewell.Verdict
	}{
		{"It is old [1].", "words", citewell.VerdictSupported},
		{"It is tall [1].", "judge wise", citewell.VerdictSupported},
		{"It is thin [1].", "judge wise", citewell.VerdictPartly},
		{"It is red ①.", "words", citewell.VerdictUndecided}, {
			"It is [here [1]](https://a.test/).", "words", citewell.VerdictUndecided},
		{"It leans [1](https://a.test/).", "words", citewell.VerdictSnippetOnly},
		{"It is new [1].", "words", citewell.VerdictContradicted},
		{"It is big [1, 2].", "words", citewell.VerdictUnsupported}, {"It sings [1].", "words", "invented"},
	} {
		start := len(r.Content)
		r.Content += one.said
		r.Places = append(r.Places, citewell.Place{Start: start, End: len(r.Content), Finding: len(r.Findings)})
		f := citewell.Finding{Text: agent.Sentences(one.said)[0].Text}
		for _, n := range notation.ParseMarks(one.said) {
			f.Citations = append(f.Citations, citewell.Citation{N: n, Passage: "p", Quote: "q", Verdict: one.verdict,
				By: one.by, Reason: "read"})
			one.verdict, one.by = citewell.VerdictSupported, "judge wise" // of a second source
		}
		r.Findings = append(r.Findings, f)
		r.Content += "\n\n"
	}
	return r
}

// Markdown tells by a sign behind the number how a citation stands, and explains the signs that
// occur. Who reads such a file takes the sign for part of the number.
func TestSigns(t *testing.T) {
	r := stands(t)
	file := report.OfRun(r)
	for _, want := range []string{"It is old [1].", "It is tall [1]≈.", "It is thin [1]◐.", "It is red ①⊙.",
		"It leans [1](https://a.test/)◌.", "It is new [1]✗.", "It is big [1]⊖[2]≈.", "It sings [1]⊘.",
		"\n*Signs behind numbers: ≈ supported by a judge · ⊙ undecided · ◌ only a snippet · ◐ partly · ⊘ without " +
			"source · ⊖ unsupported · ✗ contradicted*\n\n---\n"} {
		if !strings.Contains(file, want) {
			t.Errorf("no %q in\n%s", want, file)
		}
	}
	for _, s := range agent.Sentences(file[:strings.Index(file, "*Signs")]) {
		if strings.ContainsAny(s.Text, notation.Signs) && !strings.Contains(s.Text, "https") {
			t.Errorf("%q has a sign", s.Text)
		}
	}
	stamp, record, err := report.Parse(report.WithRecord(r))
	if err != nil || len(record.Changes(file, stamp)) > 0 {
		t.Errorf("%v %+v", err, record.Changes(file, stamp))
	}
	r.Findings, r.Places = r.Findings[:1], r.Places[:1]
	if file := report.OfRun(r); strings.ContainsAny(strings.Split(file, "---")[0], notation.Signs) ||
		strings.Contains(file, "*Signs") {
		t.Errorf("what words support has a sign\n%s", file)
	}
}

// The page tells the same by shapes with a name, counts what a judge supports apart, and takes no
// verdict of a file for a judge's that says only that it is one.
func TestShapes(t *testing.T) {
	r := stands(t)
	page := checkPage(t, r)
	html := report.HTML(r)
	for _, want := range []string{
		`<a class="mark supported" id="m1" href="#c1" aria-label="Source 1, supported, citation 1 of 10">[1]</a>`,
		`<a class="mark by-judge" id="m2" href="#c2" aria-label="Source 1, supported by a judge, citation 2 of 10" title="Supported by the source, as a judge reads it">[1<svg class="glyph" aria-hidden="true"><use href="#v-by-judge"></use></svg>]</a>`,
		`<a class="mark partly" id="m3" href="#c3" aria-label="Source 1, partly, citation 3 of 10" title="Partly supported by the source"`, `<span class="by-judge"><svg`} {
		if !strings.Contains(html, want) {
			t.Errorf("no %s in\n%s", want, html)
		}
	}
	for _, want := range []string{"1 supported\n", "2 supported by a judge\n", "1 without source"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
	r.Findings[0].Citations[0].Verdict, r.Findings[0].Citations[0].By = report.ByJudge, "judge wise"
	if html := report.HTML(r); !strings.Contains(html, `<a class="mark no-source" id="m1"`) {
		t.Error("a verdict that is none is shown as a judge's")
	}
}

// Who reads the file of a run as a text that somebody wrote finds its content and what its numbers stand for, in
// the same lines, and nothing that is ours.
func TestNumberedLeavesOutWhatIsOurs(t *testing.T) {
	r := stands(t)
	r.Outcome, r.Reason = "partial", "the budget of 30 calls was spent"
	r.Sources[0].Title, r.Sources[0].Warning = "Towers - 340 m", "It was retracted in 2020."
	said := r.Content
	for _, problem := range []string{cite.ProblemUnsupported, cite.ProblemUncited} {
		said += "It has 30 rooms [1]. Its 24 turbines turn [2].\n\n"
		r.Content += "It has 30 rooms [1]. " + citewell.Remark(problem) + " Its 24 turbines turn [2].\n\n"
	}
	r.Content, said = r.Content+"*So: it ends.*", said+"*So: it ends.*"
	for name, file := range map[string]string{"whole": report.OfRun(r),
		"windows": strings.ReplaceAll(report.OfRun(r), "\n", "\r\n"), "of the store": report.OfRun(r)} {
		got := report.Numbered(file + "\n## What I think\n\nIt sways [1].\n")
		if strings.Count(got, "\n") != strings.Count(file, "\n")+4 {
			t.Errorf("%s: the lines have moved:\n%s", name, got)
		}
		var lines []string
		for line := range strings.Lines(got) {
			if line = strings.TrimSpace(line); line != "" && line != "---" {
				lines = append(lines, line)
			}
		}
		want := append([]string{"# Towers"}, strings.Split(strings.ReplaceAll(said, "[1, 2]", "[1][2]"), "\n\n")...)
		want = append(want, "[1]: https://a.test/", "[2]: https://b.test/", "## What I think", "It sways [1].")
		if got, want := strings.Join(lines, "\n"), strings.Join(want, "\n"); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
		}
	}
	for _, other := range []string{"# A\n\nIt is old [1]≈. (⚠ unsupported)\n",
		"## Sources\n\n[1] A - https://a.test/\n"} {
		if got := report.Numbered(other); got != other {
			t.Errorf("no report of ours is read as %q", got)
		}
	}
}
