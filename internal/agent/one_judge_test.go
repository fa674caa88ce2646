package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/brief"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/extract"
	"github.com/citewell/citewell/fetch"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/llm"
	"github.com/citewell/citewell/search"
)

// A judged claim cites every page of a row, each by one quote of it.
type judged struct {
	name     string
	pages    []string
	quotes   []string // the whole page where there is none
	claim    string
	unread   bool   // no page can be fetched: the snippets have their words
	verdicts string // of the citations, as each page's claim is held to
	problem  string // one word, as a report names it
	verify   string // what Verify says where the claim is passed off as supported
}

const wardens = "In the spring of 2024 the wardens counted 312 grey herons at Alder Lake."

// farOn parts two passages of a page.
var farOn = "\n\n" + strings.Repeat("Reeds are cut and dried for the roofs of the village. ", 60) + "\n\n"

var judgedClaims = []judged{
	{name: "word for word", pages: []string{wardens}, claim: wardens, verdicts: "supported"},
	{name: "in fewer words", pages: []string{wardens + " The lake froze in January."}, quotes: []string{wardens},
		claim: "The wardens counted 312 grey herons at Alder Lake in the spring of 2024.", verdicts: "supported"},
	{name: "an invented figure", pages: []string{wardens}, claim: "In the spring of 2024 the wardens counted " +
		"312 grey " +
		"herons in 48 trees at Alder Lake.",
		verdicts: "unsupported", problem: "figure", verify: "figure"},
	{name: "a figure from further on", pages: []string{wardens + farOn +
		"Alder Lake covers 48 hectares of the valley."}, quotes: []string{wardens},
		claim:    "The wardens counted 312 grey herons in the spring of 2024 at Alder Lake, which covers 48 hectares.",
		verdicts: "undecided undecided"},
	{name: "a figure of something else further on", pages: []string{
		wardens + farOn + "The ferry to Norland costs 48 crowns."}, quotes: []string{wardens},
		claim:    "The wardens counted 312 grey herons in the spring of 2024 at Alder Lake, which covers 48 hectares.",
		verdicts: "unsupported", problem: "figure", verify: "figure"},
	{name: "each has its figure", pages: []string{wardens, "Alder Lake covers 48 hectares of the valley."},
		claim:    "The wardens counted 312 grey herons in the spring of 2024 at Alder Lake, which covers 48 hectares.",
		verdicts: "undecided undecided"},
	{name: "one says otherwise", pages: []string{"Amber cranes breed in the marshes of Lowmere.",
		"No amber cranes breed in the marshes of Lowmere."},
		claim: "Amber cranes breed in the marshes of Lowmere.", verdicts: "supported contradicted"},
	{name: "one has none of what the other counts", pages: []string{
		"Some 212 amber cranes breed in the marshes of Lowmere.", "No amber cranes breed in the marshes of Lowmere."},
		claim: "Some 212 amber cranes breed in the marshes of Lowmere.", verdicts: "supported undecided"},
	{name: "denied", pages: []string{"The council has never approved the plan for the old harbour."},
		claim: "The council approved the plan for the old harbour.", verdicts: "contradicted", problem: "contradicted"},
	{name: "a quote cut after its denial", pages: []string{
		"The new drug did not lower the risk of stroke in older patients."},
		quotes: []string{"lower the risk of stroke in older patients"},
		claim:  "The new drug lowered the risk of stroke in older patients.", verdicts: "contradicted",
		problem: "contradicted"},
	{name: "a quotation in the claim cut after its denial",
		pages: []string{"The trial ran for two years. The new drug did not lower the risk of stroke in older " +
			"patients."},
		claim: "The new drug did “lower the risk of stroke” in older patients.", verdicts: "contradicted",
		problem: "contradicted"},
	{name: "a true quotation", pages: []string{"The guide to the lake says that a warden explains the colony " +
		"on Sundays."},
		claim: "The guide to the lake says that “a warden explains the colony on Sundays”.", verdicts: "supported"},
	{name: "an altered quotation", pages: []string{"The guide to the lake says that a warden explains the colony " +
		"on Sundays."},
		claim:    "The guide to the lake says that “a warden explains the whole colony on Sundays”.",
		verdicts: "unsupported", problem: "quote", verify: "quote"},
	{name: "words of its own", pages: []string{"Grey herons breed at Alder Lake and rest in the reeds of its shore."},
		claim: "Grey herons breed at Alder Lake, loved by poets, bankers and retired admirals.", verdicts: "undecided"},
	{name: "about something else", pages: []string{wardens}, claim: "The mayor of Cremona collects antique violins.",
		verdicts: "undecided"},
	{name: "only a snippet", pages: []string{wardens}, claim: wardens, unread: true, verdicts: "snippet-only"},
	{name: "not even a snippet's words", pages: []string{wardens},
		claim: "The mayor of Cremona collects antique violins.", unread: true, verdicts: "snippet-only"},
}

// A claim is judged alike wherever it comes from: a model that writes a brief, a run's
// report, its final answer, and whoever verifies them.
func TestOneJudge(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for _, row := range judgedClaims {
		t.Run(row.name, func(t *testing.T) {
			searched(t, row)
			for _, write := range []func(string) agent.ToolCall{reportCall, finalCall} {
				researched(t, row, write)
			}
		})
	}
}

