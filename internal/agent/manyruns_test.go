package agent_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/testing/pgtest"
	"github.com/citewell/citewell/store/postgres"
	"github.com/citewell/citewell/store/sqlite"
)

// BenchmarkRuns measures whole runs over one store, each under a lease that is held,
// with a model, a search and pages from memory: one after the other, a thousand at
// once as fast as they can, and a thousand at once whose model thinks as models do.
// A run has six steps of two model calls: searches, pages of its own, and an answer
// that is checked against them.
//
//	go test ./agent -run '^$' -bench 'Runs/' -benchtime 1x
//
// Of a step, what is not the model's thinking counts; those that read pages also wait
// for the archive. Memory is that of runs under way, without what the program and the
// store had before. alone_postgres is alone over a PostgreSQL on this machine that syncs.
func BenchmarkRuns(b *testing.B) {
	b.Run("alone", func(b *testing.B) { benchmarkRuns(b, embedded, 50, 1, 0) })
	b.Run("alone_postgres", func(b *testing.B) { benchmarkRuns(b, onServer, 50, 1, 0) })
	b.Run("thousand", func(b *testing.B) { benchmarkRuns(b, embedded, 1000, 1000, 0) })
	b.Run("thousand_thinking", func(b *testing.B) { benchmarkRuns(b, embedded, 1000, 1000, 3*time.Second) })
}

// A fleetStore is what runs need of a store.
type fleetStore interface {
	runstore.Runs
	agent.Archive
}

func embedded(b *testing.B, dir string) (fleetStore, func() error) {
	db, err := sqlite.Open(b.Context(), dir, sqlite.Options{})
	if err != nil {
		b.Fatal(err)
	}
	return db.Tenant("bench"), db.Close
}

func onServer(b *testing.B, _ string) (fleetStore, func() error) {
	db, err := postgres.Open(b.Context(), postgres.Options{
		URL: pgtest.Start(b, pgtest.Debian, pgtest.Options{Durable: true}).Database(b)})
	if err != nil {
		b.Fatal(err)
	}
	return db.Tenant("bench"), db.Close
}

func benchmarkRuns(b *testing.B, open func(b *testing.B, dir string) (fleetStore, func() error), runs, atOnce int,
	thinking time.Duration) {
	for b.Loop() {
		dir := b.TempDir()
		db, closeStore := open(b, dir)
		sync1 := fsyncTime(b, dir)
		f := fleet{b: b, db: db, thinking: thinking}
		before := memoryNow()
		began := time.Now()
		var all sync.WaitGroup
		places := make(chan struct{}, atOnce)
		for i := range runs {
			places <- struct{}{}
			all.Go(func() {
				defer func() { <-places }()
				// people do not all ask in the same moment
				time.Sleep(12 * thinking * time.Duration(i) / time.Duration(runs))
				f.run(i)
			})
		}
		if thinking > 0 {
			time.Sleep(12 * thinking) // the last begin, and the first come to their end
			now := memoryNow()
			b.ReportMetric(float64(now.resident-before.resident)/float64(runs)/1024, "RSS-KiB/run")
			b.ReportMetric(float64(now.heap-before.heap)/float64(runs)/1024, "heap-KiB/run")
			b.ReportMetric(float64(now.goroutines-before.goroutines)/float64(runs), "goroutines/run")
		}
		all.Wait()
		took := time.Since(began)
		b.ReportMetric(float64(runs)/took.Seconds(), "runs/s")
		b.ReportMetric(float64(pprof.Lookup("threadcreate").Count()), "threads")
		for kind, steps := range map[string][]time.Duration{"step": f.searching, "page-step": f.reading} {
			slices.Sort(steps)
			b.ReportMetric(steps[len(steps)/2].Seconds()*1000, "p50-ms/"+kind)
			b.ReportMetric(steps[len(steps)*99/100].Seconds()*1000, "p99-ms/"+kind)
		}
		b.ReportMetric((sync1+fsyncTime(b, dir)).Seconds()*1000/2, "ms/bare-fsync")
		if err := closeStore(); err != nil {
			b.Fatal(err)
		}
	}
}

// A fleet are the runs of a benchmark.
type fleet struct {
	b        *testing.B
	db       fleetStore
	thinking time.Duration

	mu                 sync.Mutex
	searching, reading []time.Duration // steps
}

