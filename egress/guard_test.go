package egress

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/httpwire"
	"github.com/citewell/citewell/internal/testing/realpart"
	"github.com/citewell/citewell/internal/weburl"
)

// fakeResolver answers from a table; a name that it lacks gets the entry "*". The
// next of several entries is given to each look-up in turn, as a rebinding server
// does.
type fakeResolver struct {
	mu      sync.Mutex
	answers map[string][][]string
	asked   []string
}

func (r *fakeResolver) LookupNetIP(_ context.Context, network, host string) ([]netip.Addr, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked = append(r.asked, host)
	turns, ok := r.answers[host]
	if !ok && host != "ipv4only.arpa" {
		turns = r.answers["*"]
	}
	if len(turns) == 0 {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	if len(turns) > 1 {
		r.answers[host] = turns[1:]
	}
	var addrs []netip.Addr
	for _, text := range turns[0] {
		if addr := netip.MustParseAddr(text); network != "ip6" || addr.Is6() {
			addrs = append(addrs, addr)
		}
	}
	return addrs, nil
}

func (r *fakeResolver) count(host string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := 0
	for _, asked := range r.asked {
		if asked == host {
			n++
		}
	}
	return n
}

func resolving(answers map[string][]string) *fakeResolver {
	r := &fakeResolver{answers: map[string][][]string{}}
	for host, addrs := range answers {
		r.answers[host] = [][]string{addrs}
	}
	return r
}

// recorder is a dialer that connects to nothing and remembers what it was asked.
type recorder struct {
	mu    sync.Mutex
	addrs []string
}

var errRecorded = errors.New("recorded, not dialled")

func (r *recorder) dial(_ context.Context, _, addr string, _ controlFunc) (net.Conn, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.addrs = append(r.addrs, addr)
	return nil, errRecorded
}

func recordingGuard(t testing.TB, o Options) (*Guard, *recorder) {
	t.Helper()
	g, err := NewGuard(o)
	if err != nil {
		t.Fatal(err)
	}
	r := &recorder{}
	g.dial = r.dial
	return g, r
}

// get fetches raw as a fetcher does: Parse, then one request without redirects.
func get(g *Guard, raw string) error {
	u, err := weburl.Parse(raw)
	if err != nil {
		return err
	}
	req, err := http.NewRequest(http.MethodGet, u.String(), nil)
	if err != nil {
		return err
	}
	transport := g.Transport()
	defer transport.CloseIdleConnections()
	resp, err := transport.RoundTrip(req)
	if err != nil {
		return httpwire.Classify("get", err)
	}
	return resp.Body.Close()
}

// special are addresses that no request may reach, in every form that hides one.
var special = []string{
	"0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.100.100.200", "127.0.0.1", "127.127.127.127",
	"168.63.129.16", "169.254.169.254", "169.254.170.2", "172.16.0.1", "172.31.255.255", "192.0.0.192", "192.0.2.1",
	"192.88.99.1", "192.168.0.1", "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1",
	"239.255.255.255", "240.0.0.1", "255.255.255.255",
	"::", "::1", "::7f00:1", "::a9fe:a9fe", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:168.63.129.16",
	"::ffff:0:7f00:1",
	"64:ff9b::7f00:1", "64:ff9b::808:808", "64:ff9b:1::1", "100::1", "2001::1", "2001:0:7f00:1::", "2001:db8::1",
	"2001:20::1",
	"2002:7f00:1::1", "2002:a00:1::", "2002:808:808::1", "2606:4700::5efe:7f00:1", "2606:4700::200:5efe:a00:1",
	"3fff::1", "4000::1", "5f00::1",
	"fc00::1", "fd00:ec2::254", "fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1", "2606:4700::1111%eth0",
}

// public are neighbours of special ranges that have to stay reachable.
var public = []string{
	"1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.1",
	"168.63.129.15", "169.253.255.255", "172.15.255.255", "172.32.0.0", "192.0.1.1", "192.167.255.255",
	"198.17.255.255", "223.255.255.255",
	"2606:4700:4700::1111", "2001:4860:4860::8888", "2a00:1450:4001:81b::200e", "2003::1", "::ffff:8.8.8.8",
	"2606:4700::12fe:a00:1", "2606:4700::5eff:a00:1", // all but ISATAP
}

func TestCheckJudgesAddresses(t *testing.T) {
	answers := map[string][]string{}
	for _, addr := range slices.Concat(special, public) {
		answers["name-"+addr] = []string{addr}
	}
	g, _ := recordingGuard(t, Options{Resolver: resolving(answers)})
	for _, addr := range special {
		for _, host := range []string{addr, "name-" + addr} {
			if addrs, err := g.Check(t.Context(), host, "443"); citewell.CodeOf(err) != citewell.CodeBlockedAddress {
				t.Errorf("Check(%s) = %v, %v", host, addrs, err)
			}
		}
	}
	for _, addr := range public {
		for _, host := range []string{addr, "name-" + addr} {
			if addrs, err := g.Check(t.Context(), host, "443"); err != nil || len(addrs) != 1 ||
				addrs[0] != netip.MustParseAddr(addr).Unmap() {
				t.Errorf("Check(%s) = %v, %v", host, addrs, err)
			}
		}
	}
}

// TestAllWrappings wraps each special IPv4 address in each IPv6 form that carries
// one, under a public prefix too.
func TestAllWrappings(t *testing.T) {
	g, _ := recordingGuard(t, Options{Resolver: resolving(nil)})
	for _, text := range special {
		v4 := netip.MustParseAddr(text)
		if !v4.Is4() {
			continue
		}
		b := v4.As4()
		for name, bytes := range map[string][16]byte{
			"compatible": {12: b[0], b[1], b[2], b[3]},
			"mapped":     {10: 0xff, 0xff, b[0], b[1], b[2], b[3]},
			"translated": {8: 0xff, 0xff, 0, 0, b[0], b[1], b[2], b[3]},
			"6to4":       {0x20, 0x02, b[0], b[1], b[2], b[3], 15: 1},
			"teredo":     {0x20, 0x01, 0, 0, 0x08, 0x08, 0x08, 0x08, 12: ^b[0], ^b[1], ^b[2], ^b[3]},
			"nat64":      {0, 0x64, 0xff, 0x9b, 12: b[0], b[1], b[2], b[3]},
			"nat64local": {0, 0x64, 0xff, 0x9b, 0, 1, b[0], b[1], 0, b[2], b[3]},
			"isatap":     {0x2a, 0x00, 1, 2, 3, 4, 5, 6, 0x00, 0, 0x5e, 0xfe, b[0], b[1], b[2], b[3]},
			"isatap-u":   {0x2a, 0x00, 1, 2, 3, 4, 5, 6, 0x02, 0, 0x5e, 0xfe, b[0], b[1], b[2], b[3]},
		} {
			if reason := g.reason(t.Context(), "", netip.AddrFrom16(bytes), 443); reason == "" {
				t.Errorf("%s inside %s is let through", v4, name)
			}
		}
	}
}

func TestVectorsContactNothingPrivate(t *testing.T) {
	content, err := os.ReadFile(realpart.Data(t, "ssrf-vectors", "ssrf-urls.txt"))
	if err != nil {
		t.Fatal(err)
	}
	refused := []citewell.Code{citewell.CodeInvalidURL, citewell.CodeUnsupportedScheme, citewell.CodeBlockedAddress}
	// Each resolver is one that an attacker may run: names become a private address,
	// metadata, a mix of public and private, loopback in IPv6.
	for _, answer := range [][]string{{"10.0.0.7"}, {"169.254.169.254"}, {"93.184.216.34", "127.0.0.1"},
		{"2606:4700::1", "::1"}, {"64:ff9b::7f00:1"}} {
		g, dialled := recordingGuard(t, Options{Resolver: resolving(map[string][]string{"*": answer})})
		vectors := 0
		for raw := range strings.Lines(string(content)) {
			raw = strings.TrimRight(raw, "\r\n")
			vectors++
			err := get(g, raw)
			// One line of the list is a public address as it stands.
			if raw == "http://1.1.1.1" {
				if !errors.Is(err, errRecorded) {
					t.Errorf("%s: %v, want it dialled", raw, err)
				}
				continue
			}
			if !slices.Contains(refused, citewell.CodeOf(err)) {
				t.Errorf("%s with names at %v: %v", raw, answer, err)
			}
		}
		if vectors < 150 {
			t.Errorf("only %d vectors: is the list whole?", vectors)
		}
		for _, addr := range dialled.addrs {
			if addr != "1.1.1.1:80" {
				t.Errorf("contacted %s", addr)
			}
		}
	}
	// With honest public answers every line still ends refused or at a public address.
	g, dialled := recordingGuard(t, Options{Resolver: resolving(map[string][]string{"*": {"93.184.216.34"}})})
	for raw := range strings.Lines(string(content)) {
		if err := get(g, strings.TrimRight(raw, "\r\n")); err == nil {
			t.Errorf("%s was answered", raw)
		}
	}
	for _, addr := range dialled.addrs {
		if host, _, _ := net.SplitHostPort(addr); host != "1.1.1.1" && host != "93.184.216.34" {
			t.Errorf("contacted %s", addr)
		}
	}
}

func TestOneSpecialAnswerRefusesTheName(t *testing.T) {
	for _, answers := range [][]string{
		{"93.184.216.34", "10.0.0.1"}, {"10.0.0.1", "93.184.216.34"},
		{"93.184.216.34", "2606:4700::1", "::ffff:127.0.0.1"}, {"93.184.216.34", "fe80::1%eth0"},
	} {
		g, dialled := recordingGuard(t, Options{Resolver: resolving(map[string][]string{"mixed.example": answers})})
		if err := get(g, "http://mixed.example/"); citewell.CodeOf(err) != citewell.CodeBlockedAddress ||
			len(dialled.addrs) > 0 {
			t.Errorf("%v: %v, dialled %v", answers, err, dialled.addrs)
		}
	}
}

func TestRebindingMeetsTheCheckedAddress(t *testing.T) {
	resolver := &fakeResolver{answers: map[string][][]string{"rebind.example": {{"93.184.216.34"}, {"127.0.0.1"}}}}
	g, dialled := recordingGuard(t, Options{Resolver: resolver})
	if err := get(g, "http://rebind.example/"); !errors.Is(err, errRecorded) {
		t.Fatal(err)
	}
	if resolver.count("rebind.example") != 1 || !slices.Equal(dialled.addrs, []string{"93.184.216.34:80"}) {
		t.Errorf("asked %v, dialled %v: want one question and its answer", resolver.asked, dialled.addrs)
	}
	if err := get(g, "http://rebind.example/"); citewell.CodeOf(err) != citewell.CodeBlockedAddress ||
		len(dialled.addrs) != 1 {
		t.Errorf("the second answer: %v, dialled %v", err, dialled.addrs)
	}
}

// TestSocketIsJudgedAgain shows the second wall: even an address that skipped Check
// is refused as its socket connects.
func TestSocketIsJudgedAgain(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	resolver := resolving(map[string][]string{"x.example": {"127.0.0.1"}})
	var told []AuditEvent
	strict, err := NewGuard(Options{AllowPorts: []uint16{uint16(listener.Addr().(*net.TCPAddr).Port)},
		Audit: func(e AuditEvent) { told = append(told, e) }})
	if err != nil {
		t.Fatal(err)
	}
	open, err := NewGuard(Options{Resolver: resolver, AllowNetworks: MustParseNetworks("127.0.0.0/8")})
	if err != nil {
		t.Fatal(err)
	}
	// open's Check passes loopback; its sockets are made by strict's control.
	open.dial = func(ctx context.Context, network, addr string, _ controlFunc) (net.Conn, error) {
		return dialSocket(ctx, network, addr, strict.control("x.example"))
	}
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	if _, err := open.DialContext(t.Context(), "tcp", net.JoinHostPort("x.example", port)); citewell.CodeOf(
		err) != citewell.CodeBlockedAddress {
		t.Errorf("dial: %v", err)
	}
	if err := strict.control("x.example")(t.Context(), "tcp4", "x.example:443",
		nil); citewell.CodeOf(err) != citewell.CodeBlockedAddress {
		t.Errorf("what is no address cannot be judged: %v", err)
	}
	if len(told) != 1 || !told[0].Dialing || told[0].Allowed || told[0].Host != "x.example" {
		t.Errorf("the audit was told %+v", told)
	}
}

func TestPortsAndNetworks(t *testing.T) {
	prefixes := func(texts ...string) (list []netip.Prefix) {
		for _, text := range texts {
			list = append(list, netip.MustParsePrefix(text))
		}
		return list
	}
	tests := []struct {
		name       string
		options    Options
		host, port string
		want       citewell.Code
	}{
		{"usual_ports", Options{}, "8.8.8.8", "80", ""},
		{"other_port", Options{}, "8.8.8.8", "22", citewell.CodeBlockedAddress},
		{"configured_port", Options{AllowPorts: []uint16{8443}}, "8.8.8.8", "8443", ""},
		{"configured_ports_replace", Options{AllowPorts: []uint16{8443}}, "8.8.8.8", "443",
			citewell.CodeBlockedAddress},
		{"no_ports", Options{AllowPorts: []uint16{}}, "8.8.8.8", "443", citewell.CodeBlockedAddress},
		{"allowed_network_any_port", Options{AllowNetworks: MustParseNetworks("10.0.0.0/8")}, "10.1.2.3", "9200", ""},
		{"allowed_network_on_its_port", Options{AllowNetworks: MustParseNetworks("10.0.0.0/8:9200")}, "10.1.2.3",
			"9200", ""},
		{"allowed_network_on_another_port", Options{AllowNetworks: MustParseNetworks("10.0.0.0/8:9200")}, "10.1.2.3",
			"80", citewell.CodeBlockedAddress},
		{"localhost_on_its_port", Options{AllowNetworks: MustParseNetworks("127.0.0.0/8:8010")}, "localhost",
			"8010", ""},
		{"localhost_on_another_port", Options{AllowNetworks: MustParseNetworks("127.0.0.0/8:8010")}, "localhost", "80",
			citewell.CodeBlockedAddress},
		{"allowed_network_mapped_form", Options{AllowNetworks: MustParseNetworks("10.0.0.0/8")}, "::ffff:10.1.2.3",
			"9200", ""},
		{"allowed_network_written_mapped", Options{AllowNetworks: MustParseNetworks("::ffff:10.0.0.0/104")}, "10.1.2.3",
			"9200", ""},
		{"allowed_network_not_6to4", Options{AllowNetworks: MustParseNetworks("10.0.0.0/8")}, "2002:a01:203::1", "443",
			citewell.CodeBlockedAddress},
		{"beside_allowed_network", Options{AllowNetworks: MustParseNetworks("10.0.0.0/8")}, "192.168.0.1", "443",
			citewell.CodeBlockedAddress},
		{"denied_public", Options{DenyNetworks: prefixes("8.8.0.0/16")}, "8.8.8.8", "443", citewell.CodeBlockedAddress},
		{"deny_wins", Options{AllowNetworks: MustParseNetworks("10.0.0.0/8"), DenyNetworks: prefixes("10.9.0.0/16")},
			"10.9.0.1", "443", citewell.CodeBlockedAddress},
		{"localhost", Options{}, "localhost", "80", citewell.CodeBlockedAddress},
		{"localhost_name", Options{}, "a.b.LOCALHOST.", "80", citewell.CodeBlockedAddress},
		{"localhost_allowed", Options{AllowNetworks: MustParseNetworks("127.0.0.0/8")}, "a.localhost", "8010", ""},
		{"localhost_allowed_v6", Options{AllowNetworks: MustParseNetworks("::1/128")}, "localhost", "8010", ""},
		{"nat64_allowed_public", Options{AllowNetworks: MustParseNetworks("64:ff9b::/96")},
			"64:ff9b::808:808", "443", ""},
		{"nat64_allowed_private", Options{AllowNetworks: MustParseNetworks("64:ff9b::/96")}, "64:ff9b::a00:1", "443",
			citewell.CodeBlockedAddress},
		{"nat64_local_allowed_public", Options{AllowNetworks: MustParseNetworks("64:ff9b:1::/48")},
			"64:ff9b:1:808:8:800::", "443", ""},
		// 10.8.8.8
		{"nat64_local_allowed_private", Options{AllowNetworks: MustParseNetworks("64:ff9b:1::/48")},
			"64:ff9b:1:a08:8:800::", "443", citewell.CodeBlockedAddress},
		{"no_answer", Options{}, "nothing.example", "443", citewell.CodeDNSFailed},
		{"port_zero", Options{}, "8.8.8.8", "0", citewell.CodeInvalidURL},
		{"port_name", Options{}, "8.8.8.8", "http", citewell.CodeInvalidURL},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.options.Resolver = resolving(nil)
			g, _ := recordingGuard(t, test.options)
			addrs, err := g.Check(t.Context(), test.host, test.port)
			if citewell.CodeOf(err) != test.want || (err == nil) != (len(addrs) == 1) {
				t.Errorf("Check = %v, %v; want %q", addrs, err, test.want)
			}
		})
	}
}

