package postgres

import (
	"fmt"
	"strings"
	"testing"

	"github.com/citewell/citewell/internal/testing/pgtest"
	"github.com/citewell/citewell/store"
)

// Of texts that were just added the server knows what the tables hold: a search does not take the
// index of beginnings to find documents by their numbers.
func TestFreshTextsArePlanned(t *testing.T) {
	url := pgtest.URL(t)
	exec(t, openURL(t, Options{URL: url}), `ALTER TABLE text_document SET (autovacuum_enabled = false)`)
	db := openURL(t, Options{URL: url})
	var docs []store.TextDocument
	for i := range 400 {
		docs = append(docs, store.TextDocument{ID: fmt.Sprint("d", i), Text: fmt.Sprintf("The tide of harbour %d.", i)})
	}
	for _, batch := range [][]store.TextDocument{docs[:1], docs[1:]} {
		if err := db.Tenant("t").IndexDocuments(t.Context(), "i", batch); err != nil {
			t.Fatal(err)
		}
	}
	plan, err := readColumn[string](t.Context(), db.pool, `EXPLAIN SELECT id, key, terms_record FROM text_document WHERE tenant = 't' AND index_name = 'i' AND id = ANY ('{1,2,3,4,5}'::bigint[])`)
	if err != nil || strings.Contains(strings.Join(plan, " "), "text_document_by_head") {
		t.Errorf("the plan is %q (%v)", plan, err)
	}
}
