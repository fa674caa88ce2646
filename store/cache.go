package store

import (
	"context"
	"time"
)

// Cache keeps what can be had again. It may forget anything at any time.
type Cache interface {
	// CacheGet returns the value kept under key and when it was put; ok is false
	// where there is none or it is older than the ttl it was put with.
	CacheGet(ctx context.Context, key string) (value []byte, put time.Time, ok bool, err error)
	// CachePut keeps value under key for ttl.
	CachePut(ctx context.Context, key string, value []byte, ttl time.Duration) error
}
