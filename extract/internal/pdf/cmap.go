package pdf

import (
	"slices"
	"strings"
	"unicode/utf16"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// A pdfCmap maps the codes of a font to text, as a font's ToUnicode stream says.
type pdfCmap struct {
	lengths [5]bool // of codes in bytes, by the code space ranges
	single  map[pdfCode]string
	ranges  []pdfRange
}

// A pdfCode is one code of a font: its value and its length in bytes.
type pdfCode struct {
	value  uint32
	length int
}

type pdfRange struct {
	low, high pdfCode
	first     []rune
}

// maxMapped is how many codes a map may hold; fonts have at most 65,536 glyphs.
const maxMapped = 1 << 17

func readCmap(stream []byte) *pdfCmap {
	m := &pdfCmap{single: map[pdfCode]string{}}
	p := pdfScanner{s: stream}
	var operands []any
	for {
		op, list, ok := p.next(operands[:0])
		if !ok {
			break
		}
		switch op {
		case "endcodespacerange":
			for pair := range slices.Chunk(list, 2) {
				if low, is := pair[0].([]byte); is && len(low) >= 1 && len(low) <= 4 {
					m.lengths[len(low)] = true
				}
			}
		case "endbfchar":
			for pair := range slices.Chunk(list, 2) {
				if code, ok := codeOf(pair[0]); ok && len(pair) == 2 && len(m.single) < maxMapped {
					m.single[code] = string(destination(pair[1]))
				}
			}
		case "endbfrange":
			for triple := range slices.Chunk(list, 3) {
				if len(triple) == 3 {
					m.addRange(triple)
				}
			}
		}
		operands = list
	}
	slices.SortFunc(m.ranges, func(a, b pdfRange) int { return int(int64(a.low.value) - int64(b.low.value)) })
	return m
}

func (m *pdfCmap) addRange(triple []any) {
	low, ok1 := codeOf(triple[0])
	high, ok2 := codeOf(triple[1])
	if !ok1 || !ok2 || high.value < low.value || high.length != low.length {
		return
	}
	if list, is := triple[2].([]any); is {
		for i, each := range list {
			if value := low.value + uint32(i); value <= high.value && len(m.single) < maxMapped {
				m.single[pdfCode{value, low.length}] = string(destination(each))
			}
		}
		return
	}
	if first := destination(triple[2]); len(first) > 0 && len(m.ranges) < maxMapped {
		m.ranges = append(m.ranges, pdfRange{low, high, first})
	}
}

func codeOf(o any) (pdfCode, bool) {
	b, is := o.([]byte)
	if !is || len(b) == 0 || len(b) > 4 {
		return pdfCode{}, false
	}
	c := pdfCode{length: len(b)}
	for _, each := range b {
		c.value = c.value<<8 | uint32(each)
	}
	return c, true
}

// destination is the text that a map gives: UTF-16, or the name of a glyph.
func destination(o any) []rune {
	switch v := o.(type) {
	case []byte:
		return utf16Text(v)
	case pdfName:
		return []rune(glyphText(string(v)))
	}
	return nil
}

func utf16Text(b []byte) []rune {
	if len(b) == 1 {
		return []rune{rune(b[0])}
	}
	units := make([]uint16, 0, len(b)/2)
	for i := 0; i+1 < len(b); i += 2 {
		units = append(units, uint16(b[i])<<8|uint16(b[i+1]))
	}
	return utf16.Decode(units)
}

func (m *pdfCmap) text(c pdfCode) (string, bool) {
	if s, ok := m.single[c]; ok {
		return s, true
	}
	i, _ := slices.BinarySearchFunc(m.ranges, c, func(r pdfRange, c pdfCode) int {
		if r.low.value <= c.value {
			return -1
		}
		return 1
	})
	for i--; i >= 0 && i < len(m.ranges); i-- {
		r := m.ranges[i]
		if r.low.length != c.length {
			continue
		}
		if c.value > r.high.value {
			break
		}
		runes := slices.Clone(r.first)
		runes[len(runes)-1] += rune(c.value - r.low.value)
		return string(runes), true
	}
	return "", false
}

// predefined are the character maps that PDF knows by name, by the charset whose codes they take. UTF-16 is nil.
var predefined = []struct {
	part    string
	charset encoding.Encoding
}{
	{"UCS2", nil}, {"UTF16", nil},
	{"GB", simplifiedchinese.GB18030},
	{"B5", traditionalchinese.Big5},
	{"RKSJ", japanese.ShiftJIS},
	{"KSC", korean.EUCKR},
	{"EUC", japanese.EUCJP},
}

// A pdfCharset reads the codes of a predefined character map.
type pdfCharset struct {
	charset encoding.Encoding // nil for UTF-16
	seven   bool              // JIS X 0208 in seven bits
}

func predefinedMap(name string) (pdfCharset, bool) {
	if name == "H" || name == "V" {
		return pdfCharset{japanese.EUCJP, true}, true
	}
	for _, p := range predefined {
		if strings.Contains(name, p.part) {
			return pdfCharset{charset: p.charset}, true
		}
	}
	return pdfCharset{}, false
}

func (c pdfCharset) length(lead byte) int {
	switch {
	case c.charset == nil || c.seven:
		return 2
	case lead < 0x80, c.charset == japanese.ShiftJIS && lead >= 0xa0 && lead < 0xe0:
		return 1
	}
	return 2
}

func (c pdfCharset) text(code []byte) string {
	if c.charset == nil {
		return string(utf16Text(code))
	}
	if c.seven && len(code) == 2 {
		code = []byte{code[0] | 0x80, code[1] | 0x80}
	}
	decoded, err := c.charset.NewDecoder().Bytes(code)
	if err != nil {
		return ""
	}
	return string(decoded)
}
