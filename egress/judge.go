package egress

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"sync/atomic"
	"time"
)

// deniedV4 is missing in the special-purpose registries: Azure's virtual host, which gives out credentials.
var deniedV4 = []netip.Prefix{netip.MustParsePrefix("168.63.129.16/32")}

// judge decides about one address and tells the audit.
func (g *Guard) judge(ctx context.Context, host string, addr netip.Addr, port uint16, dialing bool) error {
	reason := g.reason(ctx, host, addr, port)
	if g.options.Audit != nil {
		g.options.Audit(AuditEvent{
			Time: time.Now().UTC(), Host: host, Addr: addr, Port: port,
			Dialing: dialing, Allowed: reason == "", Reason: reason,
		})
	}
	if reason != "" {
		return errBlocked()
	}
	return nil
}

// reason says why addr, which host stands for, may not be reached on port; empty means that it may.
func (g *Guard) reason(ctx context.Context, host string, addr netip.Addr, port uint16) string {
	if addr.Zone() != "" {
		return "address with a zone"
	}
	addr = addr.Unmap()
	if contains(g.options.DenyNetworks, addr) {
		return "in deny_networks"
	}
	var wrapped netip.Addr
	if addr.Is6() && addr.IsGlobalUnicast() {
		wrapped = g.nat64.unwrap(ctx, g.options.Resolver, addr)
	}
	named := inNetworks(g.options.AllowNetworks, addr, port)
	allowed := named && g.Enters(ctx, host)
	switch {
	case wrapped.IsValid() && (allowed || g.nat64.inUse(addr)):
		// A gateway turns it into the IPv4 address, so that is what counts.
		return g.reason(ctx, host, wrapped, port)
	case allowed:
		return ""
	case !slices.Contains(g.ports, port):
		return fmt.Sprintf("port %d is not allowed", port)
	case addr.Is6() && isISATAP(addr):
		return "ISATAP address, which wraps an IPv4 one"
	case g.own.contains(addr):
		return "address of this machine"
	}
	switch err := g.special.SafeAddr(addr); {
	case err == nil:
		return ""
	case named:
		return "in allow_networks, where no stranger's redirect or public name leads without follow_into_networks"
	default:
		return err.Error()
	}
}

// isISATAP recognises the interface identifiers of RFC 5214, section 6.1, under any prefix.
func isISATAP(addr netip.Addr) bool {
	b := addr.As16()
	return b[8]&^0x03 == 0 && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe
}

func contains(prefixes []netip.Prefix, addr netip.Addr) bool {
	return slices.ContainsFunc(prefixes, func(p netip.Prefix) bool { return p.Contains(addr) })
}

// ownAddrs are the addresses of this machine's interfaces, by which our own services are reached, at most ownAddrsFor
// old.
type ownAddrs struct {
	read    func() ([]net.Addr, error)
	current atomic.Pointer[ownAddrsAt]
}

type ownAddrsAt struct {
	addrs map[netip.Addr]bool
	at    time.Time
}

const ownAddrsFor = 10 * time.Second

func (o *ownAddrs) contains(addr netip.Addr) bool {
	known := o.current.Load()
	if known == nil || time.Since(known.at) > ownAddrsFor {
		known = &ownAddrsAt{addrs: map[netip.Addr]bool{}, at: time.Now()}
		interfaces, err := o.read()
		if err != nil {
			return false // the operating system forbids the question; special ranges still hold
		}
		for _, a := range interfaces {
			if prefix, err := netip.ParsePrefix(a.String()); err == nil {
				known.addrs[prefix.Addr().Unmap().WithZone("")] = true
			}
		}
		o.current.Store(known)
	}
	return known.addrs[addr]
}

// CanListOwn says why the system does not tell this machine's addresses. A public one among them is not refused then.
func (g *Guard) CanListOwn() error {
	_, err := g.own.read()
	return err
}
