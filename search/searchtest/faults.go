package searchtest

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/outcomes"
	"github.com/citewell/citewell/search"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
)

// A fault is one way in which a network, a server or a proxy goes wrong.
type fault struct {
	name   string
	serve  func(w Wire) http.HandlerFunc
	code   citewell.Code
	within time.Duration // the caller's time; patience when 0
	check  func(t *testing.T, err error)
}

// patience is how long a provider may take over what ends by itself, a page that unfolds on a busy machine too.
const patience = 2 * time.Minute

func (f fault) run(t *testing.T, w Wire) {
	server := httptest.NewServer(f.handler(w))
	t.Cleanup(server.Close)
	if f.within == 0 {
		f.within = patience
	}
	ctx, cancel := context.WithTimeout(t.Context(), f.within)
	defer cancel()
	p := w.New(t, server.URL)
	results, err := p.Search(ctx, w.Query)
	code := f.codeOn(w)
	w.checkError(t, err, code, nil)
	CheckResults(t, p.Name(), results)
	if err != nil && outcomes.OfProvider(err).Answered() {
		t.Errorf("%v counts as an answer", describe(err))
	}
	if f.check != nil && code == f.code {
		f.check(t, err)
	}
}

// handler reads what a request carries before the fault, or the server would not notice that its client has gone.
func (f fault) handler(w Wire) http.HandlerFunc {
	serve := f.serve(w)
	return func(rw http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // the client may be gone
		serve(rw, r)
	}
}

// codeOn is the code that w's provider rightly ends with.
func (f fault) codeOn(w Wire) citewell.Code {
	if other, ok := w.Codes[f.name]; ok {
		return other
	}
	return f.code
}

// faults is every fault, by name.
var faults = []fault{
	{name: "400", serve: status(400, nil), code: citewell.CodeInvalidArgument, check: says("400")},
	{name: "401", serve: status(401, nil), code: citewell.CodeAuth},
	{name: "402", serve: status(402, nil), code: citewell.CodeQuotaExhausted},
	{name: "403", serve: status(403, nil), code: citewell.CodeAuth},
	{name: "404", serve: status(404, nil), code: citewell.CodeHTTPStatus, check: says("404")},
	{name: "414", serve: status(414, nil), code: citewell.CodeInvalidArgument},
	{name: "422", serve: status(422, nil), code: citewell.CodeInvalidArgument, check: says("422")},
	{name: "429", serve: status(429, nil), code: citewell.CodeRateLimited, check: asksToWait(0, 0)},
	{name: "429_seconds", serve: status(429, func() map[string]string {
		return map[string]string{"Retry-After": "17"}
	}),
		code: citewell.CodeRateLimited, check: asksToWait(17*time.Second, 17*time.Second)},
	{name: "429_date", serve: status(429, func() map[string]string {
		return map[string]string{"Retry-After": time.Now().Add(30 * time.Second).UTC().Format(http.TimeFormat)}
	}), code: citewell.CodeRateLimited, check: asksToWait(20*time.Second, 30*time.Second)},
	{name: "429_reset", serve: status(429, func() map[string]string {
		return map[string]string{"X-RateLimit-Remaining": "0, 99", "X-RateLimit-Reset": "12, 900000"}
	}), code: citewell.CodeRateLimited, check: asksToWait(12*time.Second, 12*time.Second)},
	{name: "500", serve: status(500, nil), code: citewell.CodeHTTPStatus, check: mayPass},
	{name: "502", serve: status(502, nil), code: citewell.CodeHTTPStatus, check: mayPass},
	{name: "503_with_a_wait", serve: status(503, func() map[string]string {
		return map[string]string{"Retry-After": "5"}
	}),
		code: citewell.CodeHTTPStatus, check: asksToWait(5*time.Second, 5*time.Second)},

	{name: "empty_200", serve: body(func(Wire) []byte { return nil }), code: citewell.CodeBadResponse},
	{name: "login_page_with_200", serve: html("<!doctype html><title>Sign in</title><form>Password</form>"),
		code: citewell.CodeBadResponse},
	{name: "error_with_200", serve: body(func(w Wire) []byte {
		if bytes.HasPrefix(w.Good.Body, []byte("<?xml")) {
			return []byte(`<error code="7">not now</error>`)
		}
		return []byte(`{"error": "not now"}`)
	}), code: citewell.CodeBadResponse},
	{name: "null_with_200", serve: body(func(Wire) []byte { return []byte(`null`) }), code: citewell.CodeBadResponse},
	{name: "half_an_answer", serve: body(func(w Wire) []byte { return w.Good.Body[:len(w.Good.Body)/2] }),
		code: citewell.CodeBadResponse},
	{name: "noise", serve: body(func(Wire) []byte { return bytes.Repeat([]byte("\x00\xff\x1f{[<"), 999) }),
		code: citewell.CodeBadResponse},
	{name: "50_MB", serve: fiftyMB, code: citewell.CodeResponseTooLarge},
	{name: "gzip", serve: gzipped(func(w Wire) []byte { return w.Good.Body }, 1), code: Answers, check: noError},
	{name: "gzip_bomb", serve: gzipBomb, code: citewell.CodeResponseTooLarge},
	{name: "gzip_in_gzip", serve: gzipped(func(w Wire) []byte { return w.Good.Body }, 2),
		code: citewell.CodeUnsupportedEncoding},
	{name: "brotli", serve: encoded("br"), code: citewell.CodeUnsupportedEncoding},
	{name: "wrong_charset", serve: latin1, code: Answers, check: noError},
	{name: "broken_utf8", serve: body(func(w Wire) []byte {
		return bytes.ReplaceAll(w.Good.Body, []byte("e"), []byte("\xe9\x80e"))
	}), code: Answers},
	{name: "header_flood", serve: headerFlood, code: citewell.CodeResponseTooLarge},

	{name: "half_closed", serve: halfClosed, code: citewell.CodeHTTPFailed},
	{name: "closed_before_an_answer", serve: raw(""), code: citewell.CodeHTTPFailed},
	{name: "not_http", serve: raw("220 mail.example ESMTP\r\n"), code: citewell.CodeHTTPFailed},
	{name: "hangs_before_headers", serve: hang(false), code: citewell.CodeTimeout, within: 150 * time.Millisecond},
	{name: "hangs_after_headers", serve: hang(true), code: citewell.CodeTimeout, within: 150 * time.Millisecond},
	{name: "drips", serve: drip, code: citewell.CodeTimeout, within: 300 * time.Millisecond},
	{name: "drips_for_ever", serve: drip, code: citewell.CodeResponseTooSlow},

	{name: "redirect_loop", serve: redirect(func(r *http.Request) string { return r.URL.RequestURI() }),
		code: citewell.CodeTooManyRedirects},
	{name: "redirect_within_the_host", serve: redirectOnce, code: Answers, check: noError},
	{name: "redirect_elsewhere", serve: redirect(func(*http.Request) string {
		return "http://elsewhere.example/search"
	}),
		code: citewell.CodeBlockedRedirect, check: says("elsewhere.example")},
	{name: "redirect_to_metadata", serve: redirect(func(*http.Request) string {
		return "http://169.254.169.254/latest/"
	}), code: citewell.CodeBlockedRedirect},
	{name: "redirect_to_a_file", serve: redirect(func(*http.Request) string { return "file:///etc/passwd" }),
		code: citewell.CodeBlockedRedirect},
}

