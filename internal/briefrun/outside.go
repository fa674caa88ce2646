package briefrun

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/brief"
	"github.com/citewell/citewell/fetch"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/outcomes"
	"github.com/citewell/citewell/internal/retraction"
	"github.com/citewell/citewell/internal/searchcall"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/search"
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

// Unwrap implements search.Wrapper.
func (s searcher) Unwrap() search.Provider { return s.Provider }

// waiting has the searches of the run wait for their turn until its time is over, and tells of it.
func (a *Agent) waiting(ctx context.Context) context.Context {
	wait := searchcall.Wait{Told: func(provider string, wait time.Duration) {
		if !a.cutOff() {
			a.o.Tell(agent.Waits(1, provider, wait))
		}
	}}
	if wall := a.o.Budget.WallTime; wall > 0 {
		wait.Until = a.began.Add(wall)
	}
	return searchcall.WithWait(ctx, wait)
}

// Profile implements search.Profiled, as the provider does: what is asked is chosen by it.
func (s searcher) Profile() search.Profile {
	if p, ok := s.Provider.(search.Profiled); ok {
		return p.Profile()
	}
	return search.Profile{}
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
	call := agent.Call{Key: "search/" + s.Name() + "/" + citewell.SHA256(asked)[:16], Kind: agent.CallSearch,
		Name: s.Name(), Request: asked}
	arguments, err := json.Marshal(map[string]string{"query": q.Text, "provider": s.Name()})
	if err != nil {
		return nil, fmt.Errorf("briefrun: a call as JSON: %w", err)
	}
	if err := s.a.spend(&s.a.usage.Searches, s.a.o.Budget.Searches, "search"); err != nil {
		return nil, err
	}
	end := s.a.tell(agent.WebSearchTool, string(arguments))
	h, err := journalled(ctx, s.a, call, func(ctx context.Context) (h heard, err error) {
		began := time.Now()
		h.Results, err = s.Provider.Search(ctx, q)
		h.ElapsedMS = time.Since(began).Milliseconds()
		return h, err
	})
	end(fmt.Sprintf("%s, %d ms", text.Count(len(h.Results), "result"), h.ElapsedMS), err, s.told(q, h, err))
	return h.Results, err
}

// settling has registers asked within the run's budget, once over all its processes.
func (a *Agent) settling(register retraction.Register) retraction.Register {
	return func(ctx context.Context, w citewell.Work) (citewell.Work, error) {
		if err := a.spend(&a.usage.Searches, a.o.Budget.Searches, "search"); err != nil {
			return citewell.Work{Unchecked: citewell.View(err).Message}, nil
		}
		key := retraction.Key(w)
		arguments, err := json.Marshal(map[string]string{"query": key})
		if err != nil {
			return w, fmt.Errorf("briefrun: a call as JSON: %w", err)
		}
		end := a.tell(agent.WebSearchTool, string(arguments))
		heard, err := journalled(ctx, a, agent.Call{Key: "standing/" + key, Kind: agent.CallSearch, Name: "standing"},
			func(ctx context.Context) (citewell.Work, error) {
				if wall := a.o.Budget.WallTime; wall > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithDeadline(ctx, a.began.Add(wall))
					defer cancel()
				}
				return register(ctx, w)
			})
		end("whether it still stands: "+cmp.Or(heard.Retracted.Caveat(), heard.Unchecked,
			"nobody says that it does not"), err, nil)
		return heard, err
	}
}

// A heard is what a provider answered, as the journal keeps it; of one that failed the time.
type heard struct {
	Results   []citewell.Result `json:"results"`
	ElapsedMS int64             `json:"elapsed_ms"`
}

// told is a search as it is told of. Its results have no numbers before the brief is made.
func (s searcher) told(q citewell.Query, h heard, err error) *agent.Searched {
	report := citewell.ProviderReport{Name: s.Name(), Outcome: search.OutcomeOf(err, len(h.Results) == 0),
		Results: len(h.Results), ElapsedMS: h.ElapsedMS}
	if err != nil {
		report.Detail = citewell.View(err).Line()
	}
	told := &agent.Searched{Query: q.Text, Providers: []citewell.ProviderReport{report}}
	for _, r := range h.Results {
		told.Hits = append(told.Hits, agent.Hit{Title: r.Title, URL: r.URL})
	}
	return told
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
	began := time.Now()
	page, err := p.Fetcher.Get(ctx, r)
	f := &agent.Fetched{URL: r.URL, FinalURL: page.FinalURL, Outcome: page.Outcome, Status: page.Status,
		Bytes: len(page.Body), ElapsedMS: time.Since(began).Milliseconds()}
	why := ""
	if err != nil {
		f.Outcome, f.Status, why = outcomes.OfFetch(err), fetch.StatusOf(err), citewell.View(err).Message
	}
	if !p.a.cutOff() {
		p.a.o.Tell(agent.Event{Kind: "fetch", Iteration: 1, Name: r.URL, Text: why, Fetch: f})
	}
	end(fmt.Sprintf("%s, %d ms", page.Outcome, f.ElapsedMS), err, nil)
	return page, err
}

// spend counts one more of something that has a wall: budget_exhausted where it is used up.
func (a *Agent) spend(used *int, most int, noun string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if most > 0 && *used >= most {
		return &citewell.Error{Code: citewell.CodeBudgetExhausted, Op: "briefrun",
			Message: "the budget of " + text.Count(most, noun) + " is used up"}
	}
	*used++
	return nil
}

// tell tells of a call in the words of an agent's log. The function that it returns tells
// what came of it, unless the run was cut off: then the call is made again. Its id follows
// from what it is: played again, calls come in another order.
func (a *Agent) tell(name, arguments string) (end func(brought string, err error, s *agent.Searched)) {
	id := "1-action-" + citewell.SHA256([]byte(name + arguments))[:12]
	a.mu.Lock()
	a.calls[id]++
	if n := a.calls[id]; n > 1 {
		id = fmt.Sprintf("%s.%d", id, n)
	}
	a.mu.Unlock()
	a.o.Tell(agent.Event{Kind: "call", Iteration: 1, CallID: id, Name: name, Text: arguments})
	return func(brought string, err error, s *agent.Searched) {
		if a.cutOff() {
			return
		}
		if err != nil {
			v := citewell.View(err)
			brought = fmt.Sprintf("Error (%s): %s", v.Code, v.Message)
		}
		a.o.Tell(agent.Event{Kind: "result", Iteration: 1, CallID: id, Name: name, Text: brought, Search: s})
		a.tellSpent(spentEvery)
	}
}

// spentEvery is the least time between two tellings of what a run has spent.
const spentEvery = time.Second

// tellSpent tells what the run has spent until now, unless that was told within a time.
func (a *Agent) tellSpent(within time.Duration) {
	a.mu.Lock()
	if time.Since(a.spentTold) < within {
		a.mu.Unlock()
		return
	}
	a.spentTold = time.Now()
	spent := a.usage
	spent.ActiveMS = time.Since(a.began).Milliseconds()
	a.mu.Unlock()
	a.o.Tell(agent.Event{Kind: "spent", Iteration: 1, Spent: &spent})
}
