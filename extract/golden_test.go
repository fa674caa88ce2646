package extract

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/extract/internal/passage"
	"github.com/citewell/citewell/extract/internal/textual"
	"github.com/citewell/citewell/internal/testing/extracttest"
	"github.com/citewell/citewell/internal/testing/golden"
)

// TestGolden reads a hand-written page of each media type and holds the whole
// document: metadata, canonical text, Markdown, where the passages lie.
func TestGolden(t *testing.T) {
	types := map[string]string{"html": "text/html", "markdown": "text/markdown", "text": "text/plain; charset=utf-8",
		"csv": textual.CSV.Name, "jats": "application/xml", "captions": "", "recordings": "text/html"}
	for folder, contentType := range types {
		files, err := filepath.Glob(filepath.Join("testdata", folder, "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, ".golden") {
				continue
			}
			t.Run(filepath.Base(file), func(t *testing.T) {
				body, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				address := "http://quern.example/manual/" + filepath.Base(file)
				document, err := Extract(context.Background(), citewell.Page{
					URL: address, FinalURL: address, ContentType: contentType, Body: body})
				if err != nil {
					t.Fatal(err)
				}
				checkDocument(t, document)
				golden.Check(t, file+".golden", show(t, document))
			})
		}
	}
}

func show(t *testing.T, d citewell.Document) string {
	t.Helper()
	if d.Markdown == "" {
		t.Error("the reader gives text and no Markdown: block.Markdown(r.Blocks)")
	}
	var b strings.Builder
	about := struct {
		citewell.Document
		Extractor any `json:"extractor,omitempty"` // TestVersion holds its version
	}{Document: d}
	about.Text, about.Markdown, about.TextSHA256, about.Passages = "", "", "", nil
	head, err := json.MarshalIndent(about, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(&b, "%s\n\n==== text ====\n%s\n\n==== markdown ====\n%s\n\n==== passages ====\n", head,
		d.Text, d.Markdown)
	for _, p := range d.Passages {
		fmt.Fprintln(&b, strings.Join(strings.Fields(fmt.Sprintf("[%d:%d] %q %s %s", p.Start, p.End, p.Heading,
			p.Where(), p.Columns)), " "))
	}
	return b.String()
}

// version.golden has the version, and the hash of the canonical text that each golden file holds: a text
// that changes needs a new version, so that what is stored is read anew.
func TestVersion(t *testing.T) {
	const file = "testdata/version.golden"
	kept, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	rows := strings.Fields(string(kept))
	version, hashes := rows[1], map[string]string{}
	for i := 2; i+1 < len(rows); i += 2 {
		hashes[rows[i]] = rows[i+1]
	}
	files, err := filepath.Glob("testdata/*/*.golden")
	if err != nil || len(files) < 30 {
		t.Fatalf("%d golden files, %v", len(files), err)
	}
	current := fmt.Sprintf("version %d\n", Version)
	for _, name := range files {
		document, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		_, text, _ := strings.Cut(string(document), "\n==== text ====\n")
		text, _, found := strings.Cut(text, "\n==== markdown ====\n")
		if !found {
			t.Fatalf("%s holds no text", name)
		}
		name, hash := strings.TrimPrefix(filepath.ToSlash(name), "testdata/"), citewell.SHA256([]byte(text))[:16]
		current += name + " " + hash + "\n"
		if was := hashes[name]; was != "" && was != hash && version == fmt.Sprint(Version) {
			t.Errorf("the text of %s changed: raise Version", name)
		}
	}
	golden.Check(t, file, current)
}

// checkDocument holds what is true of every document, whatever page it is from.
func checkDocument(t testing.TB, d citewell.Document) {
	t.Helper()
	for name, s := range map[string]string{"text": d.Text, "markdown": d.Markdown, "title": d.Title, "author": d.Author,
		"affiliation": d.Affiliation} {
		if !utf8.ValidString(s) {
			t.Errorf("%s is not valid UTF-8", name)
		}
		if i := strings.IndexFunc(s, func(r rune) bool {
			return r < ' ' && r != '\n' && r != '\t' || r >= 0x7f &&
				r < 0xa0
		}); i >= 0 {
			t.Errorf("%s holds the control %q at %d", name, s[i], i)
		}
	}
	if d.Text == "" || strings.TrimSpace(d.Text) == "" {
		t.Error("no text and no error")
	}
	if d.Text != strings.Trim(d.Text, "\n") {
		t.Error("blank lines around the text")
	}
	if len(d.TextSHA256) != 64 || d.Extractor.ID != ID || d.Extractor.Version != Version {
		t.Errorf("hash %q, extractor %+v", d.TextSHA256, d.Extractor)
	}
	extracttest.CheckPassages(t, d.Text, d.Passages, passage.Longest)
	for _, link := range d.Links {
		if !strings.HasPrefix(link.URL, "http://") && !strings.HasPrefix(link.URL, "https://") {
			t.Errorf("link %q is no web address", link.URL)
		}
	}
}
