package brief

import (
	"slices"
	"strings"

	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/llm"
	"github.com/citewell/citewell/text"
	"golang.org/x/net/publicsuffix"
)

var (
	// A URL ends at a space or at a mark that ends a sentence in Chinese, where no
	// space follows it. Two slashes are one, whatever stands before them.
	urls    = lazyregexp.New(`(?i)(?:[a-z0-9+.-]*:)?//[^\s)\]}>。，、；！？）】」』”]*|mailto:\S*|www\.[^\s)\]}>。，、；！？）】」』”]*`)
	hosts   = lazyregexp.New(`(?:[a-z0-9-]+\.)+[a-z]{2,}(?:[:/][^\s)\]}>。，、；！？）】」』”]*)?|(?:[A-Z0-9-]+\.)+[A-Z]{2,}(?:[:/][^\s)\]}>]*)?`)
	aliases = lazyregexp.New(`(?i)\s*[\[(]*\bS\d+\.p\d+(?:[\s,;&]+(?:and\s+)?S\d+\.p\d+)*\b[\])]*`)
	hollow  = lazyregexp.New(`\s*(?:\[[\s,;]*\]|\([\s,;]*\)|（）|【】)`)
	before  = lazyregexp.New(`\s+([.,;:!?)\]])`)
)

// maxCleaned is how many bytes of one text of a model are looked at.
const maxCleaned = 8 << 10

// clean gives a model's words in one line and without what only code may write:
// URLs, aliases of passages, and the names of hosts that are not among the known
// words. Invisible characters go too.
func clean(s, known string) string {
	s = text.OneLine(llm.Neutralize(strings.ToValidUTF8(text.Prefix(s, maxCleaned), "")))
	known = strings.ToLower(known)
	for { // what is taken out may bring together what makes another
		shorter := urls.ReplaceAllString(s, "")
		shorter = hosts.ReplaceAllStringFunc(shorter, func(host string) string {
			if strings.Contains(known, strings.ToLower(host)) || !isHost(host) {
				return host
			}
			return ""
		})
		shorter = tidy(aliases.ReplaceAllString(shorter, ""))
		if shorter == s {
			return s
		}
		s = shorter
	}
}

// isHost says whether a word with a dot in it ends in a suffix that domains are
// registered under; "Node.js" does not.
func isHost(s string) bool {
	name, path, _ := strings.Cut(strings.ToLower(s), "/")
	name, port, _ := strings.Cut(name, ":")
	suffix, managed := publicsuffix.PublicSuffix(name)
	return path != "" || port != "" || managed && suffix != name
}

// unmarked takes the references to the brief's sources out of a model's statement, in
// whatever notation: what it leans on are the quotes beside it.
func (e *evidence) unmarked(s string) string {
	listed := func(m cite.Reference) string {
		if slices.ContainsFunc(m.Numbers, func(n int) bool { return n > len(e.sources) }) {
			return s[m.Start:m.End]
		}
		return ""
	}
	s = cite.MapMarks(s, listed) // circled numbers: within a sentence Numbered takes them for others
	s = cite.Numbered(s, e.sources)
	return cite.MapMarks(s, listed)
}

// tidy closes the gaps that taking words out leaves.
func tidy(s string) string {
	return text.OneLine(before.ReplaceAllString(hollow.ReplaceAllString(s, ""), "$1"))
}
