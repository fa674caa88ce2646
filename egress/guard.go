package egress

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"code.dny.dev/ssrf"
	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/httpwire"
)

// A Resolver finds the addresses of a name; *net.Resolver is one.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// Options of connections. The zero value lets through public addresses on ports 80 and 443.
type Options struct {
	AllowNetworks []Network        // special addresses that may be reached
	DenyNetworks  []netip.Prefix   // never reached; wins over AllowNetworks
	AllowPorts    []uint16         // 80 and 443 when nil
	ProxyURL      string           // http or https proxy that is given the judged address by CONNECT
	Resolver      Resolver         // the system's when nil; localhost names never reach it
	Audit         func(AuditEvent) // told of every judgement; called from many goroutines

	// FollowIntoNetworks lets redirects (Led) and public DNS names (Found) lead into AllowNetworks too.
	FollowIntoNetworks bool

	// Wrap, unless nil, stands before every connection of RoundTripper and TrustedClient, to record or to answer
	// itself.
	Wrap func(http.RoundTripper) http.RoundTripper
	// Offline resolves no name and dials no address: what Wrap does not answer fails.
	Offline bool
}

// An AuditEvent is one judgement with what callers are not told. Addr is invalid where the name or port alone decided.
type AuditEvent struct {
	Time    time.Time
	Host    string // as asked
	Addr    netip.Addr
	Port    uint16
	Dialing bool // made as a socket connects, not when the name was resolved
	Allowed bool
	Reason  string // why not; empty when allowed
}

// A Guard judges addresses and makes connections to those that pass.
type Guard struct {
	options Options
	ports   []uint16
	special *ssrf.Guardian
	proxy   *proxy // nil without Options.ProxyURL
	nat64   nat64
	own     ownAddrs
	dial    dialFunc // connects to one judged address

	dialTimeout time.Duration // resolving and connecting together

	judged  http.RoundTripper // what RoundTripper gives: each connection is judged
	trusted http.RoundTripper // below every trusted client: no connection is judged
}

type dialFunc func(ctx context.Context, network, addr string, control controlFunc) (net.Conn, error)

// Default returns the Guard of the zero Options, one for the whole process: for callers that were given none.
func Default() *Guard { return common() }

var common = sync.OnceValue(func() *Guard {
	g, err := NewGuard(Options{})
	if err != nil {
		panic("egress: the zero options are refused: " + err.Error())
	}
	return g
})

// NewGuard checks the options; invalid_config names the one that is wrong.
func NewGuard(o Options) (*Guard, error) {
	g := &Guard{
		options: o,
		ports:   o.AllowPorts,
		special: ssrf.New(ssrf.WithAnyPort(), ssrf.WithDeniedV4Prefixes(deniedV4...)),
		dial:    dialSocket,

		dialTimeout: 10 * time.Second,
	}
	g.options.AllowNetworks, g.options.DenyNetworks = slices.Clone(o.AllowNetworks), slices.Clone(o.DenyNetworks)
	valid := true
	for i, n := range o.AllowNetworks {
		valid = valid && n.Prefix.IsValid()
		g.options.AllowNetworks[i].Prefix = unmapPrefix(n.Prefix)
	}
	for i, prefix := range o.DenyNetworks {
		valid = valid && prefix.IsValid()
		g.options.DenyNetworks[i] = unmapPrefix(prefix)
	}
	if !valid {
		return nil, configError("a network in allow_networks or deny_networks is not a prefix, as in 10.0.0.0/8")
	}
	if slices.Contains(o.AllowPorts, 0) {
		return nil, configError("allow_ports holds 0: ports are 1 to 65535")
	}
	g.own.read = net.InterfaceAddrs
	if g.ports == nil {
		g.ports = []uint16{80, 443}
	}
	if g.options.Resolver == nil {
		g.options.Resolver = net.DefaultResolver
	}
	if o.ProxyURL != "" {
		u, err := url.Parse(o.ProxyURL)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return nil, configError("egress_proxy is not an http or https URL")
		}
		g.proxy = newProxy(u)
	}
	trusted := g.transport()
	trusted.DialContext = g.dialTrusted
	// a later connection needs no whole handshake
	trusted.TLSClientConfig = &tls.Config{ClientSessionCache: tls.NewLRUClientSessionCache(0)}
	g.judged, g.trusted = g.apart(nil), g.wrap(trusted)
	return g, nil
}

