package server

import (
	"bufio"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
)

// callers is a listener whose connections come from wherever a test says.
type callers struct{ next chan net.Conn }

func (c callers) Accept() (net.Conn, error) {
	conn, ok := <-c.next
	if !ok {
		return nil, net.ErrClosed
	}
	return conn, nil
}
func (callers) Close() error   { return nil }
func (callers) Addr() net.Addr { return &net.TCPAddr{} }

type from struct {
	net.Conn
	addr net.Addr
}

func (f from) RemoteAddr() net.Addr { return f.addr }

// An address has as many connections as it leaves free for others; what is cut and what is
// closed holds no place.
func TestConnectionsAreShared(t *testing.T) {
	l := callers{make(chan net.Conn)}
	said := &strings.Builder{}
	s := &http.Server{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})}
	done := make(chan error)
	go func() { done <- s.Serve(newShared(l, 8, slog.New(slog.NewTextHandler(said, nil)))) }()
	connect := func(ip string) (c net.Conn, served bool) {
		ours, theirs := net.Pipe()
		l.next <- from{theirs, &net.TCPAddr{IP: net.ParseIP(ip), Port: 1}}
		if _, err := ours.Write([]byte("GET / HTTP/1.1\r\nHost: x\r\n\r\n")); err != nil {
			return nil, false
		}
		r, err := http.ReadResponse(bufio.NewReader(ours), nil)
		return ours, err == nil && r.StatusCode == 200
	}
	var first net.Conn
	for _, test := range []struct {
		ip   string
		want int
	}{{"192.0.2.1", 4}, {"2001:db8::1", 2}, {"2001:db8::ffff:1", 0}, {"2001:db8:0:1::1", 1}, {"127.0.0.1", 1},
		{"127.0.0.1", 0}, {"192.0.2.2", 0}} {
		got := 0
		for range 10 {
			c, served := connect(test.ip)
			if !served {
				break
			}
			if got++; first == nil {
				first = c
			}
		}
		if got != test.want {
			t.Errorf("%s has %d connections, want %d", test.ip, got, test.want)
		}
	}
	if n := strings.Count(said.String(), "too many connections"); n != 1 {
		t.Errorf("the log tells of it %d times:\n%s", n, said)
	}
	first.Close()
	for { // the server hears of the end a moment later
		if _, served := connect("192.0.2.2"); served {
			break
		}
	}
	close(l.next)
	if err := <-done; err != net.ErrClosed {
		t.Error(err)
	}
	s.Close()
}
