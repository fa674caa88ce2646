package fetch

import (
	"bytes"
	"cmp"
	"fmt"
	"net/url"
	"strings"
	"unicode"

	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/weburl"
)

// productToken is what robots.txt files address us by, whatever the User-Agent header says.
const productToken = "Citewell"

// maxRobotsBytes is how much of a robots.txt is read; RFC 9309 section 2.5 asks for at least 500 KiB.
const maxRobotsBytes = 500 << 10

// robotsRules is the group, or the merged groups, of a robots.txt that concern us. The zero value allows everything.
type robotsRules struct {
	rules []robotsRule
}

// A robotsRule is one Allow or Disallow line.
type robotsRule struct {
	allow   bool
	pattern string // normalised; a trailing $ anchors it, every * is a wildcard
	line    int    // from 1
	text    string // the line as it stands in the file, for messages
}

// String names the rule for an error message. The file is a stranger's, so the text is quoted and cut.
func (r robotsRule) String() string {
	shown := strings.Map(func(c rune) rune {
		if !unicode.IsPrint(c) {
			return unicode.ReplacementChar
		}
		return c
	}, r.text)
	return fmt.Sprintf("line %d: %s", r.line, text.Shorten(shown, 120))
}

// parseRobots reads a robots.txt as RFC 9309 section 2.2 has it. Lines that are not understood, and rules before the
// first group, count for nothing. The groups that name our product token are merged, else those for "*". Other records
// (Sitemap, Crawl-delay) do not end a group's head.
func parseRobots(body []byte) robotsRules {
	if len(body) > maxRobotsBytes {
		// Half a rule could forbid or allow more than the whole one.
		body = body[:maxRobotsBytes]
		body = body[:bytes.LastIndexAny(body, "\r\n")+1]
	}
	body = bytes.TrimPrefix(body, []byte("\xef\xbb\xbf"))

	var ours, everyones []robotsRule
	named := false                // a group names our token
	forUs, forAll := false, false // who the present group addresses
	inRules := true               // the next User-agent line begins a new group
	for number, line := range robotsLines(body) {
		field, value, ok := robotsRecord(line)
		if !ok {
			continue
		}
		switch field {
		case "user-agent":
			if inRules {
				forUs, forAll, inRules = false, false, false
			}
			switch agent := productOf(value); {
			case agent == "*":
				forAll = true
			case strings.EqualFold(agent, productToken):
				forUs, named = true, true
			}
		case "allow", "disallow":
			inRules = true
			if !forUs && !forAll || !validPattern(value) {
				continue
			}
			rule := robotsRule{
				allow:   field == "allow",
				pattern: normalizePattern(value),
				line:    number,
				text:    strings.TrimSpace(string(line)),
			}
			if forUs {
				ours = append(ours, rule)
			}
			if forAll {
				everyones = append(everyones, rule)
			}
		}
	}
	if named {
		return robotsRules{ours}
	}
	return robotsRules{everyones}
}

// robotsLines yields the lines of a body by number, ended by CR, LF or CRLF.
func robotsLines(body []byte) func(yield func(int, []byte) bool) {
	return func(yield func(int, []byte) bool) {
		for number := 1; len(body) > 0; number++ {
			line, rest := body, []byte(nil)
			if end := bytes.IndexAny(body, "\r\n"); end >= 0 {
				line, rest = body[:end], body[end+1:]
				if body[end] == '\r' && len(rest) > 0 && rest[0] == '\n' {
					rest = rest[1:]
				}
			}
			if !yield(number, line) {
				return
			}
			body = rest
		}
	}
}

// robotsRecord splits a line into its lower-cased field and its value, without comment and space around them.
func robotsRecord(line []byte) (field, value string, ok bool) {
	if comment := bytes.IndexByte(line, '#'); comment >= 0 {
		line = line[:comment]
	}
	before, after, ok := bytes.Cut(line, []byte(":"))
	if !ok {
		return "", "", false
	}
	return strings.ToLower(string(bytes.TrimSpace(before))), string(bytes.TrimSpace(after)), true
}

