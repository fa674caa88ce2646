package extract

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/extract/internal/plain"
	"github.com/citewell/citewell/extract/internal/tree"
	"github.com/citewell/citewell/internal/testing/extracttest"
	"github.com/citewell/citewell/internal/testing/realpart"
	"github.com/citewell/citewell/internal/testing/score"
)

// TestArticles scores the canonical text of 109 real articles by the benchmark's
// own measure: 4-word shingles, means over pages. The forests have seen these pages;
// TestGrow says what is to be expected of others.
func TestArticles(t *testing.T) {
	extracttest.Measured(t)
	folder := realpart.Data(t, "extraction-articles-dev")
	raw, err := os.ReadFile(filepath.Join(folder, "ground-truth.json"))
	if err != nil {
		t.Fatal(err)
	}
	var truth map[string]struct{ ArticleBody, URL string }
	if err := json.Unmarshal(raw, &truth); err != nil {
		t.Fatal(err)
	}
	var scored score.Articles
	e := New(Options{Timeout: 30e9})
	for id, article := range truth {
		document, err := e.Extract(context.Background(), citewell.Page{
			URL: article.URL, ContentType: "text/html; charset=utf-8",
			Body: extracttest.Gunzip(t, filepath.Join(folder, "html", id+".html.gz"))})
		if err != nil {
			t.Errorf("%s: %v", article.URL, err)
		}
		checkDocument(t, document)
		scored.Add(article.ArticleBody, document.Text)
	}
	t.Logf("%d articles: F1 %.4f, precision %.4f, recall %.4f", len(truth), scored.F1(), scored.Precision(),
		scored.Recall())
	if scored.F1() < 0.97 {
		t.Errorf("F1 is %.4f, below 0.97", scored.F1())
	}
}

// pictureOnly are pages of the documentation whose text is a drawing's or a
// script's: they hold nothing that can be quoted.
var pictureOnly = map[string]bool{
	"go/blog/survey2016/community.html": true, "go/blog/survey2017/background.html": true,
	"go/blog/survey2017/community.html": true,
}

// TestDocumentation reads 452 real pages of four projects' documentation. Each is
// kept whole: the words of the element that its generator puts the text in are in
// the canonical text, and the words of the menus around it are not.
func TestDocumentation(t *testing.T) {
	extracttest.Measured(t)
	pages := extracttest.Unpack(t, realpart.Data(t, "demo-web/pages.tar.gz"))
	if len(pages) < 450 {
		t.Fatalf("only %d pages", len(pages))
	}
	e := New(Options{Timeout: 30e9})
	for path, body := range pages {
		contentType := "text/html"
		if strings.HasSuffix(path, ".md") {
			contentType = "text/markdown"
		}
		address := "http://docs.localhost/" + path
		document, err := e.Extract(context.Background(), citewell.Page{
			URL: address, FinalURL: address, ContentType: contentType, Body: body})
		if pictureOnly[path] {
			if citewell.CodeOf(err) != citewell.CodeExtractionFailed {
				t.Errorf("%s: got %v", path, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		checkDocument(t, document)
		if document.Degraded != "" || document.Affiliation != "" {
			t.Errorf("%s: degraded %q, affiliation %q", path, document.Degraded, document.Affiliation)
		}
		if strings.Contains(document.Text, "Table of Contents") && len(document.Text) > 3000 {
			t.Errorf("%s: the text holds its table of contents", path)
		}
		for _, menu := range []string{"Navigation header", "Prev | Up", "Choose any three.", "Show Source",
			"Report a Bug", "toggle_div", "¶"} {
			if strings.Contains(document.Text, menu) {
				t.Errorf("%s: the text holds %q", path, menu)
			}
		}
		squeezed := squeeze(document.Text)
		for _, paragraph := range paragraphsOf(t, path, body) {
			if !strings.Contains(squeezed, squeeze(paragraph)) {
				t.Errorf("%s lacks %.200q", path, plain.OneLine(paragraph))
			}
		}
	}
}

// squeeze drops all white space and what marks a heading as a link.
func squeeze(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || strings.ContainsRune("¶§\u200b", r) {
			return -1
		}
		return r
	}, s)
}

// paragraphsOf are the paragraphs, headings and examples in the element that holds
// a documentation page's body.
func paragraphsOf(t *testing.T, path string, body []byte) []string {
	var in func(n *html.Node) bool
	switch {
	case strings.HasPrefix(path, "postgresql/"):
		in = func(n *html.Node) bool {
			class := tree.Attribute(n, "class")
			return class == "sect1" || class == "refentry" || class == "chapter" || class == "appendix" ||
				class == "sect2"
		}
	case strings.HasPrefix(path, "python/"):
		in = func(n *html.Node) bool { return tree.Attribute(n, "role") == "main" }
	case strings.HasPrefix(path, "sqlite/"):
		in = func(n *html.Node) bool { return n.DataAtom == atom.Body }
	default:
		return nil
	}
	root, err := html.Parse(strings.NewReader(string(body)))
	if err != nil {
		t.Fatal(err)
	}
	var paragraphs []string
	for n := range root.Descendants() {
		if n.Type != html.ElementNode || !in(n) {
			continue
		}
		for c := range n.Descendants() {
			switch c.DataAtom {
			case atom.P, atom.Pre, atom.H2, atom.H3, atom.Dt:
				if inContents(c) || holdsHidden(c) || listsLinks[path+" "+plain.OneLine(squeeze(wholeText(c)))] {
					continue
				}
				// these are written otherwise, or not at all
				if !holdsAny(c, atom.Button, atom.Sup, atom.Sub, atom.Select, atom.Table) {
					paragraphs = append(paragraphs, wholeText(c))
				}
			}
		}
		return paragraphs
	}
	return nil
}

// listsLinks are headings of lists that hold nothing but links, or of nothing.
var listsLinks = map[string]bool{
	"sqlite/session.html Objects:": true, "sqlite/session.html Constants:": true,
	"sqlite/session.html Functions:":          true,
	"python/faq/gui.html GeneralGUIQuestions": true, "python/howto/urllib2.html RelatedArticles": true,
}

// holdsHidden reports whether the page hides a part of n.
func holdsHidden(n *html.Node) bool {
	for c := range n.Descendants() {
		if strings.Contains(tree.Attribute(c, "style"), "display:none") {
			return true
		}
	}
	return false
}

// inContents reports whether n is part of a table of contents.
func inContents(n *html.Node) bool {
	for p := n; p != nil; p = p.Parent {
		if class := tree.Attribute(p, "class"); class == "toc" || class == "topic" || class == "contents" {
			return true
		}
	}
	return false
}

func holdsAny(n *html.Node, atoms ...atom.Atom) bool {
	for c := range n.Descendants() {
		if slices.Contains(atoms, c.DataAtom) {
			return true
		}
	}
	return false
}

func wholeText(n *html.Node) string {
	var b strings.Builder
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
		}
	}
	return b.String()
}

