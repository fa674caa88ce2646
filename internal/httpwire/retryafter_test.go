package httpwire_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/citewell/citewell/internal/httpwire"
)

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	tests := []struct {
		name   string
		header map[string]string
		want   time.Duration
	}{
		{"says_nothing", nil, 0},
		{"seconds", map[string]string{"Retry-After": "120"}, 2 * time.Minute},
		{"fraction", map[string]string{"Retry-After": " 0.5 "}, 500 * time.Millisecond},
		{"http_date", map[string]string{"Retry-After": "Sun, 01 Mar 2026 12:00:30 GMT"}, 30 * time.Second},
		{"old_date_form", map[string]string{"Retry-After": "Sunday, 01-Mar-26 12:00:30 GMT"}, 30 * time.Second},
		{"date_has_passed", map[string]string{"Retry-After": "Sun, 01 Mar 2026 11:00:00 GMT"}, 0},
		{"negative", map[string]string{"Retry-After": "-5"}, 0},
		{"huge", map[string]string{"Retry-After": "99999999999999999999"}, 31 * 24 * time.Hour},
		{"thirty_years", map[string]string{"Retry-After": "1000000000"}, 31 * 24 * time.Hour},
		{"unix_time", map[string]string{"Retry-After": "1772366410"}, 10 * time.Second},
		{"unix_time_has_passed", map[string]string{"Retry-After": "1772366390"}, 0},
		{"unix_time_has_passed_days_ago", map[string]string{"Retry-After": "1772100000"}, 0},
		{"unix_time_has_passed_years_ago", map[string]string{"Retry-After": "1500000000"}, 0},
		{"before_any_server_of_today", map[string]string{"Retry-After": "1499999999"}, 31 * 24 * time.Hour},
		{"reset_has_passed_long_ago", map[string]string{"X-RateLimit-Reset": "1000000000"}, 0},
		{"not_a_number", map[string]string{"Retry-After": "NaN"}, 0},
		{"infinite", map[string]string{"Retry-After": "Inf"}, 0},
		{"words", map[string]string{"Retry-After": "soon"}, 0},
		{"words_fall_back_to_reset", map[string]string{"Retry-After": "soon", "X-RateLimit-Reset": "7"},
			7 * time.Second},
		{"reset_in_seconds", map[string]string{"X-RateLimit-Reset": "7"}, 7 * time.Second},
		{"reset_of_the_draft", map[string]string{"RateLimit-Reset": "9"}, 9 * time.Second},
		{"reset_as_unix_time", map[string]string{"X-RateLimit-Reset": "1772366410"}, 10 * time.Second},
		{"reset_as_unix_milliseconds", map[string]string{"X-RateLimit-Reset": "1772366410500"},
			10500 * time.Millisecond},
		{"second_window_open_first_exhausted", map[string]string{
			"X-RateLimit-Reset": "1, 1419704", "X-RateLimit-Remaining": "0, 900"}, time.Second},
		{"month_exhausted", map[string]string{
			"X-RateLimit-Reset": "1, 1419704", "X-RateLimit-Remaining": "1, 0"}, 1419704 * time.Second},
		{"second_window_has_no_limit", map[string]string{
			"X-RateLimit-Reset": "1, 1419704", "X-RateLimit-Remaining": "0, 0", "X-RateLimit-Limit": "50, 0"},
			time.Second},
		{"windows_without_remaining", map[string]string{"X-RateLimit-Reset": "2, 1419704"}, 2 * time.Second},
		{"retry_after_wins", map[string]string{"Retry-After": "3", "X-RateLimit-Reset": "70"}, 3 * time.Second},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			h := http.Header{}
			for name, value := range test.header {
				h.Set(name, value)
			}
			if got := httpwire.RetryAfter(h, now); got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

func FuzzRetryAfter(f *testing.F) {
	f.Add("120", "1, 1419704", "0, 900")
	f.Add("Sun, 01 Mar 2026 12:00:30 GMT", "", "")
	f.Add("1e308", "-1e308,,", ",0")
	f.Fuzz(func(t *testing.T, after, reset, remaining string) {
		h := http.Header{}
		h.Set("Retry-After", after)
		h.Set("X-RateLimit-Reset", reset)
		h.Set("X-RateLimit-Remaining", remaining)
		if wait := httpwire.RetryAfter(h, time.Now()); wait < 0 || wait > 31*24*time.Hour {
			t.Errorf("%q %q %q: a wait of %v", after, reset, remaining, wait)
		}
	})
}
