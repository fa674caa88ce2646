package sqlstore

import (
	"context"
	"database/sql"
	"encoding/json"
	"strings"

	"github.com/citewell/citewell/internal/upkeep"
	"github.com/citewell/citewell/store/internal/codec"
	"github.com/citewell/citewell/store/internal/fulltext"
	"github.com/citewell/citewell/store/internal/vectorcodec"
)

// Checks are what of a check each database does in its own way.
type Checks interface {
	// Damage is what an error says that is damage, and false where it keeps the check from going on.
	Damage(err error) (message string, is bool)
	// CheckSteps are what is looked at before and after the records and the text index.
	CheckSteps() (before, after []CheckStep)
}

// A CheckStep looks at something and reports what is damaged.
type CheckStep struct {
	What string
	Do   func(ctx context.Context, from Conn, report *upkeep.CheckReport) error
}

// Check reads everything the store keeps, of all tenants, and holds it against its checksums, its hashes and itself:
// packed records, the text index, contents, and in SQLite the pages of state.db. (PostgreSQL has pg_amcheck.) Damage is
// in the report; an error means that checking could not go on. What no checksum covers (a title, a time) can be wrong
// unnoticed.
func (db *DB) Check(ctx context.Context) (report upkeep.CheckReport, err error) {
	err = db.b.View(ctx, "store.check", func(view Conn) error {
		report = upkeep.CheckReport{Problems: []string{}}
		return CheckIn(ctx, db, view, &report)
	})
	return report, err
}

// CheckIn does what Check does within a transaction.
func CheckIn(ctx context.Context, db *DB, from Conn, report *upkeep.CheckReport) error {
	before, after := db.b.CheckSteps()
	steps := append(before, CheckStep{"a table of records", db.checkRecords}, CheckStep{"embeddings", checkEmbeddings},
		CheckStep{"the text index", db.checkTexts}, CheckStep{"the text index", checkParts})
	for _, step := range append(steps, after...) {
		err := ctx.Err()
		if err == nil {
			err = db.noted(report, step.What, step.Do(ctx, from, report))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// noted reports an error that is damage and returns any other.
func (db *DB) noted(report *upkeep.CheckReport, what string, err error) error {
	if err == nil {
		return nil
	}
	message, is := db.b.Damage(err)
	if !is {
		return err
	}
	report.Problem("%s: %s", what, message)
	return nil
}

func (db *DB) checkRecords(ctx context.Context, from Conn, report *upkeep.CheckReport) error {
	for _, p := range packed {
		table := strings.Trim(p.table, "{}")
		if err := db.noted(report, "table "+table, Each(ctx, from, `SELECT `+p.name+`, `+p.column+` FROM `+p.table+`
			WHERE `+p.column+` IS NOT NULL`,
			func(scan func(...any) error) error {
				var name string
				var record sql.RawBytes
				if err := scan(&name, &record); err != nil {
					return err
				}
				report.Records++
				data, err := codec.Unpack("store.check", record)
				if err != nil || !json.Valid(data) {
					report.Problem("%s %s: its %s is damaged", table, name, p.column)
				}
				return nil
			})); err != nil {
			return err
		}
	}
	return nil
}

// checkEmbeddings holds every embedding against its checksum.
func checkEmbeddings(ctx context.Context, from Conn, report *upkeep.CheckReport) error {
	return Each(ctx, from, `SELECT v.name, v.embedding, c.dimension FROM {vector} AS v
		JOIN vector_collection AS c ON c.id = v.collection`,
		func(scan func(...any) error) error {
			var name string
			var embedding sql.RawBytes
			var dimension int
			if err := scan(&name, &embedding, &dimension); err != nil {
				return err
			}
			report.Records++
			if _, err := vectorcodec.Check("store.check", embedding, dimension); err != nil {
				report.Problem("vector %s: its embedding is damaged", name)
			}
			return nil
		})
}

// checkTexts holds every text index against its documents, one by one, since a document's number may be of its index.
func (db *DB) checkTexts(ctx context.Context, from Conn, report *upkeep.CheckReport) error {
	all, err := ReadRows(ctx, from, `SELECT tenant, index_name FROM text_part UNION SELECT tenant, index_name
		FROM text_document`, scanOwner)
	if err != nil {
		return err
	}
	for _, i := range all {
		if err := db.checkIndex(ctx, from, report, i.tenant, i.name); err != nil {
			return err
		}
	}
	return nil
}

func (db *DB) checkIndex(ctx context.Context, from Conn, report *upkeep.CheckReport, tenant, index string) error {
	checked := fulltext.NewChecker()
	if err := Each(ctx, from, `SELECT d.id, d.key, d.terms, d.terms_record, d.text_record, l.document IS NOT NULL
		FROM text_document AS d LEFT JOIN text_loose AS l ON l.part = d.part AND l.document = d.id
		WHERE d.tenant = $1 AND d.index_name = $2`, func(scan func(...any) error) error {
		var id int64
		var name string
		var length int
		var loose bool
		var terms, original sql.RawBytes
		if err := scan(&id, &name, &length, &terms, &original, &loose); err != nil {
			return err
		}
		report.Documents++
		checked.Document(id, name, length, terms, original, loose, report.Problem)
		return nil
	}, tenant, index); err != nil {
		return err
	}
	const ofIndex = ` part IN (SELECT id FROM text_part WHERE tenant = $1 AND index_name = $2)`
	segments, err := ReadRows(ctx, from, `SELECT id, documents
		FROM text_segment WHERE`+ofIndex, scanSegment, tenant, index)
	if err != nil {
		return err
	}
	rows := segmentRows{db, from}
	for _, segment := range segments {
		if err := db.noted(report, "index "+index, checked.Segment(ctx, rows, segment)); err != nil {
			return err
		}
	}
	gone, err := rows.ids(ctx, `SELECT document FROM text_gone WHERE`+ofIndex, tenant, index)
	if err != nil {
		return err
	}
	var strangers int
	if err := from.QueryRow(ctx, `SELECT count(*) FROM text_loose AS l WHERE`+ofIndex+` AND NOT EXISTS
		(SELECT 1 FROM text_document AS d WHERE {+}d.tenant = $1 AND {+}d.index_name = $2 AND d.id = l.document)`,
		tenant, index).Scan(&strangers); err != nil {
		return err
	}
	if strangers += checked.End(gone, report.Problem); strangers > 0 {
		report.Problem("the text index %s has words of %d documents that are not there or damaged", index, strangers)
	}
	return nil
}

// checkParts holds the totals of the text index against its documents.
func checkParts(ctx context.Context, from Conn, report *upkeep.CheckReport) error {
	return Each(ctx, from,
		`SELECT p.index_name, p.language, p.documents, p.terms, count(d.id), coalesce(sum(d.terms), 0)
		FROM text_part AS p
		LEFT JOIN text_document AS d ON d.tenant = p.tenant AND d.index_name = p.index_name AND d.part = p.id
		GROUP BY p.id, p.index_name, p.language, p.documents, p.terms`, func(scan func(...any) error) error {
			var index, language string
			var documents, terms, haveDocuments, haveTerms int64
			if err := scan(&index, &language, &documents, &terms, &haveDocuments, &haveTerms); err != nil {
				return err
			}
			if documents != haveDocuments || terms != haveTerms {
				report.Problem("index %s (%s): its totals are %d documents and %d terms, and it has %d and %d",
					index, language, documents, terms, haveDocuments, haveTerms)
			}
			return nil
		})
}
