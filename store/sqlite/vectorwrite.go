package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"time"

	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/codec"
	"github.com/citewell/citewell/store/internal/vectorcodec"
)

// minGone of the rows taken away are remembered, and as many as a quarter of what a
// collection holds: a process that missed more reads its codes anew.
const minGone = 4096

// A vectorRow is a vector in the form that is kept.
type vectorRow struct {
	store.Vector
	embedding, record, code []byte
}

// UpsertVectors implements store.Vectors. What is there and equal is left alone.
func (s *Store) UpsertVectors(ctx context.Context, collection string, vectors []store.Vector) error {
	const op = "store.upsert_vectors"
	c, err := s.collection(ctx, op, s.db.reads, collection)
	if err != nil {
		return storeError(op, err)
	}
	if err := c.CheckVectors(op, vectors); err != nil {
		return err
	}
	rows := make([]vectorRow, len(vectors))
	for i, v := range vectors {
		record, err := codec.PackJSON(vectorcodec.Record{Text: v.Text, Metadata: v.Metadata})
		if err != nil {
			return storeError(op, err)
		}
		rows[i] = vectorRow{Vector: v, embedding: vectorcodec.Marshal(v.Values), record: record, code: encode(v.Values).marshal()}
	}
	return storeError(op, s.changeVectors(ctx, op, c, func(w *vectorWrite) error {
		for _, row := range rows {
			if err := w.upsert(row); err != nil {
				return err
			}
		}
		return nil
	}))
}

// RemoveVectors implements store.Vectors.
func (s *Store) RemoveVectors(ctx context.Context, collection string, ids []string) (int, error) {
	const op = "store.remove_vectors"
	if err := vectorcodec.CheckIDs(op, ids); err != nil {
		return 0, err
	}
	return s.remove(ctx, op, collection, func(w *vectorWrite) error {
		for _, name := range ids {
			if err := w.remove(`name = ?`, name); err != nil {
				return err
			}
		}
		return nil
	})
}