func TestOwnAddressIsRefused(t *testing.T) {
	g, _ := recordingGuard(t, Options{Resolver: resolving(nil)})
	read := errors.New("forbidden, once")
	g.own.read = func() ([]net.Addr, error) {
		if read != nil {
			return nil, read
		}
		return []net.Addr{&net.IPNet{IP: net.IPv4(93, 184, 216, 34), Mask: net.CIDRMask(24, 32)},
			&net.IPNet{IP: net.ParseIP("2606:4700::9"), Mask: net.CIDRMask(64, 128)}}, nil
	}
	if _, err := g.Check(t.Context(), "93.184.216.34", "443"); err != nil {
		t.Errorf("while nobody knows what is own: %v", err)
	}
	if err := g.CanListOwn(); err != read {
		t.Errorf("that nobody knows: %v", err)
	}
	read = nil
	if err := g.CanListOwn(); err != nil {
		t.Error(err)
	}
	for _, own := range []string{"93.184.216.34", "::ffff:93.184.216.34", "2606:4700::9"} {
		if _, err := g.Check(t.Context(), own, "443"); citewell.CodeOf(err) != citewell.CodeBlockedAddress {
			t.Errorf("%s: %v", own, err)
		}
	}
	if _, err := g.Check(t.Context(), "93.184.216.35", "443"); err != nil {
		t.Errorf("a neighbour: %v", err)
	}
}

