package webpage

import (
	"net/url"
	"strings"
	"testing"

	"github.com/citewell/citewell/extract/internal/media"
)

// The reader recognises a web page by its declared type, then by its file name, then by its first bytes.
func TestClaims(t *testing.T) {
	for name, test := range map[string]struct {
		page media.Page
		want string
	}{
		"declared":     {media.Page{Declared: "text/html"}, "text/html"},
		"XHTML":        {media.Page{Declared: "application/xhtml+xml"}, "application/xhtml+xml"},
		"by its looks": {media.Page{Vague: true, Found: "text/html"}, "text/html"},
		"by its name":  {media.Page{Vague: true, Extension: ".htm"}, "text/html"},
		"XML with HTML": {media.Page{Declared: "text/xml", Body: []byte(`<?xml version="1.0"?><HTML xmlns="x">`)},
			"text/xml"},
		"XML without":     {media.Page{Declared: "text/xml", Body: []byte(`<?xml version="1.0"?><feed>`)}, ""},
		"other type":      {media.Page{Declared: "text/csv", Found: "text/html"}, ""},
		"other extension": {media.Page{Vague: true, Extension: ".md"}, ""},
	} {
		if got := HTML(nil).Claims(test.page); got != test.want {
			t.Errorf("%s: claimed as %q; want %q", name, got, test.want)
		}
	}
}

func readHTML(t *testing.T, page string, whole bool) (media.Reading, string) {
	t.Helper()
	r, err := HTML(nil).Read(t.Context(), media.Input{
		Text:     page,
		Raw:      []byte(page),
		Base:     &url.URL{Scheme: "https", Host: "quern.example", Path: "/mills/tide"},
		Media:    "text/html",
		MaxText:  1 << 20,
		MaxLinks: 10,
		Whole:    whole,
	})
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, b := range r.Blocks {
		texts = append(texts, b.Text)
	}
	return r, strings.Join(texts, "\n")
}

const paragraph = "The mill at Eling has stood since 1418 and turns twice a day, when the tide has filled the pond " +
	"behind its dam. " +
	"Its wheel has 28 floats of elm, and the miller opens the gate by hand some two hours after high water."

// The page's own content is read and the site around it is not, unless all that it shows is asked for.
func TestContentOfAnArticle(t *testing.T) {
	page := `<!doctype html><html lang=en><head><title>Eling mill | Courier</title><meta name=author content="Ada Lind">` +
		`<meta property="article:published_time" content="2024-02-03"><meta property="og:type" content="article"></head><body>` +
		`<nav><ul><li><a href="/">Home</a><li><a href="/news">News</a><li><a href="/sport">Sport</a></ul></nav>` +
		`<article><h1>Eling mill</h1><p>` + paragraph + `</p><p>` + paragraph +
		` It is open on Sundays.</p></article>` +
		`<footer><p>All rights reserved. <a href="/terms">Terms of use</a></footer></body></html>`
	r, text := readHTML(t, page, false)
	if r.Title != "Eling mill" || r.Author != "Ada Lind" || r.Published != "2024-02-03" || r.Language != "en" ||
		r.Kind != media.KindArticle {
		t.Errorf("read as %q by %q of %q in %q, a %s", r.Title, r.Author, r.Published, r.Language, r.Kind)
	}
	if !strings.Contains(text, "28 floats") || !strings.Contains(text, "open on Sundays") ||
		strings.Contains(text, "All rights") || strings.Contains(text, "Sport") {
		t.Errorf("its content is %q", text)
	}
	if len(r.Links) != 4 || r.Degraded != "" || !strings.Contains(r.Markdown, "28 floats") {
		t.Errorf("%d links, degraded %q, Markdown %q", len(r.Links), r.Degraded, r.Markdown)
	}
	if _, text := readHTML(t, page, true); !strings.Contains(text, "All rights reserved") {
		t.Errorf("the whole page is %q", text)
	}
}

// A page that shows its text by script is read from what it has for readers without, or else from its structured
// data, and says so.
func TestPagesOfScripts(t *testing.T) {
	for name, test := range map[string]struct{ page, says string }{
		"noscript": {`<div id=root></div><noscript><h1>Eling mill</h1><p>` + paragraph +
			`</p></noscript>`, "without"},
		"structured data": {
			`<script type="application/ld+json">{"@type":"NewsArticle","headline":"Eling mill","articleBody":"` +
				paragraph + ` ` + paragraph + `"}</script><div id=root></div>`, "data"},
		"hidden by style": {`<body style="opacity:0"><h1>Eling mill</h1><p>` + strings.Repeat(paragraph+" ", 3) +
			`</p>`, "scripts"},
	} {
		r, text := readHTML(t, "<!doctype html>"+test.page, false)
		if !strings.Contains(text, "28 floats of elm") || !strings.Contains(r.Degraded, test.says) {
			t.Errorf("%s: read as %q, degraded %q", name, text, r.Degraded)
		}
	}
}
