package media

import (
	"context"
	"slices"
)

// A Reader is what one media type takes: by what a page is known to be its, and how the
// page is read. A page is read by the first reader in the table that claims it.
type Reader struct {
	Name   string // of the media type, without parameters
	Called string // as people are told that it is read
	// its pages are known by their bytes, whatever is declared, and Read wants Raw, not Text
	Bytes  bool
	Files  map[string]string      // the media types of its files, by the extension of their names, as in ".md"
	Meta   bool                   // its pages may name their character set in a <meta>
	Claims func(page Page) string // the media type that the document will say; empty where the page is another's
	Read   func(ctx context.Context, in Input) (Reading, error)
}

// A Page is what is known of a page before it is read.
type Page struct {
	Body      []byte
	Found     string // the media type that its bytes look like
	Declared  string // the media type that its server declares, in lower case; may be empty
	Vague     bool   // what is declared says nothing
	Extension string // of the path in its address, in lower case, as in ".md"
}

// MayBe reports whether a page is declared as plain text, or as nothing, and has one of these extensions.
func (p Page) MayBe(extensions ...string) bool {
	if !p.Vague && p.Declared != "text/plain" {
		return false
	}
	return slices.Contains(extensions, p.Extension)
}
