package briefrun

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/agent"
	"github.com/citewell/citewell/brief"
	"github.com/citewell/citewell/fetch"
	"github.com/citewell/citewell/search"
	"github.com/citewell/citewell/text"
)

// A searcher is a provider whose searches are told of, counted and journalled.
type searcher struct {
	search.Provider
	a *Agent
}

// searching are providers whose searches are the run's. One that is waited for longer than
// others still is.
func (a *Agent) searching(providers []search.Provider) []search.Provider {
	var all []search.Provider
	for _, p := range providers {
		s := searcher{p, a}
		if patient, ok := p.(search.Patient); ok {
			all = append(all, patientSearcher{s, patient})
		} else {
			all = append(all, s)
		}
	}
	return all
}

type patientSearcher struct {
	searcher
	search.Patient
}

// Search implements search.Provider.
func (s searcher) Search(ctx context.Context, q citewell.Query) ([]citewell.Result, error) {
	asked, err := json.Marshal(q)
	if err != nil {
		return nil, fmt.Errorf("briefrun: a query as JSON: %w", err)
	}
	call := agent.Call{Key: "search/" + s.Name() + "/" + citewell.SHA256(asked)[:16], Kind: agent.CallSearch, Name: s.Name(), Request: asked}
	arguments, err := json.Marshal(map[string]string{"query": q.Text, "provider": s.Name()})
	if err != nil {
		return nil, fmt.Errorf("briefrun: a call as JSON: %w", err)
	}
	if err := s.a.spend(&s.a.usage.Searches, s.a.o.Budget.Searches, "search"); err != nil {
		return nil, err
	}
	end := s.a.tell(agent.WebSearchTool, string(arguments))
	results, err := journalled(ctx, s.a, call, func(ctx context.Context) ([]citewell.Result, error) { return s.Provider.Search(ctx, q) })
	end(text.Count(len(results), "result"), err)
	return results, err
}

// pages fetch for a run.
type pages struct {
	brief.Fetcher
	a *Agent
}

// Get implements brief.Fetcher.
func (p pages) Get(ctx context.Context, r fetch.Request) (citewell.Page, error) {
	if err := p.a.spend(&p.a.usage.Fetches, p.a.o.Budget.Fetches, "fetch"); err != nil {
		return citewell.Page{}, err
	}
	arguments, err := json.Marshal(map[string][]string{"urls": {r.URL}})
	if err != nil {
		return citewell.Page{}, fmt.Errorf("briefrun: a call as JSON: %w", err)
	}
	end := p.a.tell("extract_page_content_tool", string(arguments))
	page, err := p.Fetcher.Get(ctx, r)
	end(string(page.Outcome), err)
	return page, err
}

// spend counts one more of something that has a wall: budget_exhausted where it is used up.
func (a *Agent) spend(used *int, most int, noun string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if most > 0 && *used >= most {
		return &citewell.Error{Code: citewell.CodeBudgetExhausted, Op: "briefrun", Message: "the budget of " + text.Count(most, noun) + " is used up"}
	}
	*used++
	return nil
}

// tell tells of a call in the words of an agent's log. The function that it returns tells
// what came of it.
func (a *Agent) tell(name, arguments string) (end func(brought string, err error)) {
	a.mu.Lock()
	a.calls++
	id := fmt.Sprintf("1-action-%d", a.calls)
	a.mu.Unlock()
	a.o.Tell(agent.Event{Kind: "call", Iteration: 1, CallID: id, Name: name, Text: arguments})
	began := time.Now()
	return func(brought string, err error) {
		if err != nil {
			v := citewell.View(err)
			brought = fmt.Sprintf("Error (%s): %s", v.Code, v.Message)
		}
		a.o.Tell(agent.Event{Kind: "result", Iteration: 1, CallID: id, Name: name, Text: fmt.Sprintf("%s, %d ms", brought, time.Since(began).Milliseconds())})
	}
}
