package sqlite

import (
	"bytes"
	"context"

	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/sqlstore"
	"github.com/citewell/citewell/store/internal/vectorcodec"
)

// minGone rows that were taken away are remembered, or a quarter of a collection if that is more: a process that missed
// more reads its codes anew.
const minGone = 4096

// What is written for every vector.
const (
	insertVector = `INSERT INTO vector (tenant, collection, name, embedding, record, updated_at)
		VALUES (?, ?, ?, ?, ?, micros())
		ON CONFLICT DO NOTHING`
	insertVectorCode = `INSERT INTO vector_code (tenant, collection, vector, code) VALUES (?, ?, ?, ?)`
	insertVectorTag  = `INSERT INTO vector_tag (tenant, collection, key, value, vector) VALUES (?, ?, ?, ?, ?)`
	insertVectorGone = `INSERT INTO vector_gone (tenant, collection, n, vector) VALUES (?, ?, ?, ?)`
	findVector       = `SELECT embedding, record FROM vector WHERE tenant = ? AND collection = ? AND name = ?`
	removeNamed      = `DELETE FROM vector WHERE tenant = ? AND collection = ? AND name = ? RETURNING id, record`
	removeNumbered   = `DELETE FROM vector WHERE tenant = ? AND collection = ? AND id = ? RETURNING id, record`
	removeVectorTag  = `DELETE FROM vector_tag WHERE tenant = ? AND collection = ? AND key = ? AND value = ?
		AND vector = ?`
	removeVectorCode = `DELETE FROM vector_code WHERE tenant = ? AND collection = ? AND vector = ?`
)

var writtenVectors = []string{insertVector, insertVectorCode, insertVectorTag, insertVectorGone, findVector,
	removeNamed, removeNumbered,
	removeVectorTag, removeVectorCode}

// DropCollection implements sqlstore.Vectors.
func (e engine) DropCollection(ctx context.Context, tx sqlstore.Tx, tenant, name string) (id int64, err error) {
	there, err := sqlstore.AnyRow(tx.QueryRow(ctx, `DELETE FROM vector_collection WHERE tenant = ? AND name = ?
		RETURNING id`, tenant, name).Scan(&id))
	if !there {
		return 0, err
	}
	for _, table := range []string{"vector", "vector_code", "vector_tag", "vector_gone"} {
		if _, err := tx.Exec(ctx, `DELETE FROM `+table+` WHERE tenant = ? AND collection = ?`, tenant, id); err != nil {
			return 0, err
		}
	}
	return id, nil
}

// CollectionDropped implements sqlstore.Vectors.
func (e engine) CollectionDropped(id int64) { e.vectors.forget(id) }

// CountVectors implements sqlstore.Vectors.
func (e engine) CountVectors(ctx context.Context, from sqlstore.Conn, tenant string, c sqlstore.Collection,
	filters []store.Filter) (int, error) {
	ids, err := filtered(ctx, from, tenant, c.ID, filters)
	return len(ids), err
}

// Code implements sqlstore.Vectors.
func (e engine) Code(values []float32) []byte { return encode(values).marshal() }

// Grown implements sqlstore.Vectors.
func (e engine) Grown(sqlstore.Collection, int) {}

// PutVectors implements sqlstore.Vectors.
func (e engine) PutVectors(ctx context.Context, tx sqlstore.Tx, tenant string, c *sqlstore.Collection,
	rows []sqlstore.VectorRow) error {
	w := vectorWrite{tx, tenant, c}
	for _, row := range rows {
		if err := w.upsert(ctx, row); err != nil {
			return err
		}
	}
	return nil
}

// RemoveVectors implements sqlstore.Vectors.
func (e engine) RemoveVectors(ctx context.Context, tx sqlstore.Tx, tenant string, c *sqlstore.Collection, ids []string,
	filters []store.Filter) error {
	w := vectorWrite{tx, tenant, c}
	for _, name := range ids {
		if err := w.remove(ctx, removeNamed, name); err != nil {
			return err
		}
	}
	if ids != nil {
		return nil
	}
	numbers, err := filtered(ctx, tx, tenant, c.ID, filters)
	for _, id := range numbers {
		if err == nil {
			err = w.remove(ctx, removeNumbered, id)
		}
	}
	return err
}

