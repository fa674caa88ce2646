package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/app"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/testing/modeltest"
)

// deaths are the moments at which the processes of one run die: while the nth outside
// call that it makes is under way, or so long after that was answered.
var deaths = []struct {
	call  int           // 0: the first page
	after time.Duration // 0: it is never answered
}{{1, 0}, {0, 0}, {3, time.Nanosecond}, {2, 2 * time.Millisecond}, {1, 5 * time.Millisecond}, {3, 0},
	{4, 10 * time.Millisecond}, {2, time.Millisecond}, {5, 0}, {1, 0}}

// An observer stands at the model and the web: it hears every call, and ends who makes them.
type observer struct {
	mu    sync.Mutex
	end   func() // at the nth call
	call  int
	after time.Duration
	heard int      // of calls since it was aimed
	all   []string // names of all calls, in order
	ended chan struct{}
}

// aim has end called at the nth call from now on, or at the first of a page where call is 0, and so long
// after it; nil for never.
func (o *observer) aim(end func(), call int, after time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.end, o.call, o.after, o.heard, o.ended = end, call, after, 0, make(chan struct{})
}

// watch has o hear what a lab's web and its model are asked, which is a researcher of the long way.
func (l *lab) watch(o *observer) {
	m := researcher{mode: "long"}
	l.model.Follow(func(n int, a modeltest.Asked) modeltest.Reply {
		if at := stageOf(a); at != "model after 1 messages" && o.hear(at) { // that is doctor's question, before the run
			return modeltest.Reply{Hangs: true}
		}
		return m.reply(n, a)
	})
	l.hears(func(r *http.Request) {
		switch {
		case r.URL.Path == "/robots.txt": // not paid for, and each process asks
		case strings.HasPrefix(r.Host, "search.localhost"), strings.HasPrefix(r.Host, "duckduckgo.localhost"):
			o.hear("search " + r.Host + " " + r.FormValue("q"))
		default:
			o.hear("page " + r.Host + r.URL.Path)
		}
	})
}

// hear notes a call, and says whether it is to stay without an answer.
func (o *observer) hear(name string) (unanswered bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.all = append(o.all, name)
	o.heard++
	if o.call == 0 && strings.HasPrefix(name, "page ") {
		o.call = o.heard
	}
	if o.end == nil || o.heard != o.call {
		return false
	}
	end, ended := o.end, o.ended
	finish := func() {
		end()
		close(ended)
	}
	if o.after == 0 {
		finish()
		return true
	}
	time.AfterFunc(o.after, finish)
	return false
}

