package fetch

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/citewell/citewell"
)

// A Request is one page to fetch. The zero value of each limit is web_search's.
type Request struct {
	URL string
	// for everything: robots.txt, waiting, redirects, retry, body; 0 is 6 s, at most MaxTimeout
	Timeout      time.Duration
	MaxBytes     int64 // of the decoded body; 0 is 5 MiB, at most MaxMaxBytes
	MaxRedirects int   // 0 is 3, at most MaxMaxRedirects
	// refuse redirects that leave the registered domain; those of resolvers such as doi.org may
	SameSite       bool
	IgnoreRobots   bool   // for a tool whose caller names the URL, as http_get
	AcceptLanguage string // "" is DefaultAcceptLanguage
	UserAgent      string // "" is the client's; robots.txt is read for our own name whatever it says
	Revalidate     bool   // ask the server whether it still has what the cache has, however fresh that is
	// how long an answer, a refusal too, is used again for the same request, whatever its server says; 0 is RFC 9111
	Keep           time.Duration
	Archived       ArchiveUse    // whether a copy of Options.Archive may take the page's place
	Near           time.Time     // the copy nearest to it; zero is the newest
	ArchiveTimeout time.Duration // for looking up and reading a copy; 0 is what is left of Timeout, at most MaxTimeout
}

// withDefaults fills in what is zero and refuses what is out of range.
func (r Request) withDefaults() (Request, error) {
	r.Timeout = cmp.Or(r.Timeout, DefaultTimeout)
	r.MaxBytes = cmp.Or(r.MaxBytes, DefaultMaxBytes)
	r.MaxRedirects = cmp.Or(r.MaxRedirects, DefaultMaxRedirects)
	switch {
	case r.Timeout < 0 || r.Timeout > MaxTimeout:
		return r, outOfRange("timeout must be between 1ms and %v", MaxTimeout)
	case r.Keep < 0 || r.Keep > maxFresh:
		return r, outOfRange("keep must be between 1ns and %v", maxFresh)
	case r.ArchiveTimeout < 0 || r.ArchiveTimeout > MaxTimeout:
		return r, outOfRange("archive timeout must be between 1ms and %v", MaxTimeout)
	case r.MaxBytes < 0 || r.MaxBytes > MaxMaxBytes:
		return r, outOfRange("max_bytes must be between 1 and %d", MaxMaxBytes)
	case r.MaxRedirects < 0 || r.MaxRedirects > MaxMaxRedirects:
		return r, outOfRange("max_redirects must be between 1 and %d", MaxMaxRedirects)
	}
	if !printable(r.AcceptLanguage) {
		return r, outOfRange("accept_language must be printable ASCII, as in de, en;q=0.8")
	}
	if !printable(r.UserAgent) || len(r.UserAgent) > maxUserAgent {
		return r, outOfRange("user_agent must be printable ASCII of at most %d characters", maxUserAgent)
	}
	return r, nil
}

// maxUserAgent bounds what a caller may call us, in bytes.
const maxUserAgent = 300

func printable(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' })
}

func outOfRange(format string, args ...any) error {
	return &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "fetch.get", Message: fmt.Sprintf(format, args...)}
}
