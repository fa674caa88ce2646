package main

import (
	"container/heap"
	"time"
)

// A Plant is what runs are executed with. Times of processors are those of the machine that was
// measured; a station that is slower than it is given fewer cores.
type Plant struct {
	Workers       int           // processes
	Parallel      int           // runs of each at once
	WorkerCores   int           // of each; 0 has all workers and the database share DatabaseCores
	DatabaseCores int           //
	Sync          time.Duration // of the database's disk: commits that wait together share one
	ModelCalls    int           // at once, of all workers; 0 is without limit
	Wait          time.Duration // until a processor takes up what it is given, where others use it too
}

// A Load is what runs ask for.
type Load struct {
	Researchers int           // each has one run at a time
	Pause       time.Duration // between a researcher's runs
	Runs        int           // that are begun in all, then it ends
	Calls       int           // of the model in a run
	Think       time.Duration // of the model, for each call
	WorkerCPU   time.Duration // of a run
	DatabaseCPU time.Duration // of a run
	Commits     int           // of a run, which wait for the disk
	// of the database's processors, for each run under way: its lease, and whether it is cancelled
	Hold float64
}

// A Result is what came of it.
type Result struct {
	Took                  time.Duration // until the last run ended
	PerSecond             float64       // runs
	Run                   time.Duration // from when a run is begun to its end, in the mean
	Worker, Database, Log float64       // how busy processors of workers, of the database, and its disk were, 0 to 1
	Model                 float64       // calls of the model at once, in the mean
}

// Simulate plays a load on a plant. Nothing in it is random: a run is Calls times the same step,
// a wait for the model, work of the worker, work of the database, and commits one after the other.
func Simulate(p Plant, l Load) Result {
	s := &simulation{}
	database := &station{simulation: s, servers: p.DatabaseCores}
	workers := database
	if p.WorkerCores > 0 {
		workers = &station{simulation: s, servers: p.Workers * p.WorkerCores}
	}
	slots := &station{simulation: s, servers: p.Workers * p.Parallel}
	model := &station{simulation: s, servers: p.ModelCalls}
	disk := &committer{simulation: s, sync: p.Sync.Seconds()}
	var inRuns float64
	begun, ended := 0, 0
	part := func(d time.Duration, parts int) float64 { return d.Seconds() / float64(parts) }
	work := func(on *station, takes float64, then func()) {
		s.after(p.Wait.Seconds(), func() { on.serve(takes, then) })
	}
	commitsPerStep := max(1, l.Commits/l.Calls)
	var begin func()
	begin = func() {
		if begun == l.Runs {
			return
		}
		begun++
		came := s.now
		slots.enter(func(leave func()) {
			step := 0
			var next func()
			next = func() {
				if step == l.Calls {
					leave()
					ended++
					inRuns += s.now - came
					s.after(l.Pause.Seconds(), begin)
					return
				}
				step++
				model.serve(l.Think.Seconds(), func() {
					work(workers, part(l.WorkerCPU, l.Calls), func() {
						left := commitsPerStep
						var commit func()
						commit = func() {
							if left == 0 {
								next()
								return
							}
							left--
							work(database, part(l.DatabaseCPU, l.Calls*commitsPerStep), func() { disk.commit(commit) })
						}
						commit()
					})
				})
			}
			next()
		})
	}
	for i := range l.Researchers { // they do not come all at once, unless they do not pause
		s.after(l.Pause.Seconds()*float64(i)/float64(l.Researchers), begin)
	}
	s.play()
	r := Result{Took: seconds(s.now), PerSecond: float64(ended) / s.now, Run: seconds(inRuns / float64(ended)),
		Model: model.busy / s.now, Log: disk.busy / s.now}
	// What is under way delays nobody here; it is added to what the database is busy with.
	r.Database = (database.busy + l.Hold*slots.busy) / s.now / float64(database.servers)
	r.Worker = workers.busy / s.now / float64(workers.servers)
	return r
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// A simulation is what happens, in order.
type simulation struct {
	now  float64 // seconds
	next events
	made int
}

type event struct {
	at float64
	n  int // of those at one time the one first that was made first
	do func()
}

type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	return e[i].at < e[j].at || e[i].at == e[j].at && e[i].n < e[j].n
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

func (s *simulation) after(wait float64, do func()) {
	s.made++
	heap.Push(&s.next, event{s.now + wait, s.made, do})
}

func (s *simulation) play() {
	for len(s.next) > 0 {
		e := heap.Pop(&s.next).(event)
		s.now = e.at
		e.do()
	}
}

// A station serves as many at once as it has servers, in the order in which they came; without
// servers it has one for everybody.
type station struct {
	*simulation
	servers, taken int
	waiting        []func()
	busy           float64 // seconds of all servers
}

// enter waits for a server and holds it until leave is called.
func (s *station) enter(do func(leave func())) {
	start := func() {
		s.taken++
		from := s.now
		do(func() {
			s.busy += s.now - from
			s.taken--
			if len(s.waiting) > 0 {
				first := s.waiting[0]
				s.waiting = s.waiting[1:]
				first()
			}
		})
	}
	if s.servers > 0 && s.taken >= s.servers {
		s.waiting = append(s.waiting, start)
		return
	}
	start()
}

// serve has a server for so long, and then goes on.
func (s *station) serve(takes float64, then func()) {
	s.enter(func(leave func()) {
		s.after(takes, func() { leave(); then() })
	})
}

// A committer is a disk that is synced for all who wait together.
type committer struct {
	*simulation
	sync    float64
	waiting []func()
	syncing bool
	busy    float64
}

func (c *committer) commit(then func()) {
	c.waiting = append(c.waiting, then)
	if !c.syncing {
		c.start()
	}
}

func (c *committer) start() {
	group := c.waiting
	c.waiting, c.syncing = nil, true
	c.busy += c.sync
	c.after(c.sync, func() {
		c.syncing = false
		if len(c.waiting) > 0 {
			c.start()
		}
		for _, then := range group {
			then()
		}
	})
}
