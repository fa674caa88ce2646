package cogtrix

import (
	"context"
	"encoding/json"
	"time"

	"github.com/citewell/citewell/internal/services"
	"github.com/citewell/citewell/store"
)

// KeepPages returns service with a cache that keeps pages for ttl: the next part of a page, and a page that another
// question needs, are not paid for again. It keeps no pages that failed.
func KeepPages(name string, service PageReader, cache store.Cache, ttl time.Duration) PageReader {
	return keptPages{name, service, cache, ttl}
}

type keptPages struct {
	name    string
	service PageReader
	cache   store.Cache
	ttl     time.Duration
}

// keptPage is a page as it lies in the cache.
type keptPage struct {
	Title  string    `json:"title"`
	Text   string    `json:"text"`
	ReadAt time.Time `json:"read_at"`
}

func (k keptPages) key(url string) string { return "page by " + k.name + ":" + url }

func (k keptPages) Read(ctx context.Context, urls []string) ([]services.PageText, error) {
	pages := make([]services.PageText, len(urls))
	var missing []string
	var which []int
	for i, url := range urls {
		if kept, ok := k.kept(ctx, url); ok {
			pages[i] = services.PageText{URL: url, Title: kept.Title, Text: kept.Text, ReadAt: kept.ReadAt}
			continue
		}
		missing, which = append(missing, url), append(which, i)
	}
	if len(missing) == 0 {
		return pages, nil
	}
	found, err := k.service.Read(ctx, missing)
	if err != nil {
		return nil, err
	}
	for n, i := range which {
		pages[i] = found[n]
	}
	for _, p := range found {
		if p.Err != nil {
			continue
		}
		if value, err := json.Marshal(keptPage{p.Title, p.Text, p.ReadAt}); err == nil {
			_ = k.cache.CachePut(ctx, k.key(p.URL), value, k.ttl) // what is not kept is paid again
		}
	}
	return append(pages, found[len(missing):]...), nil
}

func (k keptPages) kept(ctx context.Context, url string) (keptPage, bool) {
	var p keptPage
	value, _, ok, err := k.cache.CacheGet(ctx, k.key(url))
	if err != nil || !ok || json.Unmarshal(value, &p) != nil || p.Text == "" {
		return keptPage{}, false
	}
	return p, true
}
