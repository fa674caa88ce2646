package page_test

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/store"
)

// What keeps a provider from answering has a word of its own on the page, whatever it is.
func TestEachOutcomeHasItsWord(t *testing.T) {
	outcomes := []citewell.ProviderOutcome{citewell.ProviderEmpty, citewell.ProviderBlocked, citewell.ProviderRateLimited, citewell.ProviderQueued, citewell.ProviderQuotaExhausted,
		citewell.ProviderAuth, citewell.ProviderTimeout, citewell.ProviderBadResponse, citewell.ProviderFailed}
	seen := map[string]citewell.ProviderOutcome{}
	for _, o := range outcomes {
		r := toldRun{state: store.RunCompleted}
		r.happens(100, "result", fmt.Sprintf(`{"iteration":1,"name":"web_search_tool","search":{"query":"barges","providers":[{"name":"engine","outcome":%q,"results":0}]}}`, o))
		said := regexp.MustCompile(`engine ([^<·]*)<`).FindStringSubmatch(r.opens(t, "/log"))
		if said == nil || said[1] == "" {
			t.Fatalf("nothing is said of %s", o)
		}
		if other, twice := seen[said[1]]; twice {
			t.Errorf("%s and %s are both told as %q", o, other, said[1])
		}
		seen[said[1]] = o
	}
}
