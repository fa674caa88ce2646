package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/fault"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/store/internal/sqlstore"
	driver "modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"
)

// DefaultTenant is the tenant of a store with one user, and what the empty name stands for.
const DefaultTenant = "default"

// What a data folder has.
const (
	stateFile = "state.db"
	blobsDir  = "snapshots"
)

// Options of a store; the zero value is right for one user on one machine.
type Options struct {
	LockWait time.Duration // how long to wait for another process; 10 s when 0
	Readers  int           // connections for reading; 4 when 0
	IsThere  bool          // not_found where the folder has no store, which is made else
	Copying  bool          // for package transfer: a copy that is not finished is an error else
	Alone    bool          // invalid_argument where the folder holds other things and no store

	Events runstore.EventSchema // of the logs of runs; version 1 when zero
}

// A DB is an open data folder. Tenant gives what is read and written through.
type DB struct {
	*sharedDB

	writes *sql.DB // one connection, owned by writer
	reads  *sql.DB
	writer *writer
	blobs  *blobs
	close  func() error

	path     string // of state.db
	fixed    bool   // nobody may write here: what there is is read
	lockWait time.Duration

	vectors vectorIndexes
	parsed  map[string]*sql.Stmt // of sqlstore

	here      machine
	events    runstore.EventSchema
	followers followers
}

// Open opens the data folder dir, makes it unless it must exist, and brings its schema up to date. One that cannot be
// written is opened as it is, and what writes is an error. The caller closes it.
func Open(ctx context.Context, dir string, o Options) (*DB, error) {
	const op = "store.open"
	o.LockWait = cmp.Or(o.LockWait, 10*time.Second)
	o.Readers = cmp.Or(o.Readers, 4)
	if err := o.Events.Check(op); err != nil {
		return nil, err
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, storeError(op, err)
	}
	path := filepath.Join(dir, stateFile)
	if _, err := os.Stat(path); o.IsThere && errors.Is(err, fs.ErrNotExist) {
		return nil, &citewell.Error{Code: citewell.CodeNotFound, Op: op, Message: "there is no store in " + dir,
			Hint: "store.url names the folder; the first write creates the store"}
	}
	if o.Alone {
		if err := refuseOthers(ctx, op, dir, o.LockWait); err != nil {
			return nil, err
		}
	}
	if err := makeDirs(dir); err != nil {
		return nil, storeError(op, err)
	}
	fixed, err := readOnly(path)
	if err != nil {
		return nil, err
	}
	files := filepath.Join(dir, blobsDir)
	if err := orphaned(op, path, files); err != nil {
		return nil, err
	}
	db := &DB{path: path, fixed: fixed, lockWait: o.LockWait, here: thisMachine(), events: o.Events}
	db.sharedDB = sqlstore.New(engine{db}, dialect, o.Events)
	db.close = sync.OnceValue(db.closeAll)
	if err := db.openState(ctx, files, o); err != nil {
		return nil, errors.Join(storeError(op, err), db.Close())
	}
	return db, nil
}

// refuseOthers refuses a folder with files that are not a store's, and one whose store is elsewhere by a link. Remains
// of a new store whose process was killed may be there, and what a file system has in its topmost folder. Snapshots are
// a store's where its records are, which are made first.
func refuseOthers(ctx context.Context, op, dir string, wait time.Duration) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return storeError(op, err)
	}
	other, there := "", false
	for _, e := range entries {
		switch name := e.Name(); {
		case name == stateFile || name == stateFile+"-wal" || name == stateFile+"-shm" || name == blobsDir:
			if e.Type()&fs.ModeSymlink != 0 {
				return fault.Invalid(op, "%s is a symbolic link, and what is copied would stand where it leads: name "+
					"a new or an empty folder", filepath.Join(dir, name))
			}
			if name == stateFile {
				id, _, err := readMark(ctx, filepath.Join(dir, name), wait)
				there = err == nil && id == applicationID
			}
		case name == "lost+found" && e.IsDir():
		default:
			other = cmp.Or(other, name)
		}
	}
	if there {
		return nil
	}
	files, err := os.ReadDir(filepath.Join(dir, blobsDir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return storeError(op, err)
	}
	if len(files) > 0 {
		other = cmp.Or(other, filepath.Join(blobsDir, files[0].Name()))
	}
	if other == "" {
		return nil
	}
	return fault.Invalid(op, "the folder %s holds other things, %q for one, and no store: name a new or an "+
		"empty folder", dir, other)
}

// readMark reads whose a database is, and makes and changes nothing: an empty log beside it is not opened. A file that
// SQLite has open in this process keeps its locks.
func readMark(ctx context.Context, path string, wait time.Duration) (id, tables int, err error) {
	query := url.Values{"mode": {"ro"}, "_busy_timeout": {strconv.FormatInt(wait.Milliseconds(), 10)}}
	if log, err := os.Stat(path + "-wal"); err != nil || log.Size() == 0 {
		query.Set("immutable", "1")
	}
	db, err := openURL(path, query)
	if err != nil {
		return 0, 0, err
	}
	defer db.Close()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return 0, 0, err
	}
	defer tx.Rollback()
	return whose(ctx, tx)
}