// A run is killed ten times and finished. Nothing that was on disk when a process died
// is bought again, source numbers stay, and the log has each entry once.
func TestARunIsKilledTenTimes(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	t.Parallel()
	l := newLab(t, researcher{})
	o := &observer{}
	l.watch(o)
	a, runs := l.runs(t)
	id := ""
	numbers := map[string]int{} // of sources, by URL
	var onDisk []map[string]int // by death: finished calls, and how often each was made by then
	for i, death := range deaths {
		args := []string{"runs", "resume", id}
		if id == "" {
			args = []string{"research", larchTask}
		}
		c := startChild(t, l.home, args...)
		o.aim(func() { c.Process.Kill() }, death.call, death.after)
		select {
		case <-o.ended:
		case <-time.After(patience):
			t.Fatalf("process %d did not come to its call %d, where it was to die", i+1, death.call)
		}
		if err := c.Wait(); err == nil {
			t.Fatalf("process %d had ended by itself", i+1)
		}
		if id == "" {
			list, _, err := runs.List(t.Context(), runstore.RunQuery{})
			if err != nil || len(list) != 1 {
				t.Fatalf("%d runs, %v", len(list), err)
			}
			id = list[0].ID
		}
		onDisk = append(onDisk, l.finishedCalls(t, a, id, o))
		checkNumbers(t, runs, id, numbers)
	}
	o.aim(nil, 0, 0)
	c := startChild(t, l.home, "runs", "resume", id)
	stdout, stderr, code := c.end(t)
	if code != 0 || !strings.Contains(stdout, "Larch 2.0 was released on 9 March 2022 [2].") {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	checkNumbers(t, runs, id, numbers)
	if last := onDisk[len(onDisk)-1]; len(last) < 12 {
		t.Errorf("at the last death only %v were on disk", last)
	}
	o.checkBought(t, onDisk)
	checkLog(t, runs, id, len(deaths)+1)
}

// checkBought sees to it that no call was made again that was on disk at one of the ends, and
// no more of the others than were under way.
func (o *observer) checkBought(t *testing.T, onDisk []map[string]int) {
	t.Helper()
	made := map[string]int{}
	for _, name := range o.all {
		made[name]++
	}
	again := 0
	for name, n := range made {
		if again += n - 1; n > len(onDisk) {
			t.Errorf("%s was made %d times", name, n)
		}
	}
	for i, finished := range onDisk {
		for name, n := range finished {
			if made[name] != n {
				t.Errorf("%s was on disk at end %d, and made %d times by then, %d at last", name, i+1, n, made[name])
			}
		}
	}
	t.Logf("%d calls, %d made again since they were under way at an end", len(o.all), again)
	if again > 2*len(onDisk) { // two search engines are asked at once
		t.Errorf("%d calls were made again", again)
	}
}

// finishedCalls are the calls that the journal has with their result, each with how
// often it was heard by now.
func (l *lab) finishedCalls(t *testing.T, a *app.App, id string, o *observer) map[string]int {
	t.Helper()
	calls, err := a.Store.Calls(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	made := map[string]int{}
	var inOrder []string // model calls as they were first made
	for _, name := range o.all {
		if made[name]++; made[name] == 1 && strings.HasPrefix(name, "model") {
			inOrder = append(inOrder, name)
		}
	}
	finished := map[string]int{}
	models, searches := 0, 0
	for _, c := range calls {
		if c.State != runstore.CallDone {
			continue
		}
		switch c.Kind {
		case runstore.CallModel:
			finished[inOrder[models]] = made[inOrder[models]]
			models++
		case runstore.CallPage:
			name := "page " + strings.TrimPrefix(c.Name, "http://")
			finished[name] = made[name]
		case runstore.CallProvider:
			for name, n := range made {
				if strings.HasPrefix(name, "search ") && strings.HasSuffix(name, " "+larchQueries[searches]) {
					finished[name] = n
				}
			}
			searches++
		}
	}
	return finished
}

// checkNumbers sees to it that no source of a run changes its number.
func checkNumbers(t *testing.T, runs *app.Runs, id string, numbers map[string]int) {
	t.Helper()
	events, err := runs.Events(t.Context(), id, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		var entry job.Entry
		if e.Type != "source" || json.Unmarshal(e.Data, &entry) != nil {
			continue
		}
		if n, known := numbers[entry.Name]; known && n != entry.Number {
			t.Errorf("%s was source %d and is %d", entry.Name, n, entry.Number)
		}
		numbers[entry.Name] = entry.Number
	}
}

// checkLog sees to it that the log of a run that so many processes executed tells nothing twice.
// A call that a process sent as it ended may be heard as one of the next, which then ends
// before it has the run.
func checkLog(t *testing.T, runs *app.Runs, id string, processes int) {
	const early = 2
	t.Helper()
	events, err := runs.Events(t.Context(), id, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	told := map[string]int64{}
	kinds := map[string]int{}
	var spent agent.Usage
	for i, e := range events {
		if e.Seq != int64(i+1) {
			t.Errorf("entry %d has number %d", i+1, e.Seq)
		}
		kinds[e.Type]++
		var entry job.Entry
		if json.Unmarshal(e.Data, &entry) != nil {
			continue
		}
		key := ""
		switch e.Type {
		case "call", "result":
			key = e.Type + " " + entry.CallID
		case "source", "read":
			key = fmt.Sprint(e.Type, " ", entry.Number)
		case "fetch":
			key = fmt.Sprint(e.Type, " ", entry.Iteration, " ", entry.Name)
		case job.EventSpent:
			before := spent
			if err := json.Unmarshal(e.Data, &spent); err != nil || spent.InputTokens < before.InputTokens ||
				spent.Searches < before.Searches || spent.Fetches < before.Fetches {
				t.Errorf("after %+v was spent, %s is, %v", before, e.Data, err)
			}
			continue
		case "reasoning", "over":
			key = fmt.Sprint(e.Type, " ", entry.Iteration)
		default:
			continue
		}
		if at, twice := told[key]; twice {
			t.Errorf("%s is told in entries %d and %d", key, at, e.Seq)
		}
		told[key] = e.Seq
		if e.Type == "result" && entry.Name == agent.WebSearchTool &&
			(entry.Search == nil || len(entry.Search.Providers) != 2) || e.Type == "fetch" && entry.Fetch.Bytes == 0 {
			t.Errorf("entry %d lacks its data: %s", e.Seq, e.Data)
		}
	}
	if kinds[runstore.EventCreated] != 1 || kinds[runstore.EventAcquired] > processes ||
		kinds[runstore.EventAcquired] < processes-early || kinds["call"] != 9 || kinds["result"] != 9 ||
		kinds["over"] != 1 || kinds["read"] != 3 || kinds["fetch"] != 3 {
		t.Errorf("the log has %v", kinds)
	}
}
