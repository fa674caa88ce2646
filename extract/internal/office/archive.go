// Package office reads documents that are a zip of XML: docx, xlsx, pptx, odt, ods and EPUB.
//
// Flow: zip → the parts that hold text, within limits → a page in HTML → blocks.
// Units: limits on unpacked data in bytes, on cells, columns and sheets by number.
// Errors: archive_too_large, extraction_failed, response_too_large, unsupported_type.
package office

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/extract/internal/deadline"
	"github.com/citewell/citewell/extract/internal/media"
	"github.com/citewell/citewell/extract/internal/xmltree"
)

// Caps on the zip of an office document or EPUB. Only the parts that hold text are unpacked, and no inner archive.
const (
	MaxEntries   = 20_000
	maxEntry     = 48 << 20  // bytes of one part, unpacked
	maxUnpacked  = 128 << 20 // bytes of all parts read, a part as often as the document names it
	maxRatio     = 200       // unpacked to packed, after freeRatio bytes of a part and four times as many of all
	freeRatio    = 1 << 20
	directoryTag = "PK\x01\x02"
)

// An archive reads parts of a zip within its caps.
type archive struct {
	ctx   context.Context
	op    string
	parts map[string]*zip.File
	room  int64 // bytes that may still be unpacked
	all   int64 // that might be at first
}

func openArchive(ctx context.Context, in media.Input) (*archive, error) {
	a := &archive{ctx: ctx, op: "extract " + in.Base.Hostname(), parts: map[string]*zip.File{},
		all: min(maxUnpacked, max(4*freeRatio, maxRatio*int64(len(in.Raw))))}
	a.room = a.all
	if in.Cut {
		return nil, &citewell.Error{Code: citewell.CodeResponseTooLarge, Op: a.op,
			Message: fmt.Sprintf("only %d bytes of the document were read, and without its end it cannot be opened",
				len(in.Raw))}
	}
	if bytes.Count(in.Raw, []byte(directoryTag)) > MaxEntries {
		return nil, a.tooLarge(fmt.Sprintf("the document holds more than %d parts", MaxEntries))
	}
	reader, err := zip.NewReader(bytes.NewReader(in.Raw), int64(len(in.Raw)))
	if err != nil {
		return nil, &citewell.Error{Code: citewell.CodeExtractionFailed, Op: a.op,
			Message: "the document is too damaged to be opened", Err: err}
	}
	for _, f := range reader.File {
		if name := partName(f.Name); a.parts[name] == nil && !strings.HasSuffix(f.Name, "/") {
			a.parts[name] = f
		}
	}
	return a, nil
}

// partName is a part's name from the root of the document, so that no way of writing it leads elsewhere.
func partName(name string) string {
	return strings.TrimPrefix(path.Clean("/"+strings.ReplaceAll(name, `\`, "/")), "/")
}

func (a *archive) tooLarge(why string) error {
	return &citewell.Error{Code: citewell.CodeArchiveTooLarge, Op: a.op, Message: why,
		Hint: "save the part that you need as a document of its own"}
}

// read unpacks one part; nil when there is none. What a part claims of its size is not relied on.
func (a *archive) read(name string) ([]byte, error) {
	f := a.parts[partName(name)]
	if f == nil {
		return nil, nil
	}
	if a.ctx.Err() != nil {
		return nil, deadline.ErrCut
	}
	if f.Flags&1 != 0 {
		return nil, &citewell.Error{Code: citewell.CodeUnsupportedType, Op: a.op, Message: "the document is encrypted"}
	}
	packed, err := f.Open()
	if err != nil {
		return nil, &citewell.Error{Code: citewell.CodeExtractionFailed, Op: a.op,
			Message: "a part of the document is compressed in an unsupported way", Err: err}
	}
	defer packed.Close()
	limit := min(int64(maxEntry), a.room, max(freeRatio, maxRatio*int64(f.CompressedSize64)))
	var b bytes.Buffer
	n, err := io.Copy(&b, io.LimitReader(deadline.Reader(a.ctx, packed), limit+1))
	switch {
	case a.ctx.Err() != nil:
		return nil, deadline.ErrCut
	case n > limit:
		return nil, a.tooLarge(fmt.Sprintf("a part of the document unpacks to more than %d bytes", limit))
	case err != nil:
		return nil, &citewell.Error{Code: citewell.CodeExtractionFailed, Op: a.op,
			Message: "a part of the document is damaged", Err: err}
	}
	a.room -= n
	return b.Bytes(), nil
}

// xml reads one part as XML; an empty tree when there is none or it is damaged from its start.
func (a *archive) xml(name string) (*xmltree.Node, error) {
	b, err := a.read(name)
	if err != nil {
		return nil, err
	}
	return xmltree.Read(a.ctx, b)
}

// written is how many bytes are written of what was unpacked: more, if it repeats a part or cells.
func (a *archive) written() int { return int(freeRatio/4 + 4*(a.all-a.room)) }

// openParts opens a document and reads parts of it as XML, by their names.
func openParts(ctx context.Context, in media.Input, names ...string) (*archive, map[string]*xmltree.Node, error) {
	a, err := openArchive(ctx, in)
	if err != nil {
		return nil, nil, err
	}
	parts := make(map[string]*xmltree.Node, len(names))
	for _, name := range names {
		if parts[name], err = a.xml(name); err != nil {
			return nil, nil, err
		}
	}
	return a, parts, nil
}

// isWeb says whether the target of a link is on the web.
func isWeb(target string) bool {
	return strings.HasPrefix(target, "http://") || strings.HasPrefix(target, "https://")
}

// spans are the attributes of a cell that reaches over so many columns and rows.
func spans(columns, rows string) string {
	attributes := ""
	for _, to := range []struct{ name, times string }{{"colspan", columns}, {"rowspan", rows}} {
		if n, err := strconv.Atoi(to.times); err == nil && n > 1 && n < 100 {
			attributes += fmt.Sprintf(` %s="%d"`, to.name, n)
		}
	}
	return attributes
}

// maxTarget is how many bytes the target of a relationship has at most: it is written at each link that names it.
const maxTarget = 2048

// relations are the targets of a part's relationships by their ids: parts by name, addresses up to maxTarget as they
// are.
func (a *archive) relations(part string) (map[string]string, error) {
	root, err := a.xml(path.Join(path.Dir(part), "_rels", path.Base(part)+".rels"))
	if err != nil {
		return nil, err
	}
	targets := map[string]string{}
	for _, r := range root.All("Relationship") {
		target := r.Attr("Target")
		if len(target) > maxTarget {
			continue
		}
		if r.Attr("TargetMode") != "External" {
			if !strings.HasPrefix(target, "/") {
				target = path.Join(path.Dir(part), target)
			}
			target = partName(target)
		}
		targets[r.Attr("Id")] = target
	}
	return targets, nil
}
