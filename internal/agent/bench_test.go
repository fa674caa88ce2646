package agent_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/store/sqlite"
)

// BenchmarkStep measures a step with an instant model and search, with the journal in
// a store of runs: two model calls, one search, and what the agent does around them.
func BenchmarkStep(b *testing.B) {
	b.Run("journal=store", func(b *testing.B) { benchmarkStep(b, true) })
	b.Run("journal=memory", func(b *testing.B) { benchmarkStep(b, false) })
}

func benchmarkStep(b *testing.B, durable bool) {
	db, err := sqlite.Open(b.Context(), b.TempDir(), sqlite.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	runs := db.Tenant("bench")
	const steps = 8
	total := 0
	for b.Loop() {
		created, err := runs.CreateRun(b.Context(), runstore.NewRun{Agent: "desk", Request: []byte(`{}`)})
		if err != nil {
			b.Fatal(err)
		}
		lease, err := runs.AcquireRun(b.Context(), created.ID, "bench", time.Minute)
		if err != nil {
			b.Fatal(err)
		}
		s := newShelf()
		m := &script{}
		for i := range steps {
			s.pages[fmt.Sprintf("https://a%d.example/", i)] = "The lake is as deep as the trust says, and nobody has " +
				"ever measured it."
			m.replies = append(m.replies, thinks(), calls(searchFor(fmt.Sprint("herons ", i))))
		}
		m.replies = append(m.replies, thinks(), calls(finalCall("No source says it.")))
		o := s.options(agent.ShapeSGRToolCalling, m)
		if durable {
			o.Archive, o.Journal = runs, &agent.RunJournal{Calls: runs, Lease: lease}
		}
		o.Limits = agent.Limits{MaxSearches: 50, MaxIterations: 50}
		a, err := agent.New(o)
		if err != nil {
			b.Fatal(err)
		}
		r, err := a.Run(context.Background(), agent.Task{ID: created.ID, Text: heronTask})
		if err != nil {
			b.Fatal(err)
		}
		total += r.Iteration
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(total)/1000, "ms/step")
}
