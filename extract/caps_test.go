package extract

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/extract/internal/media"
	"github.com/citewell/citewell/extract/internal/office"
	"github.com/citewell/citewell/extract/internal/textual"
	"github.com/citewell/citewell/internal/testing/extracttest"
)

// TestCaps holds how much of a document is read: all of one at the cap, and of one beyond it
// what the cap says, which the document tells. Each is counted by a word in its text.
func TestCaps(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	many := func(n int, of func(i int) string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(of(i))
		}
		return b.String()
	}
	same := func(s string) func(int) string { return func(int) string { return s } }
	sheets := func(n int) []byte {
		return extracttest.Zip([]string{"xl/workbook.xml", "xl/_rels/workbook.xml.rels", "xl/a.xml"}, []string{
			`<workbook xmlns:r="r"><sheets>` + many(n, same(`<sheet r:id="a"/>`)) + `</sheets></workbook>`,
			`<Relationships><Relationship Id="a" Target="a.xml"/></Relationships>`,
			`<worksheet><sheetData><row><c t="str"><v>word</v></c></row></sheetData></worksheet>`})
	}
	slides := func(n int) []byte {
		return extracttest.Zip([]string{"ppt/presentation.xml", "ppt/_rels/presentation.xml.rels", "ppt/s.xml"},
			[]string{
				`<presentation xmlns:r="r"><sldIdLst>` + many(n, same(`<sldId r:id="a"/>`)) +
					"</sldIdLst></presentation>",
				`<Relationships><Relationship Id="a" Target="s.xml"/></Relationships>`,
				`<sld><cSld><spTree><sp><txBody><p><r><t>word</t></r></p></txBody></sp></spTree></cSld></sld>`})
	}
	chapters := func(n int) []byte {
		return extracttest.Zip([]string{"mimetype", "META-INF/container.xml", "b.opf", "0"},
			[]string{office.EPUB.Name, `<container><rootfile full-path="b.opf"/></container>`, "<package><manifest>" +
				many(n, func(i int) string {
					return fmt.Sprintf(`<item id="%d" href="%d" media-type="text/html"/>`, i,
						i)
				}) + "</manifest><spine>" +
				many(n, func(i int) string { return fmt.Sprintf(`<itemref idref="%d"/>`, i) }) +
				"</spine></package>", "<p>word"})
	}
	feed := func(n int) []byte {
		return []byte(`<rss version="2.0"><channel>` + many(n, same("<item><title>word</title></item>")) +
			"</channel></rss>")
	}
	wordNotes := func(n int) []byte {
		return docx(t)("<p><r>" + many(n, same(`<footnoteReference id="1"/>`)) + "</r></p>")
	}
	openNotes := func(n int) []byte {
		return odt(t)("<p>" + many(n, same("<note><note-body><p>word</p></note-body></note>")) + "</p>")
	}
	richNotes := func(n int) []byte { return []byte(`{\rtf1 Text` + many(n, same(`{\footnote word}`)) + "}") }
	for _, test := range []struct {
		name string
		page func(n int) []byte
		cap  int
		word string
		of   int // words of each
		says string
	}{
		{"sheets", sheets, 200, "word", 1, "the workbook was read to sheet 200, as much as is kept"},
		{"slides", slides, 2000, "word", 1, "the presentation was read to slide 2000, as much as is kept"},
		{"chapters", chapters, 3000, "word", 0, "the book was read to part 3000 of 3001, as much as is kept"},
		{"items of a feed", feed, textual.MaxItems, "word", 1, "only the first 2000 of 2001 items of the feed " +
			"were read"},
		{"notes of Word", wordNotes, 10_000, "Twice.", 1, ""},
		{"notes of OpenDocument", openNotes, 10_000, "word", 1, ""},
		{"notes of rich text", richNotes, 10_000, "word", 1, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, n := range []int{test.cap, test.cap + 1} {
				d, err := New(Options{Timeout: 1e12}).Extract(t.Context(),
					citewell.Page{URL: "http://quern.example/", Body: test.page(n)})
				if err != nil {
					t.Fatal(err)
				}
				if got := strings.Count(d.Text, test.word); test.of > 0 && got != test.of*test.cap {
					t.Errorf("of %d, %d are read", n, got)
				}
				if says := test.says != "" && strings.Contains(d.Degraded, test.says); says != (n > test.cap &&
					test.says != "") {
					t.Errorf("of %d it is said: %q", n, d.Degraded)
				}
			}
		})
	}
	deep := func(n int) []byte {
		return []byte(`{\rtf1 One.` + strings.Repeat("{", n) + " Two." + strings.Repeat("}", n) + "}")
	}
	for n, want := range map[int]string{511: "One. Two.", 512: "One."} {
		if d, err := readDocument("", "", deep(n)); err != nil || d.Text != want {
			t.Errorf("%d groups: got %q, %v", n, d.Text, err)
		}
	}
	long, err := New(Options{MaxText: 100}).Extract(t.Context(),
		page("", []byte(`{\rtf1 `+strings.Repeat(`Words.\par `, 35)+"}")))
	if err != nil || !strings.HasPrefix(long.Degraded, "the document was read as far as is kept") || !long.Truncated {
		t.Errorf("a long RTF: %v, degraded %q", err, long.Degraded)
	}
}

