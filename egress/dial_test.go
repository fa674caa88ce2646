package egress

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/httpwire"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// loopback is the operator's choice that every test against a real server makes.
var loopback = MustParseNetworks("127.0.0.0/8")

func newGuard(t testing.TB, o Options) *Guard {
	t.Helper()
	g, err := NewGuard(o)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// scripted answers each address after a delay, with a connection or an error.
type scripted map[string]struct {
	after time.Duration
	err   error
}

func (s scripted) dial(ctx context.Context, _, addr string, _ controlFunc) (net.Conn, error) {
	step, ok := s[addr]
	if !ok {
		<-ctx.Done() // a black hole
		return nil, ctx.Err()
	}
	select {
	case <-time.After(step.after):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if step.err != nil {
		return nil, step.err
	}
	conn, other := net.Pipe()
	_ = other.Close()
	return &named{conn, addr}, nil
}

type named struct {
	net.Conn
	addr string
}

func TestDialTriesEveryAddress(t *testing.T) {
	refused := &net.OpError{Op: "dial", Err: errors.New("refused")}
	names := map[string][]string{
		"two.example": {"1.1.1.1", "2.2.2.2"},
		"six.example": {"1.1.1.1", "2.2.2.2", "2606:4700::1", "2606:4700::2"},
	}
	type script = scripted
	tests := []struct {
		name, host string
		script     script
		want       string
		code       citewell.Code
		took       time.Duration
	}{
		{"first_answers", "two.example", script{"1.1.1.1:80": {}}, "1.1.1.1:80", "", 0},
		{"second_at_once_after_a_refusal", "two.example", script{"1.1.1.1:80": {err: refused}, "2.2.2.2:80": {}},
			"2.2.2.2:80", "", 0},
		{"second_beside_a_black_hole", "two.example", script{"2.2.2.2:80": {}}, "2.2.2.2:80", "",
			250 * time.Millisecond},
		{"slow_first_still_wins", "two.example", script{"1.1.1.1:80": {after: 300 * time.Millisecond},
			"2.2.2.2:80": {after: time.Second}}, "1.1.1.1:80", "", 300 * time.Millisecond},
		{"other_family_second", "six.example", script{"[2606:4700::1]:80": {}, "2.2.2.2:80": {}}, "[2606:4700::1]:80",
			"", 250 * time.Millisecond},
		{"all_refused", "two.example", script{"1.1.1.1:80": {err: refused}, "2.2.2.2:80": {err: refused}}, "",
			citewell.CodeConnectFailed, 0},
		{"all_black_holes", "six.example", script{}, "", citewell.CodeTimeout, 10 * time.Second},
		{"refusal_names_itself_before_time_out", "two.example", script{"1.1.1.1:80": {err: refused}}, "",
			citewell.CodeConnectFailed, 10 * time.Second},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := newGuard(t, Options{Resolver: resolving(names)})
				g.dial = test.script.dial
				start := time.Now()
				conn, err := g.DialContext(t.Context(), "tcp", test.host+":80")
				if took := time.Since(start); took != test.took {
					t.Errorf("took %s, want %s", took, test.took)
				}
				if citewell.CodeOf(err) != test.code {
					t.Fatalf("error %v, want %q", err, test.code)
				}
				if err == nil {
					if got := conn.(*named).addr; got != test.want {
						t.Errorf("connected to %s, want %s", got, test.want)
					}
					_ = conn.Close()
				}
			})
		})
	}
}

func TestDialEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGuard(t, Options{Resolver: resolving(map[string][]string{"a.example": {"1.1.1.1", "2.2.2.2"}})})
		g.dial = scripted{}.dial
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		if _, err := g.DialContext(ctx, "tcp", "a.example:80"); citewell.CodeOf(err) != citewell.CodeCanceled {
			t.Errorf("dial: %v", err)
		}
	})
}

func TestDialTimeoutCoversTheResolver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGuard(t, Options{Resolver: slowResolver{}})
		start := time.Now()
		_, err := g.DialContext(t.Context(), "tcp", "a.example:80")
		if citewell.CodeOf(err) != citewell.CodeTimeout || time.Since(start) != 10*time.Second {
			t.Errorf("after %s: %v", time.Since(start), err)
		}
	})
}

type slowResolver struct{}

func (slowResolver) LookupNetIP(ctx context.Context, _, _ string) ([]netip.Addr, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// TestLookupsRunBesideEachOther fails if one slow name makes others wait.
func TestLookupsRunBesideEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGuard(t, Options{Resolver: delayedResolver(500 * time.Millisecond)})
		start := time.Now()
		var wait sync.WaitGroup
		for i := range 6 {
			wait.Go(func() {
				if _, err := g.Check(t.Context(), fmt.Sprintf("n%d.example", i), "443"); err != nil {
					t.Error(err)
				}
			})
		}
		wait.Wait()
		// One delay for the names, one for this network's NAT64 prefix.
		if took := time.Since(start); took > time.Second {
			t.Errorf("six look-ups of 0.5 s took %s", took)
		}
	})
}

