// Package sayable decides which words of a model a person may be shown.
//
// Flow: a model's words, and what the model was shown → one line of them, or nothing.
// Limits: only the first 8 KiB count.
// Concurrency: Line is safe for many goroutines.
package sayable

import (
	"strings"

	"github.com/citewell/citewell/internal/envelope"
	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/text"
	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"
	"golang.org/x/text/unicode/norm"
)

var (
	// A URL ends at a space or at a mark that ends a sentence in Chinese, where no
	// space follows it. Two slashes are one, whatever stands before them.
	urls  = lazyregexp.New(`(?i)(?:[a-z0-9+.-]*:)?//[^\s)\]}>。，、；！？）】」』”]*|mailto:\S*|www\.[^\s)\]}>。，、；！？）】」』”]*`)
	hosts = lazyregexp.New(
		`(?:[a-z0-9-]+\.)+[a-z]{2,}(?:[:/][^\s)\]}>。，、；！？）】」』”]*)?|(?:[A-Z0-9-]+\.)+[A-Z]{2,}(?:[:/][^\s)\]}>]*)?|[A-Z][A-Za-z0-9-]*(?:\.[A-Za-z0-9-]+)*\.[A-Z][a-z]+`)
	aliases = lazyregexp.New(`(?i)\s*[\[(]*\bS\d+\.p\d+(?:[\s,;&]+(?:and\s+)?S\d+\.p\d+)*\b[\])]*`)
	calls   = lazyregexp.New(`([\p{L}\p{N}_])\(\)`) // sum() is a name
	hollow  = lazyregexp.New(`\s*(?:\[[\s,;]*\]|\([\s,;]*\)|（）|【】)`)
	before  = lazyregexp.New(`\s+([.,;:!?)\]])`)

	// suspects are addresses, identifiers and marks of sources, in any disguise.
	suspects = []*lazyregexp.Regexp{
		lazyregexp.New(`\b\d{1,3}(?:\.\d{1,3}){3}\b`),
		lazyregexp.New(`[^\s@]+@[^\s@]+`),
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

const (
	maxBytes    = 8 << 10  // of one text of a model that are looked at
	call        = "\ue000" // stands for the brackets of a call while words are taken out
	shortestURL = 4        // bytes that may be known: two slashes are in many texts
)

// Line returns a model's words in one line, without aliases of passages, URLs and invisible
// characters. It returns nothing where the words hold an address, an identifier or a mark of a
// source, in whatever disguise, that the known words have not: without it a sentence says something
// else.
func Line(s, known string) string {
	s = text.OneLine(envelope.Neutralize(strings.ToValidUTF8(text.Prefix(s, maxBytes), "")))
	s = calls.ReplaceAllString(s, "$1"+call)
	known = strings.ToLower(known)
	for { // what is taken out may bring together what makes another
		s = tidy(aliases.ReplaceAllString(s, ""))
		if suspect(s, known) {
			return ""
		}
		shorter := tidy(urls.ReplaceAllString(s, ""))
		if shorter == s {
			return strings.ReplaceAll(s, call, "()")
		}
		s = shorter
	}
}

// tidy closes the gaps that taking words out leaves.
func tidy(s string) string {
	return text.OneLine(before.ReplaceAllString(hollow.ReplaceAllString(s, ""), "$1"))
}

// suspect reports whether words hold what the known words, in small letters, have not.
func suspect(s, known string) bool {
	unknown := func(found string) bool { return !strings.Contains(known, strings.ToLower(found)) }
	for _, found := range urls.FindAllString(s, -1) {
		if found = strings.TrimRight(found, ".,;:!?'\""); len(found) < shortestURL || unknown(found) {
			return true
		}
	}
	for _, found := range hosts.FindAllString(s, -1) {
		if unknown(found) && isHost(found) {
			return true
		}
	}
	plain := strangeDot.ReplaceAllString(s, "$1.$2")
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

// isHost reports whether a word with a dot in it ends in a suffix that domains are
// registered under; "Node.js" does not.
func isHost(s string) bool {
	name, path, _ := strings.Cut(strings.ToLower(s), "/")
	name, port, _ := strings.Cut(name, ":")
	suffix, managed := publicsuffix.PublicSuffix(name)
	return path != "" || port != "" || managed && suffix != name
}

// reserved are top-level names that nobody registers and every attacker knows.
var reserved = []string{".test", ".example", ".invalid", ".localhost", ".local", ".internal", ".onion", ".arpa"}

// isAnyHost reports whether a dotted word could be a host in any script.
func isAnyHost(s string) bool {
	s = strings.ToLower(s)
	for _, end := range reserved {
		if strings.HasSuffix(s, end) {
			return true
		}
	}
	ascii, err := idna.Lookup.ToASCII(s)
	if err != nil || ascii == s {
		return false // isHost judges those
	}
	suffix, managed := publicsuffix.PublicSuffix(ascii)
	return managed && suffix != ascii
}