// The addresses of this machine change; they are known for ten seconds.
func TestOwnAddressesAreReadAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, _ := recordingGuard(t, Options{Resolver: resolving(nil)})
		reads := 0
		g.own.read = func() ([]net.Addr, error) {
			reads++
			return []net.Addr{&net.IPNet{IP: net.IPv4(93, 184, 216, byte(reads)), Mask: net.CIDRMask(24, 32)}}, nil
		}
		for _, at := range []struct {
			after time.Duration
			own   string
		}{{0, "93.184.216.1"}, {10 * time.Second, "93.184.216.1"}, {time.Second, "93.184.216.2"}} {
			time.Sleep(at.after) // inside a synctest bubble
			if _, err := g.Check(t.Context(), at.own, "443"); citewell.CodeOf(err) != citewell.CodeBlockedAddress {
				t.Errorf("%s is this machine's, %d reads: %v", at.own, reads, err)
			}
		}
	})
}

func TestNameWithoutAddresses(t *testing.T) {
	g, _ := recordingGuard(t, Options{Resolver: resolving(map[string][]string{"empty.example": {}})})
	if addrs, err := g.Check(t.Context(), "empty.example", "443"); citewell.CodeOf(err) != citewell.CodeDNSFailed {
		t.Errorf("%v, %v", addrs, err)
	}
}

