package textual

import (
	"context"
	"net/url"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/extract/internal/block"
	"github.com/citewell/citewell/extract/internal/media"
)

func reading(t *testing.T, reader media.Reader, text string, room int) (media.Reading, string) {
	t.Helper()
	in := media.Input{
		Text:     text,
		Raw:      []byte(text),
		Base:     &url.URL{Scheme: "http", Host: "quern.example", Path: "/a"},
		Media:    reader.Name,
		MaxText:  room,
		MaxLinks: 10,
	}
	r, err := reader.Read(t.Context(), in)
	if err != nil {
		t.Fatalf("%s %.60q: %v", reader.Called, text, err)
	}
	var texts []string
	for _, b := range r.Blocks {
		texts = append(texts, b.Text)
	}
	return r, strings.Join(texts, "\n")
}

// Each page is claimed by the one reader that is meant for it.
func TestClaims(t *testing.T) {
	for name, test := range map[string]struct {
		page media.Page
		want string // and what it is called there
	}{
		"csv declared":         {media.Page{Declared: "text/csv"}, "CSV text/csv"},
		"tabs declared":        {media.Page{Declared: "text/tab-separated-values"}, "CSV text/csv"},
		"csv by its name":      {media.Page{Declared: "text/plain", Extension: ".csv"}, "CSV text/csv"},
		"html called csv":      {media.Page{Declared: "text/html", Extension: ".csv"}, ""},
		"captions by bytes":    {media.Page{Vague: true, Body: []byte("WEBVTT\n\n")}, "captions text/vtt"},
		"only nearly captions": {media.Page{Vague: true, Body: []byte("WEBVTTS are")}, ""},
		"srt by its name":      {media.Page{Vague: true, Extension: ".srt"}, "captions " + citewell.MediaSRT},
	} {
		got := ""
		for _, r := range []media.Reader{CSV, Captions} {
			if claimed := r.Claims(test.page); claimed != "" {
				got += r.Called + " " + claimed
			}
		}
		if got != test.want {
			t.Errorf("%s: claimed as %q; want %q", name, got, test.want)
		}
	}
}

func TestSeparatorOf(t *testing.T) {
	for in, want := range map[string]rune{"a,b;c;d\n": ';', "\ufeff\na\tb\n": '\t', "a|b|c": '|', "": ',', "a,b;c": ',',
		"a\nb;c": ','} {
		if got := separatorOf(in); got != want {
			t.Errorf("%q is parted by %q; want %q", in, got, want)
		}
	}
}

