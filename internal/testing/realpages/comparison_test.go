package realpages

import (
	"regexp"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/brief"
	"github.com/citewell/citewell/internal/agentplan"
	"github.com/citewell/citewell/internal/testing/score"
)

// A comparison is a question that sets two things side by side, and expressions for
// the paths of the pages that speak of each.
type comparison struct{ ask, one, other string }

// comparisons are phrased as people do. Of the pages of a side any will do.
var comparisons = []comparison{
	{"SQLite versus PostgreSQL concurrency", "^sqlite/", "^postgresql/"},
	{"SQLite vs PostgreSQL full-text search", "^sqlite/", "^postgresql/"},
	{"What is the difference between SQLite and PostgreSQL foreign keys?", "^sqlite/", "^postgresql/"},
	{"compare SQLite and PostgreSQL ALTER TABLE", "^sqlite/", "^postgresql/"},
	{"Should I use SQLite or PostgreSQL for JSON data?", "^sqlite/", "^postgresql/"},
	{"PostgreSQL vs. SQLite generated columns", "^postgresql/", "^sqlite/"},
	{"VACUUM: SQLite vs PostgreSQL", "^sqlite/", "^postgresql/"},
	{"What is the difference between window functions in SQLite and PostgreSQL?", "^sqlite/", "^postgresql/"},
	{"How does UPSERT differ between SQLite and PostgreSQL?", "^sqlite/", "^postgresql/"},
	{"NULLs in a UNIQUE index, SQLite vs PostgreSQL", "^sqlite/", "^postgresql/"},
	{"Unterschied zwischen VACUUM in SQLite und PostgreSQL", "^sqlite/", "^postgresql/"},
	{"SQLite oder PostgreSQL für JSON?", "^sqlite/", "^postgresql/"},
	{"error handling in Go vs Python", "^go/", "^python/"},
	{"Go vs Python unicode", "^go/", "^python/"},
	{"Go modules vs Python virtual environments", "^go/", "^python/"},
	{"Which is better for sqlite transactions, Go or Python?", "^go/", "^python/"},
	{"goroutines versus asyncio tasks", "^go/", "^python/library/asyncio"},
	{"asyncio queue vs threading lock", "^python/library/asyncio-queue", "^python/library/threading"},
	{"http.client vs urllib.request in Python", "^python/library/http.client", "^python/(library/urllib|howto/urllib)"},
	{"FTS5 compared to tsvector", "^sqlite/fts5", "^postgresql/.*(textsearch|gin)"},
	{"regular expressions in Python compared to PostgreSQL", "^python/howto/regex", "^postgresql/functions-matching"},
	{"floating point in Python versus SQLite", "^python/tutorial/floatingpoint",
		"^sqlite/(floatingpoint|datatype|faq|limits)"},
	{"What is the difference between SQLite WAL mode and the rollback journal?", "^sqlite/wal",
		"^sqlite/(atomiccommit|lockingv3|lang_transaction|pragma|isolation|fileformat)"},
	{"SQLite strict tables vs flexible typing", "^sqlite/stricttables", "^sqlite/flextypegood"},
	{"INSERT OR REPLACE vs UPSERT in SQLite", "^sqlite/(lang_replace|lang_conflict|conflict)", "^sqlite/lang_upsert"},
	{"materialized views vs views in PostgreSQL", "^postgresql/(rules-materializedviews|view-pg-matviews)",
		"^postgresql/rules-(views|privileges)"},
	{"LDAP or GSSAPI authentication in PostgreSQL?", "^postgresql/auth-ldap", "^postgresql/gssapi-auth"},
	{"difference between PL/Perl and PL/Tcl", "^postgresql/(plperl|xfunc-pl)", "^postgresql/pltcl"},
	{"Go fuzzing versus benchmarks", "^go/blog/fuzz", "^go/(blog/testing-b-loop|doc/)"},
	{"dblink vs file_fdw", "^postgresql/(contrib-)?dblink", "^postgresql/file-fdw"},
}

// research writes a brief as citewell research --no-model --provider local does.
func (c *corpus) research(t *testing.T, r brief.ResearchRequest) citewell.Brief {
	t.Helper()
	writer, err := c.app.Brief(t.Context(), agentplan.Sources{Providers: []string{"local"}})
	if err != nil {
		t.Fatal(err)
	}
	b, err := writer.Research(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestComparisons measures how many comparisons have sources of both sides, and how many
// quote both. While the question was asked as one, a search had both in 16 of the 30 and
// quoted both in 14, research in 18 and 16.
func TestComparisons(t *testing.T) {
	if score.RaceDetector {
		t.Skip("measured without the race detector")
	}
	c := opened(t)
	for _, way := range []struct {
		name   string
		brief  func(string) citewell.Brief
		least  int // of the comparisons whose sources come from both sides
		quoted int // of those that quote both
	}{
		{"search", func(ask string) citewell.Brief { return c.ask(t, ask) }, 25, 22},
		{"research", func(ask string) citewell.Brief {
			return c.research(t, brief.ResearchRequest{Topic: ask, Depth: 3, MaxSources: 10})
		}, 25, 24},
	} {
		both, quoted := 0, 0
		for _, q := range comparisons {
			b := way.brief(q.ask)
			one, other := c.sideOf(b, q.one), c.sideOf(b, q.other)
			if one.read && other.read {
				both++
			} else {
				t.Logf("%s: %q read %v and %v\n%s", way.name, q.ask, one.read, other.read, c.show(b))
			}
			if one.cited && other.cited {
				quoted++
			} else if one.read && other.read {
				t.Logf("%s: %q quotes %v and %v\n%s", way.name, q.ask, one.cited, other.cited, c.show(b))
			}
		}
		t.Logf("%s: of %d comparisons %d have sources of both sides, %d quote both", way.name, len(comparisons),
			both, quoted)
		if both < way.least || quoted < way.quoted {
			t.Errorf("%s: %d have sources of both sides and %d quote both, want %d and %d", way.name, both, quoted,
				way.least, way.quoted)
		}
	}
}

// A standing is what a brief has of one side of a comparison.
type standing struct{ read, cited bool }

func (c *corpus) sideOf(b citewell.Brief, pages string) (s standing) {
	speaks := regexp.MustCompile(pages)
	for _, source := range b.Sources {
		s.read = s.read || speaks.MatchString(c.page(source.URL))
	}
	for _, f := range b.Findings {
		s.cited = s.cited || speaks.MatchString(c.page(b.Sources[f.Citations[0].N-1].URL))
	}
	return s
}
