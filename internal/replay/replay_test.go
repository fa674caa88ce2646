package replay

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/httpwire"
)

// theKey is one that may stand in no recording.
const theKey = "sk-7dQ2-never-to-be-seen"

func options() Options {
	return Options{Redact: func(s string) string { return strings.ReplaceAll(s, theKey, redacted) },
		IsSecret: httpwire.NamesSecret, Classify: httpwire.Classify, Version: "test"}
}

// recorded runs what use does with a recording client, and returns the recording.
func recorded(t testing.TB, next http.RoundTripper, use func(*http.Client)) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "recording.jsonl")
	r, err := Create(name, options())
	if err != nil {
		t.Fatal(err)
	}
	use(&http.Client{Transport: r.Wrap(next), CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}})
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return name
}

func play(t testing.TB, name string) (*Player, *http.Client) {
	t.Helper()
	p, err := Open(name, options())
	if err != nil {
		t.Fatal(err)
	}
	return p, &http.Client{Transport: p.Wrap(nil), CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
}

// get asks and says all that came.
func get(c *http.Client, url string) string { return ask(c, http.MethodGet, url, "") }

func ask(c *http.Client, method, url, body string, header ...string) string {
	req, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		return err.Error()
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := c.Do(req)
	if err != nil {
		return "error " + string(citewell.CodeOf(httpwire.Classify("ask", err)))
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	said := fmt.Sprintf("%d %s %d %q", resp.StatusCode, resp.Header.Get("Content-Type"), resp.ContentLength, got)
	if err != nil {
		said += " error " + string(citewell.CodeOf(httpwire.Classify("read", err)))
	}
	return said
}

func file(t testing.TB, name string) string {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// Whatever a server does, a replay without it does the same: answers of every kind, in
// their order, and failures.
func TestAReplayIsWhatWasRecorded(t *testing.T) {
	var count atomic.Int64
	mux := http.NewServeMux()
	mux.HandleFunc("/count", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintf(w, "answer %d", count.Add(1)) })
	mux.HandleFunc("/bytes", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Write([]byte{0, 0xff, 0xfe, 'x', '\n'})
	})
	mux.HandleFunc("/echo", func(w http.ResponseWriter, r *http.Request) { io.Copy(w, r.Body) })
	mux.HandleFunc("/moved", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/count?x=1", http.StatusFound)
	})
	mux.HandleFunc("/empty", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("/stream", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for i := range 5 {
			fmt.Fprintf(w, "data: {\"n\":%d}\r\n\r\n", i)
			http.NewResponseController(w).Flush()
		}
	})
	mux.HandleFunc("/cut", func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "the first half")
		http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	session := func(c *http.Client) []string {
		return []string{
			get(c, server.URL+"/count"), get(c, server.URL+"/count"), get(c, server.URL+"/bytes"),
			get(c, server.URL+"/stream"),
			ask(c, http.MethodPost, server.URL+"/echo", "one"), ask(c, http.MethodPost, server.URL+"/echo", "two"),
			ask(c, http.MethodPost, server.URL+"/echo", "\x00\xff"), ask(c, http.MethodHead, server.URL+"/count", ""),
			get(c, server.URL+"/moved"), get(c, server.URL+"/empty"), get(c, server.URL+"/cut"),
			get(c, server.URL+"/nothing"), get(c, "http://127.0.0.1:1/"), get(c, server.URL+"/count"),
		}
	}
	var want []string
	name := recorded(t, http.DefaultTransport, func(c *http.Client) { want = session(c) })
	server.Close()
	p, c := play(t, name)
	if p.Rest() != len(want) {
		t.Errorf("%d exchanges recorded of %d", p.Rest(), len(want))
	}
	for i, got := range session(c) {
		if got != want[i] {
			t.Errorf("%d: replayed %s\nrecorded %s", i, got, want[i])
		}
	}
	if p.Err() != nil || p.Rest() != 0 {
		t.Errorf("after the replay: %v, %d left", p.Err(), p.Rest())
	}
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the recording's file: %v, %v", info.Mode(), err)
	}
	if got := get(c, server.URL+"/count"); got != "error not_recorded" {
		t.Errorf("a fifth count is %s", got)
	}
	if err := p.Err(); err == nil || !strings.Contains(err.Error(),
		"/count was recorded 3 times and is asked for again") {
		t.Errorf("said: %v", err)
	}
}

