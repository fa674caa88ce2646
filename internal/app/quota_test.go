package app

import (
	"errors"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/server/access"
	"github.com/citewell/citewell/store"
)

// A bound that is reached is named with its figures and when it begins anew; what has no
// bound is never reached.
func TestPurse(t *testing.T) {
	now := time.Date(2026, 3, 4, 22, 30, 0, 0, time.UTC)
	for name, test := range map[string]struct {
		budget access.Budget
		spent  store.Spent
		bounds []string
		says   string
	}{
		"nothing is bounded": {access.Budget{}, store.Spent{Tokens: 1e9, USD: 1e9, Searches: 1e9}, []string{"tokens", "usd", "searches"}, ""},
		"below":              {access.Budget{Tokens: 1000, USD: 0.5, Searches: 3}, store.Spent{Tokens: 999, USD: 0.4999, Searches: 2}, []string{"tokens", "usd", "searches"}, ""},
		"tokens":             {access.Budget{Tokens: 1000}, store.Spent{Tokens: 1000}, []string{"tokens", "usd"}, "the token ann has spent 1000 of its 1000 tokens of 2026-03-04"},
		"usd":                {access.Budget{USD: 0.5}, store.Spent{USD: 0.51234}, []string{"tokens", "usd"}, "the token ann has spent 0.5123 of its 0.5000 usd of 2026-03-04"},
		"searches":           {access.Budget{Searches: 3}, store.Spent{Searches: 4}, []string{"searches"}, "the token ann has spent 4 of its 3 searches of 2026-03-04"},
		"not asked for":      {access.Budget{Searches: 3}, store.Spent{Searches: 4}, []string{"tokens", "usd"}, ""},
	} {
		err := purse{"ann", test.budget, test.spent, now}.over(test.bounds...)
		if test.says == "" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		e, ok := errors.AsType[*citewell.Error](err)
		if !ok || e.Code != citewell.CodeQuotaExceeded || e.Message != test.says || e.RetryAfter != 90*time.Minute || e.Hint != "its budget begins anew at 2026-03-05 00:00 UTC; the operator can give it a larger one" {
			t.Errorf("%s: %+v", name, err)
		}
	}
}

// A watch stands as long as the token of its tenant that added it.
func TestWatchesStandWithTheirToken(t *testing.T) {
	a := open(t, Options{Config: loaded(t, nil)})
	tokens, err := access.Load(a.tokensFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range []access.Token{{Name: "ann", Scopes: []string{access.ScopeAPI}}, {Name: "bob", Scopes: []string{access.ScopeAPI}, Tenant: "acme"}, {Name: "short", Scopes: []string{access.ScopeAPI}}} {
		lifetime := time.Duration(0)
		if k.Name == "short" {
			lifetime = time.Nanosecond
		}
		if _, err := tokens.Create(k, lifetime); err != nil {
			t.Fatal(err)
		}
	}
	runs, err := a.Runs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"ann": true, "bob": false, "short": false, "nobody": false} {
		if got := runs.Watches.Stands(job.OwnerOf(name)); got != want {
			t.Errorf("the watches of %s stand: %v", name, got)
		}
	}
	acme, err := a.Room("acme").Runs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !acme.Watches.Stands(job.OwnerOf("bob")) {
		t.Error("in its own tenant the watches of bob do not stand")
	}
	if err := tokens.Revoke("ann"); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); runs.Watches.Stands(job.OwnerOf("ann")); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the watches of ann outlive her token")
		}
	}
}
