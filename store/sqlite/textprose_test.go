package sqlite

import (
	"archive/tar"
	"cmp"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citewell/citewell/internal/testing/realpart"
	measure "github.com/citewell/citewell/internal/testing/score"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/store"
)

// prose returns real texts: the repository's own documents and, where they are at hand,
// the pages of the demo web.
func prose(t *testing.T) (docs []store.TextDocument) {
	t.Helper()
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || filepath.Ext(path) != ".md" {
			return err
		}
		content, err := os.ReadFile(path)
		docs = append(docs, store.TextDocument{ID: path, Title: d.Name(), Text: string(content)})
		return err
	})
	if err != nil || len(docs) < 20 {
		t.Fatalf("the repository has %d documents (%v)", len(docs), err)
	}
	place, found := realpart.FindData("demo-web", "pages.tar.gz")
	if !found {
		t.Log("without the demo web")
		return docs
	}
	packed, err := os.Open(place)
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	unpacked, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	for pages := tar.NewReader(unpacked); ; {
		header, err := pages.Next()
		if errors.Is(err, io.EOF) {
			return docs
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(pages)
		if err != nil {
			t.Fatal(err)
		}
		if header.Typeflag == tar.TypeReg {
			docs = append(docs, store.TextDocument{ID: header.Name, Text: strings.ToValidUTF8(string(content), "")})
		}
	}
}

// TestProse keeps real texts, finds each by some of its own words, and checks.
func TestProse(t *testing.T) {
	if measure.RaceDetector || testing.Short() {
		t.Skip("one goroutine that takes seconds")
	}
	dir := t.TempDir()
	s := openTest(t, dir).Tenant("t")
	docs := prose(t)
	if err := s.IndexDocuments(t.Context(), store.Library, docs); err != nil {
		t.Fatal(err)
	}
	for i, doc := range docs {
		kept, err := s.TextDocument(t.Context(), store.Library, doc.ID)
		if err != nil {
			t.Fatal(err)
		}
		words := text.TermTokens(doc.Text, cmp.Or(kept.Language, "zxx"))
		for n := i % 97; n < len(words); n += 997 {
			word := doc.Text[words[n].Start:words[n].End]
			if found, err := s.CountText(t.Context(), store.TextQuery{
				Text: `"` + word + `"`, URLPrefix: doc.ID}); found == 0 || err != nil {
				t.Errorf("%s is not found by its word %q (%v)", doc.ID, word, err)
			}
		}
	}
	if found := problems(t, dir); len(found) > 0 {
		t.Errorf("a store of %d real texts: %q", len(docs), found)
	}
}
