package httpwire

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/citewell/citewell"
	"go.uber.org/goleak"
)

func gzipped(t testing.TB, content []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func response(body io.Reader, encoding ...string) *http.Response {
	return &http.Response{Header: http.Header{"Content-Encoding": encoding}, Body: io.NopCloser(body),
		ContentLength: -1}
}

func noise(n int) []byte {
	content := make([]byte, n)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(content)
	return content
}

func TestReadBody(t *testing.T) {
	text := []byte("a page of text")
	random := noise(1 << 20)
	zeros := bytes.Repeat(gzipped(t, make([]byte, 1<<20)), 200)   // 200 KB that become 200 MB
	flat := gzipped(t, bytes.Repeat([]byte("abcdefgh"), 100<<10)) // 800 KiB, far above 100:1
	tests := []struct {
		name      string
		resp      *http.Response
		budget    Budget
		want      []byte
		truncated bool
		code      citewell.Code
	}{
		{"plain", response(bytes.NewReader(text)), Budget{}, text, false, ""},
		{"identity", response(bytes.NewReader(text), "identity"), Budget{}, text, false, ""},
		{"empty", response(strings.NewReader("")), Budget{}, nil, false, ""},
		{"gzip", response(bytes.NewReader(gzipped(t, text)), "gzip"), Budget{}, text, false, ""},
		{"x-gzip", response(bytes.NewReader(gzipped(t, text)), "X-GZIP"), Budget{}, text, false, ""},
		{"gzip_of_nothing", response(bytes.NewReader(gzipped(t, nil)), "gzip"), Budget{}, nil, false, ""},
		{"gzip_empty_body", response(strings.NewReader(""), "gzip"), Budget{}, nil, false, ""},
		{"gzip_members", response(bytes.NewReader(append(gzipped(t, text), gzipped(t, text)...)), "gzip"), Budget{},
			append(bytes.Clone(text), text...), false, ""},
		{"gzip_file", response(bytes.NewReader(gzipped(t, text))), Budget{}, gzipped(t, text), false, ""},
		{"exactly_the_cap", response(bytes.NewReader(text)), Budget{MaxBytes: int64(len(text))}, text, false, ""},
		{"one_over_the_cap", response(bytes.NewReader(text)), Budget{MaxBytes: int64(len(text)) - 1},
			text[:len(text)-1], true, ""},
		{"gzip_exactly_the_cap", response(bytes.NewReader(gzipped(t, text)), "gzip"),
			Budget{MaxBytes: int64(len(text)), MaxWireBytes: 1 << 20}, text, false, ""},
		{"gzip_over_the_cap", response(bytes.NewReader(gzipped(t, text)), "gzip"),
			Budget{MaxBytes: 5, MaxWireBytes: 1 << 20}, text[:5], true, ""},
		{"default_cap", response(io.LimitReader(endless{}, 50<<20)), Budget{},
			bytes.Repeat([]byte{'x'}, 5<<20), true, ""},
		{"negative_budget", response(bytes.NewReader(text)), Budget{
			MaxBytes: -1, MaxWireBytes: -1, Ratio: -1, RatioAfter: -1}, text, false, ""},
		{"wire_cap", response(bytes.NewReader(random)), Budget{MaxWireBytes: 1000}, random[:1000], true, ""},
		{"wire_cap_in_the_gzip_header", response(bytes.NewReader(gzipped(t, text)), "gzip"), Budget{MaxWireBytes: 5},
			nil, true, ""},
		{"flat_but_small", response(bytes.NewReader(flat), "gzip"), Budget{},
			bytes.Repeat([]byte("abcdefgh"), 100<<10), false, ""},
		{"gzip_bomb", response(bytes.NewReader(zeros), "gzip"), Budget{}, nil, false, citewell.CodeResponseTooLarge},
		{"gzip_bomb_under_a_small_cap", response(bytes.NewReader(zeros), "gzip"),
			Budget{MaxBytes: 1000, MaxWireBytes: 1 << 20}, make([]byte, 1000), true, ""},
		{"gzip_bomb_under_a_huge_cap", response(bytes.NewReader(zeros), "gzip"), Budget{MaxBytes: 1 << 30}, nil, false,
			citewell.CodeResponseTooLarge},
		{"own_ratio", response(bytes.NewReader(flat), "gzip"), Budget{RatioAfter: 1 << 10, Ratio: 10}, nil, false,
			citewell.CodeResponseTooLarge},
		{"gzip_in_gzip", response(bytes.NewReader(gzipped(t, gzipped(t, text))), "gzip"), Budget{}, nil, false,
			citewell.CodeUnsupportedEncoding},
		{"gzip_bomb_in_gzip", response(bytes.NewReader(gzipped(t, zeros)), "gzip"), Budget{}, nil, false,
			citewell.CodeUnsupportedEncoding},
		{"two_layers_declared", response(bytes.NewReader(text), "gzip, gzip"), Budget{}, nil, false,
			citewell.CodeUnsupportedEncoding},
		{"two_headers", response(bytes.NewReader(text), "gzip", "gzip"), Budget{}, nil, false,
			citewell.CodeUnsupportedEncoding},
		{"deflate", response(bytes.NewReader(text), "deflate"), Budget{}, nil, false, citewell.CodeUnsupportedEncoding},
		{"brotli", response(bytes.NewReader(text), "br"), Budget{}, nil, false, citewell.CodeUnsupportedEncoding},
		{"zstd_over_gzip", response(bytes.NewReader(text), "gzip, zstd"), Budget{}, nil, false,
			citewell.CodeUnsupportedEncoding},
		{"gzip_that_is_not", response(bytes.NewReader(text), "gzip"), Budget{}, nil, false, citewell.CodeHTTPFailed},
		{"gzip_cut_off", response(bytes.NewReader(gzipped(t, random)[:1000]), "gzip"), Budget{}, nil, false,
			citewell.CodeHTTPFailed},
		{"gzip_damaged", response(bytes.NewReader(damaged(gzipped(t, text))), "gzip"), Budget{}, nil, false,
			citewell.CodeHTTPFailed},
		{"broken_connection", response(io.MultiReader(bytes.NewReader(text), failing{})), Budget{}, nil, false,
			citewell.CodeHTTPFailed},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			closed := &closing{ReadCloser: test.resp.Body}
			test.resp.Body = closed
			body, truncated, err := ReadBody(t.Context(), test.resp, test.budget)
			if citewell.CodeOf(err) != test.code || truncated != test.truncated {
				t.Errorf("truncated %t, error %v; want %t, %q", truncated, err, test.truncated, test.code)
			}
			if !bytes.Equal(body, test.want) {
				t.Errorf("%d bytes, want %d", len(body), len(test.want))
			}
			if closed.times == 0 {
				t.Error("the body was left open")
			}
		})
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

type closing struct {
	io.ReadCloser
	times int
}

func (c *closing) Close() error { c.times++; return c.ReadCloser.Close() }

func damaged(content []byte) []byte {
	content[len(content)-5] ^= 1 // in the checksum
	return content
}

// drip is a body that gives size bytes every interval until it is closed.
func drip(size int, every time.Duration, total int) io.ReadCloser {
	r, w := io.Pipe()
	go func() {
		for sent := 0; sent < total; sent += size {
			if _, err := w.Write(bytes.Repeat([]byte{'d'}, size)); err != nil {
				return
			}
			time.Sleep(every) // inside a synctest bubble
		}
		_ = w.Close() // a pipe's Close does not fail
	}()
	return r
}

func TestReadBodyRate(t *testing.T) {
	tests := []struct {
		name   string
		body   func() io.ReadCloser
		budget Budget
		code   citewell.Code
		took   time.Duration
	}{
		{"one_byte_every_100_ms", func() io.ReadCloser { return drip(1, 100*time.Millisecond, 1<<20) }, Budget{},
			citewell.CodeResponseTooSlow, 2 * time.Second},
		{"nothing_at_all", func() io.ReadCloser { return drip(1, time.Hour, 2) }, Budget{},
			citewell.CodeResponseTooSlow, 2 * time.Second},
		{"burst_then_nothing", func() io.ReadCloser { return drip(5<<10, time.Hour, 10<<10) }, Budget{},
			citewell.CodeResponseTooSlow, 5050 * time.Millisecond},
		{"just_fast_enough", func() io.ReadCloser { return drip(1100, time.Second, 22000) }, Budget{}, "",
			20 * time.Second},
		{"slow_but_short", func() io.ReadCloser { return drip(1, 100*time.Millisecond, 15) }, Budget{}, "",
			1500 * time.Millisecond},
		{"no_floor", func() io.ReadCloser { return drip(1, time.Second, 60) }, Budget{MinRate: -1}, "", time.Minute},
		{"lowest_floor", func() io.ReadCloser { return drip(1, 500*time.Millisecond, 10) }, Budget{MinRate: 1}, "",
			5 * time.Second},
		{"floor_at_once", func() io.ReadCloser { return drip(1, time.Second, 5) }, Budget{MinRateAfter: 1},
			citewell.CodeResponseTooSlow, 50*time.Millisecond + 1},
		{"own_floor", func() io.ReadCloser { return drip(1100, time.Second, 22000) },
			Budget{MinRate: 2000, MinRateAfter: 1500 * time.Millisecond}, citewell.CodeResponseTooSlow,
			1500 * time.Millisecond},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				resp := response(nil)
				resp.Body = test.body()
				start := time.Now()
				_, _, err := ReadBody(t.Context(), resp, test.budget)
				if citewell.CodeOf(err) != test.code {
					t.Errorf("error %v, want %q", err, test.code)
				}
				if took := time.Since(start); took != test.took {
					t.Errorf("took %s, want %s", took, test.took)
				}
				time.Sleep(2 * time.Hour) // lets the pipe's writer end
			})
		})
	}
}

func TestReadBodyEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, test := range []struct {
			end  func(context.Context) (context.Context, context.CancelFunc)
			code citewell.Code
		}{
			{func(ctx context.Context) (context.Context, context.CancelFunc) {
				return context.WithTimeout(ctx, time.Second)
			}, citewell.CodeTimeout},
			{func(ctx context.Context) (context.Context, context.CancelFunc) {
				ctx, cancel := context.WithCancel(ctx)
				time.AfterFunc(time.Second, cancel)
				return ctx, cancel
			}, citewell.CodeCanceled},
		} {
			ctx, cancel := test.end(t.Context())
			resp := response(nil)
			resp.Body = drip(5<<10, time.Hour, 10<<10)
			start := time.Now()
			_, _, err := ReadBody(ctx, resp, Budget{})
			if citewell.CodeOf(err) != test.code || time.Since(start) != time.Second {
				t.Errorf("after %s: %v, want %s", time.Since(start), err, test.code)
			}
			cancel()
			time.Sleep(2 * time.Hour) // lets the pipe's writer end
		}
	})
}

// endingElsewhere is a context of another make than the standard library's, for whose end
// a goroutine has to wait.
type endingElsewhere struct {
	context.Context
	done chan struct{}
}

func (c endingElsewhere) Done() <-chan struct{} { return c.done }

