package report

import (
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/notation"
	"github.com/citewell/citewell/internal/text"
)

// marksWhere gives the marks of citations with the pages that they cite, as " [① page 2; ③]".
func marksWhere(citations []citewell.Citation) string {
	pages := map[int][]string{} // by source
	for _, c := range citations {
		if page := within(c.Where); page != "" && !slices.Contains(pages[c.N], page) {
			pages[c.N] = append(pages[c.N], page)
		}
	}
	if len(pages) == 0 {
		return marks(citations)
	}
	var w strings.Builder
	all := cited(citations)
	for i, n := range all {
		w.WriteString(notation.Mark(n))
		if len(pages[n]) > 0 {
			w.WriteString(" " + strings.Join(pages[n], ", "))
			if i < len(all)-1 {
				w.WriteString("; ")
			}
		}
	}
	return " [" + w.String() + "]"
}

// whereSaid gives the page of a quote that stands under its source, as " [page 2]".
func whereSaid(citations []citewell.Citation) string {
	if len(citations) == 0 || plain(citations[0].Where) == "" {
		return ""
	}
	return " [" + within(citations[0].Where) + "]"
}

// headingWhere gives the heading of a passage and the page that it stands on, as
// "Ovens · page 2", or the one of them that there is.
func headingWhere(p citewell.Passage) string {
	parts := []string{text.ShortenAtWord(plain(p.Heading), maxTitle), plain(p.Where())}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " · ")
}
