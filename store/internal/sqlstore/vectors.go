package sqlstore

import (
	"context"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/codec"
	"github.com/citewell/citewell/store/internal/vectorcodec"
)

// Vectors are what of embeddings each database does in its own way.
type Vectors interface {
	// DropCollection removes a collection and all it holds, and returns the row it had; 0 where there was none.
	DropCollection(ctx context.Context, tx Tx, tenant, name string) (id int64, err error)
	// CollectionDropped is called after the commit.
	CollectionDropped(id int64)
	// CountVectors returns how many vectors meet filters.
	CountVectors(ctx context.Context, from Conn, tenant string, c Collection, filters []store.Filter) (int, error)
	// Code is by what an embedding is searched, where it is not by itself.
	Code(values []float32) []byte
	// PutVectors writes rows, but those that are there and equal, and counts them in c.
	PutVectors(ctx context.Context, tx Tx, tenant string, c *Collection, rows []VectorRow) error
	// RemoveVectors removes the vectors of ids, or where those are nil, that meet filters, and counts them in c.
	RemoveVectors(ctx context.Context, tx Tx, tenant string, c *Collection, ids []string, filters []store.Filter) error
	// Count keeps what changed of a collection's row.
	Count(ctx context.Context, tx Tx, tenant string, before, now Collection) error
	// Grown is called after so many vectors were written.
	Grown(c Collection, more int)
	// Nearest returns the nearest vectors, exactly compared and in order, at least s.Need. Again asks for a new view.
	Nearest(ctx context.Context, s VectorSearch) (found []Near, again bool, err error)
}

// A Collection is a row of the table, as one transaction sees it.
type Collection struct {
	store.VectorCollection
	ID int64

	Newest, Gone, GoneKnown int64 // of rows, where the backend numbers those that were added and taken away
	Indexed                 bool  // its embeddings have an index in the database
}

// A VectorRow is a vector in the form that is kept.
type VectorRow struct {
	store.Vector
	Embedding, Record, Code []byte
}

const collectionColumns = `SELECT id, name, dimension, metric, model, vectors, {collection} FROM vector_collection `

func scanCollection(scan func(...any) error) (c Collection, err error) {
	err = scan(&c.ID, &c.Name, &c.Dimension, &c.Metric, &c.Model, &c.Vectors, &c.Newest, &c.Gone, &c.GoneKnown,
		&c.Indexed)
	return c, err
}

// FindCollection reads a collection; lock is how its row is locked.
func FindCollection(ctx context.Context, from Conn, op, tenant, name, lock string) (Collection, error) {
	c, err := scanCollection(from.QueryRow(ctx, collectionColumns+`WHERE tenant = $1
		AND name = $2`+lock, tenant, name).Scan)
	return c, OrMissing(err, vectorcodec.MissingCollection(op, name))
}

// AllCollections reads those of all tenants.
func AllCollections(ctx context.Context, from Conn) ([]Collection, error) {
	return ReadRows(ctx, from, collectionColumns, scanCollection)
}

const forUpdate = ` {for update}`

// collection reads a collection by itself.
func (s *Store) collection(ctx context.Context, op, name string) (Collection, error) {
	return readValue(ctx, s.b, op, func(from Conn) (Collection, error) {
		return FindCollection(ctx, from, op, s.tenant, name, ``)
	})
}

// MakeCollection implements store.Vectors. It looks without locks first.
func (s *Store) MakeCollection(ctx context.Context, c store.VectorCollection) error {
	const op = "store.make_collection"
	if err := c.Check(op); err != nil {
		return err
	}
	kept, err := s.collection(ctx, op, c.Name)
	if err == nil {
		if fits, err := vectorcodec.Fits(op, kept.VectorCollection, c); fits || err != nil {
			return err
		}
	} else if citewell.CodeOf(err) != citewell.CodeNotFound {
		return err
	}
	var emptied int64
	err = s.b.Again(ctx, op, func(ctx context.Context, tx Tx) error {
		emptied = 0
		kept, err := FindCollection(ctx, tx, op, s.tenant, c.Name, forUpdate)
		if err == nil {
			if fits, err := vectorcodec.Fits(op, kept.VectorCollection, c); fits || err != nil {
				return err
			}
			emptied, err = s.b.DropCollection(ctx, tx, s.tenant, c.Name)
		} else if citewell.CodeOf(err) == citewell.CodeNotFound {
			err = nil
		}
		if err != nil {
			return err
		}
		made, err := tx.Exec(ctx, `INSERT INTO vector_collection (tenant, name, dimension, metric, model{, created_at})
			VALUES ($1, $2, $3, $4, $5{, micros()}) ON CONFLICT DO NOTHING`,
			s.tenant, c.Name, c.Dimension, string(c.Metric), c.Model)
		if err != nil || made > 0 {
			return err
		}
		// Made by somebody else at this moment.
		if kept, err = FindCollection(ctx, tx, op, s.tenant, c.Name, forUpdate); err != nil {
			return err
		}
		_, err = vectorcodec.Fits(op, kept.VectorCollection, c)
		return err
	})
	if err == nil && emptied != 0 {
		s.b.CollectionDropped(emptied)
	}
	return err
}

// Collections implements store.Vectors.
func (s *Store) Collections(ctx context.Context) ([]store.VectorCollection, error) {
	return readValue(ctx, s.b, "store.collections", func(from Conn) ([]store.VectorCollection, error) {
		return ReadRows(ctx, from, collectionColumns+`WHERE tenant = $1 ORDER BY name`,
			func(scan func(...any) error) (store.VectorCollection, error) {
				c, err := scanCollection(scan)
				return c.VectorCollection, err
			}, s.tenant)
	})
}

