package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/codec"
	"github.com/citewell/citewell/store/internal/fulltext"
	"github.com/citewell/citewell/store/internal/vectorcodec"
)

// failed notes an error that is damage and returns any other.
func failed(report *store.CheckReport, what string, err error) error {
	err = storeError("store.check", err)
	if citewell.CodeOf(err) != citewell.CodeStoreFailed {
		return err
	}
	report.Problem("%s: %s", what, citewell.View(err).Message)
	return nil
}

// Check reads everything the store keeps, of all tenants, and holds it against its
// checksums, its hashes and itself: the pages of state.db, the packed records, the
// text index against its documents, the files of the snapshots. Damage is in the
// report; an error means that checking itself could not go on. What no checksum
// covers (a title, a time) can be wrong unnoticed.
func (db *DB) Check(ctx context.Context) (store.CheckReport, error) {
	report := store.CheckReport{Problems: []string{}}
	tx, err := db.reads.BeginTx(ctx, nil) // one view, whatever is written meanwhile
	if err != nil {
		return report, storeError("store.check", err)
	}
	defer tx.Rollback()
	c := checker{tx: tx, blobs: db.blobs, report: &report}
	for _, step := range []struct {
		what string
		do   func(context.Context) error
	}{
		{"state.db", c.pages}, {"a table of records", c.records}, {"the text index", c.texts}, {"the text index", c.parts}, {"the list of snapshots", c.contents},
	} {
		if err := ctx.Err(); err != nil {
			return report, storeError("store.check", err)
		}
		if err := step.do(ctx); err != nil {
			if err := failed(&report, step.what, err); err != nil {
				return report, err
			}
		}
	}
	return report, nil
}

type checker struct {
	tx     *sql.Tx
	blobs  *blobs
	report *store.CheckReport
}

// pages has SQLite check its file: trees, indexes against tables, and FTS5's segments.
func (c checker) pages(ctx context.Context) error {
	if err := c.tx.QueryRowContext(ctx, `PRAGMA page_count`).Scan(&c.report.Pages); err != nil {
		return err
	}
	return each(ctx, c.tx, fmt.Sprintf(`PRAGMA integrity_check(%d)`, store.MaxProblems), func(scan func(...any) error) error {
		var message string
		if err := scan(&message); err != nil {
			return err
		}
		if message != "ok" {
			c.report.Problem("state.db: %s", message)
		}
		return nil
	})
}

// packedColumns are all that hold what pack made, with what names a row, and the brief or
// run that a row is of. Snapshots have no owner: what is in their records names nothing.
var packedColumns = []struct{ table, column, name, owner string }{
	{"snapshot", "page_record", "final_url", ""}, {"snapshot", "document_record", "final_url", ""},
	{"source", "record", "brief || ' ' || n", "'brief ' || brief"}, {"passage", "record", "id", "'brief ' || brief"}, {"brief", "record", "id", "'brief ' || id"},
	{"vector", "record", "name", "''"}, {"graph_node", "record", "id", "''"}, {"graph_edge", "record", "src || ' ' || rel || ' ' || dst", "''"},
	{"run_request", "request_record", "run", "'run ' || run"}, {"run_request", "budget_record", "run", "'run ' || run"}, {"run_event", "record", "run || ' ' || seq", "'run ' || run"},
	{"run_call", "input_record", "run || ' ' || key", "'run ' || run"}, {"run_call", "result_record", "run || ' ' || key", "'run ' || run"},
	{"run_call", "cost_record", "run || ' ' || key", "'run ' || run"}, {"run_call", "error_record", "run || ' ' || key", "'run ' || run"},
	{"run_message", "record", "run || ' ' || n", "'run ' || run"},
}

