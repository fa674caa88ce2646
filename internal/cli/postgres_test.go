package cli

import (
	"testing"

	"github.com/citewell/citewell/internal/testing/pgtest"
)

// TestScriptsOnPostgreSQL runs testdata/postgres/*.txtar with a new database at $POSTGRES.
func TestScriptsOnPostgreSQL(t *testing.T) {
	runScripts(t, "postgres", map[string]string{"POSTGRES": pgtest.VectorURL(t)})
}
