package access

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/citewell/citewell"
)

// Scopes are what a token may open. None but ScopeAdmin shows it what another token began.
const (
	ScopeAll     = "all" // ScopeMCP and ScopeAPI; of DefaultTenant ScopeMetrics, too
	ScopeMCP     = "mcp"
	ScopeAPI     = "api"     // the OpenAI API, SGR's, those of runs and documents, and the status
	ScopeMetrics = "metrics" // what a scraper reads of the whole process, and nothing that acts
	// ScopeMCP and ScopeAPI, and there the runs of every token of its tenant; of DefaultTenant the details of the
	// status, too
	ScopeAdmin = "admin"
)

// Scopes lists the scopes, for messages.
var Scopes = []string{ScopeAll, ScopeMCP, ScopeAPI, ScopeMetrics, ScopeAdmin}

// lookAgain is how soon a server that runs sees that the file of tokens has changed.
const lookAgain = time.Second

// prefix makes our tokens easy to find where one has leaked.
const prefix = "citewell_"

// A Token is what is kept of a token: never the token itself.
type Token struct {
	Name      string    `json:"name"`
	SHA256    string    `json:"sha256"`
	Scopes    []string  `json:"scopes"`
	Tenant    string    `json:"tenant"` // DefaultTenant in files of older versions, which have none
	Budget    Budget    `json:"budget,omitzero"`
	CreatedAt time.Time `json:"created_at"`
	ExpiresAt time.Time `json:"expires_at,omitzero"`
	Sessions  []Session `json:"sessions,omitempty"`
}

// Tokens are those of one file. A server that runs sees changes to it within a second.
type Tokens struct {
	// Shelf keeps sessions where the file cannot be written. It is set before the first of them; nil keeps none there.
	Shelf Shelf

	file     string
	shelving sync.Mutex // over the lists of sessions on the shelf

	mu      sync.Mutex
	kept    []Token
	inUse   bool        // there is or was a file
	trouble error       // why the file cannot be used
	read    time.Time   // when the file was last looked at
	change  fs.FileInfo // the file, as it was then; it is replaced whole, never written into
}

// Load reads a file of tokens; one that does not exist has none.
func Load(file string) (*Tokens, error) {
	t := &Tokens{file: file}
	return t, t.reload()
}

// reload reads the file again where it changed. One that is there and cannot be used, or
// that was there and is gone, knows nobody and opens no door.
func (t *Tokens) reload() error {
	t.trouble = t.readFile()
	return t.trouble
}

func (t *Tokens) readFile() error {
	info, err := os.Stat(t.file)
	if errors.Is(err, fs.ErrNotExist) {
		t.kept, t.change = nil, nil
		if t.inUse {
			return t.bad("is gone", "citewell token create makes a new one", nil)
		}
		return nil
	}
	if err == nil && t.change != nil && os.SameFile(info, t.change) && info.ModTime().Equal(t.change.ModTime()) &&
		info.Mode() == t.change.Mode() {
		return nil
	}
	t.kept, t.inUse, t.change = nil, true, nil
	var data []byte
	if err == nil {
		if runtime.GOOS != "windows" && info.Mode().Perm()&^mayRead(info) != 0 {
			return t.bad("may be read by others", "chmod 600 "+t.file, nil)
		}
		data, err = os.ReadFile(t.file)
	}
	if err != nil {
		return t.bad("cannot be read", "", err)
	}
	var kept []Token
	if err := json.Unmarshal(data, &kept); err != nil {
		return t.bad("is no list of tokens", "citewell token create writes it", err)
	}
	for i := range kept {
		kept[i].Tenant = cmp.Or(kept[i].Tenant, DefaultTenant)
		if err := checkTenant(kept[i].Tenant); err != nil {
			return t.bad("has a token of a tenant that there cannot be", "citewell token create writes it", err)
		}
	}
	t.kept, t.change = kept, info
	return nil
}

// mayRead is the mode that a file of tokens may have at most: its owner's alone, where this process is
// the owner, and else what whoever gave it to this process needs for that, as in a mounted secret.
func mayRead(info fs.FileInfo) fs.FileMode {
	if ownedByAnother(info) {
		return 0o740
	}
	return 0o700
}

func (t *Tokens) bad(what, hint string, err error) error {
	return &citewell.Error{Code: citewell.CodeInvalidConfig, Op: "tokens",
		Message: "the file of tokens " + t.file + " " + what, Hint: hint, Err: err}
}

// current are the tokens as the file has them.
func (t *Tokens) current() []Token {
	t.mu.Lock()
	defer t.mu.Unlock()
	if time.Since(t.read) >= lookAgain {
		t.read = time.Now()
		_ = t.reload() // which keeps its error
	}
	return t.kept
}

// InUse says whether a token is needed: from the first one on, also when the last was taken away or the file was.
func (t *Tokens) InUse() bool {
	if t == nil {
		return false
	}
	t.current()
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.inUse
}

