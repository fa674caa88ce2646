package weburl

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// tracking are query parameters that say where a reader came from, beside those that begin with utm_.
var tracking = map[string]bool{
	"fbclid": true, "gclid": true, "gclsrc": true, "dclid": true, "msclkid": true,
	"mc_eid": true, "mc_cid": true, "yclid": true, "_ga": true, "_gl": true,
	"ref_src": true, "ref_url": true, "icid": true,
}

// Canonical returns a key under which spellings of one page's URL are equal: without scheme, www., fragment, trailing
// slashes, tracking and empty parameters, the rest sorted, escapes and dot segments normalised. It is for merging: such
// a URL may not work. What Parse refuses is its own key.
func Canonical(raw string) string {
	u, err := Parse(raw)
	if err != nil {
		return raw
	}
	u.RawPath = normalizeEscapes(u.EscapedPath()) // first, since %2e is a dot of a dot segment
	u = u.ResolveReference(&url.URL{Path: u.Path, RawPath: u.RawPath, RawQuery: u.RawQuery})
	path := strings.TrimRight(u.EscapedPath(), "/")
	path = cmp.Or(path, "/")
	key := withoutWWW(u.Host) + path
	if query := canonicalQuery(u.RawQuery); query != "" {
		key += "?" + query
	}
	return key
}

// canonicalQuery keeps a parameter without "=": for some sites it is the page's number, as in showthread?12345.
func canonicalQuery(query string) string {
	var kept []string
	for param := range strings.SplitSeq(query, "&") {
		name, value, assigned := strings.Cut(param, "=")
		if param == "" || assigned && value == "" {
			continue
		}
		lower := strings.ToLower(name)
		if strings.HasPrefix(lower, "utm_") || tracking[lower] {
			continue
		}
		kept = append(kept, normalizeEscapes(strings.ReplaceAll(param, "+", "%20")))
	}
	slices.Sort(kept)
	return strings.Join(kept, "&")
}

// normalizeEscapes undoes escapes of unreserved characters and writes others in upper case (RFC 3986, section 6.2.2).
func normalizeEscapes(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		octet, escaped := Escape(s[i:])
		switch {
		case !escaped:
			out.WriteByte(s[i])
			continue
		case IsUnreserved(octet):
			out.WriteByte(octet)
		default:
			out.WriteString(strings.ToUpper(s[i : i+3]))
		}
		i += 2
	}
	return out.String()
}

// Escape reads the %XX that s begins with.
func Escape(s string) (octet byte, ok bool) {
	if len(s) < 3 || s[0] != '%' {
		return 0, false
	}
	n, err := strconv.ParseUint(s[1:3], 16, 8)
	return byte(n), err == nil
}

// IsUnreserved says whether a character stands for itself everywhere in a URL (RFC 3986, section 2.3).
func IsUnreserved(b byte) bool {
	return '0' <= b && b <= '9' || 'a' <= b|0x20 && b|0x20 <= 'z' || strings.IndexByte("-._~", b) >= 0
}