// productOf returns the product token at the start of a User-agent value, so that "Citewell/2.0 (research)" addresses
// Citewell and "Citewellish" does not; "*" stands for everyone.
func productOf(value string) string {
	if value == "*" || strings.HasPrefix(value, "* ") || strings.HasPrefix(value, "*\t") {
		return "*"
	}
	end := strings.IndexFunc(value, func(c rune) bool {
		return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '-' || c == '_')
	})
	if end < 0 {
		return value
	}
	return value[:end]
}

// validPattern says whether a rule's value is a path pattern. An empty one, as in "Disallow:", matches nothing.
func validPattern(value string) bool {
	return strings.HasPrefix(value, "/") || strings.HasPrefix(value, "*")
}

// disallows returns the rule that forbids u: the one with the longest pattern, and Allow wins a tie (RFC 9309 section
// 2.2.2). robots.txt itself may always be read.
func (r robotsRules) disallows(u *url.URL) (robotsRule, bool) {
	path := normalizePath(u)
	if path == "/robots.txt" {
		return robotsRule{}, false
	}
	best := -1
	for i, rule := range r.rules {
		if best >= 0 {
			longer := len(rule.pattern) - len(r.rules[best].pattern)
			if longer < 0 || longer == 0 && (!rule.allow || r.rules[best].allow) {
				continue
			}
		}
		if matchPattern(rule.pattern, path) {
			best = i
		}
	}
	if best < 0 || r.rules[best].allow {
		return robotsRule{}, false
	}
	return r.rules[best], true
}

// matchPattern reports whether a normalised pattern matches the start of a normalised path. Each literal between
// wildcards is taken at its first place, so the work is linear.
func matchPattern(pattern, path string) bool {
	pattern, anchored := strings.CutSuffix(pattern, "$")
	literal, rest, wild := strings.Cut(pattern, "*")
	if !strings.HasPrefix(path, literal) {
		return false
	}
	path = path[len(literal):]
	for wild {
		literal, rest, wild = strings.Cut(rest, "*")
		if anchored && !wild {
			return strings.HasSuffix(path, literal)
		}
		at := strings.Index(path, literal)
		if at < 0 {
			return false
		}
		path = path[at+len(literal):]
	}
	return !anchored || path == ""
}

// normalizePath gives the path and query of u in the form that patterns are compared with, * and $ escaped.
func normalizePath(u *url.URL) string {
	path := u.EscapedPath()
	path = cmp.Or(path, "/")
	if u.RawQuery != "" || u.ForceQuery {
		path += "?" + u.RawQuery
	}
	return normalizeOctets(path, func(byte, int) bool { return false })
}

// normalizePattern does for a rule's value what normalizePath does for a URL, but for its wildcards and its end anchor.
func normalizePattern(value string) string {
	last := len(value) - 1
	value = normalizeOctets(value, func(c byte, at int) bool { return c == '*' || c == '$' && at == last })
	var out strings.Builder
	for i := range len(value) {
		if value[i] == '*' && i > 0 && value[i-1] == '*' {
			continue
		}
		out.WriteByte(value[i])
	}
	return out.String()
}

// normalizeOctets makes equal what RFC 9309 section 2.2.2 calls equal: it undoes escapes of unreserved characters, in
// the query those of ":", "/", "?" and "@" too, and escapes what may not stand there, and * and $ unless special, with
// upper-case digits.
func normalizeOctets(s string, special func(c byte, at int) bool) string {
	var out strings.Builder
	out.Grow(len(s))
	query := false
	for i := 0; i < len(s); i++ {
		c := s[i]
		if octet, ok := weburl.Escape(s[i:]); ok {
			if weburl.IsUnreserved(octet) || query && strings.IndexByte(":/?@", octet) >= 0 {
				out.WriteByte(octet)
			} else {
				fmt.Fprintf(&out, "%%%02X", octet)
			}
			i += 2
			continue
		}
		switch {
		case special(c, i):
			out.WriteByte(c)
		case weburl.IsUnreserved(c) || strings.IndexByte("/?:@!&'()+,;=", c) >= 0:
			query = query || c == '?'
			out.WriteByte(c)
		default:
			fmt.Fprintf(&out, "%%%02X", c)
		}
	}
	return out.String()
}
