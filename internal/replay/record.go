package replay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/citewell/citewell"
)

// A Recorder writes every exchange of the transports that it wraps to one file, each line when its exchange has ended.
type Recorder struct {
	o Options

	mu   sync.Mutex
	file io.WriteCloser // nil once closed
	size int64
	most int64
	n    int
	open map[*take]bool
	err  error // why nothing more is written
}

// Create makes the file, which must not be there yet: a recording is of one run, and
// nothing is written over. Only its owner can read it.
func Create(name string, o Options) (*Recorder, error) {
	if o.Redact == nil || o.IsSecret == nil || o.Classify == nil {
		return nil, &citewell.Error{Code: citewell.CodeInternal, Op: "replay",
			Message: "a recorder was not told what is secret"}
	}
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
	if errors.Is(err, os.ErrExist) {
		return nil, fileError("the file "+name+" of the recording is there already",
			"a recording is of one run: name a new file, or remove this one", err)
	}
	if err != nil {
		return nil, fileError("the file "+name+" of the recording cannot be made",
			"name a file in a folder that is there", err)
	}
	r := &Recorder{o: o, file: file, most: MaxFile, open: map[*take]bool{}}
	r.write(head{Recording: version, Made: o.Version, StartedAt: time.Now().UTC()})
	if r.err != nil {
		return nil, errors.Join(r.err, file.Close())
	}
	return r, nil
}

func fileError(message, hint string, cause error) error {
	return &citewell.Error{Code: citewell.CodeInvalidConfig, Op: "replay", Message: message, Hint: hint, Err: cause}
}

// write appends one line; the caller holds mu, or nobody else knows r.
func (r *Recorder) write(v any) {
	if r.err != nil || r.file == nil {
		return
	}
	line, err := encode(v)
	if err != nil {
		r.err = &citewell.Error{Code: citewell.CodeInternal, Op: "replay",
			Message: "an exchange cannot be written as JSON", Err: err}
		return
	}
	if r.size+int64(len(line)) > r.most {
		r.err = &citewell.Error{Code: citewell.CodeStoreFailed, Op: "replay",
			Message: fmt.Sprintf("the recording ended before the run did: the next exchange would take it above %d MiB",
				MaxFile>>20)}
		return
	}
	r.size += int64(len(line))
	if _, err := r.file.Write(line); err != nil {
		r.err = &citewell.Error{Code: citewell.CodeStoreFailed, Op: "replay",
			Message: "the recording cannot be written", Hint: "is the disk full?", Err: err}
	}
}

// Close writes what is still under way as ended by the caller, and closes the file. It
// returns why the recording is not whole, if it is not.
func (r *Recorder) Close() error {
	r.mu.Lock()
	takes := slices.Collect(maps.Keys(r.open))
	r.mu.Unlock()
	for _, t := range takes {
		t.end(context.Canceled)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.file == nil {
		return r.err
	}
	if err := r.file.Close(); err != nil && r.err == nil {
		r.err = &citewell.Error{Code: citewell.CodeStoreFailed, Op: "replay",
			Message: "the recording cannot be written", Err: err}
	}
	r.file = nil
	return r.err
}

// Wrap returns a transport that asks next and writes down what passed.
func (r *Recorder) Wrap(next http.RoundTripper) http.RoundTripper { return &recording{r, next} }

type recording struct {
	*Recorder
	next http.RoundTripper
}

// CloseIdleConnections lets http.Client reach the transport below.
func (r *recording) CloseIdleConnections() {
	if t, ok := r.next.(interface{ CloseIdleConnections() }); ok {
		t.CloseIdleConnections()
	}
}

func (r *recording) RoundTrip(req *http.Request) (*http.Response, error) {
	body, req, err := bodyOf(req)
	if err != nil {
		return nil, err
	}
	sent := r.o.sent(req.Header, body)
	t := &take{r: r.Recorder, ctx: req.Context(), exchange: exchange{At: time.Now().UTC(), Request: request{
		Method: req.Method, URL: r.o.url(req.URL), Header: r.o.requestHeader(req.Header), content: sent}}}
	if len(body) > 0 {
		t.exchange.Request.SHA256 = citewell.SHA256(sent.bytes())
	}
	r.mu.Lock()
	r.n++
	t.exchange.N = r.n
	r.open[t] = true
	r.mu.Unlock()
	resp, err := r.next.RoundTrip(req)
	if err != nil {
		t.end(err)
		return nil, err
	}
	t.answer(resp)
	resp.Body = &tape{ReadCloser: resp.Body, take: t}
	return resp, nil
}

// bodyOf reads the body of a request and returns a request that still has it.
func bodyOf(req *http.Request) ([]byte, *http.Request, error) {
	if req.Body == nil || req.Body == http.NoBody {
		return nil, req, nil
	}
	body, err := io.ReadAll(req.Body)
	err = errors.Join(err, req.Body.Close())
	if err != nil {
		return nil, nil, err
	}
	again := req.Clone(req.Context())
	again.Body = io.NopCloser(bytes.NewReader(body))
	again.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	return body, again, nil
}
