package weburl

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/testing/realpart"
)

// dialled returns the host:port that net/http would connect to for u.
func dialled(t testing.TB, u *url.URL) string {
	t.Helper()
	errDialled := errors.New("recorded")
	var addr string
	record := func(_ context.Context, _, a string) (net.Conn, error) { addr = a; return nil, errDialled }
	req, err := http.NewRequest(http.MethodGet, u.String(), nil)
	if err != nil {
		t.Fatalf("net/http refuses %q, which Parse takes: %v", u, err)
	}
	transport := &http.Transport{DialContext: record, DialTLSContext: record}
	if _, err := transport.RoundTrip(req); !errors.Is(err, errDialled) {
		t.Fatalf("net/http did not dial for %q: %v", u, err)
	}
	return addr
}

// checkDialled fails unless the host that Parse hands on is the host that is
// dialled, however the URL is written out and read again.
func checkDialled(t testing.TB, raw string) *url.URL {
	t.Helper()
	u, err := Parse(raw)
	if err != nil {
		if code := citewell.CodeOf(err); code != citewell.CodeInvalidURL && code != citewell.CodeInvalidArgument &&
			code != citewell.CodeUnsupportedScheme {
			t.Fatalf("Parse(%q): code %s", raw, code)
		}
		return nil
	}
	host := u.Hostname()
	if want, got := net.JoinHostPort(host, port(u)), dialled(t, u); got != want {
		t.Fatalf("%q: judged %s, dialled %s", raw, want, got)
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.Opaque != "" {
		t.Fatalf("Parse(%q) let through %+v", raw, u)
	}
	if strings.Trim(host, "abcdefghijklmnopqrstuvwxyz0123456789-_.:") != "" || host == "" {
		t.Fatalf("Parse(%q): host %q", raw, host)
	}
	if addr, err := netip.ParseAddr(host); err == nil {
		if addr.String() != host || addr.Zone() != "" {
			t.Fatalf("Parse(%q): address %q is not in its plain form %s", raw, host, addr)
		}
	} else if isNumeric(host) || strings.Contains(host, ":") {
		t.Fatalf("Parse(%q): host %q is a number but no address", raw, host)
	}
	written := u.String()
	if len(written) <= MaxLength {
		again, err := Parse(written)
		if err != nil {
			t.Fatalf("Parse(%q) gives %q, which it refuses: %v", raw, written, err)
		}
		if again.String() != written {
			t.Fatalf("Parse(%q) gives %q, then %q", raw, written, again)
		}
	}
	return u
}

func sharedFile(t testing.TB, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(realpart.Data(t, name))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// vector is one case of the WHATWG URL suite; the suite's comments are strings.
type vector struct {
	Input    string  `json:"input"`
	Base     *string `json:"base"`
	Protocol string  `json:"protocol"`
	Hostname string  `json:"hostname"`
	Port     string  `json:"port"`
	Failure  bool    `json:"failure"`
}

func vectors(t testing.TB) []vector {
	t.Helper()
	var raw []json.RawMessage
	if err := json.Unmarshal(sharedFile(t, "url-vectors/urltestdata.json"), &raw); err != nil {
		t.Fatal(err)
	}
	var vectors []vector
	for _, message := range raw {
		if message[0] == '"' {
			continue
		}
		var v vector
		if err := json.Unmarshal(message, &v); err != nil {
			t.Fatal(err)
		}
		vectors = append(vectors, v)
	}
	return vectors
}

// TestURLVectors holds Parse against the WHATWG standard: what browsers refuse is
// refused, and what both take has the same host and port. A reference is first
// resolved as a redirect's Location is.
func TestURLVectors(t *testing.T) {
	accepted := 0
	for _, v := range vectors(t) {
		raw := v.Input
		if v.Base != nil && *v.Base != "about:blank" {
			base, err := url.Parse(*v.Base)
			if err != nil {
				continue
			}
			ref, err := base.Parse(v.Input)
			if err != nil {
				continue
			}
			raw = ref.String()
		}
		u := checkDialled(t, raw)
		if u == nil || v.Base != nil && (strings.Contains(v.Input, `\`) || strings.HasPrefix(v.Input, "///")) {
			continue // references that net/url reads as paths and browsers as hosts
		}
		accepted++
		if v.Failure {
			t.Errorf("%q (base %v) must fail, Parse gives %s", v.Input, v.Base, u)
			continue
		}
		want, err := url.Parse("//" + v.Hostname)
		if err != nil || v.Protocol != u.Scheme+":" {
			t.Errorf("%q: Parse gives %s, the standard %s//%s", v.Input, u, v.Protocol, v.Hostname)
			continue
		}
		host, _ := netip.ParseAddr(want.Hostname())
		if got := u.Hostname(); got != strings.TrimSuffix(want.Hostname(), ".") && got != host.String() ||
			u.Port() != v.Port {
			t.Errorf("%q: Parse gives host %s port %q, the standard %s port %q", v.Input, got, u.Port(),
				v.Hostname, v.Port)
		}
	}
	if accepted < 100 {
		t.Errorf("only %d vectors were taken: is anything compared?", accepted)
	}
}

// TestToASCIIVectors holds host names against the standard's ToASCII.
func TestToASCIIVectors(t *testing.T) {
	var raw []json.RawMessage
	if err := json.Unmarshal(sharedFile(t, "url-vectors/toascii.json"), &raw); err != nil {
		t.Fatal(err)
	}
	for _, message := range raw {
		if message[0] == '"' {
			continue
		}
		var v struct {
			Input  string  `json:"input"`
			Output *string `json:"output"`
		}
		if err := json.Unmarshal(message, &v); err != nil {
			t.Fatal(err)
		}
		u := checkDialled(t, "https://"+v.Input+"/x")
		if u == nil {
			continue
		}
		if v.Output == nil || u.Hostname() != strings.TrimSuffix(*v.Output, ".") {
			t.Errorf("host %q becomes %s", v.Input, u.Hostname())
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"http://example.com/", "https://ⓔⓧⓐⓜⓟⓛⓔ.ⓒⓞⓜ:8443/ä?ö=ü#ß", `http://127.1.1.1:80\@127.2.2.2:80/`,
		"http://127.1.1.1:80#@127.2.2.2/",
		"http://[::ffff:127.0.0.1]:80/", "http://[fe80::1%25eth0]/", "http://0x7f.1/", "http://2130706433",
		"http://１２７。0。0。1/",
		"http://a%2eb/", "http://%E2%93%94/", "http://user@host@other/", "http://℀.example/",
		"http://a\u00adb.example./", "http:///x", "http:example.com",
		"http://example.com:0080/%2f..//?&=#", "http://xn--fa-hia.example/", "//example.com", "http://a?b@c",
		"http://a#b@c/d", "http://[::1]@c/", "http://a:80:80/", "http://A/%2e",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		u := checkDialled(t, raw)
		if u == nil {
			return
		}
		key := Canonical(raw)
		again := Canonical(u.Scheme + "://" + key)
		if len(key)+8 <= MaxLength && !strings.HasPrefix(key, "www.") && again != key {
			t.Fatalf("Canonical(%q) = %q, whose own key is %q", raw, key, again)
		}
		if Host(raw) == "" || RegisteredDomain(u.Hostname()) == "" || !SameSite(u, u) {
			t.Fatalf("%q: host %q, domain %q", raw, Host(raw), RegisteredDomain(u.Hostname()))
		}
	})
}
