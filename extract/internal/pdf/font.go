package pdf

import (
	"bytes"
	"encoding/binary"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/citewell/citewell/internal/lazyregexp"
	pdfcore "github.com/pdfcpu/pdfcpu/pkg/font"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
	"golang.org/x/image/font/sfnt"
)

// A pdfFont says for the codes of a string what they mean and how wide they are.
type pdfFont struct {
	bold       bool
	composite  bool // codes of more than one byte
	identity   bool // of two bytes each
	vertical   bool
	toUnicode  *pdfCmap
	charset    *pdfCharset // of a predefined character map
	glyphs     map[uint32]rune
	encoding   pdfEncoding
	widths     map[uint32]float64 // in thousandths of the font's size
	missing    float64            // width of every other code
	widthScale float64            // of a unit of widths
}

// A pdfGlyph is one code of a string.
type pdfGlyph struct {
	text  string
	width float64 // in units of the font's size
	space bool    // the code that word spacing applies to
}

// maxGlyphID is the highest glyph that a font can have.
const maxGlyphID = 1 << 16

func (f *pdfFile) font(o types.Object) *pdfFont {
	d := f.dict(o)
	font := &pdfFont{widths: map[uint32]float64{}, missing: 500, widthScale: 0.001}
	if d == nil {
		font.encoding = winAnsi
		return font
	}
	name := f.name(d["BaseFont"])
	font.bold = boldName(name)
	if stream, _ := f.stream(d["ToUnicode"]); len(stream) > 0 {
		font.toUnicode = readCmap(stream)
	}
	if f.name(d["Subtype"]) == "Type0" {
		f.compositeFont(font, d)
		return font
	}
	f.simpleFont(font, d, name)
	return font
}

func boldName(name string) bool {
	lower := strings.ToLower(name)
	return strings.Contains(lower, "bold") || strings.Contains(lower, "black") || strings.Contains(lower, "heavy") ||
		strings.Contains(lower, "cmbx") || strings.HasSuffix(lower, "-semibold")
}

func (f *pdfFile) simpleFont(font *pdfFont, d types.Dict, name string) {
	descriptor := f.dict(d["FontDescriptor"])
	subtype := f.name(d["Subtype"])
	base := f.name(d["Encoding"])
	differences := f.dict(d["Encoding"])
	if base == "" {
		base = f.name(differences["BaseEncoding"])
	}
	switch {
	case base == "WinAnsiEncoding":
		font.encoding = winAnsi
	case base == "MacRomanEncoding":
		font.encoding = macRoman
	case subtype == "TrueType":
		font.encoding = winAnsi
	default:
		font.encoding = standard14
		if program, _ := f.stream(descriptor["FontFile"]); len(program) > 0 {
			ownEncoding(&font.encoding, program)
		}
	}
	code := 0
	for _, o := range f.array(differences["Differences"]) {
		switch v := f.object(o).(type) {
		case types.Integer:
			code = int(v)
		case types.Name:
			if code >= 0 && code < 256 {
				if text := glyphText(v.Value()); text != "" {
					font.encoding[code] = text
				}
			}
			code++
		}
	}
	font.missing = f.number(descriptor["MissingWidth"], 0)
	first := int(f.number(d["FirstChar"], 0))
	list := f.array(d["Widths"])
	for i, w := range list {
		if i < 256 && first+i >= 0 && first+i < 256 {
			font.widths[uint32(first+i)] = f.number(w, font.missing)
		}
	}
	if len(list) == 0 && font.missing == 0 {
		font.missing = 520 // about what letters have
		for code, text := range font.encoding {
			if r, size := utf8.DecodeRuneInString(text); size > 0 && pdfcore.IsCoreFont(name) {
				if width, err := pdfcore.CharWidth(name, r); err == nil && width > 0 {
					font.widths[uint32(code)] = float64(width)
				}
			}
		}
	}
	if matrix := f.array(d["FontMatrix"]); subtype == "Type3" && len(matrix) == 6 {
		if scale := f.number(matrix[0], 0.001); scale > 0 && scale <= 1 {
			font.widthScale = scale
		}
	}
}

var ownCode = lazyregexp.New(`dup\s+(\d{1,3})\s*/([A-Za-z0-9._]{1,40})\s+put`)

// ownEncoding reads the encoding that a Type 1 font program gives itself in its readable part.
func ownEncoding(e *pdfEncoding, program []byte) {
	for _, m := range ownCode.FindAllSubmatch(program[:min(len(program), 32<<10)], 256) {
		code, err := strconv.Atoi(string(m[1]))
		if text := glyphText(string(m[2])); err == nil && code < 256 && text != "" {
			e[code] = text
		}
	}
}

func (f *pdfFile) compositeFont(font *pdfFont, d types.Dict) {
	font.composite = true
	font.missing = 1000
	encoding := f.name(d["Encoding"])
	font.identity = strings.HasPrefix(encoding, "Identity")
	font.vertical = strings.HasSuffix(encoding, "-V") || encoding == "V"
	if c, ok := predefinedMap(encoding); ok {
		font.charset = &c
	}
	var descendant types.Dict
	if list := f.array(d["DescendantFonts"]); len(list) > 0 {
		descendant = f.dict(list[0])
	}
	font.missing = f.number(descendant["DW"], 1000)
	if font.charset == nil {
		f.cidWidths(font, f.array(descendant["W"]))
	}
	descriptor := f.dict(descendant["FontDescriptor"])
	font.bold = font.bold || boldName(f.name(descendant["BaseFont"]))
	if font.identity && (font.toUnicode == nil || len(font.toUnicode.single)+len(font.toUnicode.ranges) == 0) {
		if program, _ := f.stream(descriptor["FontFile2"]); len(program) > 0 {
			font.glyphs = glyphRunes(program)
		}
	}
}

