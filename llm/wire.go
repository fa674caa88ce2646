package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
)

var errNotJSON = errors.New("not JSON")

// wire is the last step before the connection: it adds the operator's extra fields
// to each request, bounds each answer and refuses one that is not JSON.
type wire struct {
	next  http.RoundTripper
	extra map[string]any
}

func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	if len(w.extra) > 0 && r.Body != nil {
		var err error
		if r, err = w.withExtra(r); err != nil {
			return nil, err
		}
	}
	resp, err := w.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); resp.StatusCode < 300 && media == "text/html" {
		resp.Body.Close()
		return nil, fmt.Errorf("%w: %s", errNotJSON, media)
	}
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.LimitReader(resp.Body, maxReply), resp.Body}
	return resp, nil
}

// CloseIdleConnections lets http.Client reach the transport below.
func (w *wire) CloseIdleConnections() {
	if t, ok := w.next.(interface{ CloseIdleConnections() }); ok {
		t.CloseIdleConnections()
	}
}

// withExtra returns r with the extra fields in its JSON body; they win over ours.
func (w *wire) withExtra(r *http.Request) (*http.Request, error) {
	body, err := io.ReadAll(r.Body)
	r.Body.Close()
	if err != nil {
		return nil, err
	}
	fields := map[string]any{}
	if err := json.Unmarshal(body, &fields); err != nil {
		return nil, err
	}
	for key, value := range w.extra {
		fields[key] = value
	}
	if body, err = json.Marshal(fields); err != nil {
		return nil, err
	}
	r = r.Clone(r.Context())
	r.Body = io.NopCloser(bytes.NewReader(body))
	r.ContentLength = int64(len(body))
	return r, nil
}
