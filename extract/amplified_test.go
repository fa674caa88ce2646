package extract

import (
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/citewell/citewell/internal/testing/extracttest"
	"time"
)

// TestAmplifiedOfficeFiles holds what it takes to read a small file that names one long part
// many times, or makes each of many lists of many levels: memory that follows what is kept.
func TestAmplifiedOfficeFiles(t *testing.T) {
	long := strings.Repeat("stone ", 150_000)
	word := func(body, lists, notes, target string) []byte {
		return extracttest.Zip([]string{"word/document.xml", "word/numbering.xml", "word/footnotes.xml",
			"word/_rels/document.xml.rels"}, []string{
			"<document><body>" + body + "<p><r><t>End.</t></r></p></body></document>",
			"<numbering>" + lists + "</numbering>", "<footnotes>" + notes + "</footnotes>",
			`<Relationships><Relationship Id="a" Target="https://quern.example/` + target +
				`" TargetMode="External"/></Relationships>`})
	}
	marks := func(n int) string { return strings.Repeat(`<r><footnoteReference id="1"/></r>`, n) }
	slide := func(runs string, target string) []byte {
		return extracttest.Zip([]string{"ppt/presentation.xml", "ppt/_rels/presentation.xml.rels", "ppt/s.xml",
			"ppt/_rels/s.xml.rels"}, []string{
			`<presentation xmlns:r="r"><sldIdLst><sldId r:id="a"/></sldIdLst></presentation>`,
			`<Relationships><Relationship Id="a" Target="s.xml"/></Relationships>`,
			`<sld xmlns:r="r"><cSld><spTree><sp><nvSpPr><nvPr><ph type="title"/></nvPr></nvSpPr><txBody>` + runs +
				"</txBody></sp></spTree></cSld></sld>",
			`<Relationships><Relationship Id="a" Target="https://quern.example/` + target +
				`" TargetMode="External"/></Relationships>`})
	}
	linked := `<r><rPr><hlinkClick r:id="a"/></rPr><t>a</t></r>`
	var nums strings.Builder
	for i := range 2000 {
		nums.WriteString(`<num numId="` + strconv.Itoa(i) + `"><abstractNumId val="7"/></num>`)
	}
	address, path := strings.ReplaceAll(long, " ", "-"), strings.Repeat("a", 2000)
	for _, test := range []struct {
		name string
		body []byte
		cut  bool
	}{
		{"a note marked often", word("<p>"+marks(300)+"</p>", "",
			`<footnote id="1"><p><r><t>`+long+"</t></r></p></footnote>", ""), true},
		{"a note that marks itself", word("<p>"+marks(1)+"</p>", "",
			`<footnote id="1"><p><r><t>`+long[:9_000]+"</t></r>"+marks(30)+"</p></footnote>", ""), true},
		{"a long target of Word", word("<p>"+strings.Repeat(`<hyperlink id="a"><r><t>a</t></r></hyperlink>`, 1000)+
			"</p>", "", "", address), false},
		{"a target of Word named often", word("<p><r><t>Words.</t></r>"+strings.Repeat(`<hyperlink id="a"/>`, 50_000)+
			"</p>", "", "", path), true},
		{"many levels of many lists", word("", `<abstractNum abstractNumId="7">`+strings.Repeat("<lvl/>", 2000)+
			"</abstractNum>"+nums.String(), "", ""), false},
		{"a long target of a slide", slide("<p>"+strings.Repeat(linked, 1000)+"</p>", address), false},
		{"a target of a slide named often", slide("<p>"+strings.Repeat(linked, 15_000)+"</p>", path), true},
		{"a target of a slide named in many lines", slide(strings.Repeat("<p>"+linked+"</p>", 15_000), path), true},
		{"a string of blanks in many cells", extracttest.Zip([]string{"xl/workbook.xml", "xl/_rels/workbook.xml.rels",
			"xl/a.xml", "xl/sharedStrings.xml"}, []string{
			`<workbook xmlns:r="r"><sheets><sheet r:id="a"/></sheets></workbook>`,
			`<Relationships><Relationship Id="a" Target="a.xml"/></Relationships>`,
			`<worksheet><sheetData><row><c t="str"><v>word</v></c>` + strings.Repeat(`<c t="s"><v>0</v></c>`, 1000) +
				"</row></sheetData></worksheet>",
			"<sst><si><t>\u0081" + strings.Repeat(" ", 900_000) + "</t></si></sst>"}), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			d, err := New(Options{Timeout: time.Minute, MaxText: 200_000}).Extract(t.Context(), page("", test.body))
			runtime.ReadMemStats(&after)
			if err != nil {
				t.Fatal(err)
			}
			if took := (after.TotalAlloc - before.TotalAlloc) >> 20; took > 100 {
				t.Errorf("%d bytes took %d MB to read", len(test.body), took)
			}
			if got := strings.Contains(d.Degraded, "was read as far as is kept"); got != test.cut ||
				got && !d.Truncated {
				t.Errorf("cut %v, want %v: %q, truncated %v", got, test.cut, d.Degraded, d.Truncated)
			}
		})
	}
}
