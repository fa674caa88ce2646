package transfer_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/testing/pgtest"
	"github.com/citewell/citewell/internal/testing/storesuite"
	"github.com/citewell/citewell/internal/transfer"
	"github.com/citewell/citewell/internal/upkeep"
	"github.com/citewell/citewell/store/postgres"
	"github.com/citewell/citewell/store/sqlite"
	"github.com/google/go-cmp/cmp"
)

// A place is where a store is, or may be made.
type place struct {
	name string
	open func(ctx context.Context, copying bool) (opened, error)
}

// An opened store is one of either backend.
type opened interface {
	transfer.Target
	Check(ctx context.Context) (upkeep.CheckReport, error)
	Close() error
	tenant(name string) storesuite.Everything
}

type embedded struct{ *sqlite.DB }

func (e embedded) tenant(name string) storesuite.Everything { return e.Tenant(name) }

type served struct{ *postgres.DB }

func (s served) tenant(name string) storesuite.Everything { return s.Tenant(name) }

func folder(dir string) place {
	return place{dir, func(ctx context.Context, copying bool) (opened, error) {
		db, err := sqlite.Open(ctx, dir, sqlite.Options{Copying: copying})
		return embedded{db}, err
	}}
}

func database(url string) place {
	return place{url, func(ctx context.Context, copying bool) (opened, error) {
		db, err := postgres.Open(ctx, postgres.Options{URL: url, Copying: copying})
		return served{db}, err
	}}
}

// open opens a store that is closed when t ends.
func (p place) opened(t *testing.T, copying bool) opened {
	t.Helper()
	db, err := p.open(t.Context(), copying)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func silent(transfer.Progress) {}

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// copied copies one place into another and wants it to be whole.
func copied(t *testing.T, from, to place) transfer.Report {
	t.Helper()
	report, err := transfer.Copy(t.Context(), from.opened(t, false), to.opened(t, true), silent)
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Problems) > 0 {
		t.Errorf("problems: %v", report.Problems)
	}
	return report
}

const (
	size  = 3
	other = "an\x00other tenant"
)

// filled is a store that has something of everything, for two tenants.
func filled(t *testing.T, p place) place {
	t.Helper()
	db := p.opened(t, false)
	storesuite.Fill(t, db.tenant(""), size)
	storesuite.Fill(t, db.tenant(other), 1)
	return p
}

// wantSame says where a store tells something else than another.
func wantSame(t *testing.T, want, got opened) {
	t.Helper()
	for tenant, n := range map[string]int{"": size, other: 1} {
		if diff := cmp.Diff(storesuite.Told(t, want.tenant(tenant), n),
			storesuite.Told(t, got.tenant(tenant), n)); diff != "" {
			t.Errorf("of tenant %q the copy tells something else (-source +copy):\n%s", tenant, diff)
		}
	}
	report, err := got.Check(t.Context())
	if err != nil || len(report.Problems) > 0 {
		t.Errorf("the copy's own check says %v (%v)", report.Problems, err)
	}
}

// A store goes from folder to folder, into a database and back, and from database to database;
// what it tells is the same, and runs go on there.
func TestCopyThereAndBack(t *testing.T) {
	first := filled(t, folder(t.TempDir()))
	source := first.opened(t, false)
	at := first
	var digests []string
	for _, to := range []place{folder(filepath.Join(t.TempDir(), "new")), database(pgtest.VectorURL(t)),
		database(pgtest.VectorURL(t)), folder(t.TempDir())} {
		report := copied(t, at, to)
		digests = append(digests, report.Kinds[0].Digest+report.Kinds[5].Digest)
		for _, k := range report.Kinds {
			if k.Rows == 0 {
				t.Errorf("nothing of kind %s was there to be copied", k.Kind)
			}
		}
		wantSame(t, source, to.opened(t, false))
		at = to
	}
	for _, d := range digests[1:] {
		if d != digests[0] {
			t.Errorf("digests differ between copies of the same: %v", digests)
		}
	}
	back := at.opened(t, false)
	storesuite.GoOn(t, back.tenant(""))
	storesuite.GoOn(t, back.tenant(other))
	there := database(pgtest.URL(t)) // without pgvector
	copied(t, first, there)
	db := there.opened(t, false)
	wantSame(t, source, db)
	storesuite.GoOn(t, db.tenant(""))
	storesuite.Fill(t, db.tenant("a third"), 1) // numbers go on where they were
	report, err := db.Check(t.Context())
	if err != nil || len(report.Problems) > 0 {
		t.Errorf("after new work the check says %v (%v)", report.Problems, err)
	}
}