// A vectorWrite changes one collection within a transaction.
type vectorWrite struct {
	sqlstore.Tx
	tenant string
	c      *sqlstore.Collection
}

func (w vectorWrite) upsert(ctx context.Context, row sqlstore.VectorRow) error {
	added, err := w.insert(ctx, row)
	if err != nil {
		return err
	}
	if !added {
		var embedding, record []byte
		if err := w.QueryRow(ctx, findVector, w.tenant, w.c.ID, row.ID).Scan(&embedding, &record); err != nil {
			return err
		}
		if bytes.Equal(embedding, row.Embedding) && bytes.Equal(record, row.Record) {
			return nil
		}
		if err := w.remove(ctx, removeNamed, row.ID); err != nil {
			return err
		}
		if _, err := w.insert(ctx, row); err != nil {
			return err
		}
	}
	w.c.Vectors++
	if _, err := w.Exec(ctx, insertVectorCode, w.tenant, w.c.ID, w.c.Newest, row.Code); err != nil {
		return err
	}
	for key, value := range row.Metadata {
		if _, err := w.Exec(ctx, insertVectorTag, w.tenant, w.c.ID, key, value, w.c.Newest); err != nil {
			return err
		}
	}
	return nil
}

// insert adds a row, which is then the newest, unless there is one of that name.
func (w vectorWrite) insert(ctx context.Context, row sqlstore.VectorRow) (added bool, err error) {
	result, err := w.Tx.(writing).execute(ctx, insertVector, w.tenant, w.c.ID, row.ID, row.Embedding, row.Record)
	if n, err := affected(result, err); err != nil || n == 0 {
		return false, err
	}
	w.c.Newest, err = result.LastInsertId()
	return true, err
}

// remove takes one row away, by name or id, if it is there.
func (w vectorWrite) remove(ctx context.Context, statement string, which any) error {
	var id int64
	var packed []byte
	if there, err := sqlstore.AnyRow(w.QueryRow(ctx, statement, w.tenant, w.c.ID, which).Scan(&id, &packed)); !there {
		return err
	}
	var old store.Vector
	if err := vectorcodec.ReadRecord("store.remove_vector", packed, &old); err != nil {
		return err
	}
	for key, value := range old.Metadata {
		if _, err := w.Exec(ctx, removeVectorTag, w.tenant, w.c.ID, key, value, id); err != nil {
			return err
		}
	}
	if _, err := w.Exec(ctx, removeVectorCode, w.tenant, w.c.ID, id); err != nil {
		return err
	}
	w.c.Gone++
	w.c.Vectors--
	_, err := w.Exec(ctx, insertVectorGone, w.tenant, w.c.ID, w.c.Gone, id)
	return err
}

// Count implements sqlstore.Vectors. It forgets the oldest of the rows taken away.
func (e engine) Count(ctx context.Context, tx sqlstore.Tx, tenant string, _, c sqlstore.Collection) error {
	if keep := max(minGone, int64(c.Vectors/4)); c.Gone-c.GoneKnown > 2*keep {
		c.GoneKnown = c.Gone - keep
		if _, err := tx.Exec(ctx, `DELETE FROM vector_gone WHERE tenant = ? AND collection = ? AND n <= ?`,
			tenant, c.ID, c.GoneKnown); err != nil {
			return err
		}
	}
	_, err := tx.Exec(ctx,
		`UPDATE vector_collection SET vectors = ?, newest = ?, gone = ?, gone_known = ? WHERE tenant = ?
		AND id = ?`,
		c.Vectors, c.Newest, c.Gone, c.GoneKnown, tenant, c.ID)
	return err
}
