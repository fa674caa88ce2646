package watch

import (
	"fmt"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/runstore"
)

// DefaultEvery is from one round to the next where nobody says, as ParseEvery reads it.
const DefaultEvery = "1d"

// units are those that ParseEvery reads, the longest first; time.ParseDuration knows no days.
var units = []struct {
	name string
	long time.Duration
}{{"w", 7 * 24 * time.Hour}, {"d", 24 * time.Hour}, {"h", time.Hour}, {"m", time.Minute}}

// ParseEvery reads the time from one round to the next: 90m, 12h, 1d or 2w. invalid_argument
// where it is none, below runstore.MinWatchEvery or above runstore.MaxWatchEvery.
func ParseEvery(s string) (time.Duration, error) {
	every, err := time.ParseDuration(s)
	for _, unit := range units[:2] {
		if n, ok := strings.CutSuffix(s, unit.name); ok {
			every, err = time.ParseDuration(n + "h")
			if every <= runstore.MaxWatchEvery { // what is longer is refused below, and has no room to grow
				every *= unit.long / time.Hour
			}
		}
	}
	if err != nil || every < runstore.MinWatchEvery || every > runstore.MaxWatchEvery {
		return 0, &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "watch",
			Message: fmt.Sprintf("every is %.40q; it must be a time from %s to %s", s, InWords(runstore.MinWatchEvery),
				InWords(runstore.MaxWatchEvery)), Hint: "as in 90m, 12h, 1d or 2w"}
	}
	return every.Round(time.Millisecond), nil
}

// Every is the time from one round to the next, as ParseEvery reads it.
func (w Watch) Every() string { return InWords(time.Duration(w.EverySeconds) * time.Second) }

// InWords is a time as ParseEvery reads it.
func InWords(every time.Duration) string {
	for _, unit := range units {
		if every%unit.long == 0 {
			return fmt.Sprint(int64(every/unit.long), unit.name)
		}
	}
	return every.String()
}
