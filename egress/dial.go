package egress

import (
	"cmp"
	"context"
	"net"
	"net/netip"
	"syscall"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/httpwire"
)

// fallbackDelay is how long one address may take before the next is tried beside it (RFC 8305, section 5).
const fallbackDelay = 250 * time.Millisecond

// maxAttempts bounds the addresses that are tried for one name.
const maxAttempts = 8

type controlFunc func(ctx context.Context, network, address string, conn syscall.RawConn) error

// DialContext connects to addr, "host:port", if every address of host may be reached. It dials the judged addresses.
func (g *Guard) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	host, port, err := splitHostPort(network, addr)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, g.dialTimeout)
	defer cancel()
	addrs, err := g.Check(ctx, host, port)
	if err != nil {
		return nil, err
	}
	if g.proxy != nil {
		return g.proxy.connectAny(ctx, addrs, port)
	}
	return g.dialAny(ctx, addrs, port, g.control(host))
}

// control judges the address that a socket is about to connect to.
func (g *Guard) control(host string) controlFunc {
	return func(ctx context.Context, _, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		if err != nil {
			return errBlocked()
		}
		return g.judge(ctx, host, at.Addr(), at.Port(), true)
	}
}

func splitHostPort(network, addr string) (host, port string, err error) {
	if network != "tcp" && network != "tcp4" && network != "tcp6" {
		return "", "", &citewell.Error{Code: citewell.CodeInternal, Op: "egress.dial",
			Message: "only tcp connections are made"}
	}
	host, port, err = net.SplitHostPort(addr)
	if err != nil {
		return "", "", &citewell.Error{Code: citewell.CodeInvalidURL, Op: "egress.dial",
			Message: "the address is not host:port"}
	}
	return host, port, nil
}

// dialAny connects to the first address that answers, giving each a start of fallbackDelay before the next.
func (g *Guard) dialAny(ctx context.Context, addrs []netip.Addr, port string, control controlFunc) (net.Conn, error) {
	addrs = addrs[:min(len(addrs), maxAttempts)]
	if len(addrs) == 1 {
		return g.dialOne(ctx, addrs[0], port, control)
	}
	ctx, cancel := context.WithCancel(ctx)
	type attempt struct {
		conn net.Conn
		err  error
	}
	attempts := make(chan attempt)
	started, ended := 0, 0
	start := func() {
		addr := addrs[started]
		started++
		go func() {
			conn, err := g.dialOne(ctx, addr, port, control)
			attempts <- attempt{conn, err}
		}()
	}
	defer func() { // every goroutine ends before the caller goes on
		cancel()
		for ; ended < started; ended++ {
			if late := <-attempts; late.conn != nil {
				_ = late.conn.Close() // lost the race; nobody has seen it
			}
		}
	}()

	var firstErr error
	timer := time.NewTimer(fallbackDelay)
	defer timer.Stop()
	start()
	for ended < len(addrs) {
		select {
		case <-timer.C:
		case done := <-attempts:
			ended++
			if done.err == nil {
				return done.conn, nil
			}
			firstErr = cmp.Or(firstErr, done.err)
			if ended < started {
				continue // another is under way and has its own delay
			}
		}
		if started < len(addrs) {
			start()
			timer.Reset(fallbackDelay)
		}
	}
	return nil, firstErr
}

func (g *Guard) dialOne(ctx context.Context, addr netip.Addr, port string, control controlFunc) (net.Conn, error) {
	network := "tcp4"
	if addr.Is6() {
		network = "tcp6"
	}
	conn, err := g.dial(ctx, network, net.JoinHostPort(addr.String(), port), control)
	if err != nil {
		return nil, httpwire.Classify("egress.dial", err)
	}
	return conn, nil
}

func dialSocket(ctx context.Context, network, addr string, control controlFunc) (net.Conn, error) {
	dialer := net.Dialer{ControlContext: control}
	return dialer.DialContext(ctx, network, addr)
}

// interleave orders addresses as RFC 8305 does: families alternate, beginning with the resolver's first.
func interleave(addrs []netip.Addr) []netip.Addr {
	var first, second []netip.Addr
	for _, addr := range addrs {
		if addr.Is4() == addrs[0].Is4() {
			first = append(first, addr)
		} else {
			second = append(second, addr)
		}
	}
	ordered := make([]netip.Addr, 0, len(addrs))
	for i := range max(len(first), len(second)) {
		if i < len(first) {
			ordered = append(ordered, first[i])
		}
		if i < len(second) {
			ordered = append(ordered, second[i])
		}
	}
	return ordered
}
