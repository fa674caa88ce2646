package weburl

import (
	"net/url"
	"testing"
)

func TestCanonical(t *testing.T) {
	same := []struct {
		key  string
		urls []string
	}{
		{"example.com/", []string{"http://example.com", "https://example.com/", "https://WWW.Example.com:443",
			"http://example.com/#top", "https://example.com/?", "https://example.com./?utm_source=x&fbclid=1"}},
		{"example.com/a/b", []string{"https://example.com/a/b", "https://example.com/a/b/",
			"https://example.com/a/./c/../b", "https://example.com/%61/b?x=", "https://example.com/a/c/%2E%2e/%2e/b"}},
		{"example.com/a?p=1&q=2", []string{"https://example.com/a?q=2&p=1",
			"https://example.com/a?p=1&UTM_Medium=m&q=2&gclid=3&_ga=4#x", "http://www.example.com/a/?q=2&&p=1&z="}},
		{"example.com/a?t=x%20y", []string{"https://example.com/a?t=x+y", "https://example.com/a?t=x%20y"}},
		{"example.com/a%2Fb", []string{"https://example.com/a%2fb", "https://example.com/a%2Fb"}},
		{"example.com/showthread?12345", []string{"https://example.com/showthread?12345"}},
		{"example.com:8080/", []string{"http://example.com:8080", "https://example.com:8080/"}},
		{"xn--bcher-kva.example/", []string{"http://bücher.example", "http://xn--bcher-kva.example/"}},
		{"www.com/", []string{"http://www.com/"}},
		{"file:///home/a/b.md", []string{"file:///home/a/b.md"}},
		{"not a url", []string{"not a url"}},
	}
	for _, group := range same {
		for _, raw := range group.urls {
			if got := Canonical(raw); got != group.key {
				t.Errorf("Canonical(%q) = %q, want %q", raw, got, group.key)
			}
		}
	}
	for _, pair := range [][2]string{
		{"https://example.com/a", "https://example.com/A"},
		{"https://example.com/a?id=1", "https://example.com/a?id=2"},
		{"https://example.com/t?1", "https://example.com/t?2"},
		{"https://a.example.com/", "https://b.example.com/"},
		{"https://example.com/a%2Fb", "https://example.com/a/b"},
	} {
		if Canonical(pair[0]) == Canonical(pair[1]) {
			t.Errorf("%s and %s have one key, %q", pair[0], pair[1], Canonical(pair[0]))
		}
	}
}

func TestHost(t *testing.T) {
	for raw, want := range map[string]string{
		"https://www.example.com:8443/x": "example.com", "http://docs.example.com": "docs.example.com",
		"http://[::1]/": "::1", "file:///x": "", "": "", "http://user:pw@example.com/": "",
	} {
		if got := Host(raw); got != want {
			t.Errorf("Host(%q) = %q, want %q", raw, got, want)
		}
	}
}

func TestRegisteredDomain(t *testing.T) {
	for host, want := range map[string]string{
		"docs.example.com": "example.com", "Docs.Example.com.": "example.com", "example.com": "example.com",
		"a.b.example.co.uk": "example.co.uk", "co.uk": "co.uk", "alice.github.io": "alice.github.io",
		"x.alice.github.io": "alice.github.io",
		"localhost":         "localhost", "x.localhost": "x.localhost", "www.x.localhost": "x.localhost",
		"127.0.0.1": "127.0.0.1", "::1": "::1", "metadata": "metadata", "": "",
	} {
		if got := RegisteredDomain(host); got != want {
			t.Errorf("RegisteredDomain(%q) = %q, want %q", host, got, want)
		}
	}
}

func TestSameSite(t *testing.T) {
	tests := []struct {
		a, b string
		want bool
	}{
		{"http://example.com/", "https://www.example.com/x", true},
		{"http://example.com/", "https://docs.example.com:8443/", true},
		{"http://example.com/", "http://example.org/", false},
		{"http://example.com/", "http://example.com.evil.org/", false},
		{"http://alice.github.io/", "http://bob.github.io/", false},
		{"http://a.co.uk/", "http://b.co.uk/", false},
		{"http://a.localhost:8001/", "http://www.a.localhost:8001/", true},
		{"http://a.localhost:8001/", "http://b.localhost:8001/", false},
		{"http://192.0.2.1/", "http://192.0.2.1:80/", true},
		{"http://192.0.2.1/", "http://192.0.2.1:81/", false},
		{"http://192.0.2.1/", "https://192.0.2.1/", false},
		{"http://192.0.2.1/", "http://1.192.0.2.1.example/", false},
		{"http://wiki/", "http://wiki/x", true},
		{"http://wiki/", "http://wiki:8080/x", false},
		{"http://wiki/", "http://a.wiki/", false},
	}
	for _, test := range tests {
		a, errA := url.Parse(test.a)
		b, errB := url.Parse(test.b)
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		if SameSite(a, b) != test.want || SameSite(b, a) != test.want {
			t.Errorf("SameSite(%s, %s) is not %t both ways", test.a, test.b, test.want)
		}
	}
}

func TestIsResolver(t *testing.T) {
	for host, want := range map[string]bool{
		"doi.org": true, "dx.doi.org": true, "WWW.doi.org.": true, "hdl.handle.net": true, "w3id.org": true,
		"t.co": true, "doi.org.evil.example": false, "notdoi.org": false, "example.com": false, "": false,
	} {
		if got := IsResolver(host); got != want {
			t.Errorf("IsResolver(%q) = %t", host, got)
		}
	}
}

func TestRegistrant(t *testing.T) {
	for raw, want := range map[string]string{
		"https://www.papers.example/a/b": "papers.example", "https://doi.org/10.5555/a.b": "doi.org/10.5555",
		"http://dx.doi.org/10.5555/C": "doi.org/10.5555",
		"https://doi.org/":            "doi.org", "https://alice.github.io/x": "alice.github.io", "file:///a": "",
		"no address": "",
	} {
		if got := Registrant(raw); got != want {
			t.Errorf("Registrant(%q) = %q, want %q", raw, got, want)
		}
	}
}
