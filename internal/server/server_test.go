package server

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// pipes is a listener whose connections are in memory, so that time can be faked.
type pipes struct{ accepted chan net.Conn }

func (p *pipes) Accept() (net.Conn, error) {
	c, ok := <-p.accepted
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}
func (p *pipes) Close() error   { close(p.accepted); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

// start runs h until the test ends it, and returns how to connect.
func start(t *testing.T, h http.HandlerFunc) (dial func() net.Conn, end func() error) {
	l := &pipes{make(chan net.Conn)}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- Run(ctx, l, h, slog.New(slog.DiscardHandler)) }()
	return func() net.Conn {
			near, far := net.Pipe()
			l.accepted <- far
			return near
		}, func() error {
			cancel()
			return <-done
		}
}

// A client that never ends its body holds a handler for Patience and no longer.
func TestSlowBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		read := make(chan error, 1)
		dial, end := start(t, func(_ http.ResponseWriter, r *http.Request) {
			_, err := io.ReadAll(r.Body)
			read <- err
		})
		c := dial()
		defer c.Close()
		go io.Copy(io.Discard, c)
		began := time.Now()
		io.WriteString(c, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{")
		var dripping sync.WaitGroup
		dripping.Go(func() {
			for { // one byte a second, for ever
				time.Sleep(time.Second)
				if _, err := io.WriteString(c, " "); err != nil {
					return
				}
			}
		})
		var timeout net.Error
		if err := <-read; !errors.As(err, &timeout) || !timeout.Timeout() || time.Since(began) != Patience {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
		c.Close()
		dripping.Wait()
		if err := end(); err != nil {
			t.Error(err)
		}
	})
}

// A client that does not take its answer holds a handler for Patience and no longer;
// one that does may listen as long as it likes.
func TestSlowReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wrote := make(chan error, 1)
		dial, end := start(t, func(w http.ResponseWriter, _ *http.Request) {
			c := http.NewResponseController(w)
			for {
				if _, err := io.WriteString(w, "news\n"); err != nil {
					wrote <- err
					return
				}
				if err := c.Flush(); err != nil {
					wrote <- err
					return
				}
				time.Sleep(10 * time.Second)
			}
		})
		c := dial()
		io.WriteString(c, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n")
		lines := bufio.NewReader(c)
		for heard := 0; heard < 20; { // more than three minutes
			line, err := lines.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasPrefix(line, "news") {
				heard++
			}
		}
		began := time.Now()
		if err := <-wrote; err == nil || time.Since(began) > 2*Patience {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
		c.Close()
		if err := end(); err != nil {
			t.Error(err)
		}
	})
}

// A slow call has all the time it needs, its client is watched, and the connection
// serves the next request after it.
func TestLongCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dial, end := start(t, func(w http.ResponseWriter, r *http.Request) {
			if _, err := io.ReadAll(r.Body); err != nil {
				t.Error(err)
			}
			select {
			case <-time.After(10 * time.Minute):
			case <-r.Context().Done():
				t.Error("the call was canceled")
			}
			w.WriteHeader(http.StatusAccepted)
		})
		c := dial()
		lines := bufio.NewReader(c)
		for range 2 {
			io.WriteString(c, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}")
			r, err := http.ReadResponse(lines, nil)
			if err != nil || r.StatusCode != http.StatusAccepted {
				t.Fatalf("%+v, %v", r, err)
			}
			r.Body.Close()
			time.Sleep(time.Minute)
		}
		c.Close()
		if err := end(); err != nil {
			t.Error(err)
		}
	})
}

// Who waits for news does not hold up the end of the server; a call may finish.
func TestEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dial, end := start(t, func(w http.ResponseWriter, r *http.Request) {
			http.NewResponseController(w).Flush()
			if r.Method == http.MethodGet {
				<-r.Context().Done()
				return
			}
			time.Sleep(5 * time.Second)
			io.WriteString(w, "done")
		})
		stream, call := dial(), dial()
		io.WriteString(stream, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		go io.Copy(io.Discard, stream)
		io.WriteString(call, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
		answer := make(chan string, 1)
		go func() {
			all, _ := io.ReadAll(call)
			answer <- string(all)
		}()
		synctest.Wait()
		began := time.Now()
		if err := end(); err != nil {
			t.Error(err)
		}
		if took := time.Since(began); took < 5*time.Second || took > 6*time.Second {
			t.Errorf("it took %v to end", took)
		}
		if got := <-answer; !strings.Contains(got, "done") {
			t.Errorf("the call got %q", got)
		}
		stream.Close()
		call.Close()
	})
}
