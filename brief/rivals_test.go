package brief

import (
	"context"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/text"
)

// What each question asks of the things that it sets side by side, and the words that
// tell them apart.
func TestRivals(t *testing.T) {
	for _, test := range []struct{ query, want string }{
		{"SQLite versus PostgreSQL concurrency", "SQLite concurrency: SQLite; PostgreSQL concurrency: PostgreSQL"},
		{"SQLite vs. PostgreSQL vs. MySQL locking", "SQLite locking: SQLite; PostgreSQL locking: PostgreSQL; MySQL " +
			"locking: MySQL"},
		{"What is the difference between json and jsonb in PostgreSQL?",
			"json PostgreSQL: json; jsonb PostgreSQL: jsonb"},
		{"differences between json and jsonb and when to use which", "json: json; jsonb: jsonb"},
		{"How does UPSERT differ between SQLite and PostgreSQL?",
			"UPSERT SQLite: SQLite; UPSERT PostgreSQL: PostgreSQL"},
		{"compare SQLite and PostgreSQL ALTER TABLE", "SQLite ALTER TABLE: SQLite; PostgreSQL ALTER TABLE: PostgreSQL"},
		{"floating point in Python compared to SQLite", "floating point Python: Python; floating point SQLite: SQLite"},
		{"NULLs in a UNIQUE index, SQLite vs PostgreSQL", "NULLs UNIQUE index SQLite: SQLite; NULLs UNIQUE index " +
			"PostgreSQL: PostgreSQL"},
		{"Should I use a list or a tuple in Python?", "list Python: list; tuple Python: tuple"},
		{"Which is better for sqlite transactions, Go or Python?",
			"sqlite transactions Go: Go; sqlite transactions Python: Python"},
		{"json or jsonb: which one should I take", "json: json; jsonb: jsonb"},
		{"LDAP or GSSAPI authentication", "LDAP authentication: LDAP; GSSAPI authentication: GSSAPI"},

		// Names have as many words as the shortest; one may be part of another.
		{"SQLite WAL mode vs the rollback journal", "SQLite WAL mode: WAL mode; SQLite rollback journal: " +
			"rollback journal"},
		{"VACUUM vs VACUUM FULL", "VACUUM: VACUUM; VACUUM FULL: FULL"},
		{"Go vs Python unicode", "Go unicode: Go; Python unicode: Python"}, // "go" is a word of grammar elsewhere

		{"Unterschied zwischen VACUUM in SQLite und PostgreSQL",
			"VACUUM SQLite: SQLite; VACUUM PostgreSQL: PostgreSQL"},
		{"Worin unterscheiden sich SQLite und PostgreSQL beim Sperren?",
			"SQLite Sperren: SQLite; PostgreSQL Sperren: PostgreSQL"},
		{"SQLite oder PostgreSQL für JSON?", "SQLite JSON: SQLite; PostgreSQL JSON: PostgreSQL"},
		{"différence entre l'étain et le zinc", "l'étain: l'étain; zinc: zinc"},
		{"разница между оловом и цинком", "оловом: оловом; цинком: цинком"},
		{"太阳能和风能的区别", "太阳能: 太阳能; 风能: 风能"},
		{"潮力発電と風力発電の違い", "潮力発電: 潮力発電; 風力発電: 風力発電"},

		// These ask of both, of one, or of what lies between.
		{"What does chmod 4000 or the setuid bit do?", ""},
		{"Does SQLite support RIGHT and FULL OUTER JOIN?", ""},
		{"Which keys are checked in SQLite and in PostgreSQL?", ""},
		{"is shared-cache mode on or off unless I ask for it", ""},
		{"the ferry between Dover and Calais", ""},
		{"solar and wind power", ""},
		{"vs", ""},
		{"difference between SQLite and", ""},
	} {
		var got []string
		for _, r := range rivalsOf(text.Read(test.query, "")) {
			got = append(got, r.text+": "+strings.Join(r.names, " "))
		}
		if got := strings.Join(got, "; "); got != test.want {
			t.Errorf("%s\n got  %s\n want %s", test.query, got, test.want)
		}
	}
}

// Whatever is asked, there are no rivals or several, each with a text and a name.
func FuzzRivals(f *testing.F) {
	for _, query := range []string{"a vs b", "vs vs vs", "difference between and and and", "compare , and ; with - or",
		"的区别和", "と の違い", "which is better, a or b, c: d", "\xff vs \x00", "Go or GO?"} {
		f.Add(query)
	}
	f.Fuzz(func(t *testing.T, query string) {
		rivals := rivalsOf(text.Read(query, ""))
		if len(rivals) == 1 || len(rivals) > maxAspects {
			t.Fatalf("%d rivals of %q", len(rivals), query)
		}
		for _, r := range rivals {
			if r.text != text.OneLine(r.text) || len(r.names) == 0 || utf8.ValidString(query) &&
				!utf8.ValidString(r.text) {
				t.Fatalf("%+v of %q", r, query)
			}
		}
	})
}

// A search for a comparison asks for each side too, takes sources of both in turn, quotes
// each under a heading of its own, and names the side that has nothing.
func TestSearchComparesBothSides(t *testing.T) {
	crane := "The amber crane breeds in wet marshes, where it lays two eggs in May."
	web := &fakeWeb{pages: map[string]fakePage{
		"http://amber.example/1": {text: crane}, "http://amber.example/2": {
			text: "An amber crane weighs 5 kg. It breeds near water."},
		"http://other.example/amber": {text: "Amber cranes breed late in the year, say those who count them."},
		"http://grey.example/":       {text: "The grey heron breeds in tall trees, where it lays four eggs in March."},
	}}
	p := &fakeProvider{"one", 0, func(_ context.Context, q citewell.Query) ([]citewell.Result, error) {
		grey := citewell.Result{Provider: "one", Title: "Grey heron", URL: "http://grey.example/",
			Snippet: "The grey heron breeds in tall trees."}
		var results []citewell.Result
		for _, u := range []string{"http://amber.example/1", "http://amber.example/2", "http://other.example/amber"} {
			results = append(results, citewell.Result{Provider: "one", Title: "Amber crane", URL: u,
				Snippet: "The amber crane breeds."})
		}
		if q.Text == "grey heron breeding" {
			results = append(results, grey) // behind three that say nothing of it
		}
		for i := range results {
			results[i].Rank = i + 1
		}
		return results, nil
	}}
	w, _, _ := writer(Options{Fetcher: web}, p)
	b, err := w.Write(t.Context(), Request{Query: citewell.Query{Text: "amber crane breeding vs grey heron breeding"},
		Depth: 2})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"amber crane breeding vs grey heron breeding", "amber crane breeding",
		"grey heron breeding"}; !slices.Equal(b.Queries, want) {
		t.Errorf("asked %q", b.Queries)
	}
	if got := hostsOf(b); got != "amber.example grey.example" {
		t.Errorf("read %s", got)
	}
	topics := map[string]string{}
	for _, f := range b.Findings {
		topics[f.Topic] += b.Sources[f.Citations[0].N-1].Host + " "
	}
	if topics["Amber crane breeding"] != "amber.example " || topics["Grey heron breeding"] != "grey.example " ||
		len(b.Gaps) != 0 {
		t.Errorf("%v, gaps %q\n%s", topics, b.Gaps, said(b))
	}
}