func (c checker) records(ctx context.Context) error {
	for _, p := range packedColumns {
		err := each(ctx, c.tx, `SELECT `+p.name+`, `+p.column+` FROM `+p.table+` WHERE `+p.column+` IS NOT NULL`, func(scan func(...any) error) error {
			var name string
			var record sql.RawBytes
			if err := scan(&name, &record); err != nil {
				return err
			}
			c.report.Records++
			data, err := codec.Unpack("store.check", record)
			if err != nil || !json.Valid(data) {
				c.report.Problem("%s %s: its %s is damaged", p.table, name, p.column)
			}
			return nil
		})
		if err != nil {
			if err := failed(c.report, "table "+p.table, err); err != nil {
				return err
			}
		}
	}
	return each(ctx, c.tx, `SELECT v.name, v.embedding, c.dimension FROM vector AS v JOIN vector_collection AS c ON c.id = v.collection`, func(scan func(...any) error) error {
		var name string
		var embedding sql.RawBytes
		var dimension int
		if err := scan(&name, &embedding, &dimension); err != nil {
			return err
		}
		c.report.Records++
		if _, err := vectorcodec.Check("store.check", embedding, dimension); err != nil {
			c.report.Problem("vector %s: its embedding is damaged", name)
		}
		return nil
	})
}

// texts holds each document's own list of terms against what the segments say of it.
func (c checker) texts(ctx context.Context) error {
	checked := fulltext.NewChecker()
	if err := each(ctx, c.tx, `SELECT d.id, d.key, d.terms, d.terms_record, d.text_record, l.document IS NOT NULL
		FROM text_document AS d LEFT JOIN text_loose AS l ON l.part = d.part AND l.document = d.id`, func(scan func(...any) error) error {
		var id int64
		var name string
		var length int
		var loose bool
		var terms, original sql.RawBytes
		if err := scan(&id, &name, &length, &terms, &original, &loose); err != nil {
			return err
		}
		c.report.Documents++
		checked.Document(id, name, length, terms, original, loose, c.report.Problem)
		return nil
	}); err != nil {
		return err
	}
	segments, err := readRows(ctx, c.tx, `SELECT id, documents FROM text_segment`, scanSegment)
	if err != nil {
		return err
	}
	for _, segment := range segments {
		if err := checked.Segment(ctx, segmentRows{c.tx}, segment); err != nil {
			return err
		}
	}
	gone, err := readIDSet(ctx, c.tx, `SELECT document FROM text_gone`)
	if err != nil {
		return err
	}
	var strangers int
	if err := c.tx.QueryRowContext(ctx, `SELECT count(*) FROM text_loose WHERE document NOT IN (SELECT id FROM text_document)`).Scan(&strangers); err != nil {
		return err
	}
	if strangers += checked.End(gone, c.report.Problem); strangers > 0 {
		c.report.Problem("the text index has words of %d documents that are not there or damaged", strangers)
	}
	return nil
}

// parts holds the totals of the text index against its documents.
func (c checker) parts(ctx context.Context) error {
	return each(ctx, c.tx, `SELECT p.index_name, p.language, p.documents, p.terms, count(d.id), coalesce(sum(d.terms), 0)
		FROM text_part AS p LEFT JOIN text_document AS d ON d.part = p.id GROUP BY p.id`, func(scan func(...any) error) error {
		var index, language string
		var documents, terms, haveDocuments, haveTerms int
		if err := scan(&index, &language, &documents, &terms, &haveDocuments, &haveTerms); err != nil {
			return err
		}
		if documents != haveDocuments || terms != haveTerms {
			c.report.Problem("index %s (%s): its totals are %d documents and %d terms, and it has %d and %d", index, language, documents, terms, haveDocuments, haveTerms)
		}
		return nil
	})
}

// contents reads the file of every content that a row names.
func (c checker) contents(ctx context.Context) error {
	return each(ctx, c.tx, contentList, func(scan func(...any) error) error {
		var sha256 string
		var size int64
		if err := scan(&sha256, &size); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		c.report.Contents++
		if !codec.ValidHash(sha256) {
			c.report.Problem("table blob: %q is no hash", sha256)
			return nil
		}
		if _, err := c.blobs.Get(sha256, size); err != nil {
			return failed(c.report, "snapshots", err)
		}
		return nil
	})
}

// contentList is every content once.
const contentList = `SELECT sha256, max(size) FROM blob GROUP BY sha256 ORDER BY sha256`
