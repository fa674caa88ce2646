package postgres

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/testing/pgtest"
	"github.com/citewell/citewell/internal/testing/storesuite"
	"github.com/citewell/citewell/internal/upkeep"
	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/sqlstore"
)

// Whatever is damaged is named, and what is whole is not.
func TestCheck(t *testing.T) {
	db := openURL(t, Options{URL: pgtest.URL(t)})
	s := db.Tenant("a")
	page := citewell.Page{URL: "https://a.example/", Body: []byte("page")}
	if err := s.PutSnapshot(t.Context(), page, citewell.Document{Text: "text"}); err != nil {
		t.Fatal(err)
	}
	if err := s.AddSource(t.Context(), "b1", citewell.Source{N: 1}, []citewell.Passage{{ID: "p1"}}); err != nil {
		t.Fatal(err)
	}
	run, err := s.CreateRun(t.Context(), runstore.NewRun{Agent: "a", Request: json.RawMessage(`1`)})
	if err != nil {
		t.Fatal(err)
	}
	lease, err := s.AcquireRun(t.Context(), run.ID, "w", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := storesuite.BeginCall(t.Context(), s, lease,
		runstore.Call{Kind: runstore.CallTool, Input: json.RawMessage(`"` + strings.Repeat("a", 1<<10) + `"`)}); err !=
		nil {
		t.Fatal(err)
	}
	var docs []store.TextDocument
	for i := range 140 { // some in a segment
		docs = append(docs, store.TextDocument{ID: fmt.Sprint("d", i), Text: fmt.Sprintf("The tide of harbour %d.", i)})
	}
	for _, index := range []string{"one", "two"} {
		if err := s.IndexDocuments(t.Context(), index, docs[:139]); err != nil {
			t.Fatal(err)
		}
		if err := s.IndexDocuments(t.Context(), index, docs[138:]); err != nil {
			t.Fatal(err)
		}
		if _, err := s.RemoveDocuments(t.Context(), index, store.TextSelection{IDs: []string{"d3"}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.MakeCollection(t.Context(), store.VectorCollection{Name: "c", Dimension: 2}); err != nil {
		t.Fatal(err)
	}
	if err := s.UpsertVectors(t.Context(), "c", []store.Vector{{ID: "v", Values: []float32{1, 2}}}); err != nil {
		t.Fatal(err)
	}
	report, err := db.Check(t.Context())
	if err != nil || len(report.Problems) > 0 || report.Contents != 2 || report.Records != 11 ||
		report.Documents != 278 {
		t.Fatalf("of a whole store it says %+v (%v)", report, err)
	}
	for statement, says := range map[string]string{
		`UPDATE blob SET body = set_byte(body, length(body) - 1, get_byte(body, length(body) - 1) # 1)`: "does not match its hash", `UPDATE blob SET size = size + 1`: "does not match its hash",
		`DELETE FROM blob WHERE size = 4`: "of snapshot https://a.example/ " +
			"is not kept",
		`UPDATE source SET record = substr(record, 1, length(record) - 1)`: "source b1 1",
		`UPDATE run_call SET input_record = '\x00'`:                        "its input_record is damaged",
		`DELETE FROM run_event WHERE seq = 1`:                              "has gaps",
		`DELETE FROM source`:                                               "passage p1 is of no source",
		`DELETE FROM snapshot`:                                             "is nobody's",
		`DELETE FROM run`:                                                  "are of no run",
		`UPDATE vector_item SET embedding = set_byte(embedding, 0, 7)`:     "vector v: its embedding is damaged",
		`UPDATE text_document SET text_record = '\x00' WHERE key = 'd5'`:   "document d5: its text is damaged",
		`UPDATE text_document SET terms_record = '\x00' WHERE key = 'd6'`:  "document d6: its list of terms is damaged",
		`UPDATE text_document SET terms_record = (SELECT terms_record FROM text_document WHERE key = 'd8' LIMIT 1) WHERE key = 'd7'`: "document d7: the text index has other words",
		`DELETE FROM text_document WHERE key = 'd9' AND index_name = 'two'`:                                                          "text index two has words of 1 documents",
		`UPDATE text_posting SET page = set_byte(page, 9, get_byte(page, 9) # 1)`:                                                    "index one: ",
		`UPDATE text_part SET terms = terms + 1 WHERE index_name = 'one'`:                                                            "index one (en): its totals", `DELETE FROM text_gone`: "has words of 1 documents that are not there",
	} {
		tx, err := db.pool.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tx.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
		report := upkeep.CheckReport{}
		if err := sqlstore.CheckIn(t.Context(), db.sharedDB, conn{tx}, &report); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(strings.Join(report.Problems, "; "), says) {
			t.Errorf("after %s it says %q, want %q", statement, report.Problems, says)
		}
		if err := tx.Rollback(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}
