package builtin

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/brief"
	"github.com/citewell/citewell/extract"
	"github.com/citewell/citewell/fetch"
	"github.com/citewell/citewell/internal/tool"
	"github.com/citewell/citewell/search"
)

// A quarry is a search engine, a web and an archive, about stones.
type quarry struct {
	fails citewell.Code // of the engine
	found int
	words string // of each page, with its number
}

func (q quarry) Name() string { return "quarry" }

func (q quarry) Search(context.Context, citewell.Query) ([]citewell.Result, error) {
	if q.fails != "" {
		return nil, &citewell.Error{Code: q.fails, Message: "the quarry is shut"}
	}
	results := make([]citewell.Result, q.found)
	for i := range results {
		results[i] = citewell.Result{Provider: "quarry", Title: fmt.Sprintf("Quarry stones, part %d", i),
			Snippet: "Stones of the quarry.", URL: fmt.Sprintf("http://stones%d.example/", i), Rank: i + 1}
	}
	return results, nil
}

func (q quarry) Get(_ context.Context, r fetch.Request) (citewell.Page, error) {
	body := fmt.Appendf(nil, q.words, r.URL)
	return citewell.Page{URL: r.URL, FinalURL: r.URL, Status: 200, ContentType: "text/plain; charset=utf-8", Body: body,
		SHA256: citewell.SHA256(body), Outcome: citewell.FetchOK}, nil
}

func (quarry) PutSnapshot(context.Context, citewell.Page, citewell.Document) error { return nil }

func (quarry) Snapshot(context.Context, string) (citewell.Page, citewell.Document, error) {
	return citewell.Page{}, citewell.Document{}, &citewell.Error{Code: citewell.CodeNotFound}
}

func (quarry) AddSource(context.Context, string, citewell.Source, []citewell.Passage) error {
	return nil
}

func (quarry) PutBrief(context.Context, citewell.Brief) error { return nil }

func (quarry) Brief(context.Context, string) (citewell.Brief, error) {
	return citewell.Brief{}, &citewell.Error{Code: citewell.CodeNotFound}
}

func (q quarry) parts() Parts {
	return Parts{Briefs: func(context.Context) (*brief.Writer, error) {
		return brief.New(brief.Options{Providers: []search.Provider{q}, Fetcher: q, Archive: q,
			Extract: extract.New(extract.Options{}).Extract}), nil
	}}
}

// seedForm is what grip's users know, to its last section.
var seedForm = regexp.MustCompile(`^# Research: quarry stones\n\n## Key Findings\n` +
	`(?:\n\*\*\[\d+\] [^\n]+\*\* \((?:PRIMARY|SECONDARY|UNVERIFIED)\)\n(?:“[^\n]+”(?: \[\d+(?:, \d+)+\])?\n)+)+` +
	`\n## Confidence: (?:HIGH|MEDIUM|LOW) — [^\n]+\n\n## Sources\n\n(?:\[\d+\] \[(?:PRIMARY|SECONDARY|UNVERIFIED)\] [^\n]+ — http://stones\d+\.example/\n)+\n## `)

func TestWebResearch(t *testing.T) {
	const words = "The quarry stones of %[1]s are grey and hard. Quarry stones are cut in winter, when frost has " +
		"split them. They weigh 3 tonnes.\n\n" +
		"More on the stones of %[1]s: they go by barge to the coast, and the barge comes back with coal for " +
		"the forge " +
		"of the quarry."
	for _, toolset := range []string{"grip", DefaultToolset, "web"} {
		r, err := callTool(t, quarry{found: 3, words: words}.parts(), toolset, "web_research",
			map[string]any{"topic": "quarry stones"})
		if err != nil || r.Err != nil {
			t.Fatal(err, r.Err)
		}
		if !seedForm.MatchString(r.Text) {
			t.Errorf("%s: not the form of grip:\n%s", toolset, r.Text)
		}
		if len(r.Links) != 3 || strings.Contains(r.Text, "## Verification") {
			t.Errorf("%s: %d links\n%s", toolset, len(r.Links), r.Text)
		}
	}
}

// The most that there can be stays near the size of the other tools' results.
func TestWebResearchIsBounded(t *testing.T) {
	var words strings.Builder
	for i := range 400 {
		fmt.Fprintf(&words, "Quarry stones number %d of %%[1]s are %s and are kept for the %dth bridge.\n\n", i,
			strings.Repeat("grey and heavy ", 20), i)
	}
	topic := strings.TrimSpace(strings.Repeat("quarry stones of the old kingdom ", 60))
	r, err := callTool(t, quarry{found: 15, words: words.String()}.parts(), "grip", "web_research",
		map[string]any{"topic": topic, "depth": 3, "max_sources": 10})
	if err != nil {
		t.Fatal(err)
	}
	data, err := tool.Marshal(r.Structured)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Text) > 32_000 || len(data) > 48_000 {
		t.Errorf("%d bytes of text, %d as data", len(r.Text), len(data))
	}
	t.Logf("%d bytes of text, %d as data", len(r.Text), len(data))
}

// Nothing found and nobody answering are results too, and two different ones.
func TestWebResearchFindsNothing(t *testing.T) {
	r, err := callTool(t, quarry{}.parts(), "grip", "web_research", map[string]any{"topic": "quarry stones"})
	if err != nil || r.Err != nil || !strings.Contains(r.Text, "No search results found for topic: quarry stones") {
		t.Errorf("%v %v %s", err, r.Err, r.Text)
	}
	r, err = callTool(t, quarry{fails: citewell.CodeBlockedByProvider}.parts(), "grip", "web_research",
		map[string]any{"topic": "quarry stones"})
	if err != nil || citewell.CodeOf(r.Err) != citewell.CodeAllProvidersFailed ||
		!strings.Contains(r.Text, "quarry: blocked") ||
		!strings.Contains(r.Text, "No provider answered for topic: quarry stones") {
		t.Errorf("%v %v %s", err, r.Err, r.Text)
	}
	var got struct {
		Confidence citewell.Confidence
		Findings   []any
	}
	data, err := tool.Marshal(r.Structured)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if got.Confidence.Level != citewell.ConfidenceLow || got.Findings == nil {
		t.Errorf("%+v", got)
	}
}
