package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"syscall"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/fault"
	"github.com/citewell/citewell/store/internal/sqlstore"
	driver "modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"
)

// storeError gives err the code and the words that its cause deserves. An error that already has a code keeps it.
func storeError(op string, err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*citewell.Error](err); ok {
		return err
	}
	failed := func(message, hint string) error { return fault.Failed(op, message, hint, err) }
	if e, ok := errors.AsType[*driver.Error](err); ok {
		switch e.Code() & 0xff { // the rest are bits of an extended code
		case lib.SQLITE_FULL:
			return failed("the disk is full or the store has reached its size limit", "free some space, then try again")
		case lib.SQLITE_BUSY, lib.SQLITE_LOCKED:
			return failed("another process kept the store locked for too long", "try again, or end the other process")
		case lib.SQLITE_CORRUPT, lib.SQLITE_NOTADB:
			return failed("the store is damaged", "restore it from a backup")
		case lib.SQLITE_READONLY:
			return failed("the store cannot be written",
				"check the owner and the permissions of the data folder, and whether its disk is read-only")
		case lib.SQLITE_CANTOPEN, lib.SQLITE_PERM:
			return failed("the store cannot be opened", "check the owner and the permissions of the data folder")
		case lib.SQLITE_IOERR:
			return failed("the disk failed to read or write the store",
				"check the disk and its free space, then try again")
		case lib.SQLITE_TOOBIG:
			return failed("a value is larger than the store can keep", "")
		case lib.SQLITE_INTERRUPT:
			return &citewell.Error{Code: citewell.CodeCanceled, Op: op, Err: err}
		}
		return failed("the store could not be read or written", "")
	}
	switch {
	case errors.Is(err, context.Canceled):
		return &citewell.Error{Code: citewell.CodeCanceled, Op: op, Err: err}
	case errors.Is(err, context.DeadlineExceeded):
		return &citewell.Error{Code: citewell.CodeTimeout, Op: op, Err: err}
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return failed("the disk is full", "free some space, then try again")
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return &citewell.Error{Code: citewell.CodePermissionDenied, Op: op,
			Message: "the data folder cannot be read or written",
			Hint:    "check the owner and the permissions of the data folder", Err: err}
	case errors.Is(err, sql.ErrConnDone), errors.Is(err, sqlstore.ErrClosed):
		return failed("the store is closed", "")
	}
	return failed("the store could not be read or written", "")
}