func TestNAT64PrefixOfThisNetwork(t *testing.T) {
	for i, prefix := range []string{"2a00:1:2:3:4:5::/96", "2a00:1:2:3::/64", "2a00:1:2:300::/56", "2a00:1:2::/48",
		"2a00:1:200::/40", "2a00:1::/32", "64:ff9b::/96"} {
		p := netip.MustParsePrefix(prefix)
		shown := []string{wrap(p, "192.0.0.170").String(), wrap(p, "192.0.0.171").String()}
		if i > 0 { // either is enough
			shown = shown[i%2:][:1]
		}
		resolver := resolving(map[string][]string{"ipv4only.arpa": shown})
		g, _ := recordingGuard(t, Options{Resolver: resolver})
		for _, v4 := range []string{"127.0.0.1", "10.0.0.1", "169.254.169.254"} {
			if _, err := g.Check(t.Context(), wrap(p, v4).String(),
				"443"); citewell.CodeOf(err) != citewell.CodeBlockedAddress {
				t.Errorf("%s under %s: %v", v4, p, err)
			}
		}
		if _, err := g.Check(t.Context(), wrap(p, "8.8.8.8").String(), "443"); err != nil {
			t.Errorf("8.8.8.8 under %s: %v", p, err)
		}
		if other := netip.MustParsePrefix("64:ff9b::/96"); p != other {
			if _, err := g.Check(t.Context(), wrap(other, "8.8.8.8").String(),
				"443"); citewell.CodeOf(err) != citewell.CodeBlockedAddress {
				t.Errorf("8.8.8.8 under a prefix that is not this network's: %v", err)
			}
		}
		if n := resolver.count("ipv4only.arpa"); n != 1 {
			t.Errorf("the prefix was looked up %d times", n)
		}
	}
}

