package extract

import (
	"context"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/extract/internal/office"
)

func TestSniff(t *testing.T) {
	const page = "<!doctype html><html><body><p>Some words that can be read.</p></body></html>"
	tests := []struct {
		name, address, declared, body string
		want                          string // media type, or empty for unsupported_type
		says                          string // part of the error's message and hint
	}{
		{"html", "/", "text/html; charset=utf-8", page, "text/html", ""},
		{"html_undeclared", "/", "", page, "text/html", ""},
		{"html_as_octets", "/", "application/octet-stream", page, "text/html", ""},
		{"html_odd_header", "/", "text/html;;charset", page, "text/html", ""},
		{"xhtml", "/", "application/xhtml+xml", page, "application/xhtml+xml", ""},
		{"html_without_marks", "/", "text/html", "just words", "text/html", ""},
		{"html_with_few_controls", "/", "text/html", page + "\x01\x02", "text/html", ""},
		{"text", "/a", "text/plain", "words", "text/plain", ""},
		{"text_that_looks_like_html", "/a", "text/plain", page, "text/plain", ""},
		{"markdown", "/a", "text/markdown", "# words", "text/markdown", ""},
		{"markdown_by_name", "/a/README.md", "text/plain", "# words", "text/markdown", ""},
		{"json", "/a", "application/json", `{"a":1}`, "application/json", ""},
		{"utf16_text", "/a", "text/plain; charset=utf-16le", "w\x00o\x00r\x00d\x00s\x00", "text/plain", ""},
		{"html_as_pdf", "/a", "application/pdf", page, "",
			`declared as "application/pdf", and its bytes are something else (look at what`},
		{"octets_as_pdf", "/a", "application/pdf", "\x00\x01\x02\x03", "",
			`declared as "application/pdf", and its bytes are something else`},
		{"text_as_docx", "/a", office.DOCX.Name, "just words", "", "and its bytes are something else"},
		{"text_as_what_nobody_knows", "/a", "application/x-of-ours", "just words", "",
			"the page is application/x-of-ours, which holds no text"},
		{"old_word", "/a.doc", "application/msword", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + strings.Repeat("\x00", 600),
			"", "save it as docx"},
		{"old_word_undeclared", "/a.doc", "", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + strings.Repeat("\x00", 600), "",
			"save it as docx"},
		{"png", "/a", "image/png", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "", "image/png"},
		{"png_as_html", "/a", "text/html", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "", "image/png"},
		{"html_as_png", "/a", "image/png", page, "", "image/png"},
		{"svg", "/a", "image/svg+xml", `<svg xmlns="http://www.w3.org/2000/svg"><text>x</text></svg>`, "",
			"image/svg+xml"},
		{"svg_undeclared", "/a.svg", "", `<svg xmlns="http://www.w3.org/2000/svg"><text>x</text></svg>`, "",
			"the page is image/svg+xml, which holds no text"},
		{"zip_as_text", "/a", "text/plain", "PK\x03\x04\x14\x00\x00\x00\x08\x00", "", "application/zip"},
		{"gzip", "/a", "", "\x1f\x8b\x08\x00\x00\x00\x00\x00", "", "application/gzip"},
		{"program", "/a", "text/html", "\x7fELF\x02\x01\x01" + strings.Repeat("\x00", 64), "", "application/x-"},
		{"windows_program", "/a", "", "MZ\x90\x00\x03\x00\x00\x00" + strings.Repeat("\x00", 120), "",
			"portable-executable"},
		{"unknown_octets", "/a", "", "\x00\x01\x02\x03\x04\x05\x06\x07", "", "binary data"},
		{"audio", "/a", "audio/mpeg", "ID3\x03\x00\x00\x00\x00\x00\x21", "", "audio/mpeg"},
		{"archive_declared", "/a", "application/zip", "not one", "", "application/zip"},
		{"json_lines", "/a", "application/jsonl", "{\"a\":1}\n{\"a\":2}", "application/jsonl", ""},
		{"yaml", "/a", "application/yaml", "a: 1", "application/yaml", ""},
		{"json_of_a_kind", "/a", "application/vnd.ours+json", `{"a":1}`, "application/vnd.ours+json", ""},
		{"message", "/a", "message/rfc822", "Subject: words\n\nWords.", "message/rfc822", ""},
		{"font_declared", "/a", "font/woff", "not one", "", "font/woff"},
		{"claimed_before_it_is_refused", "/a", "application/x-paper-xml",
			"<article><front><article-meta/></front><body><p>words</p></body></article>", citewell.MediaJATS, ""},
		{"no_type_at_all", "/a", "words", "just words", "words", ""},
		{"odd_header_in_capitals", "/a", "TEXT/HTML;;x", page, "text/html", ""},
		{"controls_in_twenty", "/a", "text/html", strings.Repeat("x", 19) + "\x01", "text/html", ""},
		{"controls_in_nineteen", "/a", "text/html", strings.Repeat("x", 18) + "\x01", "", "binary data"},
		{"allowed_controls", "/a", "text/html", "a\x0c\x1b\r\n\tb\x01" + strings.Repeat("x", 19), "text/html", ""},
		{"controls_undeclared", "/a", "", "words\x01" + strings.Repeat(" words", 20), "", "binary data"},
		{"utf16_named_otherwise", "/a", "text/plain; charset=Unicode", "w\x00o\x00r\x00d\x00s\x00", "text/plain", ""},
		{"picture_hint", "/a", "image/png", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "",
			"pictures and recordings are not read"},
		{"video_hint", "/a", "video/mp4", "\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom", "",
			"pictures and recordings are not read"},
		{"archive_hint", "/a", "", "\x1f\x8b\x08\x00\x00\x00\x00\x00", "", "archives are not unpacked"},
		{"packed_archive_hint", "/a", "application/x-7z-compressed", "7z\xbc\xaf\x27\x1c\x00\x04", "",
			"archives are not unpacked"},

		{"other_hint", "/a", "application/x-of-ours", "just words", "", "web pages"},
		{"declared_as_another", "/a", "text/html", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "",
			`the page is image/png, which holds no text that can be cited (declared as "text/html")`},
		{"html_in_xml", "/a", "text/xml", "<?xml version='1.0'?><html " +
			"xmlns='http://www.w3.org/1999/xhtml'><body><p>Words.</p></body></html>", "text/xml", ""},
		{"html_by_name", "/a.htm", "", "just words", "text/html", ""},
		{"rich_text", "/a", "text/rtf", `{\rtf1\ansi words}`, "application/rtf", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			page := citewell.Page{URL: "http://sniff.example" + test.address, ContentType: test.declared,
				Body: []byte(test.body)}
			document, err := Extract(context.Background(), page)
			if test.want == "" {
				view := citewell.View(err)
				if said := view.Message + " (" + view.Hint + ")"; view.Code != citewell.CodeUnsupportedType ||
					view.Hint == "" || !strings.Contains(said, test.says) {
					t.Fatalf("got %q and %v %s, want unsupported_type that says %q", document.MediaType, err,
						said, test.says)
				}
				return
			}
			if err != nil || document.MediaType != test.want {
				t.Fatalf("got %q and %v, want %q", document.MediaType, err, test.want)
			}
			checkDocument(t, document)
		})
	}
}

// Names tell the type only where they mean the same on every machine.
func TestMediaType(t *testing.T) {
	for name, want := range map[string]string{"a.MD": "text/markdown", "b.htm": "text/html",
		"c.xhtml": "application/xhtml+xml",
		"d.txt":   "text/plain", "e.ts": "", "README": "", "f.tar.gz": "", ".md": "text/markdown"} {
		if got := MediaType(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
