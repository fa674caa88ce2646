package extract

import (
	"fmt"
	"strings"
	"testing"

	"github.com/citewell/citewell/extract/internal/office"
	"github.com/citewell/citewell/internal/testing/extracttest"
)

// The workbook of the rules: numbers by the styles from 0 to 27, strings that are shared.
const (
	bookStyles = `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="yyyy\-mm\-dd"/><numFmt numFmtId="165" formatCode="0.00&quot; days&quot;"/><numFmt numFmtId="166" formatCode="[$-409]h:mm"/>
<numFmt numFmtId="167" formatCode="General;[Red]-General&quot; %&quot;"/><numFmt numFmtId="168" formatCode="0\h0_d0*s"/><numFmt numFmtId="169" formatCode="0;-0 %"/><numFmt numFmtId="170" formatCode="mmss"/>
<numFmt numFmtId="171" formatCode="[h]:mm"/><numFmt numFmtId="172" formatCode="[$-409][MM]:ss.00;[Red]-0"/><numFmt numFmtId="173" formatCode="[HH]&quot; h &quot;ss"/><numFmt numFmtId="174" formatCode="[ss]"/><numFmt numFmtId="175" formatCode="0;[h]:mm"/><numFmt numFmtId="176" formatCode="[hm]0]h[]"/></numFmts>
<cellXfs><xf numFmtId="0"/><xf numFmtId="9"/><xf numFmtId="10"/><xf numFmtId="14"/><xf numFmtId="17"/><xf numFmtId="18"/><xf numFmtId="22"/><xf numFmtId="45"/><xf numFmtId="47"/><xf numFmtId="11"/><xf numFmtId="13"/><xf numFmtId="23"/><xf numFmtId="44"/><xf numFmtId="48"/>
<xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="166"/><xf numFmtId="167"/><xf numFmtId="168"/><xf numFmtId="169"/><xf numFmtId="170"/>
<xf numFmtId="171"/><xf numFmtId="172"/><xf numFmtId="173"/><xf numFmtId="174"/><xf numFmtId="175"/><xf numFmtId="176"/><xf numFmtId="46"/></cellXfs></styleSheet>`
	bookStrings = `<sst><si><t>first</t></si><si><r><t>rich </t></r><r><t>text</t></r><rPh><t>reading</t></rPh></si></sst>`
)

// xlsx packs a workbook of one sheet with those rows.
func xlsx(t *testing.T, properties string) func(rows string) []byte {
	return func(rows string) []byte {
		return extracttest.Zip([]string{"xl/workbook.xml", "xl/_rels/workbook.xml.rels", "xl/sharedStrings.xml",
			"xl/styles.xml", "xl/s.xml"}, []string{
			`<workbook xmlns:r="r">` + properties + `<sheets><sheet name="Loads" r:id="r1"/></sheets></workbook>`,
			`<Relationships><Relationship Id="r1" Target="s.xml"/></Relationships>`,
			bookStrings, bookStyles, `<worksheet><sheetData>` + rows + `</sheetData></worksheet>`})
	}
}

