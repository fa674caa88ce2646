package agent_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/tool"
)

// A counted journal and archive in memory, whose nth operation does something else. Those of calls
// that are made at once are one each, in whatever order.
type counted struct {
	*agent.MemoryJournal
	left *atomic.Int64 // until that one
	does func() error
}

func (c counted) next() error {
	if c.left.Add(-1) == 0 {
		return c.does()
	}
	return nil
}

func (c counted) Lookup(ctx context.Context, call agent.Call) (agent.Entry, bool, error) {
	if err := c.next(); err != nil {
		return agent.Entry{}, false, err
	}
	return c.MemoryJournal.Lookup(ctx, call)
}

func (c counted) Begin(ctx context.Context, call agent.Call) error {
	if err := c.next(); err != nil {
		return err
	}
	return c.MemoryJournal.Begin(ctx, call)
}

func (c counted) Finish(ctx context.Context, call agent.Call, e agent.Entry) error {
	if err := c.next(); err != nil {
		return err
	}
	return c.MemoryJournal.Finish(ctx, call, e)
}

func (c counted) Sync(context.Context) error { return c.next() }

func (c counted) PutSnapshot(context.Context, citewell.Page, citewell.Document) error {
	return c.next()
}

func (c counted) AddSource(context.Context, string, citewell.Source, []citewell.Passage) error {
	return c.next()
}

func (c counted) PutBrief(context.Context, citewell.Brief) error { return c.next() }

// brittle are stories whose calls are made one after the other, so that the nth operation is the same
// in each try.
func brittle(t *testing.T) map[string]tale {
	const herons, lake = "https://heron.example/count", "https://lake.example/facts"
	tools := func(o *agent.Options) {
		o.Extra = []*tool.Tool{notesTool("notes", tool.Hints{ReadOnly: true}, func(topic string) (string, error) {
			return "The " + topic + " is high.", nil
		}),
			notesTool("act", tool.Hints{}, func(topic string) (string, error) { return "It is done: " + topic, nil })}
		o.Allow = func(context.Context, tool.Question) (bool, error) { return true, nil }
		o.Searching = []string{"notes"}
	}
	note := func(name string) agent.ToolCall { return call(name, args{"topic": "tide"}) }
	said := sizeLine + " and is 11 metres deep."
	former := agent.Former{Source: citewell.Source{N: 1, Title: "Facts", URL: lake, FinalURL: lake,
		FetchedAt: time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC), TextSHA256: citewell.SHA256([]byte(said)),
		Outcome: citewell.FetchOK},
		Doc: citewell.Document{Text: said, TextSHA256: citewell.SHA256([]byte(said)),
			Extractor: citewell.Extractor{ID: "test", Version: 1}, Passages: []citewell.Passage{
				{End: len(said), Text: said}}}}
	wrong := "The wardens counted 999 grey herons at Alder Lake in 2024 [2]."
	return map[string]tale{
		"a report": {replies: []reply{calls(note("notes")), calls(searchFor("herons")), calls(reads(herons)),
			calls(note("act"), note("notes")), calls(reportCall(countLine + " [3]. " + sizeLine + " [4].")),
			calls(finalCall("It is written."))},
			options: func(o *agent.Options, _ *shelf, _ *script) {
				tools(o)
				o.SaveReport = func(context.Context, string, string) (string, error) { return "report.md", nil }
				o.Render = func(citewell.Report) string { return "x" }
			}},
		"a snippet": {replies: []reply{calls(searchFor("herons")),
			calls(reportCall("In the spring of 2024 the wardens counted herons [2].")),
			calls(finalCall("It is written."))}, options: func(o *agent.Options, _ *shelf, _ *script) {
			o.Reader = unreadable{}
		}},
		"by code": {replies: []reply{calls(searchFor("herons")), failing(citewell.CodeAuth)},
			options: func(_ *agent.Options, s *shelf, _ *script) {
				s.pages = map[string]string{
					herons: s.pages[herons]}
			}},
		"by code from snippets": {replies: []reply{calls(searchFor("herons")), failing(citewell.CodeAuth)},
			options: func(o *agent.Options, _ *shelf, _ *script) { o.Reader = unreadable{} }},
		"in other words": {replies: []reply{calls(searchFor("herons")), calls(reads(herons)),
			calls(finalCall("Bird keepers tallied plenty of waders beside that water body [2]. " +
				sizeLine + " [3]."))},
			options: func(o *agent.Options, s *shelf, _ *script) {
				s.pages[herons] = "Many grey herons were counted by the wardens of the shore."
				o.Judge = judges(t, map[string]string{"Bird keepers tallied plenty of waders beside that " +
					"water body.": "supported"})
			}},
		"asking": {replies: []reply{calls(call("generate_plan_tool",
			args{"reasoning": "x", "research_goal": "Count", "planned_steps": []string{"a", "b", "c"},
				"search_strategies": []string{"a", "b"}})), calls(searchFor("herons")), calls(reads(lake)),
			calls(finalCall(sizeLine + " [3]."))},
			task: agent.Task{Wishes: agent.Wishes{ApprovePlan: true}},
			options: func(o *agent.Options, _ *shelf, _ *script) {
				o.Ask = func(context.Context, agent.Question) (string, error) { return "yes", nil }
			}},
		"quoted instead": {replies: slices.Concat([]reply{calls(searchFor("herons")), calls(reads(herons))},
			slices.Repeat([]reply{calls(reportCall("There are 999 blue cranes at the harbour of Cremona."))}, 3),
			[]reply{calls(finalCall("It is written."))})},
		"answered without": {replies: slices.Concat([]reply{calls(searchFor("herons")), calls(reads(herons))},
			slices.Repeat([]reply{calls(finalCall("There are 999 blue cranes at the harbour of Cremona."))}, 3))},
		"sent back": {replies: slices.Concat([]reply{calls(searchFor("herons")), calls(reads(herons))},
			slices.Repeat([]reply{calls(finalCall(wrong))}, 3))},
		"going on": {replies: []reply{calls(finalCall(sizeLine + " [1]."))},
			task: agent.Task{From: func(context.Context) ([]agent.Former, error) {
				return []agent.Former{former}, nil
			}}},
		"out of time": {replies: []reply{calls(searchFor("herons")), calls(reads(herons)),
			calls(finalCall(countLine + " [2]."))}, options: func(o *agent.Options, s *shelf, _ *script) {
			s.slow, o.Budget.WallTime = 29*time.Second, time.Minute
		}},
		"works": {replies: []reply{calls(searchFor("herons")), calls(reads(herons)),
			calls(reportCall(countLine + " [2].")), calls(finalCall("It is written."))},
			options: func(o *agent.Options, s *shelf, _ *script) {
				o.Searcher = papers{s, citewell.Work{DOI: "10.5555/heron.1"}}
				o.Standing = func(context.Context, citewell.Work) (citewell.Work, error) {
					return citewell.Work{Retracted: citewell.WorkStands}, nil
				}
			}},
	}
}

