package main

import (
	"math"
	"testing"
	"time"
)

// TestMeasured holds the simulation against what was measured with one to eight workers on a
// machine whose processors others used too: for how long one waited for a processor is taken from
// the row of one worker, and the others must follow from it.
func TestMeasured(t *testing.T) {
	m, err := load()
	if err != nil {
		t.Fatal(err)
	}
	simulated := func(row int, wait time.Duration) float64 {
		p := Plant{Workers: m.Rows[row].Workers, Parallel: m.Parallel, DatabaseCores: m.Cores,
			Sync: time.Millisecond, Wait: wait}
		return Simulate(p, m.load(row)).Took.Seconds()
	}
	low, high := time.Duration(0), time.Second
	for high-low > 10*time.Microsecond {
		if middle := (low + high) / 2; simulated(0, middle) < m.Rows[0].Seconds {
			low = middle
		} else {
			high = middle
		}
	}
	t.Logf("one waited for a processor for %v", low)
	for i, row := range m.Rows {
		got := simulated(i, low)
		t.Logf("%d workers, %d runs: measured %.1f s, simulated %.1f s", row.Workers, row.Runs, row.Seconds, got)
		if off := got / row.Seconds; off < 1/1.25 || off > 1.25 {
			t.Errorf("%d workers: %.1f s were measured and %.1f s are simulated", row.Workers, row.Seconds, got)
		}
	}
}

// What can be reckoned without a simulation is what it says.
func TestLaws(t *testing.T) {
	l := Load{Researchers: 1, Runs: 3, Calls: 10, Think: time.Second, WorkerCPU: 500 * time.Millisecond,
		DatabaseCPU: 100 * time.Millisecond, Commits: 40, Pause: 10 * time.Second}
	p := Plant{Workers: 1, Parallel: 8, WorkerCores: 1, DatabaseCores: 1, Sync: 5 * time.Millisecond}
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 0.02*want {
			t.Errorf("%s: %.3f, want %.3f", what, got, want)
		}
	}
	near("alone a run takes the sum of its parts", Simulate(p, l).Run.Seconds(), 10+0.5+0.1+0.2)
	many := l
	many.Researchers, many.Runs, many.Pause = 400, 2000, 0
	p.Workers, p.Parallel = 1, 1000
	r := Simulate(p, many)
	near("the worker is the limit: runs a second", r.PerSecond, 2)
	near("and is always busy", r.Worker, 1)
	p.WorkerCores = 100
	near("then the database", Simulate(p, many).PerSecond, 10)
	p.ModelCalls = 20
	near("or the model", Simulate(p, many).PerSecond, 2)
	p.ModelCalls, p.Parallel = 0, 10
	near("or the places of workers", Simulate(p, many).PerSecond, 10/(10+0.005+0.1+0.2+0.5-0.005))
	p.Parallel, p.DatabaseCores = 1000, 100
	if disk := Simulate(p, many); disk.PerSecond < 20 { // commits that wait together share a sync
		t.Errorf("the disk is the limit at %.1f runs a second", disk.PerSecond)
	}
}
