package app

import (
	"testing"
	"time"

	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/server/access"
)

// A watch stands as long as the token of its tenant that added it.
func TestWatchesStandWithTheirToken(t *testing.T) {
	a := open(t, Options{Config: loaded(t, nil)})
	tokens, err := access.Load(a.tokensFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range []access.Token{{Name: "ann", Scopes: []string{access.ScopeAPI}},
		{Name: "bob", Scopes: []string{access.ScopeAPI}, Tenant: "acme"},
		{Name: "short", Scopes: []string{access.ScopeAPI}}} {
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
	for deadline := time.Now().Add(time.Minute); runs.Watches.Stands(job.OwnerOf("ann")); time.Sleep(
		10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the watches of ann outlive her token")
		}
	}
}
