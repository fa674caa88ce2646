package job

import (
	"fmt"
	"time"
)

// ReadMoment reads a moment from which on, or until which, runs are listed: a time of RFC 3339, or a day, which is its
// first moment in zone. name is what the caller calls it. invalid_argument where it is neither.
func ReadMoment(name, value string, zone *time.Location) (time.Time, error) {
	if day, err := time.ParseInLocation(time.DateOnly, value, zone); err == nil {
		return day, nil
	}
	moment, err := time.Parse(time.RFC3339, value)
	if err != nil {
		return time.Time{}, invalid(fmt.Sprintf("%s is %.60q; it must be a day, such as 2026-03-31, or a time of RFC "+
			"3339, such as 2026-03-31T12:00:00Z", name, value), "")
	}
	return moment, nil
}
