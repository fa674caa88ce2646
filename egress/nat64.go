package egress

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"sync"
	"time"
)

// nat64 knows the prefix under which this network's gateway, if any, wraps IPv4 addresses in IPv6 ones. It is looked up
// once, as RFC 7050 says, before the first IPv6 address is judged.
type nat64 struct {
	mu      sync.Mutex
	found   netip.Prefix  // the zero Prefix, which contains nothing, where there is none
	known   bool          // the look-up ended, with a prefix or without
	retry   time.Time     // one that failed is repeated after this
	looking chan struct{} // closed when the look-up under way ends; nil when none is
}

// wellKnown are the prefixes of RFC 6052 and RFC 8215, where nothing answers without a gateway.
var wellKnown = []netip.Prefix{netip.MustParsePrefix("64:ff9b::/96"), netip.MustParsePrefix("64:ff9b:1::/48")}

const (
	nat64Timeout = 2 * time.Second
	nat64Retry   = 30 * time.Second
)

// unwrap returns the IPv4 address inside addr, or the zero Addr where addr is under no NAT64 prefix.
func (n *nat64) unwrap(ctx context.Context, resolver Resolver, addr netip.Addr) netip.Addr {
	if prefix := n.prefix(ctx, resolver); prefix.Contains(addr) {
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
	return n.found.Contains(addr)
}

// prefix returns the gateway's prefix. The first caller looks it up and the others wait for it.
func (n *nat64) prefix(ctx context.Context, resolver Resolver) netip.Prefix {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.known || time.Now().Before(n.retry) {
		return n.found
	}
	if looking := n.looking; looking != nil {
		n.mu.Unlock()
		<-looking // bounded by nat64Timeout
		n.mu.Lock()
		return n.found
	}
	n.looking = make(chan struct{})
	n.mu.Unlock()
	found, err := discover(context.WithoutCancel(ctx), resolver)
	n.mu.Lock()
	n.found, n.known = found, err == nil
	n.retry = time.Now().Add(nat64Retry)
	close(n.looking)
	n.looking = nil
	return n.found
}

// discover asks for the IPv6 addresses of a name that has only two well-known IPv4 ones: an answer shows the prefix.
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

// embedded takes the IPv4 address out of addr: the four bytes after the prefix without byte 8 (RFC 6052, section 2.2).
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