// Nothing that is secret is in the file; what is needed to play it again is.
func TestSecretsAreNotRecorded(t *testing.T) {
	zipped := func(s string) []byte {
		var out bytes.Buffer
		w := gzip.NewWriter(&out)
		io.WriteString(w, s)
		w.Close()
		return out.Bytes()
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Set-Cookie", "id=cookie-secret")
		w.Header().Set("X-Echo", theKey)
		w.Header().Set("X-RateLimit-Remaining-Tokens", "17")
		fmt.Fprintf(w, "your key %s is fine", theKey)
	})
	mux.HandleFunc("/gzip", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Write(zipped("packed: " + theKey))
	})
	mux.HandleFunc("/large", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Write(zipped(strings.Repeat("many words ", 1<<17) + theKey))
	})
	mux.HandleFunc("/signed", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", "/there?X-Signature=signature-secret&q=heron")
		w.WriteHeader(http.StatusFound)
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	session := func(c *http.Client, key, password string) []string {
		return []string{
			ask(c, http.MethodGet, strings.Replace(server.URL, "//", "//user:password-secret@", 1)+"/weather?appid="+
				key+"&q=Oslo&author=Ibsen&keywords=peace", "", "Authorization", "Bearer "+key, "X-Api-Key", key,
				"Cookie", "a=cookie-secret"),
			ask(c, http.MethodPost, server.URL+"/json", `{"api_key":"`+password+
				`\"tail-secret","token":"a word","query":"heron","arguments":"{\"password\":\"`+password+
				`\\\"tail-secret\",\"key\":\"C major\"}"}`, "Content-Type", "application/json"),
			ask(c, http.MethodPost, server.URL+"/form", "user=me&password="+password, "Content-Type",
				"application/x-www-form-urlencoded"),
			ask(c, http.MethodGet, server.URL+"/gzip", "", "Accept-Encoding", "gzip"),
			ask(c, http.MethodGet, server.URL+"/large", "", "Accept-Encoding", "gzip"),
			get(c, server.URL+"/signed"),
			get(c, server.URL+"/there?X-Signature=signature-secret&q=heron"),
		}
	}
	name := recorded(t, &http.Transport{DisableCompression: true}, func(c *http.Client) {
		for i, got := range session(c, theKey, "body-secret") {
			if strings.HasPrefix(got, "error") {
				t.Errorf("%d: %s", i, got)
			}
		}
	})
	content := file(t, name)
	for _, secret := range []string{theKey, "cookie-secret", "password-secret", "body-secret", "tail-secret",
		"signature-secret"} {
		if strings.Contains(content, secret) {
			t.Errorf("%s is in the recording:\n%s", secret, content)
		}
	}
	for _, plain := range []string{"author=Ibsen&keywords=peace", `\"token\":\"a word\"`, `C major`,
		`"X-Ratelimit-Remaining-Tokens":["17"]`, `"Authorization":["[redacted]"]`, "packed: [redacted]", "q=heron"} {
		if !strings.Contains(content, plain) {
			t.Errorf("%s is not in the recording:\n%s", plain, content)
		}
	}
	p, c := play(t, name)
	for i, got := range session(c, "another-key", "another password") {
		if withheld := i == 4; strings.HasPrefix(got, "error") != withheld {
			t.Errorf("%d, with another's key: %s", i, got)
		}
	}
	if p.Err() != nil {
		t.Error(p.Err())
	}
}

