package extract

import "github.com/citewell/citewell"

// pageStarts gives where each page begins, as the reader of the document said.
func pageStarts(spans []span) []citewell.PageStart {
	var starts []citewell.PageStart
	page := 0
	for _, s := range spans {
		if s.page > page {
			page = s.page
			starts = append(starts, citewell.PageStart{Page: page, Start: s.start})
		}
	}
	return starts
}

// placePassages gives each passage of a document with pages its page, and the heading
// of its section, or the document's title where it has none: the heading of ours that
// opens a page is no section. No section reaches from one slide into the next.
func placePassages(d citewell.Document, spans []span, passages []citewell.Passage) {
	if len(d.Pages) == 0 {
		return
	}
	starts, page, section, next := d.Pages, 0, "", 0
	for i := range passages {
		for ; next < len(spans) && spans[next].start < passages[i].End; next++ {
			s := spans[next]
			switch {
			case len(starts) > 0 && starts[0].Start == s.start:
				page, starts = starts[0].Page, starts[1:]
				if d.PageUnit == citewell.UnitSlide {
					section = ""
				}
			case s.kind == heading:
				section = clip(oneLine(d.Text[s.start:s.end]), 200)
			}
		}
		passages[i].Page, passages[i].Unit = page, d.PageUnit
		passages[i].Heading = firstOf(section, clip(oneLine(d.Title), 200))
	}
}
