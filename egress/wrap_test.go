package egress

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/httpwire"
)

type answering struct {
	next  http.RoundTripper
	asked *[]string
	pass  bool
}

func (a answering) RoundTrip(r *http.Request) (*http.Response, error) {
	*a.asked = append(*a.asked, r.URL.Path)
	if a.pass {
		return a.next.RoundTrip(r)
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{},
		Body: io.NopCloser(strings.NewReader("from elsewhere")), Request: r}, nil
}

// What stands before the connections sees every exchange of both kinds of client, and
// only those that the client may make.
func TestWrapStandsBeforeEveryConnection(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "from the server")
	}))
	defer server.Close()
	base, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	for _, pass := range []bool{true, false} {
		want := map[bool]string{true: "from the server", false: "from elsewhere"}[pass]
		var asked []string
		g, err := NewGuard(Options{AllowNetworks: MustParseNetworks("127.0.0.0/8"), Offline: !pass,
			Wrap: func(next http.RoundTripper) http.RoundTripper { return answering{next, &asked, pass} }})
		if err != nil {
			t.Fatal(err)
		}
		adjusted := false
		clients := map[string]*http.Client{
			"page":    {Transport: g.RoundTripper(func(*http.Transport) { adjusted = true })},
			"trusted": g.TrustedClient(base),
		}
		for _, name := range []string{"page", "trusted"} {
			resp, err := clients[name].Get(server.URL + "/" + name)
			if err != nil {
				t.Fatal(name, err)
			}
			body, err := io.ReadAll(resp.Body)
			if resp.Body.Close(); err != nil || string(body) != want {
				t.Errorf("%s, pass %v: %q, %v", name, pass, body, err)
			}
			clients[name].CloseIdleConnections()
		}
		if _, err := clients["trusted"].Get("http://other.example/"); citewell.CodeOf(httpwire.Classify("get",
			err)) != citewell.CodeBlockedAddress {
			t.Errorf("another host, pass %v: %v", pass, err)
		}
		if got := strings.Join(asked, " "); got != "/page /trusted" || !adjusted {
			t.Errorf("pass %v: asked %q, adjusted %v", pass, got, adjusted)
		}
	}
}

// Offline nothing is resolved or dialled, whatever is allowed and whoever asks.
func TestOfflineDialsNothing(t *testing.T) {
	names := resolving(map[string][]string{"public.example": {"93.184.216.34"}})
	g, dialled := recordingGuard(t, Options{Offline: true, Resolver: names,
		AllowNetworks: MustParseNetworks("127.0.0.0/8"), ProxyURL: "http://127.0.0.1:3128"})
	for _, addr := range []string{"public.example:443", "93.184.216.34:443", "127.0.0.1:80", "localhost:80"} {
		if _, err := g.DialContext(t.Context(), "tcp", addr); citewell.CodeOf(err) != citewell.CodeConnectFailed {
			t.Errorf("%s: %v", addr, err)
		}
		if _, err := g.dialTrusted(t.Context(), "tcp", addr); citewell.CodeOf(err) != citewell.CodeConnectFailed {
			t.Errorf("trusted %s: %v", addr, err)
		}
	}
	if len(dialled.addrs) > 0 || len(names.asked) > 0 {
		t.Errorf("dialled %v, %d names asked for", dialled.addrs, len(names.asked))
	}
}