func (f *fleet) run(n int) {
	ctx := f.b.Context()
	created, err := f.db.CreateRun(ctx, runstore.NewRun{Agent: "desk", Request: []byte(`{}`)})
	if err != nil {
		f.b.Error(err)
		return
	}
	lease, err := f.db.AcquireRun(ctx, created.ID, "bench", time.Minute)
	if err != nil {
		f.b.Error(err)
		return
	}
	held, release := runstore.HoldLease(ctx, f.db, lease)
	defer release()
	s := ownShelf(n)
	m := &thinker{thinking: f.thinking, script: script{replies: []reply{
		thinks(), calls(searchFor("the lake")), thinks(), calls(s.reads(0, 1)), thinks(),
		calls(searchFor("the colony"), searchFor("the wardens")),
		thinks(), calls(s.reads(2)), thinks(), calls(searchFor("the hide")),
		thinks(), calls(finalCall(fmt.Sprintf("In the spring of 2024 the wardens counted %d grey herons at lake "+
			"%d [1].", 300+n, n))),
	}}}
	o := agent.Options{Shape: agent.ShapeSGRToolCalling, Model: m, Searcher: s, Reader: s, Archive: f.db,
		Journal: &agent.RunJournal{Calls: f.db, Lease: lease}}
	a, err := agent.New(o)
	if err != nil {
		f.b.Error(err)
		return
	}
	r, err := a.Run(held, agent.Task{ID: created.ID, Text: fmt.Sprintf("How many grey herons were counted at lake %d "+
		"in 2024?", n)})
	if err == nil {
		err = f.db.ChangeState(ctx, lease, runstore.RunChange{State: runstore.RunResearching}, nil)
	}
	if err == nil {
		err = f.db.ChangeState(ctx, lease, runstore.RunChange{State: r.State, Outcome: r.Outcome}, nil)
	}
	if err != nil || r.Outcome != runstore.RunAnswered || len(m.steps) != 6 {
		f.b.Errorf("run %d: %s %s %s after %d steps, %v", n, r.State, r.Outcome, r.Reason, len(m.steps), err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range m.steps[:len(m.steps)-1] {
		took := m.steps[i+1].Sub(m.steps[i]) - 2*f.thinking
		if i == 1 || i == 3 {
			f.reading = append(f.reading, took)
		} else {
			f.searching = append(f.searching, took)
		}
	}
}

// A thinker is a script that takes its time, and notes when each step began.
type thinker struct {
	script
	thinking time.Duration
	steps    []time.Time
}

func (t *thinker) Chat(ctx context.Context, q agent.Request) (agent.Reply, error) {
	if q.Force != "" {
		t.steps = append(t.steps, time.Now())
	}
	if t.thinking > 0 {
		time.Sleep(t.thinking)
	}
	reply, err := t.script.Chat(ctx, q)
	t.asked[len(t.asked)-1] = agent.Request{} // memory is measured
	return reply, err
}

// A runShelf has four pages of 6 KB that no other run has, of which each search finds
// another.
type runShelf struct {
	n        int
	mu       sync.Mutex
	searched int
}

func ownShelf(n int) *runShelf { return &runShelf{n: n} }

func (s *runShelf) url(page int) string {
	return fmt.Sprintf("https://lake%d.example/page%d", s.n, page)
}

func (s *runShelf) reads(pages ...int) agent.ToolCall {
	var urls []string
	for _, p := range pages {
		urls = append(urls, s.url(p))
	}
	return call("extract_page_content_tool", args{"reasoning": "the count", "urls": urls})
}

func (s *runShelf) Search(context.Context, citewell.Query) ([]citewell.Result, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.searched++
	var list []citewell.Result
	for page := range 3 + s.searched {
		list = append(list, citewell.Result{Title: fmt.Sprintf("Lake %d, page %d", s.n, page), URL: s.url(page),
			Snippet: "What the wardens of the lake counted in the spring."})
	}
	return list, nil
}

func (s *runShelf) Read(_ context.Context, url string) (citewell.Page, citewell.Document, error) {
	paragraph := strings.Repeat("The reeds at the lake were cut in winter by the wardens of the trust. ", 14) + url
	parts := []string{fmt.Sprintf("In the spring of 2024 the wardens counted %d grey herons at lake %d.", 300+s.n, s.n)}
	for i := range 6 {
		parts = append(parts, fmt.Sprint("Part ", i, ". ", paragraph))
	}
	text := strings.Join(parts, "\n\n")
	body := []byte("<html><body><p>" + strings.ReplaceAll(text, "\n\n", "</p><p>") + "</p></body></html>")
	doc := citewell.Document{URL: url, Title: "The lake", Language: "en", MediaType: "text/html", Text: text,
		TextSHA256: citewell.SHA256([]byte(text)), Extractor: citewell.Extractor{ID: "bench", Version: 1}}
	at := 0
	for _, part := range parts {
		doc.Passages = append(doc.Passages, citewell.Passage{Start: at, End: at + len(part), Text: part})
		at += len(part) + 2
	}
	return citewell.Page{URL: url, FinalURL: url, Status: 200, Body: body, SHA256: citewell.SHA256(body),
		FetchedAt: time.Now().UTC(), Outcome: citewell.FetchOK}, doc, nil
}

// fsyncTime is the median of a bare write of 4 KiB with fsync in dir.
func fsyncTime(b *testing.B, dir string) time.Duration {
	b.Helper()
	f, err := os.Create(filepath.Join(dir, "bare"))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	times := make([]time.Duration, 101)
	for i := range times {
		began := time.Now()
		if _, err := f.Write(make([]byte, 4096)); err != nil {
			b.Fatal(err)
		}
		if err := f.Sync(); err != nil {
			b.Fatal(err)
		}
		times[i] = time.Since(began)
	}
	slices.Sort(times)
	return times[len(times)/2]
}

// A memory is what the process has; resident is 0 where /proc does not say.
type memory struct{ resident, heap, goroutines int64 }

func memoryNow() memory {
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	now := memory{heap: int64(m.HeapAlloc), goroutines: int64(runtime.NumGoroutine())}
	if stat, err := os.ReadFile("/proc/self/statm"); err == nil {
		var size int64
		fmt.Sscan(string(stat), &size, &now.resident)
		now.resident *= int64(os.Getpagesize())
	}
	return now
}
