package pdf

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// A pdfFile gives the objects of a PDF without errors: what is missing or of the wrong type is empty.
type pdfFile struct {
	context *model.Context
	begun   bool // no more than the first pages that were asked for can be read
}

// Caps on one file's objects; the sandbox caps memory and time as a whole.
const (
	maxPDFStream  = 64 << 20 // bytes of one stream, decoded
	maxPDFObjects = 1 << 20
	maxPDFDepth   = 64 // of page tree and object graph
)

var errEncrypted = errors.New("the PDF is encrypted")

// open reads the file's structure, mends it if it can, and decrypts what has no password. Of a large file most pages
// stay.
func open(in []byte, most int) (*pdfFile, error) {
	if first := beginning(in, most); first != nil {
		if file, err := parse(first); err == nil {
			file.begun = true
			return file, nil
		}
	}
	in = unlock(in)
	file, err := parse(in)
	if err == nil || errors.Is(err, errEncrypted) || bytes.Contains(in, []byte("/Encrypt")) {
		return file, err
	}
	if mended := repair(in); mended != nil {
		if again, failed := parse(mended); failed == nil {
			return again, nil
		}
	}
	return nil, err
}

func parse(in []byte) (file *pdfFile, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("broken PDF: %v", r)
		}
	}()
	model.ConfigPath = "disable"
	configuration := model.NewDefaultConfiguration()
	configuration.ValidationMode = model.ValidationRelaxed
	configuration.Offline = true
	configuration.Limits.MaxStreamBytes, configuration.Limits.MaxDecodeBytes = maxPDFStream, maxPDFStream
	configuration.Limits.MaxObjectCount, configuration.Limits.MaxXRefEntries = maxPDFObjects, maxPDFObjects
	configuration.Limits.MaxRecursionDepth = maxPDFDepth
	context, err := pdfcpu.Read(bytes.NewReader(in), configuration)
	if errors.Is(err, pdfcpu.ErrWrongPassword) || err != nil && strings.Contains(err.Error(), "encrypt") {
		return nil, errEncrypted
	}
	if err != nil {
		return nil, err
	}
	return &pdfFile{context: context}, nil
}

func (f *pdfFile) object(o types.Object) types.Object {
	if o == nil {
		return nil
	}
	found, err := f.context.Dereference(o)
	if err != nil {
		return nil
	}
	return found
}

func (f *pdfFile) dict(o types.Object) types.Dict {
	switch v := f.object(o).(type) {
	case types.Dict:
		return v
	case types.StreamDict:
		return v.Dict
	}
	return nil
}

func (f *pdfFile) array(o types.Object) types.Array {
	a, _ := f.object(o).(types.Array)
	return a
}

func (f *pdfFile) name(o types.Object) string {
	n, _ := f.object(o).(types.Name)
	return n.Value()
}

func (f *pdfFile) number(o types.Object, otherwise float64) float64 {
	switch v := f.object(o).(type) {
	case types.Integer:
		return float64(v)
	case types.Float:
		return float64(v)
	}
	return otherwise
}

// text is a text string: UTF-16 or UTF-8 by its mark, else a Latin charset.
func (f *pdfFile) text(o types.Object) string {
	var b []byte
	var err error
	switch v := f.object(o).(type) {
	case types.StringLiteral:
		b, err = types.Unescape(v.Value())
	case types.HexLiteral:
		b, err = v.Bytes()
	}
	if err != nil {
		return ""
	}
	return pdfText(b)
}

func pdfText(b []byte) string {
	if rest, found := bytes.CutPrefix(b, []byte("\xfe\xff")); found {
		return string(utf16Text(rest))
	}
	if rest, found := bytes.CutPrefix(b, []byte("\xef\xbb\xbf")); found && utf8.Valid(rest) {
		return string(rest)
	}
	var s strings.Builder
	for _, c := range b {
		if c >= 0x80 {
			s.WriteString(winAnsi[c])
		} else {
			s.WriteByte(c)
		}
	}
	return s.String()
}

// stream is a stream's decoded bytes and its dictionary.
func (f *pdfFile) stream(o types.Object) ([]byte, types.Dict) {
	s, is := f.object(o).(types.StreamDict)
	if !is {
		return nil, nil
	}
	if s.Content == nil {
		if err := s.DecodeWithLimit(maxPDFStream); err != nil {
			return nil, s.Dict
		}
	}
	return s.Content, s.Dict
}

// pages calls visit for each page in order, with its resources, until visit says stop, and passes over circles.
func (f *pdfFile) pages(visit func(page, resources types.Dict) bool) {
	root := f.context.Root
	if root == nil {
		return
	}
	seen := map[types.IndirectRef]bool{}
	var walk func(o types.Object, resources types.Dict, depth int) bool
	walk = func(o types.Object, resources types.Dict, depth int) bool {
		if ref, is := o.(types.IndirectRef); is {
			if seen[ref] {
				return true
			}
			seen[ref] = true
		}
		node := f.dict(o)
		if node == nil || depth > maxPDFDepth {
			return true
		}
		if own := f.dict(node["Resources"]); own != nil {
			resources = own
		}
		kids := f.array(node["Kids"])
		if kids == nil {
			return visit(node, resources)
		}
		for _, kid := range kids {
			if !walk(kid, resources, depth+1) {
				return false
			}
		}
		return true
	}
	walk(f.dict(*root)["Pages"], nil, 0)
}

// content is a page's whole content stream, parts joined by a line break, which no operator crosses; false when a part
// could not be unpacked.
func (f *pdfFile) content(page types.Dict) (whole []byte, sound bool) {
	parts := f.array(page["Contents"])
	if parts == nil && page["Contents"] != nil {
		parts = types.Array{page["Contents"]}
	}
	sound = true
	for _, part := range parts {
		b, d := f.stream(part)
		if b == nil && d != nil || len(whole)+len(b) > maxPDFStream {
			sound = false
			continue
		}
		whole = append(append(whole, b...), '\n')
	}
	return whole, sound
}
