package storesuite

import (
	"testing"
	"time"
)

// The Pace in memory, in which tests of other packages believe, keeps the promises of runstore.Pace.
func TestPace(t *testing.T) {
	for name, promise := range map[string]func(*testing.T, RunBackend){
		"pace": pace, "places": pacePlaces, "kept": paceKept, "unspaced": paceUnspaced, "of_many": paceOfMany,
	} {
		t.Run(name, func(t *testing.T) {
			type nothingElse struct{ RunStore }
			tenants := map[string]*Pace{"a": {}, "b": {}}
			var b RunBackend
			b.Tenant = func(name string) RunStore {
				return struct {
					nothingElse
					*Pace
				}{Pace: tenants[name]}
			}
			b.Reopen = func(*testing.T) RunBackend { return b }
			b.Pass = func(time.Duration) {}
			promise(t, b)
		})
	}
}
