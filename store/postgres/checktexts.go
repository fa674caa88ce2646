package postgres

import (
	"context"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/fulltext"
	"github.com/citewell/citewell/store/internal/vectorcodec"
	"github.com/jackc/pgx/v5"
)

// checkEmbeddings holds every embedding against its checksum.
func checkEmbeddings(ctx context.Context, tx pgx.Tx, report *store.CheckReport) error {
	return each(ctx, tx, `SELECT v.name, v.embedding, c.dimension FROM vector_item AS v JOIN vector_collection AS c ON c.id = v.collection`, func(scan func(...any) error) error {
		var name string
		var embedding []byte
		var dimension int
		if err := scan(plain{&name}, &embedding, &dimension); err != nil {
			return err
		}
		report.Records++
		if _, err := vectorcodec.Check("store.check", embedding, dimension); err != nil {
			report.Problem("vector %s: its embedding is damaged", name)
		}
		return nil
	})
}

// checkTexts holds every text index against its documents: index by index, since a document's
// number is of its index.
func checkTexts(ctx context.Context, tx pgx.Tx, report *store.CheckReport) error {
	type index struct{ tenant, name string }
	all, err := readRows(ctx, tx, `SELECT DISTINCT tenant, index_name FROM text_part`, func(scan func(...any) error) (i index, err error) {
		err = scan(&i.tenant, &i.name)
		return i, err
	})
	if err != nil {
		return err
	}
	for _, i := range all {
		if err := checkIndex(ctx, tx, report, i.tenant, i.name); err != nil {
			return err
		}
	}
	return each(ctx, tx, `SELECT p.index_name, p.language, p.documents, p.terms, count(d.id), coalesce(sum(d.terms), 0)
		FROM text_part AS p LEFT JOIN text_document AS d ON d.tenant = p.tenant AND d.index_name = p.index_name AND d.part = p.id GROUP BY p.id, p.index_name, p.language, p.documents, p.terms`,
		func(scan func(...any) error) error {
			var index, language string
			var documents, terms, haveDocuments, haveTerms int64
			if err := scan(plain{&index}, plain{&language}, &documents, &terms, &haveDocuments, &haveTerms); err != nil {
				return err
			}
			if documents != haveDocuments || terms != haveTerms {
				report.Problem("index %s (%s): its totals are %d documents and %d terms, and it has %d and %d", index, language, documents, terms, haveDocuments, haveTerms)
			}
			return nil
		})
}

func checkIndex(ctx context.Context, tx pgx.Tx, report *store.CheckReport, tenant, index string) error {
	checked := fulltext.NewChecker()
	if err := each(ctx, tx, `SELECT d.id, d.key, d.terms, d.terms_record, d.text_record, l.document IS NOT NULL
		FROM text_document AS d LEFT JOIN text_loose AS l ON l.part = d.part AND l.document = d.id WHERE d.tenant = $1 AND d.index_name = $2`, func(scan func(...any) error) error {
		var id int64
		var name string
		var length int
		var loose bool
		var terms, original []byte
		if err := scan(&id, plain{&name}, &length, &terms, &original, &loose); err != nil {
			return err
		}
		report.Documents++
		checked.Document(id, name, length, terms, original, loose, report.Problem)
		return nil
	}, tenant, index); err != nil {
		return err
	}
	const ofIndex = ` part IN (SELECT id FROM text_part WHERE tenant = $1 AND index_name = $2)`
	segments, err := readRows(ctx, tx, `SELECT id, documents FROM text_segment WHERE`+ofIndex, scanSegment, tenant, index)
	if err != nil {
		return err
	}
	rows := segmentRows{tx}
	for _, segment := range segments {
		err := checked.Segment(ctx, rows, segment)
		if citewell.CodeOf(err) == citewell.CodeStoreFailed && isOurs(err) { // a page that is damaged
			report.Problem("index %s: %s", unescape(index), citewell.View(err).Message)
		} else if err != nil {
			return err
		}
	}
	gone, err := rows.ids(ctx, `SELECT document FROM text_gone WHERE`+ofIndex, tenant, index)
	if err != nil {
		return err
	}
	var strangers int
	if err := tx.QueryRow(ctx, `SELECT count(*) FROM text_loose AS l WHERE`+ofIndex+` AND NOT EXISTS
		(SELECT 1 FROM text_document AS d WHERE d.tenant = $1 AND d.index_name = $2 AND d.id = l.document)`, tenant, index).Scan(&strangers); err != nil {
		return err
	}
	if strangers += checked.End(gone, report.Problem); strangers > 0 {
		report.Problem("the text index %s has words of %d documents that are not there or damaged", unescape(index), strangers)
	}
	return nil
}
