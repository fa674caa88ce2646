package sqlite

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/testing/realpart"
)

// A store whose records are gone says so where snapshots are left, and is a new one where
// none are.
func TestRecordsGone(t *testing.T) {
	for name, lose := range map[string]func(path string) error{
		"emptied": func(path string) error { return os.Truncate(path, 0) },
		"deleted": os.Remove,
	} {
		for _, snapshots := range []bool{true, false} {
			dir := t.TempDir()
			db := openTest(t, dir)
			if snapshots {
				page := citewell.Page{FinalURL: "https://a.test/", Body: []byte("a page")}
				if err := db.Tenant("").PutSnapshot(t.Context(), page, citewell.Document{Text: "a page"}); err != nil {
					t.Fatal(err)
				}
			}
			if err := errors.Join(db.Close(), lose(filepath.Join(dir, "state.db"))); err != nil {
				t.Fatal(err)
			}
			db, err := Open(t.Context(), dir, Options{})
			if snapshots != (citewell.CodeOf(err) == citewell.CodeStoreFailed) {
				t.Errorf("%s, snapshots %t: %v", name, snapshots, err)
			}
			if err == nil {
				err = db.Close()
			}
			if !snapshots && err != nil {
				t.Error(err)
			}
		}
	}
}

// Snapshots that cannot be read now are not taken for none: a store without its records is not begun
// anew over them, at the next try neither.
func TestRecordsGoneAndSnapshotsAway(t *testing.T) {
	for name, away := range map[string]func(files, elsewhere string) error{
		"folder": func(files, elsewhere string) error { return os.Symlink(elsewhere, files) },
		"hash": func(files, elsewhere string) error {
			return errors.Join(os.Mkdir(files, 0o700), os.Symlink(elsewhere, filepath.Join(files, "ab")))
		},
	} {
		dir, elsewhere := t.TempDir(), filepath.Join(t.TempDir(), "unmounted")
		if err := away(filepath.Join(dir, "snapshots"), elsewhere); err != nil {
			realpart.Lacking(t, "no symbolic links here: %v", err)
		}
		for range 2 {
			_, err := Open(t.Context(), dir, Options{})
			wantFailed(t, err, citewell.CodeStoreFailed, "cannot be read")
		}
		if _, err := os.Stat(filepath.Join(dir, "state.db")); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: a store that was refused has records (%v)", name, err)
		}
		if err := os.Mkdir(elsewhere, 0o700); err != nil {
			t.Fatal(err)
		}
		db, err := Open(t.Context(), dir, Options{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A folder "snapshots" is a store's where its records are: else nothing in it is tidied away.
func TestAloneAmongOthersSnapshots(t *testing.T) {
	for _, kept := range []string{"snapshots/monday.img", "snapshots/tmp/mine.img", "snapshots/ab/mine.img"} {
		for _, records := range []bool{false, true} { // empty ones are none
			dir := t.TempDir()
			file := filepath.Join(dir, filepath.FromSlash(kept))
			for _, folder := range []string{filepath.Join(dir, "lost+found"), filepath.Dir(file)} {
				if err := os.MkdirAll(folder, 0o700); err != nil {
					t.Fatal(err)
				}
			}
			writeFile(t, file, []byte("mine"))
			old := time.Now().Add(-2 * tmpLifetime)
			if err := os.Chtimes(file, old, old); err != nil {
				t.Fatal(err)
			}
			if records {
				writeFile(t, filepath.Join(dir, "state.db"), nil)
			}
			db, err := Open(t.Context(), dir, Options{Alone: true, Copying: true})
			if db != nil {
				db.Close()
			}
			wantFailed(t, err, citewell.CodeInvalidArgument, "holds other things")
			if data, err := os.ReadFile(file); string(data) != "mine" {
				t.Errorf("%s is gone (%v)", kept, err)
			}
		}
	}
}

// The records of a process that was killed may be in their log alone: they are a store's, too.
func TestAloneWithRecordsInTheLog(t *testing.T) {
	dir, copied := t.TempDir(), t.TempDir()
	db := openTest(t, dir)
	defer db.Close()
	for _, name := range []string{"state.db", "state.db-wal"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if name == "state.db" && len(data) > 100 && slices.Max(data[68:72]) != 0 {
			t.Fatal("the mark is in the file already: the test shows nothing")
		}
		writeFile(t, filepath.Join(copied, name), data)
	}
	if err := os.MkdirAll(filepath.Join(copied, "snapshots", "ab"), 0o700); err != nil {
		t.Fatal(err)
	}
	again, err := Open(t.Context(), copied, Options{Alone: true, Copying: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}

// Another's database is left as it is: neither its bytes change, nor is anything put beside it.
func TestForeignDatabaseIsLeftAsItIs(t *testing.T) {
	for _, mode := range []string{"DELETE", "WAL"} {
		dir := t.TempDir()
		path := filepath.Join(dir, "state.db")
		execFile(t, path, "CREATE TABLE bookmarks (url TEXT); PRAGMA journal_mode = "+mode)
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range []Options{{}, {Alone: true, Copying: true}} {
			_, err := Open(t.Context(), dir, o)
			wantFailed(t, err, citewell.CodeStoreFailed, "not a Citewell store")
		}
		if after, err := os.ReadFile(path); err != nil || !slices.Equal(before, after) {
			t.Errorf("%s: the database has changed (%v)", mode, err)
		}
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
			t.Errorf("%s: beside it are %v (%v)", mode, entries, err)
		}
	}
}
