package storesuite

import (
	"bytes"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/store"
)

// RunCache tries what the contract of Cache promises, which is little: a value may
// be gone at any time, but what comes back is what was put.
func RunCache(t *testing.T, open func(t *testing.T) store.Cache) {
	t.Run("round_trip", func(t *testing.T) {
		c, ctx := open(t), t.Context()
		before := time.Now().Add(-time.Millisecond)
		for key, value := range map[string][]byte{"k": []byte("v"), "": {}, "K": []byte("other"), "k\x00%": {0, 0xff},
			"big": bytes.Repeat([]byte("x"), 1<<20)} {
			must(t, c.CachePut(ctx, key, value, time.Hour))
			got, put, ok, err := c.CacheGet(ctx, key)
			must(t, err)
			if !ok || !bytes.Equal(got, value) || put.Before(before) || put.After(time.Now().Add(time.Millisecond)) {
				t.Errorf("key %q: got %.20q of %v, found %v", key, got, put, ok)
			}
		}
		must(t, c.CachePut(ctx, "k", []byte("newer"), time.Hour))
		if got, _, ok, err := c.CacheGet(ctx, "k"); string(got) != "newer" || !ok || err != nil {
			t.Errorf("got %q, %v, %v, want the newer value", got, ok, err)
		}
	})
	t.Run("missing_and_expired", func(t *testing.T) {
		c, ctx := open(t), t.Context()
		must(t, c.CachePut(ctx, "brief", []byte("v"), time.Nanosecond))
		for _, key := range []string{"brief", "never put"} {
			if got, put, ok, err := c.CacheGet(ctx, key); got != nil || !put.IsZero() || ok || err != nil {
				t.Errorf("key %q: got %q, %v, %v, %v, want nothing", key, got, put, ok, err)
			}
		}
		wantCode(t, c.CachePut(ctx, "k", nil, 0), citewell.CodeInvalidArgument)
		wantCode(t, c.CachePut(ctx, "k", nil, -time.Second), citewell.CodeInvalidArgument)
	})
	t.Run("many_goroutines", func(t *testing.T) {
		c, ctx := open(t), t.Context()
		var group sync.WaitGroup
		for w := range 8 {
			group.Go(func() {
				for i := range 20 {
					key := fmt.Sprint("key", i%5)
					if err := c.CachePut(ctx, key, []byte(key), time.Hour); err != nil {
						t.Error(w, err)
					}
					if got, _, ok, err := c.CacheGet(ctx, key); err != nil || ok && string(got) != key {
						t.Errorf("got %q, %v", got, err)
					}
				}
			})
		}
		group.Wait()
	})
}
