package provider

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citewell/citewell/internal/searchcall"
	"github.com/clipperhouse/uax29/v2/words"
)

// A queryLimit is the longest query that an API takes. 0 is no limit.
type queryLimit struct {
	chars   int // Unicode code points
	words   int // runs without white space
	escaped int // bytes in a URL
}

func (l queryLimit) String() string {
	var parts []string
	if l.chars > 0 {
		parts = append(parts, fmt.Sprintf("%d characters", l.chars))
	}
	if l.words > 0 {
		parts = append(parts, fmt.Sprintf("%d words", l.words))
	}
	if l.escaped > 0 {
		parts = append(parts, fmt.Sprintf("%d bytes in its URL", l.escaped))
	}
	return strings.Join(parts, " and ")
}

// cut returns as much of query as an API takes, cut between two words, and Notes that
// it was cut.
func (l queryLimit) cut(ctx context.Context, name, query string) string {
	short := l.shorten(query)
	if short != query {
		searchcall.Note(ctx, fmt.Sprintf("the query was cut to %d of its %d characters: %s takes %s",
			utf8.RuneCountInString(short), utf8.RuneCountInString(query), name, l))
	}
	return short
}

func (l queryLimit) shorten(query string) string {
	if l.end(query) == len(query) {
		return query
	}
	query = strings.TrimSpace(query)
	end := l.end(query)
	if end == len(query) {
		return query
	}
	kept := strings.TrimRightFunc(query[:boundary(query, end)], unicode.IsSpace)
	if last := strings.LastIndexByte(kept, '"'); strings.Count(kept, `"`)%2 == 1 { // a phrase that lost its end
		kept = strings.TrimRightFunc(kept[:last]+kept[last+1:], unicode.IsSpace)
	}
	return kept
}

// end is where the limit ends query, between two runes.
func (l queryLimit) end(query string) int {
	chars, count, escaped := 0, 0, 0
	inWord := false
	for i, r := range query {
		size := 3 * utf8.RuneLen(r) // as %XX
		if r == ' ' || r < 0x80 && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-_.~", r)) {
			size = 1
		}
		if space := unicode.IsSpace(r); space {
			inWord = false
		} else if !inWord {
			inWord = true
			count++
		}
		chars++
		escaped += size
		if l.chars > 0 && chars > l.chars || l.words > 0 && count > l.words || l.escaped > 0 && escaped > l.escaped {
			return i
		}
	}
	return len(query)
}

// boundary is the last place before end, or end itself, where no word is cut: at
// white space, or, where there is none in the second half, as in Chinese, between two
// words as Unicode has them. One endless word is cut where it must be.
func boundary(query string, end int) int {
	rest := query[end:]
	if strings.TrimLeftFunc(rest, unicode.IsSpace) != rest {
		return end
	}
	if space := strings.LastIndexFunc(query[:end], unicode.IsSpace); space >= end/2 {
		return space
	}
	const nextWord = 200 // what comes after end decides whether a word ends there
	last := 0
	for it := words.FromString(query[:min(len(query), end+nextWord)]); it.Next(); {
		if it.End() > end {
			break
		}
		last = it.End()
	}
	return cmp.Or(last, end)
}
