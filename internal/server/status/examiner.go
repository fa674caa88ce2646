package status

import (
	"context"
	"sync"
	"time"

	"github.com/citewell/citewell/internal/doctor"
	"github.com/citewell/citewell/internal/turns"
	"github.com/citewell/citewell/internal/upkeep"
)

// Untried is the state of a part that was not tried since the server began.
const Untried doctor.State = "untried"

// fresh is how long an examination is the answer to whoever asks for another: to those who
// waited for it, and to who asks again and again.
const fresh = 10 * time.Second

// An Examination is what was found the last time that every part was tried.
type Examination struct {
	ExaminedAt time.Time     `json:"examined_at,omitzero"` // when it ended; absent before the first
	Findings   []Finding     `json:"findings"`
	Store      *upkeep.Usage `json:"store,omitempty"` // as it was then, of all tenants
}

// A Finding is what was found of a part, and since when it has been found so.
type Finding struct {
	doctor.Finding
	At    time.Time `json:"at,omitzero"`    // when it was tried
	Since time.Time `json:"since,omitzero"` // when it was first found in this state, without another between
}

// An Examiner has every part tried, one examination at a time.
type Examiner struct {
	probes  func(context.Context) ([]doctor.Probe, error)
	measure func(context.Context) (upkeep.Usage, error)
	redact  func(string) string
	place   *turns.Turns

	mu   sync.Mutex
	last Examination
}

// NewExaminer returns an Examiner. Listing probes calls nothing; trying them does. measure is
// called with them, and redact takes secrets out of what they say.
func NewExaminer(probes func(context.Context) ([]doctor.Probe, error),
	measure func(context.Context) (upkeep.Usage, error), redact func(string) string) *Examiner {
	return &Examiner{probes: probes, measure: measure, redact: redact, place: turns.New(1)}
}

// Last is the last examination; before the first, every part in the state Untried.
func (e *Examiner) Last(ctx context.Context) (Examination, error) {
	if last := e.known(); !last.ExaminedAt.IsZero() {
		return last, nil
	}
	probes, err := e.probes(ctx)
	if err != nil {
		return Examination{}, err
	}
	none := Examination{Findings: make([]Finding, len(probes))}
	for i, p := range probes {
		f := doctor.Finding{Part: p.Part, Name: p.Name, State: Untried}
		if p.Off != "" {
			f.State, f.Detail = doctor.Off, e.redact(p.Off)
		}
		none.Findings[i].Finding = f
	}
	return none, nil
}

func (e *Examiner) known() Examination {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.last
}

// Examine tries every part, each within the limit of its probe. Who comes while that is done
// waits for it. One that nobody waits for any more is given up.
func (e *Examiner) Examine(ctx context.Context) error {
	leave, err := e.place.Enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	former := e.known()
	if !former.ExaminedAt.IsZero() && time.Since(former.ExaminedAt) < fresh {
		return nil
	}
	probes, err := e.probes(ctx)
	if err != nil {
		return err
	}
	found := doctor.Examine(ctx, probes)
	usage, err := e.measure(ctx)
	if err != nil {
		return err
	}
	if ctx.Err() != nil { // what was found then is that nobody waited
		return ctx.Err()
	}
	now := Examination{ExaminedAt: time.Now().UTC(), Findings: make([]Finding, len(found)), Store: &usage}
	for i, f := range found {
		f.Name, f.Detail, f.Hint = e.redact(f.Name), e.redact(f.Detail), e.redact(f.Hint)
		now.Findings[i] = Finding{f, now.ExaminedAt, former.since(f, now.ExaminedAt)}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.last = now
	return nil
}

// since is since when a part has been in the state that it is found in at a time.
func (x Examination) since(f doctor.Finding, at time.Time) time.Time {
	for _, was := range x.Findings {
		if was.Part == f.Part && was.Name == f.Name && was.State == f.State {
			return was.Since
		}
	}
	return at
}
