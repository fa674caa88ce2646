package trials

import (
	"context"
	"fmt"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/doctor"
	"github.com/citewell/citewell/internal/searchcall"
)

// A provider that finds nothing for a common word is doubted, and what a provider
// notes is shown; a person's own documents may well hold no such word.
func TestProviderProbe(t *testing.T) {
	for _, test := range []struct {
		provider noting
		rate     float64
		want     doctor.Answer
	}{
		{noting{name: "web", results: 2, note: "engines behind it failed: one"}, 1.5,
			doctor.Answer{Detail: `2 results for "weather"; engines behind it failed: one; ` +
				"1.5 calls a second carry about 30 runs at once at 3 searches a minute each, beyond that " +
				"searches wait " +
				"for their turn"}},
		{noting{name: "web", note: "it is tired"}, 0, doctor.Answer{
			Detail: `0 results for "weather"; it is tired`, Doubt: "a word this common should find something",
			Hint: "the provider may be blocking this machine, or have nothing behind it; try it in a browser"}},
		{noting{name: "local"}, 0, doctor.Answer{Detail: `0 results for "weather"`}},
	} {
		if got, err := tryProvider(t.Context(), test.provider, test.rate); err != nil || got != test.want {
			t.Errorf("%+v: %+v, %v", test.provider, got, err)
		}
	}
}

// A noting provider finds some results and notes something.
type noting struct {
	name    string
	results int
	note    string
}

func (n noting) Name() string { return n.name }

func (n noting) Search(ctx context.Context, _ citewell.Query) ([]citewell.Result, error) {
	searchcall.Note(ctx, n.note)
	results := make([]citewell.Result, n.results)
	for i := range results {
		results[i] = citewell.Result{
			Provider: n.name,
			Title:    "Weather",
			URL:      fmt.Sprintf("https://weather.test/%d", i),
			Rank:     i + 1,
		}
	}
	return results, nil
}
