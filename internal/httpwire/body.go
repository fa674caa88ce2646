package httpwire

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/flate"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/citewell/citewell"
)

// A Budget bounds what one response body may cost. Fields that are not positive mean the defaults.
type Budget struct {
	MaxBytes     int64         // decoded bytes kept; 5 MiB
	MaxWireBytes int64         // bytes as they come; MaxBytes
	Ratio        int64         // decoded bytes per wire byte; 100
	RatioAfter   int64         // decoded bytes before Ratio counts; 1 MiB
	MinRate      int64         // wire bytes per second on average; 1024, none when negative
	MinRateAfter time.Duration // time before MinRate counts; 2 s
}

// DefaultMaxBytes is how much of a body is kept where the budget does not say.
const DefaultMaxBytes = 5 << 20

func (b Budget) withDefaults() Budget {
	set := func(field *int64, value int64) {
		if *field <= 0 {
			*field = value
		}
	}
	set(&b.MaxBytes, DefaultMaxBytes)
	set(&b.MaxWireBytes, b.MaxBytes)
	set(&b.Ratio, 100)
	set(&b.RatioAfter, 1<<20)
	b.MinRate = cmp.Or(b.MinRate, 1024)
	if b.MinRateAfter <= 0 {
		b.MinRateAfter = 2 * time.Second
	}
	return b
}

// ReadBody reads the body of resp within the budget, decodes one layer of gzip and closes it. It cuts a body longer
// than MaxBytes or MaxWireBytes, truncated. Errors: response_too_large for one that expands beyond Ratio,
// response_too_slow below MinRate, unsupported_encoding for an encoding but gzip, or gzip twice. ctx ends the reading.
func ReadBody(ctx context.Context, resp *http.Response, budget Budget) (body []byte, truncated bool, err error) {
	budget = budget.withDefaults()
	wire := newWire(ctx, resp, budget)
	defer wire.stop()
	gzipped, err := isGzip(resp.Header)
	if err != nil {
		return nil, false, err
	}
	var reader io.Reader = wire
	if gzipped {
		reader, err = gzip.NewReader(wire)
		if errors.Is(err, io.EOF) && wire.count.Load() == 0 {
			return nil, false, nil // an empty body needs no header
		}
		if errors.Is(err, errWireCap) {
			return nil, true, nil
		}
		if err != nil {
			return nil, false, wire.explain(ctx, err)
		}
		decoded := bufio.NewReaderSize(reader, 16) // small: larger reads pass it by
		if start, _ := decoded.Peek(3); bytes.Equal(start, []byte{0x1f, 0x8b, 0x08}) {
			return nil, false, encodingError("the body is gzip inside gzip")
		}
		reader = decoded
	}
	body, truncated, err = readAll(reader, wire, budget, gzipped, sizeHint(resp, budget, gzipped))
	if err != nil {
		return nil, false, wire.explain(ctx, err)
	}
	return body, truncated, nil
}

func isGzip(header http.Header) (bool, error) {
	encodings := strings.ToLower(strings.Join(header.Values("Content-Encoding"), ","))
	layers := 0
	for encoding := range strings.SplitSeq(encodings, ",") {
		switch encoding = strings.TrimSpace(encoding); encoding {
		case "", "identity":
		case "gzip", "x-gzip":
			layers++
		default:
			return false, encodingError("the body has a content encoding other than gzip")
		}
	}
	if layers > 1 {
		return false, encodingError("the body is gzip inside gzip")
	}
	return layers == 1, nil
}

func encodingError(message string) error {
	return &citewell.Error{Code: citewell.CodeUnsupportedEncoding, Op: "egress.body", Message: message}
}

// sizeHint is the first buffer's size: what the server announces, as far as it is harmless to believe.
func sizeHint(resp *http.Response, budget Budget, gzipped bool) int64 {
	const believed = 256 << 10
	if gzipped || resp.ContentLength < 0 {
		return 4 << 10
	}
	return min(resp.ContentLength, budget.MaxBytes, believed) + 1 // the read that finds the end
}