type delayedResolver time.Duration

func (d delayedResolver) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	time.Sleep(time.Duration(d)) // inside a synctest bubble
	return []netip.Addr{netip.MustParseAddr("2606:4700::1")}, nil
}

func TestDialTakesOnlyTCP(t *testing.T) {
	g, dialled := recordingGuard(t, Options{})
	for _, target := range [][2]string{{"udp", "8.8.8.8:53"}, {"udp", "8.8.8.8:443"}, {"tcp5", "8.8.8.8:443"},
		{"unix", "/run/docker.sock"}, {"tcp", "8.8.8.8"}, {"tcp", "8.8.8.8:"}, {"tcp", "8.8.8.8:99999"}} {
		if _, err := g.DialContext(t.Context(), target[0], target[1]); err == nil {
			t.Errorf("%v was dialled", target)
		}
	}
	if len(dialled.addrs) > 0 {
		t.Errorf("dialled %v", dialled.addrs)
	}
	for _, network := range []string{"tcp", "tcp4", "tcp6"} {
		if _, err := g.DialContext(t.Context(), network, "8.8.8.8:443"); !errors.Is(err, errRecorded) {
			t.Errorf("%s: %v", network, err)
		}
	}
}

func TestTransportTimeouts(t *testing.T) {
	if zero := newGuard(t, Options{}).Transport(); zero.ResponseHeaderTimeout != 30*time.Second ||
		zero.TLSHandshakeTimeout != 10*time.Second {
		t.Errorf("of the zero options: %s, %s", zero.ResponseHeaderTimeout, zero.TLSHandshakeTimeout)
	}
}

func TestTransport(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	t.Setenv("HTTPS_PROXY", "http://127.0.0.1:1")
	var header http.Header
	mux := http.NewServeMux()
	mux.HandleFunc("/page", func(w http.ResponseWriter, r *http.Request) {
		header = r.Header.Clone()
		fmt.Fprint(w, "text over ", r.Proto)
	})
	mux.HandleFunc("/flood", func(w http.ResponseWriter, _ *http.Request) {
		for i := range 100 {
			w.Header().Add(fmt.Sprintf("X-%d", i), strings.Repeat("a", 1000))
		}
	})
	plain, secured := httptest.NewServer(mux), httptest.NewUnstartedServer(mux)
	secured.EnableHTTP2 = true
	secured.StartTLS()
	defer plain.Close()
	defer secured.Close()
	g := newGuard(t, Options{AllowNetworks: loopback})
	transport := g.Transport()
	transport.TLSClientConfig = secured.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
	defer transport.CloseIdleConnections()
	for _, server := range []*httptest.Server{plain, secured} {
		req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/page", nil)
		resp, err := transport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		body, _, err := httpwire.ReadBody(t.Context(), resp, httpwire.Budget{})
		want := "text over HTTP/1.1"
		if server == secured {
			want = "text over HTTP/2.0"
		}
		if err != nil || string(body) != want {
			t.Errorf("body %q, %v; want %q", body, err, want)
		}
		for _, name := range []string{"Accept-Encoding", "Cookie", "Authorization", "Referer"} {
			if _, sent := header[name]; sent {
				t.Errorf("%s was sent by itself: %v", name, header[name])
			}
		}
		req, _ = http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/flood", nil)
		if resp, err = transport.RoundTrip(req); err == nil {
			resp.Body.Close()
		}
		flooded := citewell.CodeResponseTooLarge
		if server == secured {
			flooded = citewell.CodeHTTPFailed // HTTP/2 calls a flood a protocol error and ends the connection
		}
		if err = httpwire.Classify("get", err); citewell.CodeOf(err) != flooded {
			t.Errorf("header flood: %v", errors.Unwrap(err))
		}
	}
	strict, err := NewGuard(Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := get(strict, plain.URL); citewell.CodeOf(err) != citewell.CodeBlockedAddress {
		t.Errorf("without allow_networks: %v", err)
	}
}

func TestInterleave(t *testing.T) {
	var addrs []netip.Addr
	for _, text := range []string{"::1", "::2", "::3", "1.1.1.1", "2.2.2.2"} {
		addrs = append(addrs, netip.MustParseAddr(text))
	}
	var got []string
	for _, addr := range interleave(addrs) {
		got = append(got, addr.String())
	}
	if want := []string{"::1", "1.1.1.1", "::2", "2.2.2.2", "::3"}; !slices.Equal(got, want) {
		t.Errorf("order %v, want %v", got, want)
	}
}