// TestOptionsHaveDefaults holds that an option of none is the default, and the others are kept.
func TestOptionsHaveDefaults(t *testing.T) {
	o := Options{}.withDefaults()
	if o.Timeout != 2e9 || o.Work != 30e9 || o.MaxBytes != 16<<20 || o.MaxText != 2<<20 || o.MaxLinks != 2000 ||
		o.Parallel < 1 {
		t.Errorf("got %+v", o)
	}
	given := Options{Timeout: 1, Work: 2, MaxBytes: 3, MaxText: 4, MaxLinks: 5, Parallel: 6}
	if o := given.withDefaults(); o.Timeout != 1 || o.Work != 2 || o.MaxBytes != 3 || o.MaxText != 4 ||
		o.MaxLinks != 5 || o.Parallel != 6 {
		t.Errorf("got %+v", o)
	}
	for url, want := range map[string]int64{"file:///a": 2, "FILE:///a": 2, "tool://a": 2, "http://file/": 1, "": 1} {
		if got := given.workOf(isAtHand(citewell.Page{URL: url})); int64(got) != want {
			t.Errorf("%q: its work is %d, want %d", url, got, want)
		}
	}
	for _, test := range []struct{ url, final, host string }{
		{"http://a.example/x", "", "a.example"}, {"http://a.example/x", "http://b.example/", "b.example"},
		{"", "", "page"}, {"http://a.example/x", "::", "a.example"}} {
		if got := hostOf(citewell.Page{URL: test.url, FinalURL: test.final}); got != test.host {
			t.Errorf("%q, %q: the host is %q, want %q", test.url, test.final, got, test.host)
		}
	}
}

// TestLargeTreesHaveNoLinks holds that Markdown of a tree too large to be converted is written
// from its blocks, without links and emphasis.
func TestLargeTreesHaveNoLinks(t *testing.T) {
	link := "<a href='http://quern.example/x'>link</a>"
	for name, test := range map[string]struct {
		page  string
		links bool
	}{
		"small":          {"<p>" + link + strings.Repeat("<b>x</b>", 100), true},
		"many elements":  {"<p>" + link + strings.Repeat("<b>x</b>", 30_000), false},
		"one long block": {"<p>" + link + strings.Repeat("x", 256<<10), false},
		"long code":      {"<p>" + link + "<pre>" + strings.Repeat("x = 1\n", 45_000) + "</pre>", true},
		"wide table": {"<p>" + link + "<table><tr><td>a<td>b" + strings.Repeat("<tr><td colspan=99>c<td>d", 610) +
			"</table>", false},
	} {
		d, err := New(Options{Timeout: 1e12}).Extract(t.Context(), htmlPage("<!doctype html><body>"+test.page))
		if links := strings.Contains(d.Markdown, "](http://quern.example/x)"); err != nil || links != test.links ||
			!strings.Contains(d.Markdown, "link") {
			t.Errorf("%s: links %v, want %v, %v", name, links, test.links, err)
		}
	}
}

// TestBrokenReader holds that a page that breaks its reader fails by name, and that its place
// is free for the next.
func TestBrokenReader(t *testing.T) {
	e := New(Options{Parallel: 1})
	e.readers = []media.Reader{{Name: "text/html", Called: "web pages", Claims: func(media.Page) string {
		return "text/html"
	}, Read: func(context.Context, media.Input) (media.Reading, error) { panic("of the test") }}}
	for range 2 {
		_, err := e.Extract(t.Context(), htmlPage("<p>Words."))
		if citewell.CodeOf(err) != citewell.CodeExtractionFailed ||
			!strings.Contains(err.Error(), "the page broke its reader") {
			t.Errorf("got %v", err)
		}
	}
}
