package pdf

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/citewell/citewell/internal/testing/extracttest"
)

// Of a file of very many objects the library is shown those of its first pages alone, with
// what they share, inherit and lead to, but for other pages.
func TestBeginning(t *testing.T) {
	const pages, most = manyObjects, 7
	objects := []string{"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 40000/Kids[3 0 R]/Resources 4 0 R>>",
		"<</Type/Pages/Parent 2 0 R/Kids 6 0 R>>", "<</Font<</F1 5 0 R>>>>",
		"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>", ""}
	var kids strings.Builder
	for n := range pages {
		fmt.Fprintf(&kids, "%d 0 R ", len(objects)+1)
		objects = append(objects, fmt.Sprintf("<</Type/Page/Parent 3 0 R/Contents %d 0 R/Annots[<</Dest[%d 0 R]>>]>>",
			len(objects)+2, 2*pages+5), extracttest.Stream("", fmt.Sprintf("BT /F1 10 Tf 72 600 Td (Words of number "+
			"%d.) Tj ET", n+1)))
	}
	objects[5] = "[" + kids.String() + "]"
	body := extracttest.WritePDF("", objects...)
	first := beginning(body, most)
	if n := bytes.Count(first[bytes.LastIndex(first, []byte("\nxref\n")):], []byte(" 00000 n ")); n > 6+2*most {
		t.Fatalf("%d objects are shown", n)
	}
	var out bytes.Buffer
	if err := inChild(append(fmt.Appendf(nil, "{\"pages\":%d,\"text\":100000}\n", most), body...), &out); err != nil {
		t.Fatal(err)
	}
	head, read := readOutput(out.Bytes())
	if head.Pages != pages || len(read) != most+1 || read[most].End != "pages" ||
		read[most-1].Blocks[0].Text != fmt.Sprintf("Words of number %d.", most) {
		t.Errorf("%+v, %d pages: %s", head, len(read), out.Bytes())
	}
	for name, other := range map[string][]byte{"few objects": extracttest.PDFOf(extracttest.FirstPage),
		"encrypted": append(bytes.Clone(body), "/Encrypt"...), "no catalog": bytes.ReplaceAll(body, []byte("/Catalog"),
			[]byte("/Cat"))} {
		if beginning(other, most) != nil {
			t.Errorf("%s: another table was made", name)
		}
	}
}