// DropCollection implements store.Vectors.
func (s *Store) DropCollection(ctx context.Context, name string) (bool, error) {
	var dropped int64
	err := s.b.Again(ctx, "store.drop_collection", func(ctx context.Context, tx Tx) (err error) {
		dropped, err = s.b.DropCollection(ctx, tx, s.tenant, name)
		return err
	})
	if err != nil {
		return false, err
	}
	s.b.CollectionDropped(dropped)
	return dropped != 0, nil
}

// GetVectors implements store.Vectors.
func (s *Store) GetVectors(ctx context.Context, collection string, ids []string) (vectors []store.Vector, err error) {
	const op = "store.get_vectors"
	if err := vectorcodec.CheckIDs(op, ids); err != nil {
		return nil, err
	}
	err = s.b.Read(ctx, op, func(from Conn) error {
		vectors = nil
		c, err := FindCollection(ctx, from, op, s.tenant, collection, ``)
		if err != nil || len(ids) == 0 {
			return err
		}
		found := map[string]store.Vector{}
		args := Arguments{s.tenant, c.ID}
		among := oneOf(s.db, &args, "name", ids)
		err = Each(ctx, from,
			`SELECT name, embedding, record FROM {vector} WHERE tenant = $1 AND collection = $2 AND `+among,
			func(scan func(...any) error) error {
				var v store.Vector
				var embedding, record []byte
				if err := scan(&v.ID, &embedding, &record); err != nil {
					return err
				}
				err := vectorcodec.ReadRecord(op, record, &v)
				if err == nil {
					v.Values, err = c.values(op, embedding)
				}
				found[v.ID] = v
				return err
			}, args...)
		for _, id := range ids {
			if v, there := found[id]; there {
				vectors = append(vectors, v)
			}
		}
		return err
	})
	return vectors, err
}

// values reads an embedding of the collection.
func (c Collection) values(op string, embedding []byte) ([]float32, error) {
	floats, err := vectorcodec.Check(op, embedding, c.Dimension)
	return vectorcodec.Values(floats), err
}

// CountVectors implements store.Vectors.
func (s *Store) CountVectors(ctx context.Context, collection string, filters []store.Filter) (int, error) {
	const op = "store.count_vectors"
	if err := store.CheckFilters(op, filters); err != nil {
		return 0, err
	}
	return readValue(ctx, s.b, op, func(from Conn) (int, error) {
		c, err := FindCollection(ctx, from, op, s.tenant, collection, ``)
		if err != nil || len(filters) == 0 {
			return c.Vectors, err
		}
		return s.b.CountVectors(ctx, from, s.tenant, c, filters)
	})
}

// UpsertVectors implements store.Vectors. What is there and equal is left alone.
func (s *Store) UpsertVectors(ctx context.Context, collection string, vectors []store.Vector) error {
	const op = "store.upsert_vectors"
	c, err := s.collection(ctx, op, collection)
	if err != nil {
		return err
	}
	if err := c.CheckVectors(op, vectors); err != nil {
		return err
	}
	rows := make([]VectorRow, len(vectors))
	for i, v := range vectors {
		record, err := codec.PackJSON(vectorcodec.Record{Text: v.Text, Metadata: v.Metadata})
		if err != nil {
			return s.b.Fail(op, err)
		}
		rows[i] = VectorRow{v, vectorcodec.Marshal(v.Values), record, s.b.Code(v.Values)}
	}
	_, err = s.changeVectors(ctx, op, c, func(ctx context.Context, tx Tx, c *Collection) error {
		return s.b.PutVectors(ctx, tx, s.tenant, c, rows)
	})
	if err == nil {
		s.b.Grown(c, len(vectors))
	}
	return err
}

// RemoveVectors implements store.Vectors.
func (s *Store) RemoveVectors(ctx context.Context, collection string, ids []string) (int, error) {
	const op = "store.remove_vectors"
	if err := vectorcodec.CheckIDs(op, ids); err != nil {
		return 0, err
	}
	return s.removeVectors(ctx, op, collection, append([]string{}, ids...), nil)
}

// RemoveVectorsWhere implements store.Vectors.
func (s *Store) RemoveVectorsWhere(ctx context.Context, collection string, filters []store.Filter) (int, error) {
	const op = "store.remove_vectors_where"
	if err := vectorcodec.CheckRemoval(op, filters); err != nil {
		return 0, err
	}
	return s.removeVectors(ctx, op, collection, nil, filters)
}

func (s *Store) removeVectors(ctx context.Context, op, collection string, ids []string,
	filters []store.Filter) (int, error) {
	c, err := s.collection(ctx, op, collection)
	if err != nil {
		return 0, err
	}
	more, err := s.changeVectors(ctx, op, c, func(ctx context.Context, tx Tx, c *Collection) error {
		return s.b.RemoveVectors(ctx, tx, s.tenant, c, ids, filters)
	})
	return -more, err
}

// changeVectors does a write to the collection of c, keeps its row in step, and returns by how many its vectors grew.
func (s *Store) changeVectors(ctx context.Context, op string, c Collection,
	do func(ctx context.Context, tx Tx, c *Collection) error) (more int, err error) {
	err = s.b.Again(ctx, op, func(ctx context.Context, tx Tx) error {
		before, err := FindCollection(ctx, tx, op, s.tenant, c.Name, forUpdate)
		if err != nil {
			return err
		}
		if before.ID != c.ID {
			return vectorcodec.MadeAnew(op, c.Name)
		}
		now := before
		if err := do(ctx, tx, &now); err != nil {
			return err
		}
		if more = now.Vectors - before.Vectors; now == before {
			return nil
		}
		return s.b.Count(ctx, tx, s.tenant, before, now)
	})
	if err != nil {
		return 0, err
	}
	return more, nil
}
