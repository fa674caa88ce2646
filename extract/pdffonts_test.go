package extract

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/citewell/citewell/extract/internal/pdf"
	"github.com/citewell/citewell/internal/testing/extracttest"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
)

// fontOf is the Go font with some of its tables alone, as fonts within PDFs are.
func fontOf(tables ...string) []byte {
	const head, entry = 12, 16
	whole := map[string][]byte{}
	for e := range slices.Chunk(goregular.TTF[head:head+entry*int(binary.BigEndian.Uint16(goregular.TTF[4:]))], entry) {
		at := binary.BigEndian.Uint32(e[8:])
		whole[string(e[:4])] = goregular.TTF[at : at+binary.BigEndian.Uint32(e[12:])]
	}
	maps.DeleteFunc(whole, func(name string, _ []byte) bool { return !slices.Contains(tables, name) })
	font := []byte{0, 1, 0, 0, 0, byte(len(whole)), 0, 0, 0, 0, 0, 0}
	var bodies []byte
	for _, name := range slices.Sorted(maps.Keys(whole)) {
		font = binary.BigEndian.AppendUint32(append(font, name...), 0)
		font = binary.BigEndian.AppendUint32(font, uint32(head+entry*len(whole)+len(bodies)))
		font = binary.BigEndian.AppendUint32(font, uint32(len(whole[name])))
		bodies = append(bodies, whole[name]...)
		bodies = append(bodies, make([]byte, (4-len(bodies)%4)%4)...)
	}
	return append(font, bodies...)
}

// Text that names glyphs and nothing else is read by what its font says of them: by its map
// of characters, or their names, whatever other tables it lacks.
func TestPDFOfGlyphs(t *testing.T) {
	const words = "The words of the first page"
	font, err := sfnt.Parse(goregular.TTF)
	if err != nil {
		t.Fatal(err)
	}
	glyphs := ""
	for _, r := range words {
		glyph, err := font.GlyphIndex(nil, r)
		if err != nil {
			t.Fatal(err)
		}
		glyphs += fmt.Sprintf("%04x", glyph)
	}
	shapes := []string{"glyf", "head", "hhea", "hmtx", "loca", "maxp"}
	for name, program := range map[string][]byte{"whole": goregular.TTF,
		"characters": fontOf(append(shapes, "cmap")...), "names": fontOf(append(shapes, "post")...),
		"": fontOf(shapes...)} {
		document, err := readDocument("http://quern.example/a.pdf", pdf.Type,
			extracttest.WritePDF("", "<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 1/Kids[3 0 R]>>",
				"<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
				extracttest.Stream("", "BT /F1 12 Tf 72 600 Td <"+glyphs+"> Tj ET"),
				"<</Type/Font/Subtype/Type0/BaseFont/ABCDEF+Go/Encoding/Identity-H/DescendantFonts[6 0 R]>>",
				"<</Type/Font/Subtype/CIDFontType2/BaseFont/ABCDEF+Go/CIDToGIDMap/Identity/FontDescriptor 7 0 "+
					"R/DW 600>>",
				"<</Type/FontDescriptor/FontName/ABCDEF+Go/Flags 4/FontFile2 8 0 R>>",
				extracttest.Stream(fmt.Sprintf("/Length1 %d", len(program)), string(program))))
		if name == "" {
			if err == nil || !strings.Contains(err.Error(), "no readable text") {
				t.Errorf("a font of shapes alone: %q, %v", document.Text, err)
			}
		} else if err != nil || !strings.Contains(document.Text, words) {
			t.Errorf("%s: %q, %v", name, document.Text, err)
		}
	}
}
