package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/citewell/citewell/internal/metadata"
)

// A Conn runs SQL in a database or in a transaction. Strings come back as they were given, whatever bytes they have.
type Conn interface {
	// Exec returns how many rows the statement changed.
	Exec(ctx context.Context, query string, args ...any) (changed int64, err error)
	Query(ctx context.Context, query string, args ...any) (Rows, error)
	QueryRow(ctx context.Context, query string, args ...any) Row
}

// A Row is one row; Scan returns sql.ErrNoRows where there is none.
type Row interface{ Scan(targets ...any) error }

// Rows are the rows of a query.
type Rows interface {
	Row
	Next() bool
	Err() error
	Close() error
}

// A Tx is a Conn in a transaction that writes.
type Tx interface {
	Conn
	// Insert adds rows in one go and returns how many there are now.
	Insert(ctx context.Context, into *Insertion, same []any, rows [][]any) (added int64, err error)
}

// An Engine works with a database and gives errors their codes. It may call what it is given again after an error; what
// that set counts when the Engine returns nil.
type Engine interface {
	// Read calls do with what reads the database, each query by itself.
	Read(ctx context.Context, op string, do func(Conn) error) error
	// View calls do with one view of the database, whatever is written meanwhile.
	View(ctx context.Context, op string, do func(Conn) error) error
	// Alone calls do for a single statement that writes and may be done twice.
	Alone(ctx context.Context, op string, do func(context.Context, Conn) error) error
	// Again does a write, in one transaction, that may be done twice.
	Again(ctx context.Context, op string, do func(context.Context, Tx) error) error
	// Once does a write, in one transaction, that must not be done twice.
	Once(ctx context.Context, op string, do func(context.Context, Tx) error) error
	// Fail gives an error its code.
	Fail(op string, err error) error
}

// Each calls do for every row of a query.
func Each(ctx context.Context, from Conn, query string, do func(scan func(...any) error) error, args ...any) error {
	rows, err := from.Query(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := do(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

// ReadRows returns what read makes of every row of a query, nil where there is none.
func ReadRows[T any](ctx context.Context, from Conn, query string, read func(scan func(...any) error) (T, error),
	args ...any) (all []T, err error) {
	err = Each(ctx, from, query, func(scan func(...any) error) error {
		one, err := read(scan)
		all = append(all, one)
		return err
	}, args...)
	if err != nil {
		return nil, err
	}
	return all, nil
}

// ReadColumn returns the values of a query of one column.
func ReadColumn[T any](ctx context.Context, from Conn, query string, args ...any) ([]T, error) {
	return ReadRows(ctx, from, query, func(scan func(...any) error) (value T, err error) {
		err = scan(&value)
		return value, err
	}, args...)
}

// AnyRow reports, by the error of scanning the row of a query, whether there was one.
func AnyRow(err error) (bool, error) {
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// OrMissing is the error of scanning the row of a query: missing where there was none.
func OrMissing(err, missing error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return missing
	}
	return err
}

// readValue returns what do reads, or nothing where it fails.
func readValue[T any](ctx context.Context, e Engine, op string, do func(Conn) (T, error)) (value T, err error) {
	if err = e.Read(ctx, op, func(from Conn) (err error) {
		value, err = do(from)
		return err
	}); err != nil {
		var none T
		return none, err
	}
	return value, nil
}

// Words put a database's own words in the place of words in braces.
type Words struct {
	words *strings.Replacer
	made  sync.Map // query → query
	kept  atomic.Int32
}

// NewWords takes words in braces, each with what stands for it.
func NewWords(pairs ...string) *Words { return &Words{words: strings.NewReplacer(pairs...)} }

// In returns a query in the words of the database.
func (w *Words) In(query string) string {
	if strings.IndexByte(query, '{') < 0 {
		return query
	}
	if made, ok := w.made.Load(query); ok {
		return made.(string)
	}
	made := w.words.Replace(query)
	if w.kept.Add(1) < 1000 { // those of lists are many
		w.made.Store(query, made)
	}
	return made
}

// An Insertion is a statement that adds many rows to one table.
type Insertion struct {
	Values string   // for one row: the arguments are those that are the same, then the row's
	Arrays string   // for all rows: the arguments are those that are the same, then an array of each column
	Kinds  []string // types of the columns
}

// Into makes an Insertion. All rows have the columns same alike; rows are the others, each with its type in PostgreSQL;
// end follows the values.
func Into(table, same, rows, end string) *Insertion {
	var names, places, fixed, arrays, kinds []string
	for _, column := range strings.Split(same, ", ") {
		name, expression, made := strings.Cut(column, " = ")
		if !made {
			places = append(places, "$"+strconv.Itoa(len(places)+1))
			expression = places[len(places)-1]
		}
		names, fixed = append(names, name), append(fixed, expression)
	}
	values, n := append([]string{}, fixed...), len(places)
	for _, column := range strings.Split(rows, ", ") {
		name, kind, _ := strings.Cut(column, " ")
		n++
		names, kinds = append(names, name), append(kinds, kind)
		values, arrays = append(values, "$"+strconv.Itoa(n)), append(arrays, "$"+strconv.Itoa(n)+"::"+kind+"[]")
	}
	head := "INSERT INTO " + table + " (" + strings.Join(names, ", ") + ") "
	return &Insertion{Values: head + "VALUES (" + strings.Join(values, ", ") + ") " + end, Kinds: kinds,
		Arrays: head + "SELECT " + strings.Join(fixed, ", ") + ", u.* FROM unnest(" + strings.Join(arrays, ", ") +
			") AS u " + end}
}

// Arguments are those of a query under way.
type Arguments []any

// Place adds an argument and returns its place.
func (a *Arguments) Place(value any) string {
	*a = append(*a, value)
	return "$" + strconv.Itoa(len(*a))
}

// Fill puts Arguments in the place of the question marks of a condition.
func (a *Arguments) Fill(condition string, values ...any) string {
	var b strings.Builder
	for _, value := range values {
		before, after, _ := strings.Cut(condition, "?")
		b.WriteString(before + a.Place(value))
		condition = after
	}
	return b.String() + condition
}

// NumberOrMoment is what a value of metadata says, as the columns number and moment have it.
func NumberOrMoment(value string) (number, moment any) {
	if n, ok := metadata.ReadNumber(value); ok {
		return n, nil
	}
	if m, ok := metadata.ReadMoment(value); ok {
		return nil, m
	}
	return nil, nil
}
