package pgtest

import (
	"context"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Standby starts a replica of s that follows it over its socket, and waits until it does. It is
// asynchronous unless s names it by Synchronous.
func (s *Server) Standby(t testing.TB) *Server {
	t.Helper()
	standby := s.Beside(t, Options{Durable: true}, func(data string) {
		s.Run(t, "pg_basebackup", "--pgdata", data, "--checkpoint", "fast", "--no-sync", "--write-recovery-conf")
	})
	s.until(t, `SELECT count(*) > 0 FROM pg_stat_replication WHERE state = 'streaming'`)
	return standby
}

// Beside starts another server of the same part on data that fill writes into a folder that is
// not there yet. It ends with the test.
func (s *Server) Beside(t testing.TB, o Options, fill func(data string)) *Server {
	t.Helper()
	other, err := place(s.part, o)
	if err != nil {
		t.Fatal(err)
	}
	fill(other.data())
	if err := other.run(); err != nil {
		t.Fatal(err)
	}
	other.endsWith(t)
	return other
}

// Run runs a program of PostgreSQL's as a client of s, and as the user whom a server runs as.
func (s *Server) Run(t testing.TB, program string, args ...string) {
	t.Helper()
	c := s.command(program, args...)
	c.Env = append(c.Env, "PGHOST="+s.dir, "PGUSER=citewell")
	if said, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", program, err, said)
	}
}

// Synchronous has commits of s wait until a standby has them on its disk.
func (s *Server) Synchronous(t testing.TB) {
	t.Helper()
	exec1(t, s.URL, `ALTER SYSTEM SET synchronous_standby_names = '*'`)
	exec1(t, s.URL, `SELECT pg_reload_conf()`)
	s.until(t, `SELECT count(*) > 0 FROM pg_stat_replication WHERE sync_state = 'sync'`)
}

// Deaf has a standby hear nothing more of its primary, as a network does that breaks.
func (s *Server) Deaf(t testing.TB) {
	t.Helper()
	exec1(t, s.URL, `ALTER SYSTEM SET primary_conninfo = ''`)
	exec1(t, s.URL, `SELECT pg_reload_conf()`)
	s.until(t, `SELECT count(*) = 0 FROM pg_stat_wal_receiver`)
}

// Promote makes a standby a primary.
func (s *Server) Promote(t testing.TB) {
	t.Helper()
	exec1(t, s.URL, `SELECT pg_promote()`)
	s.Writable(t)
}

// Writable waits until a server that recovers, or is promoted, can be written.
func (s *Server) Writable(t testing.TB) {
	t.Helper()
	s.until(t, `SELECT NOT pg_is_in_recovery()`)
}

// Either is the URL of a database on whichever of two servers can be written.
func Either(t testing.TB, database string, other *Server) string {
	t.Helper()
	u, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	query := u.Query()
	query.Set("host", strings.Join([]string{query.Get("host"), other.dir}, ","))
	query.Set("target_session_attrs", "read-write")
	u.RawQuery = query.Encode()
	return u.String()
}

// until asks the server until it says yes.
func (s *Server) until(t testing.TB, question string) {
	t.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, s.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		var yes bool
		if err := conn.QueryRow(ctx, question).Scan(&yes); err != nil {
			t.Fatal(err)
		}
		if yes {
			return
		}
		if time.Since(began) > readyWithin {
			t.Fatalf("it is not so: %s", question)
		}
	}
}
