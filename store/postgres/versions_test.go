package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/testing/pgtest"
	"github.com/jackc/pgx/v5"
)

// expand makes of a database what the migration of a later version may make of it, while programs of
// this one work on it: each table has one more column, and there is one more table.
func expand(t testing.TB, url string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if _, err := conn.Exec(t.Context(), `DO $$ DECLARE name text; BEGIN
		FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'citewell_schema' LOOP
			EXECUTE format('ALTER TABLE %I ADD COLUMN of_later text NOT NULL DEFAULT ''later''', name);
		END LOOP; END $$;
		CREATE TABLE of_later (tenant text PRIMARY KEY);
		UPDATE citewell_schema SET version = version + 1`); err != nil {
		t.Fatal(err)
	}
}

// A program goes on over the migration of a later version, and one that is started after it works
// beside it. That all else works then is shown by the suites: sharedURL.
func TestLaterSchema(t *testing.T) {
	url := pgtest.URL(t)
	db := openURL(t, Options{URL: url})
	s := db.Tenant("before")
	for range 2 {
		if _, err := s.CreateRun(t.Context(), runstore.NewRun{Agent: "a", Request: json.RawMessage(`1`)}); err != nil {
			t.Fatal(err)
		}
	}
	take := func(s *Store) runstore.Lease {
		t.Helper()
		lease, ok, err := s.AcquireNext(t.Context(), "w", time.Minute)
		if err != nil || !ok {
			t.Fatalf("nothing is taken up: %v", err)
		}
		return lease
	}
	step := func(s *Store, lease runstore.Lease) {
		t.Helper()
		if _, err := s.AppendEvents(t.Context(), lease, []runstore.RunEvent{
			{Type: "step", Data: json.RawMessage(`1`)}}); err != nil {
			t.Fatal(err)
		}
	}
	lease := take(s)
	step(s, lease)
	expand(t, url)
	step(s, lease)
	later := openURL(t, Options{URL: url}).Tenant("before")
	step(later, take(later))
	for _, change := range []runstore.RunChange{{State: runstore.RunResearching},
		{State: runstore.RunCompleted, Outcome: runstore.RunAnswered}} {
		if err := s.ChangeState(t.Context(), lease, change, nil); err != nil {
			t.Fatal(err)
		}
	}
}

// One whose migrations have taken away what this program needs is refused, with what to do.
func TestSchemaOfLaterProgramsAlone(t *testing.T) {
	url := pgtest.URL(t)
	db := openURL(t, Options{URL: url})
	expand(t, url)
	exec(t, db, `UPDATE citewell_schema SET oldest = version`)
	_, err := Open(t.Context(), Options{URL: url})
	if v := citewell.View(err); v.Code != citewell.CodeStoreFailed ||
		!strings.Contains(v.Message, "this one knows up to") || !strings.Contains(v.Hint, "the newer citewell") {
		t.Errorf("got %+v (%v)", v, err)
	}
}

// A database of an unreleased build is named as one, whatever its schema was, and is left as it is.
func TestSchemaOfUnreleasedBuilds(t *testing.T) {
	for _, test := range []struct {
		version int
		table   string
	}{
		{1, "(version int NOT NULL)"},
		{3, "(version int NOT NULL)"},
		{5, "(version int NOT NULL)"},
		{3, "(version int NOT NULL, oldest int NOT NULL DEFAULT 3)"},
		{6, "(version int NOT NULL, oldest int NOT NULL DEFAULT 6)"},
	} {
		url := pgtest.URL(t)
		conn, err := pgx.Connect(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close(context.Background())
		if _, err := conn.Exec(t.Context(),
			fmt.Sprintf(`CREATE TABLE citewell_schema %s; INSERT INTO citewell_schema (version) VALUES (%d)`,
				test.table, test.version)); err != nil {
			t.Fatal(err)
		}
		_, err = Open(t.Context(), Options{URL: url})
		if v := citewell.View(err); v.Code != citewell.CodeStoreFailed ||
			!strings.Contains(v.Message, fmt.Sprintf("before the first release (schema %d)", test.version)) ||
			!strings.Contains(v.Hint, "anew") {
			t.Errorf("schema %d %s: got %+v (%v)", test.version, test.table, v, err)
		}
		var tables int
		if err := conn.QueryRow(t.Context(), `SELECT count(*) FROM pg_tables WHERE schemaname = 'public'`).
			Scan(&tables); err != nil || tables != 1 {
			t.Errorf("schema %d: %d tables are there now (%v)", test.version, tables, err)
		}
	}
}

// A run of low priority comes behind what is begun within an hour, and not behind all that ever is.
func TestLowPriorityComesToItsTurn(t *testing.T) {
	db := openURL(t, Options{URL: pgtest.URL(t)})
	s := db.Tenant("a")
	create := func(p runstore.RunPriority) runstore.Run {
		t.Helper()
		run, err := s.CreateRun(t.Context(), runstore.NewRun{Agent: "a", Request: json.RawMessage(`1`), Priority: p})
		if err != nil {
			t.Fatal(err)
		}
		return run
	}
	low := create(runstore.PriorityLow)
	exec(t, db, `UPDATE run SET created_at = created_at - $1`, (runstore.PriorityLead + time.Second).Microseconds())
	create(runstore.PriorityNormal)
	if lease, ok, err := s.AcquireNext(t.Context(), "w", time.Minute); !ok || err != nil || lease.Run != low.ID {
		t.Errorf("%+v is taken up (%v), want the one that has waited for an hour", lease, err)
	}
}