func TestTables(t *testing.T) {
	r, got := reading(t, CSV, "name;rows\n\noven;3\n\"a;b\";4\n", 1<<16)
	if r.Kind != media.KindSpreadsheet || len(r.Blocks) != 1 || r.Cut != "" || !strings.Contains(got, "a;b") ||
		r.Blocks[0].Columns == "" {
		t.Errorf("%s, %d blocks, cut %q, columns %q: %q", r.Kind, len(r.Blocks), r.Cut, r.Blocks[0].Columns, got)
	}
	if r, _ := reading(t, CSV, "just a line\nand one more\n", 1<<16); r.Kind == media.KindSpreadsheet {
		t.Error("two lines of prose are a table")
	}
	if r, got := reading(t, CSV, "name,rows\n"+strings.Repeat("oven,3\n", 1000), 100); r.Cut == "" || len(got) > 200 {
		t.Errorf("a table without room has %d bytes, cut %q", len(got), r.Cut)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := CSV.Read(ctx, media.Input{Text: "a,b\nc,d\n", MaxText: 100}); err == nil {
		t.Error("a table is read for somebody who has gone")
	}
}

func TestTranscripts(t *testing.T) {
	r, got := reading(
		t,
		Captions,
		"WEBVTT - The mill\nLanguage: de\n\nNOTE\nnot said\n\n2\n00:00:09.000 --> 00:00:10.000\nsecond.\n\n"+
			"1\n00:01.000 --> 00:02.000\n<v Ann>first <i>words</i>\n",
		1<<16,
	)
	if r.Title != "The mill" || r.Language != "de" || r.Unit != citewell.UnitSecond || r.Kind != media.KindTranscript {
		t.Errorf("%q in %q by the %s, a %s", r.Title, r.Language, r.Unit, r.Kind)
	}
	if i, j := strings.Index(got, "first words"), strings.Index(got, "second."); i < 0 || j < i ||
		strings.Contains(got, "not said") ||
		strings.Contains(got, "<") {
		t.Errorf("what is said is %q", got)
	}
	if r, _ := reading(t, Captions, "no cue is here\n", 1<<16); r.Kind == media.KindTranscript {
		t.Error("a text without cues is a transcript")
	}
	for _, test := range []struct {
		parts []string
		want  int
	}{{[]string{"1", "02", "03"}, 3723}, {[]string{"", "02", "03"}, 123}, {[]string{"999", "59", "59"}, lastSecond}} {
		if got := secondOf(test.parts); got != test.want {
			t.Errorf("%v is second %d; want %d", test.parts, got, test.want)
		}
	}
}

func TestDayOf(t *testing.T) {
	for want, parts := range map[string][3]int{"2024-03-09": {2024, 3, 9}, "2024-11-30": {2024, 11, 30},
		"0-00-00": {}} {
		if got := dayOf(parts); got != want {
			t.Errorf("%v is %s; want %s", parts, got, want)
		}
	}
}

func TestFeedRoot(t *testing.T) {
	for in, want := range map[string]string{
		`<rss version="2.0">`: rssType,
		"\xef\xbb\xbf<?xml version=\"1.0\"?>\n<!-- a > b -->\n<rss>": rssType,
		`<!DOCTYPE rss [<!ENTITY x "y>z">]><rss>`:                    rssType,
		`<feed xmlns="http://www.w3.org/2005/Atom">`:                 atomType,
		`<feed xmlns="http://elsewhere.example/">`:                   "",
		`<rdf:RDF xmlns="http://purl.org/rss/1.0/">`:                 rssType,
		`<rssfeed>`: "", `text <rss>`: "", "": "", "<!-- never closed <rss>": "",
	} {
		if got := feedRoot([]byte(in)); got != want {
			t.Errorf("%s begins a %q; want %q", in, got, want)
		}
	}
}

func TestUnderlines(t *testing.T) {
	for _, test := range []struct {
		line, above string
		want        bool
	}{
		{"=====", "Title", true}, {"  ~~~~~  ", "Title", true}, {"==", "Ti", false}, {"==-==", "Title", false},
		{"*****", "Title", false},
		{"=====", "", false}, {"=====", "1234", false}, {"===", "A long line above", false},
		{strings.Repeat("=", 18), "Title", false}, {strings.Repeat("=", 17), "Title", true},
	} {
		if got := isUnderline(test.line, test.above); got != test.want {
			t.Errorf("%q under %q: %v", test.line, test.above, got)
		}
	}
}

func TestLaidOut(t *testing.T) {
	for text, want := range map[string]bool{
		"    code": true, "one line": false, "\tcode": true,
		"a short verse\nof three lines\nand no more":                                            true,
		"prose that is wrapped at a width that is usual in mails and\nother plain texts of old": false,
		"name   rows   doors\noven   3      4\n":                                                true,
		"- first\n- second\n- third":                                                            false,
		"A paragraph that hangs, so that its second line, and every\n  other line after the first one, is set in by " +
			"just as much\n  as the second": false,
	} {
		if got := laidOut(strings.Split(strings.TrimSuffix(text, "\n"), "\n")); got != want {
			t.Errorf("%q is laid out: %v", text, got)
		}
	}
}

func TestIndents(t *testing.T) {
	for line, want := range map[string]int{"": 0, "a": 0, "  a": 2, "\ta": 4, " \t a": 6, "   ": 3} {
		if got := indentOf(line); got != want {
			t.Errorf("%q is set in by %d; want %d", line, got, want)
		}
	}
	joined := joinCode(
		[]block.Block{
			{Kind: block.Code, Text: "a"},
			{Kind: block.Code, Text: "b"},
			{Text: "p"},
			{Kind: block.Code, Text: "c"},
		},
	)
	if len(joined) != 3 || joined[0].Text != "a\n\nb" || joined[2].Text != "c" {
		t.Errorf("the code is %+v", joined)
	}
}

func TestRowsOfJSON(t *testing.T) {
	_, got := reading(
		t,
		JSON,
		`[{"date": "2023", "country": {"id": "DE", "name": "Germany"}, "value": 1.50}, {"date": null, "ok": true}]`,
		1<<16,
	)
	for _, row := range []string{"date: 2023 | country.id: DE | country.name: Germany | value: 1.50",
		"date: null | ok: true"} {
		if !strings.Contains(got, row) {
			t.Errorf("%q has no row %q", got, row)
		}
	}
	for name, in := range map[string]string{"a list": `[{"a": [1, 2]}]`, "deeper": `[{"a": {"b": {"c": 1}}}]`,
		"a mark": `[{"a": "x|y"}]`, "nothing": `[{"a": {}}]`} {
		if _, got := reading(t, JSON, in, 1<<16); strings.Contains(got, citewell.Cells) {
			t.Errorf("%s is a row: %q", name, got)
		}
	}
}
