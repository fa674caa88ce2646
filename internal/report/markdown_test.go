package report_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/report"
	"github.com/citewell/citewell/internal/testing/golden"
)

// TestMarkdown holds whole renderings of the sample brief and of what can be
// different about a brief.
func TestMarkdown(t *testing.T) {
	for _, test := range []struct {
		name    string
		options report.Options
		change  func(*citewell.Brief)
	}{
		{"full", report.Options{Verification: true}, nil},
		{"compact", report.Options{Compact: true}, nil},
		{"unanswered", report.Options{Compact: true, Verification: true}, func(b *citewell.Brief) {
			for _, f := range b.Findings[:2] {
				b.Nearest = append(b.Nearest, citewell.Nearest{Text: f.Text, Citations: f.Citations[:1]})
			}
			b.Findings, b.Disagreements, b.Outcome = nil, nil, citewell.BriefUnanswered
			b.Gaps = nil
		}},
		{"no_findings", report.Options{Compact: true, Verification: true}, func(b *citewell.Brief) {
			b.Findings, b.Disagreements, b.Gaps = nil, nil, []string{"Nothing that was found answers the question."}
		}},
		{"all_providers_failed", report.Options{Verification: true}, func(b *citewell.Brief) {
			*b = citewell.Brief{Schema: b.Schema, ID: b.ID, Query: b.Query, CreatedAt: b.CreatedAt,
				Gaps: []string{"No provider answered, so nothing was looked up."},
				Coverage: citewell.Coverage{WallMS: 5012, Synthesis: b.Coverage.Synthesis,
					Providers: []citewell.ProviderReport{
						{Name: "duckduckgo", Outcome: citewell.ProviderBlocked, ElapsedMS: 300,
							Detail: "answered with a page for bots"},
						{Name: "searxng", Outcome: citewell.ProviderTimeout, ElapsedMS: 5000},
					}}}
		}},
		{"deadline_hit", report.Options{Compact: true}, func(b *citewell.Brief) {
			b.Coverage.DeadlineHit, b.Coverage.WallMS = true, 25_040
		}},
		{"cache_hit", report.Options{Compact: true}, func(b *citewell.Brief) {
			b.Coverage.Cache, b.Coverage.WallMS = true, 12
		}},
		{"many_sources", report.Options{Compact: true, Verification: true}, func(b *citewell.Brief) {
			for n := len(b.Sources) + 1; n <= 25; n++ {
				b.Sources = append(b.Sources, citewell.Source{N: n, Title: fmt.Sprintf("Page %d", n),
					URL: fmt.Sprintf("https://more.test/%d", n), Host: "more.test", Class: "unknown",
					Outcome: citewell.FetchOK})
			}
			// The last one is cited: it is not among those left out.
			b.Findings[0].Citations = append(b.Findings[0].Citations,
				citewell.Citation{N: 25, Passage: id(2500), Quote: "It is 330 m tall.", End: 17,
					Verdict: citewell.VerdictPartly})
		}},
		{"snippets_only", report.Options{}, func(b *citewell.Brief) {
			for i := range b.Sources {
				b.Sources[i].Outcome, b.Sources[i].Snippet = citewell.FetchTimeout, "What the provider said of it."
			}
			b.Sources[1].Outcome, b.Sources[2].Snippet = "", ""
		}},
		{"bare_sources", report.Options{Compact: true}, func(b *citewell.Brief) {
			b.Sources = []citewell.Source{
				{N: 1, URL: "https://untitled.test/", Host: "untitled.test", Class: "unknown",
					Outcome: citewell.FetchOK},
				{N: 2, Title: "Notes", URL: "file:///home/me/My%20notes/corrin.md", Outcome: citewell.FetchLowYield},
				{N: 3, Title: "⚠ Danger", URL: "https://e.test/A*_search?q=größe", Host: "e.test", Class: "news",
					Date: "2020-02-02", Outcome: citewell.FetchOK, Warning: "says it is not official: “fan page”"},
				{N: 4, Title: strings.Repeat("A very long title. ", 40), URL: "http://10.0.0.1:8080/x",
					Host: "10.0.0.1", Outcome: citewell.FetchOK},
			}
			b.Findings, b.Disagreements, b.Coverage.Fetches = nil, nil, nil
		}},
		{"model_synthesis", report.Options{Compact: true, Verification: true}, func(b *citewell.Brief) {
			b.Coverage.Synthesis = citewell.SynthesisReport{Mode: citewell.SynthesisModel, Model: "demo-model",
				Outcome: "ok", ElapsedMS: 2140}
			b.Findings[0].Text = "“Corrin Tower” is the name of a tower of 330 m (partly)"
			b.Findings[1].Text, b.Findings[1].Citations[0].Verdict = "The tower is 330 metres high.",
				citewell.VerdictContradicted
			b.Findings[2].Citations[1].Verdict = citewell.VerdictPartly
			b.Findings[3].Text, b.Findings[3].Citations = "It has a lift (unsupported)", nil
			b.Disagreements[0].Text = "The height: 330 m or 312 metres."
		}},
		{"model_failed", report.Options{Compact: true}, func(b *citewell.Brief) {
			b.Coverage.Synthesis = citewell.SynthesisReport{Mode: citewell.SynthesisExtractive, Model: "demo-model",
				Outcome: "schema-invalid; timeout", ElapsedMS: 15_000}
		}},
		{"no_topics", report.Options{Compact: true}, func(b *citewell.Brief) {
			b.Query, b.Findings[0].Topic, b.Findings[1].Topic, b.Findings[3].Topic = "What is F # #", "", "\u200b", ""
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			b, _ := sample(t)
			b = clone(b)
			if test.change != nil {
				test.change(&b)
			}
			got := report.Markdown(b, test.options)
			golden.Check(t, "testdata/"+test.name+".md", got)
			if !strings.HasSuffix(got, "\n") || strings.HasSuffix(got, "\n\n") {
				t.Error("does not end in one newline")
			}
			inOrder(t, got, test.options)
		})
	}
}

