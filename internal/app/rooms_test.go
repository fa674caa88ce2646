package app

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/config"
	"github.com/citewell/citewell/search"
	"github.com/citewell/citewell/store/sqlite"
)

// What a tenant has of a folder is the folder's for the operator's own tenant, and a folder of
// its name below it for another.
func TestRooms(t *testing.T) {
	dir := t.TempDir()
	for tenant, want := range map[string]string{"default": dir, "acme": filepath.Join(dir, "acme")} {
		if got := (&App{tenant: tenant}).ownFolder(dir); got != want {
			t.Errorf("%s: %s, want %s", tenant, got, want)
		}
	}
}

// answering answers everything, and counts.
type answering struct{ asked int }

func (*answering) Name() string { return "wikipedia" }

func (c *answering) Search(context.Context, citewell.Query) ([]citewell.Result, error) {
	c.asked++
	return []citewell.Result{{Title: "Tide", URL: "https://en.wikipedia.org/wiki/Tide"}}, nil
}

// What a provider answered one tenant is used again by that tenant alone, and under the same
// settings alone: another would learn that somebody had asked.
func TestAnswersAreOfATenant(t *testing.T) {
	cache, err := sqlite.OpenCache(t.Context(), filepath.Join(t.TempDir(), "cache.db"), sqlite.CacheOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cache.Close() })
	shared := &parts{Cache: cache}
	service := new(answering)
	elsewhere := config.Search{Providers: map[string]config.Provider{"wikipedia": {BaseURL: "https://wiki.example/"}}}
	for i, step := range []struct {
		tenant string
		of     config.Search
		asked  int // until then
	}{{"acme", config.Search{}, 1}, {"acme", config.Search{}, 1}, {"zeta", config.Search{}, 2}, {"acme", elsewhere, 3},
		{"zeta", config.Search{}, 3}} {
		kept, err := (&App{tenant: step.tenant, parts: shared}).keptAnswers(step.of)
		if err != nil {
			t.Fatal(err)
		}
		p := search.NewGate("wikipedia", search.Limits{Fresh: time.Hour}).GuardKept(service, kept)
		if results, err := p.Search(t.Context(), citewell.Query{Text: "tide"}); err != nil || len(results) != 1 ||
			service.asked != step.asked {
			t.Errorf("step %d: asked %d times, want %d; %v", i, service.asked, step.asked, err)
		}
	}
}