// TestQuotesFromDocumentation: sentences, table rows, code and headings as a person
// finds them in the page, each in the canonical text as it stands.
func TestQuotesFromDocumentation(t *testing.T) {
	extracttest.Measured(t)
	pages := extracttest.Unpack(t, realpart.Data(t, "demo-web/pages.tar.gz"))
	tests := []struct{ path, quote, heading string }{
		{"sqlite/lang_upsert.html", "The conflict resolution algorithm for the update operation of the DO UPDATE " +
			"clause is always ABORT.", "3. Limitations"},
		{"sqlite/lang_upsert.html", "INSERT INTO vocabulary(word) VALUES('jovial')\n  ON CONFLICT(word) DO " +
			"UPDATE SET " +
			"count=count+1;", "2.1. Examples"},
		{"sqlite/about.html", "- Max DB size: 281 terabytes (2^48 bytes)", "Executive Summary"},
		{"sqlite/datatype3.html", "INT, INTEGER, TINYINT, SMALLINT, MEDIUMINT, BIGINT, UNSIGNED BIG INT, " +
			"INT2, INT8 | " +
			"INTEGER | 1", "3.1.1. Affinity Name Examples"},
		{"postgresql/datatype-numeric.html", "smallint | 2 bytes | small-range integer | -32768 to +32767",
			"8.1. Numeric Types"},
		{"postgresql/datatype-numeric.html", "The maximum precision that can be explicitly specified in a numeric " +
			"type declaration is 1000.", "8.1.2. Arbitrary Precision Numbers"},
		{"postgresql/runtime-config-locks.html", "If this value is specified without units, it is taken as " +
			"milliseconds. The default is one second (1s), which is probably about the smallest value you would want " +
			"in practice.", "deadlock_timeout (integer)"},
		{"python/library/sqlite3.html", "detect_types (int) – Control whether and how data types not natively " +
			"supported by SQLite are looked up", "sqlite3.connect(database, timeout=5.0, detect_types=0, " +
			"isolation_level='DEFERRED', check_same_thread=True, factory=sqlite3.Connection, cached_statements=128, " +
			"uri=False)"},
		{"python/library/sqlite3.html", ">>> res.fetchone()\n('movie',)", "Tutorial"},
		{"go/doc/go1.26.md", "The Green Tea garbage collector, previously available as an experiment in Go 1.25, is " +
			"now enabled by default after incorporating feedback.", "New garbage collector"},
		{"go/blog/16years.md", "This past Monday, November 10th, we celebrated the 16th anniversary of Go’s open " +
			"source release!", "Go’s Sweet 16"},
		{"go/doc/effective_go.html", "Go has no comma operator", "For"},
	}
	for _, test := range tests {
		contentType := "text/html"
		if strings.HasSuffix(test.path, ".md") {
			contentType = "text/markdown"
		}
		document, err := Extract(context.Background(), citewell.Page{
			URL: "http://docs.localhost/" + test.path, ContentType: contentType, Body: pages[test.path]})
		if err != nil {
			t.Fatal(err)
		}
		at := strings.Index(document.Text, test.quote)
		if at < 0 {
			t.Errorf("%s lacks %q", test.path, test.quote)
			continue
		}
		for _, p := range document.Passages {
			if p.Start <= at && at < p.End && p.Heading != test.heading {
				t.Errorf("%s: %q stands under %q, want %q", test.path, test.quote, p.Heading, test.heading)
			}
		}
	}
}
