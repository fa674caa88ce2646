package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/store"
)

var _ store.Vectors = (*Store)(nil)

// A vectorCollection is a row of the table, as one transaction sees it.
type vectorCollection struct {
	store.VectorCollection
	id, newest, gone, goneKnown int64
}

const collectionColumns = `id, name, dimension, metric, model, vectors, newest, gone, gone_known`

func scanCollection(row interface{ Scan(...any) error }) (c vectorCollection, err error) {
	err = row.Scan(&c.id, &c.Name, &c.Dimension, &c.Metric, &c.Model, &c.Vectors, &c.newest, &c.gone, &c.goneKnown)
	return c, err
}

// A queryer is what reads: a pool, or a transaction of it.
type queryer interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

func (s *Store) collection(ctx context.Context, op string, from queryer, name string) (vectorCollection, error) {
	c, err := scanCollection(from.QueryRowContext(ctx, `SELECT `+collectionColumns+` FROM vector_collection
		WHERE tenant = ? AND name = ?`, s.tenant, name))
	if errors.Is(err, sql.ErrNoRows) {
		return c, &citewell.Error{Code: citewell.CodeNotFound, Op: op,
			Message: fmt.Sprintf("there is no collection %q", name), Hint: "make the collection first"}
	}
	return c, err
}

// MakeCollection implements store.Vectors.
func (s *Store) MakeCollection(ctx context.Context, c store.VectorCollection) error {
	const op = "store.make_collection"
	if err := c.Check(op); err != nil {
		return err
	}
	same := func(kept vectorCollection) error {
		if kept.Dimension == c.Dimension && kept.Metric == c.Metric && kept.Model == c.Model {
			return nil
		}
		return &citewell.Error{Code: citewell.CodeInvalidArgument, Op: op, Message: fmt.Sprintf(
			"collection %q has %d dimensions, metric %s and model %q; %d, %s and %q are given",
			c.Name, kept.Dimension, kept.Metric, kept.Model, c.Dimension, c.Metric, c.Model),
			Hint: "choose another name, or drop the collection first"}
	}
	kept, err := s.collection(ctx, op, s.db.reads, c.Name)
	if err == nil {
		return same(kept)
	}
	if citewell.CodeOf(err) != citewell.CodeNotFound {
		return storeError(op, err)
	}
	return storeError(op, s.db.writer.Do(ctx, func(ctx context.Context, tx *sql.Tx) error {
		result, err := tx.ExecContext(ctx, `INSERT INTO vector_collection (tenant, name, dimension, metric, model, created_at)
			VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
			s.tenant, c.Name, c.Dimension, c.Metric, c.Model, time.Now().UnixMicro())
		if err != nil {
			return err
		}
		if made, err := result.RowsAffected(); err != nil || made > 0 {
			return err
		}
		kept, err := s.collection(ctx, op, tx, c.Name)
		if err != nil {
			return err
		}
		return same(kept)
	}))
}

// Collections implements store.Vectors.
func (s *Store) Collections(ctx context.Context) ([]store.VectorCollection, error) {
	const op = "store.collections"
	rows, err := s.db.reads.QueryContext(ctx, `SELECT `+collectionColumns+` FROM vector_collection WHERE tenant = ? ORDER BY name`, s.tenant)
	if err != nil {
		return nil, storeError(op, err)
	}
	defer rows.Close()
	var list []store.VectorCollection
	for rows.Next() {
		c, err := scanCollection(rows)
		if err != nil {
			return nil, storeError(op, err)
		}
		list = append(list, c.VectorCollection)
	}
	return list, storeError(op, rows.Err())
}

// DropCollection implements store.Vectors.
func (s *Store) DropCollection(ctx context.Context, name string) (bool, error) {
	const op = "store.drop_collection"
	var dropped int64
	err := s.db.writer.Do(ctx, func(ctx context.Context, tx *sql.Tx) error {
		dropped = 0
		var id int64
		err := tx.QueryRowContext(ctx, `DELETE FROM vector_collection WHERE tenant = ? AND name = ? RETURNING id`, s.tenant, name).Scan(&id)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		for _, table := range []string{"vector", "vector_code", "vector_tag", "vector_gone"} {
			if _, err := tx.ExecContext(ctx, `DELETE FROM `+table+` WHERE tenant = ? AND collection = ?`, s.tenant, id); err != nil {
				return err
			}
		}
		dropped = id
		return nil
	})
	if err != nil {
		return false, storeError(op, err)
	}
	s.db.vectors.forget(dropped)
	return dropped != 0, nil
}

// GetVectors implements store.Vectors.
func (s *Store) GetVectors(ctx context.Context, collection string, ids []string) ([]store.Vector, error) {
	const op = "store.get_vectors"
	if err := checkIDs(op, ids); err != nil {
		return nil, err
	}
	tx, err := s.db.reads.BeginTx(ctx, nil)
	if err != nil {
		return nil, storeError(op, err)
	}
	defer tx.Rollback()
	c, err := s.collection(ctx, op, tx, collection)
	if err != nil {
		return nil, storeError(op, err)
	}
	get, err := tx.PrepareContext(ctx, `SELECT embedding, record FROM vector WHERE tenant = ? AND collection = ? AND name = ?`)
	if err != nil {
		return nil, storeError(op, err)
	}
	defer get.Close()
	var vectors []store.Vector
	for _, id := range ids {
		var embedding, record []byte
		err := get.QueryRowContext(ctx, s.tenant, c.id, id).Scan(&embedding, &record)
		if errors.Is(err, sql.ErrNoRows) {
			continue
		}
		if err != nil {
			return nil, storeError(op, err)
		}
		v := store.Vector{ID: id}
		if err := readRecord(op, record, &v); err != nil {
			return nil, err
		}
		floats, err := checkValues(op, embedding, c.Dimension)
		if err != nil {
			return nil, err
		}
		v.Values = unmarshalValues(floats)
		vectors = append(vectors, v)
	}
	return vectors, nil
}

// CountVectors implements store.Vectors.
func (s *Store) CountVectors(ctx context.Context, collection string, filters []store.Filter) (int, error) {
	const op = "store.count_vectors"
	if err := store.CheckFilters(op, filters); err != nil {
		return 0, err
	}
	tx, err := s.db.reads.BeginTx(ctx, nil)
	if err != nil {
		return 0, storeError(op, err)
	}
	defer tx.Rollback()
	c, err := s.collection(ctx, op, tx, collection)
	if err != nil || len(filters) == 0 {
		return c.Vectors, storeError(op, err)
	}
	ids, err := s.filtered(ctx, tx, c, filters)
	return len(ids), storeError(op, err)
}

func checkIDs(op string, ids []string) error {
	if len(ids) > store.MaxVectorBatch {
		return invalid(op, fmt.Sprintf("%d ids are given and %d are allowed at once", len(ids), store.MaxVectorBatch))
	}
	return nil
}

// A vectorRecord is what a row keeps beside the embedding.
type vectorRecord struct {
	Text     string            `json:"text,omitempty"`
	Metadata map[string]string `json:"metadata,omitempty"`
}

func readRecord(op string, packed []byte, v *store.Vector) error {
	var record vectorRecord
	if err := unpackJSON(op, packed, &record); err != nil {
		return err
	}
	v.Text, v.Metadata = record.Text, record.Metadata
	return nil
}
