package quota

import (
	"errors"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/server/access"
)

// A bound that is reached is named with its figures and when it begins anew; what has no
// bound is never reached.
func TestPurse(t *testing.T) {
	now := time.Date(2026, 3, 4, 22, 30, 0, 0, time.UTC)
	for name, test := range map[string]struct {
		budget access.Budget
		spent  runstore.Spent
		bounds []string
		says   string
	}{
		"nothing is bounded": {access.Budget{}, runstore.Spent{Tokens: 1e9, USD: 1e9, Searches: 1e9},
			[]string{"tokens", "usd", "searches"}, ""},
		"below": {access.Budget{Tokens: 1000, USD: 0.5, Searches: 3},
			runstore.Spent{Tokens: 999, USD: 0.4999, Searches: 2}, []string{"tokens", "usd", "searches"}, ""},
		"tokens": {access.Budget{Tokens: 1000}, runstore.Spent{Tokens: 1000}, []string{"tokens", "usd"},
			"the token ann has spent 1000 of its 1000 tokens of 2026-03-04"},
		"usd": {access.Budget{USD: 0.5}, runstore.Spent{USD: 0.51234}, []string{"tokens", "usd"},
			"the token ann has spent 0.5123 of its 0.5000 usd of 2026-03-04"},
		"searches": {access.Budget{Searches: 3}, runstore.Spent{Searches: 4}, []string{"searches"},
			"the token ann has spent 4 of its 3 searches of 2026-03-04"},
		"not asked for": {access.Budget{Searches: 3}, runstore.Spent{Searches: 4}, []string{"tokens", "usd"}, ""},
	} {
		err := (&purse{"ann", test.budget, test.spent, now}).over(test.bounds...)
		if test.says == "" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		e, ok := errors.AsType[*citewell.Error](err)
		if !ok || e.Code != citewell.CodeQuotaExceeded || e.Message != test.says || e.RetryAfter != 90*time.Minute ||
			e.Hint != "its budget starts again at 2026-03-05 00:00 UTC; the operator can give it a larger one" {
			t.Errorf("%s: %+v", name, err)
		}
	}
}
