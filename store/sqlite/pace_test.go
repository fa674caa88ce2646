package sqlite

import (
	"fmt"
	"testing"
	"time"

	"github.com/citewell/citewell/internal/pacing"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/store/internal/sqlstore"
)

// Hosts that were asked long ago are forgotten at an opening; what counts, what holds somebody
// up and what is under way is not.
func TestPacesAreForgotten(t *testing.T) {
	dir := t.TempDir()
	db := openTest(t, dir)
	s, now := db.Tenant("t"), time.Now()
	take := func(service string, at time.Time, rule runstore.PaceRule) runstore.Turn {
		t.Helper()
		turn, err := s.TakeTurn(t.Context(), service, at, rule)
		if err != nil || turn.ID == "" {
			t.Fatalf("%s: %+v, %v", service, turn, err)
		}
		return turn
	}
	old, free := now.Add(-2*pacing.Rested), runstore.PaceRule{Free: true, AtOnce: 1, Every: time.Second}
	for i := range pacing.ManyRested {
		service := fmt.Sprint("host ", i)
		turn := take(service, old, free)
		if err := s.EndTurn(t.Context(), service, turn.ID, old, 0); err != nil {
			t.Fatal(err)
		}
	}
	take("provider", old, runstore.PaceRule{PerDay: 9})
	take("under way", old, free)
	take("of now", now, runstore.PaceRule{Free: true, Every: time.Second})
	turn := take("rests", old, free)
	if err := s.EndTurn(t.Context(), "rests", turn.ID, now, time.Hour); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = openTest(t, dir)
	left, err := sqlstore.ReadColumn[string](t.Context(), conn{db.reads}, `SELECT service FROM pace ORDER BY service`)
	if want := "[of now provider rests under way]"; err != nil || fmt.Sprint(left) != want {
		t.Errorf("%v are left (%v), want %s", left, err, want)
	}
}
