package notation

import (
	"cmp"
	"slices"
	"strings"

	"github.com/citewell/citewell/internal/text"
)

// codeSpans are the spans of a Markdown text that are code of either kind, in order.
func codeSpans(s string) []text.Span {
	code := append(inlineCode(s), fencedCode(s)...)
	slices.SortFunc(code, func(a, b text.Span) int { return a.Start - b.Start })
	return code
}

// fencedCode are the lines between fences.
func fencedCode(s string) []text.Span {
	if !strings.Contains(s, "```") && !strings.Contains(s, "~~~") {
		return nil
	}
	var spans []text.Span
	lines := strings.Split(s, "\n")
	at := 0
	for i, code := range text.CodeLines(lines) {
		end := at + len(lines[i])
		if code {
			spans = append(spans, text.Span{Start: at, End: end})
		}
		at = end + 1
	}
	return spans
}

// inlineCode are the spans between runs of as many backticks, within one paragraph and
// outside of fences.
func inlineCode(s string) []text.Span {
	if strings.IndexByte(s, '`') < 0 {
		return nil
	}
	var spans []text.Span
	fences := fencedCode(s)
	open, long := 0, 0 // where the run is that may open a span, and its length
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\n' && i+1 < len(s) && s[i+1] == '\n':
			long = 0
		case s[i] == '`':
			end := i
			for end < len(s) && s[end] == '`' {
				end++
			}
			switch {
			case overlaps(fences, i, end):
				long = 0
			case end-i == long:
				spans = append(spans, text.Span{Start: open, End: end})
				long = 0
			case long == 0 && closesBelow(s[end:], end-i):
				open, long = i, end-i
			}
			i = end - 1
		}
	}
	return spans
}

// closesBelow says whether the paragraph goes on to a run of as many backticks.
func closesBelow(s string, long int) bool {
	for i := 0; i < len(s); i++ {
		if s[i] == '\n' && i+1 < len(s) && s[i+1] == '\n' {
			return false
		}
		if s[i] != '`' {
			continue
		}
		end := i
		for end < len(s) && s[end] == '`' {
			end++
		}
		if end-i == long {
			return true
		}
		i = end
	}
	return false
}

// overlaps reports whether one of the spans, which are in order, has a byte of s[start:end].
func overlaps(spans []text.Span, start, end int) bool {
	at, _ := slices.BinarySearchFunc(spans, start, func(s text.Span, start int) int {
		return cmp.Compare(s.End, start+1)
	})
	return at < len(spans) && spans[at].Start < end
}
