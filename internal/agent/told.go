package agent

import (
	"sync"
)

// An outbox hands on what a run tells, in order, once what that leans on is on disk:
// between the end of a call and the journal's next writing it holds events back.
type outbox struct {
	mu   sync.Mutex
	tell func(Event)
	held bool
	wait []Event
}

func (o *outbox) say(e Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.held {
		o.wait = append(o.wait, e)
		return
	}
	o.tell(e)
}

// hold is called before a call is finished in the journal.
func (o *outbox) hold() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.held = true
}

// release is called when the journal has written what was finished.
func (o *outbox) release() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, e := range o.wait {
		o.tell(e)
	}
	o.held, o.wait = false, nil
}

// drop forgets what leans on results that could not be kept.
func (o *outbox) drop() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.held, o.wait = false, nil
}
