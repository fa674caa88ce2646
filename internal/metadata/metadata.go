// Package metadata reads values of metadata as numbers and as moments, for filters.
//
// Units: microseconds since 1970. Errors: none; what cannot be read says false.
package metadata

import (
	"strconv"
	"strings"
	"time"
)

// ReadNumber reads a metadata value as a decimal number.
func ReadNumber(value string) (float64, bool) {
	if value == "" || len(value) > 64 || strings.Trim(value, "0123456789+-.eE") != "" {
		return 0, false
	}
	number, err := strconv.ParseFloat(value, 64)
	return number, err == nil
}

// ReadMoment reads a metadata value as a date or a moment, in microseconds since
// 1970; a date is its first one.
func ReadMoment(value string) (int64, bool) {
	first, _, ok := ReadDate(value)
	return first.UnixMicro(), ok
}

// ReadDate returns the first and the last microsecond that value means.
func ReadDate(value string) (first, last time.Time, ok bool) {
	if len(value) < len("2006-01") || len(value) > len("2006-01-02T15:04:05.999999999+00:00") {
		return first, last, false
	}
	for _, form := range []struct {
		layout       string
		months, days int
	}{{time.DateOnly, 0, 1}, {"2006-01", 1, 0}, {time.RFC3339Nano, 0, 0}, {time.DateTime, 0, 0}} {
		if at, err := time.Parse(form.layout, value); err == nil {
			at = at.UTC()
			if form.months+form.days == 0 {
				return at, at, true
			}
			return at, at.AddDate(0, form.months, form.days).Add(-time.Microsecond), true
		}
	}
	return first, last, false
}
