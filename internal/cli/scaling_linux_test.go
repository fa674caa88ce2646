package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/testing/modeltest"
	"github.com/citewell/citewell/internal/testing/pgtest"
	"github.com/jackc/pgx/v5"
)

// A measuredRow is what so many workers took for scripted runs. Times of processors are of each run.
type measuredRow struct {
	Workers     int     `json:"workers"`
	Runs        int     `json:"runs"`
	Seconds     float64 `json:"seconds"`
	Calls       float64 `json:"calls_per_run"` // of the model
	WorkerMS    float64 `json:"worker_cpu_ms_per_run"`
	DatabaseMS  float64 `json:"database_cpu_ms_per_run"`
	Commits     float64 `json:"transactions_per_run"` // those that only read and those that look for runs among them
	Writes      float64 `json:"writes_per_run"`       // transactions that write, each of which waits for the disk
	LogBytes    float64 `json:"wal_bytes_per_run"`
	StoredBytes float64 `json:"stored_bytes_per_run"`
}

// A measurement is what doc/scaling.md and the simulation of bench/scaling go by.
type measurement struct {
	Cores    int           `json:"cores"`
	ThinkMS  float64       `json:"think_ms"` // of the model, for each call
	Parallel int           `json:"parallel"` // runs of a worker at once
	Rows     []measuredRow `json:"rows"`
	// for its lease, and for looking whether it is cancelled
	HoldMS  float64     `json:"database_cpu_ms_per_second_of_a_run"`
	Readers []readerRow `json:"readers"`
}

// A readerRow is what it took a server to tell events to so many streams.
type readerRow struct {
	Streams       int     `json:"streams"`
	Events        int     `json:"events"`
	Seconds       float64 `json:"seconds"`
	CPUMicrosEach float64 `json:"cpu_us_per_event_and_stream"`
}

