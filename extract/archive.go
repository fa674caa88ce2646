package extract

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/citewell/citewell"
)

// Caps on the zip of an office document or EPUB. Nothing is unpacked but the parts that
// hold text, and no archive within it is opened.
const (
	maxEntries   = 20_000
	maxEntry     = 48 << 20  // bytes of one part, unpacked
	maxUnpacked  = 128 << 20 // bytes of all parts read
	maxRatio     = 200       // unpacked to packed, after freeRatio bytes
	freeRatio    = 1 << 20
	directoryTag = "PK\x01\x02"
)

// An archive reads parts of a zip within its caps.
type archive struct {
	ctx   context.Context
	op    string
	parts map[string]*zip.File
	room  int64
}

func openArchive(ctx context.Context, in input) (*archive, error) {
	a := &archive{ctx: ctx, op: "extract " + in.base.Hostname(), parts: map[string]*zip.File{}, room: maxUnpacked}
	if in.cut {
		return nil, &citewell.Error{Code: citewell.CodeResponseTooLarge, Op: a.op,
			Message: fmt.Sprintf("only %d bytes of the document were read, and without its end it cannot be opened", len(in.raw))}
	}
	if bytes.Count(in.raw, []byte(directoryTag)) > maxEntries {
		return nil, a.tooLarge(fmt.Sprintf("the document holds more than %d parts", maxEntries))
	}
	reader, err := zip.NewReader(bytes.NewReader(in.raw), int64(len(in.raw)))
	if err != nil {
		return nil, &citewell.Error{Code: citewell.CodeExtractionFailed, Op: a.op, Message: "the document is too damaged to be opened", Err: err}
	}
	for _, f := range reader.File {
		if name := partName(f.Name); a.parts[name] == nil && !strings.HasSuffix(f.Name, "/") {
			a.parts[name] = f
		}
	}
	return a, nil
}

// partName is a part's name from the root of the document, so that no way of
// writing it leads elsewhere.
func partName(name string) string {
	return strings.TrimPrefix(path.Clean("/"+strings.ReplaceAll(name, `\`, "/")), "/")
}

func (a *archive) tooLarge(why string) error {
	return &citewell.Error{Code: citewell.CodeArchiveTooLarge, Op: a.op, Message: why, Hint: "open the document and save the part that matters by itself"}
}

// read unpacks one part; nil when there is none. What a part claims of its size is
// not relied on.
func (a *archive) read(name string) ([]byte, error) {
	f := a.parts[partName(name)]
	if f == nil {
		return nil, nil
	}
	if a.ctx.Err() != nil {
		return nil, errCut
	}
	if f.Flags&1 != 0 {
		return nil, &citewell.Error{Code: citewell.CodeUnsupportedType, Op: a.op, Message: "the document is encrypted"}
	}
	packed, err := f.Open()
	if err != nil {
		return nil, &citewell.Error{Code: citewell.CodeExtractionFailed, Op: a.op, Message: "a part of the document is packed in a way that is not read", Err: err}
	}
	defer packed.Close()
	limit := min(int64(maxEntry), a.room, max(freeRatio, maxRatio*int64(f.CompressedSize64)))
	var b bytes.Buffer
	n, err := io.Copy(&b, io.LimitReader(&stoppable{a.ctx, packed}, limit+1))
	switch {
	case a.ctx.Err() != nil:
		return nil, errCut
	case n > limit:
		return nil, a.tooLarge(fmt.Sprintf("a part of the document unpacks to more than %d bytes", limit))
	case err != nil:
		return nil, &citewell.Error{Code: citewell.CodeExtractionFailed, Op: a.op, Message: "a part of the document is damaged", Err: err}
	}
	a.room -= n
	return b.Bytes(), nil
}

// xml reads one part as XML; an empty tree when there is none or it is damaged
// from its start.
func (a *archive) xml(name string) (*xmlNode, error) {
	b, err := a.read(name)
	if err != nil {
		return nil, err
	}
	return readXML(a.ctx, b)
}

// relations are the targets of a part's relationships by their ids: parts of the
// document by name, addresses outside as they are.
func (a *archive) relations(part string) (map[string]string, error) {
	root, err := a.xml(path.Join(path.Dir(part), "_rels", path.Base(part)+".rels"))
	if err != nil {
		return nil, err
	}
	targets := map[string]string{}
	for _, r := range root.all("Relationship") {
		target := r.attr("Target")
		if r.attr("TargetMode") != "External" {
			if !strings.HasPrefix(target, "/") {
				target = path.Join(path.Dir(part), target)
			}
			target = partName(target)
		}
		targets[r.attr("Id")] = target
	}
	return targets, nil
}
