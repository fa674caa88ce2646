package storesuite

import (
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/google/go-cmp/cmp"
)

func snapshotRoundTrip(t *testing.T, b Backend) {
	s, ctx := b.Tenant("a"), t.Context()
	page, doc := newPage("https://tides.example/a", "<p>High water \x00\xff</p>",
		"High water is at noon.\n\n満潮は正午です。", noon)
	must(t, s.PutSnapshot(ctx, page, doc))
	must(t, s.PutSnapshot(ctx, page, doc)) // the same again is no error
	gotPage, gotDoc, err := s.Snapshot(ctx, page.FinalURL)
	must(t, err)
	if diff := cmp.Diff(page, gotPage); diff != "" {
		t.Errorf("page differs (-put +got):\n%s", diff)
	}
	if diff := cmp.Diff(doc, gotDoc); diff != "" {
		t.Errorf("document differs (-put +got):\n%s", diff)
	}
	for hash, want := range map[string]string{page.SHA256: string(page.Body), doc.TextSHA256: doc.Text} {
		got, err := s.Blob(ctx, hash)
		must(t, err)
		if string(got) != want {
			t.Errorf("blob %s is %q, want %q", hash, got, want)
		}
	}
}

func snapshotNewestWins(t *testing.T, b Backend) {
	s, ctx := b.Tenant("a"), t.Context()
	const url = "https://tides.example/a"
	put := func(body string, at time.Time) {
		t.Helper()
		page, doc := newPage(url, body, "text of "+body, at)
		must(t, s.PutSnapshot(ctx, page, doc))
	}
	want := func(body string, at time.Time) {
		t.Helper()
		page, doc, err := s.Snapshot(ctx, url)
		must(t, err)
		if string(page.Body) != body || doc.Text != "text of "+body || !page.FetchedAt.Equal(at) {
			t.Errorf("got %q of %v, want %q of %v", page.Body, page.FetchedAt, body, at)
		}
	}
	put("second", noon.Add(time.Hour))
	put("first", noon) // arrives late, is older
	want("second", noon.Add(time.Hour))
	put("first", noon.Add(2*time.Hour)) // the page went back to what it said
	want("first", noon.Add(2*time.Hour))
}

func snapshotKeepsEveryVersion(t *testing.T, b Backend) {
	s, ctx := b.Tenant("a"), t.Context()
	page, doc := newPage("https://tides.example/a", "body", "as version 3 read it", noon)
	must(t, s.PutSnapshot(ctx, page, doc))
	page.FetchedAt, doc.Text, doc.TextSHA256, doc.Extractor.Version = noon.Add(time.Hour), "as version 4 read it", "", 4
	must(t, s.PutSnapshot(ctx, page, doc))
	for _, text := range []string{"as version 3 read it", "as version 4 read it"} {
		got, err := s.Blob(ctx, citewell.SHA256([]byte(text)))
		must(t, err)
		if string(got) != text {
			t.Errorf("got %q, want %q", got, text)
		}
	}
	_, newest, err := s.Snapshot(ctx, page.FinalURL)
	must(t, err)
	if newest.Extractor.Version != 4 || newest.TextSHA256 != citewell.SHA256([]byte(doc.Text)) {
		t.Errorf("newest is version %d with hash %s", newest.Extractor.Version, newest.TextSHA256)
	}
}

func snapshotHashesAreChecked(t *testing.T, b Backend) {
	s, ctx := b.Tenant("a"), t.Context()
	page, doc := newPage("https://tides.example/a", "body", "text", noon)
	wrongPage := page
	wrongPage.SHA256 = citewell.SHA256([]byte("other"))
	wantCode(t, s.PutSnapshot(ctx, wrongPage, doc), citewell.CodeInvalidArgument)
	wrongDoc := doc
	wrongDoc.TextSHA256 = strings.ToUpper(doc.TextSHA256)
	wantCode(t, s.PutSnapshot(ctx, page, wrongDoc), citewell.CodeInvalidArgument)
	_, _, err := s.Snapshot(ctx, page.FinalURL)
	wantCode(t, err, citewell.CodeNotFound)

	page.SHA256, doc.TextSHA256 = "", "" // not claimed: computed
	must(t, s.PutSnapshot(ctx, page, doc))
	gotPage, gotDoc, err := s.Snapshot(ctx, page.FinalURL)
	must(t, err)
	if gotPage.SHA256 != citewell.SHA256([]byte("body")) || gotDoc.TextSHA256 != citewell.SHA256([]byte("text")) {
		t.Errorf("hashes were not computed: %q, %q", gotPage.SHA256, gotDoc.TextSHA256)
	}
}

func snapshotBadArguments(t *testing.T, b Backend) {
	s, ctx := b.Tenant("a"), t.Context()
	wantCode(t, s.PutSnapshot(ctx, citewell.Page{}, citewell.Document{}), citewell.CodeInvalidArgument)
	for _, hash := range []string{"", "../../../etc/passwd", "zz", strings.Repeat("g", 64), strings.Repeat("A", 64),
		strings.Repeat("a", 63), strings.Repeat("a", 65), citewell.SHA256([]byte("nobody put this"))} {
		_, err := s.Blob(ctx, hash)
		wantCode(t, err, citewell.CodeNotFound)
	}
	page, doc := newPage("https://empty.example/", "", "", noon)
	must(t, s.PutSnapshot(ctx, page, doc)) // nothing is content too
	got, err := s.Blob(ctx, citewell.SHA256(nil))
	must(t, err)
	if len(got) != 0 {
		t.Errorf("got %q, want nothing", got)
	}
}
