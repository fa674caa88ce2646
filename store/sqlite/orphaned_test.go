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
