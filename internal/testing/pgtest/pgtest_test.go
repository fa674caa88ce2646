package pgtest_test

import (
	"testing"

	"github.com/citewell/citewell/internal/testing/pgtest"
	"github.com/jackc/pgx/v5"
)

func ask(t *testing.T, url, query string) (answer string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if err := conn.QueryRow(t.Context(), query).Scan(&answer); err != nil {
		t.Fatal(err)
	}
	return answer
}

func TestDatabasesAreApart(t *testing.T) {
	one, two := pgtest.URL(t), pgtest.URL(t)
	if a, b := ask(t, one, `SELECT current_database()`), ask(t, two, `SELECT current_database()`); a == b {
		t.Errorf("both are %s", a)
	}
}

func TestVectors(t *testing.T) {
	if got := ask(t, pgtest.VectorURL(t), `SELECT ('[1,2]'::vector <-> '[1,4]')::text`); got != "2" {
		t.Errorf("distance %s", got)
	}
}

// What was committed before a kill is there after it.
func TestKill(t *testing.T) {
	s := pgtest.Start(t, pgtest.Debian, pgtest.Options{Durable: true, Settings: map[string]string{"work_mem": "5MB"}})
	url := s.Database(t)
	if got := ask(t, url, `SELECT current_setting('work_mem') || current_setting('fsync')`); got != "5MBon" {
		t.Errorf("settings: %s", got)
	}
	ask(t, url, `WITH a AS (SELECT set_config('x.y', 'z', false)) SELECT * FROM a`)
	for range 2 {
		s.Kill()
		if err := s.Restart(); err != nil {
			t.Fatal(err)
		}
		ask(t, url, `SELECT current_database()`)
	}
}
