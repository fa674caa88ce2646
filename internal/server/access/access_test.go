package access

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/citewell/citewell"
)

func open(t *testing.T, o Options) *Door {
	t.Helper()
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Listen == "" {
		o.Listen = "127.0.0.1:8010"
	}
	d, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

var inside = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "inside") })

// ask sends one request and returns its answer.
func ask(h http.Handler, method, host string, header ...string) *http.Response {
	r := httptest.NewRequest(method, "http://"+host+"/mcp", nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

// A name that an attacker's DNS may point at us is not ours.
func TestHosts(t *testing.T) {
	h := open(t, Options{Hosts: []string{"desk.example", "other.example:9000"}}).For(ScopeMCP, inside)
	for host, want := range map[string]int{
		"127.0.0.1:8010": 200, "localhost:8010": 200, "LOCALHOST:8010": 200, "[::1]:8010": 200, "127.0.0.1": 200,
		"desk.example": 200, "desk.example:443": 200, "DESK.example": 200, "other.example:9000": 200,
		"127.0.0.1:8011": 403, "evil.test": 403, "evil.test:8010": 403, "localhost.evil.test:8010": 403,
		"other.example:9001": 403, "desk.example.evil.test": 403, "10.0.0.1:8010": 403,
	} {
		if got := ask(h, "GET", host).StatusCode; got != want {
			t.Errorf("%s: %d, want %d", host, got, want)
		}
	}
}

// A caller whose token is wrong is told so, and not which of its faults it is.
func TestUnknownTokenIsNamed(t *testing.T) {
	tokens, err := Load(filepath.Join(t.TempDir(), "tokens.json"))
	if err != nil {
		t.Fatal(err)
	}
	brief, err := tokens.Create(Token{Name: "visitor", Scopes: []string{ScopeMCP}}, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	h := open(t, Options{Tokens: tokens}).For("page", inside)
	for authorization, want := range map[string]string{
		"": "a bearer token is needed here", "Bearer ": "a bearer token is needed here",
		"Bearer nobody": "the token is not valid here", "Bearer " + brief: "lacks the scope: see citewell token list",
	} {
		r := ask(h, "POST", "localhost:8010", "Authorization", authorization)
		body, err := io.ReadAll(r.Body)
		if err != nil || r.StatusCode != 401 || !strings.Contains(string(body), want) {
			t.Errorf("%.12q: %d %s, %v", authorization, r.StatusCode, body, err)
		}
	}
}

// A page of another site may not call us, whatever it sends.
func TestOrigins(t *testing.T) {
	h := open(t, Options{Origins: []string{"https://desk.example"}}).For(ScopeMCP, inside)
	tests := []struct {
		name   string
		method string
		header []string
		want   int
	}{
		{"no_page", "POST", nil, 200},
		{"own_page", "POST", []string{"Origin", "http://localhost:8010", "Sec-Fetch-Site", "same-origin"}, 200},
		{"listed", "POST", []string{"Origin", "https://desk.example", "Sec-Fetch-Site", "cross-site"}, 200},
		{"foreign", "POST", []string{"Origin", "https://evil.test"}, 403},
		{"foreign_read", "GET", []string{"Origin", "https://evil.test"}, 403},
		{"foreign_marked", "POST", []string{"Origin", "https://evil.test", "Sec-Fetch-Site", "cross-site"}, 403},
		{"marked_alone", "POST", []string{"Sec-Fetch-Site", "cross-site"}, 403},
		{"hidden", "POST", []string{"Origin", "null"}, 403},
		{"other_port", "POST", []string{"Origin", "http://localhost:3000"}, 403},
		{"listed_but_longer", "POST", []string{"Origin", "https://desk.example.evil.test"}, 403},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := ask(h, test.method, "localhost:8010", test.header...)
			if r.StatusCode != test.want {
				t.Errorf("%d, want %d", r.StatusCode, test.want)
			}
			if r.StatusCode == 403 {
				var body struct{ Error citewell.ErrorView }
				if err := json.NewDecoder(r.Body).Decode(&body); err != nil ||
					body.Error.Code != citewell.CodePermissionDenied || body.Error.Hint == "" {
					t.Errorf("%+v, %v", body, err)
				}
			}
		})
	}
	if _, err := New(Options{Listen: "127.0.0.1:1", Origins: []string{"desk.example"}}); citewell.CodeOf(
		err) != citewell.CodeInvalidConfig {
		t.Errorf("an origin without a scheme: %v", err)
	}
}

// From the first token on every call needs one, of the right scope and in time,
// and taking the last one away opens nothing.
func TestTokens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "data", "tokens.json")
		tokens, err := Load(file)
		if err != nil {
			t.Fatal(err)
		}
		h := open(t, Options{Tokens: tokens}).For(ScopeMCP, inside)
		status := func(authorization string) int {
			var header []string
			if authorization != "" {
				header = []string{"Authorization", authorization}
			}
			r := ask(h, "POST", "localhost:8010", header...)
			if r.StatusCode == 401 && r.Header.Get("WWW-Authenticate") == "" {
				t.Error("401 without WWW-Authenticate")
			}
			return r.StatusCode
		}
		if got := status(""); got != 200 {
			t.Fatalf("without any token: %d", got)
		}

		// Another process makes the tokens.
		other, err := Load(file)
		if err != nil {
			t.Fatal(err)
		}
		all, err := other.Create(Token{Name: "laptop", Scopes: []string{ScopeAll}}, 0)
		if err != nil {
			t.Fatal(err)
		}
		brief, err := other.Create(Token{Name: "visitor", Scopes: []string{ScopeMCP}}, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Second)
		for authorization, want := range map[string]int{
			"": 401, "Bearer " + all: 200, "Bearer " + brief: 200, "Bearer " + all + "x": 401, "Bearer ": 401,
			"Basic " + all: 401, all: 401,
		} {
			if got := status(authorization); got != want {
				t.Errorf("%.20s: %d, want %d", authorization, got, want)
			}
		}
		if got := ask(open(t, Options{Tokens: tokens}).For("page", inside), "POST", "localhost:8010", "Authorization",
			"Bearer "+brief).StatusCode; got != 401 {
			t.Errorf("a token of another scope: %d", got)
		}
		time.Sleep(time.Hour)
		if got := status("Bearer " + brief); got != 401 {
			t.Errorf("an expired token: %d", got)
		}

		kept, err := os.ReadFile(file)
		if err != nil || strings.Contains(string(kept), all) {
			t.Errorf("the file holds the token: %v", err)
		}
		if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("mode %v, %v", info.Mode(), err)
		}

		for _, name := range []string{"laptop", "visitor"} {
			if err := other.Revoke(name); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(2 * time.Second)
		if got := status(""); got != 401 {
			t.Errorf("after the last token was taken away: %d", got)
		}
		if got := status("Bearer " + all); got != 401 {
			t.Errorf("a token that was taken away: %d", got)
		}
	})
}

