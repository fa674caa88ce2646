// Package access decides who may use the HTTP server: from which host name, from which page, with which token.
//
// Flow: request → host on the list → origin on the list → token with the route's scope, the session of a browser that
// has shown one, or the key of a feed → Caller in the context → handler. The host list stops DNS rebinding; the origin
// list stops pages of other sites that call the server from the user's browser. Once the first token exists, one is
// required, on loopback too.
// Errors: permission_denied (403) for a host or an origin, auth (401, with WWW-Authenticate) for a token, each as
// {"error":{...}} or as Refusing says. Only the log says why a token was refused.
// Concurrency: everything here may be used from many goroutines.
package access

import (
	"encoding/json"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/citewell/citewell"
)

// Options say who may come in.
type Options struct {
	Listen  string   // the address that is listened on, "127.0.0.1:8010"
	Hosts   []string // further names in Host headers, with or without a port
	Origins []string // further origins of pages, "https://desk.example"
	Tokens  *Tokens
	Log     *slog.Logger
}

// A Door lets requests in, or does not.
type Door struct {
	o       Options
	port    string
	private bool // only this machine reaches it
	foreign *http.CrossOriginProtection
	refuse  func(http.ResponseWriter, error)
}

// New returns a Door. invalid_config where an origin is none, and permission_denied
// where the address is not of this machine alone and there is no token.
func New(o Options) (*Door, error) {
	host, port, err := net.SplitHostPort(o.Listen)
	if err != nil {
		return nil, &citewell.Error{Code: citewell.CodeInvalidConfig,
			Message: "server.listen must be HOST:PORT, as in 127.0.0.1:8010", Err: err}
	}
	if !loopback(host) && !o.Tokens.InUse() { // and For asks for one from then on, whatever becomes of their file
		return nil, &citewell.Error{Code: citewell.CodePermissionDenied, Op: "serve",
			Message: "server.listen " + o.Listen + " can be reached from other machines, and there is no token",
			Hint:    "citewell token create NAME makes one; or listen on 127.0.0.1"}
	}
	d := &Door{o: o, port: port, private: loopback(host), foreign: http.NewCrossOriginProtection(), refuse: Refuse}
	for _, origin := range o.Origins {
		if err := d.foreign.AddTrustedOrigin(origin); err != nil {
			return nil, &citewell.Error{Code: citewell.CodeInvalidConfig,
				Message: "server.allowed_origins: " + origin + " is no origin",
				Hint:    "as in https://desk.example or http://localhost:3000", Err: err}
		}
	}
	return d, nil
}

// Refusing is the same door for routes whose clients read errors of another form:
// refuse writes them.
func (d *Door) Refusing(refuse func(http.ResponseWriter, error)) *Door {
	other := *d
	other.refuse = refuse
	return &other
}

// loopback says whether host can be reached from this machine alone.
func loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}

// Open lets anybody in who comes by an allowed name: for what says nothing.
func (d *Door) Open(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if d.known(w, r) && !d.shared(w, r) {
			next.ServeHTTP(w, r)
		}
	})
}

// shared tells a browser that a page of a listed origin may read the answer, and says
// whether that was all it asked. Cookies are no part of it: ours is for our own page.
func (d *Door) shared(w http.ResponseWriter, r *http.Request) (answered bool) {
	origin := r.Header.Get("Origin")
	if !slices.Contains(d.o.Origins, origin) {
		return false
	}
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", origin)
	h.Add("Vary", "Origin")
	h.Set("Access-Control-Expose-Headers", "Mcp-Session-Id, Mcp-Protocol-Version, WWW-Authenticate, X-Agent-ID, "+
		"X-Agent-Model, Retry-After, Location, Content-Disposition")
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	h.Set("Access-Control-Allow-Methods", "GET, POST, DELETE")
	h.Set("Access-Control-Allow-Headers", r.Header.Get("Access-Control-Request-Headers"))
	h.Set("Access-Control-Max-Age", "600")
	w.WriteHeader(http.StatusNoContent)
	return true
}

// For lets in who also has a token of the scope, where there are tokens or other
// machines. What it let in ends with the token, as while says.
func (d *Door) For(scope string, next http.Handler) http.Handler {
	return d.to(scope, next, func(r *http.Request) pass {
		if id := d.session(r); id != "" && scope == ScopeAPI {
			return d.o.Tokens.visitorOf(r.Context(), id, scope)
		}
		return nil
	})
}

