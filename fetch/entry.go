package fetch

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/citewell/citewell"
)

// Cache keeps answers between fetches and processes. It may forget anything at any time; its failures count as that.
type Cache interface {
	CacheGet(ctx context.Context, key string) (value []byte, put time.Time, ok bool, err error)
	CachePut(ctx context.Context, key string, value []byte, ttl time.Duration) error
}

// An entry is one kept answer of one URL, before any redirect is followed, so that policy is applied to each hop again.
type entry struct {
	Version      int       `json:"v"`
	URL          string    `json:"url"`
	Status       int       `json:"status"`
	ContentType  string    `json:"content_type,omitempty"`
	Location     string    `json:"location,omitempty"`
	ETag         string    `json:"etag,omitempty"`
	LastModified string    `json:"last_modified,omitempty"`
	CacheControl string    `json:"cache_control,omitempty"`
	FetchedAt    time.Time `json:"fetched_at"`
	FreshUntil   time.Time `json:"fresh_until"`
	Robots       bool      `json:"robots"`        // robots.txt was asked before it was fetched
	Own          bool      `json:"own,omitempty"` // the host is the operator's own
	SHA256       string    `json:"sha256"`
	Body         []byte    `json:"-"`
}

const entryVersion = 2

// encode writes the entry as one line of JSON and then its body.
func (e *entry) encode() ([]byte, error) {
	head, err := json.Marshal(e)
	if err != nil {
		return nil, err
	}
	return append(append(head, '\n'), e.Body...), nil
}

var errDamagedEntry = errors.New("cache entry is damaged or of another version")

// decodeEntry reads what encode wrote; a flipped bit, another version and another URL's entry are errors.
func decodeEntry(value []byte, rawURL string) (*entry, error) {
	head, body, ok := bytes.Cut(value, []byte{'\n'})
	if !ok {
		return nil, errDamagedEntry
	}
	e := new(entry)
	if err := json.Unmarshal(head, e); err != nil {
		return nil, err
	}
	if e.Version != entryVersion || e.URL != rawURL || e.SHA256 != citewell.SHA256(body) {
		return nil, errDamagedEntry
	}
	e.Body = body
	return e, nil
}

// cacheKey names the answer to a request for u: everything that is sent and can change the answer is in it.
func (c *Client) cacheKey(u *url.URL, a asking) string {
	key := u.String() + "\n" + c.agentFor(u, a) + "\n" + accept + "\n" + a.language
	if a.archive {
		key += "\narchive" // whose address nobody judged
	}
	if a.keep > 0 {
		key += "\nkept" // against its server's word: for nobody else
	}
	return "page/" + citewell.SHA256([]byte(key))
}

// remembered returns the kept answer to a request for u, or nil.
func (c *Client) remembered(ctx context.Context, u *url.URL, a asking) *entry {
	if c.cache == nil {
		return nil
	}
	value, _, ok, err := c.cache.CacheGet(ctx, c.cacheKey(u, a))
	if err != nil || !ok {
		return nil
	}
	e, err := decodeEntry(value, u.String())
	if err != nil || e.FetchedAt.After(time.Now().Add(time.Minute)) {
		return nil // damaged, or the clock was set back: its times mean nothing
	}
	return e
}

// remember keeps a whole answer if RFC 9111 lets it, or its caller wants it to.
func (c *Client) remember(ctx context.Context, u *url.URL, a asking, got *answer) {
	if c.cache == nil || got.truncated {
		return
	}
	until, keep := freshness(got.status, got.header, got.asked, got.fetchedAt, cmp.Or(a.keep, c.cacheTTL))
	if a.keep > 0 {
		keep, until = true, later(until, got.fetchedAt.Add(a.keep))
		if wait, ok := retryAfter(got.header, got.fetchedAt); ok && got.status >= http.StatusBadRequest {
			until = later(until, got.fetchedAt.Add(min(wait, maxFresh)))
		}
	}
	if !keep {
		return
	}
	e := &entry{
		Version:      entryVersion,
		URL:          u.String(),
		Status:       got.status,
		ContentType:  got.header.Get("Content-Type"),
		Location:     got.header.Get("Location"),
		ETag:         got.header.Get("ETag"),
		LastModified: got.header.Get("Last-Modified"),
		CacheControl: strings.Join(got.header.Values("Cache-Control"), ", "),
		FetchedAt:    got.fetchedAt,
		FreshUntil:   until,
		Robots:       a.robots,
		Own:          got.own,
		SHA256:       citewell.SHA256(got.body),
		Body:         got.body,
	}
	value, err := e.encode()
	if err != nil {
		return
	}
	ttl := until.Sub(got.fetchedAt)
	if hasValidator(got.header) {
		ttl += maxStale
	}
	// A cache that cannot keep it costs a fetch later, and is no reason to lose the page now.
	_ = c.cache.CachePut(ctx, c.cacheKey(u, a), value, ttl)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// usable reports whether the entry answers without asking the server: one fetched past robots.txt does so for such
// callers.
func (e *entry) usable(a asking) bool {
	return !a.fresh && time.Now().Before(e.FreshUntil) && (e.Robots || !a.robots)
}

// condition asks the server to answer 304 if the entry still holds.
func (e *entry) condition(header http.Header) {
	if e.Status >= http.StatusBadRequest {
		return // a refusal holds nothing that could still hold
	}
	if e.ETag != "" {
		header.Set("If-None-Match", e.ETag)
	}
	if e.LastModified != "" {
		header.Set("If-Modified-Since", e.LastModified)
	}
}

// answer turns the entry back into what the server had said.
func (e *entry) answer() *answer {
	header := make(http.Header)
	for name, value := range map[string]string{
		"Content-Type":  e.ContentType,
		"Location":      e.Location,
		"Etag":          e.ETag,
		"Last-Modified": e.LastModified,
		"Cache-Control": e.CacheControl,
	} {
		if value != "" {
			header.Set(name, value)
		}
	}
	return &answer{status: e.Status, header: header, body: e.Body, own: e.Own, asked: e.FetchedAt,
		fetchedAt: e.FetchedAt, cached: true}
}

// confirmed is the entry's answer after the server said 304 to it, with the headers of the 304 and its time.
func (e *entry) confirmed(header http.Header, asked, came time.Time) *answer {
	got := e.answer()
	for _, name := range []string{"Etag", "Last-Modified", "Cache-Control", "Expires", "Date", "Age",
		"Vary", "Pragma"} {
		if values := header.Values(name); len(values) > 0 {
			got.header[name] = values
		}
	}
	got.asked, got.fetchedAt = asked, came
	return got
}
