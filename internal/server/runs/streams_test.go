package runs_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/server"
	"github.com/citewell/citewell/internal/server/runs"
	"github.com/citewell/citewell/store/sqlite"
)

// pipes is a listener whose connections are in memory.
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

// serve serves an API until end, and connects to it.
func serve(t *testing.T, o runs.Options) (dial func() net.Conn, end func()) {
	l := &pipes{make(chan net.Conn)}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- server.Run(ctx, l, runs.New(o), slog.New(slog.DiscardHandler)) }()
	return func() net.Conn {
			near, far := net.Pipe()
			l.accepted <- far
			return near
		}, func() {
			cancel()
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
}

const runName = "desk_00000000-0000-4000-8000-000000000000"

// ask sends a request for a stream.
func ask(c net.Conn) error {
	_, err := io.WriteString(c, "GET /v1/runs/"+runName+"/events HTTP/1.1\r\nHost: x\r\n\r\n")
	return err
}

// endless is a desk with one run, whose log grows as fast as it is read, or not at all.
type endless struct {
	job.Service
	silent bool
	read   atomic.Int64
	ended  chan error // of a Follow
}

func (d *endless) Events(context.Context, string, int64, int) ([]runstore.RunEvent, error) {
	return []runstore.RunEvent{}, nil
}

func (d *endless) Follow(ctx context.Context, id string, after int64) iter.Seq2[runstore.RunEvent, error] {
	return func(yield func(runstore.RunEvent, error) bool) {
		for !d.silent && ctx.Err() == nil {
			after++
			d.read.Add(1)
			if !yield(runstore.RunEvent{V: 1, Run: id, Seq: after, Type: "call",
				Data: json.RawMessage(`"` + strings.Repeat("x", 1000) + `"`)}, nil) {
				break
			}
		}
		<-ctx.Done()
		d.ended <- ctx.Err()
	}
}

// Who does not read holds a stream for server.Patience and little memory, and whoever
// writes the run hears nothing of it.
func TestAClientThatDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &endless{ended: make(chan error, 1)}
		dial, end := serve(t, runs.Options{Desk: d})
		c := dial()
		defer c.Close()
		began := time.Now()
		if err := ask(c); err != nil {
			t.Fatal(err)
		}
		if _, err := http.ReadResponse(bufio.NewReader(c), nil); err != nil {
			t.Fatal(err)
		}
		if err := <-d.ended; !errors.Is(err, context.Canceled) || time.Since(began) != server.Patience {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
		if n := d.read.Load(); n > 30 {
			t.Errorf("%d entries were read for it", n)
		}
		end()
	})
}

// A stream without news is kept open, says after a second that its run was not taken up
// yet, and ends with the server.
func TestKeepAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &endless{silent: true, ended: make(chan error, 1)}
		dial, end := serve(t, runs.Options{Desk: d})
		c := dial()
		defer c.Close()
		if err := ask(c); err != nil {
			t.Fatal(err)
		}
		resp, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(resp.Body)
		for began, beats := time.Now(), 0; beats < 20 && lines.Scan(); {
			if lines.Text() == ": queued: the run waits to be taken up" {
				if want := max(time.Second, time.Duration(beats)*15*time.Second); time.Since(began) != want {
					t.Errorf("beat %d comes after %v", beats, time.Since(began))
				}
				beats++
			} else if strings.HasPrefix(lines.Text(), ":") {
				t.Fatal(lines.Text())
			}
		}
		ended := make(chan struct{})
		go func() { defer close(ended); end() }()
		if lines.Scan() && strings.Contains(lines.Text(), "stream.") {
			t.Errorf("at the end of the server comes %q", lines.Text())
		}
		<-ended
	})
}

// There is room for so many streams, and an answer for the next.
func TestNoRoom(t *testing.T) {
	d := &endless{silent: true, ended: make(chan error, 3)}
	dial, end := serve(t, runs.Options{Desk: d, Streams: 2})
	defer end()
	for i := range 3 {
		c := dial()
		defer c.Close()
		if err := ask(c); err != nil {
			t.Fatal(err)
		}
		resp, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Fatal(err)
		}
		if i < 2 && resp.StatusCode != http.StatusOK || i == 2 &&
			(resp.StatusCode != http.StatusTooManyRequests || resp.Header.Get("Retry-After") != "5") {
			t.Errorf("stream %d: %d, %v", i+1, resp.StatusCode, resp.Header)
		}
	}
}

// A thousand clients follow one run over one store: each has all of it, once.
func TestThousandFollowers(t *testing.T) {
	const followers, events = 1000, 60
	db, err := sqlite.Open(t.Context(), t.TempDir(), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s := db.Tenant("t")
	desk := job.NewDesk(s, []job.Definition{{Name: "desk"}}, nil)
	run, err := desk.Start(t.Context(), job.Start{ID: runName, Task: "followed by many"})
	if err != nil {
		t.Fatal(err)
	}
	// on a busy machine they take minutes to come
	lease, err := s.AcquireRun(t.Context(), run.ID, "test", runstore.MaxLeaseTTL)
	if err != nil {
		t.Fatal(err)
	}
	dial, end := serve(t, runs.Options{Desk: desk})
	defer end()
	var before, during runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var joined, all sync.WaitGroup
	joined.Add(followers)
	failures := make(chan error, followers)
	for range followers {
		all.Go(func() {
			once := sync.OnceFunc(joined.Done)
			defer once()
			failures <- follow(dial(), events+4, once) // created, acquired, two states
		})
	}
	joined.Wait()
	runtime.GC()
	runtime.ReadMemStats(&during)
	t.Logf("%d followers hold %d KiB each", followers, (during.HeapInuse+
		during.StackInuse-before.HeapInuse-before.StackInuse)/followers/1024)
	if err := s.ChangeState(t.Context(), lease, runstore.RunChange{State: runstore.RunResearching}, nil); err != nil {
		t.Fatal(err)
	}
	for i := range events {
		if _, err := s.AppendEvents(t.Context(), lease, []runstore.RunEvent{
			{Type: "call", Data: json.RawMessage(fmt.Sprintf(`{"iteration":%d}`, i))}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.ChangeState(t.Context(), lease, runstore.RunChange{
		State: runstore.RunFailed, Outcome: runstore.RunNoSources}, nil); err != nil {
		t.Fatal(err)
	}
	all.Wait()
	close(failures)
	for err := range failures {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// follow reads a stream to its end, and says when it has begun.
func follow(c net.Conn, events int, begun func()) error {
	defer c.Close()
	if err := ask(c); err != nil {
		return err
	}
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(resp.Body)
	seen := 0
	for lines.Scan() {
		switch line := lines.Text(); {
		case line == "id: 2":
			seen++
			begun()
		case strings.HasPrefix(line, "id: "):
			if seen++; line != fmt.Sprintf("id: %d", seen) {
				return fmt.Errorf("after %d events comes %s", seen-1, line)
			}
		case line == "event: stream.end":
			lines.Scan()
			if seen != events || lines.Text() != `data: {"run":"`+runName+`","state":"failed","outcome":"no_sources"}` {
				return fmt.Errorf("%d events, and at the end %s", seen, lines.Text())
			}
			return nil
		}
	}
	return fmt.Errorf("it ends after %d events: %v", seen, lines.Err())
}
