package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"strconv"
	"strings"

	"github.com/citewell/citewell/store/internal/fulltext"
)

// A querier is a pool or a transaction.
type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// each calls do for every row of a query.
func each(ctx context.Context, from querier, query string, do func(scan func(...any) error) error, args ...any) error {
	rows, err := from.QueryContext(ctx, query, args...)
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

// readRows returns what read makes of every row of a query, nil where there is none.
func readRows[T any](ctx context.Context, from querier, query string, read func(scan func(...any) error) (T, error), args ...any) (all []T, err error) {
	err = each(ctx, from, query, func(scan func(...any) error) error {
		one, err := read(scan)
		all = append(all, one)
		return err
	}, args...)
	if err != nil {
		return nil, err
	}
	return all, nil
}

// readColumn returns the values of a query of one column.
func readColumn[T any](ctx context.Context, from querier, query string, args ...any) ([]T, error) {
	return readRows(ctx, from, query, func(scan func(...any) error) (value T, err error) {
		err = scan(&value)
		return value, err
	}, args...)
}

// anyRow says, by the error of scanning the row of a query, whether there was one.
func anyRow(err error) (bool, error) {
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// orMissing is the error of scanning the row of a query: missing where there was none.
func orMissing(err, missing error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return missing
	}
	return err
}

// affected returns how many rows a statement changed.
func affected(result sql.Result, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// oneOf is the condition that column has one of values, none where there are none.
func oneOf[T any](column string, values []T) (condition string, args []any) {
	if len(values) == 0 {
		return "", nil
	}
	for _, value := range values {
		args = append(args, value)
	}
	return ` AND ` + column + ` IN (?` + strings.Repeat(`, ?`, len(values)-1) + `)`, args
}

// preparing parses statements once, for all the time that a store is open.
type preparing []*sql.Stmt

func (p *preparing) prepare(ctx context.Context, db *sql.DB, statements map[**sql.Stmt]string) (err error) {
	for target, statement := range statements {
		if *target, err = db.PrepareContext(ctx, statement); err != nil {
			return err
		}
		*p = append(*p, *target)
	}
	return nil
}

func (p preparing) Close() error {
	var errs []error
	for _, statement := range p {
		errs = append(errs, statement.Close())
	}
	return errors.Join(errs...)
}

// readIDs returns the ids that a query of one column gives, in no order. They come as one
// row: of many, a row each takes most of the time.
func readIDs(ctx context.Context, from querier, query string, args ...any) ([]int64, error) {
	var list string
	err := from.QueryRowContext(ctx, `SELECT coalesce(group_concat(id, ' '), '') FROM (SELECT 0 AS id WHERE 0 UNION ALL `+query+`)`, args...).Scan(&list)
	if err != nil || list == "" {
		return nil, err
	}
	ids := make([]int64, 0, strings.Count(list, " ")+1)
	for field := range strings.SplitSeq(list, " ") {
		id, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

func readIDSet(ctx context.Context, from querier, query string, args ...any) (fulltext.IDs, error) {
	ids, err := readIDs(ctx, from, query, args...)
	return fulltext.NewIDs(ids), err
}
