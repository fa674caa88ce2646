package report

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/citewell/citewell"
)

// risTypes are the types of RIS for kinds of works. Others are generic.
var risTypes = map[citewell.WorkKind]string{citewell.WorkArticle: "JOUR", citewell.WorkPreprint: "UNPB",
	citewell.WorkConference: "CPAPER", citewell.WorkBook: "BOOK",
	citewell.WorkChapter: "CHAP", citewell.WorkThesis: "THES", citewell.WorkReport: "RPRT",
	citewell.WorkDataset: "DATA", citewell.WorkSoftware: "COMP"}

// RIS gives the cited sources as RIS, in UTF-8 with a line end of two characters: publications
// by their kinds, pages as ELEC, and GEN of what tools answered. A value is one line.
func RIS(r citewell.Report, authors Authors) string {
	var b strings.Builder
	for _, w := range works(r, authors) {
		field := func(tag, value string) {
			if value != "" {
				fmt.Fprintf(&b, "%s  - %s\r\n", tag, value)
			}
		}
		kind := "ELEC"
		if w.published {
			kind = cmp.Or(risTypes[w.sort], "GEN")
		} else if w.result {
			kind = "GEN"
		}
		field("TY", kind)
		field("ID", w.key)
		field("TI", w.title)
		for _, a := range w.authors {
			field("AU", a.behind(a.given))
		}
		if len(w.date) > 0 {
			field("PY", fmt.Sprintf("%04d", w.date[0]))
			field("DA", risDate(w.date))
		}
		if !w.published {
			field("PB", w.host)
		}
		field("T2", w.container)
		field("PB", w.publisher)
		field("M3", genres[w.sort])
		field("VL", w.volume)
		field("IS", w.issue)
		first, last := pageRange(w.pages)
		field("SP", first)
		field("EP", last)
		field("ET", w.version)
		field("SN", w.isbn)
		field("DO", w.doi)
		if w.arxiv != "" {
			field("C1", "arXiv:"+w.arxiv)
		}
		if w.pmid != "" {
			field("AN", w.pmid)
			field("DB", "PubMed")
		}
		field("UR", w.url)
		field("Y2", risDate(w.accessed))
		field("N1", w.note)
		b.WriteString("ER  - \r\n\r\n")
	}
	return b.String()
}

// risDate writes YYYY/MM/DD/, of which the month and the day may be missing.
func risDate(parts []int) string {
	if len(parts) == 0 {
		return ""
	}
	s := fmt.Sprintf("%04d/", parts[0])
	for i := 1; i < 3; i++ {
		if i < len(parts) {
			s += fmt.Sprintf("%02d", parts[i])
		}
		s += "/"
	}
	return s
}
