package judge

import (
	"strings"

	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/llm"
	"github.com/citewell/citewell/text"
	"golang.org/x/text/unicode/norm"
)

const maxReason = 200 // bytes of a reason

var (
	// marked are numbers of sources in the notations of reports, and aliases of passages.
	marked = lazyregexp.New(`\s*(?:[\[【(]\s*\^?\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*\s*[\])】]|[①-⓿❶-➓]|[\[(]*\bS\d+\.p\d+\b[\])]*)`)
	// addressed is whatever reads as an address or an identifier, in any disguise.
	addressed = lazyregexp.New(`(?i)//|www\.|\S@\S|\b(?:doi|arxiv|isbn|issn|pmid|urn)\b[\s:]*[\d/a-z.-]*\d|\b(?:mailto|javascript|data|file|ftp|tel|magnet):\S|\b\d{1,3}(?:\.\d{1,3}){3}\b|[\[({]\s*(?:\.|dot)\s*[\])}]|[\p{L}\p{N}-]+(?:[.。｡․．][\p{L}\p{N}-]+)*[.。｡․．]\p{L}{2,}`)
)

// sayable is a model's reason as it may be shown: one line without marks of sources, and empty where
// it holds an address that neither the statement nor its passages have.
func sayable(reason string, about *cite.Inquiry) string {
	reason = text.OneLine(llm.Neutralize(strings.ToValidUTF8(text.Prefix(reason, 4*maxReason), "")))
	known := about.Text
	for _, s := range about.Passages {
		known += "\n" + s.Passage.Text
	}
	known = strings.ToLower(known)
	reason = text.OneLine(marked.ReplaceAllString(reason, ""))
	for _, found := range addressed.FindAllString(norm.NFKC.String(reason), -1) {
		if len(found) < shortestAddress || !strings.Contains(known, strings.ToLower(found)) {
			return ""
		}
	}
	return strings.TrimRight(text.Shorten(reason, maxReason-len("…")), ".")
}

// shortestAddress is the least that may be known from a passage: two slashes are in many.
const shortestAddress = 4
