package briefrun_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/brief"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/extract"
	"github.com/citewell/citewell/fetch"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/briefrun"
	"github.com/citewell/citewell/internal/demo"
	"github.com/citewell/citewell/internal/report"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/search"
	"github.com/citewell/citewell/search/provider"
	"github.com/citewell/citewell/store/sqlite"
)

// A counted provider knows how often it was asked.
type counted struct {
	search.Provider
	mu    sync.Mutex
	asked int
	delay time.Duration  // of an answer
	work  *citewell.Work // that each result is of
}

func (c *counted) Search(ctx context.Context, q citewell.Query) ([]citewell.Result, error) {
	c.mu.Lock()
	c.asked++
	c.mu.Unlock()
	select {
	case <-time.After(c.delay):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	results, err := c.Provider.Search(ctx, q)
	for i := range results {
		results[i].Work = c.work
	}
	return results, err
}

// A journal fails at the end of one call, as if the process had died there.
type journal struct {
	*agent.MemoryJournal
	dies string
}

var errDied = errors.New("the process died")

func (j journal) Finish(ctx context.Context, c agent.Call, e agent.Entry) error {
	if c.Key == j.dies {
		return errDied
	}
	return j.MemoryJournal.Finish(ctx, c, e)
}

// A desk is the demo web and a store.
type desk struct {
	counted
	store  *sqlite.Store
	client *fetch.Client
	told   []agent.Event
	says   func(context.Context, citewell.Work) (citewell.Work, error) // of the works that are cited
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	web, err := demo.Start(t.Context(), demo.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { web.Close() })
	guard, err := egress.NewGuard(egress.Options{AllowNetworks: egress.MustParseNetworks("127.0.0.0/8", "::1/128")})
	if err != nil {
		t.Fatal(err)
	}
	searx, err := provider.New("searxng", provider.Deps{Guard: guard,
		Settings: map[string]provider.Settings{"searxng": {BaseURL: web.SearchURL()}}})
	if err != nil {
		t.Fatal(err)
	}
	db, err := sqlite.Open(t.Context(), t.TempDir(), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	d := &desk{store: db.Tenant("t"), client: fetch.New(fetch.Options{Guard: guard, Spacing: -1})}
	d.Provider = searx
	t.Cleanup(d.client.Close)
	return d
}

func (d *desk) agent(j agent.Journal, b agent.Budget) *briefrun.Agent {
	d.told = nil
	var mu sync.Mutex
	return briefrun.New(briefrun.Options{Name: "brief", Journal: j, Budget: b,
		Brief: brief.Options{Providers: []search.Provider{&d.counted}, Fetcher: d.client, Extract: extract.Extract,
			Archive: d.store, Standing: d.says},
		Tell: func(e agent.Event) {
			mu.Lock()
			defer mu.Unlock()
			d.told = append(d.told, e)
		}})
}

// kept lets citations be verified against the store.
type kept struct{ *sqlite.Store }

func (k kept) Passage(ctx context.Context, id string) (cite.Record, error) {
	r, err := k.Store.Passage(ctx, id)
	return cite.Record(r), err
}

func (d *desk) holds(t *testing.T, r agent.Result) {
	t.Helper()
	if r.State != runstore.RunCompleted || r.Outcome != runstore.RunAnswered || r.Report == nil ||
		len(r.Report.Findings) == 0 {
		t.Fatalf("%+v", r)
	}
	b, err := d.store.Brief(t.Context(), r.ID)
	if err != nil {
		t.Fatal(err)
	}
	if v, err := cite.Verify(t.Context(), b, kept{d.store}); err != nil || !v.OK || len(v.Citations) == 0 {
		t.Errorf("by the store: %v %+v", err, v)
	}
	file := report.WithRecord(*r.Report)
	stamp, record, err := report.Parse(file)
	if err != nil {
		t.Fatal(err)
	}
	if _, stray := agent.HandedIn(*record.Report); len(stray) > 0 || len(record.Changes(file, stamp)) > 0 {
		t.Errorf("the file as it was written: %+v\n%s", stray, file)
	}
}

const topic = "When was Larch 2.0 released?"

func task() agent.Task { return agent.Task{ID: runstore.NewRunID("brief"), Text: topic} }

// What was searched before a crash is not searched again, and the ledger has what the
// brief that was kept cites.
func TestAfterACrash(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	d, k, asks := newDesk(t), agent.NewMemoryJournal(), task()
	if _, err := d.agent(journal{k, "brief"}, agent.Budget{}).Run(t.Context(), asks); !errors.Is(err, errDied) {
		t.Fatalf("the process that died: %v", err)
	}
	searched := d.asked
	r, err := d.agent(k, agent.Budget{}).Run(t.Context(), asks)
	if err != nil || d.asked != searched || searched == 0 {
		t.Fatalf("%v; %d searches, then %d more", err, searched, d.asked-searched)
	}
	d.holds(t, r)
	d.client.Close()
	again, err := d.agent(k, agent.Budget{}).Run(t.Context(), asks)
	if err != nil || d.asked != searched || again.Answer != r.Answer || again.Usage != r.Usage {
		t.Errorf("played again: %v, %+v", err, again)
	}
	d.holds(t, again)
}

// Played again after a crash, calls have the ids that they had, and a search that was
// finished tells of the time that it took then.
func TestWhatIsToldAgain(t *testing.T) {
	d, k, asks := newDesk(t), agent.NewMemoryJournal(), task()
	if _, err := d.agent(journal{k, "brief"}, agent.Budget{}).Run(t.Context(), asks); !errors.Is(err, errDied) {
		t.Fatalf("the process that died: %v", err)
	}
	ids, searches := map[string]string{}, map[string]agent.Searched{}
	for _, e := range d.told {
		if e.Kind == "call" {
			ids[e.Text] = e.CallID
		}
		if e.Search != nil {
			searches[e.CallID] = *e.Search
		}
	}
	d.delay = 50 * time.Millisecond
	if _, err := d.agent(k, agent.Budget{}).Run(t.Context(), asks); err != nil {
		t.Fatal(err)
	}
	again := 0
	for _, e := range d.told {
		if id, known := ids[e.Text]; e.Kind == "call" && known && id != e.CallID {
			t.Errorf("%s was called as %s, and now as %s", e.Text, id, e.CallID)
		}
		if e.Search != nil {
			if again++; !reflect.DeepEqual(searches[e.CallID], *e.Search) {
				t.Errorf("%+v was told of %+v", *e.Search, searches[e.CallID])
			}
		}
	}
	if again == 0 || again != len(searches) {
		t.Errorf("%d of %d searches were told again", again, len(searches))
	}
}

// What was cut off did not fail: it is not told of before it is made again.
func TestWhatWasCutOffIsNotTold(t *testing.T) {
	d := newDesk(t)
	ctx, end := context.WithCancel(t.Context())
	d.delay = time.Minute
	time.AfterFunc(50*time.Millisecond, end)
	if _, err := d.agent(agent.NewMemoryJournal(), agent.Budget{}).Run(ctx, task()); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	for _, e := range d.told {
		if e.Kind != "call" {
			t.Errorf("told %+v", e)
		}
	}
	if len(d.told) == 0 {
		t.Error("nothing was begun")
	}
}

// Whether a work that is quoted still stands is asked once, also where the process died before
// the brief was kept; it is a search of the budget, and the ledger has what was said.
func TestWorksAreLookedUp(t *testing.T) {
	d, k, asks, lookedUp := newDesk(t), agent.NewMemoryJournal(), task(), 0
	d.work = &citewell.Work{DOI: "10.5555/larch.2"}
	d.says = func(context.Context, citewell.Work) (citewell.Work, error) {
		lookedUp++
		return citewell.Work{Retracted: citewell.WorkRetracted}, nil
	}
	if _, err := d.agent(journal{k, "brief"}, agent.Budget{}).Run(t.Context(), asks); !errors.Is(err, errDied) ||
		lookedUp != 1 {
		t.Fatalf("the process that died: %v, %d look-ups", err, lookedUp)
	}
	r, err := d.agent(k, agent.Budget{}).Run(t.Context(), asks)
	if err != nil || lookedUp != 1 {
		t.Fatalf("%v, %d look-ups", err, lookedUp)
	}
	d.holds(t, r)
	for _, f := range r.Report.Findings {
		for _, c := range f.Citations {
			p, err := d.store.Passage(t.Context(), c.Passage)
			if err != nil || c.Caveat != "the work was RETRACTED" || !strings.Contains(p.Source.Warning, c.Caveat) {
				t.Errorf("%v: %+v, the ledger has %q", err, c, p.Source.Warning)
			}
		}
	}
	called := 0
	for _, e := range d.told {
		if e.Kind == "call" {
			called++
		}
	}
	if called != r.Usage.Searches+r.Usage.Fetches {
		t.Errorf("%d calls are told of %+v", called, r.Usage)
	}
	asked := d.asked
	r, err = d.agent(agent.NewMemoryJournal(), agent.Budget{Searches: asked}).Run(t.Context(), task())
	if err != nil || lookedUp != 1 || !strings.Contains(r.Report.Sources[0].Warning, "not checked: the budget of") {
		t.Errorf("%v, %d look-ups without budget: %+v", err, lookedUp, r.Report)
	}
}

func TestWhatIsTold(t *testing.T) {
	d := newDesk(t)
	r, err := d.agent(agent.NewMemoryJournal(), agent.Budget{}).Run(t.Context(), task())
	if err != nil {
		t.Fatal(err)
	}
	d.holds(t, r)
	count := map[string]int{}
	for _, e := range d.told {
		count[e.Kind]++
		if e.Kind == "source" && (e.Number != count["source"] || e.Name != r.Sources[e.Number-1].URL) {
			t.Errorf("source %d is told as %d %s", count["source"], e.Number, e.Name)
		}
	}
	if count["call"] != r.Usage.Searches+r.Usage.Fetches || count["result"] != count["call"] ||
		count["source"] != len(r.Sources) || count["read"] == 0 {
		t.Errorf("told %v of %+v", count, r.Usage)
	}
}

func TestAWall(t *testing.T) {
	d := newDesk(t)
	r, err := d.agent(agent.NewMemoryJournal(), agent.Budget{Searches: 1, Fetches: 1}).Run(t.Context(), task())
	if err != nil || d.asked != 1 || r.Usage.Searches != 1 || r.Usage.Fetches != 1 {
		t.Errorf("%v, asked %d times, %+v", err, d.asked, r.Usage)
	}
}

func TestNothingAnswers(t *testing.T) {
	d := newDesk(t)
	asks := task()
	asks.Text = "zxqv wvutq"
	r, err := d.agent(agent.NewMemoryJournal(), agent.Budget{}).Run(t.Context(), asks)
	if err != nil || r.State != runstore.RunCompleted || r.Outcome != runstore.RunNoSources ||
		!strings.Contains(r.Answer, "Nothing that was read answers") {
		t.Errorf("%v, %+v", err, r)
	}
	d.Provider = failing{}
	r, err = d.agent(agent.NewMemoryJournal(), agent.Budget{}).Run(t.Context(), task())
	if err != nil || r.State != runstore.RunFailed || r.Outcome != runstore.RunNoSources ||
		!strings.Contains(r.Reason, "no provider answered") {
		t.Errorf("%v, %+v", err, r)
	}
	if !slices.ContainsFunc(d.told, func(e agent.Event) bool {
		return e.Kind == "result" && strings.HasPrefix(e.Text, "Error (connect_failed)")
	}) {
		t.Errorf("told %+v", d.told)
	}
}

// A task that says nothing ends its run, which nobody takes up again.
func TestNoWords(t *testing.T) {
	d := newDesk(t)
	for _, words := range []string{"???", "\xff\xfe", "🎉"} {
		asks := task()
		asks.Text = words
		r, err := d.agent(agent.NewMemoryJournal(), agent.Budget{}).Run(t.Context(), asks)
		if err != nil || r.State != runstore.RunFailed || !strings.Contains(r.Reason,
			"words that say what to research") || d.asked != 0 {
			t.Errorf("%q: %v, %+v, asked %d times", words, err, r, d.asked)
		}
	}
}

type failing struct{}

func (failing) Name() string { return "down" }
func (failing) Search(context.Context, citewell.Query) ([]citewell.Result, error) {
	return nil, &citewell.Error{Code: citewell.CodeConnectFailed, Message: "it is down"}
}
