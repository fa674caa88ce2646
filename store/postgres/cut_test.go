package postgres

import (
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// A cutter stands between the store and its server and loses the connection around commits.
type cutter struct {
	url string

	mu sync.Mutex
	at cut // what the next commit meets
}

// A cut is where a connection is lost.
type cut int

const (
	nowhere cut = iota
	before      // the server is not told of the commit
	after       // it is, and what it answers is lost
)

// startCutter listens on a socket for the server that a URL names.
func startCutter(t *testing.T, server string) *cutter {
	t.Helper()
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	const socket = ".s.PGSQL.5432"
	dir, err := os.MkdirTemp("", "cut") // a socket's path is short
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("unix", filepath.Join(dir, socket))
	if err != nil {
		t.Fatal(err)
	}
	c := &cutter{}
	query := u.Query()
	target := filepath.Join(query.Get("host"), socket)
	query.Set("host", dir)
	u.RawQuery = query.Encode()
	c.url = u.String()
	var all sync.WaitGroup
	all.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			all.Go(func() { c.serve(client, target) })
		}
	})
	t.Cleanup(func() { // after the store is closed
		listener.Close()
		all.Wait()
		os.RemoveAll(dir)
	})
	return c
}

// set says what the next commit meets; one alone.
func (c *cutter) set(at cut) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = at
}

// take says whether a cut was to be made here, which it then is.
func (c *cutter) take(at cut) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.at != at {
		return false
	}
	c.at = nowhere
	return true
}

func (c *cutter) serve(client net.Conn, target string) {
	defer client.Close()
	server, err := net.Dial("unix", target)
	if err != nil {
		return
	}
	defer server.Close()
	// The first message has no type; a cancel request is one too.
	if err := pass(server, client, 0, nil); err != nil {
		return
	}
	var both sync.WaitGroup
	both.Go(func() {
		defer client.Close()
		defer server.Close()
		for pass(server, client, 1, func(kind byte, body []byte) bool {
			return kind == 'Q' && bytes.EqualFold(body, []byte("commit\x00")) && c.take(before)
		}) == nil {
		}
	})
	for pass(client, server, 1, func(kind byte, body []byte) bool {
		return kind == 'C' && string(body) == "COMMIT\x00" && c.take(after)
	}) == nil {
	}
	client.Close()
	server.Close()
	both.Wait()
}

// pass gives one message on, unless it is to be lost. Source: PostgreSQL's manual, 55.7.
func pass(to io.Writer, from io.Reader, typed int, lost func(kind byte, body []byte) bool) error {
	head := make([]byte, typed+4)
	if _, err := io.ReadFull(from, head); err != nil {
		return err
	}
	body := make([]byte, binary.BigEndian.Uint32(head[typed:])-4)
	if _, err := io.ReadFull(from, body); err != nil {
		return err
	}
	if lost != nil && lost(head[0], body) {
		return io.ErrClosedPipe
	}
	_, err := to.Write(append(head, body...))
	return err
}