// A cutting target fails at the n-th write, before or after it is done.
type cutting struct {
	transfer.Target
	left  *int
	after bool
}

var errCut = &citewell.Error{Code: citewell.CodeStoreFailed, Message: "cut"}

func (c cutting) Insert(ctx context.Context, kind transfer.Kind, rows []transfer.Row) error {
	if *c.left--; *c.left < 0 {
		if c.after {
			if err := c.Target.Insert(ctx, kind, rows); err != nil {
				return err
			}
		}
		return errCut
	}
	return c.Target.Insert(ctx, kind, rows)
}

// A copy that was cut at any write goes on where it was, and the target is refused until then.
func TestCopyGoesOn(t *testing.T) {
	ctx := t.Context()
	from := filled(t, folder(t.TempDir()))
	source := from.opened(t, false)
	for name, to := range map[string]place{"folder": folder(t.TempDir()), "database": database(pgtest.URL(t))} {
		t.Run(name, func(t *testing.T) {
			written := 0
			for cut := 0; ; cut++ {
				left := 2
				db := to.opened(t, true)
				report, err := transfer.Copy(ctx, source, cutting{db, &left, cut%2 == 1}, silent)
				if err == nil {
					written += report.Written
					break
				}
				if !strings.Contains(err.Error(), "cut") {
					t.Fatal(err)
				}
				for _, k := range report.Kinds {
					if k.Removed > 0 {
						t.Errorf("%d rows of %s were removed though nothing has changed", k.Removed, k.Kind)
					}
				}
				if _, err := to.open(ctx, false); citewell.CodeOf(err) != citewell.CodeStoreFailed ||
					!strings.Contains(citewell.View(err).Hint, "store copy") {
					t.Errorf("an unfinished copy is opened: %v", err)
				}
				if cut > 100 {
					t.Fatal("the copy does not come to an end")
				}
			}
			wantSame(t, source, to.opened(t, false))
			again := copied(t, from, to)
			if again.Written != 0 || again.Rows == 0 {
				t.Errorf("a finished copy was written to again: %+v", again)
			}
		})
	}
}

// What has changed in the source since an unfinished copy was begun is brought as it is now.
func TestCopyOfWhatHasChanged(t *testing.T) {
	ctx := t.Context()
	for name, to := range map[string]place{"folder": folder(t.TempDir()), "database": database(pgtest.URL(t))} {
		t.Run(name, func(t *testing.T) {
			source := filled(t, folder(t.TempDir())).opened(t, false)
			db := to.opened(t, true)
			left := len(transfer.Kinds) + 1 - 2 // all but the last kinds
			if _, err := transfer.Copy(ctx, source, cutting{db, &left, false}, silent); err == nil {
				t.Fatal("the copy was not cut")
			}
			s := source.tenant("")
			_, err := s.RemoveNode(ctx, "n1")
			_, err2 := s.RemoveVectors(ctx, "other", []string{"v5"})
			_, err3 := s.RemoveDocument(ctx, "https://tides.example/1")
			_, err4 := s.CancelRun(ctx, storesuite.SuspendedRun)
			for _, err := range []error{err, err2, err3, err4} {
				must(t, err)
			}
			report, err := transfer.Copy(ctx, source, db, silent)
			if err != nil {
				t.Fatal(err)
			}
			removed := map[string]int{}
			for _, k := range report.Kinds {
				removed[k.Kind] = k.Removed
			}
			if removed["nodes"] != 1 || removed["labels"] != 2 || removed["vectors"] != 1 ||
				removed["documents"] != 1 || removed["runs"] != 1 || removed["events"] != 0 {
				t.Errorf("what was removed in the target: %v", removed)
			}
			wantSame(t, source, to.opened(t, false))
		})
	}
}

