package agent_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/extract"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/report"
	"github.com/citewell/citewell/internal/runstore"
)

// told is what the model was told of its last call.
func told(s *script) string {
	last := s.asked[len(s.asked)-1].Messages
	return last[len(last)-1].Content
}

// A text is sent back with its sentences named, at most twice; then it is published
// with them marked.
func TestWhatDoesNotHoldIsSentBackTwiceAndThenMarked(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	tests := []struct {
		name, sentence string // PLANT and WIKI are numbers
		problem        string
	}{
		{"an invented figure", "The Skarrow Sound tidal plant generates 710 GWh of electricity in an average " +
			"year PLANT.", "contradicted figure"},
		{"an invented date", "The Skarrow Sound tidal plant opened on 3 June 2021 WIKI.", "contradicted figure"},
		{"an altered quote", "The owner writes that “it has no fuel, no chimney and plenty of weather to wait " +
			"for” PLANT.", "quote"},
		{"an unknown number", "The plant has an installed capacity of 286 megawatts [77].", "unknown_number"},
		{"no number", "The plant has an installed capacity of 286 megawatts.\n\nThe construction cost was €1.26 " +
			"billion.", "uncited"},
		{"after code in a line", "```pip install skarrow```\n\nThe Skarrow Sound tidal plant generates 710 GWh of " +
			"electricity in an average year PLANT.", "contradicted figure"},
		{"between fences", "```\nThe Skarrow Sound tidal plant generates 710 GWh of electricity in an average year " +
			"PLANT.\n```", "contradicted figure"},
		{"in a heading", "## The Skarrow Sound tidal plant generates 710 GWh of electricity in an average year PLANT",
			"contradicted figure"},
		{"before a list", "The Skarrow Sound tidal plant generates 710 GWh of electricity in an average year:",
			"uncited"},
		{"in a heading that cites nothing", "## The Skarrow Sound tidal plant generates 710 GWh of electricity in an " +
			"average year", "uncited"},
		{"in a question", "The Skarrow Sound tidal plant generates 710 GWh of electricity in an average year, does " +
			"it not?", "uncited"},
		{"in a question that cites", "The Skarrow Sound tidal plant generates 710 GWh of electricity in an average " +
			"year, does it not PLANT?", "contradicted figure"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := newDesk(t)
			bad := seeing(func(shown string) reply {
				return calls(reportCall(strings.NewReplacer("PLANT", number(shown, "/plant"), "WIKI",
					number(shown, "/page/Skarrow_Sound_tidal_plant")).Replace(
					test.sentence + "\n\nThe Skarrow Sound tidal plant generates 640 GWh of electricity in " +
						"an average " +
						"year PLANT.")))
			})
			m := &script{replies: []reply{calls(searchFor("Skarrow Sound tidal plant electricity a year")),
				calls(d.readPlant()), bad, bad, bad, calls(finalCall("The report is written."))}}
			r := run(t, d.options(t, agent.ShapeToolCalling, m), question)
			if r.Outcome != runstore.RunPartial || r.State != runstore.RunCompleted || len(m.asked) != 6 {
				t.Fatalf("%s %s after %d answers: %s", r.State, r.Outcome, len(m.asked), told(m))
			}
			if r.Iteration != 4 {
				t.Errorf("%d iterations; a report that is sent back is none", r.Iteration)
			}
			for _, again := range m.asked[3:5] {
				said := again.Messages[len(again.Messages)-1].Content
				first, _, _ := strings.Cut(test.sentence[max(0, strings.Index(test.sentence, "The ")):], " ")
				if !strings.HasPrefix(said, "Error (citations_failed)") || !strings.Contains(said, "“"+first) {
					t.Errorf("the model was told %q", said)
				}
			}
			u := r.Report.Unverified
			if len(u) == 0 || !strings.Contains(test.problem, u[0].Problem) {
				t.Fatalf("unverified %+v, want %s", u, test.problem)
			}
			if strings.Contains(r.Report.Content, "[77]") || strings.Count(r.Report.Content, "⚠") != len(u) {
				t.Errorf("content %s", r.Report.Content)
			}
			file, err := os.ReadFile(r.ReportPath)
			if err != nil || !strings.Contains(string(file), "### Not verified") {
				t.Errorf("file %v\n%s", err, file)
			}
		})
	}
}

// Addresses that are no cited source go, in whatever form they come.
func TestAddressesThatAreNoCitedSourceAreRemoved(t *testing.T) {
	d := newDesk(t)
	content := func(shown string) string {
		return goodText(shown) + "\n\n![x](https://evil.test/p?q=1) See [the site](https://evil.test/a), " +
			"www.evil.com, evil.com/x and https://evil.test. Node.js stays. <img src=x>\n\n" +
			"## Sources\n\n[1] Somewhere - https://evil.test/list\n"
	}
	m := &script{replies: []reply{calls(searchFor("Skarrow Sound tidal plant electricity a year")),
		calls(d.readPlant()),
		seeing(func(shown string) reply { return calls(reportCall(content(shown))) }), seeing(func(shown string) reply {
			return calls(reportCall(content(shown)))
		}),
		seeing(func(shown string) reply { return calls(reportCall(content(shown))) }),
		calls(finalCall("The report is written."))}}
	r := run(t, d.options(t, agent.ShapeToolCalling, m), question)
	if c := r.Report.Content; strings.Contains(c, "evil") || strings.Contains(c, "<img") || strings.Contains(c, "![") ||
		!strings.Contains(c, "Node.js") || strings.Contains(c, "## Sources") {
		t.Errorf("content %s", c)
	}
	if len(r.Report.Removed) < 4 {
		t.Errorf("removed %q", r.Report.Removed)
	}
}

