package storesuite

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/google/go-cmp/cmp"
)

// ask makes a run of a caller with a task.
func ask(t *testing.T, s runstore.Runs, caller, task string) runstore.Run {
	t.Helper()
	run, err := s.CreateRun(t.Context(), runstore.NewRun{Agent: "a", Caller: caller, Task: task,
		Request: json.RawMessage(`1`)})
	must(t, err)
	return run
}

// tasksListed are the tasks of the runs that a query chooses, over all pages, oldest first.
func tasksListed(t *testing.T, s runstore.Runs, q runstore.RunQuery, tasks map[string]string) []string {
	t.Helper()
	found := []string{}
	for _, id := range slices.Backward(listed(t, s, q)) {
		found = append(found, tasks[id])
	}
	return found
}

func runWords(t *testing.T, b RunBackend) {
	s, other := b.Tenant("a"), b.Tenant("b")
	tides, umlauts := "How high are the tides at Hollow Point?", "Größte Schleuse in MÜNCHEN?"
	chinese, percent := "东京的人口是多少？", "Is 4_2 % of it \"enough\", or 42?"
	quotes, lines := `O'Brien's C:\temp\* file [a-z] -- NOT "x" OR 1=1`, "Two\n\n  lines\tand a\u0000zero"
	tasks := map[string]string{}
	for _, task := range []string{tides, umlauts, chinese, percent, quotes, lines, ""} {
		tasks[ask(t, s, "", task).ID] = task
		ask(t, other, "", task+" of another tenant")
	}
	for words, want := range map[string][]string{
		"":                      {tides, umlauts, chinese, percent, quotes, lines, ""},
		" \t\n":                 {tides, umlauts, chinese, percent, quotes, lines, ""},
		"tides":                 {tides},
		"TIDES hollow":          {tides},
		"point?  how":           {tides}, // in any order
		"tide ollo":             {tides}, // within a word, too
		"tides tides":           {tides},
		"hollow schleuse":       {}, // all of them
		"hollow-point":          {},
		"münchen":               {umlauts},
		"MU\u0308NCHEN":         {umlauts}, // the dots as a character of their own
		"GRÖSSTE":               {umlauts}, // ß is ss
		"munchen":               {},
		"东京":                    {chinese},
		"人口 东京":                 {chinese},
		"东人":                    {},
		"%":                     {percent},
		"4_2":                   {percent},
		"42":                    {percent},
		"4%2":                   {},
		"%enough":               {},
		"_":                     {percent},
		`"enough",`:             {percent},
		"４２":                    {percent}, // full width
		"o'brien":               {quotes},
		"O’Brien":               {quotes}, // another apostrophe
		`c:\temp\*`:             {quotes},
		"[a-z]":                 {quotes},
		"--":                    {quotes},
		`not "x" OR`:            {quotes},
		"') OR 1=1 --":          {},
		"two lines":             {lines},
		"lines\nTWO":            {lines},
		"zero":                  {lines},
		"another":               {},      // tenant's
		"\xff tides":            {tides}, // what is no character is not looked for
		strings.Repeat("é ", 9): {},
	} {
		if diff := cmp.Diff(want, tasksListed(t, s, runstore.RunQuery{Words: words}, tasks)); diff != "" {
			t.Errorf("runs with %q differ (-want +got):\n%s", words, diff)
		}
	}
	must(t, s.DeleteRun(t.Context(), listed(t, s, runstore.RunQuery{Words: "tides"})[0]))
	if got := tasksListed(t, s, runstore.RunQuery{Words: "tides"}, tasks); len(got) > 0 {
		t.Errorf("after the run was deleted: %q", got)
	}
}

func runSameTask(t *testing.T, b RunBackend) {
	s, ctx := b.Tenant("a"), t.Context()
	var runs []runstore.Run
	for _, task := range []string{"When is high water?", "when is high water?", "When is\r\nhigh  water? ",
		"When is high water", "When is high water?", "", " "} {
		runs = append(runs, ask(t, s, "", task))
	}
	ofOther := ask(t, b.Tenant("b"), "", "When is high water?")
	for i, same := range [][]int{{4, 2, 0}, {1}, {4, 2, 0}, {3}, {4, 2, 0}, {6, 5}, {6, 5}} {
		var want []string
		for _, n := range same {
			want = append(want, runs[n].ID)
		}
		if got := listed(t, s, runstore.RunQuery{SameTask: runs[i].ID}); !slices.Equal(got, want) {
			t.Errorf("runs with the task of run %d are %v, want %v", i, got, want)
		}
	}
	for _, id := range []string{ofOther.ID, runstore.NewRunID("a"), "x"} {
		_, _, err := s.ListRuns(ctx, runstore.RunQuery{SameTask: id})
		wantCode(t, err, citewell.CodeNotFound)
	}
	must(t, s.DeleteRun(ctx, runs[4].ID))
	if got := listed(t, s, runstore.RunQuery{SameTask: runs[0].ID}); !slices.Equal(got,
		[]string{runs[2].ID, runs[0].ID}) {
		t.Errorf("after one was deleted: %v", got)
	}
}

