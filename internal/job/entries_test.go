package job_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/store/sqlite"
)

// A teller is an agent that tells what it is made of. One that dies is not over then.
type teller struct {
	events []agent.Event
	tell   func(agent.Event)
	dies   func()
}

func (t teller) Run(ctx context.Context, _ agent.Task) (agent.Result, error) {
	for _, e := range t.events {
		t.tell(e)
	}
	if t.dies != nil {
		t.dies()
		return agent.Result{State: runstore.RunCancelled}, ctx.Err()
	}
	return agent.Result{State: runstore.RunCompleted, Outcome: runstore.RunAnswered}, nil
}

// plays has an executor of its own play a run that tells events, to its end or until it dies.
func plays(t *testing.T, db *sqlite.Store, id string, dies bool, events ...agent.Event) {
	t.Helper()
	ctx, end := context.WithCancel(t.Context())
	defer end()
	x := job.NewExecutor(job.ExecutorOptions{Runs: db, Build: func(_ context.Context, _ job.Definition,
		ties job.Ties) (job.Agent, error) {
		a := teller{events: events, tell: ties.Tell}
		if dies {
			a.dies = end
		}
		return a, nil
	}})
	if _, err := x.Execute(ctx, id); (err != nil) != dies || dies && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
}

// told gives the entries of a type.
func (o office) told(t *testing.T, id, kind string) (all []runstore.RunEvent) {
	t.Helper()
	events, err := o.Events(t.Context(), id, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		if e.Type == kind {
			all = append(all, e)
		}
	}
	return all
}

// However much a search brings, its entry is small, is JSON, and has no address cut short.
func TestEntriesAreBounded(t *testing.T) {
	o := newOffice(t, open(t, t.TempDir()), &model{})
	id := o.begin(t)
	s := &agent.Searched{Query: strings.Repeat("why \xff\u202e", 500)}
	for range 30 {
		s.Providers = append(s.Providers, citewell.ProviderReport{Name: "one", Outcome: citewell.ProviderOK, Results: 3,
			Detail: strings.Repeat("<<<DATA \"x\" ", 9)})
	}
	long := "https://example.com/" + strings.Repeat("a", 2000)
	s.Hits = append(s.Hits, agent.Hit{N: 1, Title: "too long to be kept", URL: long})
	for n := range 50 {
		s.Hits = append(s.Hits, agent.Hit{N: n + 2, Title: strings.Repeat("wörd\n", 100),
			URL: "https://example.com/page"})
	}
	few := &agent.Searched{Query: "q", Hits: s.Hits}
	plan := &agent.Planned{Goal: strings.Repeat("g", 5000), Steps: []string{strings.Repeat("s", 5000), "next"}}
	text := strings.Repeat("said \xff", 5000)
	plays(t, o.db, id, false, agent.Event{Kind: "result", CallID: "1", Text: text, Search: s},
		agent.Event{Kind: "result", CallID: "2", Text: text, Search: few},
		agent.Event{Kind: "result", CallID: "3", Text: text, Plan: plan},
		agent.Event{Kind: "fetch", Name: long, Fetch: &agent.Fetched{
			URL: long, FinalURL: long + long, Outcome: citewell.FetchOK}})
	entries := make([]job.Entry, 4)
	for i, e := range append(o.told(t, id, "result"), o.told(t, id, "fetch")...) {
		if len(e.Data) > 8400 || !utf8.Valid(e.Data) || strings.Contains(string(e.Data), "\u202e") {
			t.Errorf("an entry of %d bytes: %s", len(e.Data), e.Data)
		}
		if err := json.Unmarshal(e.Data, &entries[i]); err != nil {
			t.Fatal(err)
		}
	}
	if got := entries[0].Search; len(got.Providers) == 0 || len(got.Providers) == 30 || got.Query == "" {
		t.Errorf("%+v", got)
	}
	if got := entries[1].Search.Hits; len(got) != 19 || got[0].N != 2 || len(got[0].Title) > 110 ||
		strings.Contains(got[0].Title, "\n") || entries[1].Search.Providers == nil {
		t.Errorf("%d hits: %+v", len(got), got)
	}
	if got := entries[2].Plan; len(got.Steps) != 2 || got.Steps[1] != "next" {
		t.Errorf("%+v", got)
	}
	if got := entries[3].Fetch; got.URL != "" || got.FinalURL != "" || entries[3].Name != long {
		t.Errorf("%+v", entries[3])
	}
}

// What is told again by another executor, in other times, is in the log once, and what was
// spent never falls.
func TestEntriesAreToldOnce(t *testing.T) {
	o := newOffice(t, open(t, t.TempDir()), &model{})
	id := o.begin(t)
	story := func(ms int64, spent ...int) []agent.Event {
		all := []agent.Event{
			{Kind: "result", Iteration: 1, CallID: "1-action", Text: time.Duration(ms).String(),
				Search: &agent.Searched{Query: "q", Providers: []citewell.ProviderReport{
					{Name: "one", ElapsedMS: ms}}}},
			{Kind: "fetch", Iteration: 1, Name: "https://example.com/",
				Fetch: &agent.Fetched{URL: "https://example.com/", Outcome: citewell.FetchOK, ElapsedMS: ms}},
		}
		for _, n := range spent {
			all = append(all, agent.Event{Kind: "spent", Iteration: 1,
				Spent: &agent.Usage{InputTokens: n, Searches: n / 10, ActiveMS: ms}})
		}
		return all
	}
	plays(t, o.db, id, true, story(100, 10, 20, 20)...)
	plays(t, o.db, id, false, append(story(250, 5, 20), agent.Event{
		Kind: "spent", Spent: &agent.Usage{InputTokens: 30, Searches: 1, ActiveMS: 50}})...)
	if got := o.kinds(t, id); strings.Count(got, "result") != 1 || strings.Count(got, "fetch") != 1 {
		t.Errorf("the log has %s", got)
	}
	var tokens []int
	var last agent.Usage
	for _, e := range o.told(t, id, job.EventSpent) {
		if err := json.Unmarshal(e.Data, &last); err != nil {
			t.Fatal(err)
		}
		tokens = append(tokens, last.InputTokens)
	}
	if !slices.Equal(tokens, []int{10, 20, 30}) || last.Searches != 2 || last.ActiveMS != 100 {
		t.Errorf("spent %v, at last %+v", tokens, last)
	}
}

// Where a run stands says what it has spent while it goes on.
func TestAStatusHasWhatWasSpent(t *testing.T) {
	o := newOffice(t, open(t, t.TempDir()), &model{})
	id := o.begin(t)
	plays(t, o.db, id, true, agent.Event{Kind: "spent", Spent: &agent.Usage{InputTokens: 10}},
		agent.Event{Kind: "spent", Spent: &agent.Usage{InputTokens: 25, Fetches: 2}})
	if s, err := o.Status(t.Context(), id); err != nil || s.State != runstore.RunResearching ||
		s.Spent != (agent.Usage{InputTokens: 25, Fetches: 2}) || s.Iteration != 0 {
		t.Errorf("%+v, %v", s, err)
	}
}
