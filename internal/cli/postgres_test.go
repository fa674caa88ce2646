package cli

import (
	"testing"

	"github.com/citewell/citewell/internal/testing/pgtest"
)

// TestScriptsOnPostgreSQL runs testdata/postgres/*.txtar with new databases at $POSTGRES and $EMPTY.
func TestScriptsOnPostgreSQL(t *testing.T) {
	runScripts(t, "postgres", map[string]string{"POSTGRES": pgtest.VectorURL(t), "EMPTY": pgtest.VectorURL(t)})
}