// RemoveVectorsWhere implements store.Vectors.
func (s *Store) RemoveVectorsWhere(ctx context.Context, collection string, filters []store.Filter) (int, error) {
	const op = "store.remove_vectors_where"
	if err := vectorcodec.CheckRemoval(op, filters); err != nil {
		return 0, err
	}
	return s.remove(ctx, op, collection, func(w *vectorWrite) error {
		ids, err := s.filtered(w.ctx, w.tx, w.c, filters)
		if err != nil {
			return err
		}
		for _, id := range ids {
			if err := w.remove(`id = ?`, id); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s *Store) remove(ctx context.Context, op, collection string, do func(*vectorWrite) error) (int, error) {
	c, err := s.collection(ctx, op, s.db.reads, collection)
	if err != nil {
		return 0, storeError(op, err)
	}
	removed := 0
	err = s.changeVectors(ctx, op, c, func(w *vectorWrite) error {
		before := w.c.Vectors
		err := do(w)
		removed = before - w.c.Vectors
		return err
	})
	if err != nil {
		return 0, storeError(op, err)
	}
	return removed, nil
}

// A vectorWrite changes one collection within a transaction.
type vectorWrite struct {
	ctx    context.Context
	tx     *sql.Tx
	tenant string
	c      vectorCollection
	at     int64
	stmts  map[string]*sql.Stmt
}

// changeVectors does a write to the collection that c was read from, and keeps its
// row in step.
func (s *Store) changeVectors(ctx context.Context, op string, c vectorCollection, do func(*vectorWrite) error) error {
	return s.db.writer.Do(ctx, func(ctx context.Context, tx *sql.Tx) error {
		now, err := s.collection(ctx, op, tx, c.Name)
		if err != nil {
			return err
		}
		if now.id != c.id {
			return vectorcodec.MadeAnew(op, c.Name)
		}
		w := &vectorWrite{ctx: ctx, tx: tx, tenant: s.tenant, c: now, at: time.Now().UnixMicro(), stmts: make(map[string]*sql.Stmt)}
		defer w.close()
		if err := do(w); err != nil {
			return err
		}
		return w.finish(now)
	})
}

func (w *vectorWrite) close() {
	for _, stmt := range w.stmts {
		stmt.Close()
	}
}

// stmt prepares each statement once for a batch.
func (w *vectorWrite) stmt(query string) (*sql.Stmt, error) {
	if stmt := w.stmts[query]; stmt != nil {
		return stmt, nil
	}
	stmt, err := w.tx.PrepareContext(w.ctx, query)
	if err == nil {
		w.stmts[query] = stmt
	}
	return stmt, err
}

func (w *vectorWrite) exec(query string, args ...any) (sql.Result, error) {
	stmt, err := w.stmt(query)
	if err != nil {
		return nil, err
	}
	return stmt.ExecContext(w.ctx, args...)
}

func (w *vectorWrite) upsert(row vectorRow) error {
	added, err := w.insert(row)
	if err != nil {
		return err
	}
	if !added {
		find, err := w.stmt(`SELECT embedding, record FROM vector WHERE tenant = ? AND collection = ? AND name = ?`)
		if err != nil {
			return err
		}
		var embedding, record []byte
		if err := find.QueryRowContext(w.ctx, w.tenant, w.c.id, row.ID).Scan(&embedding, &record); err != nil {
			return err
		}
		if bytes.Equal(embedding, row.embedding) && bytes.Equal(record, row.record) {
			return nil
		}
		if err := w.remove(`name = ?`, row.ID); err != nil {
			return err
		}
		if _, err := w.insert(row); err != nil {
			return err
		}
	}
	w.c.Vectors++
	if _, err := w.exec(`INSERT INTO vector_code (tenant, collection, vector, code) VALUES (?, ?, ?, ?)`,
		w.tenant, w.c.id, w.c.newest, row.code); err != nil {
		return err
	}
	for key, value := range row.Metadata {
		if _, err := w.exec(`INSERT INTO vector_tag (tenant, collection, key, value, vector) VALUES (?, ?, ?, ?, ?)`,
			w.tenant, w.c.id, key, value, w.c.newest); err != nil {
			return err
		}
	}
	return nil
}

// insert adds a row, which is then the newest, unless there is one of that name.
func (w *vectorWrite) insert(row vectorRow) (added bool, err error) {
	result, err := w.exec(`INSERT INTO vector (tenant, collection, name, embedding, record, updated_at) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT DO NOTHING`, w.tenant, w.c.id, row.ID, row.embedding, row.record, w.at)
	if err != nil {
		return false, err
	}
	if n, err := result.RowsAffected(); err != nil || n == 0 {
		return false, err
	}
	w.c.newest, err = result.LastInsertId()
	return true, err
}

// remove takes one row away, by name or id, if it is there.
func (w *vectorWrite) remove(which string, value any) error {
	take, err := w.stmt(`DELETE FROM vector WHERE tenant = ? AND collection = ? AND ` + which + ` RETURNING id, record`)
	if err != nil {
		return err
	}
	var id int64
	var packed []byte
	if there, err := anyRow(take.QueryRowContext(w.ctx, w.tenant, w.c.id, value).Scan(&id, &packed)); !there {
		return err
	}
	var old store.Vector
	if err := vectorcodec.ReadRecord("store.remove_vector", packed, &old); err != nil {
		return err
	}
	for key, value := range old.Metadata {
		if _, err := w.exec(`DELETE FROM vector_tag WHERE tenant = ? AND collection = ? AND key = ? AND value = ? AND vector = ?`,
			w.tenant, w.c.id, key, value, id); err != nil {
			return err
		}
	}
	if _, err := w.exec(`DELETE FROM vector_code WHERE tenant = ? AND collection = ? AND vector = ?`, w.tenant, w.c.id, id); err != nil {
		return err
	}
	w.c.gone++
	w.c.Vectors--
	_, err = w.exec(`INSERT INTO vector_gone (tenant, collection, n, vector) VALUES (?, ?, ?, ?)`, w.tenant, w.c.id, w.c.gone, id)
	return err
}

// finish writes what changed of the collection's row since before, and forgets the
// oldest of the rows taken away.
func (w *vectorWrite) finish(before vectorCollection) error {
	c := &w.c
	if *c == before {
		return nil
	}
	if keep := max(minGone, int64(c.Vectors/4)); c.gone-c.goneKnown > 2*keep {
		c.goneKnown = c.gone - keep
		if _, err := w.exec(`DELETE FROM vector_gone WHERE tenant = ? AND collection = ? AND n <= ?`, w.tenant, c.id, c.goneKnown); err != nil {
			return err
		}
	}
	_, err := w.exec(`UPDATE vector_collection SET vectors = ?, newest = ?, gone = ?, gone_known = ? WHERE tenant = ? AND id = ?`,
		c.Vectors, c.newest, c.gone, c.goneKnown, w.tenant, c.id)
	return err
}
