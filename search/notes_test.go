package search_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/searchcall"
	"github.com/citewell/citewell/search"
)

// noting is a provider that says things of itself and then answers.
func noting(answer func(context.Context) ([]citewell.Result, error), said ...string) search.Provider {
	return script(func(ctx context.Context) ([]citewell.Result, error) {
		for _, note := range said {
			searchcall.Note(ctx, note)
		}
		return answer(ctx)
	})
}

func TestNotesStandInTheDetail(t *testing.T) {
	fails := func(context.Context) ([]citewell.Result, error) {
		return nil, &citewell.Error{Code: citewell.CodeRateLimited, Message: "too many calls", Hint: "wait"}
	}
	many := make([]string, 100)
	for i := range many {
		many[i] = fmt.Sprint("note ", i)
	}
	tests := []struct {
		name     string
		provider search.Provider
		outcome  citewell.ProviderOutcome
		detail   string
	}{
		{"none", noting(found("https://a.example/")), citewell.ProviderOK, ""},
		{"ok", noting(found("https://a.example/"), "the query was cut", "", "no region"), citewell.ProviderOK,
			"the query was cut; no region"},
		{"empty", noting(found(), "the query was cut"), citewell.ProviderEmpty, "the query was cut"},
		{"failed", noting(fails, "the query was cut"), citewell.ProviderRateLimited,
			"too many calls; wait; the query was cut"},
		{"many", noting(found("https://a.example/"), many...), citewell.ProviderOK, strings.Join(many[:8], "; ")},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			// notes pass through, once though it tries twice
			guarded := search.Guarded(test.provider, search.Limits{FirstBackoff: time.Millisecond})
			for a := range search.Ask(t.Context(), question, []search.Provider{guarded}, time.Second) {
				if a.Outcome != test.outcome || a.Detail != test.detail {
					t.Errorf("got %s %q, want %s %q", a.Outcome, a.Detail, test.outcome, test.detail)
				}
			}
		})
	}
}

func TestNoteNeedsNobody(t *testing.T) {
	searchcall.Note(t.Context(), "nobody hears this")
	var mu sync.Mutex
	var heard []string
	ctx := searchcall.WithNotes(t.Context(), func(note string) { mu.Lock(); heard = append(heard, note); mu.Unlock() })
	var telling sync.WaitGroup
	for range 4 {
		telling.Go(func() { searchcall.Note(ctx, "heard") })
	}
	telling.Wait()
	if len(heard) != 4 {
		t.Errorf("heard %q", heard)
	}
}
