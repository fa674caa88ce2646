package sqlstore

import (
	"context"
	"slices"
	"strings"

	"github.com/citewell/citewell/internal/transfer"
	"github.com/citewell/citewell/store/internal/fulltext"
)

// Copies are what of copying a store each database does in its own way.
type Copies interface {
	// OpenView returns one view of the database, for as long as it takes, and what ends it.
	OpenView(ctx context.Context) (Conn, func() error, error)
	// Executed is how many runs are being executed.
	Executed(ctx context.Context, from Conn) (int, error)
	// WholeBody returns a content, packed, nil if its bytes are damaged; body is the column {body}.
	WholeBody(sha256 string, size int64, body []byte) ([]byte, error)
	// InsertRows adds rows of a kind that is not Documents, with what follows from them.
	InsertRows(ctx context.Context, op string, kind transfer.Kind, rows []transfer.Row) error
	// RemoveRows removes rows of a kind that is not Documents, of which the columns of the key are given.
	RemoveRows(ctx context.Context, tx Tx, kind transfer.Kind, keys []transfer.Row) error
	// FinishRows makes what follows from all rows.
	FinishRows(ctx context.Context, op string) error
}

// Tables are those of the kinds.
var Tables = map[string]string{
	transfer.Contents: "blob", transfer.Snapshots: "snapshot", "sources": "source", "passages": "passage",
	"briefs": "brief", transfer.Documents: "text_document", transfer.Collections: "vector_collection",
	transfer.Vectors: "{vector}", "nodes": "graph_node", "labels": "graph_label", transfer.Edges: "graph_edge",
	transfer.Runs: "run", "requests": "run_request", "tasks": "run_task", "events": "run_event",
	transfer.Calls: "run_call", "messages": "run_message", "bodies": "run_blob", "answers": "run_answer",
	"spending": "spending", "watches": "watch", "paces": "pace",
}

// Columns are those of a kind as its table has them.
func Columns(kind transfer.Kind) []string {
	columns := make([]string, len(kind.Columns))
	for i, c := range kind.Columns {
		switch {
		case kind.Name == transfer.Runs && c.Name == "name":
			columns[i] = "{id}"
		case (kind.Name == transfer.Runs || kind.Name == transfer.Calls) && c.Name == "id":
			columns[i] = "{n}"
		default:
			columns[i] = c.Name
		}
	}
	return columns
}

const opCopy = "store.copy"

// Identity implements transfer.Source.
func (db *DB) Identity(ctx context.Context) (string, error) {
	return readValue(ctx, db.b, opCopy, func(from Conn) (id string, err error) {
		err = from.QueryRow(ctx, `SELECT id FROM store_identity`).Scan(&id)
		return id, err
	})
}

// CopyMark implements transfer.Target.
func (db *DB) CopyMark(ctx context.Context) (transfer.Mark, error) {
	return readValue(ctx, db.b, opCopy, func(from Conn) (mark transfer.Mark, err error) {
		_, err = AnyRow(
			from.QueryRow(ctx, `SELECT source, finished FROM store_copy`).Scan(&mark.Source, &mark.Finished))
		return mark, err
	})
}

// RefuseUnfinished is the error of opening a copy that is not finished.
func RefuseUnfinished(ctx context.Context, from Conn) error {
	var finished bool
	there, err := AnyRow(from.QueryRow(ctx, `SELECT finished FROM store_copy`).Scan(&finished))
	if err != nil || !there || finished {
		return err
	}
	return transfer.Unfinished()
}

// BeginCopy implements transfer.Target.
func (db *DB) BeginCopy(ctx context.Context, source string) error {
	return db.b.Again(ctx, opCopy, func(ctx context.Context, tx Tx) error {
		if _, err := tx.Exec(ctx, `DELETE FROM store_copy`); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `INSERT INTO store_copy (source, finished) VALUES ($1, false)`, source)
		return err
	})
}

// FinishCopy implements transfer.Target.
func (db *DB) FinishCopy(ctx context.Context) error {
	if err := db.b.FinishRows(ctx, opCopy); err != nil {
		return db.b.Fail(opCopy, err)
	}
	return db.b.Again(ctx, opCopy, func(ctx context.Context, tx Tx) error {
		_, err := tx.Exec(ctx, `UPDATE store_copy SET finished = true`)
		return err
	})
}

// A view is a transaction that reads.
type view struct {
	Conn
	db    *DB
	close func() error
}