// openState opens the records, and then the files: a folder whose records are refused gets none.
func (db *DB) openState(ctx context.Context, files string, o Options) error {
	if !db.fixed {
		if err := createPrivate(db.path); err != nil {
			return err
		}
	}
	var err error
	if db.writes, err = db.openSQL("immediate", "synchronous(FULL)", "fullfsync(1)",
		"checkpoint_fullfsync(1)"); err != nil {
		return err
	}
	db.writes.SetMaxOpenConns(1)
	scripts, err := migrations()
	if err != nil {
		return err
	}
	// Looked at before anything of ours is set, a log for one; what cannot be is told by what comes next.
	if id, tables, err := readMark(ctx, db.path, o.LockWait); err == nil {
		if err := refuseForeign(db.path, id, tables); err != nil {
			return err
		}
	}
	if err := untilUnlocked(ctx, o.LockWait, func() error {
		return migrate(ctx, db.writes, db.path, scripts)
	}); err != nil {
		return err
	}
	if db.blobs, err = openBlobs(files, db.fixed); err != nil {
		return err
	}
	if db.reads, err = db.openSQL("deferred", "query_only(1)"); err != nil {
		return err
	}
	if !o.Copying {
		if err := sqlstore.RefuseUnfinished(ctx, conn{db.reads}); err != nil {
			return err
		}
	}
	db.reads.SetMaxOpenConns(o.Readers)
	db.reads.SetMaxIdleConns(o.Readers)
	if err := db.parse(ctx); err != nil {
		return err
	}
	db.writer = startWriter(db.writes)
	db.followers.start(db.reads)
	if db.fixed {
		return nil
	}
	if err := sqlstore.RenewTexts(ctx, db.sharedDB); err != nil {
		return err
	}
	if err := db.sweepContents(ctx); err != nil {
		return err
	}
	return db.sweepPaces(ctx)
}

// untilUnlocked tries again while another process holds the lock. SQLite's own waiting does not cover the moment at
// which several processes give one new file a write-ahead log.
func untilUnlocked(ctx context.Context, wait time.Duration, try func() error) error {
	const pause = 10 * time.Millisecond
	for began := time.Now(); ; {
		err := try()
		e, ok := errors.AsType[*driver.Error](err)
		if !ok || e.Code()&0xff != lib.SQLITE_BUSY || time.Since(began) > wait {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
	}
}

// Close ends the store after the writes that were taken have been answered. It may be called again.
func (db *DB) Close() error { return db.close() }

func (db *DB) closeAll() error {
	if db.writer != nil {
		db.writer.Close()
	}
	db.followers.Close()
	errs := []error{db.forgetParsed()}
	for _, pool := range []*sql.DB{db.reads, db.writes} {
		if pool != nil {
			errs = append(errs, pool.Close())
		}
	}
	if db.blobs != nil {
		errs = append(errs, db.blobs.Close())
	}
	return storeError("store.close", errors.Join(errs...))
}

// Tenant binds the store to one tenant: nothing read or written through it leaves that tenant. It costs nothing.
func (db *DB) Tenant(name string) *Store {
	return &Store{sqlstore.Bind(db.sharedDB, cmp.Or(name, DefaultTenant))}
}

// A Store is what one tenant keeps.
type Store struct{ sharedStore }

// openSQL opens the store's own file. One that nobody may write has no log beside it, and no lock is taken.
func (db *DB) openSQL(transactions string, pragmas ...string) (*sql.DB, error) {
	if db.fixed {
		return openURL(db.path, url.Values{"mode": {"ro"}, "immutable": {"1"},
			"_pragma": {"cell_size_check(1)", "trusted_schema(0)", "cache_size(-16384)"}})
	}
	return openSQL(db.path, db.lockWait, transactions, pragmas...)
}

// readOnly reports whether the store at path exists and cannot be written. It is an error if it was not closed: its log
// cannot be read without writing.
func readOnly(path string) (bool, error) {
	if info, err := os.Stat(path); err != nil || info.Size() == 0 || mayWrite(path) && mayWrite(filepath.Dir(path)) {
		return false, nil
	}
	if log, err := os.Stat(path + "-wal"); err == nil && log.Size() > 0 {
		return false, &citewell.Error{Code: citewell.CodeStoreFailed, Op: "store.open",
			Message: "the store cannot be written, and its last writes are not in its file yet",
			Hint:    "end the process that has it open, or copy the whole folder to a writable place"}
	}
	return true, nil
}

// openSQL opens path with a write-ahead log, waiting for locks, and refusal of damaged pages. Transactions that write
// are "immediate": they take the write lock at once, so that none fails halfway. Those that only read are "deferred"
// and never wait.
func openSQL(path string, wait time.Duration, transactions string, pragmas ...string) (*sql.DB, error) {
	return openURL(path, url.Values{
		"_txlock":       {transactions},
		"_busy_timeout": {strconv.FormatInt(wait.Milliseconds(), 10)},
		"_pragma": append([]string{"journal_mode(WAL)", "cell_size_check(1)", "trusted_schema(0)",
			"journal_size_limit(67108864)", "cache_size(-16384)"}, pragmas...),
	})
}

func openURL(path string, query url.Values) (*sql.DB, error) {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a drive letter
	}
	connector, err := driver.NewConnector((&url.URL{Scheme: "file", Path: path, RawQuery: query.Encode()}).String())
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(connector), nil
}

// createPrivate makes path readable by its owner alone. It does not open a file that exists: closing it would drop the
// locks that SQLite holds on it elsewhere in this process.
func createPrivate(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), syncDir(filepath.Dir(path)))
}

// makeDirs makes dir and what is missing above it, each made durable in its parent.
func makeDirs(dir string) error {
	err := os.Mkdir(dir, 0o700)
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil
	case errors.Is(err, fs.ErrNotExist):
		if err := makeDirs(filepath.Dir(dir)); err != nil {
			return err
		}
		if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	case err != nil:
		return err
	}
	return syncDir(filepath.Dir(dir))
}
