package fetch

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/egress"
)

func TestMain(m *testing.M) {
	// for the server of pgtest, which lives as long as the tests do
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("os/exec.(*Cmd).Wait"))
}

// A site answers requests by path and remembers them. Paths that are missing are
// 404, robots.txt among them.
type site struct {
	t     *testing.T
	url   string // http://127.0.0.1:port
	port  string
	pages map[string]http.HandlerFunc

	mu   sync.Mutex
	seen []*http.Request
}

func newSite(t *testing.T, pages map[string]http.HandlerFunc) *site {
	t.Helper()
	s := &site{t: t, pages: pages}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.seen = append(s.seen, r.Clone(context.WithoutCancel(r.Context())))
		s.mu.Unlock()
		page := s.pages[r.Host+r.URL.Path]
		if page == nil {
			page = s.pages[r.URL.Path]
		}
		if page == nil {
			http.NotFound(w, r)
			return
		}
		page(w, r)
	}))
	t.Cleanup(server.Close)
	s.url = server.URL
	s.port = mustParse(t, server.URL).Port()
	return s
}

// at gives the URL of path under a name that leads to this site.
func (s *site) at(name, path string) string { return "http://" + name + ":" + s.port + path }

// paths lists what was asked for, in order.
func (s *site) paths() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var paths []string
	for _, r := range s.seen {
		paths = append(paths, r.URL.Path)
	}
	return paths
}

func (s *site) count(path string) int {
	n := 0
	for _, p := range s.paths() {
		if p == path {
			n++
		}
	}
	return n
}

func plainText(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) }
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

func redirect(to string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", to)
		w.WriteHeader(http.StatusFound)
	}
}

// names is a resolver that knows these names only.
type names map[string][]netip.Addr

func (n names) LookupNetIP(ctx context.Context, _, host string) ([]netip.Addr, error) {
	return n[host], ctx.Err()
}

var loopback = netip.MustParseAddr("127.0.0.1")

// localClient reaches 127.0.0.1, which stands for a public address here, and
// nothing else that is special. Every name below leads there.
func localClient(t testing.TB, o Options) *Client {
	t.Helper()
	home := []netip.Addr{loopback}
	guard, err := egress.NewGuard(egress.Options{
		AllowNetworks: egress.MustParseNetworks("127.0.0.1/32"),
		Resolver: names{
			"site.example": home, "www.site.example": home, "other.example": home, "third.example": home,
			"doi.org": home, "dx.doi.org": home,
			"inside.example": {netip.MustParseAddr("10.0.0.5")},
			"mixed.example":  {loopback, netip.MustParseAddr("10.0.0.5")},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	o.Guard = guard
	if o.Spacing == 0 {
		o.Spacing = -1
	}
	c := New(o)
	t.Cleanup(c.Close)
	return c
}

// wantCode checks an error's code, and that it says nothing it should not.
func wantCode(t *testing.T, err error, code citewell.Code) {
	t.Helper()
	if got := citewell.CodeOf(err); got != code {
		t.Fatalf("code %q, want %q (%v)", got, code, err)
	}
	view := citewell.View(err)
	for _, secret := range []string{"hunter2", "10.0.0.5", "169.254", "6379"} {
		if strings.Contains(view.Message+view.Hint, secret) {
			t.Errorf("the error tells %q: %+v", secret, view)
		}
	}
}

// roundTrip is a transport without a network, for tests whose clock is not real.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	return f(r)
}

// reply is a response with header pairs, as in reply(200, "body", "Etag", "x").
func reply(status int, body string, headers ...string) *http.Response {
	header := make(http.Header)
	for pair := range slices.Chunk(headers, 2) {
		header.Add(pair[0], pair[1])
	}
	return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(strings.NewReader(body)),
		ContentLength: int64(len(body))}
}

// pause waits as a slow server would, or until the request ends.
func pause(r *http.Request, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-r.Context().Done():
		return r.Context().Err()
	}
}

// memory is a cache that forgets by the clock.
type memory struct {
	mu    sync.Mutex
	kept  map[string]memorised
	fails error
}

type memorised struct {
	value      []byte
	put, until time.Time
}

func newMemory() *memory { return &memory{kept: make(map[string]memorised)} }

func (m *memory) CacheGet(_ context.Context, key string) ([]byte, time.Time, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e, ok := m.kept[key]
	if m.fails != nil || !ok || time.Now().After(e.until) {
		return nil, time.Time{}, false, m.fails
	}
	return slices.Clone(e.value), e.put, true, nil
}

func (m *memory) CachePut(_ context.Context, key string, value []byte, ttl time.Duration) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.kept[key] = memorised{slices.Clone(value), time.Now(), time.Now().Add(ttl)}
	return m.fails
}

func mustParse(t testing.TB, raw string) *url.URL {
	t.Helper()
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	return u
}
