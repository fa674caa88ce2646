package brief

import (
	"context"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/fetch"
)

// enters is a fetcher that says whether what it is asked for may lead, by a public name,
// into the operator's networks.
type enters struct {
	*fakeWeb
	entered func(bool)
}

func (e enters) Get(ctx context.Context, r fetch.Request) (citewell.Page, error) {
	e.entered(egress.Default().Enters(ctx, "wiki.corp.com"))
	return e.fakeWeb.Get(ctx, r)
}

// A search engine is believed nothing about which names lead to the operator's own hosts.
func TestResultsAreFound(t *testing.T) {
	w, web, _ := writer(Options{}, finds("a", 0, "https://one.example/", "https://two.example/"))
	var all []bool
	w.o.Fetcher = enters{web, func(in bool) { web.mu.Lock(); defer web.mu.Unlock(); all = append(all, in) }}
	write(t, w, 5)
	if len(all) == 0 {
		t.Fatal("nothing was fetched")
	}
	for _, in := range all {
		if in {
			t.Error("a result's name may lead into the operator's networks")
		}
	}
}