func TestTokensThatCannotBe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tokens.json")
	tokens, err := Load(file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tokens.Create(Token{Name: "a", Scopes: []string{ScopeAll}}, 0); err != nil {
		t.Fatal(err)
	}
	if token, err := tokens.Create(Token{Name: "past", Scopes: []string{ScopeAll}},
		-time.Hour); citewell.CodeOf(err) != citewell.CodeInvalidArgument || token != "" {
		t.Errorf("one that ended before it began: %q, %v", token, err)
	}
	for name, scopes := range map[string][]string{"a": {ScopeAll}, " ": {ScopeAll}, "b": {"everything"}, "c": nil} {
		if _, err := tokens.Create(Token{Name: name, Scopes: scopes},
			0); citewell.CodeOf(err) != citewell.CodeInvalidArgument {
			t.Errorf("%q %v: %v", name, scopes, err)
		}
	}
	if err := tokens.Revoke("nobody"); citewell.CodeOf(err) != citewell.CodeNotFound {
		t.Error(err)
	}
	if err := os.WriteFile(file, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(file); citewell.CodeOf(err) != citewell.CodeInvalidConfig {
		t.Errorf("a broken file: %v", err)
	}
	if runtime.GOOS != "windows" {
		if err := os.WriteFile(file, []byte("[]"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(file, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(file); citewell.CodeOf(err) != citewell.CodeInvalidConfig {
			t.Errorf("a file that others may read: %v", err)
		}
	}
}

// What other machines can reach needs a token before it is opened.
func TestListening(t *testing.T) {
	for listen, want := range map[string]citewell.Code{
		"127.0.0.1:8010": "", "[::1]:8010": "", "localhost:0": "",
		"0.0.0.0:8010": citewell.CodePermissionDenied, ":8010": citewell.CodePermissionDenied,
		"192.0.2.1:80": citewell.CodePermissionDenied, "8010": citewell.CodeInvalidConfig,
	} {
		if _, err := New(Options{Listen: listen}); citewell.CodeOf(err) != want {
			t.Errorf("%s: %v, want %s", listen, err, want)
		}
	}
}

// A browser lets a page of a listed origin read the answers, and no other.
func TestSharedWithListedOrigins(t *testing.T) {
	tokens, err := Load(filepath.Join(t.TempDir(), "tokens.json"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tokens.Create(Token{Name: "desk", Scopes: []string{ScopeMCP}}, 0); err != nil {
		t.Fatal(err)
	}
	h := open(t, Options{Origins: []string{"https://desk.example"}, Tokens: tokens}).For(ScopeMCP, inside)
	asked := []string{"Access-Control-Request-Method", "POST", "Access-Control-Request-Headers",
		"authorization,mcp-session-id"}
	r := ask(h, "OPTIONS", "localhost:8010", append(asked, "Origin", "https://desk.example", "Sec-Fetch-Site",
		"cross-site")...)
	if r.StatusCode != 204 || r.Header.Get("Access-Control-Allow-Origin") != "https://desk.example" ||
		r.Header.Get("Access-Control-Allow-Headers") != "authorization,mcp-session-id" {
		t.Errorf("%d %v", r.StatusCode, r.Header)
	}
	r = ask(h, "POST", "localhost:8010", "Origin", "https://desk.example")
	if r.StatusCode != 401 || r.Header.Get("Access-Control-Allow-Origin") != "https://desk.example" {
		t.Errorf("without a token: %d %v", r.StatusCode, r.Header)
	}
	r = ask(h, "OPTIONS", "localhost:8010", append(asked, "Origin", "https://evil.test")...)
	if r.StatusCode != 403 || r.Header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("another origin: %d %v", r.StatusCode, r.Header)
	}
}

// Whatever becomes of the file of tokens under a running server, its door stays shut, and
// the log says why.
func TestTokensFileUnusable(t *testing.T) {
	ways := map[string]struct {
		spoil func(file string) error
		says  string
	}{
		"deleted": {os.Remove, "is gone"},
		"garbage": {func(file string) error { return os.WriteFile(file, []byte("{"), 0o600) }, "is no list of tokens"},
		"emptied": {func(file string) error { return os.Truncate(file, 0) }, "is no list of tokens"},
	}
	if runtime.GOOS != "windows" {
		ways["readable"] = struct {
			spoil func(file string) error
			says  string
		}{func(file string) error { return os.Chmod(file, 0o644) }, "may be read by others"}
	}
	for way, w := range ways {
		for _, listen := range []string{"0.0.0.0:8010", "127.0.0.1:8010"} {
			synctest.Test(t, func(t *testing.T) {
				tokens, err := Load(filepath.Join(t.TempDir(), "tokens.json"))
				if err != nil {
					t.Fatal(err)
				}
				token, err := tokens.Create(Token{Name: "laptop", Scopes: []string{ScopeAll}}, 0)
				if err != nil {
					t.Fatal(err)
				}
				var log bytes.Buffer
				h := open(t, Options{Listen: listen, Tokens: tokens, Log: slog.New(slog.NewTextHandler(&log, nil))}).
					For(ScopeMCP, inside)
				if got := ask(h, "POST", "localhost:8010", "Authorization", "Bearer "+token).StatusCode; got != 200 {
					t.Errorf("%s, %s: %d with a token", way, listen, got)
				}
				time.Sleep(2 * time.Second)
				if err := w.spoil(tokens.File()); err != nil {
					t.Fatal(err)
				}
				for _, with := range []string{"", "Bearer " + token} {
					if got := ask(h, "POST", "localhost:8010", "Authorization", with).StatusCode; got != 401 {
						t.Errorf("%s, %s: %d with %.12q", way, listen, got, with)
					}
				}
				if !strings.Contains(log.String(), w.says) {
					t.Errorf("%s, %s: the log says %s", way, listen, log.String())
				}
			})
		}
	}
}

// A file that others may read, put beside a server that began without one, opens nothing
// and shuts the door.
func TestTokensAppearUnusable(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such modes")
	}
	synctest.Test(t, func(t *testing.T) {
		tokens, err := Load(filepath.Join(t.TempDir(), "tokens.json"))
		if err != nil {
			t.Fatal(err)
		}
		h := open(t, Options{Listen: "127.0.0.1:8010", Tokens: tokens}).For(ScopeMCP, inside)
		if got := ask(h, "POST", "localhost:8010").StatusCode; got != 200 {
			t.Errorf("%d where there are no tokens", got)
		}
		if err := errors.Join(os.WriteFile(tokens.File(), []byte("[]"), 0o644),
			os.Chmod(tokens.File(), 0o644)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Second)
		if got := ask(h, "POST", "localhost:8010").StatusCode; got != 401 {
			t.Errorf("%d beside a file that others may read", got)
		}
	})
}

// Several processes may make tokens at once, and each token is kept.
func TestTokensMadeAtOnce(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tokens.json")
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			tokens, err := Load(file)
			if err == nil {
				_, err = tokens.Create(Token{Name: fmt.Sprint("token ", i), Scopes: []string{ScopeAll}}, 0)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	tokens, err := Load(file)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(tokens.List()); n != 20 {
		t.Errorf("%d of 20 are kept", n)
	}
}

// Some clients read errors of another form.
func TestRefusing(t *testing.T) {
	h := open(t, Options{}).Refusing(func(w http.ResponseWriter, err error) {
		w.WriteHeader(http.StatusTeapot)
		io.WriteString(w, citewell.View(err).Hint)
	}).For(ScopeAPI, inside)
	r := ask(h, "GET", "evil.test")
	if body, err := io.ReadAll(r.Body); err != nil || r.StatusCode != http.StatusTeapot ||
		!strings.Contains(string(body), "server.allowed_hosts") {
		t.Errorf("%d %s: %v", r.StatusCode, body, err)
	}
}

// Who asks is said by the token alone; tokens of files that know no tenants are of the
// first, and what is counted of the whole process is no tenant's.
func TestCallers(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tokens.json")
	tokens, err := Load(file)
	if err != nil {
		t.Fatal(err)
	}
	given := map[string]string{}
	for _, k := range []Token{{Name: "ann", Scopes: []string{ScopeAll}, Tenant: "acme"},
		{Name: "boss", Scopes: []string{ScopeAdmin}, Tenant: "acme"},
		{Name: "old", Scopes: []string{ScopeAll}}, {Name: "scraper", Scopes: []string{ScopeMetrics}, Tenant: "acme"}} {
		if given[k.Name], err = tokens.Create(k, 0); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, bytes.ReplaceAll(data, []byte(`"tenant": "default",`), nil), 0o600); err != nil {
		t.Fatal(err)
	}
	if tokens, err = Load(file); err != nil {
		t.Fatal(err)
	}
	door := open(t, Options{Tokens: tokens})
	for _, test := range []struct {
		name string
		want Caller
		into string
	}{
		{"ann", Caller{"ann", "acme", false, hashOf(given["ann"])}, "mcp api"},
		{"boss", Caller{"boss", "acme", true, hashOf(given["boss"])}, "mcp api"},
		{"old", Caller{"old", DefaultTenant, false, hashOf(given["old"])}, "mcp api metrics"},
		{"scraper", Caller{"scraper", "acme", false, hashOf(given["scraper"])}, "metrics"},
	} {
		var into []string
		for _, scope := range []string{ScopeMCP, ScopeAPI, ScopeMetrics} {
			h := door.For(scope, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				into = append(into, scope)
				if got := CallerOf(r.Context()); got != test.want {
					t.Errorf("%s is %+v, want %+v", test.name, got, test.want)
				}
			}))
			ask(h, "POST", "localhost:8010", "Authorization", "Bearer "+given[test.name])
		}
		if got := strings.Join(into, " "); got != test.into {
			t.Errorf("%s comes into %s, want %s", test.name, got, test.into)
		}
	}
	if got := CallerOf(t.Context()); got != (Caller{Tenant: DefaultTenant}) {
		t.Errorf("behind no door: %+v", got)
	}
}

// The key of a feed opens the feed of its watch alone, for whose token it was made, and as long as
// that is there.
func TestFeedKeys(t *testing.T) {
	tokens, err := Load(filepath.Join(t.TempDir(), "tokens.json"))
	if err != nil {
		t.Fatal(err)
	}
	var callers []Caller
	see := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		callers = append(callers, CallerOf(r.Context()))
	})
	var told bytes.Buffer
	d := open(t, Options{Tokens: tokens, Log: slog.New(slog.NewTextHandler(&told, nil))})
	mux := http.NewServeMux()
	mux.Handle("/v1/watches/{watch}/feed", d.ForFeed(see))
	mux.Handle("/v1/watches/{watch}", d.For(ScopeAPI, see))
	get := func(path string, header ...string) int {
		r := httptest.NewRequest("GET", "http://localhost:8010/v1/watches/"+path, nil)
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, r)
		return w.Code
	}
	if get("a/feed") != 200 || callers[0].FeedKey("a") != "" {
		t.Error("where no token is needed a feed has a key")
	}
	given := map[string]string{}
	for name, scopes := range map[string][]string{"ann": {ScopeAPI}, "bob": {ScopeAPI}, "mcp": {ScopeMCP}} {
		if given[name], err = tokens.Create(Token{Name: name, Scopes: scopes}, 0); err != nil {
			t.Fatal(err)
		}
	}
	if get("a", "Authorization", "Bearer "+given["ann"]) != 200 {
		t.Fatal("ann is not let in")
	}
	ann := callers[len(callers)-1]
	key := ann.FeedKey("a")
	if len(key) != 22 || key == ann.FeedKey("b") || strings.Contains(given["ann"], key) {
		t.Errorf("the key is %q", key)
	}
	other := Caller{Name: "mcp", Tenant: DefaultTenant, hash: hashOf(given["mcp"])}
	for i, test := range []struct {
		path   string
		header []string
		status int
	}{{"a/feed?key=" + key, nil, 200}, {"a/feed", []string{"Authorization", "Bearer " + given["bob"]}, 200},
		{"a/feed?key=" + key, []string{"Authorization", "Bearer x"}, 401}, {"a/feed", nil, 401},
		{"a/feed?key=", nil, 401},
		{"b/feed?key=" + key, nil, 401}, {"a?key=" + key, nil, 401}, {"a/feed?key=" + other.FeedKey("a"), nil, 401},
		{"a/feed?key=" + hashOf(given["ann"]), nil, 401}, {"a/feed?key=" + given["ann"], nil, 401}} {
		if status := get(test.path, test.header...); status != test.status {
			t.Errorf("%d: %d", i, status)
		}
	}
	if get("a/feed?key="+key) != 200 || callers[len(callers)-1] != ann {
		t.Errorf("with the key comes %+v", callers[len(callers)-1])
	}
	if strings.Contains(told.String(), key) || !strings.Contains(told.String(), "unknown key of a feed") {
		t.Errorf("the log says %s", told.String())
	}
	if err := tokens.Revoke("ann"); err != nil {
		t.Fatal(err)
	}
	if given["ann"], err = tokens.Create(Token{Name: "ann", Scopes: []string{ScopeAPI}}, 0); err != nil {
		t.Fatal(err)
	}
	if status := get("a/feed?key=" + key); status != 401 {
		t.Errorf("the key of a token that was revoked is answered with %d", status)
	}
}

// What a tenant is called becomes the name of folders.
func TestTenantsThatCannotBe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tokens.json")
	tokens, err := Load(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, tenant := range []string{"../x", "A", "a/b", "a b", ".", "a.", "-a", strings.Repeat("a", 65), "é"} {
		if _, err := tokens.Create(Token{Name: "t", Scopes: []string{ScopeAll}, Tenant: tenant},
			0); citewell.CodeOf(err) != citewell.CodeInvalidArgument {
			t.Errorf("%q: %v", tenant, err)
		}
		data, err := json.Marshal([]Token{{Name: "t", Scopes: []string{ScopeAll}, Tenant: tenant}})
		if err == nil {
			err = os.WriteFile(file, data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Load(file); citewell.CodeOf(err) != citewell.CodeInvalidConfig {
			t.Errorf("a file with %q: %v", tenant, err)
		}
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
		if tokens, err = Load(file); err != nil {
			t.Fatal(err)
		}
	}
}
