package extract

import (
	"fmt"
	"mime"
	"net/url"
	"path"
	"strings"

	"github.com/gabriel-vasile/mimetype"

	"github.com/citewell/citewell"
)

// A family is what one reader reads.
type family int

const (
	familyHTML family = iota
	familyMarkdown
	familyText
	familyJSON
	familyFeed
	familyPDF
	familyDocx
	familyXlsx
	familyEPUB
	familyODT
	familyPPTX
	familyRTF
	familyXML
	familyCSV
	familyODS
)

// media is what a page turned out to be.
type media struct {
	name    string // without parameters, as in "text/html"
	charset string // as declared; may be empty or unknown
	family  family
}

// markdownNames and textNames are the ends of a path that tell what a server
// declares vaguely, or a file not at all.
var (
	markdownNames = map[string]bool{".md": true, ".markdown": true, ".mdown": true, ".mkd": true}
	htmlNames     = map[string]bool{".html": true, ".htm": true, ".xhtml": true}
	csvNames      = map[string]bool{".csv": true, ".tsv": true}
)

// sniff decides by the bytes first and by the declaration second: bytes that are
// a PDF, an office document or an EPUB are read as such whatever is declared; a
// program, another archive or a picture is refused whatever is declared, and so is
// text that is declared as one of all these.
func sniff(page citewell.Page) (media, error) {
	declared, params, err := mime.ParseMediaType(page.ContentType)
	if err != nil {
		declared, _, _ = strings.Cut(page.ContentType, ";")
		declared = strings.ToLower(strings.TrimSpace(declared))
	}
	m := media{name: declared, charset: params["charset"]}
	found := mimetype.Detect(page.Body)
	foundName, _, _ := strings.Cut(found.String(), ";")
	textual := found.Is("text/plain")
	for parent := found; parent != nil && !textual; parent = parent.Parent() {
		textual = parent.Is("text/plain")
	}
	if m, ok := sniffBinary(page.Body, foundName, declared); ok {
		return m, nil
	}
	vague := declared == "" || declared == "application/octet-stream" || declared == "binary/octet-stream"

	switch {
	case !textual && foundName != "application/octet-stream":
		return media{}, unsupported(page, foundName, declared)
	case foundName == "image/svg+xml":
		return media{}, unsupported(page, foundName, declared)
	case !vague && binaryType(declared):
		return media{}, unsupported(page, declared, declared)
	case !textual && !wideText(m.charset) && (vague || !mostlyText(page.Body)):
		return media{}, unsupported(page, "application/octet-stream", declared)
	}

	if m, ok := sniffText(m, page.Body, foundName, vague); ok {
		return m, nil
	}
	extension := strings.ToLower(path.Ext(pathOf(page)))
	switch {
	case declared == "text/html" || declared == "application/xhtml+xml":
		m.family = familyHTML
	case declared == "text/markdown" || declared == "text/x-markdown":
		m.name, m.family = "text/markdown", familyMarkdown
	case (vague || declared == "text/plain") && markdownNames[extension]:
		m.name, m.family = "text/markdown", familyMarkdown
	case vague && (htmlNames[extension] || foundName == "text/html"):
		m.name, m.family = "text/html", familyHTML
	case declared == csvType || declared == "text/tab-separated-values" || (vague || declared == "text/plain") && csvNames[extension]:
		m.name, m.family = csvType, familyCSV
	case declared == "text/xml" || declared == "application/xml":
		m.family = familyXML
		if foundName == "text/html" || looksXHTML(page.Body) {
			m.family = familyHTML
		}
	case strings.HasPrefix(declared, "application/") && strings.HasSuffix(declared, "+xml"):
		m.family = familyXML
	case vague && (foundName == "text/xml" || foundName == "application/xml"):
		m.name, m.family = "application/xml", familyXML
	case vague:
		m.name, m.family = "text/plain", familyText
	default:
		m.family = familyText
	}
	return m, nil
}

