package report_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/internal/report"
)

// Each citation of a brief is led to from the place of its finding, and a disagreement says
// who states what.
func TestCitedPlaces(t *testing.T) {
	b, kept := sample(t)
	b.Disagreements[0].Citations[0].Says, b.Disagreements[0].Citations[1].Says = "330 m", "312 metres"
	r := report.OfBrief(b, "brief")
	if want := "“330 m”: “The Corrin Tower is 330 m tall, counted from the quay to the tip of its mast.” [1] “312 " +
		"metres”: “The tower reaches a height of 312 metres.” [4]"; !strings.Contains(r.Content, "- "+want+"\n") {
		t.Errorf("no %q in\n%s", want, r.Content)
	}
	if got, want := r.Findings[len(r.Findings)-1].Text, "“330 m”: “The Corrin Tower is 330 m tall, counted from the "+
		"quay to the tip of its mast.” “312 metres”: “The tower reaches a height of 312 metres.”"; got != want {
		t.Errorf("the disagreement is the finding %q, want %q", got, want)
	}
	kept.briefs[r.ID] = r.Brief()
	if v, err := cite.Verify(t.Context(), r.Brief(), kept); err != nil || !v.OK {
		t.Errorf("%+v, %v", v, err)
	}
	html, headings := report.Content(r, func(c report.Cited) string { return fmt.Sprintf("/c/%d", c.K) })
	cited := report.Citations(r)
	for i, f := range r.Findings {
		p := r.Places[i]
		if p.Finding != i || !strings.HasSuffix(r.Content[p.Start:p.End], "]") && f.Citations[0].Says == "" {
			t.Errorf("finding %d is placed at %q", i, r.Content[p.Start:p.End])
		}
	}
	for _, c := range cited {
		if mark := fmt.Sprintf(`id="m%d" href="/c/%d" aria-label="Source %d, %s, citation %d of %d"`, c.K, c.K, c.N,
			report.Said(c.Verdict).Word, c.K, len(cited)); !strings.Contains(string(html), mark) {
			t.Errorf("nothing leads to citation %d: no %s in\n%s", c.K, mark, html)
		}
	}
	if len(headings) != 4 || headings[0].Words != "Height" ||
		!strings.Contains(string(html), `<h2 id="h1">Height</h2>`) {
		t.Errorf("the headings are %+v", headings)
	}
	counts, all := report.Counts(r)
	said := ""
	for _, c := range counts {
		said += fmt.Sprintf("%d %s, ", c.Number, c.Word)
	}
	if all != len(cited) || said != "0 contradicted, 1 only a snippet, 7 supported, " {
		t.Errorf("of %d: %s", all, said)
	}
	if sites := report.Sites(r); len(sites) != 5 || sites[0].Citations < sites[4].Citations {
		t.Errorf("sites %+v", sites)
	}
}

// Where the words stand on the live page: escaped so that nothing in a quote is read as more
// than words.
func TestLiveAddress(t *testing.T) {
	at := citewell.Source{URL: "https://a.test/p?q=1#part"}
	for quote, want := range map[string]string{
		"A well-known plant, 640 GWh & more.": "https://a.test/p?q=1#:~:text=" +
			"A%20well%2Dknown%20plant%2C%20640%20GWh%20%26%20more%2E",
		"größer": "https://a.test/p?q=1#:~:text=gr%C3%B6%C3%9Fer",
		"":       "https://a.test/p?q=1#part",
		strings.Repeat("one two three four five ", 8) + "six seven eight": "https://a.test/p?q=1#:~:text=" +
			"one%20two%20three%20four,five%20six%20seven%20eight",
	} {
		if got := report.LiveAddress(at, quote); got != want {
			t.Errorf("%q is at %s, want %s", quote, got, want)
		}
	}
	if got := report.LiveAddress(citewell.Source{URL: "file:///tmp/x"}, "x"); got != "" {
		t.Errorf("a file is at %s", got)
	}
}
