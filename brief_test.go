package citewell_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/testing/golden"
	"github.com/google/go-cmp/cmp"
)

// fullBrief has something in every field.
func fullBrief() citewell.Brief {
	made := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	citation := citewell.Citation{N: 1, Passage: strings.Repeat("a", 32), Quote: "The tower is 330 m tall.", Start: 10,
		End: 34, Where: "page 7", Verdict: citewell.VerdictSupported}
	return citewell.Brief{
		Schema: citewell.BriefSchema, ID: strings.Repeat("0", 32), Query: "How tall is the tower?", CreatedAt: made,
		Outcome: citewell.BriefPartial,
		Findings: []citewell.Finding{{Topic: "Height", Text: citation.Quote, Citations: []citewell.Citation{citation},
			Why: &citewell.Why{Chance: 0.9, For: []string{"figure"}, Against: []string{"short"}}}},
		Disagreements: []citewell.Disagreement{{Text: "① says “330 m”.", Citations: []citewell.Citation{citation}}},
		Nearest:       []citewell.Nearest{{Text: citation.Quote, Citations: []citewell.Citation{citation}}},
		Gaps:          []string{"Nothing that was read answers “who paid for it”."},
		Sources: []citewell.Source{{N: 1, Title: "The tower", URL: "https://a.test/", FinalURL: "https://a.test/tower",
			Host: "a.test", Class: "news", Date: "2025-01-02",
			FetchedAt: made, PageSHA256: strings.Repeat("b", 64), TextSHA256: strings.Repeat("c", 64),
			Extractor: citewell.Extractor{ID: "html", Version: 1},
			Outcome:   citewell.FetchOK, Snippet: "A tower.", Warning: "says it is not official: “fan page”",
			Quality: citewell.Quality{Label: citewell.QualityPrimary, Score: 5}}},
		Additional: []citewell.Additional{{Title: "More", URL: "https://b.test/", Host: "b.test", Date: "2024-01-02",
			Snippet: "More of it."}},
		Passages: []citewell.Passage{{ID: strings.Repeat("a", 32), Alias: "S1.p1", Source: 1, Start: 10, End: 34,
			Heading: "Height · page 7", Text: citation.Quote}},
		Coverage: citewell.Coverage{
			Providers: []citewell.ProviderReport{{Name: "searxng", Outcome: citewell.ProviderOK, Results: 10,
				ElapsedMS: 120, Detail: "one engine was down"}},
			Fetches: []citewell.FetchReport{{URL: "https://a.test/", Outcome: citewell.FetchOK, ElapsedMS: 80,
				Detail: "a redirect"}},
			Synthesis: citewell.SynthesisReport{Mode: citewell.SynthesisModel, Model: "demo-model", Outcome: "ok",
				ElapsedMS: 2100},
			RawResults: 10, DistinctResults: 8, Cache: true, DeadlineHit: true, WallMS: 2400,
		},
		Confidence: citewell.Confidence{Level: citewell.ConfidenceMedium, Reason: "1 source with text"},
		Queries:    []string{"How tall is the tower?", "tower explained"},
	}
}

// The JSON form of a brief is a promise: testdata/brief.json changes only together
// with BriefSchema, or by what is added.
func TestBriefJSON(t *testing.T) {
	got, err := json.MarshalIndent(fullBrief(), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	golden.Check(t, filepath.Join("testdata", "brief.json"), string(got))
	var back citewell.Brief
	decoder := json.NewDecoder(bytes.NewReader(got))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(fullBrief(), back); diff != "" {
		t.Errorf("a brief is not what it was after JSON (-was +is):\n%s", diff)
	}
}

// Every name that readers are promised is there, whatever else is.
func TestBriefJSONHasThePromisedNames(t *testing.T) {
	encoded, err := json.Marshal(fullBrief())
	if err != nil {
		t.Fatal(err)
	}
	var root any
	if err := json.Unmarshal(encoded, &root); err != nil {
		t.Fatal(err)
	}
	for place, names := range map[string]string{
		"": "schema query outcome nearest findings disagreements gaps sources additional " +
			"passages coverage confidence queries",
		"confidence":              "level reason",
		"sources.quality":         "label score",
		"findings":                "topic text citations",
		"findings.citations":      "n passage quote start end verdict",
		"disagreements":           "text citations",
		"nearest":                 "text citations",
		"disagreements.citations": "n passage quote start end verdict",
		"sources": "n title url final_url host class date fetched_at page_sha256 text_sha256 outcome " +
			"snippet warning",
		"coverage":           "providers fetches synthesis raw_results distinct_results cache wall_ms",
		"coverage.providers": "name outcome results elapsed_ms detail",
		"coverage.fetches":   "url outcome elapsed_ms detail",
		"coverage.synthesis": "mode model outcome elapsed_ms",
		"passages":           "text",
	} {
		object := root
		for step := range strings.SplitSeq(place, ".") {
			if step != "" {
				object = object.(map[string]any)[step]
			}
			if list, ok := object.([]any); ok {
				object = list[0]
			}
		}
		for name := range strings.FieldsSeq(names) {
			if _, ok := object.(map[string]any)[name]; !ok {
				t.Errorf("%q has no %q", place, name)
			}
		}
	}
	words := []citewell.Verdict{citewell.VerdictSupported, citewell.VerdictPartly, citewell.VerdictContradicted,
		citewell.VerdictUnsupported, citewell.VerdictUndecided, citewell.VerdictSnippetOnly, citewell.VerdictNoSource}
	if want := []citewell.Verdict{"supported", "partly", "contradicted", "unsupported", "undecided", "snippet-only",
		"no-source"}; !slices.Equal(words, want) {
		t.Errorf("verdicts are %v", words)
	}
}