func TestWorkbookRules(t *testing.T) {
	number := func(style int, value string) string { return fmt.Sprintf(`<c s="%d"><v>%s</v></c>`, style, value) }
	of := func(kind, value string) string { return `<c t="` + kind + `"><v>` + value + `</v></c>` }
	row := func(cells ...string) string { return "<row>" + strings.Join(cells, "") + "</row>" }
	at := func(where, value string) string { return `<c r="` + where + `"><v>` + value + `</v></c>` }
	holdRules(t, "", xlsx(t, ""), []rule{
		{"numbers", row(number(0, "12.300000000000001"), number(0, "-0.5"), number(0, "1e20"), number(0, "0.000001"),
			number(0, "0.0000001"), number(0, "0"), number(0, "999999999999999"), number(0, "1000000000000000")),
			"## Loads\n\n| 12.3 | \\-0.5 | 1e+20 | 0.000001 | 1e-07 | 0 | 999999999999999 | 1e+15 " +
				"|\n|---|---|---|---|---|---|---|---|"},
		{"no numbers", row(number(0, "abc"), number(0, "Inf"), number(0, "NaN"), number(99, "7"),
			`<c s="x"><v>8</v></c>`, `<c s="-1"><v>9</v></c>`), "## Loads\n\n| abc | Inf | NaN | 7 | 8 | 9 " +
			"|\n|---|---|---|---|---|---|"},
		{"percent", row(number(1, "0.125"), number(2, "1"), number(9, "1"), number(19, "0.5")),
			"## Loads\n\n| 12.5% | 100% | 1 | 0.5 |\n|---|---|---|---|"},
		{"days", row(number(3, "45658"), number(4, "1"), number(14, "45658"), number(10, "45658"), number(15, "3")),
			"## Loads\n\n| 2025-01-01 | 1899-12-31 | 2025-01-01 | 45658 | 3 |\n|---|---|---|---|---|"},
		{"times", row(number(5, "0.5"), number(6, "45658.75"), number(7, "0.25"), number(8, "0.000011574"),
			number(11, "0.5"), number(12, "0.5"), number(13, "0.5"), number(16, "0.75"), number(20, "0.5"),
			number(17, "0.5"), number(18, "0.5")), "## Loads\n\n| 12:00:00 | 2025-01-01 18:00:00 | 06:00:00 | " +
			"00:00:01 | 0.5 | 0.5 | 0.5 | 18:00:00 | 12:00:00 | 0.5 | 0.5 " +
			"|\n|---|---|---|---|---|---|---|---|---|---|---|"},
		{"elapsed time", row(number(21, "1.1041666666666667"), number(21, "0.0416666"), number(22, "1.1041782407"),
			number(23, "1.1041782407"), number(24, "2"), number(25, "0.5"), number(26, "0.5"),
			number(27, "1.1041666666666667"), number(27, "0.5"), number(21, "-0.5"), number(21, "2958466")),
			"## Loads\n\n| 26:30 | 1:00 | 1590:01 | 26:30:01 | 172800 | 0.5 | 12:00:00 | 26:30:00 | 12:00:00 " +
				"| \\-0.5 " +
				"| 2958466 |\n|---|---|---|---|---|---|---|---|---|---|---|"},
		{"days that are none", row(number(3, "-1"), number(3, "2958465"), number(3, "2958466"), number(5, "-0.5")),
			"## Loads\n\n| \\-1 | 9999-12-31 | 2958466 | \\-0.5 |\n|---|---|---|---|"},
		{"kinds", row(of("s", "0"), of("s", "1"), of("s", "2"), of("s", "-1"), of("b", "1"), of("b", "0"),
			of("str", "words"), of("e", "#N/A"), of("d", "2025-01-02"), `<c t="inlineStr"><is><t>in line</t></is></c>`),
			"## Loads\n\n| first | rich text | TRUE | FALSE | words | \\#N/A | 2025-01-02 | in line " +
				"|\n|---|---|---|---|---|---|---|---|"},
		{"columns", row(at("A1", "1"), at("C1", "2"), at("AB1", "3")) +
			row(at("B2", "4"), at("C2", "5"), at("AB2", "6")), "## Loads\n\n| 1 |  | 2 | 3 |\n|---|---|---|---|\n| " +
			"\\- | 4 | 5 | 6 |"},
		{"far columns", row(at("A1", "1"), at("XFD1", "2"), at("XFE1", "3")) +
			row(at("A2", "4"), at("XFD2", "5"), at("XFE2", "6")), "## Loads\n\n| 1 | 2 | 3 |\n|---|---|---|\n| 4 " +
			"| 5 | 6 |"},
		{"cells of no address", row(at("B1", "1"), at("", "2"), at("7", "3")) +
			row(at("B2", "4"), at("C2", "5"), at("D2", "6")), "## Loads\n\n| 1 | 2 | 3 |\n|---|---|---|\n| 4 " +
			"| 5 | 6 |"},
		{"empty cells", row(at("A1", "1"), at("B1", "2"), `<c r="C1"/>`) + row() + row(`<c r="A3"/>`) +
			row(`<c r="A4"/>`, at("B4", "3")), "## Loads\n\n| 1 | 2 |\n|---|---|\n| \\- | 3 |"},
		{"hidden rows", row(at("A1", "1"), at("B1", "2")) +
			`<row hidden="1"><c><v>3</v></c></row><row hidden="true"><c><v>4</v></c></row><row hidden="0"><c><v>5</v></c></row>`, "## Loads\n\n| 1 | 2 |\n|---|---|\n| 5 |"},
		{"bars in a cell", row(`<c t="str"><v>a | b</v></c>`, at("B1", "1")), "## Loads\n\n| a / b | 1 |\n|---|---|"},
	})
	holdRules(t, "", xlsx(t, `<workbookPr date1904="1"/>`),
		[]rule{{"days since 1904", row(number(3, "0"), number(3, "1")),
			"## Loads\n\n| 1904-01-01 | 1904-01-02 |\n|---|---|"}})
	holdRules(t, "", xlsx(t, `<workbookPr date1904="true"/>`),
		[]rule{{"days from 1904", row(number(3, "366")), "## Loads\n\n| 1905-01-01 |\n|---|"}})
	holdRules(t, "", xlsx(t, `<workbookPr date1904="0"/>`),
		[]rule{{"days since 1900", row(number(3, "366")), "## Loads\n\n| 1900-12-31 |\n|---|"}})
}

