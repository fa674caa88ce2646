package extract

import (
	"context"
	"fmt"
	"strings"

	"github.com/citewell/citewell"
)

const odtPart = "content.xml"

// readODT reads an OpenDocument text: headings by their level, lists, tables,
// links, notes at the end. Hidden and deleted text, comments and the table of
// contents are left out.
func readODT(ctx context.Context, in input) (reading, error) {
	r := reading{kind: kindDocument}
	a, err := openArchive(ctx, in)
	if err != nil {
		return r, err
	}
	manifest, err := a.xml("META-INF/manifest.xml")
	if err != nil {
		return r, err
	}
	if len(manifest.all("encryption-data")) > 0 {
		return r, &citewell.Error{Code: citewell.CodeUnsupportedType, Op: a.op, Message: "the document is encrypted"}
	}
	content, err := a.xml(odtPart)
	if err != nil {
		return r, err
	}
	styles, err := a.xml("styles.xml")
	if err != nil {
		return r, err
	}
	about, err := a.xml("meta.xml")
	if err != nil {
		return r, err
	}
	about = about.kid("document-meta", "meta")
	r.title = ownTitle(about.kid("title").words())
	r.author = personName(cleanLine(firstOf(about.kid("initial-creator").words(), about.kid("creator").words())))
	r.published = day(firstOf(about.kid("creation-date").words(), about.kid("date").words()))
	r.language = languageTag(about.kid("language").words())
	w := odtWriter{hidden: map[string]bool{}, titles: map[string]bool{"Title": true}, ordered: map[string]bool{}}
	w.styles(styles)
	w.styles(content)
	w.body(content.kid("document-content", "body", "text"), 0)
	for i := 0; i < len(w.notes); i++ { // a note may hold the mark of another
		var words strings.Builder
		for _, p := range w.notes[i].kids {
			w.inline(p, &words, 0)
			words.WriteByte(' ')
		}
		fmt.Fprintf(&w.out, "<p>[%d] %s</p>\n", i+1, strings.TrimSpace(words.String()))
	}
	return fromHTML(ctx, in, w.out.String(), r)
}

// maxODTNotes is how many notes of one document are followed.
const maxODTNotes = 10_000