// readAll reads straight into the body, which grows as it fills.
func readAll(reader io.Reader, wire *wire, budget Budget, gzipped bool, hint int64) ([]byte, bool, error) {
	body := make([]byte, 0, hint)
	for {
		if len(body) == cap(body) {
			body = slices.Grow(body, max(len(body)/2, bytes.MinRead))
		}
		n, err := reader.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		size := int64(len(body))
		if gzipped && size > budget.RatioAfter && size/budget.Ratio > wire.count.Load() {
			return nil, false, &citewell.Error{
				Code: citewell.CodeResponseTooLarge, Op: "egress.body",
				Message: fmt.Sprintf("the compressed body expands more than %d times", budget.Ratio),
			}
		}
		switch {
		case size > budget.MaxBytes:
			return body[:budget.MaxBytes], true, nil
		case errors.Is(err, errWireCap):
			return body, true, nil
		case err == io.EOF:
			return body, false, nil
		case err != nil:
			return nil, false, err
		}
	}
}

var (
	errWireCap = errors.New("wire budget used up")
	errTooSlow = errors.New("below the lowest rate")
)

// wire counts the bytes of a body and closes it, which unblocks its Read, when the budget, the context or the rate says
// so.
type wire struct {
	body      io.ReadCloser
	budget    Budget
	left      int64
	count     atomic.Int64
	start     time.Time
	closeOnce sync.Once
	leaveCtx  func() bool // stops waiting for the context; nil where nothing waits

	mu    sync.Mutex
	timer *time.Timer // looks at the rate; nil where there is none or it ended
	slow  bool        // it ended the body
}

func newWire(ctx context.Context, resp *http.Response, budget Budget) *wire {
	w := &wire{body: resp.Body, budget: budget, left: budget.MaxWireBytes, start: time.Now()}
	// The transport itself ends a body whose request's context ends.
	if ctx.Done() != nil && (resp.Request == nil || resp.Request.Context() != ctx) {
		w.leaveCtx = context.AfterFunc(ctx, w.close)
	}
	if budget.MinRate > 0 {
		w.mu.Lock()
		w.timer = time.AfterFunc(budget.MinRateAfter, w.checkRate)
		w.mu.Unlock()
	}
	return w
}

func (w *wire) Read(p []byte) (int, error) {
	if w.left <= 0 {
		// At the cap: only a body that goes on is cut.
		var one [1]byte
		n, err := w.body.Read(one[:])
		if n > 0 {
			return 0, errWireCap
		}
		return 0, err
	}
	n, err := w.body.Read(p[:min(int64(len(p)), w.left)])
	w.left -= int64(n)
	w.count.Add(int64(n))
	return n, err
}

// checkRate closes the body when the average rate is below the floor, and sets the time of its next look.
func (w *wire) checkRate() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timer == nil {
		return
	}
	enoughUntil := time.Duration(float64(w.count.Load()) / float64(w.budget.MinRate) * float64(time.Second))
	elapsed := time.Since(w.start)
	if enoughUntil < elapsed {
		w.slow = true
		w.timer = nil
		w.close()
		return
	}
	w.timer.Reset(max(enoughUntil-elapsed, 50*time.Millisecond))
}

func (w *wire) close() { w.closeOnce.Do(func() { _ = w.body.Close() }) } // what was read counts, not how it ended

// stop ends all waiting and closes the body.
func (w *wire) stop() {
	if w.leaveCtx != nil {
		w.leaveCtx()
	}
	w.mu.Lock()
	if w.timer != nil {
		w.timer.Stop()
		w.timer = nil
	}
	w.mu.Unlock()
	w.close()
}

func (w *wire) tooSlow() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.slow
}

// explain gives the reason for a failed read: closing the body makes every reason look alike.
func (w *wire) explain(ctx context.Context, err error) error {
	const op = "egress.body"
	switch {
	case ctx.Err() != nil: // the caller's end comes first
		return Classify(op, context.Cause(ctx))
	case w.tooSlow():
		return &citewell.Error{Code: citewell.CodeResponseTooSlow, Op: op, Err: errTooSlow}
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum), errors.As(err, new(flate.CorruptInputError)):
		return &citewell.Error{Code: citewell.CodeHTTPFailed, Op: op,
			Message: "the compressed body is damaged", Err: err}
	}
	return Classify(op, err)
}