// Check resolves host and judges every answer for port. One that may not be reached refuses them all: a name with a
// public and a private address is an attack or a mistake. It returns the addresses in the order to try them.
func (g *Guard) Check(ctx context.Context, host, port string) ([]netip.Addr, error) {
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil || number == 0 {
		return nil, &citewell.Error{Code: citewell.CodeInvalidURL, Op: "egress.check",
			Message: "the port is not a number in 1..65535"}
	}
	addrs, err := g.resolve(ctx, host)
	if err != nil {
		return nil, err
	}
	if isLocalhost(host) {
		addrs = g.allowedOnly(addrs, uint16(number))
	}
	for _, addr := range addrs {
		if err := g.judge(ctx, host, addr, uint16(number), false); err != nil {
			return nil, err
		}
	}
	return interleave(addrs), nil
}

// Own reports whether a connection of this Guard leads to a private address in AllowNetworks, unknown behind a proxy.
func (g *Guard) Own(remote net.Addr) bool {
	tcp, ok := remote.(*net.TCPAddr)
	if !ok || g.proxy != nil {
		return false
	}
	addr := tcp.AddrPort().Addr().Unmap()
	return inNetworks(g.options.AllowNetworks, addr, tcp.AddrPort().Port()) && g.special.SafeAddr(addr) != nil
}

// resolve returns the addresses of host, itself included, unmapped and each once. Every connection begins here.
func (g *Guard) resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	if g.options.Offline {
		return nil, &citewell.Error{Code: citewell.CodeConnectFailed, Op: "egress.resolve",
			Message: "no connection is made while offline"}
	}
	if addr, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{plain(addr)}, nil
	}
	if isLocalhost(host) {
		return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback()}, nil
	}
	answers, err := g.options.Resolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return nil, httpwire.Classify("egress.resolve", err)
	}
	var addrs []netip.Addr
	for _, addr := range answers {
		if addr = plain(addr); !slices.Contains(addrs, addr) {
			addrs = append(addrs, addr)
		}
	}
	if len(addrs) == 0 {
		return nil, &citewell.Error{Code: citewell.CodeDNSFailed, Op: "egress.resolve"}
	}
	return addrs, nil
}

// plain unmaps an IPv4 address in IPv6 form, but keeps a zone for judge to refuse.
func plain(addr netip.Addr) netip.Addr {
	if addr.Zone() != "" {
		return addr
	}
	return addr.Unmap()
}

// isLocalhost recognises the names that RFC 6761 keeps for this machine; no resolver is asked about them.
func isLocalhost(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// allowedOnly keeps of a localhost name's addresses those in AllowNetworks: who allows 127.0.0.0/8 may forget ::1.
func (g *Guard) allowedOnly(addrs []netip.Addr, port uint16) []netip.Addr {
	allowed := slices.DeleteFunc(slices.Clone(addrs), func(a netip.Addr) bool {
		return !inNetworks(g.options.AllowNetworks, a, port)
	})
	if len(allowed) == 0 {
		return addrs
	}
	return allowed
}

// errBlocked is all that a caller learns: neither address nor port state.
func errBlocked() error {
	return &citewell.Error{
		Code:    citewell.CodeBlockedAddress,
		Op:      "egress.check",
		Message: "the host is not a public address, or the port is not one that may be used",
		Hint:    "an operator can allow a network with fetch.allow_networks and a port with fetch.allow_ports",
	}
}

func configError(message string) error {
	return &citewell.Error{Code: citewell.CodeInvalidConfig, Op: "egress", Message: message}
}