// TestScaling measures how runs go by the number of workers and what each costs, and writes it
// to the file that CITEWELL_SCALING names.
func TestScaling(t *testing.T) {
	file := os.Getenv("CITEWELL_SCALING")
	if file == "" {
		t.Skip("CITEWELL_SCALING names no file: make scaling")
	}
	const think, parallel = 500 * time.Millisecond, 2
	m := measurement{Cores: runtime.NumCPU(), ThinkMS: float64(think.Milliseconds()), Parallel: parallel}
	for _, workers := range []int{1, 2, 3, 4, 8} {
		m.Rows = append(m.Rows, measureRuns(t, workers, parallel, think))
	}
	m.HoldMS = measureHold(t)
	for _, streams := range []int{50, 200, 800} {
		m.Readers = append(m.Readers, measureReaders(t, streams))
	}
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, append(data, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Logf("%s", data)
}

func measureRuns(t *testing.T, workers, parallel int, think time.Duration) measuredRow {
	server := pgtest.Start(t, pgtest.Debian, pgtest.Options{Durable: true})
	url := server.Database(t)
	c := newCluster(t, url, nil)
	c.model.Follow(func(n int, a modeltest.Asked) modeltest.Reply {
		if !triesOut(a) {
			c.bought.Add(1)
			time.Sleep(think)
		}
		return researcher{}.reply(n, a)
	})
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	figures := func() (commits, writes, log, size float64) {
		if err := conn.QueryRow(t.Context(),
			`SELECT xact_commit::float8, pg_snapshot_xmax(pg_current_snapshot())::text::float8, (pg_current_wal_lsn() - '0/0')::float8, pg_database_size(datname)::float8
			FROM pg_stat_database WHERE datname = current_database()`).Scan(&commits, &writes, &log, &size); err != nil {
			t.Fatal(err)
		}
		return commits, writes, log, size
	}
	for range workers {
		w := startChild(t, c.home, "worker", "--parallel", "2")
		waitFor(t, w.stderr, "executing the runs of")
		drain(w)
		c.workers = append(c.workers, w)
	}
	used := func() (all time.Duration) {
		for _, w := range c.workers {
			all += pgtest.ProcessCPU(t, w.Process.Pid)
		}
		return all
	}
	row := measuredRow{Workers: workers, Runs: 4 * parallel * workers}
	commits, writes, log, size := figures()
	ofWorkers, ofServer, began := used(), server.CPU(t), time.Now()
	c.begin(t, row.Runs)
	c.harmed(t, nil, nil)
	runs := float64(row.Runs)
	row.Seconds = time.Since(began).Seconds()
	row.WorkerMS = float64((used() - ofWorkers).Milliseconds()) / runs
	row.DatabaseMS = float64((server.CPU(t) - ofServer).Milliseconds()) / runs
	time.Sleep(2 * time.Second) // the server counts commits with a delay
	commitsNow, writesNow, logNow, sizeNow := figures()
	row.Calls, row.Commits, row.Writes = float64(c.bought.Load())/runs, (commitsNow-commits)/runs,
		(writesNow-writes)/runs
	row.LogBytes, row.StoredBytes = (logNow-log)/runs, (sizeNow-size)/runs
	c.end(t)
	c.check(t)
	return row
}

// measureHold is what a second of a run costs PostgreSQL in which the run does nothing: it looks
// whether it is to be cancelled, and renews its lease every other second.
func measureHold(t *testing.T) float64 {
	server := pgtest.Start(t, pgtest.Debian, pgtest.Options{Durable: true})
	c := newCluster(t, server.URL, nil)
	const runs, times = 8, 400
	var leases []runstore.Lease
	for range runs {
		run, err := c.app.Store.CreateRun(t.Context(), runstore.NewRun{Agent: "brief", Request: json.RawMessage(`{}`)})
		if err != nil {
			t.Fatal(err)
		}
		lease, err := c.app.Store.AcquireRun(t.Context(), run.ID, "w", 6*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		leases = append(leases, lease)
	}
	used := server.CPU(t)
	var all sync.WaitGroup
	for _, lease := range leases {
		all.Go(func() {
			for n := range times {
				if _, err := c.app.Store.CancelRequested(t.Context(), lease); err != nil {
					t.Error(err)
				}
				if n%2 > 0 {
					continue
				}
				if _, err := c.app.Store.RenewLease(t.Context(), lease); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	return float64((server.CPU(t) - used).Microseconds()) / 1000 / (runs * times)
}

// measureReaders has a server tell the events of one run to streams of Server-Sent Events.
func measureReaders(t *testing.T, streams int) readerRow {
	c := newCluster(t, pgtest.Start(t, pgtest.Debian, pgtest.Options{Durable: true}).URL, nil)
	s := c.app.Store
	run, err := s.CreateRun(t.Context(), runstore.NewRun{Agent: "brief", Request: json.RawMessage(`{}`)})
	if err != nil {
		t.Fatal(err)
	}
	lease, err := s.AcquireRun(t.Context(), run.ID, "w", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	serves := startChild(t, c.home, "serve", "--listen", "127.0.0.1:0", "--no-execute")
	base := strings.Fields(waitFor(t, serves.stderr, "listening on"))[2]
	drain(serves)
	c.workers = append(c.workers, serves)
	row := readerRow{Streams: streams, Events: 100}
	var open, all sync.WaitGroup
	open.Add(streams)
	client := &http.Client{Transport: &http.Transport{}}
	for range streams {
		all.Go(func() {
			resp, err := client.Get(base + "/v1/runs/" + run.ID + "/events")
			if err != nil {
				t.Error(err)
				open.Done()
				return
			}
			defer resp.Body.Close()
			lines := bufio.NewReader(resp.Body)
			for seen, first := 0, true; seen < row.Events; {
				line, err := lines.ReadString('\n')
				if first {
					first = false
					open.Done()
				}
				if strings.Contains(line, "measured") {
					seen++
				}
				if err != nil {
					t.Errorf("a stream ended after %d events: %v", seen, err)
					return
				}
			}
		})
	}
	open.Wait()
	used, began := pgtest.ProcessCPU(t, serves.Process.Pid), time.Now()
	for range row.Events {
		if _, err := s.AppendEvents(t.Context(), lease, []runstore.RunEvent{
			{Type: "said", Data: json.RawMessage(`{"text":"measured ` + strings.Repeat("words ", 40) + `"}`)}}); err !=
			nil {
			t.Fatal(err)
		}
		time.Sleep(50 * time.Millisecond) // as a model that speaks
	}
	all.Wait()
	row.Seconds = time.Since(began).Seconds()
	row.CPUMicrosEach = float64((pgtest.ProcessCPU(t, serves.Process.Pid) - used).Microseconds()) / float64(
		row.Events*streams)
	c.end(t)
	return row
}
