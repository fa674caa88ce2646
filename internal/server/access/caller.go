package access

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/turns"
)

// DefaultTenant is the tenant of whoever needs no token, and of a token that was made without one.
const DefaultTenant = "default"

// A Caller is who a request comes from, as far as the door has proved it.
type Caller struct {
	Name   string // of the token; empty where none was needed: the operator at the machine
	Tenant string // whose room the request comes into
	Admin  bool   // it sees what every token of its tenant began

	hash string // of the token
}

// FeedKey is the parameter of a query that has the key of a feed.
const FeedKey = "key"

// FeedKey is what opens the feed of a watch to who has nothing but its address, and opens nothing
// else. It is made of the token, kept nowhere, and ends with it. Empty where no token was needed.
func (c Caller) FeedKey(watch string) string {
	if c.hash == "" {
		return ""
	}
	of := hmac.New(sha256.New, []byte(c.hash))
	fmt.Fprintf(of, "citewell feed %q %q", c.Tenant, watch) // a hash takes all
	return base64.RawURLEncoding.EncodeToString(of.Sum(nil)[:16])
}

type callerKey struct{}

// WithCaller is a context of what c asks for, in the turns of its tenant and of its own shares.
func WithCaller(ctx context.Context, c Caller) context.Context {
	return turns.As(context.WithValue(ctx, callerKey{}, c), c.Tenant, c.Name)
}

// CallerOf is who asks for what is done in ctx: the operator at the machine where no door said otherwise.
func CallerOf(ctx context.Context) Caller {
	if c, ok := ctx.Value(callerKey{}).(Caller); ok {
		return c
	}
	return Caller{Tenant: DefaultTenant}
}

// tenantForm is what a tenant may be called: its name becomes that of folders.
var tenantForm = lazyregexp.New(`^[a-z0-9][a-z0-9_-]{0,63}$`)

func checkTenant(name string) error {
	if tenantForm.MatchString(name) {
		return nil
	}
	return &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "tokens",
		Message: fmt.Sprintf("a tenant cannot be called %.80q", name),
		Hint:    "1 to 64 small letters, digits, _ and -, the first a letter or digit"}
}
