package app

import (
	"context"
	"encoding/json"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/config"
	"github.com/citewell/citewell/store"
)

// A cacheSpace is the part of a cache that belongs to some settings: what was got under others is not found in it. A
// page that only an allowed network had may not come from the cache once the network is not allowed, nor a brief from
// an engine that is not configured any more.
type cacheSpace struct {
	cache store.Cache
	space string
}

// newCacheSpace returns the space of the given settings. Secrets count as set or not set.
func newCacheSpace(cache store.Cache, settings ...any) (cacheSpace, error) {
	described, err := json.Marshal(settings)
	if err != nil {
		return cacheSpace{}, &citewell.Error{Code: citewell.CodeInvalidConfig,
			Message: "a setting below extra cannot be written as JSON", Err: err}
	}
	return cacheSpace{cache, citewell.SHA256(described)[:16] + ":"}, nil
}

func (c cacheSpace) CacheGet(ctx context.Context, key string) ([]byte, time.Time, bool, error) {
	return c.cache.CacheGet(ctx, c.space+key)
}

func (c cacheSpace) CachePut(ctx context.Context, key string, value []byte, ttl time.Duration) error {
	return c.cache.CachePut(ctx, c.space+key, value, ttl)
}

// pageSettings are those that decide which pages are got, and how.
func pageSettings(c config.Config) any {
	return []any{c.Fetch.Archive, c.Fetch.UserAgent, c.Fetch.AllowNetworks, c.Fetch.DenyNetworks, c.Fetch.AllowPorts,
		c.Fetch.FollowIntoNetworks, c.Fetch.EgressProxy != ""}
}

// briefSettings are those that decide what a brief says and where its snapshots lie, whose they are among them.
func briefSettings(c config.Config, place, tenant string) any {
	return []any{pageSettings(c), c.Fetch.RespectRobots, c.Search.Providers, c.Brief, c.Language, c.LLM, c.Embedding,
		c.Rerank, place, tenant}
}
