package weburl

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citewell/citewell"
	"golang.org/x/net/idna"
)

// MaxLength is the longest URL that Parse takes, in bytes.
const MaxLength = 8192

// hosts maps a host name to the ASCII form that is looked up. checkName judges hyphens and underscores, which strict
// rules refuse.
var hosts = idna.New(
	idna.MapForLookup(),
	idna.BidiRule(),
	idna.Transitional(false),
	idna.CheckHyphens(false),
	idna.StrictDomainName(false),
)

// Parse is the one parser that decides whether a string from outside may be fetched. It takes an absolute http or https
// URL with a host and nothing that two programs could read differently: no userinfo, no opaque form, no control
// character, space or backslash, no number for a host but a plain dotted IPv4 address, no zone. The host comes back in
// lower-case ASCII without a trailing dot, the port without leading zeros and the scheme's own: what was judged is what
// is dialled.
func Parse(raw string) (*url.URL, error) {
	if strings.TrimSpace(raw) == "" {
		return nil, refuse(citewell.CodeInvalidArgument, "url is required",
			"give an absolute URL, as in https://example.com/page")
	}
	if err := checkScheme(raw); err != nil {
		return nil, err
	}
	if err := checkBytes(raw); err != nil {
		return nil, err
	}
	u, err := url.Parse(raw)
	if err != nil {
		// The parser's own text quotes pieces of the URL, a password among them.
		return nil, invalid("url cannot be parsed: its host, port or an escape is malformed", "")
	}
	switch {
	case u.User != nil:
		return nil, invalid("url holds credentials", "leave out everything before the @ in the host part")
	case u.Opaque != "" || u.Host == "":
		return nil, invalid("url has no host", "write two slashes after the scheme, as in https://example.com/page")
	}
	host, err := parseHost(u.Hostname(), strings.HasPrefix(u.Host, "["))
	if err != nil {
		return nil, err
	}
	port, err := parsePort(u)
	if err != nil {
		return nil, err
	}
	u.Host = host + port
	u.RawQuery = escapeQuery(u.RawQuery)
	return u, nil
}

// checkScheme looks at the bytes before the first colon first: file:, javascript: and the like get their own answer.
func checkScheme(raw string) error {
	const missing = "url has no scheme"
	scheme, rest, found := strings.Cut(raw, ":")
	if !found || !isScheme(scheme) || strings.Contains(scheme, ".") || looksLikePort(rest) {
		return invalid(missing, "put https:// in front of it")
	}
	if !strings.EqualFold(scheme, "http") && !strings.EqualFold(scheme, "https") {
		return refuse(citewell.CodeUnsupportedScheme, "only http and https URLs are fetched", "")
	}
	return nil
}

func isScheme(s string) bool {
	for i, r := range []byte(s) {
		letter := 'a' <= r|0x20 && r|0x20 <= 'z'
		other := '0' <= r && r <= '9' || r == '+' || r == '-' || r == '.'
		if !letter && (i == 0 || !other) {
			return false
		}
	}
	return s != ""
}

// looksLikePort recognises what follows the colon in localhost:8080/page.
func looksLikePort(rest string) bool {
	digits, _, _ := strings.Cut(rest, "/")
	return digits != "" && strings.Trim(digits, "0123456789") == ""
}

func checkBytes(raw string) error {
	switch {
	case len(raw) > MaxLength:
		return invalid("url is longer than "+strconv.Itoa(MaxLength)+" bytes", "")
	case !utf8.ValidString(raw):
		return invalid("url is not valid UTF-8", "")
	case strings.ContainsRune(raw, '\\'):
		return invalid("url holds a backslash", "write / or %5C")
	case strings.ContainsFunc(raw, func(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) }):
		return invalid("url holds a space or a control character", "escape a space as %20")
	}
	return nil
}

// parseHost returns the host as it goes into url.URL.Host: brackets around an IPv6 address only.
func parseHost(host string, bracketed bool) (string, error) {
	if bracketed {
		addr, err := netip.ParseAddr(host)
		if err != nil || !addr.Is6() || addr.Zone() != "" {
			return "", invalid("url has a malformed IPv6 address or a zone for its host", "")
		}
		return "[" + addr.String() + "]", nil
	}
	name, err := hosts.ToASCII(host)
	if err != nil || !utf8.ValidString(host) || !isStable(name) {
		return "", invalid("url has a malformed host name", "")
	}
	name = strings.TrimSuffix(strings.ToLower(name), ".")
	if isNumeric(name) {
		addr, err := netip.ParseAddr(name)
		if err != nil || !addr.Is4() {
			return "", invalid("url has a number for its host", "write an IPv4 address as four decimal numbers, as "+
				"in 192.0.2.1")
		}
		return addr.String(), nil
	}
	if !isName(name) {
		return "", invalid("url has a malformed host name", "")
	}
	return name, nil
}

// isStable reports whether a mapped name maps to itself, or else the next program would read another host.
func isStable(name string) bool {
	if !strings.Contains(name, "xn--") {
		return true
	}
	again, err := hosts.ToASCII(name)
	return err == nil && again == name
}

// isNumeric follows the WHATWG rule: a name whose last label is a decimal or 0x number is an address.
func isNumeric(name string) bool {
	last := name[strings.LastIndexByte(name, '.')+1:]
	if hex, ok := strings.CutPrefix(last, "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return last != "" && strings.Trim(last, "0123456789") == ""
}

// isName accepts the letters, digits, hyphens and underscores that names in use are made of, with DNS's lengths.
func isName(name string) bool {
	if len(name) > 253 {
		return false
	}
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || len(label) > 63 {
			return false
		}
		for _, b := range []byte(label) {
			if !('a' <= b && b <= 'z' || '0' <= b && b <= '9' || b == '-' || b == '_') {
				return false
			}
		}
	}
	return true
}

// parsePort returns ":8080", or nothing for the scheme's own port.
func parsePort(u *url.URL) (string, error) {
	raw := u.Port()
	if raw == "" {
		return "", nil
	}
	port, err := strconv.ParseUint(raw, 10, 16)
	if err != nil || port == 0 {
		return "", invalid("url has a port outside 1..65535", "")
	}
	text := strconv.FormatUint(port, 10)
	if text == defaultPort(u.Scheme) {
		return "", nil
	}
	return ":" + text, nil
}

func defaultPort(scheme string) string {
	if scheme == "https" {
		return "443"
	}
	return "80"
}

// escapeQuery escapes what net/url leaves as it is in a query, so that the request line stays ASCII.
func escapeQuery(query string) string {
	const hex = "0123456789ABCDEF"
	bad := func(b byte) bool { return b > 0x7e || b == '"' || b == '<' || b == '>' }
	if !strings.ContainsFunc(query, func(r rune) bool { return r > 0x7e || bad(byte(r)) }) {
		return query
	}
	var out strings.Builder
	for _, b := range []byte(query) {
		if bad(b) {
			out.Write([]byte{'%', hex[b>>4], hex[b&15]})
		} else {
			out.WriteByte(b)
		}
	}
	return out.String()
}

func invalid(message, hint string) error { return refuse(citewell.CodeInvalidURL, message, hint) }

func refuse(code citewell.Code, message, hint string) error {
	return &citewell.Error{Code: code, Op: "url", Message: message, Hint: hint}
}
