package office

import (
	"archive/zip"
	"bytes"
	"context"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/extract/internal/media"
)

// packed is a zip of parts, in pairs of a name and a content.
func packed(t *testing.T, method uint16, parts ...string) media.Input {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(parts); i += 2 {
		f, err := w.CreateHeader(&zip.FileHeader{Name: parts[i], Method: method})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(parts[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return media.Input{Raw: b.Bytes(), Base: &url.URL{Scheme: "http", Host: "quern.example"}, MaxText: 1 << 20, MaxLinks: 100}
}

func codeOf(t *testing.T, in media.Input, part string) citewell.Code {
	t.Helper()
	a, err := openArchive(context.Background(), in)
	if err == nil {
		_, err = a.read(part)
	}
	if err == nil {
		return ""
	}
	return citewell.CodeOf(err)
}

// What a part unpacks to is bounded by what it was packed to, whatever it claims to be.
func TestUnpackingIsBounded(t *testing.T) {
	small := packed(t, zip.Deflate, "a.xml", strings.Repeat("x", freeRatio))
	if code := codeOf(t, small, "a.xml"); code != "" {
		t.Errorf("a part of %d bytes is %s", freeRatio, code)
	}
	large := packed(t, zip.Deflate, "a.xml", strings.Repeat("x", freeRatio+1))
	if code := codeOf(t, large, "a.xml"); code != citewell.CodeArchiveTooLarge {
		t.Errorf("a byte more at more than %d to 1 is %q", maxRatio, code)
	}
	stored := packed(t, zip.Store, "a.xml", strings.Repeat("x", freeRatio+1))
	if code := codeOf(t, stored, "a.xml"); code != "" {
		t.Errorf("a byte more that is not packed is %s", code)
	}
	if code := codeOf(t, stored, "none.xml"); code != "" {
		t.Errorf("a part that is not there is %s", code)
	}
	a, err := openArchive(context.Background(), small)
	if err != nil {
		t.Fatal(err)
	}
	reads := 0
	for ; err == nil && reads < 10; reads++ {
		_, err = a.read("a.xml")
	}
	if reads != 5 || citewell.CodeOf(err) != citewell.CodeArchiveTooLarge {
		t.Errorf("a part that is named again and again is read %d times, then %v; four times %d bytes are free", reads, err, freeRatio)
	}
	var many []string
	for i := range MaxEntries + 1 {
		many = append(many, "part"+strings.Repeat("i", i%7)+string(rune('a'+i%26)), "")
	}
	if code := codeOf(t, packed(t, zip.Store, many...), "a"); code != citewell.CodeArchiveTooLarge {
		t.Errorf("%d parts are %q", MaxEntries+1, code)
	}
}

func TestDocumentsThatAreNotOpened(t *testing.T) {
	in := packed(t, zip.Store, "a.xml", "text")
	cut := in
	cut.Cut = true
	damaged := in
	damaged.Raw = damaged.Raw[:len(damaged.Raw)-10]
	secret := in
	secret.Raw = bytes.Clone(in.Raw)
	directory := bytes.Index(secret.Raw, []byte(directoryTag))
	secret.Raw[directory+8] |= 1 // the flag of an encrypted part
	for name, test := range map[string]struct {
		in   media.Input
		want citewell.Code
	}{
		"whole":     {in, ""},
		"cut":       {cut, citewell.CodeResponseTooLarge},
		"damaged":   {damaged, citewell.CodeExtractionFailed},
		"encrypted": {secret, citewell.CodeUnsupportedType},
	} {
		if got := codeOf(t, test.in, "a.xml"); got != test.want {
			t.Errorf("%s: %q; want %q", name, got, test.want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	a, err := openArchive(ctx, in)
	cancel()
	if err == nil {
		_, err = a.read("a.xml")
	}
	if err == nil {
		t.Error("a part is read for somebody who has gone")
	}
}

// No way of writing a part's name leads out of the document, and the first of two parts of one name counts.
func TestPartNames(t *testing.T) {
	for name, want := range map[string]string{"word/document.xml": "word/document.xml", "/word/document.xml": "word/document.xml",
		`word\document.xml`: "word/document.xml", "../../etc/passwd": "etc/passwd", "a/./b/../c": "a/c"} {
		if got := partName(name); got != want {
			t.Errorf("%q is the part %q; want %q", name, got, want)
		}
	}
	a, err := openArchive(context.Background(), packed(t, zip.Store, "a.xml", "first", "./a.xml", "second", "folder/", ""))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := a.read(`.\a.xml`); err != nil || string(got) != "first" {
		t.Errorf("%q, %v", got, err)
	}
	if a.parts["folder"] != nil {
		t.Error("a folder is a part")
	}
}

func TestRelations(t *testing.T) {
	long := "http://long.example/" + strings.Repeat("x", maxTarget)
	a, err := openArchive(context.Background(), packed(t, zip.Store, "word/_rels/document.xml.rels", `<Relationships>
		<Relationship Id="r1" Target="styles.xml"/><Relationship Id="r2" Target="/docProps/core.xml"/>
		<Relationship Id="r3" Target="http://quern.example/a b" TargetMode="External"/><Relationship Id="r4" Target="../../../x.xml"/>
		<Relationship Id="r5" Target="`+long+`" TargetMode="External"/></Relationships>`))
	if err != nil {
		t.Fatal(err)
	}
	got, err := a.relations("word/document.xml")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"r1": "word/styles.xml", "r2": "docProps/core.xml", "r3": "http://quern.example/a b", "r4": "x.xml"}
	for id, target := range want {
		if got[id] != target {
			t.Errorf("%s leads to %q; want %q", id, got[id], target)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d relations; want %d", len(got), len(want))
	}
}

// A zip is claimed by the name of one of its entries, not by a name that stands in a text of it.
func TestClaims(t *testing.T) {
	word := packed(t, zip.Store, docxPart, "<w/>").Raw
	book := packed(t, zip.Store, "mimetype", epubType, containerPart, "<c/>").Raw
	for name, test := range map[string]struct {
		reader media.Reader
		body   []byte
		want   string
	}{
		"word":           {DOCX, word, docxType},
		"book":           {EPUB, book, epubType},
		"named in text":  {DOCX, packed(t, zip.Store, "a.txt", "it has "+docxPart+" as a part").Raw, ""},
		"book as word":   {DOCX, book, ""},
		"no zip":         {DOCX, append([]byte("MZ"), word...), ""},
		"no type first":  {EPUB, packed(t, zip.Store, containerPart, "<c/>").Raw, ""},
		"sheet":          {XLSX, packed(t, zip.Store, xlsxPart, "<s/>").Raw, xlsxType},
		"slides as book": {EPUB, packed(t, zip.Store, pptxPart, "<p/>").Raw, ""},
	} {
		if got := test.reader.Claims(media.Page{Body: test.body}); got != test.want {
			t.Errorf("%s: %q; want %q", name, got, test.want)
		}
	}
}

func TestSpans(t *testing.T) {
	for _, test := range [][3]string{{"2", "3", ` colspan="2" rowspan="3"`}, {"1", "", ""}, {"100", "99", ` rowspan="99"`}, {"-2", "x", ""}} {
		if got := spans(test[0], test[1]); got != test[2] {
			t.Errorf("%s and %s: %q; want %q", test[0], test[1], got, test[2])
		}
	}
}

// What a cell shows is a number by the format that it names: the code of Excel, or a number of a built-in one.
func TestNumbersAsTheyAreShown(t *testing.T) {
	x := sheetReader{epoch: time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)}
	for _, test := range []struct {
		n          float64
		code, want string
	}{
		{0.1 + 0.2, "General", "0.3"}, {1234567, "#,##0", "1234567"}, {0.125, "0.0%", "12.5%"}, {1e20, "0", "1e+20"},
		{45000, "yyyy-mm-dd", "2023-03-15"}, {45000, "d. mmmm", "2023-03-15"}, {45000.75, `dd/mm/yy hh:mm`, "2023-03-15 18:00:00"},
		{0.5, "hh:mm", "12:00:00"}, {1.104166667, "[h]:mm", "26:30"}, {0.25, "[mm]", "360"}, {0.0001, "[ss]", "9"},
		{45000, `"day"0`, "45000"}, {45000, `\d0`, "45000"}, {45000, `[Red]0`, "45000"}, {45000, "0;yyyy", "45000"},
		{-1, "yyyy-mm-dd", "-1"}, {2_958_466, "yyyy-mm-dd", "2958466"}, {2_958_465, "yyyy-mm-dd", "9999-12-31"},
	} {
		if got := x.shown(test.n, kindOfFormat(test.code)); got != test.want {
			t.Errorf("%v as %s is %s; want %s", test.n, test.code, got, test.want)
		}
	}
	for n, want := range map[int]numberKind{0: plainNumber, 9: percentNumber, 10: percentNumber, 11: plainNumber, 13: plainNumber, 14: dateNumber, 17: dateNumber,
		18: timeNumber, 22: timeNumber, 23: plainNumber, 44: plainNumber, 45: timeNumber, 46: elapsedUnits, 47: timeNumber, 48: plainNumber} {
		if got := builtinFormat(n); got != want {
			t.Errorf("format %d shows %v; want %v", n, got, want)
		}
	}
}

func TestColumnOf(t *testing.T) {
	for reference, want := range map[string]int{"A1": 0, "Z9": 25, "AA1": 26, "AB12": 27} {
		if got, ok := columnOf(reference); !ok || got != want {
			t.Errorf("%s is column %d, %v; want %d", reference, got, ok, want)
		}
	}
	for _, reference := range []string{"", "12", "a1", "ZZZZZZ1"} {
		if got, ok := columnOf(reference); ok {
			t.Errorf("%q is column %d", reference, got)
		}
	}
}

func TestFirstNumber(t *testing.T) {
	for start, want := range map[string]int{"": 1, "x": 1, "-4": 1, "0": 1, "7": 7} {
		if got := firstNumber(start); got != want {
			t.Errorf("%q begins at %d; want %d", start, got, want)
		}
	}
}
