package access

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/citewell/citewell"
)

// A Session lets a browser in for a token that was shown once: forms, streams of events
// and downloads cannot carry one. It ends with its token.
type Session struct {
	SHA256    string    `json:"sha256"`
	ExpiresAt time.Time `json:"expires_at"`
}

const (
	sessionLife = 24 * time.Hour
	maxSessions = 16 // of a token; the oldest ends where one more begins
)

// cookieName has the port, since cookies ignore it: servers on one host are apart.
func (d *Door) cookieName() string { return "citewell_" + d.port }

// BeginSession gives the browser that shows a token of ScopeAPI a cookie with a random id,
// by which it is known for sessionLife. auth where the token opens nothing here,
// permission_denied where a page of a listed origin would choose who the reader is.
func (d *Door) BeginSession(w http.ResponseWriter, r *http.Request, token string) error {
	if !fromOwnPage(r) {
		return notOurForm()
	}
	id, err := d.o.Tokens.beginSession(r.Context(), token)
	if err == nil {
		d.setCookie(w, r, id, int(sessionLife.Seconds()))
	}
	return err
}

// EndSession forgets the session of a browser. Errors are those of BeginSession.
func (d *Door) EndSession(w http.ResponseWriter, r *http.Request) error {
	if !fromOwnPage(r) {
		return notOurForm()
	}
	d.setCookie(w, r, "", -1)
	if c, err := r.Cookie(d.cookieName()); err == nil {
		return d.o.Tokens.endSession(r.Context(), c.Value)
	}
	return nil
}

func (d *Door) setCookie(w http.ResponseWriter, r *http.Request, id string, seconds int) {
	http.SetCookie(w, &http.Cookie{Name: d.cookieName(), Value: id, Path: "/", MaxAge: seconds, HttpOnly: true,
		SameSite: http.SameSiteStrictMode, Secure: r.TLS != nil})
}

// Asks says whether a token is needed here now.
func (d *Door) Asks() bool { return !d.private || d.o.Tokens.InUse() }

// session is the id of a session of a request that comes from our own page: a page of a
// listed origin has to show a token.
func (d *Door) session(r *http.Request) string {
	c, err := r.Cookie(d.cookieName())
	if err != nil || !fromOwnPage(r) {
		return ""
	}
	return c.Value
}

// fromOwnPage says whether no page of another origin has a browser send this.
func fromOwnPage(r *http.Request) bool {
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" && site != "none" {
		return false
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && u.Host == r.Host
}

func notOurForm() error {
	return &citewell.Error{Code: citewell.CodePermissionDenied, Op: "session",
		Message: "people sign in and out on this server's own page only",
		Hint:    "a page of another site sends the token as a bearer token"}
}

