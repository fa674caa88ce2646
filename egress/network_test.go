package egress

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/citewell/citewell"
)

func TestParseNetwork(t *testing.T) {
	for s, want := range map[string]struct {
		has, hasNot string // address and port
	}{
		"10.1.0.0/16":              {"10.1.2.3:6379", "10.2.0.1:6379"},
		"10.1.0.0/16:8080":         {"10.1.2.3:8080", "10.1.2.3:6379"},
		"fd00::/8":                 {"[fd00::1]:6379", "[fc00::1]:6379"},
		"[fd00::/8]:8080":          {"[fd00::1]:8080", "[fd00::1]:80"},
		"10.1.2.3/32:65535":        {"10.1.2.3:65535", "10.1.2.3:1"},
		"[::ffff:0.0.0.0/96]:8080": {"[::ffff:10.1.2.3]:8080", "[::ffff:10.1.2.3]:80"},
		"[2001:db8::/32]:65535":    {"[2001:db8::1]:65535", "[2001:db9::1]:65535"},
	} {
		n, err := ParseNetwork(s)
		if err != nil || n.String() != s {
			t.Errorf("%s: %s, %v", s, n, err)
		}
		for address, want := range map[string]bool{want.has: true, want.hasNot: false} {
			if at := netip.MustParseAddrPort(address); n.Contains(at.Addr(), at.Port()) != want {
				t.Errorf("%s has %s: %v, want %v", s, address, !want, want)
			}
		}
		var read Network
		if text, err := n.MarshalText(); err != nil || read.UnmarshalText(text) != nil || read != n {
			t.Errorf("%s came back as %s, %v", s, read, err)
		}
	}
	for _, s := range []string{"", "10.1.0.0", "10.1.0.0:80", "10.1.0.0/16:", "10.1.0.0/16:0", "10.1.0.0/16:65536",
		"10.1.0.0/16:+80", "10.1.0.0/16:http",
		"10.1.0.0/33", "[10.1.0.0/16]:80", "[fd00::/8]", "[fd00::/8]:", "[fd00::/8:80", "[fd00::/8]80", "fd00::/8:80",
		"10.0.0.0/8:80:81", "wiki:80"} {
		n, err := ParseNetwork(s)
		if citewell.CodeOf(err) != citewell.CodeInvalidArgument || n != (Network{}) ||
			!strings.Contains(citewell.View(err).Message, "10.1.0.0/16:8080") {
			t.Errorf("%q: %s, %v", s, n, err)
		}
	}
	for s, want := range map[string]bool{"0.0.0.0/0": true, "::/0": true, "::ffff:0:0/96": true, "0.0.0.0/0:80": true,
		"0.0.0.0/1": false, "::/1": false} {
		if n := MustParseNetworks(s)[0]; n.Everything() != want {
			t.Errorf("%s is everything: %v", s, !want)
		}
	}
}

// How far allow_networks reach depends on who named the host: a redirect of a public page
// leads nowhere private, and a name that anybody may register only where somebody here
// named it. What is public is reached by everybody.
func TestOriginDecidesHowFarNetworksReach(t *testing.T) {
	names := resolving(map[string][]string{
		"wiki.corp.com": {"10.1.2.3"}, "me.github.io": {"10.1.2.3"}, "wiki": {"10.1.2.3"},
		"wiki.internal": {"10.1.2.3"}, "nas.home.arpa": {"10.1.2.3"}, "www.com": {"93.184.216.34"},
	})
	tests := []struct {
		host              string
		asked, found, led bool // whether it is reached
	}{
		{"10.1.2.3", true, true, false},
		{"::ffff:10.1.2.3", true, true, false},
		{"wiki", true, true, false},
		{"wiki.internal", true, true, false},
		{"nas.home.arpa", true, true, false},
		{"wiki.corp.com", true, false, false},
		{"WIKI.corp.com.", true, false, false},
		{"me.github.io", true, false, false},
		{"www.com", true, true, true},
		{"10.2.0.1", false, false, false},
	}
	for _, test := range tests {
		g := newGuard(t, Options{Resolver: names, AllowNetworks: MustParseNetworks("10.1.0.0/16")})
		open := newGuard(t, Options{Resolver: names, AllowNetworks: MustParseNetworks("10.1.0.0/16"),
			FollowIntoNetworks: true})
		for o, want := range map[origin]bool{asked: test.asked, found: test.found, led: test.led} {
			ctx := withOrigin(t.Context(), o)
			if _, err := g.Check(ctx, strings.TrimSuffix(strings.ToLower(test.host), "."),
				"443"); (err == nil) != want {
				t.Errorf("%s as %d: %v, want %v", test.host, o, err, want)
			}
			if _, err := open.Check(ctx, strings.TrimSuffix(strings.ToLower(test.host), "."),
				"443"); (err == nil) != test.asked {
				t.Errorf("%s as %d with follow_into_networks: %v", test.host, o, err)
			}
		}
	}
	if o := originOf(Found(Led(t.Context()))); o != led {
		t.Errorf("what was led is %d after it was found", o)
	}
}
