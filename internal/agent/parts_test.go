package agent

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/extract"
	"github.com/citewell/citewell/fetch"
	"github.com/google/jsonschema-go/jsonschema"
)

// A reference in a tool's schema leads to the tool's own definitions, by their names in the
// whole; one to any other place is left out, and lets everything through.
func TestReferencesOfASchema(t *testing.T) {
	known := map[string]*jsonschema.Schema{"page": {Type: "string"}}
	for ref, want := range map[string]string{"#/$defs/page": "#/$defs/read.page",
		"#/definitions/page": "#/$defs/read.page", "page": "", "#/$defs/other": "",
		"https://schema.example/page": "", "#": ""} {
		moved := referring(&jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{
			"of": {Type: "array", Items: &jsonschema.Schema{Ref: ref}}}}, "read", known)
		if got := moved.Properties["of"].Items.Ref; got != want {
			t.Errorf("%s became %q, want %q", ref, got, want)
		}
	}
}

// What is asked is estimated by all that is sent.
func TestSizeOfARequest(t *testing.T) {
	text := Message{Role: RoleUser, Content: "123456"}
	called := Message{Role: RoleAssistant, Calls: []ToolCall{{Name: "123", Arguments: json.RawMessage("123456")}}}
	for name, test := range map[string]struct {
		request Request
		want    int
	}{
		"nothing":   {Request{}, 0},
		"a message": {Request{Messages: []Message{text}}, 6},
		"a call":    {Request{Messages: []Message{called}}, 4 + 1 + 2 + 8},
		"a function": {Request{Functions: []Function{{Name: "123", Description: "123",
			Parameters: json.RawMessage("12345")}}}, 1 + 1 + 2 + 8},
		"a schema": {Request{Schema: json.RawMessage("1234")}, 2},
	} {
		if got := test.request.size(); got != test.want {
			t.Errorf("%s: %d tokens, want %d", name, got, test.want)
		}
	}
}

// A claim that shares no word with a source, as in another language, is held against its
// first passages.
func TestNearestPassages(t *testing.T) {
	s := &source{passages: []citewell.Passage{{Text: "Reeds grow."}, {Text: "Boats rest."}, {Text: "Herons nest here."},
		{Text: "Herons feed."}}}
	for claim, want := range map[string][]string{"Herons nest.": {"Herons nest here.", "Herons feed."},
		"Журавли гнездятся.": {"Reeds grow.", "Boats rest."}} {
		got := (checking{}).nearest(claim, s, 2)
		if len(got) != 2 || got[0].Text != want[0] || got[1].Text != want[1] {
			t.Errorf("%s: %+v", claim, got)
		}
	}
	if got := (checking{}).nearest("Herons nest.", &source{}, 2); len(got) != 0 {
		t.Errorf("of no passages: %+v", got)
	}
}

// A web answers addresses by what is below them.
type web map[string]string

func (w web) Get(_ context.Context, r fetch.Request) (citewell.Page, error) {
	body, ok := w[r.URL]
	if !ok {
		return citewell.Page{}, &citewell.Error{Code: citewell.CodeBlockedAddress, Message: "it is private"}
	}
	return citewell.Page{URL: r.URL, FinalURL: r.URL, Status: 200, Body: []byte(body), Outcome: citewell.FetchOK}, nil
}

// Of a page with a recording its captions are read, with the title of the page, where they may be
// read and are more than the page has in words.
func TestPagesReadCaptions(t *testing.T) {
	const film, track = "https://film.example/", "https://captions.example/film.vtt"
	page := `<html lang="en"><title>Of cranes</title><h1>Of cranes</h1><video src="x.mp4"><track src="` + track +
		`"></video><p>A film of the marsh.</p>`
	said := "WEBVTT - other\n\n00:01:05.000 --> 00:01:09.000\n" +
		strings.Repeat("In May the amber crane lays two eggs in the reeds. ", 5)
	for name, test := range map[string]struct {
		web web
		at  string
	}{
		"captions":      {web{film: page, track: said}, track},
		"they are shut": {web{film: page}, film},
		"another page": {web{film: page, track: "<h1>Captions</h1><p>" + strings.Repeat("Sign in to read on. ", 40)},
			film},
		"less than words": {web{film: page + "<p>" + strings.Repeat("The marsh is wide, and many birds breed there. ",
			40), track: said}, film},
		"nothing said": {web{film: page, track: "WEBVTT\n"}, film},
	} {
		got, doc, err := Pages{Fetcher: test.web, Extract: extract.Extract}.Read(t.Context(), film)
		if err != nil || got.FinalURL != test.at || doc.Title != "Of cranes" ||
			(doc.PageUnit == citewell.UnitSecond) != (test.at == track) {
			t.Errorf("%s: %v, %s, %+v", name, err, got.FinalURL, doc)
		}
		if test.at == track && (doc.Passages[0].Where() != "at 1:05" || !strings.Contains(doc.Text, "two eggs")) {
			t.Errorf("%s: %+v", name, doc.Passages)
		}
	}
}

// What a judge sees beside the nearest passages are those that have most to do with the task first: the
// words of a statement in another language find none.
func TestFurtherPassagesAreNearTheTask(t *testing.T) {
	src := &source{settled: true, Source: citewell.Source{N: 1}}
	for i := range 60 {
		src.passages = append(src.passages, citewell.Passage{ID: "p", Source: 1, Start: 1000 * i,
			Text: strings.Repeat("Boats rest at the quay. ", 40)})
	}
	last := citewell.Passage{ID: "p", Source: 1, Start: 60_000, Text: "The option rebase-merges makes merges anew."}
	src.passages = append(src.passages, last)
	r := &run{task: "Was bewirkt rebase-merges?", shelf: shelf{sources: &sources{list: []*source{src}}}}
	claim := checking{run: r, lang: "de"}.claim(statement{claim: "Sie legt jede Zusammenführung neu an."},
		[]int{1}, candidates)
	if further := claim.Evidence[0].Further; len(further) < 2 || further[0].Start != last.Start {
		t.Errorf("%d passages, the first at %d", len(further), further[0].Start)
	}
}
