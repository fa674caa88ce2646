package fetch

import (
	"context"
	"errors"
	"net"
	"net/url"
	"sync"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/pace"
)

// manners lets one request at a time through to each host and port, their starts apart; to the operator's own,
// ownAtOnce.
type manners struct {
	spacing time.Duration
	slow    map[string]time.Duration // the spacing of hosts that are spared; nothing is added once requests are made

	pace      pace.Turns // nil where no other process is known
	alone     func(context.Context, error)
	aloneOnce sync.Once

	mu    sync.Mutex
	hosts map[string]*queue
}

// A queue is one host's: who holds a slot may talk to the host. manners.mu guards it.
type queue struct {
	slots chan struct{} // full while all are held; waiters are served in order
	users int           // holders and waiters
	last  time.Time     // when the last counted request began
	until time.Time     // a spared host that refused is not asked before
	own   bool          // it is the operator's, as a connection to it has shown
}

// ownAtOnce is how many requests go to a host of the operator's own at once.
const ownAtOnce = 16

// maxQueues is how many hosts are remembered before those at rest are forgotten.
const maxQueues = 512

func newManners(spacing time.Duration) *manners {
	return &manners{spacing: spacing, slow: make(map[string]time.Duration), hosts: make(map[string]*queue)}
}

// A turn is the right to send requests to one host until done is called.
type turn struct {
	manners *manners
	key     string
	queue   *queue
	slots   chan struct{}            // those that it waited for
	slow    bool                     // every request counts, one at a time, and none is tried again
	spacing time.Duration            // that the host is given
	rest    time.Time                // before which no process is to ask the host again
	end     func(rest time.Duration) // of the turn among all processes, where it has one
}

// wait returns the caller's turn at u's host, in the order of asking, and where spaced no sooner than the spacing after
// the last counted start. A turn that cannot come before ctx's deadline is rate_limited, at once where that is known.
// After a wait, meanwhile is asked whether a turn is wanted still.
func (m *manners) wait(ctx context.Context, u *url.URL, spaced, counts bool, meanwhile func() bool) (*turn, error) {
	t := m.join(hostPort(u))
	select {
	case t.slots <- struct{}{}:
	default:
		select {
		case t.slots <- struct{}{}:
		case <-ctx.Done():
			m.leave(t.key, t.queue)
			return nil, turnRefused(ctx, 0)
		}
		if meanwhile() {
			return t, nil
		}
	}
	if err := t.await(ctx, spaced, counts, meanwhile); err != nil {
		t.done()
		return nil, err
	}
	return t, nil
}

// await waits until the host may be asked.
func (t *turn) await(ctx context.Context, spaced, counts bool, meanwhile func() bool) error {
	m := t.manners
	m.mu.Lock()
	last, own, until := t.queue.last, t.queue.own, t.queue.until
	m.mu.Unlock()
	if t.spacing = m.spacing; t.slow {
		t.spacing, spaced, counts = m.slow[t.key], true, true
	}
	if wait := time.Until(until); wait > 0 {
		return leftAlone(wait)
	}
	if spaced && !own && !last.IsZero() {
		if err := sleep(ctx, time.Until(last.Add(t.spacing))); err != nil {
			return turnRefused(ctx, t.spacing)
		}
	}
	if own || m.pace == nil {
		return nil
	}
	rule := pace.Rule{AtOnce: 1, Free: true, Unspaced: !spaced}
	if counts {
		rule.Every = t.spacing
	}
	return t.share(ctx, rule, meanwhile)
}

// How long a spared host is left alone that refused.
const (
	leastCoolDown = time.Minute
	coolDown      = 5 * time.Minute // where it does not say
	mostCoolDown  = time.Hour
)

// coolDown notes that a spared host refused: nobody asks it for as long as it says.
func (t *turn) coolDown(got *answer) {
	wait, said := retryAfter(got.header, got.fetchedAt)
	if !said {
		wait = coolDown
	}
	t.manners.mu.Lock()
	defer t.manners.mu.Unlock()
	t.rest = time.Now().Add(min(max(wait, leastCoolDown), mostCoolDown))
	t.queue.until = t.rest
}

// count notes that a request begins now, which the next spaced one keeps away from.
func (t *turn) count() {
	t.manners.mu.Lock()
	defer t.manners.mu.Unlock()
	t.queue.last = time.Now()
	t.rest = t.queue.last.Add(t.spacing)
}

// isOwn notes that the host is the operator's own.
func (t *turn) isOwn() {
	t.manners.mu.Lock()
	defer t.manners.mu.Unlock()
	if !t.queue.own && !t.slow {
		t.queue.own, t.queue.slots = true, make(chan struct{}, ownAtOnce)
	}
}

func (t *turn) done() {
	if t.end != nil {
		t.end(max(time.Until(t.rest), 0))
	}
	<-t.slots
	t.manners.leave(t.key, t.queue)
}

func (m *manners) join(key string) *turn {
	m.mu.Lock()
	defer m.mu.Unlock()
	q := m.hosts[key]
	if q == nil {
		if len(m.hosts) >= maxQueues {
			m.forget()
		}
		q = &queue{slots: make(chan struct{}, 1)}
		m.hosts[key] = q
	}
	q.users++
	_, slow := m.slow[key]
	return &turn{manners: m, key: key, queue: q, slots: q.slots, slow: slow}
}

func (m *manners) leave(key string, q *queue) {
	m.mu.Lock()
	defer m.mu.Unlock()
	q.users--
	if q.users == 0 && q.last.IsZero() {
		delete(m.hosts, key)
	}
}

// forget drops the hosts whose last request holds nobody up any more.
func (m *manners) forget() {
	for key, q := range m.hosts {
		if q.users == 0 && time.Since(q.last) >= max(m.spacing, m.slow[key]) && time.Now().After(q.until) {
			delete(m.hosts, key)
		}
	}
}

func turnRefused(ctx context.Context, retryAfter time.Duration) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return &citewell.Error{Code: citewell.CodeCanceled, Err: ctx.Err()}
	}
	return &citewell.Error{
		Code:       citewell.CodeRateLimited,
		Message:    "other requests to this host took up the time allowed",
		Hint:       "one request at a time goes to a host: fetch fewer of its pages at once, or allow more time",
		RetryAfter: retryAfter,
		Err:        ctx.Err(),
	}
}

// sleep waits for d, or fails at once where ctx ends before that.
func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < d {
		return context.DeadlineExceeded
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// hostPort names u's host with its port, the scheme's own where u has none.
func hostPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = "80"
		if u.Scheme == "https" {
			port = "443"
		}
	}
	return net.JoinHostPort(u.Hostname(), port)
}
