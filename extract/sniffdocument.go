package extract

import (
	"bytes"
	"strings"
)

// Media types of the documents that are read beside web pages and text.
const (
	docxType = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
	xlsxType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
	pptxType = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
	odtType  = "application/vnd.oasis.opendocument.text"
	odsType  = "application/vnd.oasis.opendocument.spreadsheet"
	rtfType  = "application/rtf"
	epubType = "application/epub+zip"
	rssType  = "application/rss+xml"
	atomType = "application/atom+xml"
)

// binary says whether a family's reader wants bytes, not text.
func (f family) binary() bool {
	switch f {
	case familyPDF, familyDocx, familyXlsx, familyPPTX, familyODT, familyODS, familyRTF, familyEPUB:
		return true
	}
	return false
}

// sniffBinary tells the documents whose bytes name them, whatever is declared.
// found is what the bytes look like to the common detector.
func sniffBinary(body []byte, found, declared string) (media, bool) {
	head := body[:min(len(body), 1024)]
	switch {
	case found == pdfType, declared == pdfType && bytes.Contains(head, []byte("%PDF-")):
		return media{name: pdfType, family: familyPDF}, true
	case bytes.HasPrefix(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), []byte(`{\rtf`)):
		return media{name: rtfType, family: familyRTF}, true
	case !bytes.HasPrefix(body, []byte("PK\x03\x04")):
		return media{}, false
	}
	// The names of a zip's entries stand beside their bytes and again in its
	// directory; which kind of document it is needs no more than to find one.
	for _, kind := range []struct {
		entry, name string
		family      family
	}{
		{"word/document.xml", docxType, familyDocx},
		{"xl/workbook.xml", xlsxType, familyXlsx},
		{pptxPart, pptxType, familyPPTX},
		{odtPart, odtType, familyODT},
		{odtPart, odsType, familyODS},
		{"META-INF/container.xml", epubType, familyEPUB},
	} {
		named := kind.family != familyEPUB && kind.entry != odtPart || bytes.Contains(head, []byte(kind.name))
		if named && hasEntry(body, kind.entry) {
			return media{name: kind.name, family: kind.family}, true
		}
	}
	return media{}, false
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

// sniffText tells JSON and feeds from other text, by declaration where there is
// one and by the bytes where it is vague.
func sniffText(m media, body []byte, found string, vague bool) (media, bool) {
	sub := strings.TrimPrefix(m.name, "application/")
	switch {
	case m.name == "application/json" || m.name == "text/json" || sub != m.name && (strings.HasSuffix(sub, "+json") || sub == "x-ndjson" || sub == "jsonl"):
		m.family = familyJSON
		return m, true
	case vague && (found == "application/json" || found == "application/geo+json" || found == "application/x-ndjson"):
		m.name, m.family = "application/json", familyJSON
		return m, true
	}
	xml := vague || m.name == "text/xml" || m.name == "application/xml" || m.name == rssType || m.name == atomType || m.name == "application/rdf+xml"
	if kind := feedRoot(body); xml && kind != "" {
		m.family = familyFeed
		if m.name != rssType && m.name != atomType {
			m.name = kind
		}
		return m, true
	}
	return m, false
}

// feedRoot is the media type of the feed that body begins as, or empty: the name
// of its first element, after declarations and comments.
func feedRoot(body []byte) string {
	head := bytes.TrimPrefix(body[:min(len(body), 4096)], []byte("\xef\xbb\xbf"))
	for {
		head = bytes.TrimLeft(head, " \t\r\n")
		end := ">"
		switch {
		case bytes.HasPrefix(head, []byte("<!--")):
			end = "-->"
		case !bytes.HasPrefix(head, []byte("<?")) && !bytes.HasPrefix(head, []byte("<!")):
			return feedType(head)
		default:
			if i := bytes.IndexAny(head, "[>"); i >= 0 && head[i] == '[' {
				end = "]>" // a document type with declarations of its own
			}
		}
		_, rest, found := bytes.Cut(head, []byte(end))
		if !found {
			return ""
		}
		head = rest
	}
}

func feedType(head []byte) string {
	name, found := bytes.CutPrefix(head, []byte("<"))
	if !found {
		return ""
	}
	if end := bytes.IndexAny(name, " \t\r\n>"); end >= 0 {
		name = name[:end]
	}
	switch {
	case string(name) == "feed" && bytes.Contains(head, []byte("http://www.w3.org/2005/Atom")):
		return atomType
	case string(name) == "rss", string(name) == "rdf:RDF" && bytes.Contains(head, []byte("purl.org/rss/1.0")):
		return rssType
	}
	return ""
}