// Checks on a fault's error.

func says(part string) func(*testing.T, error) {
	return func(t *testing.T, err error) {
		t.Helper()
		if !strings.Contains(citewell.View(err).Message, part) {
			t.Errorf("the message does not say %q: %v", part, describe(err))
		}
	}
}

func asksToWait(least, most time.Duration) func(*testing.T, error) {
	return func(t *testing.T, err error) {
		t.Helper()
		if e, ok := errors.AsType[*citewell.Error](err); !ok || e.RetryAfter < least || e.RetryAfter > most {
			t.Errorf("want a wait of %v to %v: %#v", least, most, err)
		}
		if least > 0 && citewell.View(err).Hint == "" {
			t.Errorf("no hint, not even the wait: %#v", err)
		}
	}
}

func mayPass(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, search.ErrTemporary) {
		t.Errorf("not marked as temporary: %v", describe(err))
	}
}

func noError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Errorf("want an answer: %v", describe(err))
	}
}

// Servers of a fault.

func status(code int, header func() map[string]string) func(Wire) http.HandlerFunc {
	return func(Wire) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			reply := Reply{Status: code, Body: []byte(`{"error": "not now"}`)}
			if header != nil {
				reply.Header = header()
			}
			reply.write(w)
		}
	}
}

// body serves other bytes with the headers of a good answer.
func body(of func(Wire) []byte) func(Wire) http.HandlerFunc {
	return func(wire Wire) http.HandlerFunc {
		reply := Reply{Header: wire.Good.Header, Body: of(wire)}
		return func(w http.ResponseWriter, _ *http.Request) { reply.write(w) }
	}
}

