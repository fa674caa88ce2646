package sqlite

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/citewell/citewell/store/internal/codec"
)

func openTestCache(t *testing.T, path string, o CacheOptions) *Cache {
	t.Helper()
	c, err := OpenCache(t.Context(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func wantCached(t *testing.T, c *Cache, key, want string) {
	t.Helper()
	value, _, ok, err := c.CacheGet(t.Context(), key)
	if err != nil || ok != (want != "") || string(value) != want {
		t.Errorf("key %q: got %q, %v, %v, want %q", key, value, ok, err, want)
	}
}

func putCached(t *testing.T, c *Cache, key, value string) {
	t.Helper()
	if err := c.CachePut(t.Context(), key, []byte(value), time.Hour); err != nil {
		t.Fatal(err)
	}
}

// noise does not compress, so that sizes are what they seem.
func noise(seed, size int) string {
	data := make([]byte, size)
	state := uint64(seed)*0x9e3779b97f4a7c15 + 1
	for i := range data {
		state ^= state << 13
		state ^= state >> 7
		state ^= state << 17
		data[i] = byte(state)
	}
	return string(data)
}

func TestCacheForgetsLeastUsed(t *testing.T) {
	c := openTestCache(t, filepath.Join(t.TempDir(), "cache.db"), CacheOptions{MaxBytes: 100 << 10})
	putCached(t, c, "used", noise(1000, 4<<10))
	for i := range 100 {
		putCached(t, c, fmt.Sprint(i), noise(i, 4<<10))
		// As if the reads below were minutes apart: only then are they recorded.
		if _, err := c.file.db.Exec(`UPDATE entry SET used_at = used_at - 120000000`); err != nil {
			t.Fatal(err)
		}
		wantCached(t, c, "used", noise(1000, 4<<10))
	}
	wantCached(t, c, "0", "")
	wantCached(t, c, "99", noise(99, 4<<10))
	var size int64
	if err := c.file.db.QueryRow(`SELECT sum(size) FROM entry`).Scan(&size); err != nil {
		t.Fatal(err)
	}
	if size > 110<<10 || size < 60<<10 {
		t.Errorf("the cache holds %d bytes, want about 100 KiB", size)
	}
	putCached(t, c, "99", noise(7, 50<<10)) // more than an eighth
	wantCached(t, c, "99", "")
}

func TestCacheDamaged(t *testing.T) {
	damages := map[string]func(t *testing.T, path string){
		"text":    func(t *testing.T, path string) { writeFile(t, path, bytes.Repeat([]byte("text "), 4000)) },
		"short":   func(t *testing.T, path string) { writeFile(t, path, []byte("SQLite format 3\x00\x10")) },
		"header":  func(t *testing.T, path string) { flip(t, path, 20) },
		"schema":  func(t *testing.T, path string) { flip(t, path, 100) },
		"foreign": func(t *testing.T, path string) { os.Remove(path); execFile(t, path, "CREATE TABLE x (y)") },
		"newer":   func(t *testing.T, path string) { execFile(t, path, "PRAGMA user_version = 99") },
	}
	for name, damage := range damages {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "cache.db")
			c := openTestCache(t, path, CacheOptions{})
			putCached(t, c, "k", "v")
			if err := c.Close(); err != nil {
				t.Fatal(err)
			}
			damage(t, path)
			c = openTestCache(t, path, CacheOptions{})
			wantCached(t, c, "k", "")
			putCached(t, c, "k", "again")
			wantCached(t, c, "k", "again")
		})
	}
}

// TestCacheDamagedInUse has the file spoiled while it is open.
func TestCacheDamagedInUse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cache.db")
	c := openTestCache(t, path, CacheOptions{})
	for i := range 200 {
		putCached(t, c, fmt.Sprint(i), noise(i, 2<<10))
	}
	if _, err := c.file.db.Exec("PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range data {
		data[i] ^= 0x5a
	}
	writeFile(t, path, data)
	for i := range 200 { // whatever is still in memory may be found, all else is forgotten, nothing fails
		if _, _, _, err := c.CacheGet(t.Context(), fmt.Sprint(i)); err != nil {
			t.Fatalf("key %d: %v", i, err)
		}
	}
	putCached(t, c, "new", "value") // may go into the file that is given up
	putCached(t, c, "new", "value")
	wantCached(t, c, "new", "value")
}

func TestCacheFlippedValue(t *testing.T) {
	c := openTestCache(t, filepath.Join(t.TempDir(), "cache.db"), CacheOptions{})
	putCached(t, c, "k", "value")
	broken := codec.Pack([]byte("value"))
	broken[len(broken)-1] ^= 1
	if _, err := c.file.db.Exec(`UPDATE entry SET value = ?`, broken); err != nil {
		t.Fatal(err)
	}
	wantCached(t, c, "k", "")
	putCached(t, c, "k", "healed")
	wantCached(t, c, "k", "healed")
}

func TestCacheTenants(t *testing.T) {
	c := openTestCache(t, filepath.Join(t.TempDir(), "cache.db"), CacheOptions{})
	a, b := c.Tenant("a"), c.Tenant("b")
	putCached(t, a, "k", "of a")
	wantCached(t, b, "k", "")
	wantCached(t, c, "k", "")
	putCached(t, b, "k", "of b")
	wantCached(t, a, "k", "of a")
	wantCached(t, c.Tenant("a"), "k", "of a")
}

func TestCacheClosed(t *testing.T) {
	c := openTestCache(t, filepath.Join(t.TempDir(), "cache.db"), CacheOptions{})
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if err := c.CachePut(t.Context(), "k", nil, time.Hour); err == nil {
		t.Error("a closed cache took a value")
	}
}
