package runs_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/citewell/citewell/internal/server"
	"github.com/citewell/citewell/internal/server/access"
	"github.com/citewell/citewell/internal/server/runs"
)

// A stream without news is cut when the token that opened it ends, or the session of a
// browser: at once when its time is over, within two seconds where another process has
// revoked it. One of another token goes on.
func TestStreamEndsWithItsToken(t *testing.T) {
	const life = 10 * time.Second
	for _, test := range []struct {
		name            string
		session, revoke bool
		least, most     time.Duration
	}{
		{"expired", false, false, life, life},
		{"expired_session", true, false, life, life},
		{"revoked", false, true, life / 2, life/2 + 2*time.Second},
		{"revoked_session", true, true, life / 2, life/2 + 2*time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				file := filepath.Join(t.TempDir(), "tokens.json")
				operator, tokens := load(t, file), load(t, file)
				lifetime := life
				if test.revoke {
					lifetime = 0
				}
				token := create(t, operator, "ann", lifetime)
				other := create(t, operator, "ben", 0)
				d := &endless{silent: true, ended: make(chan error, 2)}
				door, err := access.New(access.Options{Listen: "127.0.0.1:8010", Tokens: tokens,
					Log: slog.New(slog.DiscardHandler)})
				if err != nil {
					t.Fatal(err)
				}
				l := &pipes{make(chan net.Conn)}
				ctx, cancel := context.WithCancel(t.Context())
				done := make(chan error, 1)
				go func() {
					done <- server.Run(ctx, l, door.For(access.ScopeAPI, runs.New(runs.Options{Desk: d})),
						slog.New(slog.DiscardHandler))
				}()
				began := time.Now()
				header := "Authorization: Bearer " + token
				if test.session {
					header = "Cookie: " + begin(t, door, token)
				}
				follow := func(header string) *bufio.Reader {
					near, far := net.Pipe()
					l.accepted <- far
					near.SetDeadline(time.Now().Add(5 * time.Minute)) // of one that is not cut
					if _, err := fmt.Fprintf(near, "GET /v1/runs/%s/events HTTP/1.1\r\nHost: 127.0.0.1\r\n%s\r\n\r\n",
						runName, header); err != nil {
						t.Fatal(err)
					}
					resp, err := http.ReadResponse(bufio.NewReader(near), nil)
					if err != nil || resp.StatusCode != http.StatusOK {
						t.Fatal(err, resp)
					}
					return bufio.NewReader(resp.Body)
				}
				stays := follow("Authorization: Bearer " + other)
				if test.revoke {
					time.AfterFunc(life/2, func() {
						if err := operator.Revoke("ann"); err != nil {
							t.Error(err)
						}
					})
				}
				said, err := io.ReadAll(follow(header))
				if took := time.Since(began); err != nil || took < test.least || took > test.most {
					t.Errorf("it is cut after %v: %v", took, err)
				}
				if !strings.Contains(string(said), "event: stream.error") || !strings.Contains(string(said), `"auth"`) {
					t.Errorf("it ends with %s", said)
				}
				until := time.Now().Add(time.Minute)
				for time.Now().Before(until) { // its beats
					if line, err := stays.ReadString('\n'); err != nil || strings.Contains(line, "stream.") {
						t.Fatalf("the other stream says %q: %v", line, err)
					}
				}
				cancel()
				if err := <-done; err != nil {
					t.Error(err)
				}
			})
		})
	}
}

func load(t *testing.T, file string) *access.Tokens {
	t.Helper()
	tokens, err := access.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	return tokens
}

func create(t *testing.T, tokens *access.Tokens, name string, lifetime time.Duration) string {
	t.Helper()
	token, err := tokens.Create(access.Token{Name: name, Scopes: []string{access.ScopeAPI}}, lifetime)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// begin is the cookie of a session that a token begins.
func begin(t *testing.T, door *access.Door, token string) string {
	t.Helper()
	w := httptest.NewRecorder()
	if err := door.BeginSession(w, httptest.NewRequest("POST", "http://127.0.0.1/session", nil), token); err != nil {
		t.Fatal(err)
	}
	cookie, _, _ := strings.Cut(w.Header().Get("Set-Cookie"), ";")
	return cookie
}