func html(page string) func(Wire) http.HandlerFunc {
	return func(Wire) http.HandlerFunc {
		reply := Reply{Header: map[string]string{"Content-Type": "text/html"}, Body: []byte(page)}
		return func(w http.ResponseWriter, _ *http.Request) { reply.write(w) }
	}
}

func fiftyMB(wire Wire) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		Reply{Header: wire.Good.Header, Body: wire.Good.Body}.write(w)
		for range 50 {
			if _, err := w.Write(bytes.Repeat([]byte(" "), 1<<20)); err != nil {
				return // the client had enough
			}
		}
	}
}

func gzipped(of func(Wire) []byte, layers int) func(Wire) http.HandlerFunc {
	return func(wire Wire) http.HandlerFunc {
		packed := of(wire)
		for range layers {
			packed = pack(packed)
		}
		reply := wire.Good.with("Content-Encoding", "gzip", packed)
		return func(w http.ResponseWriter, _ *http.Request) { reply.write(w) }
	}
}

// eightMB is packed once, for all wires.
var eightMB = sync.OnceValue(func() []byte { return pack(make([]byte, 8<<20)) })

func gzipBomb(wire Wire) http.HandlerFunc {
	reply := wire.Good.with("Content-Encoding", "gzip", eightMB())
	return func(w http.ResponseWriter, _ *http.Request) { reply.write(w) }
}

func pack(body []byte) []byte {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	_, _ = z.Write(body) // a bytes.Buffer does not fail
	_ = z.Close()
	return out.Bytes()
}

func encoded(name string) func(Wire) http.HandlerFunc {
	return func(wire Wire) http.HandlerFunc {
		reply := wire.Good.with("Content-Encoding", name, wire.Good.Body)
		return func(w http.ResponseWriter, _ *http.Request) { reply.write(w) }
	}
}

// latin1 serves a good answer in an old charset that it declares.
func latin1(wire Wire) http.HandlerFunc {
	packed, err := encoding.ReplaceUnsupported(charmap.Windows1252.NewEncoder()).Bytes(wire.Good.Body)
	if err != nil {
		packed = wire.Good.Body
	}
	mediaType, _, _ := strings.Cut(wire.Good.Header["Content-Type"], ";")
	reply := wire.Good.with("Content-Type", mediaType+"; charset=windows-1252", packed)
	return func(w http.ResponseWriter, _ *http.Request) { reply.write(w) }
}

func (r Reply) with(name, value string, body []byte) Reply {
	header := maps.Clone(r.Header)
	if header == nil {
		header = make(map[string]string)
	}
	header[name] = value
	return Reply{Status: r.Status, Header: header, Body: body}
}

func headerFlood(wire Wire) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := range 4000 {
			w.Header().Set(fmt.Sprint("X-Flood-", i), strings.Repeat("x", 100))
		}
		wire.Good.write(w)
	}
}

// halfClosed promises more than it sends.
func halfClosed(wire Wire) http.HandlerFunc {
	return raw(fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s",
		wire.Good.Header["Content-Type"], len(wire.Good.Body)+1000, wire.Good.Body))(wire)
}

// raw writes bytes on the connection and closes it.
func raw(bytes string) func(Wire) http.HandlerFunc {
	return func(Wire) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				panic(err)
			}
			_, _ = conn.Write([]byte(bytes)) // the client may be gone
			_ = conn.Close()
		}
	}
}

func hang(afterHeaders bool) func(Wire) http.HandlerFunc {
	return func(Wire) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if afterHeaders {
				w.WriteHeader(http.StatusOK)
				_ = http.NewResponseController(w).Flush() // the client may be gone
			}
			<-r.Context().Done()
		}
	}
}

func drip(wire Wire) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		beat := time.NewTicker(20 * time.Millisecond)
		defer beat.Stop()
		for {
			select {
			case <-r.Context().Done():
				return
			case <-beat.C:
				if _, err := w.Write([]byte(" ")); err != nil {
					return
				}
				_ = http.NewResponseController(w).Flush() // the client may be gone
			}
		}
	}
}

func redirect(to func(*http.Request) string) func(Wire) http.HandlerFunc {
	return func(Wire) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", to(r))
			w.WriteHeader(http.StatusFound)
		}
	}
}

func redirectOnce(wire Wire) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/moved" {
			http.Redirect(w, r, "/moved?"+r.URL.RawQuery, http.StatusFound)
			return
		}
		wire.Good.write(w)
	}
}

// limitedOnce refuses the first call.
func limitedOnce(wire Wire) http.HandlerFunc {
	var calls atomic.Int32
	return func(w http.ResponseWriter, _ *http.Request) {
		if calls.Add(1) == 1 {
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		wire.Good.write(w)
	}
}
