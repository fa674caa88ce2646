package postgres

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/citewell/citewell/internal/fault"
	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/codec"
	"github.com/citewell/citewell/store/internal/sqlstore"
	"github.com/jackc/pgx/v5"
)

const (
	cacheSize        = 512 << 20
	cacheKeep        = 0.9         // of the size stays when the cache is cut
	cacheUseInterval = time.Minute // reads closer together are recorded once
	cacheRowBytes    = 128         // what a row costs beside its key and value
)

// A Cache keeps what can be had again, for all processes. It drops what was not used for longest when it grows too
// large, and starts empty after a crash of the server.
type Cache struct {
	db     *DB
	tenant string
	cut    *cacheCut
}

// A cacheCut knows when this process looks at the size of the cache again.
type cacheCut struct {
	most int64

	mu    sync.Mutex
	since int64 // bytes put since the size was last looked at
}

var _ store.Cache = (*Cache)(nil)

// Cache returns the database's cache, of at most so many bytes of keys and compressed values; 512 MiB when 0.
func (db *DB) Cache(maxBytes int64) *Cache {
	maxBytes = cmp.Or(maxBytes, cacheSize)
	// the first put looks at the size
	return &Cache{db: db, tenant: DefaultTenant, cut: &cacheCut{most: maxBytes, since: maxBytes}}
}

// Tenant returns the same cache bound to one tenant.
func (c *Cache) Tenant(name string) *Cache {
	bound := *c
	bound.tenant = escape(cmp.Or(name, DefaultTenant))
	return &bound
}

// CacheGet implements store.Cache.
func (c *Cache) CacheGet(ctx context.Context, key string) (value []byte, put time.Time, ok bool, err error) {
	const op = "cache.get"
	var packed []byte
	var putAt, usedAt, now int64
	err = c.db.reading(ctx, op, func(ctx context.Context) error {
		there, err := sqlstore.AnyRow(c.db.pool.QueryRow(ctx, `SELECT value, put_at, used_at, now
			FROM cache_entry, micros() AS now WHERE tenant = $1 AND key = $2 AND expires_at > now`,
			c.tenant, hashOf(key)).Scan(&packed, &putAt, &usedAt, &now))
		ok = there
		return err
	})
	if err != nil || !ok {
		return nil, time.Time{}, false, err
	}
	if value, err = codec.Unpack(op, packed); err != nil {
		_, err = c.db.pool.Exec(ctx, `DELETE FROM cache_entry WHERE tenant = $1 AND key = $2`, c.tenant, hashOf(key))
		return nil, time.Time{}, false, storeError(op, err)
	}
	if now-usedAt >= cacheUseInterval.Microseconds() {
		// A note of use that is lost costs nothing, and the value is there.
		_, _ = c.db.pool.Exec(ctx, `UPDATE cache_entry SET used_at = $3 WHERE tenant = $1 AND key = $2`, c.tenant,
			hashOf(key), now)
	}
	return value, codec.MicroTime(putAt), true, nil
}

// CachePut implements store.Cache. It does not keep a value larger than an eighth of the cache.
func (c *Cache) CachePut(ctx context.Context, key string, value []byte, ttl time.Duration) error {
	const op = "cache.put"
	if ttl <= 0 {
		return fault.Invalid(op, "ttl must be more than 0")
	}
	packed := codec.Pack(value)
	size := int64(len(packed) + len(key) + cacheRowBytes)
	return c.db.again(ctx, op, func(ctx context.Context, tx pgx.Tx) error {
		if size > c.cut.most/8 {
			_, err := tx.Exec(ctx, `DELETE FROM cache_entry WHERE tenant = $1 AND key = $2`, c.tenant, hashOf(key))
			return err
		}
		if _, err := tx.Exec(ctx,
			`INSERT INTO cache_entry (tenant, key, value, size, put_at, expires_at, used_at) SELECT $1, $2, $3, $4, now, now + $5, now FROM micros() AS now
			ON CONFLICT (tenant, key) DO UPDATE SET value = excluded.value, size = excluded.size, put_at = excluded.put_at, expires_at = excluded.expires_at, used_at = excluded.used_at`,
			c.tenant, hashOf(key), packed, size, ttl.Microseconds()); err != nil {
			return err
		}
		if !c.cut.due(size) {
			return nil
		}
		return c.shrink(ctx, tx)
	})
}

// due says whether so much was put that the size is to be looked at.
func (c *cacheCut) due(added int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.since += added; c.since < c.most/16 {
		return false
	}
	c.since = 0
	return true
}

// shrink removes what has expired and what was not used for longest. One process does so at a time, others go on
// without.
func (c *Cache) shrink(ctx context.Context, tx pgx.Tx) error {
	var mine bool
	if err := tx.QueryRow(ctx, `SELECT pg_try_advisory_xact_lock($1)`, cacheLock).Scan(&mine); err != nil || !mine {
		return err
	}
	var size int64
	if err := tx.QueryRow(ctx, `SELECT coalesce(sum(size), 0)::bigint FROM cache_entry`).Scan(&size); err != nil ||
		size <= c.cut.most {
		return err
	}
	if _, err := tx.Exec(ctx, `DELETE FROM cache_entry WHERE expires_at <= micros()`); err != nil {
		return err
	}
	_, err := tx.Exec(ctx,
		`DELETE FROM cache_entry AS c USING (SELECT tenant, key, sum(size) OVER (ORDER BY used_at DESC, tenant, key) AS newer FROM cache_entry) AS o
		WHERE c.tenant = o.tenant AND c.key = o.key AND o.newer > $1`, int64(float64(c.cut.most)*cacheKeep))
	return err
}

// cacheLock is the advisory lock of whoever shrinks the cache.
const cacheLock = migrationLock + 1
