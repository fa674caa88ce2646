package egress

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/httpwire"
)

// testProxy answers CONNECT and sends every tunnel to one server, whatever was
// asked for, so that a public address needs no network.
type testProxy struct {
	*httptest.Server
	mu     sync.Mutex
	asked  []string // targets of CONNECT
	auth   []string
	to     string        // where tunnels lead
	answer string        // sent in place of a tunnel
	hang   chan struct{} // when set, nothing is answered until it closes
}

func newTestProxy(t *testing.T, to string, secured bool) *testProxy {
	p := &testProxy{to: to}
	p.Server = httptest.NewUnstartedServer(http.HandlerFunc(p.connect))
	if secured {
		p.StartTLS()
	} else {
		p.Start()
	}
	t.Cleanup(p.Close)
	return p
}

func (p *testProxy) connect(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.asked = append(p.asked, r.Method+" "+r.RequestURI)
	p.auth = append(p.auth, r.Header.Get("Proxy-Authorization"))
	p.mu.Unlock()
	if p.hang != nil {
		<-p.hang
	}
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	defer conn.Close()
	if p.answer != "" {
		io.WriteString(conn, p.answer)
		return
	}
	server, err := net.Dial("tcp", p.to)
	if err != nil {
		return
	}
	defer server.Close()
	io.WriteString(conn, "HTTP/1.1 200 Connection established\r\n\r\n")
	var both sync.WaitGroup
	both.Go(func() { io.Copy(server, conn); server.Close() })
	both.Go(func() { io.Copy(conn, server); conn.Close() })
	both.Wait()
}

func TestProxyGetsTheCheckedAddress(t *testing.T) {
	for _, secured := range []bool{false, true} {
		var host string
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			host = r.Host
			io.WriteString(w, "through the tunnel")
		}))
		defer server.Close()
		p := newTestProxy(t, server.Listener.Addr().String(), secured)
		proxyURL, _ := url.Parse(p.URL)
		proxyURL.User = url.UserPassword("citewell", "hunter2")
		resolver := resolving(map[string][]string{"site.example": {"93.184.216.34"}, "inside.example": {"10.0.0.5"}})
		g := newGuard(t, Options{ProxyURL: proxyURL.String(), Resolver: resolver})
		if secured {
			g.proxy.tls.RootCAs = p.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
		}
		transport := g.Transport()
		req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://site.example/", nil)
		resp, err := transport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		body, _, err := httpwire.ReadBody(t.Context(), resp, httpwire.Budget{})
		transport.CloseIdleConnections()
		if err != nil || string(body) != "through the tunnel" || host != "site.example" {
			t.Errorf("body %q for host %q, %v", body, host, err)
		}
		if len(p.asked) != 1 || p.asked[0] != "CONNECT 93.184.216.34:80" ||
			p.auth[0] != "Basic Y2l0ZXdlbGw6aHVudGVyMg==" {
			t.Errorf("the proxy got %q with %q", p.asked, p.auth)
		}
		if err := get(g, "http://inside.example/"); citewell.CodeOf(err) != citewell.CodeBlockedAddress ||
			len(p.asked) != 1 {
			t.Errorf("a private name: %v, the proxy got %q", err, p.asked)
		}
	}
}

// A proxy without a port is on the usual one of its scheme.
func TestProxyPort(t *testing.T) {
	for raw, want := range map[string]string{"http://proxy.example": "proxy.example:80",
		"https://proxy.example": "proxy.example:443", "http://[::1]:3128": "[::1]:3128"} {
		if got := newGuard(t, Options{ProxyURL: raw}).proxy.addr; got != want {
			t.Errorf("%s is at %s, want %s", raw, got, want)
		}
	}
}

func TestProxyFailures(t *testing.T) {
	tests := []struct{ name, answer, says string }{
		{"refused", "HTTP/1.1 403 Forbidden\r\nContent-Length: 1000000\r\n\r\nno",
			"refused the connection with status 403"},
		{"no_http", "SSH-2.0-OpenSSH\r\n", "no answer to CONNECT"},
		{"closed", "\r\n", "no answer to CONNECT"},
		{"header_flood", "HTTP/1.1 200 OK\r\n" + strings.Repeat("X: "+strings.Repeat("a", 1000)+"\r\n", 100) + "\r\n",
			"no answer to CONNECT"},
		{"early_bytes", "HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\n\r\nforged", "before the tunnel stood"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := newTestProxy(t, "", false)
			p.answer = test.answer
			g := newGuard(t, Options{ProxyURL: p.URL, Resolver: resolving(map[string][]string{
				"site.example": {"93.184.216.34", "93.184.216.35"}})})
			err := get(g, "https://site.example/")
			if citewell.CodeOf(err) != citewell.CodeConnectFailed ||
				!strings.Contains(citewell.View(err).Message, test.says) {
				t.Errorf("error %v, want %q in it", err, test.says)
			}
			if len(p.asked) != 2 {
				t.Errorf("the proxy got %q, want both addresses", p.asked)
			}
		})
	}
	t.Run("unreachable", func(t *testing.T) {
		p := newTestProxy(t, "", false)
		p.Close()
		g := newGuard(t, Options{ProxyURL: p.URL})
		if err := get(g, "https://93.184.216.34/"); citewell.CodeOf(err) != citewell.CodeConnectFailed {
			t.Error(err)
		}
	})
	t.Run("hangs", func(t *testing.T) {
		p := newTestProxy(t, "", false)
		p.hang = make(chan struct{})
		defer close(p.hang)
		g := newGuard(t, Options{ProxyURL: p.URL})
		g.dialTimeout = 50 * time.Millisecond
		if err := get(g, "https://93.184.216.34/"); citewell.CodeOf(err) != citewell.CodeTimeout {
			t.Error(err)
		}
	})
}

// TestTrustedThroughProxy: a public service goes through the operator's proxy, one
// on this machine cannot.
func TestTrustedThroughProxy(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "ok")
	}))
	defer server.Close()
	p := newTestProxy(t, server.Listener.Addr().String(), false)
	g := newGuard(t, Options{ProxyURL: p.URL, Resolver: resolving(map[string][]string{
		"api.example": {"93.184.216.34"}})})
	for _, base := range []string{"http://api.example:8080", server.URL} {
		u, _ := url.Parse(base)
		client := g.TrustedClient(u)
		req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, base, nil)
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if text, _ := bufio.NewReader(resp.Body).ReadString(0); text != "ok" {
			t.Errorf("%s answered %q", base, text)
		}
		resp.Body.Close()
		client.CloseIdleConnections()
	}
	if len(p.asked) != 1 || p.asked[0] != "CONNECT 93.184.216.34:8080" {
		t.Errorf("the proxy got %q", p.asked)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := g.DialContext(ctx, "tcp", "93.184.216.34:80"); citewell.CodeOf(err) != citewell.CodeCanceled {
		t.Errorf("canceled: %v", err)
	}
}
