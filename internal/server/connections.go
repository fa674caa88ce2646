package server

import (
	"context"
	"log/slog"
	"net"
	"time"

	"github.com/citewell/citewell/internal/turns"
	"golang.org/x/time/rate"
)

// maxConnections bounds those that are open at once. Of one address, in IPv6 of one network of 64 bits, there are as
// many at most as are left free for others; this machine may have all, since a proxy on it speaks for everybody.
const maxConnections = 8192

// shared cuts a connection that its address may not have, before a byte of it is read.
type shared struct {
	net.Listener
	places *turns.Shares
	log    *slog.Logger
	seldom rate.Sometimes
}

func newShared(l net.Listener, most int, log *slog.Logger) *shared {
	return &shared{Listener: l, places: turns.NewShares(most), log: log, seldom: rate.Sometimes{Interval: time.Minute}}
}

func (s *shared) Accept() (net.Conn, error) {
	for {
		c, err := s.Listener.Accept()
		if err != nil {
			return nil, err
		}
		from := addressOf(c)
		if release, ok := s.places.Take(turns.As(context.Background(), "", from)); ok {
			return &placed{c, release}, nil
		}
		_ = c.Close() // nobody hears of it
		s.seldom.Do(func() { s.log.Warn("an address has too many connections open; more are cut", "address", from) })
	}
}

// addressOf is whose a connection is; empty for this machine.
func addressOf(c net.Conn) string {
	tcp, ok := c.RemoteAddr().(*net.TCPAddr)
	if !ok || tcp.IP.IsLoopback() {
		return ""
	}
	addr := tcp.AddrPort().Addr().Unmap()
	if addr.Is4() {
		return addr.String()
	}
	network, err := addr.WithZone("").Prefix(64)
	if err != nil {
		return addr.String()
	}
	return network.String()
}

// A placed connection gives its place back when it is closed.
type placed struct {
	net.Conn
	release func()
}

func (p *placed) Close() error {
	p.release()
	return p.Conn.Close()
}

// CloseWrite lets net/http end an answer whose request it does not read to the end.
func (p *placed) CloseWrite() error {
	if half, ok := p.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}
