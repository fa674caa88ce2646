package egress

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"sync"
	"time"
)

// nat64 knows the prefix under which this network's gateway, if it has one, wraps
// IPv4 addresses in IPv6 ones. It is looked up as RFC 7050 says, once, before the
// first IPv6 address is judged.
type nat64 struct {
	mu     sync.Mutex
	found  netip.Prefix
	known  bool
	retry  time.Time // a look-up that failed, rather than found none, is repeated after this
	search bool      // one goroutine is looking
}

// wellKnown are the prefixes of RFC 6052 and RFC 8215. Without a gateway nothing
// answers there, and the registries' rule refuses them.
var wellKnown = []netip.Prefix{netip.MustParsePrefix("64:ff9b::/96"), netip.MustParsePrefix("64:ff9b:1::/48")}

const (
	nat64Timeout = 2 * time.Second
	nat64Retry   = 30 * time.Second
)

// unwrap returns the IPv4 address inside addr, or the zero Addr where addr is
// under no NAT64 prefix.
func (n *nat64) unwrap(ctx context.Context, resolver Resolver, addr netip.Addr) netip.Addr {
	if prefix := n.prefix(ctx, resolver); prefix.IsValid() && prefix.Contains(addr) {
		return embedded(addr, prefix.Bits())
	}
	if wellKnown[0].Contains(addr) {
		return embedded(addr, 96)
	}
	if wellKnown[1].Contains(addr) {
		return embedded(addr, 48)
	}
	return netip.Addr{}
}

// inUse says whether addr is under the prefix of this network's gateway.
func (n *nat64) inUse(addr netip.Addr) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.found.IsValid() && n.found.Contains(addr)
}

func (n *nat64) prefix(ctx context.Context, resolver Resolver) netip.Prefix {
	n.mu.Lock()
	if n.known || n.search || time.Now().Before(n.retry) {
		defer n.mu.Unlock()
		return n.found
	}
	n.search = true
	n.mu.Unlock()

	found, err := discover(ctx, resolver)

	n.mu.Lock()
	defer n.mu.Unlock()
	n.search = false
	n.found, n.known = found, err == nil
	n.retry = time.Now().Add(nat64Retry)
	return n.found
}

// discover asks for the IPv6 addresses of a name that has only two well-known IPv4
// ones: any answer was made by the gateway's resolver and shows its prefix.
func discover(ctx context.Context, resolver Resolver) (netip.Prefix, error) {
	ctx, cancel := context.WithTimeout(ctx, nat64Timeout)
	defer cancel()
	answers, err := resolver.LookupNetIP(ctx, "ip6", "ipv4only.arpa")
	if dns, ok := errors.AsType[*net.DNSError](err); ok && dns.IsNotFound {
		return netip.Prefix{}, nil
	}
	if err != nil {
		return netip.Prefix{}, err
	}
	for _, addr := range answers {
		if !addr.Is6() || addr.Is4In6() {
			continue
		}
		for _, bits := range []int{96, 64, 56, 48, 40, 32} {
			v4 := embedded(addr, bits)
			if v4 == netip.AddrFrom4([4]byte{192, 0, 0, 170}) || v4 == netip.AddrFrom4([4]byte{192, 0, 0, 171}) {
				return addr.WithZone("").Prefix(bits)
			}
		}
	}
	return netip.Prefix{}, nil
}

// embedded takes the IPv4 address out of addr: the four bytes after the prefix,
// byte 8 left out (RFC 6052, section 2.2).
func embedded(addr netip.Addr, bits int) netip.Addr {
	b := addr.As16()
	var v4 [4]byte
	for i, at := 0, bits/8; i < 4; at++ {
		if at == 8 && bits < 96 {
			continue
		}
		v4[i] = b[at]
		i++
	}
	return netip.AddrFrom4(v4)
}
