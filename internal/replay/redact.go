package replay

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/citewell/citewell/internal/lazyregexp"
)

const redacted = "[redacted]"

// Options say what is secret and how errors are told apart; all but Version are needed, so that nobody forgets one.
type Options struct {
	Redact   func(string) string              // takes out of a text the secrets that are configured
	IsSecret func(header string) bool         // a header of that name may hold a secret
	Classify func(op string, err error) error // gives an error of the network its code
	Version  string                           // of Citewell, for the first line
}

// kept are the headers of a request that are written with their values. Of the others
// the name alone is kept: what they hold is a key more often than not.
var kept = []string{"Accept", "Accept-Encoding", "Accept-Language", "Content-Type", "If-Modified-Since",
	"If-None-Match", "Last-Event-Id", "Mcp-Method", "Mcp-Name", "Mcp-Protocol-Version", "Range", "User-Agent"}

// secretParameter is the name of a value in a query or a form that is a key, a password
// or a signature. It is narrower than a header's: "author" and "keywords" are none.
var secretParameter = lazyregexp.New(
	`(?i)^(?:.*[-_.])?(?:api[-_]?key|key|token|(?:access|auth|bearer|id|refresh|session)token|secret|password|passwd|pwd|auth|appid|sig|signature|credential|sid|session|sessionid)$`)

// In JSON a token is more often a word of a model's than a secret, and a key one of a
// map. The second form is JSON within a string of JSON, as a model writes arguments.
const secretMember = `(?:(?:[a-z]+[-_])?(?:api[-_]?key|apikey|password|passwd|secret)|client[-_]?secret|(?:access|auth|refresh|id|bearer)[-_]?token|authorization)`

var (
	secretJSON   = lazyregexp.New(`(?i)("` + secretMember + `"\s*:\s*")(?:[^"\\]|\\.)*"`)
	secretInside = lazyregexp.New(`(?i)(\\"` + secretMember + `\\"\s*:\s*\\")(?:[^"\\]|\\\\(?:\\["\\]|[^"\\]))*\\"`)
)

// url is u as it is written: without user, fragment and secret values.
func (o Options) url(u *url.URL) string {
	shown := *u
	shown.User, shown.Fragment, shown.RawFragment = nil, "", ""
	shown.RawQuery = withoutSecretPairs(u.RawQuery)
	return o.Redact(shown.String())
}

// withoutSecretPairs is a query or a form without the values that are secret. Nothing
// else of it changes, not even the order.
func withoutSecretPairs(query string) string {
	if query == "" {
		return ""
	}
	pairs := strings.Split(query, "&")
	for i, pair := range pairs {
		name, _, given := strings.Cut(pair, "=")
		plain, err := url.QueryUnescape(name)
		if given && err == nil && secretParameter.MatchString(plain) {
			pairs[i] = name + "=" + url.QueryEscape(redacted)
		}
	}
	return strings.Join(pairs, "&")
}

// sent is the body of a request as it is written.
func (o Options) sent(header http.Header, body []byte) content {
	if len(body) == 0 {
		return content{}
	}
	text := o.Redact(string(body))
	if strings.HasPrefix(header.Get("Content-Type"), "application/x-www-form-urlencoded") {
		text = withoutSecretPairs(text)
	} else {
		text = secretJSON.ReplaceAllString(text, "${1}"+redacted+`"`)
		text = secretInside.ReplaceAllString(text, "${1}"+redacted+`\"`)
	}
	return contentOf([]byte(text))
}

func (o Options) requestHeader(header http.Header) http.Header {
	written := http.Header{}
	for name, values := range header {
		if !slices.Contains(kept, http.CanonicalHeaderKey(name)) {
			written[name] = []string{redacted}
			continue
		}
		for _, value := range values {
			written[name] = append(written[name], o.Redact(value))
		}
	}
	return written
}

// responseHeader leaves out what a site wants to be remembered by. A redirect leads
// where the replay will ask next, so its query is written as that will be.
func (o Options) responseHeader(header http.Header) http.Header {
	written := http.Header{}
	for name, values := range header {
		if o.IsSecret(name) && !counts.MatchString(name) {
			written[name] = []string{redacted}
			continue
		}
		for _, value := range values {
			if http.CanonicalHeaderKey(name) == "Location" {
				if before, query, found := strings.Cut(value, "?"); found {
					value = before + "?" + withoutSecretPairs(query)
				}
			}
			written[name] = append(written[name], o.Redact(value))
		}
	}
	return written
}

// counts are the headers in which model services say how many tokens are left.
var counts = lazyregexp.New(`(?i)^(?:x|anthropic)-ratelimit-`)