// Requests are the same where only chance or the day makes them differ, and nowhere else.
func TestWhatCountsAsTheSameRequest(t *testing.T) {
	then := time.Date(2026, 3, 1, 23, 30, 0, 0, time.UTC)
	asked := func(url, body, language string) request {
		return request{Method: "POST", URL: url, Header: http.Header{
			"Accept-Language": {language}, "User-Agent": {body}}, content: content{Text: body}}
	}
	const a, b = "http://a.example/?q=1", "http://a.example/?q=2"
	today := time.Now()
	tests := []struct {
		name           string
		recorded, play request
		same           bool
	}{
		{"itself", asked(a, "x", "en"), asked(a, "x", "en"), true},
		{"another body", asked(a, "x", "en"), asked(a, "y", "en"), false},
		{"another query", asked(a, "x", "en"), asked(b, "x", "en"), false},
		{"another language", asked(a, "x", "en"), asked(a, "x", "de"), false},
		{"envelope", asked(a, "<<<DATA abcdefghijklmnopqrstuvwxyz | p>>>\nthe text\n<<<END "+
			"abcdefghijklmnopqrstuvwxyz>>>", ""), asked(a, "<<<DATA 234567abcdefghijklmnopqrst | p>>>\nthe "+
			"text\n<<<END 234567abcdefghijklmnopqrst>>>", ""), true},
		{"in an envelope", asked(a, "<<<DATA abcdefghijklmnopqrstuvwxyz | p>>>\nthe text", ""),
			asked(a, "<<<DATA abcdefghijklmnopqrstuvwxyz | p>>>\nanother text", ""), false},
		{"today", asked(a, "Current date: 2026-03-01 23:30:00 (YYYY-MM-DD HH:MM:SS)", ""),
			asked(a, "Current date: "+today.Format(time.DateTime)+" (YYYY-MM-DD HH:MM:SS)", ""), true},
		{"today in words", asked(a, "Today is Sunday, 1 March 2026.", ""),
			asked(a, "Today is "+today.Format("Monday, 2 January 2006")+".", ""), true},
		{"a week ago", asked("http://a.example/?since=2026-02-22T23%3A30%3A00.000Z", "", ""),
			asked("http://a.example/?since="+url.QueryEscape(today.UTC().AddDate(0, 0,
				-7).Format("2006-01-02T15:04:05.000Z")), "", ""), true},
		{"another year", asked(a, "in 1807-04-02", ""), asked(a, "in 1808-04-02", ""), false},
		{"ids", asked(a, "id "+strings.Repeat("a", 32)+" and "+strings.Repeat("b", 32), ""),
			asked(a, "id "+strings.Repeat("c", 32)+" and "+strings.Repeat("d", 32), ""), true},
		{"ids that change places", asked(a, "id "+strings.Repeat("a", 32)+" and "+strings.Repeat("b", 32), ""),
			asked(a, "id "+strings.Repeat("c", 32)+" and "+strings.Repeat("c", 32), ""), false},
		{"a run", asked(a, "sgr_agent_0f8fad5b-d9cb-469f-a165-70867728950e", ""),
			asked(a, "sgr_agent_7c9e6679-7425-40de-944b-e07fc1f90ae7", ""), true},
		{"a run of another agent", asked(a, "sgr_agent_0f8fad5b-d9cb-469f-a165-70867728950e", ""),
			asked(a, "iron_agent_7c9e6679-7425-40de-944b-e07fc1f90ae7", ""), false},
		{"a uuid", asked(a, "run 0f8fad5b-d9cb-469f-a165-70867728950e", ""),
			asked(a, "run 7c9e6679-7425-40de-944b-e07fc1f90ae7", ""), true},
		{"a hash", asked(a, strings.Repeat("a", 64), ""), asked(a, strings.Repeat("b", 64), ""), false},
	}
	for _, test := range tests {
		e := exchange{N: 1, At: then, Request: test.recorded, Response: &response{Status: 200}}
		p := newPlayer(head{StartedAt: then}, []exchange{e}, options())
		if _, err := p.find(test.play); (err == nil) != test.same {
			t.Errorf("%s: %v", test.name, err)
		}
	}
	// What is the same to the letter goes before what only counts as the same.
	older := exchange{N: 1, At: then, Request: asked(a, "on 2026-02-28", ""), Response: &response{Status: 201}}
	newer := exchange{N: 2, At: then, Request: asked(a, "on 2026-03-01", ""), Response: &response{Status: 202}}
	p := newPlayer(head{StartedAt: then}, []exchange{older, newer}, options())
	if e, err := p.find(newer.Request); err != nil || e.N != 2 {
		t.Errorf("found %v, %v", e, err)
	}
	// The body of a request that was taken out by hand is known by its hash.
	bare := exchange{N: 1, At: then, Request: asked(a, "", ""), Response: &response{Status: 200}}
	bare.Request.SHA256 = citewell.SHA256([]byte("what I asked"))
	p = newPlayer(head{StartedAt: then}, []exchange{bare}, options())
	if _, err := p.find(asked(a, "what you asked", "")); citewell.CodeOf(err) != citewell.CodeNotRecorded {
		t.Error("another body than that of the hash was found")
	}
	if _, err := p.find(asked(a, "what I asked", "")); err != nil {
		t.Error(err)
	}
}

