package library

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/extract"
	"github.com/citewell/citewell/fetch"
	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/sqlite"
	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// pages is a web of plain texts by URL.
type pages map[string]string

func (p pages) Get(_ context.Context, r fetch.Request) (citewell.Page, error) {
	body, ok := p[r.URL]
	if !ok {
		return citewell.Page{}, &citewell.Error{Code: citewell.CodeHTTPStatus, Message: "the server answered 404"}
	}
	return citewell.Page{URL: r.URL, FinalURL: r.URL, Status: 200, ContentType: "text/plain", Body: []byte(body),
		SHA256: citewell.SHA256([]byte(body)), FetchedAt: time.Now().UTC(), Outcome: citewell.FetchOK}, nil
}

// shelf is a store whose writing can be made to fail.
type shelf struct {
	*sqlite.Store
	failAfter atomic.Int64 // documents that may still be indexed; below 0 any number
}

var errFull = &citewell.Error{Code: citewell.CodeStoreFailed, Message: "the disk is full"}

func (s *shelf) IndexDocument(ctx context.Context, doc citewell.Document, stamp string) error {
	if s.failAfter.Load() >= 0 && s.failAfter.Add(-1) < 0 {
		return errFull
	}
	return s.Store.IndexDocument(ctx, doc, stamp)
}

