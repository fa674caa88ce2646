package library_test

import (
	"bytes"
	"net/url"
	"strings"
	"testing"
	"unicode"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/library"
)

func TestAttached(t *testing.T) {
	for name, want := range map[string]string{"plan.md": "plan.md text/markdown", "../../etc/pass wd": "pass wd ",
		`C:\\notes\\a.pdf`: "a.pdf application/pdf", "a\nb\u202e.txt": "a b .txt text/plain"} {
		page, shown, err := library.Attached(name, "", []byte("some words"))
		if err != nil || shown+" "+page.ContentType != want || page.SHA256 != citewell.SHA256([]byte("some words")) ||
			!strings.HasPrefix(page.URL, "file:///attached/"+page.SHA256[:32]+"/") {
			t.Errorf("%q is %q, %q at %s: %v", name, shown, page.ContentType, page.URL, err)
		}
	}
	if _, _, err := library.Attached("a.txt", "", bytes.Repeat([]byte("a"), 17<<20)); citewell.CodeOf(
		err) != citewell.CodeResponseTooLarge {
		t.Errorf("17 MiB: %v", err)
	}
	if _, _, err := library.Attached("a.txt", "", []byte("\x89PNG\r\n\x1a\n")); citewell.CodeOf(
		err) != citewell.CodeUnsupportedType {
		t.Errorf("a picture by another name: %v", err)
	}
}

// Whatever somebody calls a file, its address is one of attached files, and its name is one
// visible line.
func FuzzAttachedName(f *testing.F) {
	for _, name := range []string{"a.txt", "/", "..", "", "%2e%2e/x", "file:///etc/passwd", "a?b#c", "\x00", "é.md"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		page, shown, err := library.Attached(name, "", []byte("words"))
		if err != nil {
			return // packed with gzip, by its name
		}
		u, err := url.Parse(page.URL)
		if err != nil || u.Scheme != "file" || u.Host != "" || u.RawQuery != "" || u.Fragment != "" ||
			!strings.HasPrefix(u.Path, "/attached/"+page.SHA256[:32]+"/") ||
			strings.Contains(strings.TrimPrefix(u.Path, "/attached/"+page.SHA256[:32]+"/"), "/") || shown == "" ||
			strings.ContainsFunc(shown, unicode.IsControl) {
			t.Errorf("%q is %q at %s", name, shown, page.URL)
		}
	})
}
