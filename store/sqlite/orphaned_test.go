package sqlite

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/citewell/citewell"
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
			t.Skip("no symbolic links here: ", err)
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
