package sqlite

import (
	"context"
	"slices"

	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/textsql"
)

// filtered returns the ids of the rows that meet all filters, rising.
func (s *Store) filtered(ctx context.Context, tx handle, c vectorCollection, filters []store.Filter) ([]int64, error) {
	var ids []int64
	narrowed := false
	for _, not := range []bool{false, true} { // what is negated only takes away
		for _, filter := range filters {
			if filter.Not != not {
				continue
			}
			if !narrowed && not {
				all, err := readIDs(ctx, conn{tx}, `SELECT vector FROM vector_code WHERE tenant = ? AND collection = ?`, s.tenant, c.id)
				if err != nil {
					return nil, err
				}
				slices.Sort(all)
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
func (s *Store) meeting(ctx context.Context, tx handle, c vectorCollection, filter store.Filter) ([]int64, error) {
	values := filter.In
	if len(values) == 0 {
		var err error
		if values, err = s.valuesWithin(ctx, tx, c, filter); err != nil {
			return nil, err
		}
	}
	var ids []int64
	for part := range slices.Chunk(values, store.MaxFilterValues) {
		among, args := oneOf("value", part)
		more, err := readIDs(ctx, conn{tx}, `SELECT DISTINCT vector FROM vector_tag WHERE tenant = ? AND collection = ? AND key = ?`+among,
			append([]any{s.tenant, c.id, filter.Key}, args...)...)
		if err != nil {
			return nil, err
		}
		ids = append(ids, more...)
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

// below returns the ids of the rows whose metadata begins so, rising.
func (s *Store) below(ctx context.Context, tx handle, c vectorCollection, p store.MetadataPrefix) ([]int64, error) {
	condition, args := `SELECT DISTINCT vector FROM vector_tag WHERE tenant = ? AND collection = ? AND key = ? AND value >= ?`,
		[]any{s.tenant, c.id, p.Key, p.Prefix}
	if end := textsql.PrefixEnd(p.Prefix); end != "" {
		condition, args = condition+` AND value < ?`, append(args, end)
	}
	ids, err := readIDs(ctx, conn{tx}, condition, args...)
	slices.Sort(ids)
	return ids, err
}

// valuesWithin returns the values of a filter's key that lie in its range.
func (s *Store) valuesWithin(ctx context.Context, tx handle, c vectorCollection, filter store.Filter) ([]string, error) {
	within, err := filter.Range()
	if err != nil {
		return nil, err
	}
	values, err := readColumn[string](ctx, tx, `SELECT DISTINCT value FROM vector_tag WHERE tenant = ? AND collection = ? AND key = ?`,
		s.tenant, c.id, filter.Key)
	return slices.DeleteFunc(values, func(value string) bool {
		number, ok := store.ReadNumber(value)
		if within.Dates {
			var moment int64
			moment, ok = store.ReadMoment(value)
			number = float64(moment)
		}
		return !ok || number < within.Min || number > within.Max
	}), err
}
