package status

import (
	"sync"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/search"
)

// LastCalls are what came of the last call of each provider in this process. The zero value is ready,
// and may be used from many goroutines.
type LastCalls struct {
	mu sync.Mutex
	of map[string]Call
}

// Hear hears of a call that is over.
func (l *LastCalls) Hear(x search.Exchange) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.of == nil {
		l.of = map[string]Call{}
	}
	l.of[x.Provider] = Call{At: time.Now().UTC(), Outcome: x.Outcome, Code: citewell.CodeOf(x.Err),
		ElapsedMS: x.Took.Milliseconds()}
}

// Of returns the last call of a provider; nil where there was none.
func (l *LastCalls) Of(provider string) *Call {
	l.mu.Lock()
	defer l.mu.Unlock()
	if call, ok := l.of[provider]; ok {
		return &call
	}
	return nil
}
