package passage

import (
	"cmp"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/extract/internal/block"
	"github.com/citewell/citewell/extract/internal/plain"
	"github.com/citewell/citewell/internal/text"
)

// Starts gives where each page begins, as the reader of the document said.
func Starts(spans []block.Span) []citewell.PageStart {
	var starts []citewell.PageStart
	page := 0
	for _, s := range spans {
		if s.Page > page {
			page = s.Page
			starts = append(starts, citewell.PageStart{Page: page, Start: s.Start})
		}
	}
	return starts
}

// Place gives each passage of a document with pages its page, and the heading of its section, else the document's
// title. No section reaches from one slide into the next.
func Place(d citewell.Document, spans []block.Span, passages []citewell.Passage) {
	if len(d.Pages) == 0 {
		return
	}
	starts, page, section, next := d.Pages, 0, "", 0
	for i := range passages {
		for ; next < len(spans) && spans[next].Start < passages[i].End; next++ {
			s := spans[next]
			switch {
			case len(starts) > 0 && starts[0].Start == s.Start:
				page, starts = starts[0].Page, starts[1:]
				if d.PageUnit == citewell.UnitSlide {
					section = ""
				}
			case s.Kind == block.Heading:
				section = text.Prefix(plain.OneLine(d.Text[s.Start:s.End]), 200)
			}
		}
		passages[i].Page, passages[i].Unit = page, d.PageUnit
		passages[i].Heading = cmp.Or(section, text.Prefix(plain.OneLine(d.Title), 200))
	}
}
