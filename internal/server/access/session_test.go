package access

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/citewell/citewell"
)

// A browser that has shown a token is let in by its cookie: from our own page alone, into
// what the token opens, until it leaves, the token goes or a day has passed.
func TestSessions(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		tokens, err := Load(filepath.Join(dir, "tokens.json"))
		if err != nil {
			t.Fatal(err)
		}
		create := func(name, scope, tenant string) string {
			t.Helper()
			token, err := tokens.Create(Token{Name: name, Scopes: []string{scope}, Tenant: tenant}, 0)
			if err != nil {
				t.Fatal(err)
			}
			return token
		}
		token, scraper := create("laptop", ScopeAPI, "blue"), create("scraper", ScopeMetrics, "")
		d := open(t, Options{Tokens: tokens, Origins: []string{"https://desk.example"}})
		var seen Caller
		h := d.For(ScopeAPI, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			seen = CallerOf(r.Context())
		}))
		begin := func(token string) (*http.Cookie, error) {
			w := httptest.NewRecorder()
			err := d.BeginSession(w, httptest.NewRequest("POST", "http://127.0.0.1:8010/session", nil), token)
			if all := w.Result().Cookies(); len(all) == 1 {
				return all[0], err
			}
			return nil, err
		}
		for _, bad := range []string{"", "nobody", scraper, token + "x"} {
			if c, err := begin(bad); c != nil || citewell.CodeOf(err) != citewell.CodeAuth {
				t.Errorf("%q begins a session: %v %v", bad, c, err)
			}
		}
		c, err := begin(token)
		if err != nil || c.Name != "citewell_8010" || !c.HttpOnly || c.SameSite != http.SameSiteStrictMode ||
			c.Path != "/" || c.Secure || len(c.Value) != 43 {
			t.Fatalf("%+v %v", c, err)
		}
		if kept, err := os.ReadFile(tokens.File()); err != nil || strings.Contains(string(kept), c.Value) ||
			strings.Contains(c.Value, token) {
			t.Errorf("the file has the session itself: %v\n%s", err, kept)
		}
		cookie := []string{"Cookie", c.Name + "=" + c.Value}
		for _, test := range []struct {
			with []string
			want int
		}{
			{nil, 200}, {[]string{"Sec-Fetch-Site", "same-origin"}, 200}, {[]string{"Sec-Fetch-Site", "none"}, 200},
			{[]string{"Origin", "http://127.0.0.1:8010"}, 200},
			{[]string{"Origin", "https://desk.example"}, 401}, {[]string{"Sec-Fetch-Site", "cross-site"}, 401},
			{[]string{"Sec-Fetch-Site", "same-site"}, 401},
			{[]string{"Origin", "null"}, 403}, {[]string{"Authorization", "Bearer nobody"}, 401},
		} {
			if got := ask(h, "GET", "127.0.0.1:8010", append(test.with, cookie...)...).StatusCode; got != test.want {
				t.Errorf("with %q: %d, want %d", test.with, got, test.want)
			}
		}
		if seen != (Caller{Name: "laptop", Tenant: "blue", hash: hashOf(token)}) {
			t.Errorf("it is %+v", seen)
		}
		if got := ask(d.For(ScopeMCP, inside), "GET", "127.0.0.1:8010", cookie...).StatusCode; got != 401 {
			t.Errorf("it opens what its token does not: %d", got)
		}
		if got := ask(h, "GET", "127.0.0.1:8010", "Cookie", "citewell_8010=").StatusCode; got != 401 {
			t.Errorf("an empty cookie: %d", got)
		}
		again, err := Load(tokens.File()) // a server that was killed
		if err != nil {
			t.Fatal(err)
		}
		if got := ask(open(t, Options{Tokens: again}).For(ScopeAPI, inside), "GET", "127.0.0.1:8010",
			cookie...).StatusCode; got != 200 {
			t.Errorf("after a restart: %d", got)
		}
		r := httptest.NewRequest("POST", "http://127.0.0.1:8010/session", nil)
		r.AddCookie(c)
		if err := d.EndSession(httptest.NewRecorder(), r); err != nil {
			t.Fatal(err)
		}
		if got := ask(h, "GET", "127.0.0.1:8010", cookie...).StatusCode; got != 401 {
			t.Errorf("after it was ended: %d", got)
		}
		for _, with := range [][2]string{{"Origin", "https://desk.example"}, {"Origin", "null"},
			{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}} {
			r := httptest.NewRequest("POST", "http://127.0.0.1:8010/session", nil)
			r.Header.Set(with[0], with[1])
			w := httptest.NewRecorder()
			if err := d.BeginSession(w, r, token); citewell.CodeOf(err) != citewell.CodePermissionDenied ||
				len(w.Result().Cookies()) > 0 {
				t.Errorf("with %q a session begins: %v", with, err)
			}
			if err := d.EndSession(w, r); citewell.CodeOf(err) != citewell.CodePermissionDenied ||
				len(w.Result().Cookies()) > 0 {
				t.Errorf("with %q a session ends: %v", with, err)
			}
		}
		first, _ := begin(token)
		for range maxSessions {
			c, _ = begin(token)
		}
		for id, want := range map[string]int{first.Value: 401, c.Value: 200} {
			if got := ask(h, "GET", "127.0.0.1:8010", "Cookie", c.Name+"="+id).StatusCode; got != want {
				t.Errorf("of %d sessions: %d, want %d", maxSessions+1, got, want)
			}
		}
		time.Sleep(sessionLife - time.Minute)
		if got := ask(h, "GET", "127.0.0.1:8010", "Cookie", c.Name+"="+c.Value).StatusCode; got != 200 {
			t.Errorf("before a day: %d", got)
		}
		time.Sleep(2 * time.Minute)
		if got := ask(h, "GET", "127.0.0.1:8010", "Cookie", c.Name+"="+c.Value).StatusCode; got != 401 {
			t.Errorf("after a day: %d", got)
		}
		c, _ = begin(token)
		if err := tokens.Revoke("laptop"); err != nil {
			t.Fatal(err)
		}
		if got := ask(h, "GET", "127.0.0.1:8010", "Cookie", c.Name+"="+c.Value).StatusCode; got != 401 {
			t.Errorf("of a token that is gone: %d", got)
		}
	})
}