// An answer that nobody waited for, or that came too slowly, is as late in the replay.
func TestWhoDidNotWaitWaitsAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hanging := roundTrip(func(r *http.Request) (*http.Response, error) {
			if r.URL.Path == "/silent" {
				<-r.Context().Done()
				return nil, r.Context().Err()
			}
			reader, writer := io.Pipe()
			go func() {
				io.WriteString(writer, "some ")
				<-r.Context().Done()
				writer.CloseWithError(r.Context().Err())
			}()
			return &http.Response{StatusCode: 200, Header: http.Header{}, Body: reader, ContentLength: -1, Request: r},
				nil
		})
		session := func(c *http.Client) (said []string) {
			for _, path := range []string{"/silent", "/begins", "/slow"} {
				began := time.Now()
				ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
				req, err := http.NewRequestWithContext(ctx, "GET", "http://a.example"+path, nil)
				if err != nil {
					t.Fatal(err)
				}
				resp, err := c.Do(req)
				var body []byte
				if err == nil {
					limit := int64(-1)
					if path == "/slow" {
						limit = 1024
					}
					body, _, err = httpwire.ReadBody(ctx, resp, httpwire.Budget{MinRate: limit})
				}
				said = append(said, fmt.Sprintf("%s: %q %v after %v", path, body,
					citewell.CodeOf(httpwire.Classify("x", err)), time.Since(began)))
				cancel()
				synctest.Wait()
			}
			return said
		}
		var want []string
		name := recorded(t, hanging, func(c *http.Client) { want = session(c) })
		_, c := play(t, name)
		for i, got := range session(c) {
			if got != want[i] {
				t.Errorf("replayed %s\nrecorded %s", got, want[i])
			}
		}
		if !strings.Contains(want[0], "timeout after 5s") || !strings.Contains(want[2], "response_too_slow after 2s") {
			t.Errorf("recorded %v", want)
		}
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// Errors of the guard come back with what they say.
func TestErrorsAreRecorded(t *testing.T) {
	fails := roundTrip(func(r *http.Request) (*http.Response, error) {
		return nil, &citewell.Error{Code: citewell.CodeRateLimited, Op: "a", Message: "not now, says " + theKey,
			Hint: "wait", RetryAfter: 3 * time.Second}
	})
	name := recorded(t, fails, func(c *http.Client) { get(c, "http://a.example/") })
	_, c := play(t, name)
	_, err := c.Get("http://a.example/")
	e, ok := errors.AsType[*citewell.Error](err)
	if !ok || e.Code != citewell.CodeRateLimited || e.Message != "not now, says [redacted]" || e.Hint != "wait" ||
		e.RetryAfter != 3*time.Second {
		t.Errorf("%#v", err)
	}
}

// What was still under way when the recording ended is in it, and many at once are
// recorded and replayed each with its own answer.
func TestManyAtOnce(t *testing.T) {
	echo := roundTrip(func(r *http.Request) (*http.Response, error) {
		body, err := io.ReadAll(r.Body)
		return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(body)),
			ContentLength: -1, Request: r}, err
	})
	session := func(c *http.Client) {
		var all sync.WaitGroup
		for i := range 200 {
			all.Go(func() {
				said := fmt.Sprintf("number %d", i/2)
				if got := ask(c, http.MethodPost, "http://a.example/", said); got != fmt.Sprintf("200  -1 %q", said) {
					t.Errorf("asked %s, got %s", said, got)
				}
			})
		}
		all.Wait()
	}
	var left *http.Response
	name := recorded(t, echo, func(c *http.Client) {
		session(c)
		req, err := http.NewRequest("POST", "http://a.example/left", strings.NewReader("left open"))
		if err != nil {
			t.Fatal(err)
		}
		if left, err = c.Do(req); err != nil {
			t.Fatal(err)
		}
	})
	left.Body.Close()
	p, c := play(t, name)
	session(c)
	if p.Err() != nil || p.Rest() != 1 {
		t.Errorf("%v, %d left", p.Err(), p.Rest())
	}
}
