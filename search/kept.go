package search

import (
	"context"
	"time"
)

// cached is what is kept of a service under a key.
func (g *Gate) cached(ctx context.Context, key string) ([]byte, bool) {
	if g.cache == nil {
		return nil, false
	}
	value, _, ok, err := g.cache.CacheGet(ctx, "search/1 "+g.name+" "+key)
	return value, ok && err == nil
}

// keep is of use and not needed: where it fails, the service is asked once more.
func (g *Gate) keep(ctx context.Context, key string, value []byte, ttl time.Duration) {
	if g.cache != nil {
		_ = g.cache.CachePut(context.WithoutCancel(ctx), "search/1 "+g.name+" "+key, value, ttl)
	}
}
