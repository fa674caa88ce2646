package turns

import (
	"context"
	"sync"
)

// Fits reports whether a caller who holds own of something may take so much more, where so much is free: nobody may
// hold more than is left for others, but for the empty name, the operator.
func Fits(caller string, own, more, free int64) bool {
	return more <= free && (caller == "" || own+more <= free)
}

// Shares are places that nobody waits for.
type Shares struct {
	most int

	mu   sync.Mutex
	free int
	by   map[string]int
}

// NewShares returns Shares of so many places.
func NewShares(most int) *Shares { return &Shares{most: most, free: most, by: map[string]int{}} }

// Most is how many places there are.
func (s *Shares) Most() int { return s.most }

// Take takes a place for the caller whom ctx is for, which release gives back; false where there is none for it.
func (s *Shares) Take(ctx context.Context) (release func(), ok bool) {
	who := Caller(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	if !Fits(who, int64(s.by[who]), 1, int64(s.free)) {
		return nil, false
	}
	s.free--
	s.by[who]++
	return sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.free++
		if s.by[who]--; s.by[who] == 0 {
			delete(s.by, who)
		}
	}), true
}
