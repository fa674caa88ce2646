package claim

import (
	"context"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/egress"
)

// OfPage is a page that was read, together with what is said in its recording where the page names
// captions: read gets them at their address, which is that of a file where the page is one. Where they
// could not be read a note says why; a file that names an address of the web has nothing fetched.
func OfPage(ctx context.Context, page citewell.Page, doc citewell.Document,
	read func(ctx context.Context, address string) (citewell.Document, error)) Sources {
	s := OfDocument(page, doc)
	switch {
	case doc.Captions == "":
		return s
	case !strings.HasPrefix(page.FinalURL, "http") && !strings.HasPrefix(doc.Captions, "file:"):
		s.Note = "the captions of its recording are not read of a file: " + doc.Captions
		return s
	}
	said, err := read(egress.Found(ctx), doc.Captions)
	if err == nil && said.PageUnit != citewell.UnitSecond {
		err = &citewell.Error{Code: citewell.CodeUnsupportedType, Op: "check",
			Message: doc.Captions + " has no captions"}
	}
	if err != nil {
		s.Note = "the captions of its recording were not read: " + citewell.View(err).Message
		return s
	}
	said.Title = doc.Title
	source := s.list[0]
	source.Captions, source.TextSHA256 = doc.Captions, said.TextSHA256
	return Sources{Text: Read(doc, said), list: append(s.list, source)}
}
