package postgres

import (
	"context"
	"fmt"
	"strconv"

	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/sqlstore"
	"github.com/citewell/citewell/store/internal/vectorcodec"
	"github.com/jackc/pgx/v5"
)

const (
	// nearFrom vectors are more than are all compared with, where there is an index.
	nearFrom = 10_000
	// nearDimensions is the most that pgvector indexes.
	nearDimensions = 2000
	// nearResults is the most that an index is asked for: it looks at ten times as many at the most.
	nearResults = 500
	nearFactor  = 5 // candidates for each result
)

// addNear gives vectors a column of pgvector's type, if the server has that extension, and fills it. Without it every
// vector of a collection is read and compared.
func (db *DB) addNear(ctx context.Context, conn *pgx.Conn) error {
	var extension, column bool
	if err := conn.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'vector'),
		EXISTS (SELECT FROM pg_attribute WHERE attrelid = 'vector_item'::regclass AND attname = 'near' AND NOT attisdropped)`).Scan(&extension, &column); err != nil {
		return err
	}
	if !extension {
		db.warnings = append(db.warnings, "the database has no extension vector: each search by meaning reads every "+
			"embedding. A superuser adds it with CREATE EXTENSION vector")
		return nil
	}
	db.near = true
	if column {
		return nil
	}
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, fmt.Sprintf(
			`SET LOCAL lock_timeout = 0; SET LOCAL statement_timeout = 0; SELECT pg_advisory_xact_lock(%d);
			ALTER TABLE vector_item ADD COLUMN IF NOT EXISTS near vector`, migrationLock)); err != nil {
			return err
		}
		return fillNear(ctx, tx)
	})
}

// fillNear gives every vector without one its value in the column.
func fillNear(ctx context.Context, tx pgx.Tx) error {
	const batch = 1000
	for {
		var ids []int64
		var values []string
		err := sqlstore.Each(ctx, conn{tx}, fmt.Sprintf(`SELECT v.id, v.embedding, c.dimension FROM vector_item AS v
			JOIN vector_collection AS c ON c.ID = v.collection
			WHERE v.near IS NULL LIMIT %d`, batch), func(scan func(...any) error) error {
			var id int64
			var embedding []byte
			var dimension int
			if err := scan(&id, &embedding, &dimension); err != nil {
				return err
			}
			floats, err := vectorcodec.Check("store.open", embedding, dimension)
			ids, values = append(ids, id), append(values, literal(vectorcodec.Values(floats)))
			return err
		})
		if err != nil || len(ids) == 0 {
			return err
		}
		if _, err := tx.Exec(ctx,
			`UPDATE vector_item AS v SET near = n.value::vector FROM unnest($1::bigint[], $2::text[]) AS n (id, value) WHERE v.id = n.id`,
			ids, values); err != nil {
			return err
		}
	}
}

// literal is how pgvector reads a vector.
func literal(values []float32) string {
	text := []byte{'['}
	for i, x := range values {
		if i > 0 {
			text = append(text, ',')
		}
		text = strconv.AppendFloat(text, float64(x), 'g', -1, 32)
	}
	return string(append(text, ']'))
}

// operator is how pgvector compares by a metric, and the class of its indexes.
func operator(metric store.Metric) (sign, class string) {
	switch metric {
	case store.MetricDot:
		return "<#>", "vector_ip_ops"
	case store.MetricL2:
		return "<->", "vector_l2_ops"
	}
	return "<=>", "vector_cosine_ops"
}

// wantNear begins an index of a collection that has outgrown comparison as a whole. One process makes it beside all
// else; until it is there, everything is compared.
func (db *DB) wantNear(c sqlstore.Collection, more int) {
	if !db.near || c.Indexed || c.Dimension > nearDimensions || c.Vectors+more < nearFrom {
		return
	}
	if _, begun := db.building.LoadOrStore(c.ID, true); begun {
		return
	}
	db.work.Go(func() {
		defer db.building.Delete(c.ID) // where it failed the next write tries again
		_ = db.makeNear(db.working, c)
	})
}

// makeNear makes the index of a collection, and takes away those of collections that are gone.
func (db *DB) makeNear(ctx context.Context, c sqlstore.Collection) error {
	conn, err := db.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	var mine bool
	if err := conn.QueryRow(ctx, `SELECT pg_try_advisory_lock($1, $2)`,
		nearLock, int32(c.ID)).Scan(&mine); err != nil || !mine {
		return err
	}
	defer conn.Exec(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock($1, $2)`, nearLock, int32(c.ID))
	if _, err := conn.Exec(ctx, `SET statement_timeout = 0`); err != nil {
		return err
	}
	defer conn.Exec(context.WithoutCancel(ctx), `RESET statement_timeout`)
	for _, index := range db.strayNear(ctx, conn.Conn(), c) {
		if _, err := conn.Exec(ctx, `DROP INDEX CONCURRENTLY IF EXISTS `+index); err != nil {
			return err
		}
	}
	// Without statistics a server sorts all vectors in place of asking the index, until autovacuum comes by.
	if _, err := conn.Exec(ctx, `ANALYZE vector_item`); err != nil {
		return err
	}
	_, class := operator(c.Metric)
	_, err = conn.Exec(ctx, fmt.Sprintf(
		`CREATE INDEX CONCURRENTLY IF NOT EXISTS vector_near_%d ON vector_item USING hnsw ((near::vector(%d)) %s) WHERE collection = %d`,
		c.ID, c.Dimension, class, c.ID))
	return err
}

// strayNear are the indexes that were not finished, of c, or whose collection is gone.
func (db *DB) strayNear(ctx context.Context, on *pgx.Conn, c sqlstore.Collection) []string {
	stray, err := sqlstore.ReadColumn[string](ctx, conn{on}, `SELECT r.relname FROM pg_index AS i
		JOIN pg_class AS r ON r.oid = i.indexrelid
		WHERE i.indrelid = 'vector_item'::regclass AND starts_with(r.relname, 'vector_near_') AND (r.relname = $1 AND NOT i.indisvalid
		OR NOT EXISTS (SELECT FROM vector_collection WHERE 'vector_near_' || id = r.relname))`,
		fmt.Sprintf("vector_near_%d", c.ID))
	if err != nil {
		return nil
	}
	return stray
}

// nearLock is the first number of the advisory locks of whoever makes an index.
const nearLock = 0x43774e72
