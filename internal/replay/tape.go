package replay

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/citewell/citewell"
)

// A take is an exchange that has not ended.
type take struct {
	r   *Recorder
	ctx context.Context

	mu       sync.Mutex
	exchange exchange
	body     bytes.Buffer // as it came
	over     bool
}

// errReaderStopped ends the take of a body that was closed before its end.
var errReaderStopped = errors.New("closed before its end")

// answer notes the head of the response.
func (t *take) answer(resp *http.Response) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.exchange.Response = &response{Status: resp.StatusCode, Header: resp.Header.Clone(), Length: resp.ContentLength}
}

// came notes a piece of the body.
func (t *take) came(p []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.over && t.body.Len()+len(p) <= MaxFile { // a longer one does not fit into the file anyway
		t.body.Write(p)
	}
}

// end writes the exchange, once: nil and io.EOF say that it is whole.
func (t *take) end(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over {
		return
	}
	t.over = true
	switch {
	case err == nil, err == io.EOF:
	case err == errReaderStopped && t.ctx.Err() == nil:
		t.exchange.Response.Ended = endedByReader
	default:
		t.exchange.Failed = t.failure(err)
	}
	if resp := t.exchange.Response; resp != nil {
		t.r.o.came(resp, t.body.Bytes(), t.exchange.Failed == nil && resp.Ended == "")
	}
	t.body = bytes.Buffer{}
	t.r.mu.Lock()
	defer t.r.mu.Unlock()
	delete(t.r.open, t)
	t.r.write(t.exchange)
}

// failure is what a replay gives in the place of err.
func (t *take) failure(err error) *failure {
	f := &failure{Cut: errors.Is(err, io.ErrUnexpectedEOF)}
	if t.ctx.Err() != nil || errors.Is(err, context.Canceled) || errors.Is(err, errReaderStopped) {
		f.Caller, err = true, context.Canceled
		if cause := t.ctx.Err(); cause != nil {
			err = cause
		}
	}
	known, ok := errors.AsType[*citewell.Error](t.r.o.Classify("replay", err))
	if !ok {
		known = &citewell.Error{Code: citewell.CodeHTTPFailed}
	}
	f.Code, f.Message, f.Hint = known.Code, t.r.o.Redact(known.Message), t.r.o.Redact(known.Hint)
	f.RetryAfterMS = min(max(known.RetryAfter.Milliseconds(), 0), maxRetryAfterMS)
	return f
}

// maxUnpacked bounds what is looked at of a compressed body, and maxRepacked what is
// kept as text and compressed again for a replay, in bytes. A body below the second
// cannot be taken for a bomb, however well it compresses (httpwire.Budget.RatioAfter).
const (
	maxUnpacked = 64 << 20
	maxRepacked = 1 << 20
)

// came puts a body into its response as it is written. A compressed one is kept as text
// where a replay can pack it again; elsewhere as it came, unless it holds a secret.
func (o Options) came(resp *response, body []byte, whole bool) {
	encoding := strings.ToLower(strings.TrimSpace(strings.Join(resp.Header.Values("Content-Encoding"), ",")))
	resp.Header = o.responseHeader(resp.Header)
	if encoding != "gzip" && encoding != "x-gzip" {
		resp.content = contentOf([]byte(o.Redact(string(body))))
		return
	}
	plain, err := unpack(body)
	if err == nil && whole && len(plain) <= maxRepacked && len(plain) > 0 {
		if c := contentOf([]byte(o.Redact(string(plain)))); c.Base64 == "" {
			resp.Gzip, resp.content = true, c
			return
		}
	}
	if o.Redact(string(plain)) != string(plain) || len(plain) == maxUnpacked {
		resp.Ended = endedWithheld
		return
	}
	resp.content = contentOf(body)
}

// unpack gives as much of a compressed body as can be read.
func unpack(body []byte) ([]byte, error) {
	reader, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(reader, maxUnpacked))
}

// pack compresses a body again.
func pack(body []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = w.Write(body) // a buffer takes all
	_ = w.Close()
	return out.Bytes()
}

// A tape is a body that is written down as it is read.
type tape struct {
	io.ReadCloser
	take   *take
	closed atomic.Bool
}

func (t *tape) Read(p []byte) (int, error) {
	n, err := t.ReadCloser.Read(p)
	t.take.came(p[:n])
	switch {
	case err != nil && err != io.EOF && t.closed.Load():
		t.take.end(errReaderStopped) // what the transport says of it is not why
	case err != nil:
		t.take.end(err)
	}
	return n, err
}

func (t *tape) Close() error {
	t.closed.Store(true)
	err := t.ReadCloser.Close()
	t.take.end(errReaderStopped)
	return err
}
