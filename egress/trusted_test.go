package egress

import (
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/httpwire"
	"github.com/citewell/citewell/internal/weburl"
)

func mustURL(t testing.TB, raw string) *url.URL {
	t.Helper()
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// TestTrustedClientRedirects follows what stays on the configured host and names
// what does not. The base is on loopback without allow_networks: the operator's word.
func TestTrustedClientRedirects(t *testing.T) {
	reached := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	defer other.Close()
	var referers []string
	mux := http.NewServeMux()
	mux.HandleFunc("/search", func(w http.ResponseWriter, r *http.Request) {
		referers = append(referers, r.Header.Get("Referer"))
		if r.Method == http.MethodPost {
			body, _ := io.ReadAll(r.Body)
			_, _ = w.Write(body)
			return
		}
		_, _ = io.WriteString(w, "found "+r.Header.Get("X-Api-Key"))
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, r.URL.Query().Get("to"), http.StatusTemporaryRedirect)
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	base := mustURL(t, server.URL)
	client := newGuard(t, Options{}).TrustedClient(base)
	defer client.CloseIdleConnections()

	tests := []struct {
		name, method, to string
		code             citewell.Code
		says             string
	}{
		{"same_host", http.MethodGet, "/search?q=x", "", "found key-1"},
		{"same_host_absolute", http.MethodGet, server.URL + "/search", "", "found key-1"},
		{"other_port", http.MethodGet, other.URL + "/steal", citewell.CodeBlockedRedirect,
			other.Listener.Addr().String()},
		{"other_host", http.MethodGet, "https://evil.example/x?k=1", citewell.CodeBlockedRedirect,
			"https://evil.example"},
		{"other_host_with_password", http.MethodGet, "https://u:hunter2@evil.example/", citewell.CodeBlockedRedirect,
			"https://evil.example"},
		{"subdomain", http.MethodGet, "http://api." + base.Host + "/", citewell.CodeBlockedRedirect,
			"http://api.127.0.0.1"},
		{"name_of_the_same_machine", http.MethodGet, "http://localhost:" + base.Port() + "/search",
			citewell.CodeBlockedRedirect, "localhost"},
		{"other_scheme", http.MethodGet, "file:///etc/passwd", citewell.CodeBlockedRedirect, "file://"},
		{"post", http.MethodPost, "/search", citewell.CodeBlockedRedirect, "redirects a POST"},
		{"loop", http.MethodGet, "?to=%3Fto%3Dx", citewell.CodeTooManyRedirects, "more than 5 times"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			target := base.JoinPath("/start")
			target.RawQuery = "key=key-1&to=" + url.QueryEscape(test.to)
			if test.name == "loop" {
				target.RawQuery = "key=key-1&to=" + url.QueryEscape(target.Path+"?"+"to="+url.QueryEscape("/start"))
			}
			req, err := http.NewRequestWithContext(t.Context(), test.method, target.String(), strings.NewReader("body"))
			if err != nil {
				t.Fatal(err)
			}
			if test.method == http.MethodGet {
				req.Body, req.GetBody, req.ContentLength = nil, nil, 0
			}
			req.Header.Set("X-Api-Key", "key-1")
			resp, err := client.Do(req)
			if err == nil {
				body, _, err := httpwire.ReadBody(t.Context(), resp, httpwire.Budget{})
				if err != nil || test.code != "" || string(body) != test.says {
					t.Fatalf("answered %q, %v; want %q %q", body, err, test.code, test.says)
				}
				return
			}
			err = httpwire.Classify("provider.search", err)
			view := citewell.View(err)
			if view.Code != test.code || !strings.Contains(view.Message, test.says) {
				t.Errorf("error %+v, want %s with %q", view, test.code, test.says)
			}
			if text := err.Error() + view.Message + view.Hint; strings.Contains(text, "key-1") ||
				strings.Contains(text, "hunter2") || strings.Contains(text, base.Host+"/") {
				t.Errorf("the error text leaks: %s", text)
			}
		})
	}
	if reached {
		t.Error("another host was contacted")
	}
	for _, referer := range referers {
		if referer != "" {
			t.Errorf("Referer %q was sent on", referer)
		}
	}
}

func TestTrustedClientTalksToItsHostOnly(t *testing.T) {
	reached := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	defer other.Close()
	client := newGuard(t, Options{}).TrustedClient(mustURL(t, "https://api.example/v1"))
	_, err := client.Post(other.URL+"/?key=k", "text/plain", strings.NewReader("secret"))
	err = httpwire.Classify("llm.chat", err)
	if citewell.CodeOf(err) != citewell.CodeBlockedAddress || reached || strings.Contains(err.Error(), "key=") {
		t.Errorf("another host: %v, reached %t", err, reached)
	}
}

func TestTrustedClientServesLocalhostNames(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.Host)
	}))
	defer server.Close()
	base := mustURL(t, "http://search.localhost:"+mustURL(t, server.URL).Port())
	client := newGuard(t, Options{Resolver: resolving(nil)}).TrustedClient(base)
	defer client.CloseIdleConnections()
	resp, err := client.Get(base.String())
	if err != nil {
		t.Fatal(err)
	}
	if body, _, err := httpwire.ReadBody(t.Context(), resp, httpwire.Budget{}); err != nil ||
		string(body) != base.Host {
		t.Errorf("body %q, %v", body, err)
	}
}