// A source that was cited but never read is read then; one that cannot be read is
// cited by its snippet, and says so.
func TestACitedSourceIsReadBeforeItCounts(t *testing.T) {
	d := newDesk(t)
	m := &script{replies: []reply{calls(searchFor("Skarrow Sound tidal plant electricity a year")),
		seeing(func(shown string) reply { return calls(finalCall(goodText(shown))) })}}
	r := run(t, d.options(t, agent.ShapeToolCalling, m), question)
	if r.Outcome != runstore.RunAnswered || len(d.reads) != 2 || r.Usage.Fetches != 2 || r.Report == nil ||
		r.ReportPath != "" {
		t.Fatalf("%+v, read %q", r, d.reads)
	}

	d = newDesk(t)
	o := d.options(t, agent.ShapeToolCalling, &script{replies: []reply{
		calls(searchFor("Skarrow Sound tidal plant electricity a year")),
		seeing(func(shown string) reply {
			return calls(finalCall("The Skarrow Sound tidal plant generates 640 GWh of electricity in an " +
				"average year " + number(shown, "/plant") + "."))
		})}})
	o.Reader = unreadable{}
	var told []string
	o.Tell = func(e agent.Event) {
		if e.Kind == "read" || e.Kind == "unread" {
			told = append(told, e.Kind)
		}
	}
	r = run(t, o, question)
	if !slices.Equal(told, []string{"unread"}) {
		t.Errorf("told %q of a page that nobody could read", told)
	}
	if len(r.Report.Findings) != 1 || r.Report.Findings[0].Citations[0].Verdict != citewell.VerdictSnippetOnly ||
		r.Report.Sources[0].FinalURL != "" {
		t.Errorf("%+v", r.Report)
	}
}

// An indexed file is found, read and cited as a page is; a page or a user cannot name
// one.
func TestAnIndexedFileIsASource(t *testing.T) {
	db, s := newStore(t), newShelf()
	const file = "file:///home/me/notes.txt"
	body := "The herons at Alder Lake were counted on 3 April 2024."
	page := citewell.Page{URL: file, FinalURL: file, Status: 200, ContentType: "text/plain; charset=utf-8",
		Body: []byte(body), SHA256: citewell.SHA256([]byte(body)), FetchedAt: time.Now().UTC(),
		Outcome: citewell.FetchOK}
	doc, err := extract.Extract(t.Context(), page)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.PutSnapshot(t.Context(), page, doc); err != nil {
		t.Fatal(err)
	}
	read := func(u string) reply {
		return calls(call("extract_page_content_tool", args{"reasoning": "x", "urls": []string{u}}))
	}
	s.pages = map[string]string{file: "Notes about the herons, and when they were counted."}
	m := &script{replies: []reply{read("file:///etc/passwd"), calls(searchFor("herons")), read(file),
		calls(finalCall("The herons were counted on 3 April 2024 [1]."))}}
	o := s.options(agent.ShapeToolCalling, m)
	o.Reader, o.Archive = agent.Pages{Local: db, Extract: extract.Extract}, db
	r := run(t, o, "When were the herons counted? file:///etc/passwd")
	if r.Outcome != runstore.RunAnswered || len(r.Sources) != 1 || r.Sources[0].FinalURL != file {
		t.Errorf("%+v\n%s", r, told(m))
	}
	if said := m.asked[1].Messages[3].Content; !strings.Contains(said, "not read") ||
		strings.Contains(said, "not_found") {
		t.Errorf("told %s", said)
	}
}

