package sqlite

import (
	"context"
	"database/sql"
	"slices"
	"strconv"
	"strings"

	"github.com/citewell/citewell/store"
)

// filtered returns the ids of the rows that meet all filters, rising.
func (s *Store) filtered(ctx context.Context, tx queryer, c vectorCollection, filters []store.Filter) ([]int64, error) {
	var ids []int64
	narrowed := false
	for _, not := range []bool{false, true} { // what is negated only takes away
		for _, filter := range filters {
			if filter.Not != not {
				continue
			}
			if !narrowed && not {
				all, err := joinedIDs(ctx, tx, `SELECT group_concat(vector) FROM vector_code WHERE tenant = ? AND collection = ?`, s.tenant, c.id)
				if err != nil {
					return nil, err
				}
				ids, narrowed = all, true
			}
			met, err := s.meeting(ctx, tx, c, filter)
			if err != nil {
				return nil, err
			}
			if !narrowed {
				ids, narrowed = met, true
				continue
			}
			ids = slices.DeleteFunc(ids, func(id int64) bool {
				_, found := slices.BinarySearch(met, id)
				return found == not
			})
		}
	}
	return ids, nil
}

// meeting returns the ids of the rows that meet filter, were it not negated.
func (s *Store) meeting(ctx context.Context, tx queryer, c vectorCollection, filter store.Filter) ([]int64, error) {
	values := filter.In
	if len(values) == 0 {
		var err error
		if values, err = s.valuesWithin(ctx, tx, c, filter); err != nil {
			return nil, err
		}
	}
	var ids []int64
	for part := range slices.Chunk(values, store.MaxFilterValues) {
		args := []any{s.tenant, c.id, filter.Key}
		for _, value := range part {
			args = append(args, value)
		}
		more, err := joinedIDs(ctx, tx, `SELECT group_concat(DISTINCT vector) FROM vector_tag WHERE tenant = ? AND collection = ? AND key = ?
			AND value IN (?`+strings.Repeat(`, ?`, len(part)-1)+`)`, args...)
		if err != nil {
			return nil, err
		}
		ids = append(ids, more...)
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

// below returns the ids of the rows whose metadata begins so, rising.
func (s *Store) below(ctx context.Context, tx queryer, c vectorCollection, p store.MetadataPrefix) ([]int64, error) {
	condition, args := `SELECT group_concat(DISTINCT vector) FROM vector_tag WHERE tenant = ? AND collection = ? AND key = ? AND value >= ?`,
		[]any{s.tenant, c.id, p.Key, p.Prefix}
	if end := prefixEnd(p.Prefix); end != "" {
		condition, args = condition+` AND value < ?`, append(args, end)
	}
	return joinedIDs(ctx, tx, condition, args...)
}

// valuesWithin returns the values of a filter's key that lie in its range.
func (s *Store) valuesWithin(ctx context.Context, tx queryer, c vectorCollection, filter store.Filter) ([]string, error) {
	within, err := filter.Range()
	if err != nil {
		return nil, err
	}
	rows, err := tx.QueryContext(ctx, `SELECT DISTINCT value FROM vector_tag WHERE tenant = ? AND collection = ? AND key = ?`,
		s.tenant, c.id, filter.Key)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var values []string
	for rows.Next() {
		var value string
		if err := rows.Scan(&value); err != nil {
			return nil, err
		}
		number, ok := store.ReadNumber(value)
		if within.Dates {
			var moment int64
			moment, ok = store.ReadMoment(value)
			number = float64(moment)
		}
		if ok && number >= within.Min && number <= within.Max {
			values = append(values, value)
		}
	}
	return values, rows.Err()
}

// joinedIDs runs a query that gives ids joined by commas: one row is read several
// times faster than one for each id.
func joinedIDs(ctx context.Context, tx queryer, query string, args ...any) ([]int64, error) {
	var joined sql.NullString
	if err := tx.QueryRowContext(ctx, query, args...).Scan(&joined); err != nil || !joined.Valid {
		return nil, err
	}
	ids := make([]int64, 0, strings.Count(joined.String, ",")+1)
	for digits := range strings.SplitSeq(joined.String, ",") {
		id, err := strconv.ParseInt(digits, 10, 64)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids, nil
}