// failingNAT64 fails to look up this network's prefix.
type failingNAT64 struct{ asked int }

func (r *failingNAT64) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	r.asked++
	return nil, &net.DNSError{Err: "server misbehaving", IsTemporary: true}
}

// A look-up of the prefix that failed is not repeated for each address that is judged, and
// not given up either: it is done again half a minute later.
func TestNAT64PrefixIsLookedUpAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		resolver := &failingNAT64{}
		g, _ := recordingGuard(t, Options{Resolver: resolver})
		for _, step := range []struct {
			wait  time.Duration
			asked int // in all
		}{{0, 1}, {nat64Retry - 1, 1}, {1, 2}, {0, 2}} {
			time.Sleep(step.wait)
			if _, err := g.Check(t.Context(), "2001:4860:4860::8888", "443"); err != nil {
				t.Error(err)
			}
			if resolver.asked != step.asked {
				t.Errorf("after %s more the prefix was asked for %d times, want %d", step.wait,
					resolver.asked, step.asked)
			}
		}
	})
}

// wrap writes v4 under prefix as RFC 6052 says.
func wrap(prefix netip.Prefix, v4 string) netip.Addr {
	b := prefix.Addr().As16()
	at := prefix.Bits() / 8
	for _, octet := range netip.MustParseAddr(v4).As4() {
		if at == 8 && prefix.Bits() < 96 {
			at++
		}
		b[at] = octet
		at++
	}
	return netip.AddrFrom16(b)
}

