package extracttest

import (
	"archive/zip"
	"bytes"
	"fmt"
	"strings"
	"sync"
)

// A Quadratic is a text that a careless reader needs time for that grows with the square of it, or that unfolds
// in memory: Before once, then Unit until the text is full.
type Quadratic struct {
	Media, Before, Unit string
	// of the zip that the text stands in, names and texts in turn: the text takes the place of the empty one
	Parts []string
}

// Of returns the text in about n bytes, which a zip packs.
func (q Quadratic) Of(n int) string {
	text := q.Before + strings.Repeat(q.Unit, max(1, (n-len(q.Before))/max(len(q.Unit), 1)))
	switch {
	case q.Parts != nil:
		names, texts := []string{}, []string{}
		for i := 0; i < len(q.Parts); i += 2 {
			names, texts = append(names, q.Parts[i]), append(texts, q.Parts[i+1])
			if q.Parts[i+1] == "" {
				texts[i/2] = text
			}
		}
		return string(Zip(names, texts))
	case q.Unit == "":
		names, each := []string{q.Before}, 128 // bytes that a part takes, at least
		for i := range n / each {
			names = append(names, fmt.Sprintf("parts/%d.xml", i))
		}
		return string(Zip(names, make([]string, len(names))))
	}
	return text
}

// Zip packs texts as the parts with those names, in that order; the part mimetype stands as it is.
func Zip(names, texts []string) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i, name := range names {
		method := zip.Deflate
		if name == "mimetype" {
			method = zip.Store
		}
		f, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: method})
		if err == nil {
			_, err = f.Write([]byte(texts[i]))
		}
		if err != nil {
			panic(err) // a buffer takes all
		}
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// Media types of documents that are zips.
const (
	docx = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
	xlsx = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
	pptx = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
	odt  = "application/vnd.oasis.opendocument.text"
	ods  = "application/vnd.oasis.opendocument.spreadsheet"
	epub = "application/epub+zip"
)

// related names the part "part.xml" by the id "a".
const related = `<Relationships><Relationship Id="a" Target="part.xml"/></Relationships>`

func word(part string, more ...string) []string {
	if part == "word/document.xml" {
		return append([]string{part, ""}, more...)
	}
	return append([]string{"word/document.xml",
		`<document><body><p><pPr><pStyle val="a"/><numPr><numId val="1"/></numPr></pPr><r><t>Words.</t><footnoteReference id="1"/></r></p></body></document>`, part, ""}, more...)
}

