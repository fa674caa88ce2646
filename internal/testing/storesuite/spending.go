package storesuite

import (
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/runstore"
)

// spending is what each caller of a tenant has spent on each day, also after the store was
// opened again.
func spending(t *testing.T, b RunBackend) {
	ctx, night := t.Context(), time.Date(2026, 3, 4, 23, 59, 59, 0, time.UTC)
	morning := night.Add(time.Second)
	s := b.Tenant("a")
	for _, more := range []runstore.Spent{{Tokens: 1000, USD: 0.25}, {Searches: 2},
		{Tokens: 1, USD: 0.25, Searches: 1}} {
		if err := s.Spend(ctx, "ann", night, more); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Spend(ctx, "ann", morning.In(time.FixedZone("west", -8*3600)), runstore.Spent{Tokens: 7}); err != nil {
		t.Fatal(err)
	}
	for _, caller := range []string{"", strings.Repeat("a", runstore.MaxRunCaller+1)} {
		if err := s.Spend(ctx, caller, night, runstore.Spent{}); citewell.CodeOf(err) != citewell.CodeInvalidArgument {
			t.Errorf("a caller of %d bytes: %v", len(caller), err)
		}
	}
	b = b.Reopen(t)
	for _, test := range []struct {
		tenant, caller string
		at             time.Time
		want           runstore.Spent
	}{
		{"a", "ann", night, runstore.Spent{Tokens: 1001, USD: 0.5, Searches: 3}},
		{"a", "ann", night.Add(-23 * time.Hour), runstore.Spent{Tokens: 1001, USD: 0.5, Searches: 3}},
		{"a", "ann", morning, runstore.Spent{Tokens: 7}},
		{"a", "ann", night.AddDate(0, 0, -1), runstore.Spent{}},
		{"a", "bob", night, runstore.Spent{}},
		{"b", "ann", night, runstore.Spent{}},
	} {
		if got, err := b.Tenant(test.tenant).Spent(ctx, test.caller, test.at); err != nil || got != test.want {
			t.Errorf("%s of %s at %v: %+v, %v, want %+v", test.caller, test.tenant, test.at, got, err, test.want)
		}
	}
	if err := b.Tenant("a").Spend(ctx, "ann", night.AddDate(0, 0, 7), runstore.Spent{Tokens: 1}); err != nil {
		t.Fatal(err)
	}
	if got, err := b.Tenant("a").Spent(ctx, "ann", night); err != nil || got != (runstore.Spent{}) {
		t.Errorf("after a week: %+v, %v", got, err)
	}
}