// binaryType tells declared types whose bytes, even when they look like text, are
// not meant to be read.
func binaryType(declared string) bool {
	kind, sub, _ := strings.Cut(declared, "/")
	switch kind {
	case "text":
		return false
	case "application":
		switch {
		case sub == "xhtml+xml", sub == "json", sub == "xml", sub == "yaml", sub == "x-yaml", sub == "toml",
			sub == "javascript", sub == "x-javascript", sub == "ecmascript", sub == "x-sh", sub == "sql",
			sub == "x-ndjson", sub == "x-tex",
			strings.HasSuffix(sub, "+json"), strings.HasSuffix(sub, "+xml"), strings.HasSuffix(sub, "+yaml"):
			return false
		}
		return true
	case "message":
		return false
	}
	return strings.Contains(declared, "/")
}

func unsupported(page citewell.Page, found, declared string) error {
	e := &citewell.Error{Code: citewell.CodeUnsupportedType, Op: "extract " + hostOf(page), Hint: insteadOf(found)}
	switch {
	case found == "application/octet-stream":
		e.Message = "the page is binary data of an unknown type"
	case found == declared && belied(page.Body, declared):
		e.Message = fmt.Sprintf("the page is declared as %q, and its bytes are something else", clip(declared, 60))
		e.Hint = "look at what it is; servers send a page about an error under a document's name"
	default:
		e.Message = "the page is " + found + ", which holds no text that can be cited"
	}
	if declared != "" && declared != found {
		e.Message += fmt.Sprintf(" (declared as %q)", clip(declared, 60))
	}
	return e
}

// belied says whether bytes are none of the binary type that they are declared as. Of
// a type that begins in no known way nothing can be said.
func belied(body []byte, declared string) bool {
	known := mimetype.Lookup(declared)
	for parent := known; parent != nil; parent = parent.Parent() {
		if parent.Is("text/plain") {
			return false
		}
	}
	return known != nil && !mimetype.Detect(body).Is(declared)
}

// insteadOf says what can be read in place of bytes of a type.
func insteadOf(found string) string {
	kind, _, _ := strings.Cut(found, "/")
	switch {
	case found == "application/msword", found == "application/x-ole-storage", strings.HasPrefix(found, "application/vnd.ms-"):
		return "of office documents those of today's formats are read; save it as docx, xlsx, pptx or PDF"
	case kind == "image", kind == "audio", kind == "video":
		return "pictures and recordings are not read; look for a page that tells in words what is in it"
	case found == "application/zip", found == "application/gzip", strings.HasPrefix(found, "application/x-") && strings.HasSuffix(found, "compressed"), found == "application/x-tar":
		return "archives are not unpacked; unpack it and index the files"
	}
	return "web pages, text, Markdown, JSON, XML, CSV, feeds, PDF, docx, xlsx, pptx, odt, ods, rtf and EPUB are read"
}

// wideText tells charsets whose plain text holds bytes that look binary.
func wideText(label string) bool {
	label = strings.ToLower(label)
	return strings.HasPrefix(label, "utf-16") || strings.HasPrefix(label, "unicode") || label == "ucs-2"
}

// mostlyText lets a page through that is declared as text and has a few control
// bytes in it, as old pages do.
func mostlyText(body []byte) bool {
	head := body[:min(len(body), 4096)]
	odd := 0
	for _, c := range head {
		if c < ' ' && c != '\n' && c != '\t' && c != '\r' && c != '\f' && c != 0x1b {
			odd++
		}
	}
	return odd*20 <= len(head)
}

func looksXHTML(body []byte) bool {
	head := strings.ToLower(string(body[:min(len(body), 1024)]))
	return strings.Contains(head, "<html")
}

func pathOf(page citewell.Page) string {
	for _, raw := range []string{page.FinalURL, page.URL} {
		if u, err := url.Parse(raw); err == nil && u.Path != "" {
			return u.Path
		}
	}
	return ""
}

// clip cuts s to at most n bytes without splitting a character.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xc0 == 0x80 {
		n--
	}
	return s[:n]
}
