package postgres

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/citewell/citewell/store/internal/follow"
	"github.com/citewell/citewell/store/internal/sqlstore"
	"github.com/jackc/pgx/v5"
)

const (
	newsEvery    = 20 * time.Millisecond // as often as a process tells others, at most
	newsPoll     = time.Second           // until what nobody told of is seen
	newsPing     = 5 * time.Second       // of the connection that listens
	newsChannel  = "citewell_runs"
	newsBytes    = 7900 // of one notification; PostgreSQL refuses 8000
	newsAnything = "*"  // there is more than a notification has room for
	newsWork     = "w"  // a run may want an executor
)

// news tells all processes which runs have something new. A notification only wakes, so a lost one costs newsPoll. One
// goroutine sends them for all writes of the process, after the commit: within a transaction it would have commits wait
// for each other.
type news struct {
	*follow.Hub
	pool   querier
	direct *pgx.ConnConfig // of the connection that listens
	ending context.Context
	end    context.CancelFunc
	all    sync.WaitGroup

	written chan struct{} // holds one
	mu      sync.Mutex
	dirty   map[int64]bool
	work    bool // somebody may want an executor

	listening sync.Once
	wantMu    sync.Mutex
	wants     []func()
}

func startNews(pool querier, direct *pgx.ConnConfig) *news {
	n := &news{pool: pool, direct: direct, written: make(chan struct{}, 1), dirty: make(map[int64]bool)}
	n.ending, n.end = context.WithCancel(context.Background())
	n.Hub = follow.NewHub(n.listen)
	n.all.Go(n.send)
	return n
}

// Close ends who follows, after what was written here has been told.
func (n *news) Close() {
	n.Hub.Close()
	n.end()
	n.all.Wait()
}

// listen has this process told what others write, from the first time on that somebody wants to know.
func (n *news) listen() {
	n.listening.Do(func() {
		n.all.Go(n.hear)
		n.all.Go(n.poll)
	})
}

// onWork has do called when a run may want an executor, perhaps once too often.
func (n *news) onWork(do func()) {
	n.wantMu.Lock()
	defer n.wantMu.Unlock()
	n.wants = append(n.wants, do)
	n.listen()
}

func (n *news) wakeWork() {
	n.wantMu.Lock()
	defer n.wantMu.Unlock()
	for _, do := range n.wants {
		do()
	}
}

// wrote is called after a commit, with the number of the run; 0 is none.
func (n *news) wrote(run int64) {
	if run != 0 {
		n.Wake(run)
		n.mu.Lock()
		n.dirty[run] = true
		n.mu.Unlock()
		follow.Signal(n.written)
	}
}

// wanted is called after a commit by which a run may want an executor.
func (n *news) wanted(run int64) {
	n.mu.Lock()
	n.work = true
	n.mu.Unlock()
	n.wrote(run)
	follow.Signal(n.written)
	n.wakeWork()
}

// send tells others of what was written here.
func (n *news) send() {
	for {
		select {
		case <-n.written:
		case <-n.ending.Done():
			n.tell()
			return
		}
		select {
		case <-time.After(newsEvery):
		case <-n.ending.Done():
		}
		n.tell()
	}
}

func (n *news) tell() {
	n.mu.Lock()
	dirty, work := n.dirty, n.work
	n.dirty, n.work = make(map[int64]bool), false
	n.mu.Unlock()
	if payload := newsOf(dirty, work); payload != "" {
		ctx, cancel := context.WithTimeout(context.Background(), newsPing)
		defer cancel()
		// What fails is seen by those who poll.
		_, _ = n.pool.Exec(ctx, `SELECT pg_notify($1, $2)`, newsChannel, payload)
	}
}

// newsOf is a notification of the runs that were written.
func newsOf(runs map[int64]bool, work bool) string {
	var words []string
	if work {
		words = append(words, newsWork)
	}
	for _, run := range slices.Sorted(maps.Keys(runs)) {
		words = append(words, strconv.FormatInt(run, 10))
	}
	payload := strings.Join(words, " ")
	if len(payload) > newsBytes {
		return newsAnything
	}
	return payload
}

// heard does what a notification asks for.
func (n *news) heard(payload string) {
	for word := range strings.FieldsSeq(payload) {
		switch run, err := strconv.ParseInt(word, 10, 64); {
		case err == nil:
			n.Wake(run)
		case word == newsWork:
			n.wakeWork()
		default: // newsAnything, and whatever a later program says
			n.WakeAll()
			n.wakeWork()
		}
	}
}

// hear listens, on a connection of its own that does nothing else, until the store is closed.
func (n *news) hear() {
	const most = 5 * time.Second
	pause := newsEvery
	for n.ending.Err() == nil {
		if n.hearOnce() {
			pause = newsEvery
		}
		select {
		case <-time.After(pause):
		case <-n.ending.Done():
		}
		pause = min(2*pause, most)
	}
}

// hearOnce listens until the connection is lost, and says whether there was one.
func (n *news) hearOnce() bool {
	conn, err := pgx.ConnectConfig(n.ending, n.direct)
	if err != nil {
		return false
	}
	defer conn.Close(context.WithoutCancel(n.ending))
	if _, err := conn.Exec(n.ending, `LISTEN `+newsChannel); err != nil {
		return false
	}
	n.heard(newsAnything) // what was told before nobody heard
	for {
		ctx, cancel := context.WithTimeout(n.ending, newsPing)
		told, err := conn.WaitForNotification(ctx)
		quiet := ctx.Err() != nil
		cancel()
		switch {
		case err == nil:
			n.heard(told.Payload)
		case !quiet || n.ending.Err() != nil || !n.lives(conn):
			return true
		}
	}
}

// lives asks the server whether it is there.
func (n *news) lives(conn *pgx.Conn) bool {
	ctx, cancel := context.WithTimeout(n.ending, 2*newsPing)
	defer cancel()
	return conn.Ping(ctx) == nil
}

// poll looks for what nobody told of: one question for all runs that are followed here.
func (n *news) poll() {
	tick := time.NewTicker(newsPoll)
	defer tick.Stop()
	known := make(map[int64]int64) // numbers of newest events
	for {
		select {
		case <-tick.C:
		case <-n.ending.Done():
			return
		}
		followed := n.Followed()
		if len(followed) == 0 {
			clear(known)
			continue
		}
		seen := make(map[int64]int64, len(followed))
		err := sqlstore.Each(n.ending, conn{n.pool}, `SELECT n, seq FROM run WHERE n = ANY ($1)`,
			func(scan func(...any) error) error {
				var run, seq int64
				err := scan(&run, &seq)
				seen[run] = seq
				return err
			}, followed)
		if err != nil {
			continue
		}
		for _, run := range followed {
			if seq, there := seen[run]; !there || seq != known[run] {
				n.Wake(run)
			}
		}
		known = seen
	}
}
