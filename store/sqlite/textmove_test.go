package sqlite

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/store"
)

// oldStore returns a data folder whose state.db was written by the program as it was
// with schema 1: three documents of the default tenant that can be read and one that
// cannot, one of another tenant, and 450 of a third.
func oldStore(t *testing.T) string { return unpackedStore(t, "schema1.db.gz") }

func unpackedStore(t *testing.T, name string) string {
	t.Helper()
	packed, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	unpacked, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "state.db"), data)
	return dir
}

func found(t *testing.T, s *Store, query string) string {
	t.Helper()
	hits, err := s.SearchText(t.Context(), store.TextQuery{Text: query})
	if err != nil {
		t.Fatal(err)
	}
	var urls []string
	for _, hit := range hits {
		urls = append(urls, hit.URL)
	}
	return strings.Join(urls, " ")
}

// TestOldStore has several openers at once bring a store of schema 1 to the newest.
func TestOldStore(t *testing.T) {
	dir := oldStore(t)
	var group sync.WaitGroup
	dbs := make([]*DB, 3)
	for i := range dbs {
		group.Go(func() {
			var err error
			if dbs[i], err = Open(t.Context(), dir, Options{}); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if t.Failed() {
		return
	}
	for _, db := range dbs {
		for query, want := range map[string]string{
			"tide": "file:///notes/tide.md", "Haus": "https://hafen.example/", "結": "https://minato.example/", "walrus": "",
		} {
			if got := found(t, db.Tenant(""), query); got != want {
				t.Errorf("%q found %q, want %q", query, got, want)
			}
		}
		if got := found(t, db.Tenant("other"), "tide"); got != "file:///notes/tide.md" {
			t.Errorf("the other tenant found %q", got)
		}
		for tenant, want := range map[string]int{"": 3, "other": 1, "many": 450} {
			if n, err := db.Tenant(tenant).CountDocuments(t.Context(), ""); n != want || err != nil {
				t.Errorf("tenant %q has %d documents (%v), want %d", tenant, n, err, want)
			}
			if n, err := db.Tenant(tenant).CountText(t.Context(), store.TextQuery{Text: "words harbour Hafen 港 tide"}); n != want || err != nil {
				t.Errorf("tenant %q finds %d documents (%v), want %d", tenant, n, err, want)
			}
		}
		doc, err := db.Tenant("").TextDocument(t.Context(), store.Library, "file:///notes/tide.md")
		if err != nil || doc.Title != "Tide tables" || doc.Published != "2026-03-01" || doc.Stamp != "77 bytes" || !strings.HasPrefix(doc.Text, "High water") {
			t.Errorf("moved document is %+v (%v)", doc, err)
		}
		if stamp, err := db.Tenant("").Stamp(t.Context(), "https://damaged.example/"); stamp != "" || err != nil {
			t.Errorf("the damaged document has stamp %q (%v): it would not be read again", stamp, err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestOldProgram has a program of schema 1 that was still running write two documents
// after the move: one is new, the other has been indexed anew since.
func TestOldProgram(t *testing.T) {
	dir := oldStore(t)
	db, ctx := openTest(t, dir), t.Context()
	if err := db.Tenant("").IndexDocument(ctx, citewell.Document{URL: "u:1", Language: "en", Text: "The newest walrus."}, "new"); err != nil {
		t.Fatal(err)
	}
	for _, url := range []string{"u:1", "u:2"} {
		if _, err := db.writes.Exec(`INSERT INTO document (tenant, url, title, published, language, stamp, terms, indexed_at, text_record, terms_record)
			VALUES ('default', ?, '', '', 'en', 'old', 3, 0, ?, x'00')`, url, pack([]byte("An older walrus."))); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = openTest(t, dir)
	for url, want := range map[string]string{"u:1": "new", "u:2": "old"} {
		if stamp, err := db.Tenant("").Stamp(ctx, url); stamp != want || err != nil {
			t.Errorf("%s has stamp %q (%v), want %q", url, stamp, err, want)
		}
	}
	if n, err := db.Tenant("").CountText(ctx, store.TextQuery{Text: "walrus"}); n != 2 || err != nil {
		t.Errorf("%d documents are found (%v), want 2", n, err)
	}
}
