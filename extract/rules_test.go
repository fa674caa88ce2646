package extract

import (
	"strings"
	"testing"

	"github.com/citewell/citewell"
)

// A rule is what one small page shows of how its type is read.
type rule struct{ name, page, want string }

// holdAbout is holdRules for what a document says of itself: its title, author, day, language and kind.
func holdAbout(t *testing.T, contentType string, as func(page string) []byte, rules []rule) {
	t.Helper()
	for _, r := range rules {
		d, err := readDocument("http://quern.example/files/a", contentType, as(r.page))
		if got := strings.Join([]string{d.Title, d.Author, d.Published, d.Language, d.Kind}, "|"); err != nil ||
			got != r.want {
			t.Errorf("%s: got %q, want %q", r.name, got, r.want)
		}
	}
}

// holdRules reads the page of each rule and holds its Markdown, which tells headings, lists,
// links and tables from words. as makes a page of what is written in a rule.
func holdRules(t *testing.T, contentType string, as func(page string) []byte, rules []rule) {
	t.Helper()
	for _, r := range rules {
		document, err := readDocument("http://quern.example/files/a", contentType, as(r.page))
		got := document.Markdown
		if err != nil {
			got = string(citewell.CodeOf(err))
		} else {
			checkDocument(t, document)
		}
		if got != r.want {
			t.Errorf("%s: got %q, want %q", r.name, got, r.want)
		}
	}
}

// page is a page of no address that is known.
func page(contentType string, body []byte) citewell.Page {
	return citewell.Page{URL: "http://quern.example/files/a", ContentType: contentType, Body: body}
}

func asWritten(s string) []byte { return []byte(s) }