func hashOf(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// holds says whether a session of the token has this hash and has not ended, and when it ends.
func (k Token) holds(hash string) (found bool, until time.Time) {
	for _, s := range k.Sessions {
		if subtle.ConstantTimeCompare([]byte(hash), []byte(s.SHA256)) == 1 && time.Now().Before(s.ExpiresAt) {
			found, until = true, s.ExpiresAt
		}
	}
	return found, until
}

// A Shelf keeps sessions for all servers that share it: by their hash, as a file of tokens does,
// and no longer than it likes. The cache of a store is one.
type Shelf interface {
	CacheGet(ctx context.Context, key string) (value []byte, put time.Time, ok bool, err error)
	CachePut(ctx context.Context, key string, value []byte, ttl time.Duration) error
}

// lookOnShelf is how long it is believed that a session is on the shelf.
const lookOnShelf = 10 * time.Second

// A shelved session is whose token's, by the token's hash; nobody's where it was ended.
type shelved struct {
	Token     string    `json:"token"`
	ExpiresAt time.Time `json:"expires_at"`
}

func (t *Tokens) shelve(ctx context.Context, hash string, s shelved) error {
	return t.toShelf(ctx, "session:"+hash, s)
}

func (t *Tokens) toShelf(ctx context.Context, key string, of any) error {
	value, err := json.Marshal(of)
	if err != nil {
		return err
	}
	return t.Shelf.CachePut(ctx, key, value, sessionLife)
}

// fromShelf reads what is there under a key and says whether something is. What is no JSON is nothing.
func (t *Tokens) fromShelf(ctx context.Context, key string, into any) (bool, error) {
	value, _, ok, err := t.Shelf.CacheGet(ctx, key)
	return err == nil && ok && json.Unmarshal(value, into) == nil, err
}

// changeShelf changes the list of the sessions of a token, by its hash, and ends some. Servers that do
// so in the same moment may each miss the other's.
func (t *Tokens) changeShelf(ctx context.Context, token string, change func([]Session) (kept, ended []Session)) error {
	t.shelving.Lock()
	defer t.shelving.Unlock()
	var list []Session
	if _, err := t.fromShelf(ctx, "sessions:"+token, &list); err != nil {
		return err // a list that cannot be read is not overwritten
	}
	list, ended := change(list)
	for _, s := range ended {
		if err := t.shelve(ctx, s.SHA256, shelved{}); err != nil {
			return err
		}
	}
	return t.toShelf(ctx, "sessions:"+token, list)
}

// withSession is a list of a token's sessions with one more, without those whose time is over, and
// the oldest that end for it.
func withSession(list []Session, begun Session) (kept, ended []Session) {
	kept = slices.DeleteFunc(slices.Clone(list), func(s Session) bool { return time.Now().After(s.ExpiresAt) })
	kept = append(kept, begun)
	over := max(0, len(kept)-maxSessions)
	return kept[over:], kept[:over]
}

// onShelf is the session of a hash; nobody's where there is none, and where the shelf cannot be read.
func (t *Tokens) onShelf(ctx context.Context, hash string) (s shelved, err error) {
	if t.Shelf == nil {
		return s, nil
	}
	if ok, err := t.fromShelf(ctx, "session:"+hash, &s); !ok || !time.Now().Before(s.ExpiresAt) {
		return shelved{}, err
	}
	return s, nil
}

func (t *Tokens) beginSession(ctx context.Context, token string) (id string, err error) {
	c, refused, _ := t.ownerOf(token, ScopeAPI)()
	if refused != "" {
		return "", &citewell.Error{Code: citewell.CodeAuth, Op: "session", Message: "the token is not valid here",
			Hint: "it is unknown, has expired or lacks the scope: see citewell token list"}
	}
	id = newSecret()
	begun := Session{hashOf(id), time.Now().UTC().Add(sessionLife)}
	err = t.changeSessions(c.Name, func(list []Session) []Session {
		list, _ = withSession(list, begun)
		return list
	})
	if err != nil && t.Shelf != nil { // a mounted secret, for one
		owner := hashOf(token)
		if err := t.changeShelf(ctx, owner, func(list []Session) (kept, ended []Session) {
			return withSession(list, begun)
		}); err != nil {
			return "", err
		}
		return id, t.shelve(ctx, begun.SHA256, shelved{owner, begun.ExpiresAt})
	}
	return id, err
}

func (t *Tokens) endSession(ctx context.Context, id string) error {
	hash := hashOf(id)
	for _, k := range t.current() {
		if held, _ := k.holds(hash); held {
			return t.changeSessions(k.Name, func(list []Session) []Session {
				return slices.DeleteFunc(slices.Clone(list), func(s Session) bool { return s.SHA256 == hash })
			})
		}
	}
	there, err := t.onShelf(ctx, hash)
	if err != nil || there.Token == "" {
		return err
	}
	return t.changeShelf(ctx, there.Token, func(list []Session) (kept, ended []Session) {
		kept = slices.DeleteFunc(list, func(s Session) bool { return s.SHA256 == hash })
		return kept, []Session{{SHA256: hash}} // also where the list has missed it
	})
}

// changeSessions changes the sessions of the token of that name.
func (t *Tokens) changeSessions(name string, change func([]Session) []Session) error {
	return t.changeFile(func(kept []Token) ([]Token, error) {
		for i := range kept {
			if kept[i].Name == name {
				kept[i].Sessions = change(kept[i].Sessions)
			}
		}
		return kept, nil
	})
}
