package sqlite

import (
	"context"
	"slices"

	"github.com/citewell/citewell/internal/metadata"
	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/sqlstore"
	"github.com/citewell/citewell/store/internal/textsql"
)

// filtered returns the ids of the rows that meet all filters, rising.
func filtered(ctx context.Context, tx sqlstore.Conn, tenant string, collection int64,
	filters []store.Filter) ([]int64, error) {
	var ids []int64
	narrowed := false
	for _, not := range []bool{false, true} { // what is negated only takes away
		for _, filter := range filters {
			if filter.Not != not {
				continue
			}
			if !narrowed && not {
				all, err := readIDs(ctx, tx, `SELECT vector FROM vector_code WHERE tenant = ? AND collection = ?`,
					tenant, collection)
				if err != nil {
					return nil, err
				}
				slices.Sort(all)
				ids, narrowed = all, true
			}
			met, err := meetingOne(ctx, tx, tenant, collection, filter)
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

// meetingOne returns the ids of the rows that meet filter, were it not negated.
func meetingOne(ctx context.Context, tx sqlstore.Conn, tenant string, collection int64,
	filter store.Filter) ([]int64, error) {
	values := filter.In
	if len(values) == 0 {
		var err error
		if values, err = valuesWithin(ctx, tx, tenant, collection, filter); err != nil {
			return nil, err
		}
	}
	var ids []int64
	for part := range slices.Chunk(values, store.MaxFilterValues) {
		among, args := textsql.OneOf("value", part)
		more, err := readIDs(ctx, tx,
			`SELECT DISTINCT vector FROM vector_tag WHERE tenant = ? AND collection = ? AND key = ?
			AND `+among,
			append([]any{tenant, collection, filter.Key}, args...)...)
		if err != nil {
			return nil, err
		}
		ids = append(ids, more...)
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

// below returns the ids of the rows whose metadata begins so, rising.
func below(ctx context.Context, tx sqlstore.Conn, tenant string, collection int64,
	p store.MetadataPrefix) ([]int64, error) {
	condition, args :=
		`SELECT DISTINCT vector FROM vector_tag WHERE tenant = ? AND collection = ? AND key = ? AND value >= ?`,
		[]any{tenant, collection, p.Key, p.Prefix}
	if end := textsql.PrefixEnd(p.Prefix); end != "" {
		condition, args = condition+` AND value < ?`, append(args, end)
	}
	ids, err := readIDs(ctx, tx, condition, args...)
	slices.Sort(ids)
	return ids, err
}

// valuesWithin returns the values of a filter's key that lie in its range.
func valuesWithin(ctx context.Context, tx sqlstore.Conn, tenant string, collection int64,
	filter store.Filter) ([]string, error) {
	within, err := filter.Range()
	if err != nil {
		return nil, err
	}
	values, err := sqlstore.ReadColumn[string](ctx, tx, `SELECT DISTINCT value FROM vector_tag WHERE tenant = ?
		AND collection = ? AND key = ?`,
		tenant, collection, filter.Key)
	return slices.DeleteFunc(values, func(value string) bool {
		number, ok := metadata.ReadNumber(value)
		if within.Dates {
			var moment int64
			moment, ok = metadata.ReadMoment(value)
			number = float64(moment)
		}
		return !ok || number < within.Min || number > within.Max
	}), err
}
