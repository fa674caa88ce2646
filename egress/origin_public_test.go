package egress

import (
	"context"
	"net"
	"net/netip"
	"testing"
)

type byName map[string]string

func (n byName) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	if n[host] == "" {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	return []netip.Addr{netip.MustParseAddr(n[host])}, nil
}

// A host is public by its name and by all its addresses, whoever asks; the operator's networks are
// not, public addresses among them.
func TestPublic(t *testing.T) {
	for _, follow := range []bool{false, true} {
		guard, err := NewGuard(Options{AllowNetworks: MustParseNetworks("10.0.0.0/8:8080", "93.184.216.0/24"),
			FollowIntoNetworks: follow,
			Resolver: byName{"site.com": "93.184.215.14", "intranet.com": "10.1.2.3", "office.com": "93.184.216.7",
				"router.com": "192.168.1.1", "mapped.com": "::ffff:10.1.2.3"}})
		if err != nil {
			t.Fatal(err)
		}
		for host, want := range map[string]bool{"site.com": true, "gone.com": true, "93.184.215.14": true,
			"intranet.com": false, "office.com": false, "router.com": false, "mapped.com": false, "10.1.2.3": false,
			"93.184.216.7": false, "127.0.0.1": false, "::1": false,
			"localhost": false, "a.localhost": false, "wiki": false, "wiki.internal": false, "nas.home.arpa": false,
			"printer.local": false} {
			if got := guard.Public(t.Context(), host); got != want {
				t.Errorf("follow %v: Public(%q) = %v", follow, host, got)
			}
		}
	}
}