// inOrder checks that the sections have the promised order, each once.
func inOrder(t *testing.T, markdown string, o report.Options) {
	t.Helper()
	order := []string{"## Key findings", "## Nearest passages", "## Disagreements", "## Gaps", "## Sources",
		"## Additional sources (snippet-only, not fetched)", "## Coverage", "## Verification"}
	at := -1
	for i, line := range strings.Split(markdown, "\n") {
		if i == 0 && !strings.HasPrefix(line, "# Research: ") {
			t.Errorf("begins with %q", line)
		}
		if strings.HasPrefix(line, "## ") {
			place := slices.Index(order, line)
			if place <= at {
				t.Errorf("section %q is unknown, there twice or out of order", line)
			}
			at = place
		}
		if place := slices.Index(order, "## Sources"); strings.HasPrefix(line, "### ①") && (at != place || o.Compact) {
			t.Errorf("an extract outside its place: %q", line)
		}
	}
}

// Tools promise these sizes to models.
func TestSizes(t *testing.T) {
	b, _ := sample(t)
	for options, limit := range map[report.Options]int{{}: 18_000, {Compact: true}: 5000} {
		size := len(report.Markdown(b, options))
		t.Logf("%+v: %d bytes", options, size)
		if size > limit || size < limit/4 {
			t.Errorf("%+v: %d bytes, promised are about %d", options, size, limit)
		}
	}
	for i := range b.Passages { // one block that nothing divides
		b.Passages[i].Text += strings.Repeat(" and so on", 5000)
	}
	if size := len(report.Markdown(b, report.Options{})); size > 20_000 {
		t.Errorf("pages of long passages: %d bytes", size)
	}
}

// Every source that was read shows something, however much those before it have.
func TestEverySourceHasItsShare(t *testing.T) {
	b, _ := sample(t)
	got := report.Markdown(b, report.Options{})
	for n := 1; n <= 5; n++ {
		_, extract, found := strings.Cut(got, fmt.Sprintf("\n### %c", '①'+n-1))
		extract, _, _ = strings.Cut(extract, "\n#")
		if !found || strings.Count(extract, "> ") < 3 {
			t.Errorf("source %d has no fair extract: %q", n, extract)
		}
	}
}

// What a provider says of itself is shown whole where it is a few sentences, and is
// cut at a word where it is a flood.
func TestLongDetails(t *testing.T) {
	shown := func(detail string) string {
		b := citewell.Brief{Coverage: citewell.Coverage{Providers: []citewell.ProviderReport{
			{Name: "searxng", Outcome: citewell.ProviderOK, Detail: detail}}}}
		_, after, _ := strings.Cut(report.Markdown(b, report.Options{}), "searxng: ")
		line, _, _ := strings.Cut(after, "\n")
		return line
	}
	if few := strings.TrimSpace(strings.Repeat("engine behind it; ", 40)); !strings.HasSuffix(shown(few),
		" ("+few+")") {
		t.Errorf("%d bytes became %q", len(few), shown(few))
	}
	if said, want := shown("GET http://127.0.0.1:9/a_b*c refused (see https://x.example/.): *no* "+
		"[x](https://y.example)"),
		"ok, 0 results, 0.0s (GET `http://127.0.0.1:9/a_b*c` refused (see `https://x.example/`.): \\*no\\* "+
			"\\[x\\](`https://y.example`))"; said != want {
		t.Errorf("addresses are said as %s, want %s", said, want)
	}
	if flood := shown(strings.Repeat("engine ", 1000)); !strings.HasSuffix(flood, "engine …)") || len(flood) < 600 ||
		len(flood) > 1000 {
		t.Errorf("%d bytes, %q", len(flood), flood)
	}
}
