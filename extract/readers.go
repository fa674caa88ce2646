package extract

import (
	"maps"
	"path"
	"strings"
	"sync"

	"github.com/citewell/citewell/extract/internal/content"
	"github.com/citewell/citewell/extract/internal/media"
	"github.com/citewell/citewell/extract/internal/office"
	"github.com/citewell/citewell/extract/internal/pdf"
	"github.com/citewell/citewell/extract/internal/rtf"
	"github.com/citewell/citewell/extract/internal/textual"
	"github.com/citewell/citewell/extract/internal/webpage"
)

// readersBy is the table of what is read, a row for each media type. The first that claims
// a page reads it, those that know their pages by the bytes before all others. j judges the
// blocks of web pages; the package's own forests do where it is nil.
func readersBy(j *content.Judge) []media.Reader {
	return []media.Reader{
		textual.JSON, textual.Feed, textual.JATS, textual.Markdown, webpage.HTML(j), textual.CSV, textual.Captions,
		textual.XML, textual.Text,
		pdf.Reader, office.DOCX, office.XLSX, office.PPTX, office.ODT, office.ODS, rtf.Reader, office.EPUB,
	}
}

// MediaType returns the media type that a file's name states by its extension. It is empty for other names, which say
// nothing that holds on every machine (.ts is a film or a program): there an Extractor goes by the bytes.
func MediaType(name string) string { return fileTypes()[strings.ToLower(path.Ext(name))] }

var fileTypes = sync.OnceValue(func() map[string]string {
	types := map[string]string{}
	for _, r := range readersBy(nil) {
		maps.Copy(types, r.Files)
	}
	return types
})