func TestCopyRefuses(t *testing.T) {
	ctx := t.Context()
	from := filled(t, folder(t.TempDir()))
	source := from.opened(t, false)
	refused := func(from transfer.Source, to transfer.Target, code citewell.Code, said string) {
		t.Helper()
		_, err := transfer.Copy(ctx, from, to, silent)
		if citewell.CodeOf(err) != code || !strings.Contains(fmt.Sprint(err), said) {
			t.Errorf("got %v, want %s with %q", err, code, said)
		}
	}
	refused(source, from.opened(t, true), citewell.CodeInvalidArgument, "one store")
	for _, to := range []place{folder(t.TempDir()), database(pgtest.URL(t))} {
		db := to.opened(t, true)
		must(t, db.tenant("x").Spend(ctx, "y", noon, runstore.Spent{Tokens: 1}))
		refused(source, db, citewell.CodeInvalidArgument, "holds spending already")
		if mark, err := db.CopyMark(ctx); err != nil || mark.Source != "" {
			t.Errorf("a target that was refused is marked %v (%v)", mark, err)
		}
	}
	// A finished copy that was written to since.
	to := folder(t.TempDir())
	copied(t, from, to)
	db := to.opened(t, true)
	must(t, db.tenant("x").Spend(ctx, "y", noon, runstore.Spent{Tokens: 1}))
	refused(source, db, citewell.CodeInvalidArgument, "one of them has changed since")
	if n, err := db.tenant("x").Spent(ctx, "y", noon); err != nil || n.Tokens != 1 {
		t.Errorf("what was written to the copy is gone: %v (%v)", n, err)
	}
	// An unfinished copy of another store.
	left := 2
	half := folder(t.TempDir()).opened(t, true)
	if _, err := transfer.Copy(ctx, source, cutting{half, &left, false}, silent); err == nil {
		t.Fatal("the copy was not cut")
	}
	refused(folder(t.TempDir()).opened(t, false), half, citewell.CodeInvalidArgument, "of another store")
	// A run that is being executed, in a store of each kind.
	for _, p := range []place{from, database(pgtest.URL(t))} {
		db := p.opened(t, false)
		run, err := db.tenant("busy").CreateRun(ctx, runstore.NewRun{Agent: "sgr_agent", Request: []byte(`{}`)})
		must(t, err)
		_, err = db.tenant("busy").AcquireRun(ctx, run.ID, "worker", time.Minute)
		must(t, err)
		refused(db, folder(t.TempDir()).opened(t, true), citewell.CodeRunLeased, "are being executed: 1")
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A content that is damaged is named, and the rest is copied.
func TestCopyOfADamagedContent(t *testing.T) {
	ctx := t.Context()
	dir := t.TempDir()
	from := filled(t, folder(dir))
	page, _, err := from.opened(t, false).tenant("").Snapshot(ctx, "https://tides.example/1")
	must(t, err)
	name := filepath.Join(dir, "snapshots", page.SHA256[:2], page.SHA256+".zst")
	must(t, os.WriteFile(name, []byte("damaged"), 0o600))
	at := from.opened(t, false)
	for _, to := range []place{database(pgtest.URL(t)), folder(t.TempDir())} {
		report, err := transfer.Copy(ctx, at, to.opened(t, true), silent)
		must(t, err)
		if len(report.Problems) != 1 || !strings.Contains(report.Problems[0], page.SHA256) {
			t.Errorf("problems are %q, want one that names %s", report.Problems, page.SHA256)
		}
		at = to.opened(t, false)
		if _, err := at.tenant("").Blob(ctx, page.SHA256); citewell.CodeOf(err) != citewell.CodeStoreFailed {
			t.Errorf("the damaged content is %v in the copy, want store_failed", err)
		}
		if _, _, err := at.tenant("").Snapshot(ctx, "https://tides.example/2"); err != nil {
			t.Error(err)
		}
		checked, err := at.Check(ctx)
		if must(t, err); len(checked.Problems) != 1 || !strings.Contains(checked.Problems[0], page.SHA256) {
			t.Errorf("the copy's own check says %v", checked.Problems)
		}
	}
}