// searched plays a row through a brief that a model writes.
func searched(t *testing.T, row judged) {
	db := newStore(t)
	b, err := brief.New(brief.Options{Providers: []search.Provider{row}, Fetcher: row, Extract: extract.Extract,
		Archive: db, Models: []brief.Model{row}, PerDomain: len(row.pages)}).
		Write(t.Context(), brief.Request{Query: citewell.Query{Text: "What is said of Alder Lake and of its herons?"}})
	if err != nil {
		t.Fatal(err)
	}
	if v, err := cite.Verify(t.Context(), b, archive{db}); err != nil || !v.OK {
		t.Errorf("the brief does not verify: %v %+v", err, v)
	}
	var shown []citewell.Citation
	for _, f := range b.Findings {
		if f.Text == row.claim && b.Coverage.Synthesis.Mode == citewell.SynthesisModel {
			shown = f.Citations
		}
	}
	if row.problem == "" && verdictsOf(shown) != row.verdicts || row.problem != "" && shown != nil {
		t.Errorf("a brief shows %q: %+v; synthesis %+v", verdictsOf(shown), shown, b.Coverage.Synthesis)
	}
}

// researched plays a row through a run, and passes what it found off as supported.
func researched(t *testing.T, row judged, write func(string) agent.ToolCall) {
	db := newStore(t)
	marks := ""
	for i := range row.pages {
		marks += fmt.Sprintf("[%d]", i+1)
	}
	wrote := calls(write(strings.TrimSuffix(row.claim, ".") + " " + marks + "."))
	m := &script{replies: []reply{calls(searchFor("herons")), wrote, wrote, wrote, calls(finalCall("Done."))}}
	o := agent.Options{Shape: agent.ShapeToolCalling, Model: m, Searcher: row,
		Reader: agent.Pages{Fetcher: row, Extract: extract.Extract}, Archive: db, Journal: agent.NewMemoryJournal()}
	report := run(t, o, "What is said of Alder Lake and of its herons?").Report
	problem := ""
	for _, u := range report.Unverified {
		problem = u.Problem
	}
	if len(report.Findings) != 1 || verdictsOf(report.Findings[0].Citations) != row.verdicts || problem != row.problem {
		t.Fatalf("a report has %+v, unverified %+v", report.Findings, report.Unverified)
	}
	if v, err := cite.Verify(t.Context(), report.Brief(), archive{db}); err != nil || !v.OK {
		t.Errorf("the report does not verify: %v %+v", err, v)
	}
	forged := report.Brief()
	forged.Findings[0].Problem, forged.Findings[0].Unstated = "", nil
	for i := range forged.Findings[0].Citations {
		if c := &forged.Findings[0].Citations[i]; c.Verdict != citewell.VerdictSnippetOnly {
			c.Verdict = citewell.VerdictSupported
		}
	}
	v, err := cite.Verify(t.Context(), forged, unreported{archive{db}})
	var found []string
	for _, c := range v.Citations {
		for _, p := range c.Problems {
			found = append(found, p.Code)
		}
	}
	if err != nil || v.OK && row.verify != "" || !v.OK && !slices.Contains(found, row.verify) {
		t.Errorf("Verify finds %q in the forged report, want %q: %v", found, row.verify, err)
	}
}

func verdictsOf(citations []citewell.Citation) string {
	var all []string
	for _, c := range citations {
		all = append(all, string(c.Verdict))
	}
	return strings.Join(all, " ")
}

// unreported is a store that keeps the passages of a report and not the report.
type unreported struct{ archive }

func (unreported) Brief(context.Context, string) (citewell.Brief, error) {
	return citewell.Brief{}, &citewell.Error{Code: citewell.CodeNotFound}
}

// A row is its own search, its own web and its own model.
func (row judged) Name() string { return "rows" }

func (row judged) Search(context.Context, citewell.Query) ([]citewell.Result, error) {
	var results []citewell.Result
	for i, page := range row.pages {
		results = append(results, citewell.Result{Provider: "rows", Title: "A page",
			URL: fmt.Sprintf("https://page%d.example/", i+1), Snippet: page, Rank: i + 1})
	}
	return results, nil
}

func (row judged) Get(_ context.Context, r fetch.Request) (citewell.Page, error) {
	var at int
	if _, err := fmt.Sscanf(r.URL, "https://page%d.example/", &at); err != nil || row.unread {
		return citewell.Page{}, &citewell.Error{Code: citewell.CodeHTTPStatus, Message: "the server answered 404"}
	}
	body := row.pages[at-1]
	return citewell.Page{URL: r.URL, FinalURL: r.URL, Status: 200, ContentType: "text/plain; charset=utf-8",
		Body: []byte(body), SHA256: citewell.SHA256([]byte(body)),
		FetchedAt: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Outcome: citewell.FetchOK}, nil
}

// Decode writes the claim with each quote said to stand in each passage: a brief keeps
// those that do.
func (row judged) Decode(_ context.Context, r llm.Request, out any) (llm.Reply, error) {
	if r.SchemaName == "verdict" {
		return llm.Reply{}, json.Unmarshal([]byte(`{"quote":"","reason":"","verdict":"supported"}`), out)
	}
	citations := []map[string]string{}
	quotes := row.quotes
	if quotes == nil {
		quotes = row.pages
	}
	for _, quote := range quotes {
		for i := range row.pages {
			citations = append(citations, map[string]string{"passage": fmt.Sprintf("S%d.p1", i+1), "quote": quote})
		}
	}
	answer, err := json.Marshal(map[string]any{"findings": []any{
		map[string]any{"topic": "Herons", "text": row.claim, "citations": citations}}})
	if err != nil {
		return llm.Reply{}, err
	}
	return llm.Reply{}, json.Unmarshal(answer, out)
}
