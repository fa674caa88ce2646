package httpwire

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// longestWait bounds what RetryAfter reports, so that no header can overflow a duration; callers cap far lower.
const longestWait = 31 * 24 * time.Hour

// RetryAfter reads how long a server asks its caller to wait: Retry-After in seconds or as an HTTP date, or the
// X-RateLimit-Reset or RateLimit-Reset of an exhausted window: seconds from now, or a Unix time in seconds or
// milliseconds. Of several windows, separated by commas, those with nothing remaining count; one whose
// X-RateLimit-Limit is 0 has no limit. It is 0 when the headers do not say, or say a time that has passed, as some have
// since 2017.
func RetryAfter(h http.Header, now time.Time) time.Duration {
	if value := strings.TrimSpace(h.Get("Retry-After")); value != "" {
		if wait, ok := secondsFromNow(value, now); ok {
			if n, _ := strconv.ParseFloat(value, 64); n >= firstUnixTime && n < firstCredible {
				return longestWait // no clock is so far off: they are seconds, if absurd ones
			}
			return wait
		}
		if at, err := http.ParseTime(value); err == nil {
			return clampWait(at.Sub(now))
		}
	}
	for _, prefix := range []string{"X-RateLimit-", "RateLimit-"} {
		if wait := resetWait(h.Get(prefix+"Reset"), h.Get(prefix+"Remaining"), h.Get(prefix+"Limit"), now); wait > 0 {
			return wait
		}
	}
	return 0
}

// resetWait reads the windows of a rate limit: the longest of the exhausted ones, or the first if none is known to be.
func resetWait(reset, remaining, limit string, now time.Time) time.Duration {
	if reset == "" {
		return 0
	}
	left, limits := strings.Split(remaining, ","), strings.Split(limit, ",")
	isZero := func(values []string, i int) bool { return i < len(values) && strings.TrimSpace(values[i]) == "0" }
	var longest, first time.Duration
	exhausted := false
	for i, value := range strings.Split(reset, ",") {
		wait, ok := secondsFromNow(strings.TrimSpace(value), now)
		if !ok {
			continue
		}
		if i == 0 {
			first = wait
		}
		if isZero(left, i) && !isZero(limits, i) {
			exhausted = true
			longest = max(longest, wait)
		}
	}
	if exhausted {
		return longest
	}
	return first
}

// From these numbers on one is a Unix time: a wait would have 31 years.
const firstUnixTime, firstUnixMilli = 1e9, 1e12

// firstCredible is the Unix time of July 2017: no server of today means an earlier one.
const firstCredible = 1.5e9

// secondsFromNow reads a number of seconds, or a Unix time where the number is too large to be a wait.
func secondsFromNow(value string, now time.Time) (time.Duration, bool) {
	n, err := strconv.ParseFloat(value, 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return 0, false
	}
	switch {
	case n >= firstUnixMilli:
		n = n/1000 - float64(now.Unix())
	case n >= firstUnixTime:
		n -= float64(now.Unix())
	}
	return clampWait(time.Duration(min(n, longestWait.Seconds()) * float64(time.Second))), true
}

func clampWait(d time.Duration) time.Duration { return min(max(d, 0), longestWait) }
