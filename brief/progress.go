package brief

import (
	"fmt"
	"sync"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/text"
)

// An Event is one thing that happened while a brief was made, for a person who
// waits: a provider answered, a page is being read or was, a model is thinking.
type Event struct {
	Kind    EventKind
	Subject string // provider, URL or model
	Outcome string // empty while it is still under way
	Count   int    // results of a provider, passages of a page
	Elapsed time.Duration
}

// An EventKind says what an Event is about.
type EventKind string

// The kinds, in the order in which a brief goes through them.
const (
	EventProvider EventKind = "provider"
	EventReading  EventKind = "reading"
	EventRead     EventKind = "read"
	EventThinking EventKind = "thinking"
	EventThought  EventKind = "thought"
)

// String says what is done, for people; it is empty for what is only under way.
func (e Event) String() string {
	switch e.Kind {
	case EventProvider:
		return fmt.Sprintf("searched %s: %s, %s", e.Subject, e.Outcome, text.Count(e.Count, "result"))
	case EventRead:
		return fmt.Sprintf("read %s: %s", e.Subject, e.Outcome)
	case EventThought:
		return fmt.Sprintf("asked %s: %s", e.Subject, e.Outcome)
	}
	return ""
}

// progress hands events to the caller one at a time.
type progress struct {
	mu     sync.Mutex
	report func(Event)
}

func (p *progress) tell(e Event) {
	if p.report == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.report(e)
}

func (p *progress) read(url string, outcome citewell.FetchOutcome, passages int, elapsed time.Duration) {
	p.tell(Event{Kind: EventRead, Subject: url, Outcome: string(outcome), Count: passages, Elapsed: elapsed})
}
