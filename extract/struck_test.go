package extract

import (
	"strings"
	"testing"

	"github.com/citewell/citewell/internal/testing/extracttest"
)

// What a document has crossed out is not what it says, whatever its format.
func TestStruckOutTextIsLeftOut(t *testing.T) {
	const tail = "The harbour office says so, and the tables of the tide say it as well."
	page := func(body string) []byte {
		return []byte("<html><body><p>" + body + "</p><p>" + tail + "</p></body></html>")
	}
	odt := extracttest.Zip([]string{"mimetype", "content.xml"}, []string{"application/vnd.oasis.opendocument.text",
		`<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0">` +
			`<office:automatic-styles><style:style style:name="T1" style:family="text"><style:text-properties style:text-line-through-style="solid"/></style:style>` +
			`<style:style style:name="T2" style:family="text"><style:text-properties style:text-line-through-style="none"/></style:style></office:automatic-styles>` +
			`<office:body><office:text><text:p>The tower is <text:span text:style-name="T1">five</text:span> <text:span text:style-name="T2">seven</text:span> metres tall.</text:p><text:p>` + tail + `</text:p></office:text></office:body></office:document-content>`})
	docx := extracttest.Zip([]string{"[Content_Types].xml", "word/document.xml"}, []string{
		`<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
		`<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t xml:space="preserve">The tower is </w:t></w:r><w:r><w:rPr><w:strike/></w:rPr><w:t xml:space="preserve">five </w:t></w:r>` +
			`<w:r><w:rPr><w:dstrike w:val="true"/></w:rPr><w:t xml:space="preserve">six </w:t></w:r><w:r><w:rPr><w:strike w:val="0"/></w:rPr><w:t>seven metres tall.</w:t></w:r></w:p><w:p><w:r><w:t>` + tail + `</w:t></w:r></w:p></w:body></w:document>`})
	pptx := extracttest.Zip([]string{"ppt/presentation.xml", "ppt/_rels/presentation.xml.rels",
		"ppt/slides/slide1.xml"}, []string{
		`<p:presentation xmlns:p="p" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><p:sldIdLst><p:sldId id="256" r:id="rId1"/></p:sldIdLst></p:presentation>`,
		`<Relationships><Relationship Id="rId1" Target="slides/slide1.xml"/></Relationships>`,
		`<p:sld xmlns:p="p" xmlns:a="a"><p:cSld><p:spTree><p:sp><p:txBody><a:p><a:r><a:t>The tower is </a:t></a:r><a:r><a:rPr strike="sngStrike"/><a:t>five </a:t></a:r>` +
			`<a:r><a:rPr strike="noStrike"/><a:t>seven metres tall.</a:t></a:r></a:p><a:p><a:r><a:t>` + tail +
			`</a:t></a:r></a:p></p:txBody></p:sp></p:spTree></p:cSld></p:sld>`})
	for name, test := range map[string]struct {
		media string
		body  []byte
	}{
		"del":    {"text/html", page("The tower is <del>five</del> <ins>seven</ins> metres tall.")},
		"s":      {"text/html", page("The tower is <s>five</s> seven metres tall.")},
		"strike": {"text/html", page("The tower is <strike>five</strike> seven metres tall.")},
		"style": {"text/html", page(
			`The tower is <span style="text-decoration: line-through">five</span> seven metres tall.`)},
		"markdown": {"text/markdown", []byte("# Tower\n\nThe tower is ~~five~~ seven metres tall.\n\n" + tail)},
		"rtf": {"application/rtf",
			[]byte(`{\rtf1\ansi The tower is {\strike five }\strike six \strike0 seven metres tall.\par ` +
				tail + `\par}`)},
		"odt":  {"application/vnd.oasis.opendocument.text", odt},
		"pptx": {"application/vnd.openxmlformats-officedocument.presentationml.presentation", pptx},
		"docx": {"application/vnd.openxmlformats-officedocument.wordprocessingml.document", docx},
	} {
		doc, err := readDocument("http://tower.example/a", test.media, test.body)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, written := range []string{doc.Text, doc.Markdown} {
			if !strings.Contains(strings.Join(strings.Fields(written), " "), "The tower is seven metres tall.") ||
				!strings.Contains(written, tail) || strings.Contains(written, "~~") {
				t.Errorf("%s: %q", name, written)
			}
		}
	}
}

// Whom a quotation quotes stands at its foot and belongs to it.
func TestFootOfAQuotation(t *testing.T) {
	const words = "The tide table of the harbour is read by everyone who goes to sea from here. "
	body := "<html><body><article><h1>Tides</h1><p>" + strings.Repeat(words, 4) + "</p><blockquote><p>" + words +
		"</p><footer>— Ada Corrin, pilot</footer></blockquote><p>" + strings.Repeat(words, 4) +
		"</p></article><footer>All rights reserved by the site.</footer></body></html>"
	doc, err := readDocument("http://tower.example/a", "text/html", []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	for _, written := range []string{doc.Text, doc.Markdown} {
		if !strings.Contains(written, "— Ada Corrin, pilot") || strings.Contains(written, "All rights reserved") {
			t.Errorf("%q", written)
		}
	}
}