// ForFeed is For(ScopeAPI, next) at a path with {watch}, which Caller.FeedKey of that watch opens as
// well, in the parameter FeedKey of the query: a feed reader has nothing but an address.
func (d *Door) ForFeed(next http.Handler) http.Handler {
	session := d.For(ScopeAPI, next)
	byKey := d.to(ScopeAPI, next, func(r *http.Request) pass {
		return d.o.Tokens.readerOf(r.URL.Query().Get(FeedKey), r.PathValue("watch"))
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "" && r.URL.Query().Has(FeedKey) {
			byKey.ServeHTTP(w, r)
			return
		}
		session.ServeHTTP(w, r)
	})
}

// to lets in who has a token of the scope, or what otherwise finds in a request without one; nil finds nothing.
func (d *Door) to(scope string, next http.Handler, otherwise func(*http.Request) pass) http.Handler {
	return d.Open(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !d.Asks() {
			next.ServeHTTP(w, r)
			return
		}
		scheme, given, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		caller, reason, until, challenge := Caller{}, "no token", time.Time{}, `Bearer realm="citewell"`
		said, hint := "a bearer token is needed here", "citewell token create NAME makes one"
		var still pass
		if strings.EqualFold(scheme, "Bearer") {
			still = d.o.Tokens.ownerOf(strings.TrimSpace(given), scope)
			caller, reason, until = still()
			challenge += `, error="invalid_token"` // RFC 6750, section 3.1
			if strings.TrimSpace(given) != "" {    // which of its faults it is, nobody is told
				said = "the token is not valid here"
				hint = "it is unknown, has expired or lacks the scope: see citewell token list; " + hint
			}
		} else if still = otherwise(r); still != nil {
			caller, reason, until = still()
		}
		if err := d.o.Tokens.unusable(); err != nil {
			reason = err.Error()
		}
		if reason != "" {
			d.o.Log.Warn("token refused", "path", r.URL.Path, "reason", reason)
			w.Header().Set("WWW-Authenticate", challenge)
			d.refuse(w, &citewell.Error{Code: citewell.CodeAuth, Message: said, Hint: hint})
			return
		}
		ctx, end := while(WithCaller(r.Context(), caller), still, until)
		defer end()
		next.ServeHTTP(w, r.WithContext(ctx))
	}))
}

// known says whether the request came by an allowed name from an allowed page, and answers it where not.
func (d *Door) known(w http.ResponseWriter, r *http.Request) bool {
	if !d.hostAllowed(r.Host) {
		d.refuse(w, &citewell.Error{Code: citewell.CodePermissionDenied,
			Message: "the host name of this request is not allowed",
			Hint:    "server.allowed_hosts lists the names by which this server is reached"})
		return false
	}
	if origin := r.Header.Get("Origin"); origin != "" && !d.originAllowed(origin, r.Host) || d.foreign.Check(r) != nil {
		d.refuse(w, &citewell.Error{Code: citewell.CodePermissionDenied,
			Message: "a page of another site may not call this server",
			Hint:    "server.allowed_origins lists the sites that may"})
		return false
	}
	return true
}

// hostAllowed compares names without case and without our own port.
func (d *Door) hostAllowed(host string) bool {
	name, port, err := net.SplitHostPort(host)
	if err != nil {
		name, port = strings.Trim(host, "[]"), ""
	}
	own, _, _ := net.SplitHostPort(d.o.Listen) // New has seen to its form
	if port == "" || port == d.port {
		if loopback(name) || strings.EqualFold(name, own) {
			return true
		}
	}
	return slices.ContainsFunc(d.o.Hosts, func(allowed string) bool {
		return strings.EqualFold(allowed, host) || strings.EqualFold(allowed, name)
	})
}

// originAllowed lets our own pages call us, and those of the list.
func (d *Door) originAllowed(origin, host string) bool {
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" {
		return false // "null" among them: a page that hides where it is from
	}
	return u.Host == host || slices.Contains(d.o.Origins, origin)
}

// Refuse answers with an error, by the status that fits it.
func Refuse(w http.ResponseWriter, err error) {
	view := citewell.View(err)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(view.Code.Row().HTTP)
	json.NewEncoder(w).Encode(map[string]citewell.ErrorView{"error": view}) // the client is gone where this fails
}