// TestSheetsAreRead holds which sheets are read, how far, and where a workbook's title is from.
func TestSheetsAreRead(t *testing.T) {
	as := func(sheets string) []byte {
		one := `<worksheet><sheetData><row><c><v>1</v></c><c t="str"><v>` + strings.Repeat("words ", 20) +
			`</v></c></row></sheetData></worksheet>`
		return extracttest.Zip([]string{"xl/workbook.xml", "xl/_rels/workbook.xml.rels", "xl/a.xml", "xl/none.xml"},
			[]string{
				`<workbook xmlns:r="r"><sheets>` + sheets + `</sheets></workbook>`,
				`<Relationships><Relationship Id="a" Target="a.xml"/><Relationship Id="none" Target="none.xml"/></Relationships>`,
				one, `<worksheet><sheetData/></worksheet>`})
	}
	table := "| 1 | " + strings.TrimSpace(strings.Repeat("words ", 20)) + " |\n|---|---|"
	holdRules(t, "", as, []rule{
		{"names", `<sheet name="One" r:id="a"/><sheet r:id="a"/><sheet name="Three" r:id="none"/><sheet name="Four" state="visible" r:id="a"/>`, "## One\n\n" + table + "\n\n" + table + "\n\n## Four\n\n" + table},
		{"hidden sheets",
			`<sheet name="One" state="hidden" r:id="a"/><sheet name="Two" state="veryHidden" r:id="a"/><sheet name="Three" r:id="a"/>`, "## Three\n\n" + table},
	})
	document, err := New(Options{MaxText: 150}).Extract(t.Context(),
		page("", as(strings.Repeat(`<sheet name="S" r:id="a"/>`, 4))))
	if err != nil || document.Title != "S" || !strings.HasPrefix(document.Degraded,
		"the workbook was read to sheet 2, as much as is kept") {
		t.Errorf("got %q, degraded %q, %v", document.Title, document.Degraded, err)
	}
}

