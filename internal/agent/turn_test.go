package agent_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/search"
)

// A webOfShelves is a provider that finds the pages of the shelf that a query names.
type webOfShelves struct{ shelves []*runShelf }

func (*webOfShelves) Name() string { return "web" }

func (w *webOfShelves) Search(ctx context.Context, q citewell.Query) ([]citewell.Result, error) {
	var n int
	if _, err := fmt.Sscanf(q.Text, "lake %d", &n); err != nil {
		return nil, err
	}
	return w.shelves[n].Search(ctx, q)
}

// Runs that ask all at once wait for their turn at a provider as long as it takes, tell of it,
// and are all answered, also where the pace lets few of them ask within the time of a search.
func TestRunsWaitForTheirTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const runs = 64
		web := &webOfShelves{}
		for n := range runs {
			web.shelves = append(web.shelves, ownShelf(n))
		}
		p := search.Guarded(web, search.Limits{Rate: 1.5, Burst: 5})
		var mu sync.Mutex
		queued := 0
		var all sync.WaitGroup
		for n, s := range web.shelves {
			m := &thinker{thinking: 300 * time.Millisecond, script: script{replies: []reply{
				thinks(), calls(searchFor(fmt.Sprintf("lake %d herons", n))), thinks(),
				calls(searchFor(fmt.Sprintf("lake %d wardens", n))),
				thinks(), calls(s.reads(0, 1)), thinks(), calls(finalCall(
					fmt.Sprintf("In the spring of 2024 the wardens counted %d grey herons at lake %d [1].", 300+n, n))),
			}}}
			a, err := agent.New(agent.Options{Shape: agent.ShapeSGRToolCalling, Model: m,
				Searcher: agent.Providers{List: []search.Provider{p}}, Reader: s, Journal: agent.NewMemoryJournal(),
				Budget: agent.Budget{WallTime: 30 * time.Minute}, Tell: func(e agent.Event) {
					mu.Lock()
					defer mu.Unlock()
					if e.Kind == "queued" && e.Name == "web" && e.Text != "" {
						queued++
					}
				}})
			if err != nil {
				t.Fatal(err)
			}
			all.Go(func() {
				r, err := a.Run(t.Context(), agent.Task{ID: fmt.Sprint(n),
					Text: fmt.Sprintf("How many grey herons were counted at lake %d in 2024?", n)})
				if err != nil || r.Outcome != runstore.RunAnswered {
					t.Errorf("run %d: %s %s, %v", n, r.Outcome, r.Reason, err)
				}
			})
		}
		all.Wait()
		if queued < runs {
			t.Errorf("%d waits were told", queued)
		}
	})
}

// A run waits no longer than its own time lasts: what would come later is said at once.
func TestARunWaitsWithinItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := &webOfShelves{shelves: []*runShelf{ownShelf(0)}}
		p := search.Guarded(web, search.Limits{Rate: 0.01})
		if _, err := p.Search(t.Context(), citewell.Query{Text: "lake 0"}); err != nil {
			t.Fatal(err)
		}
		m := &script{replies: []reply{thinks(), calls(searchFor("lake 0 herons")), thinks(),
			calls(finalCall("Nothing was found."))}}
		a, err := agent.New(agent.Options{Shape: agent.ShapeSGRToolCalling, Model: m,
			Searcher: agent.Providers{List: []search.Provider{p}}, Reader: web.shelves[0],
			Journal: agent.NewMemoryJournal(), Budget: agent.Budget{WallTime: time.Minute}})
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		if r, err := a.Run(t.Context(), agent.Task{ID: "0", Text: "How many grey herons were counted at " +
			"lake 0?"}); err != nil || r.Outcome != runstore.RunNoSources || time.Since(began) > 0 {
			t.Errorf("%s after %v, %v", r.Outcome, time.Since(began), err)
		}
	})
}