// One sentence may lean on several sources, each for its own part, and on what its
// paragraph cites.
func TestASentenceMayLeanOnSeveralSources(t *testing.T) {
	for name, test := range map[string]struct {
		answer   string
		findings int
		citing   int // citations of the first
		outcome  runstore.RunOutcome
	}{
		"two sources, two figures": {"In the spring of 2024 the wardens counted 312 grey herons at Alder Lake, " +
			"which covers 48 hectares [2][3].", 1, 2, runstore.RunAnswered},
		"and one that neither has": {"In the spring of 2024 the wardens counted 312 grey herons at Alder Lake, " +
			"which covers 77 hectares [2][3].", 1, 2, runstore.RunPartial},
		"the paragraph's source": {"Alder Lake covers 48 hectares [3]. Swimming is allowed from May to " +
			"September.", 2, 1, runstore.RunAnswered},
		"not in the paragraph's source": {"Alder Lake covers 48 hectares [3]. Sailing boats are rented out by the " +
			"harbour master.", 1, 1, runstore.RunPartial},
		"marks behind the full stop": {"Alder Lake covers 48 hectares.[3] The colony of herons was founded in " +
			"1987.[2]", 2, 1, runstore.RunAnswered},
		"a true quotation": {"The guide says that “a warden explains the colony on Sundays” [1].", 1, 1,
			runstore.RunAnswered},
		"one with words left out": {"The guide says “the hide at Alder Lake opens … and a warden explains the " +
			"colony on Sundays” [1].", 1, 1, runstore.RunPartial},
		"with words truly left out": {"The guide says “the hide […] opens at seven in the morning” [1].", 1, 1,
			runstore.RunAnswered},
		"a table": {"| Lake | Area |\n|---|---|\n| Alder Lake | 48 hectares [3] |", 1, 1,
			runstore.RunAnswered},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShelf()
			final := calls(finalCall(test.answer))
			m := &script{replies: []reply{calls(call("adapt_plan_tool",
				args{"reasoning": "x", "original_goal": "a", "new_goal": "b", "plan_changes": []string{"c"},
					"next_steps": []string{"d", "e"}})),
				calls(searchFor("herons")), calls(readHerons), final, final, final}}
			r := run(t, s.options(agent.ShapeToolCalling, m), heronTask)
			if r.Outcome != test.outcome || len(r.Report.Findings) != test.findings ||
				len(r.Report.Findings[0].Citations) != test.citing {
				t.Errorf("%s\n%+v\n%s", r.Outcome, r.Report, told(m))
			}
			if v, err := cite.Verify(t.Context(), r.Report.Brief(), nil); test.outcome == runstore.RunAnswered &&
				(err != nil || !v.OK) {
				t.Errorf("verification %v %+v", err, v)
			}
		})
	}
}

// A report or an answer that cites nothing, though pages were read, is sent back once; the
// second is taken, and says of itself that it proves nothing. What leans on a report, or
// says that the sources have no answer, owes no citation.
func TestATextThatCitesNothingIsSentBack(t *testing.T) {
	hollow, failed := "The report is complete.", call("final_answer_tool",
		args{"reasoning": "x", "completed_steps": []string{"read"}, "answer": "The sources do not say it.",
			"status": "failed"})
	cited := "Alder Lake covers 48 hectares [3]."
	for name, test := range map[string]struct {
		calls   []agent.ToolCall
		back    int // texts that are sent back
		outcome runstore.RunOutcome
	}{
		"an answer that stays": {[]agent.ToolCall{finalCall(hollow), finalCall(hollow)}, 1,
			runstore.RunNoSources},
		"an answer that is mended": {[]agent.ToolCall{finalCall(hollow), finalCall(cited)}, 1,
			runstore.RunAnswered},
		"a report that stays": {[]agent.ToolCall{reportCall(hollow), reportCall(hollow), finalCall("Done.")},
			1, runstore.RunNoSources},
		"a report that is mended": {[]agent.ToolCall{reportCall(hollow), reportCall(cited), finalCall("Done.")}, 1,
			runstore.RunAnswered},
		"one that was emptied for it": {[]agent.ToolCall{finalCall("There were 999 grey herons [2]."),
			finalCall(hollow), finalCall(cited)}, 2, runstore.RunAnswered},
		"after a report": {[]agent.ToolCall{reportCall(cited), finalCall(hollow)}, 0,
			runstore.RunAnswered},
		"the sources have no answer": {[]agent.ToolCall{failed}, 0, runstore.RunNoSources},
		"a second report without more": {[]agent.ToolCall{reportCall(cited), reportCall(hollow), reportCall(cited),
			finalCall("Done.")}, 1, runstore.RunAnswered},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShelf()
			m := &script{replies: []reply{calls(searchFor("herons")), calls(readHerons)}}
			for _, c := range test.calls {
				m.replies = append(m.replies, calls(c))
			}
			var back []string
			o := s.options(agent.ShapeToolCalling, m)
			o.Tell = func(e agent.Event) {
				if e.Kind == "rejected" {
					back = append(back, e.Text)
				}
			}
			r := run(t, o, heronTask)
			if r.Outcome != test.outcome || len(back) != test.back || len(m.asked) != 2+len(test.calls) {
				t.Errorf("%s %s, sent back %q: %s", r.State, r.Outcome, back, told(m))
			}
			stays := test.back == 1 && test.outcome == runstore.RunNoSources
			if u := r.Report.Unverified; stays != (len(u) == 1 && u[0].Problem == "no_citation" &&
				strings.HasPrefix(u[0].Detail, "the text cites no source, though pages were read: ")) {
				t.Errorf("unverified %+v", u)
			}
			if file := report.OfRun(*r.Report); stays != strings.Contains(file, "Nothing in it is proven") {
				t.Error(file)
			}
			if said := m.asked[3:]; test.back > 0 && !strings.Contains(
				said[test.back-1].Messages[len(said[test.back-1].Messages)-1].Content,
				"with [n] in each factual sentence") && name != "a second report without more" {
				t.Errorf("the model was told %s", told(m))
			}
		})
	}
}
