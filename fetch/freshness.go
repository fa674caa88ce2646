package fetch

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Limits on how long an answer is kept, whatever its server says.
const (
	maxFresh = 24 * time.Hour     // used without asking the server again
	maxStale = 7 * 24 * time.Hour // kept beyond that, to ask "has it changed?"
)

// freshness decides by RFC 9111 whether an answer may be kept, and until when it is used without asking again. The
// cache is a shared one: s-maxage counts and a private answer is not kept. Without word from the server an answer that
// is worth keeping stays fresh for fallback, a redirect only if it is permanent. The request left at asked, its answer
// began at came.
func freshness(status int, header http.Header, asked, came time.Time,
	fallback time.Duration) (until time.Time, keep bool) {
	cc := cacheControl(header)
	if cc.has("no-store") || cc.has("private") || varies(header) {
		return time.Time{}, false
	}
	lasting := false
	switch status {
	case http.StatusOK, http.StatusMovedPermanently, http.StatusPermanentRedirect:
		lasting = true
	case http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect:
	default:
		return time.Time{}, false
	}
	lifetime, explicit := lifetimeOf(header, cc, came)
	if !explicit {
		if !lasting {
			return time.Time{}, false
		}
		lifetime = fallback
	}
	if cc.has("no-cache") {
		lifetime = 0
	}
	if explicit {
		lifetime -= ageOf(header, asked, came)
	}
	lifetime = min(max(lifetime, 0), maxFresh)
	return came.Add(lifetime), lifetime > 0 || hasValidator(header)
}

// lifetimeOf returns what the server itself says, if it does.
func lifetimeOf(header http.Header, cc directives, came time.Time) (time.Duration, bool) {
	for _, name := range []string{"s-maxage", "max-age"} {
		if cc.has(name) {
			return cc.seconds(name), true
		}
	}
	if expires := header.Get("Expires"); expires != "" {
		until, err := http.ParseTime(expires)
		if err != nil {
			return 0, true // "0" and the like mean already expired
		}
		return until.Sub(dateOf(header, came)), true
	}
	if cc.has("no-cache") || strings.EqualFold(header.Get("Pragma"), "no-cache") {
		return 0, true
	}
	return 0, false
}

// ageOf returns how old the answer already was when it came (section 4.2.3).
func ageOf(header http.Header, asked, came time.Time) time.Duration {
	var age time.Duration
	if seconds, ok := deltaSeconds(header.Get("Age")); ok {
		age = seconds + came.Sub(asked)
	}
	return max(age, came.Sub(dateOf(header, came)), 0)
}

func dateOf(header http.Header, came time.Time) time.Time {
	if date, err := http.ParseTime(header.Get("Date")); err == nil {
		return date
	}
	return came
}

func hasValidator(header http.Header) bool {
	return header.Get("ETag") != "" || header.Get("Last-Modified") != ""
}

// varies says whether the answer depends on more than what the cache's key holds: the headers that we always send.
func varies(header http.Header) bool {
	for _, line := range header.Values("Vary") {
		for name := range strings.SplitSeq(line, ",") {
			if strings.TrimSpace(name) == "*" {
				return true
			}
		}
	}
	return false
}

// directives are the parts of Cache-Control by lower-case name.
type directives map[string]string

func cacheControl(header http.Header) directives {
	found := make(directives)
	for _, line := range header.Values("Cache-Control") {
		for part := range strings.SplitSeq(line, ",") {
			name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
			name = strings.ToLower(strings.TrimSpace(name))
			if _, twice := found[name]; !twice && name != "" {
				found[name] = strings.Trim(strings.TrimSpace(value), `"`)
			}
		}
	}
	return found
}

func (d directives) has(name string) bool {
	_, ok := d[name]
	return ok
}

// seconds reads a directive's value; what is no number means already stale.
func (d directives) seconds(name string) time.Duration {
	value, _ := deltaSeconds(d[name])
	return value
}

// deltaSeconds reads a count of seconds, cut to a year so that it cannot overflow.
func deltaSeconds(s string) (time.Duration, bool) {
	const year = 365 * 24 * 60 * 60
	if s == "" || strings.Trim(s, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n > year {
		n = year
	}
	return time.Duration(n) * time.Second, true
}
