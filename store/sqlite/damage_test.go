package sqlite

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/codec"
	"github.com/citewell/citewell/store/internal/fulltext"
)

func wantFailed(t *testing.T, err error, code citewell.Code, words string) {
	t.Helper()
	if view := citewell.View(err); err == nil || view.Code != code || !strings.Contains(view.Message, words) {
		t.Errorf("got %v (%q), want %s with %q", err, citewell.CodeOf(err), code, words)
	}
}

// TestFlippedBit flips bits all over a blob's file: each is noticed, none is
// returned as content, and putting the content again heals it.
func TestFlippedBit(t *testing.T) {
	dir := t.TempDir()
	s, ctx := openTest(t, dir).Tenant("t"), t.Context()
	page := citewell.Page{FinalURL: "https://a.example/", Body: []byte(strings.Repeat("The body of a page. ", 50))}
	doc := citewell.Document{URL: page.FinalURL, Text: "The text of a page."}
	if err := s.PutSnapshot(ctx, page, doc); err != nil {
		t.Fatal(err)
	}
	hash := citewell.SHA256(page.Body)
	path := filepath.Join(dir, "snapshots", hash[:2], hash+".zst")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	write := func(data []byte) {
		t.Helper()
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for i := range len(whole) * 8 {
		flipped := bytes.Clone(whole)
		flipped[i/8] ^= 1 << (i % 8)
		write(flipped)
		got, err := s.Blob(ctx, hash)
		if err == nil && bytes.Equal(got, page.Body) {
			continue // a bit of the format that means nothing
		}
		wantFailed(t, err, citewell.CodeStoreFailed, hash)
	}
	for _, broken := range [][]byte{nil, whole[:len(whole)-1], []byte("not zstd"), codec.Pack([]byte("another page"))} {
		write(broken)
		_, err := s.Blob(ctx, hash)
		wantFailed(t, err, citewell.CodeStoreFailed, "does not match")
		_, _, err = s.Snapshot(ctx, page.FinalURL)
		wantFailed(t, err, citewell.CodeStoreFailed, "does not match")
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	_, err = s.Blob(ctx, hash)
	wantFailed(t, err, citewell.CodeStoreFailed, "is missing")

	if err := s.PutSnapshot(ctx, page, doc); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Blob(ctx, hash); err != nil || !bytes.Equal(got, page.Body) {
		t.Errorf("the content was put again and is not healed: %v", err)
	}
}

// TestDamagedRecord flips bits of the records in the tables.
func TestDamagedRecord(t *testing.T) {
	db := openTest(t, t.TempDir())
	s := db.Tenant("t")
	for i, kind := range kinds {
		if err := writeItem(s, ack{0, i, kind}); err != nil {
			t.Fatal(err)
		}
	}
	reads := map[string]func() error{
		"snapshot.page_record":       func() error { return checkItem(s, ack{0, 0, "snapshot"}) },
		"snapshot.document_record":   func() error { return checkItem(s, ack{0, 0, "snapshot"}) },
		"source.record":              func() error { return checkItem(s, ack{0, 1, "source"}) },
		"passage.record":             func() error { return checkItem(s, ack{0, 1, "source"}) },
		"text_document.text_record":  func() error { return checkItem(s, ack{0, 2, "document"}) },
		"text_document.terms_record": func() error { return checkItem(s, ack{0, 2, "document"}) },
		"brief.record":               func() error { return checkItem(s, ack{0, 3, "brief"}) },
	}
	for column, read := range reads {
		table, name, _ := strings.Cut(column, ".")
		var whole []byte
		if err := db.writes.QueryRow("SELECT " + name + " FROM " + table).Scan(&whole); err != nil {
			t.Fatal(err)
		}
		set := func(value []byte) {
			t.Helper()
			if _, err := db.writes.Exec("UPDATE "+table+" SET "+name+" = ?", value); err != nil {
				t.Fatal(err)
			}
		}
		for _, position := range []int{0, 6, len(whole) / 2, len(whole) - 1} {
			flipped := bytes.Clone(whole)
			flipped[position] ^= 0x10
			set(flipped)
			if err := read(); citewell.CodeOf(err) != citewell.CodeStoreFailed {
				t.Errorf("%s with a flipped bit at %d gives %v, want store_failed", column, position, err)
			}
		}
		if name != "text_record" { // any text is a text
			other := codec.Pack([]byte("neither JSON nor terms"))
			if table == "text_document" {
				other = fulltext.Seal(nil, []byte("neither JSON nor terms"))
			}
			set(other)
			if err := read(); citewell.CodeOf(err) != citewell.CodeStoreFailed {
				t.Errorf("%s with another content gives %v, want store_failed", column, err)
			}
		}
		set(whole)
		if err := read(); err != nil {
			t.Errorf("%s restored: %v", column, err)
		}
	}
}

// TestDamagedFile opens stores whose state.db is no database of ours.
func TestDamagedFile(t *testing.T) {
	tests := map[string]struct {
		damage func(t *testing.T, path string)
		words  string
	}{
		"text": {func(t *testing.T, path string) {
			writeFile(t, path,
				[]byte(strings.Repeat("not a database ", 1000)))
		}, "damaged"},
		"header": {func(t *testing.T, path string) { flip(t, path, 3) }, "damaged"},
		"schema": {func(t *testing.T, path string) { flip(t, path, 100) }, "damaged"},
		"foreign": {func(t *testing.T, path string) {
			execFile(t, path, "CREATE TABLE bookmarks (url TEXT)")
		}, "not a Citewell store"},
		"newer": {func(t *testing.T, path string) {
			openTestClosed(t, filepath.Dir(path))
			execFile(t, path, "PRAGMA user_version = 7000")
		}, "schema 7000"},
		"unreleased": {func(t *testing.T, path string) {
			openTestClosed(t, filepath.Dir(path))
			execFile(t, path, "PRAGMA user_version = 8")
		}, "before the first release"},
		"folder": {func(t *testing.T, path string) {
			if err := os.Mkdir(path, 0o700); err != nil {
				t.Fatal(err)
			}
		}, "cannot be opened"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if name == "header" || name == "schema" {
				openTestClosed(t, dir)
			}
			test.damage(t, filepath.Join(dir, "state.db"))
			db, err := Open(t.Context(), dir, Options{LockWait: 100 * time.Millisecond})
			wantFailed(t, err, citewell.CodeStoreFailed, test.words)
			if db != nil {
				t.Error("a store came with the error")
			}
		})
	}
	path := filepath.Join(t.TempDir(), "file")
	writeFile(t, path, []byte("x"))
	_, err := Open(t.Context(), path, Options{})
	wantFailed(t, err, citewell.CodeStoreFailed, "")
}

func openTestClosed(t *testing.T, dir string) {
	t.Helper()
	if err := openTest(t, dir).Close(); err != nil {
		t.Fatal(err)
	}
}

func writeFile(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func flip(t *testing.T, path string, position int) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data[position] ^= 0xff
	writeFile(t, path, data)
}

func execFile(t *testing.T, path, script string) {
	t.Helper()
	db, err := openSQL(path, time.Second, "immediate")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(script); err != nil {
		t.Fatal(err)
	}
}

// TestLockedTooLong has another process's transaction stay open.
func TestLockedTooLong(t *testing.T) {
	dir := t.TempDir()
	db, err := Open(t.Context(), dir, Options{LockWait: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	other := openTest(t, dir)
	tx, err := other.writes.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	s := db.Tenant("t")
	wantFailed(t, s.PutBrief(t.Context(), citewell.Brief{ID: "b"}), citewell.CodeStoreFailed, "locked")
	if _, err := s.SearchText(t.Context(), store.TextQuery{Text: "words"}); err != nil {
		t.Errorf("reading waits for a writer: %v", err)
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	if err := s.PutBrief(t.Context(), citewell.Brief{ID: "b"}); err != nil {
		t.Errorf("after the lock is gone: %v", err)
	}
}

// TestSizeLimit fills the database to a limit of SQLite's own, which reports it as
// it reports a full disk.
func TestSizeLimit(t *testing.T) {
	db := openTest(t, t.TempDir())
	s, ctx := db.Tenant("t"), t.Context()
	var pages int
	if err := db.writes.QueryRow("PRAGMA page_count").Scan(&pages); err != nil {
		t.Fatal(err)
	}
	if _, err := db.writes.Exec("PRAGMA max_page_count = 60"); err != nil {
		t.Fatal(err)
	}
	var acks []ack
	var failure error
	for n := 0; n < 4000 && failure == nil; n++ {
		a := ack{0, n, kinds[n%len(kinds)]}
		if failure = writeItem(s, a); failure == nil {
			acks = append(acks, a)
		}
	}
	wantFailed(t, failure, citewell.CodeStoreFailed, "full")
	if _, err := db.writes.Exec("PRAGMA max_page_count = 1000000"); err != nil {
		t.Fatal(err)
	}
	if err := s.PutBrief(ctx, citewell.Brief{ID: "after"}); err != nil {
		t.Errorf("with space again: %v", err)
	}
	for _, a := range acks {
		if err := checkItem(s, a); err != nil {
			t.Errorf("%v is lost: %v", a, err)
		}
	}
}

// TestLeftovers has an old unfinished file removed at the next start. A young one, which another
// process may be writing, is kept, and so is what Put has not written.
func TestLeftovers(t *testing.T) {
	dir := t.TempDir()
	openTestClosed(t, dir)
	tmp := func(name string) string { return filepath.Join(dir, "snapshots", tmpDir, name) }
	past := time.Now().Add(-2 * tmpLifetime)
	old, young := citewell.NewID(), citewell.NewID()
	folder := strings.Repeat("f", 32)
	foreign := []string{"mine.img", "0" + old, old[1:], strings.Repeat("g", 32), strings.Repeat("A", 32)}
	if err := os.Mkdir(tmp(folder), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range append(foreign, old, young) {
		writeFile(t, tmp(name), []byte("x"))
	}
	for _, name := range append(foreign, old, folder) {
		if err := os.Chtimes(tmp(name), past, past); err != nil {
			t.Fatal(err)
		}
	}
	openTestClosed(t, dir)
	if _, err := os.Stat(tmp(old)); !os.IsNotExist(err) {
		t.Errorf("the old file is still there: %v", err)
	}
	for _, name := range append(foreign, young, folder) {
		if _, err := os.Stat(tmp(name)); err != nil {
			t.Errorf("%s is gone: %v", name, err)
		}
	}
}