func newLibrary(t *testing.T, web pages) (*Library, *shelf) {
	t.Helper()
	db, err := sqlite.Open(t.Context(), t.TempDir(), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	s := &shelf{Store: db.Tenant("")}
	s.failAfter.Store(-1)
	return New(Options{Fetcher: web, Extract: extract.Extract, Store: s}), s
}

func notes(t *testing.T, n int) string {
	t.Helper()
	dir := t.TempDir()
	for i := range n {
		put(t, filepath.Join(dir, fmt.Sprintf("%03d.md", i)), fmt.Sprintf("# Note %d\n\nOn day %d the crane was seen "+
			"by the mill.\n", i, i))
	}
	return dir
}

func put(t *testing.T, name, content string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Who gives up keeps what was indexed by then, and forgets nothing else.
func TestCanceledInTheMiddle(t *testing.T) {
	l, s := newLibrary(t, nil)
	dir := notes(t, 60)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	sum, err := l.Index(ctx, []string{dir}, func(e Event) {
		if e.State == Indexed {
			cancel()
		}
	})
	if citewell.CodeOf(err) != citewell.CodeCanceled || sum.Indexed == 0 || sum.Removed != 0 {
		t.Fatalf("%+v, %v", sum, err)
	}
	n, err := s.CountDocuments(t.Context(), "")
	if err != nil || n < sum.Indexed || n >= 60 {
		t.Errorf("%d documents, %d were told, %v", n, sum.Indexed, err)
	}
	sum, err = l.Index(t.Context(), []string{dir}, nil)
	if err != nil || sum.Indexed+sum.Unchanged != 60 || sum.Unchanged != n {
		t.Errorf("afterwards %+v, %v", sum, err)
	}
}

// What an earlier version of the extractor read is read anew though it has not
// changed, and once only; its citations keep the text that they were made of.
func TestLaterExtractorReadsAnew(t *testing.T) {
	l, s := newLibrary(t, pages{"https://harbour.example/": "High water was at noon."})
	targets := []string{notes(t, 3), "https://harbour.example/"}
	if sum, err := l.Index(t.Context(), targets, nil); err != nil || sum.Indexed != 4 {
		t.Fatalf("%+v, %v", sum, err)
	}
	reading := func(ctx context.Context, page citewell.Page) (citewell.Document, error) {
		doc, err := extract.Extract(ctx, page)
		doc.Text += "\n\nA later reader has found this walrus."
		doc.TextSHA256 = citewell.SHA256([]byte(doc.Text))
		return doc, err
	}
	later := New(Options{Fetcher: l.o.Fetcher, Extract: reading, Reader: l.o.Reader + 1, Store: s})
	if sum, err := later.Index(t.Context(), targets, nil); err != nil || sum.Indexed != 4 || sum.Unchanged != 0 {
		t.Errorf("read by a later version: %+v, %v", sum, err)
	}
	if n, err := s.CountText(t.Context(), store.TextQuery{Text: "walrus"}); n != 4 || err != nil {
		t.Errorf("the later reading is found in %d documents (%v), want 4", n, err)
	}
	if sum, err := later.Index(t.Context(), targets, nil); err != nil || sum.Unchanged != 4 {
		t.Errorf("a second time: %+v, %v", sum, err)
	}
}

// A store that fails ends everything with its own error, and nothing is forgotten.
func TestStoreFails(t *testing.T) {
	l, s := newLibrary(t, nil)
	dir := notes(t, 20)
	if _, err := l.Index(t.Context(), []string{dir}, nil); err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		put(t, filepath.Join(dir, fmt.Sprintf("%03d.md", i)), "Every note was changed to something that is longer "+
			"than it was before.")
	}
	s.failAfter.Store(3)
	sum, err := l.Index(t.Context(), []string{dir}, nil)
	if !errors.Is(err, errFull) || sum.Indexed > 3 || sum.Removed != 0 {
		t.Errorf("%+v, %v", sum, err)
	}
	if n, err := s.CountDocuments(t.Context(), ""); err != nil || n != 20 {
		t.Errorf("%d documents, %v", n, err)
	}
}

// Each state and reason is told once, and the summary counts what was told.
func TestSummaryCountsEvents(t *testing.T) {
	l, _ := newLibrary(t, pages{"http://a.example/": "A page about cranes that is long enough to be read as a text."})
	dir := notes(t, 5)
	put(t, filepath.Join(dir, "empty.md"), "")
	states := map[State]int{}
	targets := []string{dir, "http://a.example/", "http://b.example/"}
	sum, err := l.Index(t.Context(), targets, func(e Event) {
		states[e.State]++
		if (e.Err != nil) != (e.State == Failed || e.State == Skipped) {
			t.Errorf("%s: %s with %v", e.URL, e.State, e.Err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if states[Indexed] != 6 || states[Skipped] != 1 || states[Failed] != 1 {
		t.Errorf("%v", states)
	}
	if sum.Indexed != 6 || sum.Skipped != 1 || sum.Failed != 1 || sum.Reasons["empty_body"] != 1 ||
		sum.Reasons["http_status"] != 1 {
		t.Errorf("%+v", sum)
	}
	sum, err = l.Index(t.Context(), targets, nil)
	if err != nil || sum.Unchanged != 6 || sum.Indexed != 0 {
		t.Errorf("again %+v, %v", sum, err)
	}
}

// A file that turns into something without text is not found any more.
func TestTextThatIsGoneIsForgotten(t *testing.T) {
	l, s := newLibrary(t, nil)
	dir := t.TempDir()
	name := filepath.Join(dir, "a.md")
	put(t, name, "The heron of the north stands in the reeds and waits for fish.")
	if _, err := l.Index(t.Context(), []string{dir}, nil); err != nil {
		t.Fatal(err)
	}
	for _, content := range []string{"", "\x89PNG\r\n\x1a\n0000", strings.Repeat("x", maxFileBytes+1)} {
		put(t, name, "The heron of the north is back in the reeds for some time.")
		if _, err := l.Index(t.Context(), []string{dir}, nil); err != nil {
			t.Fatal(err)
		}
		put(t, name, content)
		sum, err := l.Index(t.Context(), []string{dir}, nil)
		if err != nil || sum.Skipped != 1 {
			t.Fatalf("%+v, %v", sum, err)
		}
		hits, err := s.SearchText(t.Context(), store.TextQuery{Text: "heron"})
		if err != nil || len(hits) != 0 {
			t.Errorf("%.10q: still found: %+v, %v", content, hits, err)
		}
	}
}

// Only the named folder's own documents are forgotten, not those of a folder whose
// name begins the same.
func TestForgetsWithinTheFolder(t *testing.T) {
	l, s := newLibrary(t, nil)
	dir := t.TempDir()
	for _, name := range []string{"a", "ab"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
		put(t, filepath.Join(dir, name, "n.md"), "The heron of "+name+" stands in the reeds and waits for fish.")
	}
	if _, err := l.Index(t.Context(), []string{dir}, nil); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(dir, "a")); err != nil {
		t.Fatal(err)
	}
	sum, err := l.Index(t.Context(), []string{filepath.Join(dir, "a")}, nil)
	if err != nil || sum.Removed != 1 {
		t.Errorf("%+v, %v", sum, err)
	}
	left, err := s.ListDocuments(t.Context(), "")
	if err != nil || len(left) != 1 || !strings.HasSuffix(left[0], "/ab/n.md") {
		t.Errorf("left %v, %v", left, err)
	}
}

func TestTargets(t *testing.T) {
	l, _ := newLibrary(t, nil)
	tests := []struct {
		target string
		code   citewell.Code
	}{
		{"", citewell.CodeInvalidArgument},
		{"  ", citewell.CodeInvalidArgument},
		{"nowhere/at/all", citewell.CodeNotFound},
		{"a\x00b", citewell.CodeInvalidArgument},
		{"ftp://example.com/x", citewell.CodeUnsupportedScheme},
		{"http://", citewell.CodeInvalidURL},
		{"http://user:pw@example.com/", citewell.CodeInvalidURL},
		{"http://2130706433/", citewell.CodeInvalidURL},
		{"file://elsewhere/etc/motd", citewell.CodeInvalidURL},
		{"file://", citewell.CodeInvalidURL},
		{"file:///nowhere/at/all", citewell.CodeNotFound},
		{"FILE:///nowhere/at/all", citewell.CodeNotFound},
	}
	for _, test := range tests {
		sum, err := l.Index(t.Context(), []string{test.target}, func(e Event) {
			t.Errorf("%q: told of %+v", test.target, e)
		})
		if citewell.CodeOf(err) != test.code || sum.Indexed != 0 {
			t.Errorf("%q: %v, want %s", test.target, err, test.code)
		}
		if err != nil && strings.Contains(err.Error(), "pw") {
			t.Errorf("%q: the password is in %v", test.target, err)
		}
	}
}

func TestFileURL(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("paths with drive letters have other URLs")
	}
	tests := []struct{ path, url string }{
		{"/", "file:///"},
		{"/home/me/notes.md", "file:///home/me/notes.md"},
		{"/home/me/a b#c?d%e.md", "file:///home/me/a%20b%23c%3Fd%25e.md"},
		{"/tmp/../home/naïve", "file:///home/na%C3%AFve"},
		{"/caf\xe9", "file:///caf%E9"},
	}
	for _, test := range tests {
		got, err := FileURL(test.path)
		if err != nil || got != test.url {
			t.Errorf("FileURL(%q) = %q, %v, want %q", test.path, got, err, test.url)
		}
		back, err := filePath(got)
		if want := filepath.Clean(test.path); err != nil || back != want {
			t.Errorf("filePath(%q) = %q, %v, want %q", got, back, err, want)
		}
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := FileURL("."); err != nil || got != "file://"+filepath.ToSlash(here) {
		t.Errorf("FileURL(.) = %q, %v", got, err)
	}
}

func TestNameOf(t *testing.T) {
	tests := []struct{ url, want string }{
		{"file:///home/me/a%20note.md", "a note.md"},
		{"file:///caf%E9.md", "caf\uFFFD.md"},
		{"file:///usr/share/doc/zlib1g/copyright", "zlib1g/copyright"},
		{"file:///usr/share/doc/bash/README.Debian.gz", "bash/README.Debian.gz"},
		{"file:///README", "README"},
		{"https://example.com/", "example.com"},
		{"https://example.com/a/b?c", "b"},
		{"http://[", ""},
	}
	for _, test := range tests {
		if got := nameOf(test.url); got != test.want {
			t.Errorf("%s: %q, want %q", test.url, got, test.want)
		}
	}
}

// Several folders at once, and each event one at a time, which -race holds.
func TestEventsComeOneAtATime(t *testing.T) {
	l, _ := newLibrary(t, nil)
	var seen []string
	dirs := []string{notes(t, 30), notes(t, 30)}
	if _, err := l.Index(t.Context(), dirs, func(e Event) { seen = append(seen, e.URL) }); err != nil {
		t.Fatal(err)
	}
	slices.Sort(seen)
	if len(slices.Compact(seen)) != 60 {
		t.Errorf("%d documents told", len(seen))
	}
}

// Text that was compressed to save room is found and kept as the text it is; what
// only looks so, or is too large, is named and passed over.
func TestCompressedText(t *testing.T) {
	l, s := newLibrary(t, nil)
	dir := t.TempDir()
	zipped := func(text string) string {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		io.WriteString(w, text)
		w.Close()
		return b.String()
	}
	text := "# The harbour light\n\nThe harbour light was lit for the first time in 1871."
	put(t, filepath.Join(dir, "light.md.gz"), zipped(text))
	put(t, filepath.Join(dir, "liar.txt.gz"), text)
	put(t, filepath.Join(dir, "half.txt.gz"), zipped(text)[:40])
	put(t, filepath.Join(dir, "bomb.txt.gz"), zipped(strings.Repeat("the same words again ", 1<<20)))
	put(t, filepath.Join(dir, "tape.tar.gz"), zipped("light.md\x00"+strings.Repeat("\x00", 600)))
	reasons := map[string]citewell.Code{}
	sum, err := l.Index(t.Context(), []string{dir}, func(e Event) {
		reasons[path.Base(e.URL)] = citewell.CodeOf(e.Err)
	})
	if err != nil || sum.Indexed != 1 || sum.Skipped != 4 {
		t.Fatalf("%+v, %v, %v", sum, reasons, err)
	}
	want := map[string]citewell.Code{"light.md.gz": "", "liar.txt.gz": citewell.CodeUnsupportedType,
		"half.txt.gz": citewell.CodeExtractionFailed,
		"bomb.txt.gz": citewell.CodeResponseTooLarge, "tape.tar.gz": citewell.CodeUnsupportedType}
	if diff := cmp.Diff(want, reasons); diff != "" {
		t.Error(diff)
	}
	hits, err := s.SearchText(t.Context(), store.TextQuery{Text: "harbour light"})
	if err != nil || len(hits) != 1 || hits[0].Title != "The harbour light" {
		t.Fatalf("%+v, %v", hits, err)
	}
	page, _, err := s.Snapshot(t.Context(), hits[0].URL)
	if err != nil || string(page.Body) != text {
		t.Errorf("kept %q, %v", page.Body, err)
	}
}
