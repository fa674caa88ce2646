package builtin

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/extract"
	"github.com/citewell/citewell/fetch"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/testing/tooltest"
)

// fetcher gives pages by URL, and otherwise an error of a code.
type fetcher map[string]any

func (f fetcher) Get(_ context.Context, r fetch.Request) (citewell.Page, error) {
	switch v := f[r.URL].(type) {
	case string:
		return citewell.Page{URL: r.URL, FinalURL: r.URL, Status: 200, ContentType: "text/html", Body: []byte(v),
			SHA256: citewell.SHA256([]byte(v)), Outcome: citewell.FetchOK}, nil
	case citewell.Code:
		return citewell.Page{}, &citewell.Error{Code: v}
	}
	return citewell.Page{}, &citewell.Error{Code: citewell.CodeDNSFailed}
}

// kept remembers what was archived.
type kept struct{ pages []citewell.Page }

func (k *kept) PutSnapshot(_ context.Context, page citewell.Page, _ citewell.Document) error {
	k.pages = append(k.pages, page)
	return nil
}

func extractParts(f fetcher) Parts {
	e := extract.New(extract.Options{})
	return Parts{Pages: Pages{Fetcher: f, Extract: e.Extract, Whole: e.Extract}}
}

const aPage = `<html><title>The well</title><article><h1>The well</h1><p>The well at Nether Hale is 41 metres deep and was dug by hand in the spring of 1807.</p></article></html>`

// Whom a page is given to depends on why we could not read it.
func TestExtractPageAsksOthers(t *testing.T) {
	const good, there = "https://good.example/", "https://there.example/"
	never := []citewell.Code{citewell.CodeBlockedAddress, citewell.CodeBlockedRedirect, citewell.CodeInvalidURL,
		citewell.CodeUnsupportedScheme,
		citewell.CodeRobotsDisallowed, citewell.CodeCanceled, citewell.CodePDFEncrypted, citewell.CodeUnsupportedType,
		citewell.CodeInternal}
	for _, row := range citewell.Codes {
		if row.Fetch == "" {
			continue
		}
		tavily, exa := &tooltest.PageService{Texts: map[string]string{}},
			&tooltest.PageService{Texts: map[string]string{there: "# Heron\n\nThe heron stands on one leg for hours."}}
		d := extractParts(fetcher{good: aPage, there: row.Code})
		archive := &kept{}
		d.Cogtrix.Tavily, d.Cogtrix.Exa, d.Pages.Archive = tavily, exa, archive
		r, err := callTool(t, d, "web", "extract_page_content", map[string]any{"urls": []string{there, good}})
		if err != nil {
			t.Fatalf("%s: %v", row.Code, err)
		}
		pages := r.Structured.(extractPageOutput).Pages
		if pages[1].ReadBy != ourselves || pages[1].Title != "The well" ||
			!strings.Contains(r.Text, "Read by: citewell\nTitle: The well\n") {
			t.Errorf("%s: %+v", row.Code, pages[1])
		}
		if slices.Contains(never, row.Code) {
			if len(tavily.Asked)+len(exa.Asked) > 0 || pages[0].OK || pages[0].ReadBy != "" ||
				pages[0].Code != row.Code {
				t.Errorf("%s: asked %v %v, %+v", row.Code, tavily.Asked, exa.Asked, pages[0])
			}
			continue
		}
		if len(tavily.Asked) != 1 || len(exa.Asked) != 1 || !slices.Equal(exa.Asked[0], []string{there}) {
			t.Errorf("%s: asked %v %v", row.Code, tavily.Asked, exa.Asked)
		}
		if p := pages[0]; !p.OK || p.ReadBy != "exa" || p.Title != "Heron" || p.TextSHA256 == "" ||
			p.FetchedAt.Year() != 2026 || !strings.Contains(p.Markdown, "on one leg") {
			t.Errorf("%s: %+v", row.Code, p)
		}
		if i := slices.IndexFunc(archive.pages, func(p citewell.Page) bool { return p.FinalURL == there }); i < 0 ||
			!strings.HasSuffix(archive.pages[i].ContentType, "read-by=exa") {
			t.Errorf("%s: kept %+v", row.Code, archive.pages)
		}
	}
}

