package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/fault"
	"github.com/citewell/citewell/internal/upkeep"
	"github.com/citewell/citewell/store/internal/codec"
	"github.com/citewell/citewell/store/internal/sqlstore"
	"golang.org/x/sync/errgroup"
)

// copiesAtOnce is how many files of snapshots are copied and synced side by side.
const copiesAtOnce = 8

// Backup copies the whole store, as it is at one moment, into a new data folder. Others may read and write meanwhile.
// The folder gets its name when everything in it is on disk. One that exists is never touched. A content whose file is
// damaged is left out and reported.
func (db *DB) Backup(ctx context.Context, path string) (upkeep.BackupReport, error) {
	const op = "store.backup"
	path, err := filepath.Abs(path)
	if err != nil {
		return upkeep.BackupReport{}, storeError(op, err)
	}
	report := upkeep.BackupReport{Path: path, Problems: []string{}}
	if _, err := os.Lstat(path); err == nil {
		return report, existsError(op, path)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return report, storeError(op, err)
	}
	parent := filepath.Dir(path)
	if _, err := os.Stat(parent); errors.Is(err, fs.ErrNotExist) {
		return report, &citewell.Error{Code: citewell.CodeNotFound, Op: op,
			Message: fmt.Sprintf("the folder %s does not exist", parent), Hint: "make it first"}
	}
	part, err := os.MkdirTemp(parent, "."+filepath.Base(path)+".part-") // readable by its owner alone
	if err != nil {
		return report, storeError(op, err)
	}
	if err := db.backup(ctx, part, &report); err != nil {
		return report, storeError(op, errors.Join(err, os.RemoveAll(part)))
	}
	if err := os.Rename(part, path); err != nil { // a folder that is not empty is not replaced
		if _, there := os.Lstat(path); there == nil {
			err = existsError(op, path)
		}
		return report, storeError(op, errors.Join(err, os.RemoveAll(part)))
	}
	return report, storeError(op, syncDir(parent))
}

func existsError(op, path string) error {
	return &citewell.Error{Code: citewell.CodeInvalidArgument, Op: op, Message: path + " is there already",
		Hint: "name a folder that does not exist yet; nothing was overwritten"}
}

// backup fills dir.
func (db *DB) backup(ctx context.Context, dir string, report *upkeep.BackupReport) error {
	state := filepath.Join(dir, "state.db")
	if err := db.copyState(ctx, state); err != nil {
		return err
	}
	info, err := os.Stat(state)
	if err != nil {
		return err
	}
	report.Bytes = info.Size()
	if err := db.copyContents(ctx, filepath.Join(dir, "snapshots"), report); err != nil {
		return err
	}
	return syncDir(dir)
}

// copyState writes state.db as one transaction sees it, and syncs it.
func (db *DB) copyState(ctx context.Context, path string) error {
	source, err := db.openSQL("deferred")
	if err != nil {
		return err
	}
	defer source.Close()
	if _, err := source.ExecContext(ctx, `VACUUM INTO ?`, path); err != nil {
		return err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// copyContents copies every content that is whole. A file is there before a row names it and stays for a while after
// the last row went, so the list that is read after state.db was copied is enough.
func (db *DB) copyContents(ctx context.Context, dir string, report *upkeep.BackupReport) error {
	to, err := openBlobs(dir, false)
	if err != nil {
		return err
	}
	defer to.Close()
	var group errgroup.Group
	group.SetLimit(copiesAtOnce)
	var mu sync.Mutex
	err = sqlstore.Each(ctx, conn{db.reads}, backupList, func(scan func(...any) error) error {
		var sha256 string
		var size int64
		var named bool
		if err := scan(&sha256, &size, &named); err != nil {
			return err
		}
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			bytes, err := db.blobs.CopyTo(to, sha256, size)
			mu.Lock()
			defer mu.Unlock()
			switch citewell.CodeOf(err) {
			case "":
				report.Contents++
				report.Bytes += bytes
				return nil
			case citewell.CodeStoreFailed: // damaged here
				if named {
					report.Problems = append(report.Problems, citewell.View(err).Message)
				}
				return nil
			}
			return err
		})
		return nil
	})
	return errors.Join(group.Wait(), err)
}

// backupList is every content once, and whether a row still names it.
const backupList = `SELECT sha256, max(size), max(named) FROM
	(SELECT sha256, size, 1 AS named FROM blob UNION ALL SELECT sha256, size, 0 FROM blob_gone) GROUP BY sha256 ORDER BY sha256`

// CopyTo copies one content after checking it and returns the size of its file.
func (b *blobs) CopyTo(to *blobs, sha256 string, size int64) (int64, error) {
	if !codec.ValidHash(sha256) {
		return 0, fault.Damaged("store.backup", fmt.Sprintf("%q is no hash", sha256), nil)
	}
	data, err := b.Get(sha256, size)
	if err != nil {
		return 0, err
	}
	if err := to.Put(sha256, data); err != nil {
		return 0, err
	}
	_, name := blobName(sha256)
	info, err := to.root.Stat(name)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}
