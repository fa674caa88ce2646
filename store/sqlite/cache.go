package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/citewell/citewell/internal/fault"
	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/codec"
	"github.com/citewell/citewell/store/internal/sqlstore"
	driver "modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"
)

//go:embed cache.sql
var cacheSchema string

const (
	cacheVersion     = 1
	cacheSize        = 512 << 20
	cacheKeep        = 0.9         // of MaxBytes stays when the cache is cut
	cacheUseInterval = time.Minute // reads closer together are recorded once
	cacheRowBytes    = 128         // what a row costs beside its key and value
)

// CacheOptions of a cache; the zero value is right.
type CacheOptions struct {
	MaxBytes int64         // of keys and compressed values of all tenants; 512 MiB when 0
	LockWait time.Duration // how long to wait for another process; 2 s when 0
}

// A Cache keeps what can be had again, in a file of its own that may be deleted at any time and may not survive a power
// cut. It drops what was not used for longest when it grows too large, and starts empty where its file is damaged.
type Cache struct {
	file   *cacheFile
	tenant string
}

var _ store.Cache = (*Cache)(nil)

type cacheFile struct {
	path    string
	options CacheOptions

	mu     sync.RWMutex // written when the file is replaced
	db     *sql.DB
	closed bool

	sizeMu   sync.Mutex
	sinceCut int64 // bytes put since the size was last looked at
}

// OpenCache opens or makes the cache file at path. A damaged one, or one of another version, is replaced. The caller
// closes it.
func OpenCache(ctx context.Context, path string, o CacheOptions) (*Cache, error) {
	const op = "cache.open"
	o.MaxBytes = cmp.Or(o.MaxBytes, cacheSize)
	o.LockWait = cmp.Or(o.LockWait, 2*time.Second)
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, storeError(op, err)
	}
	if err := makeDirs(filepath.Dir(path)); err != nil {
		return nil, storeError(op, err)
	}
	f := &cacheFile{path: path, options: o, sinceCut: o.MaxBytes} // the first put looks at the size
	if f.db, err = f.open(ctx); err != nil && isDamaged(err) {
		f.db, err = f.replace(ctx)
	}
	if err != nil {
		return nil, storeError(op, err)
	}
	return &Cache{file: f, tenant: DefaultTenant}, nil
}

// Tenant returns the same cache bound to one tenant.
func (c *Cache) Tenant(name string) *Cache {
	return &Cache{file: c.file, tenant: cmp.Or(name, DefaultTenant)}
}

// Close closes the file for every tenant.
func (c *Cache) Close() error {
	f := c.file
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil
	}
	f.closed = true
	return storeError("cache.close", f.db.Close())
}

var errCacheVersion = errors.New("the cache has another version")

func isDamaged(err error) bool {
	if errors.Is(err, errCacheVersion) {
		return true
	}
	e, ok := errors.AsType[*driver.Error](err)
	return ok && (e.Code()&0xff == lib.SQLITE_CORRUPT || e.Code()&0xff == lib.SQLITE_NOTADB)
}

func (f *cacheFile) open(ctx context.Context) (*sql.DB, error) {
	if err := createPrivate(f.path); err != nil {
		return nil, err
	}
	db, err := openSQL(f.path, f.options.LockWait, "immediate", "synchronous(OFF)")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(2)
	if err := errors.Join(makeShrinkable(ctx, db), f.prepare(ctx, db)); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

func (f *cacheFile) prepare(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var version, tables int
	if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return err
	}
	if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&tables); err != nil {
		return err
	}
	switch {
	case version == cacheVersion:
		return nil
	case version != 0 || tables > 0:
		return errCacheVersion
	}
	if _, err := tx.ExecContext(ctx, cacheSchema+fmt.Sprintf("; PRAGMA user_version = %d", cacheVersion)); err != nil {
		return err
	}
	return tx.Commit()
}

// replace starts the file anew. The old one is removed and not overwritten: another process may still have it open.
func (f *cacheFile) replace(ctx context.Context) (*sql.DB, error) {
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := ignoreMissing(os.Remove(f.path + suffix)); err != nil {
			return nil, err
		}
	}
	return f.open(ctx)
}

