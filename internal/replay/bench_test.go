package replay

import (
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// prompt is as long as those of an agent a few steps in, with figures and dates in it.
var prompt = strings.Repeat("On 4 May 2019 the barrage of 2,400 metres gave 640 GWh, said the owner in 2021-10-01's "+
	"report, page 12. ", 200)

// BenchmarkRecord is what writing down costs of one exchange with a prompt and an answer
// of 20 KB each, without a network.
func BenchmarkRecord(b *testing.B) {
	r, err := Create(filepath.Join(b.TempDir(), "recording.jsonl"), options())
	if err != nil {
		b.Fatal(err)
	}
	r.most = 1 << 40
	answer := roundTrip(func(req *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(prompt)),
			Request: req}, nil
	})
	c := &http.Client{Transport: r.Wrap(answer)}
	for b.Loop() {
		resp, err := c.Post("http://a.example/", "text/plain", strings.NewReader(prompt))
		if err != nil {
			b.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, resp.Body); err != nil {
			b.Fatal(err)
		}
		resp.Body.Close()
	}
	if err := r.Close(); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkPlayToday is opening a recording of one such exchange and asking for it on
// another day, when its prompt differs in its date.
func BenchmarkPlayToday(b *testing.B) {
	then := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	recorded := exchange{N: 1, At: then, Request: request{Method: "POST", URL: "http://a.example/",
		content: content{Text: prompt + "2026-03-01"}}, Response: &response{Status: 200}}
	asked := recorded.Request
	asked.Text = prompt + time.Now().Format(time.DateOnly)
	for b.Loop() {
		if _, err := newPlayer(head{StartedAt: then}, []exchange{recorded}, options()).find(asked); err != nil {
			b.Fatal(err)
		}
	}
}
