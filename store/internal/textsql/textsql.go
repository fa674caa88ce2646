// Package textsql makes the conditions of SQL by which documents of the text index are
// selected. Both backends have the same columns: text_document (id, tenant, index_name, key,
// part, published), text_metadata (document, tenant, index_name, key, value, number, moment)
// and text_part (id, tenant, index_name, language).
//
// Units: moments are microseconds since 1970. An argument's place in SQL is a question mark.
package textsql

import (
	"slices"
	"strings"
	"time"

	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/fulltext"
)

// A Prefix makes the condition for keys that begin with a prefix, with its arguments.
type Prefix func(prefix string) (condition string, args []any)

// KeyRange is a Prefix that an index of keys serves which are sorted by their bytes.
func KeyRange(prefix string) (condition string, args []any) {
	if end := PrefixEnd(prefix); end != "" {
		return "key >= ? AND key < ?", []any{prefix, end}
	}
	return "key >= ?", []any{prefix}
}

// PrefixEnd is the first text after all that begin with prefix; empty where there is none.
func PrefixEnd(prefix string) string {
	end := []byte(prefix)
	for len(end) > 0 && end[len(end)-1] == 0xff {
		end = end[:len(end)-1]
	}
	if len(end) > 0 {
		end[len(end)-1]++
	}
	return string(end)
}

// Select is the condition, with its arguments, for the documents of an index that have a
// prefix, where one is given, and meet the filters.
func Select(begins Prefix, tenant, index any, prefix string, filters []store.Filter) (condition string, args []any) {
	c := conditions{tenant: tenant, index: index}
	c.add("tenant = ? AND index_name = ?", tenant, index)
	if prefix != "" {
		condition, args := begins(prefix)
		c.add(condition, args...)
	}
	for _, f := range filters {
		c.filter(f)
	}
	return strings.Join(c.all, " AND "), c.args
}

type conditions struct {
	tenant, index any
	all           []string
	args          []any
}

func (c *conditions) add(condition string, args ...any) {
	c.all = append(c.all, condition)
	c.args = append(c.args, args...)
}

// filter adds one filter.
func (c *conditions) filter(f store.Filter) {
	match, own := c.divide(f)
	condition := "id IN (SELECT document FROM text_metadata WHERE " + strings.Join(match.all, " AND ") + ")"
	args := match.args
	if len(own.all) > 0 {
		condition = "(" + condition + " OR " + strings.Join(own.all, " AND ") + ")"
		args = append(args, own.args...)
	}
	if f.Not {
		condition = "NOT " + condition
	}
	c.add(condition, args...)
}

// divide makes of a filter, whether or not it leaves out, conditions for metadata and for
// documents: a document's own language and date count as metadata.
func (c *conditions) divide(f store.Filter) (match, own conditions) {
	match.add("tenant = ? AND index_name = ? AND key = ?", c.tenant, c.index, f.Key)
	if len(f.In) > 0 {
		values := make([]any, len(f.In))
		for i, value := range f.In {
			values[i] = value
		}
		marks := "(?" + strings.Repeat(", ?", len(values)-1) + ")"
		match.add("value IN "+marks, values...)
		switch f.Key {
		case "language":
			own.add("part IN (SELECT id FROM text_part WHERE tenant = ? AND index_name = ? AND language IN "+marks+")",
				slices.Concat([]any{c.tenant, c.index}, values)...)
		case "published":
			own.add("published IN "+marks, values...)
		}
	} else {
		r, err := f.Range()
		if err != nil { // CheckFilters has seen it
			r = store.Range{Min: 1, Max: 0}
		}
		if r.Dates {
			match.add("moment >= ? AND moment <= ?", clampMicros(r.Min), clampMicros(r.Max))
		} else {
			match.add("number >= ? AND number <= ?", r.Min, r.Max)
		}
		if f.Key == "published" && r.Dates {
			own.add("length(published) = 10 AND published >= ? AND published <= ?", dayFrom(r.Min), dayOf(r.Max))
		}
	}
	return match, own
}

// metadataIDs is a query for the documents that meet a filter, whether or not it leaves
// out, where metadata alone decides.
func metadataIDs(tenant, index any, f store.Filter) (query string, args []any, ok bool) {
	c := conditions{tenant: tenant, index: index}
	match, own := c.divide(f)
	return `SELECT document FROM text_metadata WHERE ` + strings.Join(match.all, " AND "), match.args, len(own.all) == 0
}

// lastMicros is the end of the year 9999.
const lastMicros = 253402300799999999

func clampMicros(m float64) int64 { return int64(min(max(m, -lastMicros), lastMicros)) }

// dayOf returns the day of a moment as YYYY-MM-DD.
func dayOf(m float64) string {
	return time.UnixMicro(max(clampMicros(m), -62135596800000000)).UTC().Format(time.DateOnly)
}

// dayFrom returns the first day that begins at a moment or after it.
func dayFrom(m float64) string {
	return dayOf(m + float64((24*time.Hour - time.Microsecond).Microseconds()))
}

// Selection says which documents of an index have the query's prefix and meet its filters; ids
// returns those that a query of one column gives.
func Selection(begins Prefix, tenant, index any, query store.TextQuery, ids func(query string, args []any) (fulltext.IDs, error)) (keep func(id int64) bool, err error) {
	type part struct {
		ids fulltext.IDs
		not bool
	}
	var all []part
	add := func(not bool, query string, args []any) {
		if err == nil {
			var found fulltext.IDs
			found, err = ids(query, args)
			all = append(all, part{found, not})
		}
	}
	var rest []store.Filter
	for _, f := range query.Filters {
		if query, args, ok := metadataIDs(tenant, index, f); ok {
			add(f.Not, query, args)
		} else {
			rest = append(rest, f)
		}
	}
	if query.URLPrefix != "" || len(rest) > 0 {
		where, args := Select(begins, tenant, index, query.URLPrefix, rest)
		add(false, `SELECT id FROM text_document WHERE `+where, args)
	}
	return func(id int64) bool {
		return !slices.ContainsFunc(all, func(p part) bool { return p.ids.Has(id) == p.not })
	}, err
}