// use runs do and, where it finds the file damaged, replaces the file; the damage is then no error: the cache forgot.
func (f *cacheFile) use(ctx context.Context, op string, do func(*sql.DB) error) error {
	db, err := f.run(do)
	if err == nil || !isDamaged(err) {
		return storeError(op, err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed || f.db != db {
		return nil // somebody else has seen to it
	}
	f.db.Close()
	fresh, err := f.replace(ctx)
	if err != nil {
		f.closed = true
		return storeError(op, err)
	}
	f.db = fresh
	return nil
}

func (f *cacheFile) run(do func(*sql.DB) error) (*sql.DB, error) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	if f.closed {
		return nil, sqlstore.ErrClosed
	}
	return f.db, do(f.db)
}

// CacheGet implements store.Cache.
func (c *Cache) CacheGet(ctx context.Context, key string) (value []byte, put time.Time, ok bool, err error) {
	const op = "cache.get"
	now := time.Now()
	err = c.file.use(ctx, op, func(db *sql.DB) error {
		var packed []byte
		var putAt, usedAt int64
		err := db.QueryRowContext(ctx,
			`SELECT value, put_at, used_at FROM entry WHERE tenant = ? AND key = ? AND expires_at > ?`,
			c.tenant, key, now.UnixMicro()).Scan(&packed, &putAt, &usedAt)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		if value, err = codec.Unpack(op, packed); err != nil {
			_, err = db.ExecContext(ctx, `DELETE FROM entry WHERE tenant = ? AND key = ?`, c.tenant, key)
			return err
		}
		put, ok = time.UnixMicro(putAt).UTC(), true
		if now.UnixMicro()-usedAt < cacheUseInterval.Microseconds() {
			return nil
		}
		_, err = db.ExecContext(ctx, `UPDATE entry SET used_at = ? WHERE tenant = ? AND key = ?`, now.UnixMicro(),
			c.tenant, key)
		if isDamaged(err) {
			return err
		}
		return nil // a note of use that is lost costs nothing, and the value is there
	})
	if err != nil {
		return nil, time.Time{}, false, err
	}
	return value, put, ok, nil
}

// CachePut implements store.Cache. It does not keep a value larger than an eighth of the cache.
func (c *Cache) CachePut(ctx context.Context, key string, value []byte, ttl time.Duration) error {
	const op = "cache.put"
	if ttl <= 0 {
		return fault.Invalid(op, "ttl must be more than 0")
	}
	packed := codec.Pack(value)
	size := int64(len(packed) + len(key) + cacheRowBytes)
	return c.file.use(ctx, op, func(db *sql.DB) error {
		if size > c.file.options.MaxBytes/8 {
			_, err := db.ExecContext(ctx, `DELETE FROM entry WHERE tenant = ? AND key = ?`, c.tenant, key)
			return err
		}
		now := time.Now()
		if _, err := db.ExecContext(ctx,
			`INSERT OR REPLACE INTO entry (tenant, key, value, size, put_at, expires_at, used_at)
			VALUES (?, ?, ?, ?, ?, ?, ?)`, c.tenant, key, packed, size,
			now.UnixMicro(), now.Add(ttl).UnixMicro(), now.UnixMicro()); err != nil {
			return err
		}
		return c.file.shrink(ctx, db, now, size)
	})
}

// shrink removes what has expired and what was not used for longest, when the cache is too large.
func (f *cacheFile) shrink(ctx context.Context, db *sql.DB, now time.Time, added int64) error {
	f.sizeMu.Lock()
	defer f.sizeMu.Unlock()
	f.sinceCut += added
	if f.sinceCut < f.options.MaxBytes/16 {
		return nil
	}
	f.sinceCut = 0
	var size int64
	if err := db.QueryRowContext(ctx, `SELECT coalesce(sum(size), 0) FROM entry`).Scan(&size); err != nil {
		return err
	}
	if size <= f.options.MaxBytes {
		return nil
	}
	if _, err := db.ExecContext(ctx, `DELETE FROM entry WHERE expires_at <= ?`, now.UnixMicro()); err != nil {
		return err
	}
	keep := int64(float64(f.options.MaxBytes) * cacheKeep)
	_, err := db.ExecContext(ctx, `DELETE FROM entry WHERE rowid IN (SELECT rowid FROM
		(SELECT rowid, sum(size) OVER (ORDER BY used_at DESC, rowid DESC) AS newer FROM entry) WHERE newer > ?)`, keep)
	return err
}
