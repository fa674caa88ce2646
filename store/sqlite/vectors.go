package sqlite

import (
	"context"
	"database/sql"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/vectorcodec"
)

var _ store.Vectors = (*Store)(nil)

// A vectorCollection is a row of the table, as one transaction sees it.
type vectorCollection struct {
	store.VectorCollection
	id, newest, gone, goneKnown int64
}

const collectionColumns = `id, name, dimension, metric, model, vectors, newest, gone, gone_known`

func scanCollection(scan func(...any) error) (c vectorCollection, err error) {
	err = scan(&c.id, &c.Name, &c.Dimension, &c.Metric, &c.Model, &c.Vectors, &c.newest, &c.gone, &c.goneKnown)
	return c, err
}

func (s *Store) collection(ctx context.Context, op string, from querier, name string) (vectorCollection, error) {
	c, err := scanCollection(from.QueryRowContext(ctx, `SELECT `+collectionColumns+` FROM vector_collection
		WHERE tenant = ? AND name = ?`, s.tenant, name).Scan)
	return c, orMissing(err, vectorcodec.MissingCollection(op, name))
}

// MakeCollection implements store.Vectors.
func (s *Store) MakeCollection(ctx context.Context, c store.VectorCollection) error {
	const op = "store.make_collection"
	if err := c.Check(op); err != nil {
		return err
	}
	kept, err := s.collection(ctx, op, s.db.reads, c.Name)
	if err == nil {
		if fits, err := vectorcodec.Fits(op, kept.VectorCollection, c); fits || err != nil {
			return err
		}
	} else if citewell.CodeOf(err) != citewell.CodeNotFound {
		return storeError(op, err)
	}
	var emptied int64
	err = s.db.writer.Do(ctx, func(ctx context.Context, tx *sql.Tx) error {
		emptied = 0
		kept, err := s.collection(ctx, op, tx, c.Name)
		switch {
		case citewell.CodeOf(err) == citewell.CodeNotFound:
		case err != nil:
			return err
		default:
			if fits, err := vectorcodec.Fits(op, kept.VectorCollection, c); fits || err != nil {
				return err
			}
			if emptied, err = s.dropCollection(ctx, tx, c.Name); err != nil {
				return err
			}
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO vector_collection (tenant, name, dimension, metric, model, created_at) VALUES (?, ?, ?, ?, ?, ?)`,
			s.tenant, c.Name, c.Dimension, c.Metric, c.Model, time.Now().UnixMicro())
		return err
	})
	if err == nil && emptied != 0 {
		s.db.vectors.forget(emptied)
	}
	return storeError(op, err)
}

// Collections implements store.Vectors.
func (s *Store) Collections(ctx context.Context) ([]store.VectorCollection, error) {
	list, err := readRows(ctx, s.db.reads, `SELECT `+collectionColumns+` FROM vector_collection WHERE tenant = ? ORDER BY name`,
		func(scan func(...any) error) (store.VectorCollection, error) {
			c, err := scanCollection(scan)
			return c.VectorCollection, err
		}, s.tenant)
	return list, storeError("store.collections", err)
}

// DropCollection implements store.Vectors.
func (s *Store) DropCollection(ctx context.Context, name string) (bool, error) {
	const op = "store.drop_collection"
	var dropped int64
	err := s.db.writer.Do(ctx, func(ctx context.Context, tx *sql.Tx) (err error) {
		dropped, err = s.dropCollection(ctx, tx, name)
		return err
	})
	if err != nil {
		return false, storeError(op, err)
	}
	s.db.vectors.forget(dropped)
	return dropped != 0, nil
}

// dropCollection removes a collection and all it holds, and returns the row it had; 0
// where there was none.
func (s *Store) dropCollection(ctx context.Context, tx *sql.Tx, name string) (id int64, err error) {
	there, err := anyRow(tx.QueryRowContext(ctx, `DELETE FROM vector_collection WHERE tenant = ? AND name = ? RETURNING id`, s.tenant, name).Scan(&id))
	if !there {
		return 0, err
	}
	for _, table := range []string{"vector", "vector_code", "vector_tag", "vector_gone"} {
		if _, err := tx.ExecContext(ctx, `DELETE FROM `+table+` WHERE tenant = ? AND collection = ?`, s.tenant, id); err != nil {
			return 0, err
		}
	}
	return id, nil
}

// GetVectors implements store.Vectors.
func (s *Store) GetVectors(ctx context.Context, collection string, ids []string) ([]store.Vector, error) {
	const op = "store.get_vectors"
	if err := vectorcodec.CheckIDs(op, ids); err != nil {
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
		there, err := anyRow(get.QueryRowContext(ctx, s.tenant, c.id, id).Scan(&embedding, &record))
		if err != nil {
			return nil, storeError(op, err)
		}
		if !there {
			continue
		}
		v := store.Vector{ID: id}
		if err := vectorcodec.ReadRecord(op, record, &v); err != nil {
			return nil, err
		}
		floats, err := vectorcodec.Check(op, embedding, c.Dimension)
		if err != nil {
			return nil, err
		}
		v.Values = vectorcodec.Values(floats)
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
