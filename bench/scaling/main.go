// Command scaling simulates what a number of researchers does to workers and to PostgreSQL.
//
// Flow: testdata/measured.json, what a run costs (make scaling) → Simulate → the tables of
// doc/scaling.md.
// Assumptions: a run is a chain of equal steps, as Simulate has it; times of processors do not
// depend on how many work at once; the network costs nothing; pages are fetched while the model
// would think. The small end is held against what was measured: simulation_test.go.
package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"text/tabwriter"
	"time"
)

//go:embed testdata/measured.json
var measuredText []byte

// measured is what internal/cli TestScaling wrote.
type measured struct {
	Cores    int     `json:"cores"`
	ThinkMS  float64 `json:"think_ms"`
	Parallel int     `json:"parallel"`
	HoldMS   float64 `json:"database_cpu_ms_per_second_of_a_run"`
	Rows     []struct {
		Workers    int     `json:"workers"`
		Runs       int     `json:"runs"`
		Seconds    float64 `json:"seconds"`
		Calls      float64 `json:"calls_per_run"`
		WorkerMS   float64 `json:"worker_cpu_ms_per_run"`
		DatabaseMS float64 `json:"database_cpu_ms_per_run"`
		Writes     float64 `json:"writes_per_run"`
		LogBytes   float64 `json:"wal_bytes_per_run"`
	} `json:"rows"`
}

func load() (m measured, err error) {
	err = json.Unmarshal(measuredText, &m)
	return m, err
}

// load of a row: what its runs cost each, as they were measured.
func (m measured) load(row int) Load {
	r := m.Rows[row]
	ms := func(f float64) time.Duration { return time.Duration(f * float64(time.Millisecond)) }
	return Load{Researchers: r.Runs, Runs: r.Runs, Calls: int(r.Calls + 0.5), Think: ms(m.ThinkMS),
		WorkerCPU: ms(r.WorkerMS), DatabaseCPU: ms(r.DatabaseMS), Commits: int(r.Writes + 0.5), Hold: m.HoldMS / 1000}
}

// The plants and the habits of the tables.
const (
	think    = 4 * time.Second  // of a large model, for each call
	pause    = time.Minute      // in which a researcher reads
	calls    = 20               // of a run that searches three times and reads some ten pages
	sync     = time.Millisecond // of a good disk or of a synchronous standby near by
	parallel = 256              // runs of a worker at once, as server.limits.runs has it
	perHead  = 5                // runs that each researcher begins
)

func main() {
	m, err := load()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	costs := m.load(len(m.Rows) - 1)
	times := float64(calls) / float64(costs.Calls)
	scaled := func(d time.Duration) time.Duration { return time.Duration(float64(d) * times) }
	base := Load{Pause: pause, Calls: calls, Think: think, WorkerCPU: scaled(costs.WorkerCPU),
		DatabaseCPU: scaled(costs.DatabaseCPU), Commits: int(float64(costs.Commits) * times), Hold: costs.Hold}
	fmt.Printf("a run: %d calls of %v, %v of a worker's processors, %v of PostgreSQL's, %d commits\n\n", calls, think,
		base.WorkerCPU.Round(time.Millisecond), base.DatabaseCPU.Round(time.Millisecond), base.Commits)
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(out, "researchers\tworkers\tdatabase cores\truns/h\ta run takes\tworkers busy\tdatabase busy\tdisk "+
		"busy\tmodel calls at once\t")
	for _, q := range []struct{ researchers, workers, cores int }{{1, 1, 2}, {10, 1, 2}, {100, 1, 2}, {1000, 1, 2},
		{1000, 3, 2}, {10000, 24, 8}} {
		l := base
		l.Researchers, l.Runs = q.researchers, q.researchers*perHead
		r := Simulate(Plant{Workers: q.workers, Parallel: parallel, WorkerCores: 2, DatabaseCores: q.cores, Sync: sync},
			l)
		fmt.Fprintf(out, "%d\t%d\t%d\t%.0f\t%v\t%.0f %%\t%.0f %%\t%.0f %%\t%.0f\t\n", q.researchers, q.workers, q.cores,
			r.PerSecond*3600, r.Run.Round(time.Second), 100*r.Worker, 100*r.Database, 100*r.Log, r.Model)
	}
	out.Flush()
}