func TestBlockedTellsNothingAndAuditAll(t *testing.T) {
	var events []AuditEvent
	g, _ := recordingGuard(t, Options{
		Resolver: resolving(map[string][]string{"wiki.example": {"10.11.12.13"}}),
		Audit:    func(e AuditEvent) { events = append(events, e) },
	})
	var texts []string
	for _, raw := range []string{"http://wiki.example/", "http://10.11.12.13/", "http://8.8.8.8:22/", "http://[::1]/",
		"http://localhost/"} {
		err := get(g, raw)
		if citewell.CodeOf(err) != citewell.CodeBlockedAddress {
			t.Fatalf("%s: %v", raw, err)
		}
		view := citewell.View(err)
		text := err.Error() + view.Message + view.Hint
		for cause := errors.Unwrap(err); cause != nil; cause = errors.Unwrap(cause) {
			text += cause.Error()
		}
		texts = append(texts, text)
	}
	if strings.Contains(texts[0], "10.11") || !slices.Equal(texts, slices.Repeat(texts[:1], len(texts))) {
		t.Errorf("refusals can be told apart: %q", texts)
	}
	if len(events) != 5 {
		t.Fatalf("%d audit events, want 5: %v", len(events), events)
	}
	if e := events[0]; e.Host != "wiki.example" || e.Addr.String() != "10.11.12.13" || e.Port != 80 || e.Allowed ||
		!strings.Contains(e.Reason, "10.0.0.0/8") || e.Time.IsZero() {
		t.Errorf("audit event %+v", e)
	}
	if e := events[2]; e.Reason != "port 22 is not allowed" {
		t.Errorf("audit event %+v", e)
	}
	if _, err := g.Check(t.Context(), "2606:4700::1%eth0", "443"); err == nil ||
		events[5].Reason != "address with a zone" {
		t.Errorf("zone: %v, audit event %+v", err, events[5])
	}
	events = events[:5]
	if err := get(g, "http://9.9.9.9/"); !errors.Is(err, errRecorded) || !events[5].Allowed || events[5].Reason != "" {
		t.Errorf("allowed: %v, %+v", err, events[5])
	}
}

