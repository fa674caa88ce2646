package codec

import (
	"time"

	"github.com/citewell/citewell/internal/fault"
	"github.com/citewell/citewell/internal/runstore"
)

// KeptDays is for how many days it is known what was spent on them.
const KeptDays = 7

// DayOf counts days of UTC since 1970.
func DayOf(at time.Time) int64 { return at.Unix() / int64(24*time.Hour/time.Second) }

// SpendingDay is the day of a time on which a caller has spent something.
func SpendingDay(op, caller string, at time.Time) (int64, error) {
	if caller == "" || len(caller) > runstore.MaxRunCaller {
		return 0, fault.Invalid(op, "caller must be 1 to %d bytes", runstore.MaxRunCaller)
	}
	return DayOf(at), nil
}