// unusable is why the file knows nobody.
func (t *Tokens) unusable() error {
	t.current()
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.trouble
}

// File is where the tokens are kept.
func (t *Tokens) File() string { return t.file }

// List returns the tokens by their names.
func (t *Tokens) List() []Token {
	list := slices.Clone(t.current())
	slices.SortFunc(list, func(a, b Token) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// Tenants are those of the tokens, as the file was last read.
func (t *Tokens) Tenants() (all []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, k := range t.kept {
		all = append(all, k.Tenant)
	}
	return all
}

// opens says whether a token is for a scope. What is counted of the whole process is not
// for each tenant: there ScopeAll is not enough.
func (k Token) opens(scope string) bool {
	if scope == ScopeMetrics {
		return slices.Contains(k.Scopes, ScopeMetrics) || slices.Contains(k.Scopes, ScopeAll) &&
			k.Tenant == DefaultTenant
	}
	return slices.ContainsFunc(k.Scopes, func(s string) bool { return s == scope || s == ScopeAll || s == ScopeAdmin })
}

// A pass says whose a token or a session is now, or why it may not open what it opened, and
// when its time is over; zero is never.
type pass func() (c Caller, refused string, until time.Time)

// ownerOf is the pass of a token for a scope. It compares with every kept token, in the same time whichever fits.
func (t *Tokens) ownerOf(given, scope string) pass {
	hash := hashOf(given)
	return func() (Caller, string, time.Time) {
		return t.who("token", scope, func(k Token) (bool, time.Time) {
			return subtle.ConstantTimeCompare([]byte(hash), []byte(k.SHA256)) == 1, time.Time{}
		})
	}
}

// visitorOf is the pass of a session, as ownerOf.
func (t *Tokens) visitorOf(ctx context.Context, id, scope string) pass {
	hash := hashOf(id)
	var there shelved
	var looked time.Time
	return func() (Caller, string, time.Time) {
		inFile := false
		c, refused, until := t.who("session", scope, func(k Token) (found bool, until time.Time) {
			found, until = k.holds(hash)
			inFile = inFile || found
			return found, until
		})
		if inFile {
			return c, refused, until
		}
		if time.Since(looked) >= lookOnShelf {
			there, _ = t.onShelf(ctx, hash)
			looked = time.Now()
		}
		return t.who("session", scope, func(k Token) (bool, time.Time) {
			return there.Token != "" && there.Token == k.SHA256 && time.Now().Before(there.ExpiresAt), there.ExpiresAt
		})
	}
}

// readerOf is the pass of the key of the feed of a watch, as ownerOf.
func (t *Tokens) readerOf(key, watch string) pass {
	return func() (Caller, string, time.Time) {
		return t.who("key of a feed", ScopeAPI, func(k Token) (bool, time.Time) {
			return key != "" && subtle.ConstantTimeCompare([]byte(k.caller().FeedKey(watch)), []byte(key)) == 1,
				time.Time{}
		})
	}
}

// caller is who comes with the token.
func (k Token) caller() Caller {
	return Caller{Name: k.Name, Tenant: k.Tenant, Admin: slices.Contains(k.Scopes, ScopeAdmin), hash: k.SHA256}
}

// who is whose something is that is, or is of, the token for which its says so and until when.
func (t *Tokens) who(what, scope string, its func(Token) (bool, time.Time)) (c Caller, refused string,
	until time.Time) {
	refused = "unknown " + what
	for _, k := range t.current() {
		yes, end := its(k)
		if !yes {
			continue
		}
		switch {
		case !k.ExpiresAt.IsZero() && !time.Now().Before(k.ExpiresAt):
			refused = "expired token " + k.Name
		case !k.opens(scope):
			refused = "token " + k.Name + " is not for " + scope
		default:
			c, refused, until = k.caller(), "", k.ExpiresAt
			if until.IsZero() || !end.IsZero() && end.Before(until) {
				until = end
			}
		}
	}
	return c, refused, until
}

// while is a context that ends when its pass, which is good until then, is refused: when its time is over, and within
// two of lookAgain where its token was revoked or opens less. context.Cause is auth then. end frees it.
func while(ctx context.Context, still pass, until time.Time) (_ context.Context, end func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	next := func(until time.Time) time.Duration {
		if until.IsZero() {
			return lookAgain
		}
		return min(max(time.Until(until), 0), lookAgain)
	}
	var timer *time.Timer
	kept := make(chan struct{}) // closed once timer is: it may go off before
	timer = time.AfterFunc(next(until), func() {
		<-kept
		if _, refused, until := still(); refused != "" {
			cancel(&citewell.Error{Code: citewell.CodeAuth, Op: "tokens",
				Message: "the token that signed you in has ended",
				Hint:    "sign in with another: citewell token create NAME makes one"})
		} else if ctx.Err() == nil {
			timer.Reset(next(until))
		}
	})
	close(kept)
	return ctx, func() { timer.Stop(); cancel(nil) }
}

// Create makes a token of k's name, scopes, budget and tenant, DefaultTenant where that is empty,
// that lasts for so long, for ever when 0, and keeps its hash. This is the only time it is seen.
func (t *Tokens) Create(k Token, lifetime time.Duration) (string, error) {
	token := prefix + newSecret()
	err := t.changeFile(func(kept []Token) ([]Token, error) {
		k.Tenant = cmp.Or(k.Tenant, DefaultTenant)
		if err := k.check(); err != nil {
			return nil, err
		}
		switch {
		case lifetime < 0:
			return nil, &citewell.Error{Code: citewell.CodeInvalidArgument,
				Message: fmt.Sprintf("a token cannot last %v", lifetime),
				Hint:    "as in 720h; leave it out for a token that lasts for ever"}
		case slices.ContainsFunc(kept, func(other Token) bool { return other.Name == k.Name }):
			return nil, &citewell.Error{Code: citewell.CodeInvalidArgument,
				Message: fmt.Sprintf("there is a token %q already", k.Name),
				Hint:    "citewell token revoke takes it away"}
		}
		k.SHA256, k.CreatedAt = hashOf(token), time.Now().UTC()
		if lifetime > 0 {
			k.ExpiresAt = k.CreatedAt.Add(lifetime)
		}
		return append(kept, k), nil
	})
	if err != nil {
		return "", err
	}
	return token, nil
}

// newSecret returns 32 random bytes in letters.
func newSecret() string {
	secret := make([]byte, 32)
	rand.Read(secret) // never fails: it ends the process instead
	return base64.RawURLEncoding.EncodeToString(secret)
}

// check says what of a token that is to be made cannot be.
func (k Token) check() error {
	switch {
	case len(k.Scopes) == 0:
		return &citewell.Error{Code: citewell.CodeInvalidArgument, Message: "a token needs a scope",
			Hint: "there are " + strings.Join(Scopes, ", ")}
	case strings.TrimSpace(k.Name) == "" || len(k.Name) > 100:
		return &citewell.Error{Code: citewell.CodeInvalidArgument, Message: "a token needs a name of 1 to 100 bytes",
			Hint: "say what it is for, as in laptop"}
	}
	for _, s := range k.Scopes {
		if !slices.Contains(Scopes, s) {
			return &citewell.Error{Code: citewell.CodeInvalidArgument,
				Message: fmt.Sprintf("there is no scope %.40q", s), Hint: "there are " + strings.Join(Scopes, ", ")}
		}
	}
	return checkTenant(k.Tenant)
}

// Revoke forgets a token.
func (t *Tokens) Revoke(name string) error {
	return t.changeFile(func(kept []Token) ([]Token, error) {
		i := slices.IndexFunc(kept, func(k Token) bool { return k.Name == name })
		if i < 0 {
			return nil, &citewell.Error{Code: citewell.CodeNotFound,
				Message: fmt.Sprintf("there is no token %.60q", name), Hint: "citewell token list shows them"}
		}
		return slices.Delete(kept, i, i+1), nil
	})
}

// changeFile replaces the tokens of the file by what change makes of a copy of them.
func (t *Tokens) changeFile(change func([]Token) ([]Token, error)) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	unlock, err := t.begin()
	if err != nil {
		return err
	}
	defer unlock()
	changed, err := change(slices.Clone(t.kept))
	if err != nil {
		return err
	}
	return t.write(changed)
}

// begin reads what the file has now and keeps other processes from changing it until
// end: a token that one of them takes away must not come back with what another kept.
func (t *Tokens) begin() (end func(), err error) {
	if err := os.MkdirAll(filepath.Dir(t.file), 0o700); err != nil {
		return nil, t.bad("cannot be written", "", err)
	}
	held, err := os.OpenFile(t.file+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, t.bad("cannot be written", "", err)
	}
	end = func() { _ = held.Close() } // which frees it
	if err := lock(held); err != nil {
		end()
		return nil, t.bad("cannot be locked", "", err)
	}
	t.change = nil // whatever its time says: clocks are coarser than processes
	if err := t.reload(); err != nil {
		end()
		return nil, err
	}
	return end, nil
}

// write replaces the file whole.
func (t *Tokens) write(tokens []Token) error {
	data, err := json.MarshalIndent(tokens, "", "  ")
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(t.file), ".tokens-*") // mode 0600
	if err != nil {
		return t.bad("cannot be written", "", err)
	}
	defer os.Remove(f.Name()) // gone already where all went well
	_, err = f.Write(append(data, '\n'))
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), t.file)
	}
	if err != nil {
		return t.bad("cannot be written", "", err)
	}
	t.kept, t.inUse, t.change, t.trouble = tokens, true, nil, nil
	return nil
}
