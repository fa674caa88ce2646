package postgres

import (
	"fmt"
	"testing"
	"time"

	"github.com/citewell/citewell/internal/pacing"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/testing/pgtest"
	"github.com/citewell/citewell/store/internal/sqlstore"
)

// Hosts that were asked long ago are forgotten; what counts, what holds somebody up and what is
// under way is not.
func TestPacesAreForgotten(t *testing.T) {
	db := openURL(t, Options{URL: pgtest.URL(t)})
	s, now := db.Tenant("t"), time.Now()
	old, free := now.Add(-2*pacing.Rested), runstore.PaceRule{Free: true, AtOnce: 1, Every: time.Second}
	for _, test := range []struct {
		service string
		at      time.Time
		rule    runstore.PaceRule
		end     bool
		rest    time.Duration
	}{{"host", old, free, true, 0}, {"provider", old, runstore.PaceRule{PerDay: 9}, false, 0},
		{"under way", old, free, false, 0},
		{"of now", now, runstore.PaceRule{Free: true, Every: time.Second}, false, 0},
		{"rests", old, free, true, 3 * pacing.Rested}} {
		turn, err := s.TakeTurn(t.Context(), test.service, test.at, test.rule)
		if err == nil && test.end {
			err = s.EndTurn(t.Context(), test.service, turn.ID, test.at, test.rest)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := sweepPaces(t.Context(), db.pool); err != nil {
		t.Fatal(err)
	}
	left, err := sqlstore.ReadColumn[string](t.Context(), conn{db.pool}, `SELECT service FROM pace ORDER BY service`)
	if want := "[of now provider rests under way]"; err != nil || fmt.Sprint(left) != want {
		t.Errorf("%v are left (%v), want %s", left, err, want)
	}
}

// Neither the end of a turn nor what keeps one waits for the disk, unless the service is to be let alone for long.
func TestEndTurnWaitsForTheDisk(t *testing.T) {
	server := pgtest.Start(t, pgtest.Debian, pgtest.Options{
		Durable: true, Settings: map[string]string{"wal_writer_delay": "10s", "autovacuum": "off"}})
	db := openURL(t, Options{URL: server.Database(t)})
	s, now := db.Tenant("t"), time.Now()
	end := func(rest time.Duration) func(host, id string) error {
		return func(host, id string) error { return s.EndTurn(t.Context(), host, id, now, rest) }
	}
	for name, test := range map[string]struct {
		write  func(host, id string) error
		onDisk bool
	}{
		"ended":  {end(time.Second), false},
		"rested": {end(time.Hour), true},
		"kept": {func(host, id string) error {
			return s.KeepTurns(t.Context(), host, []string{id}, now,
				time.Second)
		}, false},
	} {
		onDisk := !test.onDisk
		for try := 0; try < 20 && onDisk != test.onDisk; try++ { // another may have the server write just then
			host := fmt.Sprint("host ", name, try)
			turn, err := s.TakeTurn(t.Context(), host, now, runstore.PaceRule{AtOnce: 1, Free: true})
			if err == nil {
				err = test.write(host, turn.ID)
			}
			if err == nil {
				err = db.pool.QueryRow(t.Context(), `SELECT pg_current_wal_flush_lsn() >= pg_current_wal_insert_lsn()`).
					Scan(&onDisk)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if onDisk != test.onDisk {
			t.Errorf("what was written of a turn that is %s is on the disk: %v", name, onDisk)
		}
	}
}
