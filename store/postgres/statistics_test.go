package postgres

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/citewell/citewell/internal/testing/pgtest"
	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/sqlstore"
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
	plan, err := sqlstore.ReadColumn[string](t.Context(), conn{db.pool}, `EXPLAIN SELECT id, key, terms_record
		FROM text_document WHERE tenant = 't' AND index_name = 'i' AND id = ANY ('{1,2,3,4,5}'::bigint[])`)
	if err != nil || strings.Contains(strings.Join(plan, " "), "text_document_by_head") {
		t.Errorf("the plan is %q (%v)", plan, err)
	}
}

// A server that takes the loose documents for many looks up those that there are, and does not read
// all documents of the index.
func TestLooseTextsAreLookedUp(t *testing.T) {
	db := openURL(t, Options{URL: pgtest.URL(t)})
	var docs []store.TextDocument
	for i := range 1500 {
		docs = append(docs, store.TextDocument{ID: fmt.Sprint("d", i), Text: "The tide.", Language: "en"})
	}
	for _, batch := range [][]store.TextDocument{docs[:1450], docs[1450:]} { // the first are packed
		if err := db.Tenant("t").IndexDocuments(t.Context(), "i", batch); err != nil {
			t.Fatal(err)
		}
	}
	exec(t, db, `ALTER TABLE text_loose SET (autovacuum_enabled = false)`)
	exec(t, db, `INSERT INTO text_loose SELECT p.id, 1000000 + i, 1 FROM text_part AS p, generate_series(1, 50000) AS i`)
	exec(t, db, `ANALYZE text_loose, text_document, text_part`)
	exec(t, db, `DELETE FROM text_loose WHERE document > 1000000`)
	var loose, read float64
	var part string // not always 1: what begins anew after a conflict takes the next number
	if err := db.pool.QueryRow(t.Context(), `SELECT count(*), min(part)::text FROM text_loose`).Scan(&loose,
		&part); err != nil || loose == 0 {
		t.Fatalf("%v documents are loose (%v)", loose, err)
	}
	var explained string
	if err := db.pool.QueryRow(t.Context(), `EXPLAIN (ANALYZE, FORMAT JSON) `+
		strings.ReplaceAll(looseTexts, "$1", part)).Scan(&explained); err != nil {
		t.Fatal(err)
	}
	type node struct {
		Relation string  `json:"Relation Name"`
		Rows     float64 `json:"Actual Rows"`
		Loops    float64 `json:"Actual Loops"`
		Plans    []node
	}
	var plans []struct{ Plan node }
	if err := json.Unmarshal([]byte(explained), &plans); err != nil {
		t.Fatal(err)
	}
	var walk func(n node)
	walk = func(n node) {
		if n.Relation == "text_document" {
			read += n.Rows * n.Loops
		}
		for _, below := range n.Plans {
			walk(below)
		}
	}
	walk(plans[0].Plan)
	if read != loose {
		t.Errorf("%v documents are read for %v that are loose:\n%s", read, loose, explained)
	}
}
