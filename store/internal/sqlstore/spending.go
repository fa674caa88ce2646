package sqlstore

import (
	"context"
	"time"

	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/store/internal/codec"
)

// Spend implements runstore.Spending.
func (s *Store) Spend(ctx context.Context, caller string, at time.Time, more runstore.Spent) error {
	const op = "store.spend"
	day, err := codec.SpendingDay(op, caller, at)
	if err != nil {
		return err
	}
	return s.b.Once(ctx, op, func(ctx context.Context, tx Tx) error {
		if _, err := tx.Exec(ctx, `DELETE FROM spending WHERE tenant = $1 AND caller = $2 AND day <= $3`,
			s.tenant, caller, day-codec.KeptDays); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `INSERT INTO spending AS s (tenant, caller, day, tokens, usd, searches)
			VALUES ($1, $2, $3, $4, $5, $6)
			ON CONFLICT (tenant, caller, day) DO UPDATE
			SET tokens = s.tokens + excluded.tokens, usd = s.usd + excluded.usd, searches = s.searches + excluded.searches`,
			s.tenant, caller, day, more.Tokens, more.USD, more.Searches)
		return err
	})
}

// Spent implements runstore.Spending.
func (s *Store) Spent(ctx context.Context, caller string, at time.Time) (runstore.Spent, error) {
	return readValue(ctx, s.b, "store.spent", func(from Conn) (spent runstore.Spent, err error) {
		err = from.QueryRow(ctx,
			`SELECT tokens, usd, searches FROM spending WHERE tenant = $1 AND caller = $2 AND day = $3`,
			s.tenant, caller, codec.DayOf(at)).
			Scan(&spent.Tokens, &spent.USD, &spent.Searches)
		return spent, OrMissing(err, nil)
	})
}