func TestNewGuardRefusesBadOptions(t *testing.T) {
	for name, o := range map[string]Options{
		"zero prefix":  {AllowNetworks: []Network{{}}},
		"zero port":    {AllowPorts: []uint16{443, 0}},
		"socks proxy":  {ProxyURL: "socks5://proxy.example:1080"},
		"proxy host":   {ProxyURL: "proxy.example:3128"},
		"proxy secret": {ProxyURL: "http://user:hunter2@proxy.example:notaport"},
	} {
		_, err := NewGuard(o)
		if citewell.CodeOf(err) != citewell.CodeInvalidConfig || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzCheck asserts over any host and any answer that what is dialled is public.
func FuzzCheck(f *testing.F) {
	for _, text := range special {
		f.Add(text, netip.MustParseAddr(text).WithZone("").AsSlice())
	}
	f.Add("name.example", []byte{93, 184, 216, 34})
	f.Add("0x7f.1", []byte{1, 1, 1, 1, 127, 0, 0, 1})
	f.Fuzz(func(t *testing.T, host string, answer []byte) {
		var answers []string
		for len(answer) >= 16 {
			answers = append(answers, netip.AddrFrom16([16]byte(answer[:16])).String())
			answer = answer[16:]
		}
		for len(answer) >= 4 {
			answers = append(answers, netip.AddrFrom4([4]byte(answer[:4])).String())
			answer = answer[4:]
		}
		g, dialled := recordingGuard(t, Options{Resolver: resolving(map[string][]string{"*": answers})})
		conn, err := g.DialContext(t.Context(), "tcp", net.JoinHostPort(host, "443"))
		if err == nil || conn != nil {
			t.Fatalf("dialled %q for real", host)
		}
		for _, addr := range dialled.addrs {
			at := netip.MustParseAddrPort(addr).Addr()
			if !at.IsGlobalUnicast() || at.IsPrivate() || at.Zone() != "" || at.Is4In6() {
				t.Fatalf("%q with answers %v: dialled %s", host, answers, addr)
			}
		}
	})
}

// The operator's own are private addresses that are allowed; what allows the whole
// internet owns none of it, and behind a proxy every connection leads to the proxy.
func TestOwn(t *testing.T) {
	tests := []struct {
		allow, proxy, remote string
		want                 bool
	}{
		{"127.0.0.0/8", "", "127.0.0.1:80", true},
		{"127.0.0.0/8", "", "[::ffff:127.0.0.1]:80", true},
		{"10.1.0.0/16", "", "10.1.2.3:443", true},
		{"10.1.0.0/16", "", "10.2.2.3:443", false},
		{"10.1.0.0/16:8080", "", "10.1.2.3:8080", true},
		{"10.1.0.0/16:8080", "", "10.1.2.3:443", false},
		{"10.1.0.0/16", "", "93.184.216.34:443", false},
		{"0.0.0.0/0", "", "93.184.216.34:443", false},
		{"0.0.0.0/0", "", "192.168.1.1:443", true},
		{"127.0.0.0/8", "http://127.0.0.1:3128", "127.0.0.1:3128", false},
	}
	for _, test := range tests {
		g, err := NewGuard(Options{AllowNetworks: MustParseNetworks(test.allow), ProxyURL: test.proxy})
		if err != nil {
			t.Fatal(err)
		}
		if got := g.Own(net.TCPAddrFromAddrPort(netip.MustParseAddrPort(test.remote))); got != test.want {
			t.Errorf("%+v: %v", test, got)
		}
	}
}
