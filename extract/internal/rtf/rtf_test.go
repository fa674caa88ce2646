package rtf

import (
	"context"
	"net/url"
	"strings"
	"testing"

	"github.com/citewell/citewell/extract/internal/block"
	"github.com/citewell/citewell/extract/internal/media"
	"golang.org/x/text/encoding/charmap"
)

func reading(t *testing.T, ctx context.Context, raw string) (media.Reading, string, error) {
	t.Helper()
	in := media.Input{
		Raw:      []byte(raw),
		Base:     &url.URL{Scheme: "http", Host: "quern.example", Path: "/a.rtf"},
		MaxText:  1 << 16,
		MaxLinks: 10,
	}
	r, err := Reader.Read(ctx, in)
	var texts []string
	for _, b := range r.Blocks {
		texts = append(texts, b.Text)
	}
	return r, strings.Join(texts, "\n"), err
}

// Each case is what one control word does to the text of a document.
func TestControlWords(t *testing.T) {
	for in, want := range map[string]string{
		`{\rtf1 The mill\par stands.}`:                                           "The mill\nstands.",
		`{\rtf1 a\tab b\~c\_d\-e}`:                                               "a b c-de",
		`{\rtf1 50\'80 and \'e9t\'e9}`:                                           "50€ and été",
		`{\rtf1\ansicpg1251 \'cc\'ee\'eb}`:                                       "Мол",
		`{\rtf1 \u8364?5 \uc2\u233??x}`:                                          "€5 éx",
		`{\rtf1 \u-10179?\u-9088?}`:                                              "\U0001f480",
		`{\rtf1 seen{\v hidden}{\deleted gone} end}`:                             "seen end",
		`{\rtf1{\header top}{\footer foot}{\pict 00ff}{\info{\author Ann}}text}`: "text",
		`{\rtf1{\*\unheardof not read} read}`:                                    "read",
		`{\rtf1 \{braces\} and \\}`:                                              `{braces} and \`,
		`{\rtf1 \ldblquote q\rdblquote  \emdash  \bullet}`:                       "“q” — •",
	} {
		_, got, err := reading(t, t.Context(), in)
		if err != nil || strings.TrimSpace(got) != want {
			t.Errorf("%s is %q, %v; want %q", in, got, err, want)
		}
	}
}

func TestLinksTablesAndTitle(t *testing.T) {
	r, text, err := reading(t, t.Context(), `{\rtf1{\info{\title The mill}{\author Ann}}`+
		`{\field{\*\fldinst HYPERLINK "http://quern.example/b"}{\fldrslt a link}}\par `+
		`\trowd\cellx1\cellx2 Name\cell Rows\cell\row\trowd\cellx1\cellx2 oven\cell 3\cell\row\pard after\par}`)
	if err != nil || r.Title != "The mill" || r.Author != "Ann" {
		t.Fatalf("%q by %q, %v", r.Title, r.Author, err)
	}
	if len(r.Links) != 1 || r.Links[0].URL != "http://quern.example/b" {
		t.Errorf("the links are %v", r.Links)
	}
	if !strings.Contains(text, "a link") || !strings.Contains(text, "oven") || !strings.HasSuffix(text, "after") {
		t.Errorf("the text is %q", text)
	}
	kinds := map[block.Kind]int{}
	for _, b := range r.Blocks {
		kinds[b.Kind]++
	}
	if len(kinds) < 2 {
		t.Errorf("a table is a paragraph: %v", kinds)
	}
}

// What is broken is read as far as it goes, and somebody who has gone is not read for.
func TestBrokenDocuments(t *testing.T) {
	for in, want := range map[string]string{`{\rtf1 text`: "text", `{\rtf1 text}}}`: "text", `{\rtf1 text\`: "text",
		`{\rtf1 text\'`:   "text",
		`{\rtf1 text\'zz`: "textzz", `{\rtf1 ` + strings.Repeat("{", maxGroups+1) + "too deep": ""} {
		if _, got, err := reading(t, t.Context(), in); err != nil || strings.TrimSpace(got) != want {
			t.Errorf("%.40s is %q, %v; want %q", in, got, err, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := reading(t, ctx, `{\rtf1 `+strings.Repeat(`\par `, 10_000)+`}`); err == nil {
		t.Error("a document is read for somebody who has gone")
	}
}

func TestHyperlink(t *testing.T) {
	for in, want := range map[string]string{`HYPERLINK "https://a.example/x" \o "tip"`: "https://a.example/x",
		`HYPERLINK http://a.example`:     "http://a.example",
		`HYPERLINK "mailto:a@b.example"`: "", `PAGEREF "http://a.example"`: "", `HYPERLINK \l "part"`: ""} {
		if got := hyperlink(in); got != want {
			t.Errorf("%s leads to %q; want %q", in, got, want)
		}
	}
}

func TestNumberOf(t *testing.T) {
	for mark, want := range map[string]int{"": 0, "•": 0, "2.": 2, "(3)": 3, "1.2.": 2, "0.": 1, "a)": 0, ".": 1} {
		if got := numberOf(mark); got != want {
			t.Errorf("%q shows %d; want %d", mark, got, want)
		}
	}
}

func TestEncodings(t *testing.T) {
	if encodingOf(437) != charmap.CodePage437 || encodingOf(850) != charmap.CodePage850 ||
		encodingOf(1250) != charmap.Windows1250 {
		t.Error("a code page is read as another")
	}
	if encodingOf(932) == nil || encodingOf(65001) == nil || encodingOf(12345) != nil {
		t.Error("a code page is not known, or one that nobody knows is")
	}
}

func TestClaims(t *testing.T) {
	for body, want := range map[string]string{`{\rtf1}`: mediaType, "\xef\xbb\xbf" + `{\rtf1}`: mediaType,
		` {\rtf1}`: "", "text": "", "": ""} {
		if got := Reader.Claims(media.Page{Body: []byte(body)}); got != want {
			t.Errorf("%q is claimed as %q", body, got)
		}
	}
}
