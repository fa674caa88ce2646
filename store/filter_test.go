package store

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell"
)

func micros(s string) float64 {
	at, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		panic(err)
	}
	return float64(at.UnixMicro())
}

func TestFilterRange(t *testing.T) {
	open := math.Inf(1)
	tests := []struct {
		min, max string
		want     Range
		wrong    string
	}{
		{"1", "", Range{Min: 1, Max: open}, ""},
		{"-2.5", "1e3", Range{Min: -2.5, Max: 1000}, ""},
		{"", "2026", Range{Min: -open, Max: 2026}, ""},
		{"2026-03-01", "2026-03-01", Range{Dates: true, Min: micros("2026-03-01T00:00:00Z"),
			Max: micros("2026-03-01T23:59:59.999999Z")}, ""},
		{"", "2024-02", Range{Dates: true, Min: -open, Max: micros("2024-02-29T23:59:59.999999Z")}, ""},
		{"2026-03-01T10:00:00+02:00", "", Range{Dates: true, Min: micros("2026-03-01T08:00:00Z"), Max: open}, ""},
		{"soon", "", Range{}, "neither a number nor a date"},
		{"NaN", "", Range{}, "neither"},
		{"0x10", "", Range{}, "neither"},
		{"1", "2026-03-01", Range{}, "one end is a number"},
	}
	for _, test := range tests {
		got, err := Filter{Key: "k", Min: test.min, Max: test.max}.Range()
		if test.wrong == "" && (err != nil || got != test.want) {
			t.Errorf("%q to %q is %+v (%v), want %+v", test.min, test.max, got, err, test.want)
		}
		if test.wrong != "" && (err == nil || !strings.Contains(err.Error(), test.wrong)) {
			t.Errorf("%q to %q gives %v, want an error with %q", test.min, test.max, err, test.wrong)
		}
	}
}

func TestCheckFilters(t *testing.T) {
	good := []Filter{{Key: "a", In: []string{"", "x"}}, {Key: "b", Min: "1", Not: true}}
	if err := CheckFilters("op", good); err != nil {
		t.Error(err)
	}
	for _, bad := range [][]Filter{{{}}, {{Key: "a"}}, {{Key: "a", In: []string{"x"}, Min: "1"}},
		{{Key: "a", Max: "then"}},
		{{Key: strings.Repeat("k", 200), Min: "1"}}, {{Key: "a", In: make([]string, 300)}}, make([]Filter, 17)} {
		if err := CheckFilters("op", bad); citewell.CodeOf(err) != citewell.CodeInvalidArgument {
			t.Errorf("%+.60v gives %v, want invalid_argument", bad, err)
		}
	}
}
