package brief

import (
	"strings"

	"github.com/citewell/citewell/internal/lazyregexp"
	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"
	"golang.org/x/text/unicode/norm"
)

// What clean can take out of a model's words without hurting them it takes out. The
// rest of what reads as an address, an identifier or a mark of a source, in any
// disguise, makes the whole statement unfit, unless its own sources have it too.
var (
	suspects = []*lazyregexp.Regexp{
		lazyregexp.New(`\b\d{1,3}(?:\.\d{1,3}){3}\b`),
		lazyregexp.New(`(?i)\b(?:doi|arxiv|isbn|issn|pmid|pmcid|urn)\b[\s:]*[\d/a-z.-]*\d[\w./-]*`),
		lazyregexp.New(`(?i)\b(?:javascript|data|file|ftp|tel|magnet):\S+`),
		lazyregexp.New(`(?i)[\[({]\s*(?:\.|dot)\s*[\])}]`),
		lazyregexp.New(`[\[(【]\s*\^?\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*\s*[\])】]`),
		lazyregexp.New(`\[[a-z^!]{0,3}\]`),
		lazyregexp.New(`[\x{2460}-\x{24FF}\x{2776}-\x{2793}\x{3251}-\x{325F}\x{32B1}-\x{32BF}]`),
		lazyregexp.New(`(?:\p{L}{3,}|[.!?”"])\s?[\x{2070}\x{00B9}\x{00B2}\x{00B3}\x{2074}-\x{2079}]+`),
		lazyregexp.New(`#{2,}`),
	}
	dotted     = lazyregexp.New(`[\p{L}\p{N}](?:[\p{L}\p{N}-]*\.)+[\p{L}-]{2,}`)
	strangeDot = lazyregexp.New(`([\p{L}\p{N}])[。｡․．]([\p{L}\p{N}])`)
)

// reserved are top-level names that nobody registers and every attacker knows.
var reserved = []string{".test", ".example", ".invalid", ".localhost", ".local", ".internal", ".onion", ".arpa"}

// suspect says whether a model's words hold an address, an identifier or a mark that
// the known words have not.
func suspect(s, known string) bool {
	plain := strangeDot.ReplaceAllString(s, "$1.$2")
	known = strings.ToLower(known)
	unknown := func(found string) bool { return !strings.Contains(known, strings.ToLower(found)) }
	for _, pattern := range suspects {
		for _, text := range []string{plain, norm.NFKC.String(plain)} {
			if text != plain && strings.Contains(pattern.String(), "2460") {
				continue // NFKC makes plain digits of circled ones
			}
			for _, found := range pattern.FindAllString(text, -1) {
				if unknown(found) {
					return true
				}
			}
		}
	}
	for _, found := range dotted.FindAllString(norm.NFKC.String(plain), -1) {
		disguised := !strings.Contains(s, found)
		if unknown(found) && (isAnyHost(found) || disguised && isHost(found)) {
			return true
		}
	}
	return false
}

// isAnyHost says whether a dotted word could be a host in any script.
func isAnyHost(s string) bool {
	s = strings.ToLower(s)
	for _, end := range reserved {
		if strings.HasSuffix(s, end) {
			return true
		}
	}
	ascii, err := idna.Lookup.ToASCII(s)
	if err != nil || ascii == s {
		return false // clean has judged those
	}
	suffix, managed := publicsuffix.PublicSuffix(ascii)
	return managed && suffix != ascii
}
