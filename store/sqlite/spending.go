package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/fault"
)

var _ store.Spending = (*Store)(nil)

// keptDays is for how many days it is known what was spent on them.
const keptDays = 7

// spendingDay counts days of UTC since 1970.
func spendingDay(at time.Time) int64 { return at.Unix() / int64(24*time.Hour/time.Second) }

// Spend implements store.Spending.
func (s *Store) Spend(ctx context.Context, caller string, at time.Time, more store.Spent) error {
	const op = "store.spend"
	if caller == "" || len(caller) > store.MaxRunCaller {
		return fault.Invalid(op, "caller must be 1 to %d bytes", store.MaxRunCaller)
	}
	day := spendingDay(at)
	return storeError(op, s.db.writer.Do(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `DELETE FROM spending WHERE tenant = ? AND caller = ? AND day <= ?`, s.tenant, caller, day-keptDays); err != nil {
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
	err = s.db.reads.QueryRowContext(ctx, `SELECT tokens, usd, searches FROM spending WHERE tenant = ? AND caller = ? AND day = ?`, s.tenant, caller, spendingDay(at)).
		Scan(&spent.Tokens, &spent.USD, &spent.Searches)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return spent, storeError("store.spent", err)
}