// What was read leaves nothing behind that waits for the context's end.
func TestReadBodyWaitsForNothingAfterwards(t *testing.T) {
	ctx := endingElsewhere{t.Context(), make(chan struct{})}
	if body, _, err := ReadBody(ctx, response(strings.NewReader("text")), Budget{}); err != nil ||
		string(body) != "text" {
		t.Errorf("%q, %v", body, err)
	}
	goleak.VerifyNone(t)
}

// TestReadBodyOfRealConnections shows that a stalled HTTP/1.1 and HTTP/2 body is let
// go, and one cut off by the server is an error.
func TestReadBodyOfRealConnections(t *testing.T) {
	hang := make(chan struct{})
	mux := http.NewServeMux()
	mux.HandleFunc("/stall", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "begun")
		_ = http.NewResponseController(w).Flush()
		<-hang
	})
	mux.HandleFunc("/half", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		_, _ = io.WriteString(w, "begun")
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	})
	for _, http2 := range []bool{false, true} {
		server := httptest.NewUnstartedServer(mux)
		server.EnableHTTP2 = http2
		server.StartTLS()
		for path, want := range map[string]citewell.Code{"/stall": citewell.CodeResponseTooSlow,
			"/half": citewell.CodeHTTPFailed} {
			resp, err := server.Client().Get(server.URL + path)
			if err != nil {
				t.Fatal(err)
			}
			patience := time.Minute
			if want == citewell.CodeResponseTooSlow {
				patience = 30 * time.Millisecond
			}
			_, _, err = ReadBody(t.Context(), resp, Budget{MinRateAfter: patience})
			if citewell.CodeOf(err) != want {
				t.Errorf("%s over %s: %v, want %s", path, resp.Proto, err, want)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+"/stall", nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := server.Client().Do(req)
		if err == nil {
			_, _, err = ReadBody(ctx, resp, Budget{})
		}
		if err = Classify("get", err); citewell.CodeOf(err) != citewell.CodeTimeout {
			t.Errorf("the request's own deadline: %v", err)
		}
		cancel()
		if !http2 {
			defer server.Close()
			continue
		}
		close(hang)
		server.Close()
	}
}

func FuzzReadBody(f *testing.F) {
	f.Add([]byte("text"), "", int64(100))
	f.Add(gzipped(f, []byte("text")), "gzip", int64(100))
	f.Add(gzipped(f, make([]byte, 3<<20)), "gzip", int64(5<<20))
	f.Add(gzipped(f, gzipped(f, []byte("x"))), "gzip", int64(100))
	f.Add([]byte{0x1f, 0x8b, 8, 0xff, 0, 0, 0, 0, 0, 0}, "gzip", int64(100))
	f.Fuzz(func(t *testing.T, content []byte, encoding string, limit int64) {
		limit = 1 + (limit&0x7fffffff)%(8<<20)
		body, truncated, err := ReadBody(t.Context(), response(bytes.NewReader(content), encoding),
			Budget{MaxBytes: limit})
		if _, ok := errors.AsType[*citewell.Error](err); err != nil && (!ok || body != nil || truncated) {
			t.Fatalf("error %v with %d bytes", err, len(body))
		}
		if int64(len(body)) > limit || int64(len(body)) > max(1<<20, 101*int64(len(content)))+(64<<10) {
			t.Fatalf("%d bytes from %d, limit %d", len(body), len(content), limit)
		}
	})
}