func TestOpenSheetRules(t *testing.T) {
	as := func(tables string) []byte {
		return extracttest.Zip([]string{"mimetype", "content.xml"},
			[]string{office.ODS.Name, "<document-content><body><spreadsheet>" + tables +
				"</spreadsheet></body></document-content>"})
	}
	row := func(about string, cells ...string) string {
		return "<table-row" + about + "><table-cell><p>" + strings.Join(cells, "</p></table-cell><table-cell><p>") +
			"</p></table-cell></table-row>"
	}
	holdRules(t, "", as, []rule{
		{"names", `<table name="One">` + row("", "a", "1") + `</table><table>` + row("", "b", "2") +
			`</table><table name="Three"><table-row/></table><shapes/>`,
			"## One\n\n| a | 1 |\n|---|---|\n\n| b | 2 |\n|---|---|"},
		{"rows that are not visible", "<table>" + row(` visibility="visible"`, "a", "1") +
			row(` visibility="collapse"`, "b", "2") + row(` visibility="filter"`, "c", "3") + "</table>",
			"| a | 1 |\n|---|---|"},
		{"repeated rows", "<table>" + row(` number-rows-repeated="2"`, "a", "1") +
			row(` number-rows-repeated="0"`, "b", "2") + row(` number-rows-repeated="x"`, "c", "3") + "</table>",
			"| a | 1 |\n|---|---|\n| a | 1 |\n| b | 2 |\n| c | 3 |"},
		{"repeated cells",
			`<table><table-row><table-cell number-columns-repeated="2"><p>a</p></table-cell><table-cell number-columns-repeated="900"/><table-cell><p>b</p></table-cell></table-row></table>`, "| a | a | b |\n|---|---|---|"},
		{"covered cells",
			`<table><table-row><table-cell><p>a</p></table-cell><covered-table-cell><p>b</p></covered-table-cell><other><p>c</p></other><table-cell><p>d</p><p>e</p><x>f</x></table-cell></table-row></table>`, "| a | b | d e |\n|---|---|---|"},
	})
	document, err := readDocument("", "", as("<table>"+row(` number-rows-repeated="1000"`, "a", "1")+"</table>"))
	if n := strings.Count(document.Text, "a | 1"); err != nil || n != 64 {
		t.Errorf("a row that is repeated a thousand times is read %d times, want 64: %v", n, err)
	}
	document, err = New(Options{MaxText: 100}).Extract(t.Context(),
		page("", as("<table>"+strings.Repeat(row("", "four", "1"), 30)+"</table>")))
	if n := strings.Count(document.Text, "four"); err != nil || n < 5 || n > 9 ||
		!strings.Contains(document.Degraded, "the sheets were read as far as is kept") {
		t.Errorf("%d rows, degraded %q, %v", n, document.Degraded, err)
	}
}

func TestSeparatedRules(t *testing.T) {
	holdRules(t, "text/csv", asWritten, []rule{
		{"commas", "a,b\n1,2\n", "| a | b |\n|---|---|\n| 1 | 2 |"},
		{"semicolons", "a;b\n1,5;2\n", "| a | b |\n|---|---|\n| 1,5 | 2 |"},
		{"tabs", "a\tb,c\td\n1\t2\t3\n", "| a | b,c | d |\n|---|---|---|\n| 1 | 2 | 3 |"},
		{"bars", "\n\na|b\n1|2\n", "| a | b |\n|---|---|\n| 1 | 2 |"},
		{"signed", "\ufeffa,b\n1,2\n", "| a | b |\n|---|---|\n| 1 | 2 |"},
		{"quoted", "a,b\n\"1\n2\",\"say \"\"so\"\"\"\n", "| a | b |\n|---|---|\n| 1 2 | say \"so\" |"},
		{"rows of other lengths", "a,b,c\n1\n2,3,4,5\n,,\n6,7,8\n",
			"| a | b | c |\n|---|---|---|\n| 1 |\n| 2 | 3 | 4 | 5 |\n| 6 | 7 | 8 |"},
		{"one row", "a,b,c\n", "```\na,b,c\n```"},
		{"one column", "apples\npears\nplums\n", "```\napples\npears\nplums\n```"},
		{"one cell above", "Loads\na,b\n1,2\n", "| Loads |\n|---|\n| a | b |\n| 1 | 2 |"},
		{"heads", "Name,Load\nMaster,8\nApprentice,5\n", "| Name | Load |\n|---|---|\n| Master | 8 |\n| " +
			"Apprentice | 5 |"},
	})
	document, err := New(Options{MaxText: 100}).Extract(t.Context(),
		page("text/csv", []byte("name,load\n"+strings.Repeat("four,1\n", 30))))
	if n := strings.Count(document.Text, "four"); err != nil || n < 5 || n > 9 ||
		!strings.Contains(document.Degraded, "the table was read as far as is kept") {
		t.Errorf("%d rows, degraded %q, %v", n, document.Degraded, err)
	}
}
