package access

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/citewell/citewell/internal/testing/realpart"
)

type memoryShelf struct {
	kept sync.Map
	lost error // of what is read
}

func (s *memoryShelf) CacheGet(_ context.Context, key string) ([]byte, time.Time, bool, error) {
	if s.lost != nil {
		return nil, time.Time{}, false, s.lost
	}
	value, ok := s.kept.Load(key)
	if !ok {
		return nil, time.Time{}, false, nil
	}
	return value.([]byte), time.Time{}, true, nil
}

func (s *memoryShelf) CachePut(_ context.Context, key string, value []byte, _ time.Duration) error {
	s.kept.Store(key, value)
	return nil
}

// Where the file of tokens cannot be written, as in a secret that is mounted, a browser that has shown a
// token to one server is let in by all that share a shelf, until it leaves at any of them, the token goes
// or a day has passed.
func TestSessionsOnAShelf(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		file := filepath.Join(dir, "tokens.json")
		tokens, err := Load(file)
		if err != nil {
			t.Fatal(err)
		}
		token, err := tokens.Create(Token{Name: "laptop", Scopes: []string{ScopeAPI}}, 0)
		if err != nil {
			t.Fatal(err)
		}
		kept, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(file + ".lock"); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(file+".lock", 0o700); err != nil { // so that nobody can write it, root neither
			t.Fatal(err)
		}
		shelf := &memoryShelf{}
		server := func(shelf Shelf) *Door {
			tokens, err := Load(file)
			if err != nil {
				t.Fatal(err)
			}
			tokens.Shelf = shelf
			return open(t, Options{Tokens: tokens})
		}
		begin := func(d *Door) (*http.Cookie, error) {
			w := httptest.NewRecorder()
			err := d.BeginSession(w, httptest.NewRequest("POST", "http://127.0.0.1:8010/session", nil), token)
			if err != nil {
				return nil, err
			}
			return w.Result().Cookies()[0], nil
		}
		if c, err := begin(server(nil)); err == nil {
			t.Errorf("without a shelf a session begins: %v", c)
		}
		one, other := server(shelf), server(shelf)
		enters := func(d *Door, scope string, c *http.Cookie) int {
			return ask(d.For(scope, inside), "GET", "127.0.0.1:8010", "Cookie", c.Name+"="+c.Value).StatusCode
		}
		sessions := func() int {
			var list []Session
			value, _ := shelf.kept.Load("sessions:" + hashOf(token))
			if err := json.Unmarshal(value.([]byte), &list); err != nil {
				t.Fatal(err)
			}
			return len(list)
		}
		c, err := begin(one)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range []*Door{one, other} {
			if got := enters(d, ScopeAPI, c); got != 200 {
				t.Errorf("with its session: %d", got)
			}
			if got := enters(d, ScopeMCP, c); got != 401 {
				t.Errorf("it opens what its token does not: %d", got)
			}
			if got := enters(d, ScopeAPI, &http.Cookie{Name: c.Name, Value: c.Value + "x"}); got != 401 {
				t.Errorf("with another: %d", got)
			}
		}
		shelf.kept.Range(func(key, value any) bool {
			if strings.Contains(key.(string)+string(value.([]byte)), c.Value) ||
				strings.Contains(string(value.([]byte)), token) {
				t.Errorf("the shelf has a secret: %s %s", key, value)
			}
			return true
		})
		for range maxSessions - 1 {
			if _, err := begin(other); err != nil {
				t.Fatal(err)
			}
		}
		if got := enters(one, ScopeAPI, c); got != 200 {
			t.Errorf("with as many sessions as a token may have: %d", got)
		}
		second, err := begin(one)
		if err != nil {
			t.Fatal(err)
		}
		if got := enters(other, ScopeAPI, c); got != 401 {
			t.Errorf("the oldest session goes on beside as many as a token may have: %d", got)
		}
		third, err := begin(one)
		if err != nil {
			t.Fatal(err)
		}
		c = second
		r := httptest.NewRequest("POST", "http://127.0.0.1:8010/session", nil)
		r.AddCookie(c)
		if err := other.EndSession(httptest.NewRecorder(), r); err != nil {
			t.Fatal(err)
		}
		shelf.lost = errors.New("the store is away")
		if _, err := begin(one); !errors.Is(err, shelf.lost) {
			t.Errorf("a session begins over a list that cannot be read: %v", err)
		}
		r = httptest.NewRequest("POST", "http://127.0.0.1:8010/session", nil)
		r.AddCookie(third)
		if err := other.EndSession(httptest.NewRecorder(), r); !errors.Is(err, shelf.lost) {
			t.Errorf("a session ends that cannot be read: %v", err)
		}
		shelf.lost = nil
		if got := sessions(); got != maxSessions-1 {
			t.Errorf("after a failure to read there are %d sessions in the list, want %d", got, maxSessions-1)
		}
		if got := enters(one, ScopeAPI, c); got != 401 {
			t.Errorf("after it was ended at another: %d", got)
		}
		late, err := begin(one)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(sessionLife)
		if got := enters(other, ScopeAPI, late); got != 401 {
			t.Errorf("after a day: %d", got)
		}
		revoked, err := begin(one)
		if err != nil {
			t.Fatal(err)
		}
		if now, err := os.ReadFile(file); err != nil || string(now) != string(kept) {
			t.Errorf("the file has changed (%v): %s", err, now)
		}
		if err := os.Remove(file); err != nil { // and a new one with another token of the name
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(strings.Replace(string(kept), hashOf(token), hashOf("new"), 1)),
			0o600); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * lookAgain)
		if got := enters(other, ScopeAPI, revoked); got != 401 {
			t.Errorf("after its token was revoked: %d", got)
		}
	})
}

// A secret that is mounted is root's and may be read by the group of the process; nobody else may read it.
func TestTokensInAMountedSecret(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tokens.json")
	if err := os.WriteFile(file, []byte("[]"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(file, 1, -1); err != nil {
		realpart.Lacking(t, "only root can give a file to somebody else: %v", err)
	}
	for mode, usable := range map[os.FileMode]bool{0o440: true, 0o400: true, 0o444: false, 0o460: false} {
		if err := os.Chmod(file, mode); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(file); (err == nil) != usable {
			t.Errorf("with mode %o: %v", mode, err)
		}
	}
}
