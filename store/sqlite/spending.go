package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/codec"
)

var _ store.Spending = (*Store)(nil)

// Spend implements store.Spending.
func (s *Store) Spend(ctx context.Context, caller string, at time.Time, more store.Spent) error {
	const op = "store.spend"
	day, err := codec.SpendingDay(op, caller, at)
	if err != nil {
		return err
	}
	return storeError(op, s.db.writer.Do(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `DELETE FROM spending WHERE tenant = ? AND caller = ? AND day <= ?`, s.tenant, caller, day-codec.KeptDays); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO spending (tenant, caller, day, tokens, usd, searches) VALUES (?, ?, ?, ?, ?, ?)
			ON CONFLICT DO UPDATE SET tokens = tokens + excluded.tokens, usd = usd + excluded.usd, searches = searches + excluded.searches`,
			s.tenant, caller, day, more.Tokens, more.USD, more.Searches)
		return err
	}))
}

// Spent implements store.Spending.
func (s *Store) Spent(ctx context.Context, caller string, at time.Time) (spent store.Spent, err error) {
	err = s.db.reads.QueryRowContext(ctx, `SELECT tokens, usd, searches FROM spending WHERE tenant = ? AND caller = ? AND day = ?`, s.tenant, caller, codec.DayOf(at)).
		Scan(&spent.Tokens, &spent.USD, &spent.Searches)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return spent, storeError("store.spent", err)
}