// cidWidths reads runs of "first [w w w]" and "first last w".
func (f *pdfFile) cidWidths(font *pdfFont, list types.Array) {
	for i := 0; i+1 < len(list); {
		first := f.number(list[i], -1)
		if each := f.array(list[i+1]); each != nil {
			for j, w := range each {
				if first >= 0 && j < maxGlyphID {
					font.widths[uint32(first)+uint32(j)] = f.number(w, font.missing)
				}
			}
			i += 2
			continue
		}
		if i+2 >= len(list) {
			return
		}
		last, width := f.number(list[i+1], -1), f.number(list[i+2], font.missing)
		for c := first; first >= 0 && c <= last && c < maxGlyphID; c++ {
			font.widths[uint32(c)] = width
		}
		i += 3
	}
}

// glyphRunes inverts a TrueType font's map from characters to glyphs; without one the glyphs' names say it.
func glyphRunes(program []byte) map[uint32]rune {
	parsed, err := sfnt.Parse(withTables(program))
	if err != nil {
		return nil
	}
	found := map[uint32]rune{}
	var buffer sfnt.Buffer
	for r := rune(' '); r < 0xffff; r++ {
		if r == 0xd800 {
			r = 0xf900 // over surrogates and private use
		}
		glyph, err := parsed.GlyphIndex(&buffer, r)
		if err != nil {
			break
		}
		if _, known := found[uint32(glyph)]; glyph != 0 && !known {
			found[uint32(glyph)] = r
		}
	}
	if len(found) > 0 {
		return found
	}
	names := map[uint32]rune{}
	for glyph := range parsed.NumGlyphs() {
		name, err := parsed.GlyphName(&buffer, sfnt.GlyphIndex(glyph))
		if err != nil {
			return nil
		}
		if r, size := utf8.DecodeRuneInString(glyphText(name)); size > 0 && r != utf8.RuneError {
			names[uint32(glyph)] = r
		}
	}
	return names
}

// emptyTables are tables that the library wants of a font, and fonts within PDFs lack, without any names or characters.
var emptyTables = map[string]string{
	"post": "\x00\x03" + strings.Repeat("\x00", 30),
	"cmap": "\x00\x00\x00\x01" + "\x00\x03\x00\x01\x00\x00\x00\x0c" + "\x00\x06\x00\x0a\x00\x00\x00\x00\x00\x00",
}

// withTables gives a font those of emptyTables that it lacks.
func withTables(program []byte) []byte {
	const head, entry = 12, 16 // bytes of the directory and of each table in it
	if len(program) < head || len(program) < head+entry*int(binary.BigEndian.Uint16(program[4:])) {
		return program
	}
	count := int(binary.BigEndian.Uint16(program[4:]))
	entries := slices.Collect(slices.Chunk(program[head:head+entry*count], entry))
	lacking := maps.Clone(emptyTables)
	for _, e := range entries {
		delete(lacking, string(e[:4]))
	}
	if len(lacking) == 0 {
		return program
	}
	shift, end := entry*len(lacking), len(program)
	directory := binary.BigEndian.AppendUint16(bytes.Clone(program[:4]), uint16(count+len(lacking)))
	directory = append(directory, program[6:head]...)
	added := []byte{}
	for i, e := range entries {
		entries[i] = binary.BigEndian.AppendUint32(bytes.Clone(e[:8]), binary.BigEndian.Uint32(e[8:])+uint32(shift))
		entries[i] = append(entries[i], e[12:]...)
	}
	for _, name := range slices.Sorted(maps.Keys(lacking)) {
		e := binary.BigEndian.AppendUint32([]byte(name+"\x00\x00\x00\x00"), uint32(end+shift+len(added)))
		entries = append(entries, binary.BigEndian.AppendUint32(e, uint32(len(lacking[name]))))
		added = append(added, lacking[name]...)
	}
	slices.SortFunc(entries, func(a, b []byte) int { return bytes.Compare(a[:4], b[:4]) })
	return slices.Concat(directory, slices.Concat(entries...), program[head+entry*count:], added)
}

// read cuts a string into codes. A code without a meaning has no text, only its width.
func (font *pdfFont) read(s []byte, each func(pdfGlyph)) {
	for len(s) > 0 {
		n := font.codeLength(s)
		code := pdfCode{length: n}
		for _, c := range s[:n] {
			code.value = code.value<<8 | uint32(c)
		}
		width, known := font.widths[code.value]
		if !known {
			width = font.missing
			if font.charset != nil && n == 1 {
				width /= 2
			}
		}
		each(pdfGlyph{font.text(code, s[:n]), width * font.widthScale, n == 1 && s[0] == ' '})
		s = s[n:]
	}
}

func (font *pdfFont) codeLength(s []byte) int {
	n := 1
	switch {
	case font.charset != nil:
		n = font.charset.length(s[0])
	case font.identity:
		n = 2
	case font.composite && font.toUnicode != nil && font.toUnicode.lengths[1] && !font.toUnicode.lengths[2]:
	case font.composite:
		n = 2
	}
	return min(n, len(s))
}

func (font *pdfFont) text(code pdfCode, raw []byte) string {
	if font.toUnicode != nil {
		if s, ok := font.toUnicode.text(code); ok {
			return s
		}
		// Some writers give the map of a one-byte font codes of two bytes.
		if code.length == 1 {
			if s, ok := font.toUnicode.text(pdfCode{code.value, 2}); ok {
				return s
			}
		}
	}
	switch {
	case font.charset != nil:
		return font.charset.text(raw)
	case font.composite:
		if r, ok := font.glyphs[code.value]; ok {
			return string(r)
		}
		return ""
	}
	return font.encoding[byte(code.value)]
}
