package report

import (
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
)

// whereWords is how marks name where in a document a passage stands, as its Where does.
const whereWords = `(?:page|slide) [0-9]{1,6}`

// where gives the page that a citation's passage stands on, empty for none, and the
// heading that says so.
func where(c citewell.Citation, passages []citewell.Passage) (page, heading string) {
	i := slices.IndexFunc(passages, func(p citewell.Passage) bool { return p.ID == c.Passage && p.Source == c.N })
	if i < 0 || c.Passage == "" {
		return "", ""
	}
	return passages[i].Where(), passages[i].Heading
}

// marksWhere gives the marks of citations with the pages that they cite, as
// " [① page 2; ③]". A page that the topic above them names is not said again.
func marksWhere(citations []citewell.Citation, passages []citewell.Passage, topic string) string {
	pages := map[int][]string{} // by source
	for _, c := range citations {
		if page, heading := where(c, passages); page != "" && heading != topic && !slices.Contains(pages[c.N], page) {
			pages[c.N] = append(pages[c.N], page)
		}
	}
	if len(pages) == 0 {
		return marks(citations)
	}
	var w strings.Builder
	all := cited(citations)
	for i, n := range all {
		w.WriteString(cite.Mark(n))
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
func whereSaid(citations []citewell.Citation, passages []citewell.Passage) string {
	if len(citations) == 0 {
		return ""
	}
	page, _ := where(citations[0], passages)
	if page == "" {
		return ""
	}
	return " [" + page + "]"
}
