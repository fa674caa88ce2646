package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"strings"
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
