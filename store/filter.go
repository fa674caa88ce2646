package store

import (
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/citewell/citewell/internal/fault"
	"github.com/citewell/citewell/internal/metadata"
)

// A Filter is one condition on metadata; of several, all must hold. It has either In
// or a range. What has no such key meets no condition, and so any that is negated.
type Filter struct {
	Key string   `json:"key"`
	In  []string `json:"in,omitempty"` // the value is exactly one of these
	// Min and Max are the ends of a range, both included; an empty one is open. Two
	// numbers compare as numbers; dates (YYYY-MM-DD, YYYY-MM, RFC 3339) as moments in
	// UTC, where a Max without a time of day means the end of that day or month. A
	// value that is not of the ends' kind lies outside.
	Min string `json:"min,omitempty"`
	Max string `json:"max,omitempty"`
	Not bool   `json:"not,omitempty"`
}

// A Range is a Filter's Min and Max as they are compared: numbers as they are, moments as microseconds since 1970.
type Range struct {
	Dates    bool
	Min, Max float64
}

// CheckFilters says which filter is wrong and why.
func CheckFilters(op string, filters []Filter) error {
	if len(filters) > MaxFilters {
		return fault.Invalid(op, "%d filters are given and %d are allowed", len(filters), MaxFilters)
	}
	for _, f := range filters {
		ranged := f.Min != "" || f.Max != ""
		switch {
		case f.Key == "" || len(f.Key) > MaxMetadataKey:
			return fault.Invalid(op, "a filter's key must be 1 to %d bytes", MaxMetadataKey)
		case len(f.In) > MaxFilterValues:
			return fault.Invalid(op, "filter %q has %d values and %d are allowed", f.Key, len(f.In), MaxFilterValues)
		case ranged == (len(f.In) > 0):
			return fault.Invalid(op, "filter %q needs either values (in) or a range (min, max)", f.Key)
		}
		if !ranged {
			continue
		}
		if _, err := f.Range(); err != nil {
			return fault.Invalid(op, "filter %q: %v", f.Key, err)
		}
	}
	return nil
}

// Range reads Min and Max.
func (f Filter) Range() (Range, error) {
	r := Range{Min: math.Inf(-1), Max: math.Inf(1)}
	kinds := 0
	for _, end := range []struct {
		text string
		to   *float64
		last bool
	}{{f.Min, &r.Min, false}, {f.Max, &r.Max, true}} {
		if end.text == "" {
			continue
		}
		if number, ok := metadata.ReadNumber(end.text); ok {
			*end.to = number
			kinds |= 1
			continue
		}
		first, last, ok := metadata.ReadDate(end.text)
		if !ok {
			return Range{}, fmt.Errorf("%q is neither a number nor a date as in 2026-03-01", end.text)
		}
		*end.to = float64(first.UnixMicro())
		if end.last {
			*end.to = float64(last.UnixMicro())
		}
		r.Dates = true
		kinds |= 2
	}
	if kinds == 3 {
		return Range{}, fmt.Errorf("one end is a number and the other a date")
	}
	return r, nil
}

// CheckMetadata says what of metadata cannot be kept.
func CheckMetadata(op string, metadata map[string]string) error {
	if len(metadata) > MaxMetadataKeys {
		return fault.Invalid(op, "metadata has %d keys and %d are allowed", len(metadata), MaxMetadataKeys)
	}
	for key, value := range metadata {
		switch {
		case key == "" || len(key) > MaxMetadataKey:
			return fault.Invalid(op, "a key of metadata must be 1 to %d bytes", MaxMetadataKey)
		case len(value) > MaxMetadataValue:
			return fault.Invalid(op, "metadata %q is %d bytes and %d are allowed", key, len(value), MaxMetadataValue)
		case !utf8.ValidString(key) || !utf8.ValidString(value):
			return fault.Invalid(op, "metadata %q is no valid UTF-8", key)
		}
	}
	return nil
}