func runOutcomesAndTimes(t *testing.T, b RunBackend) {
	s, ctx := b.Tenant("a"), t.Context()
	var runs []runstore.Run
	for i := range 9 {
		run := ask(t, s, "", "x")
		if i%3 > 0 {
			lease := acquire(t, s, run.ID)
			must(t, s.ChangeState(ctx, lease, runstore.RunChange{State: runstore.RunResearching}, nil))
			must(t, s.ChangeState(ctx, lease, runstore.RunChange{State: runstore.RunCompleted,
				Outcome: []runstore.RunOutcome{runstore.RunAnswered, runstore.RunPartial}[i%3-1]}, nil))
		}
		runs = append(runs, getRun(t, s, run.ID))
		time.Sleep(2 * time.Microsecond) // so that no two are of one microsecond
	}
	ask(t, b.Tenant("b"), "", "x")
	at := func(i int) time.Time { return runs[i].CreatedAt }
	answered, partial := runstore.RunAnswered, runstore.RunPartial
	for name, test := range map[string]struct {
		q    runstore.RunQuery
		want []int
	}{
		"answered": {runstore.RunQuery{Outcomes: []runstore.RunOutcome{answered}}, []int{7, 4, 1}},
		"two_outcomes": {runstore.RunQuery{Outcomes: []runstore.RunOutcome{answered, partial}},
			[]int{8, 7, 5, 4, 2, 1}},
		"no_such_outcome":   {runstore.RunQuery{Outcomes: []runstore.RunOutcome{runstore.RunNoSources}}, nil},
		"since":             {runstore.RunQuery{Since: at(6)}, []int{8, 7, 6}},
		"since_is_later":    {runstore.RunQuery{Since: at(6).Add(1)}, []int{8, 7}},
		"until":             {runstore.RunQuery{Until: at(2)}, []int{1, 0}},
		"until_is_later":    {runstore.RunQuery{Until: at(2).Add(1)}, []int{2, 1, 0}},
		"between":           {runstore.RunQuery{Since: at(3), Until: at(6)}, []int{5, 4, 3}},
		"between_none":      {runstore.RunQuery{Since: at(3), Until: at(3)}, nil},
		"between_backwards": {runstore.RunQuery{Since: at(6), Until: at(3)}, nil},
		"between_elsewhere": {runstore.RunQuery{Since: at(3).In(time.FixedZone("", 3600)),
			Until: at(6).In(time.FixedZone("", -7200))}, []int{5, 4, 3}},
		"long_ago":         {runstore.RunQuery{Until: time.Date(1, 1, 2, 0, 0, 0, 0, time.UTC)}, nil},
		"in_far_future":    {runstore.RunQuery{Since: time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)}, nil},
		"outcome_and_time": {runstore.RunQuery{Outcomes: []runstore.RunOutcome{partial}, Since: at(3)}, []int{8, 5}},
	} {
		var want []string
		for _, n := range test.want {
			want = append(want, runs[n].ID)
		}
		if got := listed(t, s, test.q); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// runChoicesTogether chooses by everything at once, page by page, and leaves out one run
// for each thing that does not fit.
func runChoicesTogether(t *testing.T, b RunBackend) {
	s, ctx := b.Tenant("a"), t.Context()
	early := ask(t, s, "ann", "the tide")
	time.Sleep(2 * time.Microsecond)
	said := citewell.SHA256([]byte("said"))
	var want []string
	var last runstore.Run
	for _, run := range []struct{ caller, task string }{{"ann", "the tide"}, {"bob", "the tide"},
		{"ann", "the weather"}, {"ann", "the tide"}, {"ann", "The tide"}, {"ann", "the tide"}, {"ann", "the tide"}} {
		last = ask(t, s, run.caller, run.task)
		must(t, s.NoteAnswer(ctx, last.ID, said))
		must(t, second(s.CancelRun(ctx, last.ID)))
		if run.caller == "ann" && run.task == "the tide" {
			want = append(want, last.ID)
		}
		time.Sleep(2 * time.Microsecond)
	}
	slices.Reverse(want)
	open := ask(t, s, "ann", "the tide")
	must(t, s.NoteAnswer(ctx, open.ID, said))
	q := runstore.RunQuery{Caller: "ann", Words: "tide", SameTask: early.ID, Since: early.CreatedAt.Add(1),
		Until: open.CreatedAt, Answer: said,
		States: []runstore.RunState{runstore.RunCancelled}, Outcomes: []runstore.RunOutcome{
			runstore.RunOutcomeCancelled, runstore.RunAnswered}, Agents: []string{"a", "b"}}
	if got := listed(t, s, q); !slices.Equal(got, want) {
		t.Errorf("chosen by everything: %v, want %v", got, want)
	}
	runs, _, err := s.ListRuns(ctx, q)
	must(t, err)
	if diff := cmp.Diff(getRun(t, s, last.ID), runs[0]); diff != "" {
		t.Errorf("a run of a list differs (-Run +ListRuns):\n%s", diff)
	}
	for name, change := range map[string]func(*runstore.RunQuery){
		"caller":  func(q *runstore.RunQuery) { q.Caller = "eve" },
		"words":   func(q *runstore.RunQuery) { q.Words = "tide weather" },
		"answer":  func(q *runstore.RunQuery) { q.Answer = citewell.SHA256(nil) },
		"since":   func(q *runstore.RunQuery) { q.Since, q.Until = open.CreatedAt, time.Time{} },
		"outcome": func(q *runstore.RunQuery) { q.Outcomes = []runstore.RunOutcome{runstore.RunAnswered} },
		"agent":   func(q *runstore.RunQuery) { q.Agents = []string{"b"} },
	} {
		other := q
		change(&other)
		if got := listed(t, s, other); len(got) > 0 {
			t.Errorf("chosen by another %s: %v", name, got)
		}
	}
}