// Where nobody can read a page, every reason is told; one inside a network is not
// named to anyone, and spoils nothing for the others.
func TestExtractPageFailures(t *testing.T) {
	d := extractParts(fetcher{})
	tavily := &tooltest.PageService{Texts: map[string]string{
		"https://b.example/": "B is a letter with a long history behind it."}}
	d.Cogtrix.Tavily = tavily
	d.Cogtrix.Exa = &tooltest.PageService{Err: &citewell.Error{
		Code: citewell.CodeQuotaExhausted, Message: "exa has no credits left"}}
	_, err := callTool(t, d, "web", "extract_page_content", map[string]any{"urls": []string{"https://a.example/"}})
	if view := citewell.View(err); view.Code != citewell.CodeDNSFailed ||
		!strings.Contains(view.Message, "tavily: the service knows no such page; exa: exa has no credits left") {
		t.Errorf("%+v", view)
	}
	r, err := callTool(t, d, "default", "extract_page_content",
		map[string]any{"reasoning": "both", "urls": []string{"http://wiki.corp/secret", "https://b.example/"}})
	if err != nil || r.Err != nil {
		t.Fatal(err, r.Err)
	}
	if got := r.Structured.(extractPageOutput).Pages; got[0].OK || !got[1].OK || got[1].ReadBy != "tavily" {
		t.Errorf("%+v", got)
	}
	for _, urls := range append(tavily.Asked, d.Cogtrix.Exa.(*tooltest.PageService).Asked...) {
		if slices.Contains(urls, "http://wiki.corp/secret") {
			t.Errorf("a service was told of %v", urls)
		}
	}
	if in, err := New(d, nil, nil).Toolset("web"); err != nil {
		t.Error(err)
	} else if definition, err := in.Find("ExtractPageContent"); err != nil ||
		definition.Input.PropertyOrder[0] != "reasoning" {
		t.Errorf("%v: reasoning comes first, so that a model gives its reasons before it chooses", err)
	}
}

// About shows the passages nearest to a phrase, and says where there are none.
func TestExtractPageAbout(t *testing.T) {
	const long = "https://long.example/"
	var orchards strings.Builder
	for i := range 200 {
		fmt.Fprintf(&orchards, "<p>Orchard %d of Nether Hale has apples, pears and plums, and its gate is open on %d "+
			"days in September.</p>", i, i)
	}
	page := "<html><title>The well</title><article><h1>The well</h1>" + orchards.String() +
		"<p>The well was dug by hand in the spring of 1807.</p></article></html>"
	d := extractParts(fetcher{long: page})
	for about, want := range map[string]string{"who dug the well": "dug by hand in the spring of 1807",
		"zeppelin": "[no passage of the page has words of “zeppelin”]"} {
		r, err := callTool(t, d, "web", "extract_page_content", map[string]any{"urls": []string{long}, "about": about})
		if err != nil || !strings.Contains(r.Text, want) || len(r.Text) > 12_000 {
			t.Errorf("%s: %v, %d bytes: %s", about, err, len(r.Text), r.Text)
		}
	}
	r, err := callTool(t, d, "web", "extract_page_content",
		map[string]any{"urls": []string{long}, "start_index": 15_000})
	if err != nil || !strings.Contains(r.Text, "[bytes 15000 to ") || !strings.Contains(r.Text, ": the end]") {
		t.Errorf("%v: %s", err, r.Text[max(len(r.Text)-200, 0):])
	}
}

// A toolset that keeps to another system's contract has its tool without our arguments.
func TestASeedsToolIsNarrow(t *testing.T) {
	r := New(Parts{Agent: agent.Tools()}, nil, nil)
	for toolset, want := range map[string][]string{"sgr": {"reasoning", "urls"},
		"agent": {"reasoning", "urls", "from", "about"}} {
		set, err := r.Toolset(toolset)
		if err != nil {
			t.Fatal(err)
		}
		tool, err := set.Find("ExtractPageContentTool")
		if err != nil || !slices.Equal(tool.Input.PropertyOrder, want) || len(tool.Input.Properties) != len(want) {
			t.Errorf("%s: %v %v", toolset, err, tool.Input.PropertyOrder)
		}
	}
}