func workbook(part string) []string {
	return []string{"xl/workbook.xml", `<workbook xmlns:r="r"><sheets><sheet r:id="a"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels", related, part, ""}
}

func open(media string) []string { return []string{"mimetype", media, "content.xml", ""} }

// Quadratics returns such texts of many formats, by name.
var Quadratics = sync.OnceValue(func() map[string]Quadratic {
	return map[string]Quadratic{
		"markdown emphasis":    {Media: "text/markdown", Unit: "*a_"},
		"markdown strong":      {Media: "text/markdown", Unit: "**a _b"},
		"markdown pictures":    {Media: "text/markdown", Unit: "![a]("},
		"markdown quotations":  {Media: "text/markdown", Before: "a\n\n", Unit: "> "},
		"markdown brackets":    {Media: "text/markdown", Unit: "["},
		"markdown references":  {Media: "text/markdown", Unit: "[a][b"},
		"markdown labels":      {Media: "text/markdown", Unit: "[*a* "},
		"markdown links":       {Media: "text/markdown", Unit: "[a](b) "},
		"markdown definitions": {Media: "text/markdown", Before: "a\n\n", Unit: "[a]: b\n\""},
		"markdown one target": {Media: "text/markdown", Before: "[a]: " + strings.Repeat("x", 20_000) + "\n\n",
			Unit: "[a] "},
		"markdown attributes": {Media: "text/markdown", Before: "# ", Unit: "{a="},
		"markdown arrays":     {Media: "text/markdown", Before: "# {a=", Unit: "["},
		"markdown underlined": {Media: "text/markdown", Unit: "{a=1}\n===\na\n\n"},
		"markdown code":       {Media: "text/markdown", Unit: "`a``b"},
		"markdown tags":       {Media: "text/markdown", Before: "a ", Unit: "<a b=\""},
		"markdown comments":   {Media: "text/markdown", Before: "a ", Unit: "<!-- "},
		"markdown notes":      {Media: "text/markdown", Before: "a[^1]\n\n", Unit: "[^1]: a\n"},
		"markdown terms":      {Media: "text/markdown", Before: "a\n", Unit: ": a\n"},
		"markdown lists":      {Media: "text/markdown", Unit: "\t- a\n"},
		"markdown wide table": {Media: "text/markdown", Before: strings.Repeat("|a", 8000) + "|\n" +
			strings.Repeat("|-", 8000) + "|\n", Unit: "|\n"},
		"markdown escaped pipes": {Media: "text/markdown", Before: "|a|b|\n|-|-|\n", Unit: "|`a\\|b`|c|\n"},
		"html brackets":          {Media: "text/html", Before: "<p>", Unit: "["},
		"html fonts":             {Media: "text/html", Before: strings.Repeat("<font>", 500), Unit: "<p>x"},
		"html tags":              {Media: "text/html", Unit: "<b><i><p>x"},
		"html code":              {Media: "text/html", Before: "<pre>", Unit: "`"},
		"html results": {Media: "text/html", Before: `<div class="results">`,
			Unit: `<div class="result"><a class="result__a" href="//a.example/">x`},
		"html metadata": {Media: "text/html", Before: `<script type="application/ld+json">`,
			Unit: `{"@graph":[`},
		"xml elements":   {Media: "application/xml", Before: "<?xml version='1.0'?>", Unit: "<a>x"},
		"xml attributes": {Media: "application/xml", Before: "<?xml version='1.0'?><a", Unit: " b=''"},
		"rtf groups":     {Media: "application/rtf", Before: "{\\rtf1 words ", Unit: "{\\b x"},
		"rtf controls":   {Media: "application/rtf", Before: "{\\rtf1 words ", Unit: "\\par\\tab "},
		"csv columns":    {Media: "text/csv", Before: "a,b\n", Unit: "c,"},
		"csv rows":       {Media: "text/csv", Before: strings.Repeat("a,", 8000) + "\n", Unit: "b\n"},
		"csv quotes":     {Media: "text/csv", Before: "a,b\n", Unit: "\"\"\","},
		"json arrays":    {Media: "application/json", Unit: "["},
		"json objects":   {Media: "application/json", Unit: `{"a":`},
		"json numbers":   {Media: "application/json", Before: "[1", Unit: ",1"},
		"captions": {Media: "text/vtt", Before: "WEBVTT\n\n",
			Unit: "00:00.000 --> 00:01.000\n<b><i>x\n\n"},
		"captions that roll": {Media: "text/vtt", Before: "WEBVTT\n\n",
			Unit: "00:00.000 --> 00:01.000\na a a a\n\n"},
		"subtitles": {Media: "application/x-subrip", Unit: "1\n00:00:00,000 --> 00:00:01,000\n<i>x\n\n"},
		"feed": {Media: "application/rss+xml", Before: "<rss version='2.0'><channel><title>t</title>",
			Unit: "<item><title>x</title><description>&lt;b&gt;[</description></item>"},
		"pdf objects": {Media: "application/pdf", Before: "%PDF-1.7\n", Unit: "1 0 obj\n<<"},
		"mail": {Media: "message/rfc822", Before: "From: a@a.example\nSubject: a\nMIME-Version: " +
			"1.0\nContent-Type: multipart/mixed; boundary=b\n\n", Unit: "--b\n\nx\n"},

		"text lines":      {Media: "text/plain", Unit: "a\n"},
		"text underlines": {Media: "text/plain", Unit: "abc\n---\n"},
		"text terms":      {Media: "text/plain", Unit: "a\n    b c d e\n"},
		"text code":       {Media: "text/plain", Unit: "    a\n\n"},
		"text brackets":   {Media: "text/plain", Unit: "["},
		"text one word":   {Media: "text/plain", Unit: "a"},
		"text words":      {Media: "text/plain", Unit: "a b "},
		"text commas":     {Media: "text/plain", Unit: "a, and b; "},
		"text sentences":  {Media: "text/plain", Unit: "He is. "},
		"text stops":      {Media: "text/plain", Unit: "e.g. "},
		"text quotations": {Media: "text/plain", Unit: "“a "},
		"text marks":      {Media: "text/plain", Unit: "A tide [1] "},
		"text figures":    {Media: "text/plain", Unit: "1 000 "},
		"text ranges":     {Media: "text/plain", Unit: "1990-"},
		"text dates":      {Media: "text/plain", Unit: "1 May 2019, "},
		"text shares":     {Media: "text/plain", Unit: "12 of 15 % "},
		"text fractions":  {Media: "text/plain", Unit: "1/"},
		"text numerals":   {Media: "text/plain", Unit: "twenty-one hundred "},
		"text addresses":  {Media: "text/plain", Unit: "http://a.example/("},
		"text DOIs":       {Media: "text/plain", Unit: "10.1000/a"},
		"text Han":        {Media: "text/plain", Unit: "潮汐一百"},
		"text Thai":       {Media: "text/plain", Unit: "น้ำขึ้น"},
		"text accents":    {Media: "text/plain", Before: "a", Unit: "\u0301\u0327"},
		"text Arabic":     {Media: "text/plain", Unit: "ال١٢ "},
		"text formulas":   {Media: "text/plain", Unit: "$x^{a"},

		"docx paragraphs": {Media: docx, Before: "<document><body>", Unit: "<p><r><t>x</t></r></p>",
			Parts: word("word/document.xml")},
		"docx tables": {Media: docx, Before: "<document><body>", Unit: "<tbl><tr><tc><p><r><t>x</t></r></p>",
			Parts: word("word/document.xml")},
		"docx notes": {Media: docx, Before: "<document><body><p><r><t>x</t></r>",
			Unit: `<r><footnoteReference id="1"/></r>`, Parts: word("word/document.xml", "word/footnotes.xml",
				`<footnotes><footnote id="1"><p><r><t>`+strings.Repeat("stone ", 10_000)+
					`</t></r></p></footnote></footnotes>`)},
		"docx styles": {Media: docx, Before: "<styles>", Unit: `<style styleId="a"><basedOn val="a"/></style>`,
			Parts: word("word/styles.xml")},
		"docx lists": {Media: docx, Before: "<numbering>",
			Unit:  `<abstractNum abstractNumId="1"><lvl/></abstractNum><num numId="1"><abstractNumId val="1"/></num>`,
			Parts: word("word/numbering.xml")},
		"xlsx cells": {Media: xlsx, Before: "<worksheet><sheetData><row>",
			Unit: `<c r="XFD1" t="str"><v>x</v></c>`, Parts: workbook("xl/part.xml")},
		"xlsx rows": {Media: xlsx, Before: "<worksheet><sheetData><row>" +
			strings.Repeat(`<c t="str"><v>x</v></c>`, 1000) + "</row>", Unit: `<row><c t="str"><v>x</v></c></row>`,
			Parts: workbook("xl/part.xml")},
		"xlsx sheets": {Media: xlsx, Before: "<worksheet><sheetData>", Unit: `<row><c t="str"><v>x</v></c></row>`,
			Parts: []string{"xl/workbook.xml", `<workbook xmlns:r="r"><sheets>` +
				strings.Repeat(`<sheet r:id="a"/>`, 200) + `</sheets></workbook>`, "xl/_rels/workbook.xml.rels",
				related, "xl/part.xml", ""}},
		"pptx slides": {Media: pptx, Before: "<sld><cSld>",
			Unit: "<spTree><sp><txBody><p><r><t>x</t></r></p></txBody></sp></spTree>",
			Parts: []string{"ppt/presentation.xml", `<presentation xmlns:r="r"><sldIdLst>` +
				strings.Repeat(`<sldId r:id="a"/>`, 2000) + `</sldIdLst></presentation>`,
				"ppt/_rels/presentation.xml.rels", related, "ppt/part.xml", ""}},
		"pptx shapes": {Media: pptx, Before: "<sld><cSld><spTree>",
			Unit: "<grpSp><sp><txBody><p><r><t>x</t></r></p></txBody></sp>",
			Parts: []string{"ppt/presentation.xml",
				`<presentation xmlns:r="r"><sldIdLst><sldId r:id="a"/></sldIdLst></presentation>`,
				"ppt/_rels/presentation.xml.rels", related, "ppt/part.xml", ""}},
		"odt paragraphs": {Media: odt, Before: "<document-content><body><text>",
			Unit: "<p>x<note><note-body><p>y</p></note-body></note></p>", Parts: open(odt)},
		"odt lists": {Media: odt, Before: "<document-content><body><text>", Unit: "<list><list-item><p>x</p>",
			Parts: open(odt)},
		"ods repeated": {Media: ods, Before: "<document-content><body><spreadsheet><table>",
			Unit: `<table-row number-rows-repeated="9999"><table-cell number-columns-repeated="9999"><p>x</p></table-cell></table-row>`, Parts: open(ods)},
		"epub chapters": {Media: epub,
			Before: `<package><manifest><item id="a" href="a" media-type="text/html"/></manifest><spine>`,
			Unit:   `<itemref idref="a"/>`, Parts: []string{"mimetype", epub, "META-INF/container.xml",
				`<container><rootfile full-path="b.opf"/></container>`, "b.opf", "", "a", "<p>Words."}},
		"zip of many": {Media: docx, Before: "word/document.xml"},
		"zip of zips": {Media: "application/zip", Unit: "PK\x03\x04", Parts: []string{"a.zip", ""}},
		"zip of one":  {Media: "application/zip", Unit: "a", Parts: []string{"a.txt", ""}},

		"bibtex braces":  {Media: "application/x-bibtex", Before: "@article{a, title = {", Unit: "{"},
		"bibtex entries": {Media: "application/x-bibtex", Unit: "@article{a,"},
		"bibtex strings": {Media: "application/x-bibtex", Before: "@string{a = \"aaaaaaaaaaaaaaaa\"}\n",
			Unit: "@string{a = a # a}\n"},
		"bibtex accents": {Media: "application/x-bibtex", Before: "@article{a, title = {", Unit: `\"`},
		"bibtex authors": {Media: "application/x-bibtex", Before: "@article{a, title = {Tides of the north}, " +
			"author = {", Unit: "a and "},
		"ris entries": {Media: "application/x-research-info-systems", Unit: "TY  - JOUR\nTI  - a\n"},
		"ris authors": {Media: "application/x-research-info-systems",
			Before: "TY  - JOUR\nTI  - Tides of the north\n", Unit: "AU  - a\n"},
		"csl entries": {Media: "application/vnd.citationstyles.csl+json", Before: "[", Unit: `{"title":"a"},`},
		"list of works": {Media: "text/markdown", Before: "# Tides\n\nTides rise.\n\n## References\n\n",
			Unit: "Finch, B. (2016). A. "},
		"register's works": {Media: "application/json", Before: `{"message":{"items":[{"title":["a"]}`,
			Unit: `,{"title":["a"]}`},
		"robots rules": {Media: "text/plain", Before: "User-agent: *\n", Unit: "Disallow: /*a*b\n"},
		"robots stars": {Media: "text/plain", Before: "User-agent: *\nDisallow: /", Unit: "*a"},
	}
})
