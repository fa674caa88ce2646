package extract

import (
	"cmp"
	"fmt"
	"mime"
	"net/url"
	"path"
	"strings"

	"github.com/gabriel-vasile/mimetype"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/extract/internal/media"
	"github.com/citewell/citewell/internal/text"
)

// sniffed is what a page turned out to be.
type sniffed struct {
	name    string // without parameters, as in "text/html"
	charset string // as declared; may be empty or unknown
	reader  media.Reader
}

// sniff decides by the bytes first and by the declaration second: bytes that are
// a PDF, an office document or an EPUB are read as such whatever is declared; a
// program, another archive or a picture is refused whatever is declared, and so is
// text that is declared as one of all these and claimed by no reader.
func (e *Extractor) sniff(page citewell.Page) (sniffed, error) {
	declared, params, err := mime.ParseMediaType(page.ContentType)
	if err != nil {
		declared, _, _ = strings.Cut(page.ContentType, ";")
		declared = strings.ToLower(strings.TrimSpace(declared))
	}
	known := mimetype.Detect(page.Body)
	found, _, _ := strings.Cut(known.String(), ";")
	isText := known.Is("text/plain")
	for parent := known; parent != nil && !isText; parent = parent.Parent() {
		isText = parent.Is("text/plain")
	}
	seen := media.Page{
		Body: page.Body, Found: found, Declared: declared, Extension: strings.ToLower(path.Ext(pathOf(page))),
		Vague: declared == "" || declared == "application/octet-stream" || declared == "binary/octet-stream",
	}
	if name, reader, ok := e.claimed(seen, true); ok {
		return sniffed{name: name, reader: reader}, nil
	}

	name, reader, ok := e.claimed(seen, false)
	switch charset := params["charset"]; {
	case !isText && found != "application/octet-stream":
		return sniffed{}, e.unsupported(page, found, declared)
	case found == "image/svg+xml":
		return sniffed{}, e.unsupported(page, found, declared)
	case !ok:
		return sniffed{}, e.unsupported(page, declared, declared)
	case !isText && !wideText(charset) && (seen.Vague || !mostlyText(page.Body)):
		return sniffed{}, e.unsupported(page, "application/octet-stream", declared)
	}
	return sniffed{name: name, charset: params["charset"], reader: reader}, nil
}

// claimed is the first reader that takes a page for its own, and the media type that it
// has then.
func (e *Extractor) claimed(page media.Page, byBytes bool) (name string, reader media.Reader, ok bool) {
	for _, r := range e.readers {
		if r.Bytes == byBytes {
			if name := r.Claims(page); name != "" {
				return name, r, true
			}
		}
	}
	return "", media.Reader{}, false
}

// canRead says in words what is read.
func (e *Extractor) canRead() string {
	called := make([]string, len(e.readers))
	for i, r := range e.readers {
		called[i] = r.Called
	}
	last := len(called) - 1
	return strings.Join(called[:last], ", ") + " and " + called[last] + " are read"
}

func (e *Extractor) unsupported(page citewell.Page, found, declared string) error {
	refused := &citewell.Error{Code: citewell.CodeUnsupportedType, Op: "extract " + hostOf(page),
		Hint: cmp.Or(insteadOf(found), e.canRead())}
	switch {
	case found == "application/octet-stream":
		refused.Message = "the page is binary data of an unknown type"
	case found == declared && belied(page.Body, declared):
		refused.Message = fmt.Sprintf("the page is declared as %q, and its bytes are something else",
			text.Prefix(declared, 60))
		refused.Hint = "look at what it is; servers send a page about an error under a document's name"
	default:
		refused.Message = "the page is " + found + ", which holds no text that can be cited"
	}
	if declared != "" && declared != found {
		refused.Message += fmt.Sprintf(" (declared as %q)", text.Prefix(declared, 60))
	}
	return refused
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

// insteadOf says what can be read in place of bytes of a type that people ask for;
// empty for any other.
func insteadOf(found string) string {
	kind, _, _ := strings.Cut(found, "/")
	switch {
	case found == "application/msword", found == "application/x-ole-storage",
		strings.HasPrefix(found, "application/vnd.ms-"):
		return "of office documents those of today's formats are read; save it as docx, xlsx, pptx or PDF"
	case kind == "image", kind == "audio", kind == "video":
		return "pictures and recordings are not read; look for a page that tells in words what is in it"
	case found == "application/zip", found == "application/gzip", strings.HasPrefix(found, "application/x-") &&
		strings.HasSuffix(found, "compressed"), found == "application/x-tar":
		return "archives are not unpacked; unpack it and index the files"
	}
	return ""
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

func pathOf(page citewell.Page) string {
	for _, raw := range []string{page.FinalURL, page.URL} {
		if u, err := url.Parse(raw); err == nil && u.Path != "" {
			return u.Path
		}
	}
	return ""
}
