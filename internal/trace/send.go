package trace

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/citewell/citewell"
)

// The bounds of sending; the figures are those of OpenTelemetry's SDKs where these have any.
const (
	defaultQueue = 2048             // spans that wait
	batch        = 512              // of one request
	every        = 5 * time.Second  // what waits is sent, if there is no batch before
	timeout      = 10 * time.Second // of one request
	tries        = 5                // of one batch, every long; what comes meanwhile waits
	mostWait     = time.Minute      // that a collector may ask for
)

// Options are what a Tracer is made of.
type Options struct {
	Endpoint *url.URL     // that spans are posted to
	Header   http.Header  // sent along
	Client   *http.Client // judges addresses
	Resource []Attr       // what the process is: service.name and its like
	Version  string       // of the program
	Sampler  Sampler
	// Whole names a span of the whole process, which is told at its end where there were
	// spans below it; empty for a process without an end, whose spans begin traces.
	Whole string
	Queue int // spans that wait at most; 2048 when 0
	Log   *slog.Logger
}

// A Tracer records spans and sends them.
type Tracer struct {
	o             Options
	queue         chan span
	begin, end    sync.Once
	closing       chan struct{}
	ended         chan struct{}
	halt          context.CancelFunc
	ctx           context.Context // of every request; ends with halt
	sent, dropped atomic.Int64
	whole         *Span       // of the process; nil without Options.Whole
	used          atomic.Bool // something was begun below it
}

// New returns a Tracer. The caller closes it.
func New(o Options) *Tracer {
	o.Queue = cmp.Or(o.Queue, defaultQueue)
	t := &Tracer{o: o, queue: make(chan span, o.Queue), closing: make(chan struct{}), ended: make(chan struct{})}
	t.ctx, t.halt = context.WithCancel(context.Background())
	if o.Whole != "" {
		_, t.whole = t.Start(context.Background(), o.Whole, Internal)
	}
	return t
}

// Counts are how many spans were taken by the collector, and how many were given up.
func (t *Tracer) Counts() (sent, dropped int64) {
	if t == nil {
		return 0, 0
	}
	return t.sent.Load(), t.dropped.Load()
}

// enqueue gives a span to be sent, at once: where the queue is full, or the Tracer is closed, the span is dropped.
func (t *Tracer) enqueue(s span) {
	t.begin.Do(func() { go t.serve() })
	select {
	case <-t.closing:
		t.dropped.Add(1)
		return
	default:
	}
	select {
	case t.queue <- s:
	default:
		t.dropped.Add(1)
	}
}

// Close sends what waits, for as long as ctx lasts, and drops the rest.
func (t *Tracer) Close(ctx context.Context) {
	if t == nil {
		return
	}
	defer t.halt()
	defer context.AfterFunc(ctx, t.halt)()
	t.end.Do(func() {
		if t.used.Load() {
			t.whole.End("")
		}
		close(t.closing)
	})
	t.begin.Do(func() { close(t.ended) }) // nothing was recorded
	<-t.ended
}

// serve sends batches until the Tracer is closed.
func (t *Tracer) serve() {
	defer close(t.ended)
	var waiting []span
	tick := time.NewTicker(every)
	defer tick.Stop()
	silent := false // the log has heard that nothing arrives
	for {
		closing := false
		select {
		case s := <-t.queue:
			if waiting = append(waiting, s); len(waiting) < batch {
				continue
			}
		case <-tick.C:
		case <-t.closing:
			closing = true
		}
		for closing && len(t.queue) > 0 {
			waiting = append(waiting, <-t.queue)
		}
		for len(waiting) > 0 {
			n := min(len(waiting), batch)
			if !t.send(waiting[:n], &silent) {
				n = len(waiting)
				t.dropped.Add(int64(n))
			}
			waiting = waiting[n:]
		}
		if closing {
			return
		}
	}
}

// send brings a batch to the collector, in several tries where that may help, and says
// whether it is there. While it waits the queue takes what comes.
func (t *Tracer) send(spans []span, silent *bool) bool {
	body := t.encode(spans)
	for try := 1; ; try++ {
		wait, err := t.post(t.ctx, body)
		if err == nil {
			t.sent.Add(int64(len(spans)))
			*silent = false
			return true
		}
		if !*silent {
			t.o.Log.Warn("traces do not reach the collector", "error", err)
			*silent = true
		}
		if wait == 0 || try == tries {
			return false
		}
		select {
		case <-time.After(wait):
		case <-t.closing: // no time is left to wait
			return false
		case <-t.ctx.Done():
			return false
		}
	}
}

// post sends one request. The wait says when another try may help; 0 is never.
func (t *Tracer) post(ctx context.Context, body []byte) (wait time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, t.o.Endpoint.String(), bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	for name, values := range t.o.Header {
		r.Header[name] = values
	}
	r.Header.Set("Content-Type", "application/x-protobuf")
	r.Header.Set("User-Agent", "Citewell/"+t.o.Version)
	resp, err := t.o.Client.Do(r)
	if err != nil {
		if sent, ok := errors.AsType[*url.Error](err); ok {
			err = sent.Err // without the address, which may hold a key
		}
		return every, err
	}
	defer resp.Body.Close()
	_, _ = io.CopyN(io.Discard, resp.Body, 64<<10) // for the connection; what it says helps nobody
	switch resp.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		wait = every
		if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && seconds > 0 {
			wait = min(time.Duration(seconds)*time.Second, mostWait)
		}
	case http.StatusOK, http.StatusAccepted, http.StatusNoContent:
		return 0, nil
	}
	return wait, &citewell.Error{Code: citewell.CodeHTTPStatus, Op: "trace",
		Message: fmt.Sprintf("the collector of traces answered %d %s", resp.StatusCode,
			http.StatusText(resp.StatusCode))}
}

// Try sends a request without spans and says what came of it.
func (t *Tracer) Try(ctx context.Context) error {
	_, err := t.post(ctx, t.encode(nil))
	return err
}
