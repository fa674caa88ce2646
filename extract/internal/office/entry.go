package office

import (
	"bytes"

	"github.com/citewell/citewell/extract/internal/media"
)

// zipOf claims zips that hold a part, of formats that write their media type first (typed) only those that do. It looks
// for the part's name in the bytes.
func zipOf(name, part string, typed bool) func(media.Page) string {
	return func(page media.Page) string {
		if !bytes.HasPrefix(page.Body, []byte("PK\x03\x04")) {
			return ""
		}
		if typed && !bytes.Contains(page.Body[:min(len(page.Body), 1024)], []byte(name)) || !hasEntry(page.Body, part) {
			return ""
		}
		return name
	}
}

// hasEntry finds a name in a local header of a zip: 30 bytes after its mark.
func hasEntry(body []byte, name string) bool {
	const header = 30
	for at := 0; ; {
		i := bytes.Index(body[at:], []byte(name))
		if i < 0 {
			return false
		}
		at += i
		if at >= header && bytes.HasPrefix(body[at-header:], []byte("PK\x03\x04")) {
			return true
		}
		at += len(name)
	}
}
