package extracttest

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"strings"
	"testing"
)

// WritePDF makes a PDF of objects, the first of which is the catalog, with a
// table of their places and a trailer.
func WritePDF(trailer string, objects ...string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
	var places []int
	for i, object := range objects {
		places = append(places, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, place := range places {
		fmt.Fprintf(&b, "%010d 00000 n \n", place)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root 1 0 R%s>>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, trailer, start)
	return b.Bytes()
}

// Stream is an object with content, its length said truly.
func Stream(dictionary, content string) string {
	return fmt.Sprintf("<<%s/Length %d>>\nstream\n%s\nendstream", dictionary, len(content), content)
}

// PDFOf makes a PDF with one page for each content stream. Font F1 is plain, F2
// bold, F3 says its codes by a map.
func PDFOf(contents ...string) []byte {
	const fonts = 8
	var kids []string
	objects := []string{"<</Type/Catalog/Pages 2 0 R/Lang(en-GB)>>", "",
		"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
		"<</Type/Font/Subtype/Type1/BaseFont/Helvetica-Bold/Encoding<</Differences[200/eacute/fi/uni0416/afii10017/" +
			"f_f_i]>>>>",
		"<</Type/Font/Subtype/Type0/BaseFont/X/Encoding/Identity-H/ToUnicode 6 0 " +
			"R/DescendantFonts[<</Type/Font/Subtype/CIDFontType2/DW 600/W[3[250]]>>]>>",
		Stream("", "1 begincodespacerange <0000> <ffff> endcodespacerange 1 beginbfchar <0003> <0020> endbfchar 2 "+
			"beginbfrange <0041> <005a> <0061> <0100> <0101> [<0066006c> <d83dde00>] endbfrange"),
		"<</Title(The Quern Manual)/Author(\xfe\xff\x00A\x00d\x00a)/CreationDate(D:20250304090000Z)>>"}
	for i, content := range contents {
		kids = append(kids, fmt.Sprintf("%d 0 R", fonts+2*i))
		objects = append(objects,
			fmt.Sprintf("<</Type/Page/Parent 2 0 R/Contents %d 0 R>>", fonts+2*i+1), Stream("", content))
	}
	objects[1] = fmt.Sprintf("<</Type/Pages/Count %d/Kids[%s]/MediaBox[0 0 600 800]/Resources<</Font<</F1 3 0 R/F2 4 "+
		"0 R/F3 5 0 R>>>>>>", len(contents), strings.Join(kids, " "))
	return WritePDF("/Info 7 0 R", objects...)
}

// FirstPage is the content of a page: headings, letters by a map of the font.
const FirstPage = `BT /F2 20 Tf 72 720 Td (Dressing stones) Tj ET
BT /F1 10 Tf 72 690 Td 12 TL (A pair of stones is dressed after 120 hours of work, and the fur-) Tj T*
(rows are cut again with a mill bill. A second sentence stands here, long enough) Tj T*
[(to) -400 (be) -300 (read) -20 ( as prose.)] TJ ET
BT /F2 12 Tf 72 640 Td (Depths) Tj ET
BT /F1 10 Tf 72 620 Td (Furrow) Tj 100 0 Td (Depth) Tj -100 -14 Td (master) Tj 100 0 Td (8 mm) Tj -100 -14 Td (apprentice) Tj 100 0 Td (5 mm) Tj ET
/Artifact <</Type/Pagination>> BDC BT /F1 8 Tf 72 20 Td (Running foot) Tj ET EMC`

// SecondPage is the content of another, in lines that are broken.
const SecondPage = `BT /F1 10 Tf 72 720 Td 12 TL (The depths are measured at the rim with a gauge, never at the eye of the stone.) Tj T*
/Span <</ActualText(Actual)>> BDC (xxxx) Tj EMC ( words replace what is drawn.) Tj ET
BT /F2 10 Tf 72 600 Td (\310\311\312\313\314) Tj ET BT /F3 10 Tf 72 560 Td <0041005a0003010001010041> Tj ET
BI /W 4 /H 1 /BPC 8 /CS /G ID (Tj EI) EI
0 1 -1 0 300 300 cm BT /F1 10 Tf (Upright text) Tj ET`

// Deflated is a stream that unpacks to content repeated n times.
func Deflated(t testing.TB, content string, n int) string {
	t.Helper()
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	if _, err := z.Write(bytes.Repeat([]byte(content), n)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return Stream("/Filter/FlateDecode", packed.String())
}

// PagesOf makes a PDF whose pages show the given content streams by number, as
// often as they are named.
func PagesOf(shown []int, contents ...string) []byte {
	objects := []string{"<</Type/Catalog/Pages 2 0 R>>", "",
		"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"}
	objects = append(objects, contents...)
	var kids strings.Builder
	for _, n := range shown {
		objects = append(objects, fmt.Sprintf("<</Type/Page/Parent 2 0 R/Contents %d 0 R>>", 4+n))
		fmt.Fprintf(&kids, "%d 0 R ", len(objects))
	}
	objects[1] = fmt.Sprintf("<</Type/Pages/Count %d/Kids[%s]/MediaBox[0 0 600 800]/Resources<</Font<</F1 3 0 R>>>>>>",
		len(shown), kids.String())
	return WritePDF("", objects...)
}

// WordsOfAPage is the content of a page that says what a test looks for.
const WordsOfAPage = "BT /F1 10 Tf 72 720 Td (The words of the first page are read before anything goes wrong.) Tj ET"
