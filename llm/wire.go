package llm

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"

	"github.com/citewell/citewell"
)

// Bounds of what is read of one answer, in bytes. A stream spends some 300 bytes on each token.
const (
	maxReply  = 16 << 20
	maxStream = 128 << 20
)

var errNotJSON = errors.New("not JSON")

// wire is the last step before the connection: it bounds each answer and refuses a web page in the place of one.
type wire struct{ next http.RoundTripper }

func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := w.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if resp.StatusCode < 300 && media == "text/html" {
		_ = resp.Body.Close() // what it says is of no use
		return nil, fmt.Errorf("%w: %s", errNotJSON, media)
	}
	limit := int64(maxReply)
	if media == mediaStream {
		limit = maxStream
	}
	resp.Body = &bounded{resp.Body, limit}
	return resp, nil
}

// CloseIdleConnections lets http.Client reach the transport below.
func (w *wire) CloseIdleConnections() {
	if t, ok := w.next.(interface{ CloseIdleConnections() }); ok {
		t.CloseIdleConnections()
	}
}

// bounded fails where a body goes on beyond its limit.
type bounded struct {
	io.ReadCloser
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left < 0 {
		return 0, tooLarge()
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left+1)])
	if b.left -= int64(n); b.left < 0 {
		return n - 1, tooLarge()
	}
	return n, err
}

func tooLarge() error {
	return &citewell.Error{Code: citewell.CodeResponseTooLarge, Op: "llm",
		Message: "the answer of the model's endpoint is too large"}
}