// tried plays a story whose nth operation of the journal or the archive does something else.
func (test tale) tried(t *testing.T, ctx context.Context, journal *agent.MemoryJournal, skip, n int,
	does func() error) (agent.Result, int, error) {
	t.Helper()
	s, left := newShelf(), new(atomic.Int64)
	left.Store(int64(n))
	m := &script{replies: test.replies[skip:]}
	o := s.options(agent.ShapeToolCalling, m)
	c := counted{journal, left, does}
	o.Journal, o.Archive = c, c
	if test.options != nil {
		test.options(&o, s, m)
	}
	a, err := agent.New(o)
	if err != nil {
		t.Fatal(err)
	}
	task := test.task
	task.ID, task.Text = "test_1", heronTask
	r, err := a.Run(ctx, task)
	return r, n - int(left.Load()), err
}

// A journal or an archive that fails, at whatever it is asked for, ends the run with its error: what
// could not be kept is neither told to the model nor published.
func TestWhateverCannotBeKeptEndsTheRun(t *testing.T) {
	for name, test := range brittle(t) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				whole, all, err := test.tried(t, t.Context(), agent.NewMemoryJournal(), 0, 1<<20, nil)
				if err != nil || whole.Report == nil {
					t.Fatalf("%+v, %v", whole, err)
				}
				for n := range all {
					r, _, err := test.tried(t, t.Context(), agent.NewMemoryJournal(), 0, n+1, func() error {
						return errDisk
					})
					if !errors.Is(err, errDisk) || r.State != runstore.RunError || r.Reason == "" {
						t.Errorf("operation %d of %d fails: %s %s %q, %v", n+1, all, r.State, r.Outcome, r.Reason, err)
					}
				}
			})
		})
	}
}

// A run that is cancelled at any of these goes on from there to the same end, and its model is not
// asked again for what it has answered.
func TestWhoeverCancelsTheRunGoesOn(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for name, test := range brittle(t) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ended := func(r agent.Result) string {
					r.Report, r.Usage = nil, agent.Usage{}
					return string(tool.MustMarshal(r))
				}
				whole, all, err := test.tried(t, t.Context(), agent.NewMemoryJournal(), 0, 1<<20, nil)
				if err != nil {
					t.Fatal(err)
				}
				for n := range all {
					journal, answered := agent.NewMemoryJournal(), 0
					ctx, cancel := context.WithCancel(t.Context())
					counting := test
					counting.replies = nil
					for _, answer := range test.replies {
						counting.replies = append(counting.replies, func(q agent.Request) (agent.Reply, error) {
							answered++
							return answer(q)
						})
					}
					r, _, err := counting.tried(t, ctx, journal, 0, n+1, func() error { cancel(); return nil })
					if err == nil {
						if got := ended(r); got != ended(whole) {
							t.Errorf("cancelled at operation %d of %d: %s", n+1, all, got)
						}
						continue
					}
					if r.State != runstore.RunCancelled || r.Outcome != runstore.RunOutcomeCancelled ||
						!errors.Is(err, context.Canceled) {
						t.Errorf("cancelled at operation %d of %d: %s %s, %v", n+1, all, r.State, r.Outcome, err)
					}
					if r, _, err := test.tried(t, t.Context(), journal, answered, 1<<20, nil); err != nil ||
						ended(r) != ended(whole) {
						t.Errorf("cancelled at operation %d of %d, and gone on with: %s, %v\nnot %s", n+1, all,
							ended(r), err, ended(whole))
					}
				}
			})
		})
	}
}
