// Package textsql makes the SQL conditions that select documents of the text index. Both backends have the same
// columns: text_document (id, tenant, index_name, key, part, published), text_metadata (document, tenant, index_name,
// key, value, number, moment) and text_part (id, tenant, index_name, language).
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

// A Dialect makes conditions, with their arguments, in the form that the indexes of a backend serve.
type Dialect struct {
	KeyBegins func(prefix string) (condition string, args []any)   // of documents
	ValueIn   func(values []string) (condition string, args []any) // of metadata
}

// Bytes is the dialect where indexes hold keys and values whole, sorted by their bytes.
var Bytes = Dialect{
	KeyBegins: func(prefix string) (condition string, args []any) {
		if end := PrefixEnd(prefix); end != "" {
			return "key >= ? AND key < ?", []any{prefix, end}
		}
		return "key >= ?", []any{prefix}
	},
	ValueIn: func(values []string) (condition string, args []any) { return OneOf("value", values) },
}

// OneOf is the condition that a column has one of at least one value.
func OneOf(column string, values []string) (condition string, args []any) {
	for _, value := range values {
		args = append(args, value)
	}
	return column + " IN (?" + strings.Repeat(", ?", len(values)-1) + ")", args
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

// Select is the condition, with its arguments, for documents of an index that have a prefix, if any, and meet filters.
func Select(d Dialect, tenant, index any, prefix string, filters []store.Filter) (condition string, args []any) {
	c := conditions{Dialect: d, tenant: tenant, index: index}
	c.add("tenant = ? AND index_name = ?", tenant, index)
	if prefix != "" {
		condition, args := d.KeyBegins(prefix)
		c.add(condition, args...)
	}
	for _, f := range filters {
		c.filter(f)
	}
	return strings.Join(c.all, " AND "), c.args
}

type conditions struct {
	Dialect
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

// divide makes conditions for metadata and for documents of a filter: a document's language and date count as metadata.
func (c *conditions) divide(f store.Filter) (match, own conditions) {
	match.add("tenant = ? AND index_name = ?", c.tenant, c.index)
	condition, args := c.Metadata(f)
	match.add(condition, args...)
	switch {
	case len(f.In) == 0 && f.Key == "published":
		if r, err := f.Range(); err == nil && r.Dates {
			own.add("length(published) = 10 AND published >= ? AND published <= ?", dayFrom(r.Min), dayOf(r.Max))
		}
	case len(f.In) > 0 && f.Key == "published":
		published, values := OneOf("published", f.In)
		own.add(published, values...)
	case len(f.In) > 0 && f.Key == "language":
		languages, values := OneOf("language", f.In)
		own.add("part IN (SELECT id FROM text_part WHERE tenant = ? AND index_name = ? AND "+languages+")",
			append([]any{c.tenant, c.index}, values...)...)
	}
	return match, own
}

// Metadata is the condition for the metadata that meets a filter, whether or not it leaves out.
func (d Dialect) Metadata(f store.Filter) (condition string, args []any) {
	args = []any{f.Key}
	if len(f.In) > 0 {
		in, values := d.ValueIn(f.In)
		return "key = ? AND " + in, append(args, values...)
	}
	r, err := f.Range()
	if err != nil { // CheckFilters has seen it
		r = store.Range{Min: 1, Max: 0}
	}
	if r.Dates {
		return "key = ? AND moment >= ? AND moment <= ?", append(args, clampMicros(r.Min), clampMicros(r.Max))
	}
	return "key = ? AND number >= ? AND number <= ?", append(args, r.Min, r.Max)
}

// metadataIDs is a query for the documents that meet a filter on metadata alone, whether or not it leaves out.
func metadataIDs(d Dialect, tenant, index any, f store.Filter) (query string, args []any, ok bool) {
	c := conditions{Dialect: d, tenant: tenant, index: index}
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

// Selection says which documents have the query's prefix and meet its filters; ids runs a query of one column.
func Selection(d Dialect, tenant, index any, query store.TextQuery,
	ids func(query string, args []any) (fulltext.IDs, error)) (keep func(id int64) bool, err error) {
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
		if query, args, ok := metadataIDs(d, tenant, index, f); ok {
			add(f.Not, query, args)
		} else {
			rest = append(rest, f)
		}
	}
	if query.URLPrefix != "" || len(rest) > 0 {
		where, args := Select(d, tenant, index, query.URLPrefix, rest)
		add(false, `SELECT id FROM text_document WHERE `+where, args)
	}
	return func(id int64) bool {
		return !slices.ContainsFunc(all, func(p part) bool { return p.ids.Has(id) == p.not })
	}, err
}