// View implements transfer.Source.
func (db *DB) View(ctx context.Context) (transfer.View, error) {
	from, end, err := db.b.OpenView(ctx)
	if err != nil {
		return nil, db.b.Fail(opCopy, err)
	}
	return view{from, db, end}, nil
}

// Close implements transfer.View.
func (v view) Close() error { return v.close() }

// Any implements transfer.View.
func (v view) Any(ctx context.Context, kind transfer.Kind) (any bool, err error) {
	err = v.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM `+Tables[kind.Name]+`)`).Scan(&any)
	return any, v.db.b.Fail(opCopy, err)
}

// Executed implements transfer.View.
func (v view) Executed(ctx context.Context) (int, error) {
	n, err := v.db.b.Executed(ctx, v.Conn)
	return n, v.db.b.Fail(opCopy, err)
}

// Rows implements transfer.View.
func (v view) Rows(ctx context.Context, kind transfer.Kind, do func(transfer.Row) error) error {
	columns := Columns(kind)
	for i := range columns {
		columns[i] = "t." + columns[i]
	}
	from := Tables[kind.Name] + ` AS t`
	switch kind.Name {
	case transfer.Contents:
		columns[kind.At("body")] = "{body}"
	case transfer.Documents:
		columns[kind.At("language")] = "p.language"
		from += ` JOIN text_part AS p ON p.id = t.part ORDER BY {t.tenant, t.index_name,} t.id`
	}
	targets, row := kind.Scan()
	return v.db.b.Fail(opCopy, Each(ctx, v, `SELECT `+strings.Join(columns, ", ")+`
		FROM `+from, func(scan func(...any) error) error {
		if err := scan(slices.Clone(targets)...); err != nil { // a Conn may put others in their place
			return err
		}
		made := row()
		if kind.Name == transfer.Contents {
			at := kind.At("body")
			body, err := v.db.b.WholeBody(made[kind.At("sha256")].(string), made[kind.At("size")].(int64),
				made[at].([]byte))
			if made[at] = body; err != nil {
				return err
			}
		}
		return do(made)
	}))
}

// Remove implements transfer.Target.
func (db *DB) Remove(ctx context.Context, kind transfer.Kind, keys []transfer.Row) error {
	if kind.Name != transfer.Documents {
		return db.b.Again(ctx, opCopy,
			func(ctx context.Context, tx Tx) error { return db.b.RemoveRows(ctx, tx, kind, keys) })
	}
	return db.moveTexts(ctx, keys, func(ctx context.Context, w *TextWrite, rows []int) error {
		var names []string
		for _, i := range rows {
			names = append(names, keys[i][kind.At("key")].(string))
		}
		_, err := db.b.ForgetTexts(ctx, w, names)
		return err
	})
}

// Insert implements transfer.Target. It writes documents as they are and makes postings of their lists of terms.
func (db *DB) Insert(ctx context.Context, kind transfer.Kind, rows []transfer.Row) error {
	if kind.Name != transfer.Documents {
		return db.b.Fail(opCopy, db.b.InsertRows(ctx, opCopy, kind, rows))
	}
	made := make([]*fulltext.Prepared, len(rows))
	for i, row := range rows {
		s := Bind(db, row[0].(string))
		var err error
		if made[i], err = fulltext.Copied(ctx, kind, row, s.partOf(row[1].(string))); err != nil {
			return db.b.Fail(opCopy, err)
		}
	}
	return db.moveTexts(ctx, rows, func(ctx context.Context, w *TextWrite, which []int) error {
		batch := make([]*fulltext.Prepared, len(which))
		for i, at := range which {
			batch[i] = made[at]
		}
		return db.b.PutTexts(ctx, w, batch)
	})
}

// moveTexts calls do with the places of the rows of each index, which their first two columns name, and a write to it.
func (db *DB) moveTexts(ctx context.Context, rows []transfer.Row,
	do func(ctx context.Context, w *TextWrite, rows []int) error) error {
	type name struct{ tenant, index string }
	groups := map[name][]int{}
	var order []name
	for i, row := range rows {
		n := name{row[0].(string), row[1].(string)}
		if groups[n] == nil {
			order = append(order, n)
		}
		groups[n] = append(groups[n], i)
	}
	for _, n := range order {
		s := Bind(db, n.tenant)
		if err := s.writingTexts(ctx, opCopy, n.index,
			func(ctx context.Context, w *TextWrite) error { return do(ctx, w, groups[n]) }); err != nil {
			return err
		}
	}
	return nil
}
