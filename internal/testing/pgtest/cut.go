package pgtest

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

// A Cutter stands between a program and its server and loses the connection around commits.
type Cutter struct {
	URL string // of the same database, through it

	mu sync.Mutex
	at Cut // what the next commit meets
}

// A Cut is where a connection is lost.
type Cut int

const (
	nowhere Cut = iota
	Before      // the server is not told of the commit
	After       // it is, and what it answers is lost
)

// StartCutter listens on a socket for the server that a URL names, whose host is a folder of sockets.
func StartCutter(t *testing.T, server string) *Cutter {
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
	c := &Cutter{}
	query := u.Query()
	target := filepath.Join(query.Get("host"), socket)
	query.Set("host", dir)
	u.RawQuery = query.Encode()
	c.URL = u.String()
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

// Set says what the next commit meets; one alone.
func (c *Cutter) Set(at Cut) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = at
}

// Take says whether a cut was to be made here, which it then is.
func (c *Cutter) Take(at Cut) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.at != at {
		return false
	}
	c.at = nowhere
	return true
}

func (c *Cutter) serve(client net.Conn, target string) {
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
			return kind == 'Q' && bytes.EqualFold(body, []byte("commit\x00")) && c.Take(Before)
		}) == nil {
		}
	})
	for pass(client, server, 1, func(kind byte, body []byte) bool {
		return kind == 'C' && string(body) == "COMMIT\x00" && c.Take(After)
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