func TestStaysOn(t *testing.T) {
	tests := []struct {
		base, to string
		want     bool
	}{
		{"http://a.example", "http://A.example:80/x", true},
		{"http://a.example", "https://a.example/x", true},
		{"http://a.example:8080", "https://a.example:8080/x", true},
		{"https://a.example", "https://a.example:443/x", true},
		{"https://a.example", "http://a.example/x", false},
		{"https://a.example:8443", "http://a.example:8443/x", false},
		{"http://a.example:8080", "https://a.example/x", false},
		{"http://a.example:8080", "https://a.example:8443/x", false},
		{"http://a.example", "http://b.example/", false},
		{"http://a.example", "http://b.a.example/x", false},
		{"http://a.example", "http://a.example.evil.example/", false},
		{"http://a.example", "ftp://a.example/", false},
		{"http://[::1]:8080", "http://[::1]:8080/x", true},
	}
	for _, test := range tests {
		if got := weburl.StaysOn(mustURL(t, test.base), mustURL(t, test.to)); got != test.want {
			t.Errorf("StaysOn(%s, %s) = %t", test.base, test.to, got)
		}
	}
}

func TestSameOrigin(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{"https://a.example/v1", "https://A.example:443/", true},
		{"http://a.example:80", "http://a.example", true},
		{"http://a.example", "https://a.example", false},
		{"https://a.example", "https://a.example:8443", false},
		{"https://a.example", "https://b.example", false},
		{"http://[::1]", "http://[::1]:80/v1", true},
	} {
		if weburl.SameOrigin(mustURL(t, test.a), mustURL(t, test.b)) != test.want ||
			weburl.SameOrigin(mustURL(t, test.b), mustURL(t, test.a)) != test.want {
			t.Errorf("%s and %s are not said to be one: %t", test.a, test.b, test.want)
		}
	}
}

// Clients that are made for one call each share their connections, and a new connection
// takes up the last one's TLS session. Another host is still refused.
func TestClientsShareConnections(t *testing.T) {
	var opened, resumed atomic.Int64
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.TLS != nil && r.TLS.DidResume {
			resumed.Add(1)
		}
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	server.StartTLS()
	defer server.Close()
	base := mustURL(t, server.URL)
	port, _ := strconv.ParseUint(base.Port(), 10, 16)
	g := newGuard(t, Options{AllowNetworks: MustParseNetworks("127.0.0.0/8"), AllowPorts: []uint16{uint16(port)}})
	roots := server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	g.trusted.(*http.Transport).TLSClientConfig.RootCAs = roots
	g.judged.(byOrigin)[asked].(*http.Transport).TLSClientConfig = &tls.Config{RootCAs: roots}
	for name, client := range map[string]func() *http.Client{
		"trusted": func() *http.Client { return g.TrustedClient(base) },
		"page":    func() *http.Client { return &http.Client{Transport: g.RoundTripper()} },
	} {
		opened.Store(0)
		for range 20 {
			resp, err := client().Get(server.URL)
			if err != nil {
				t.Fatal(name, err)
			}
			resp.Body.Close()
		}
		if n := opened.Load(); n != 1 {
			t.Errorf("%s: 20 calls opened %d connections", name, n)
		}
	}
	g.CloseIdleConnections()
	resp, err := g.TrustedClient(base).Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if opened.Load() != 2 || resumed.Load() != 1 {
		t.Errorf("after the idle connections were closed %d are open and %d resumed a session, want 2 and 1",
			opened.Load(), resumed.Load())
	}
	if _, err := g.TrustedClient(mustURL(t, "https://other.example/")).
		Get(server.URL); citewell.CodeOf(httpwire.Classify("get", err)) != citewell.CodeBlockedAddress {
		t.Errorf("another client's host: %v", err)
	}
	g.CloseIdleConnections()
}
