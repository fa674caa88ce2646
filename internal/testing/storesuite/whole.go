package storesuite

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/store"
	"github.com/google/go-cmp/cmp"
)

// tenantsAreApart tries every method with one tenant's keys through another's
// store, names that look alike or like SQL included.
func tenantsAreApart(t *testing.T, b Backend) {
	ctx := t.Context()
	mine := b.Tenant("a")
	page, doc := newPage("https://tides.example/a", "body", "text about barnacles", noon)
	source, passages := newSource(1, 1)
	brief := newBrief()
	must(t, mine.PutSnapshot(ctx, page, doc))
	must(t, mine.AddSource(ctx, "b1", source, passages))
	must(t, mine.PutBrief(ctx, brief))
	must(t, mine.IndexDocument(ctx, doc, "stamp"))

	for _, name := range []string{"b", "A", "a ", "", "%", "a' OR '1'='1", "a\x00"} {
		other := b.Tenant(name)
		_, err := other.Blob(ctx, page.SHA256)
		wantCode(t, err, citewell.CodeNotFound)
		_, _, err = other.Snapshot(ctx, page.FinalURL)
		wantCode(t, err, citewell.CodeNotFound)
		_, err = other.Passage(ctx, passages[0].ID)
		wantCode(t, err, citewell.CodeNotFound)
		_, err = other.Brief(ctx, brief.ID)
		wantCode(t, err, citewell.CodeNotFound)
		wantFound(t, other, "barnacles")
		stamp, err := other.Stamp(ctx, doc.URL)
		must(t, err)
		count, err := other.CountDocuments(ctx, "")
		must(t, err)
		listed, err := other.ListDocuments(ctx, "")
		must(t, err)
		removed, err := other.RemoveDocument(ctx, doc.URL)
		must(t, err)
		if stamp != "" || count != 0 || len(listed) > 0 || removed {
			t.Errorf("tenant %q sees stamp %q, count %d, list %v, removed %v of another tenant", name, stamp, count,
				listed, removed)
		}
	}

	// The same keys again, with other values, change nothing of the first tenant's.
	theirs := b.Tenant("b")
	otherPage, otherDoc := newPage(page.FinalURL, "their body", "their text about limpets", noon.AddDate(1, 0, 0))
	otherSource, otherPassages := newSource(1, 1)
	otherPassages[0].ID, otherPassages[0].Text = passages[0].ID, "theirs"
	otherBrief := brief
	otherBrief.Query = "theirs"
	must(t, theirs.PutSnapshot(ctx, otherPage, otherDoc))
	must(t, theirs.AddSource(ctx, "b1", otherSource, otherPassages))
	must(t, theirs.PutBrief(ctx, otherBrief))
	must(t, theirs.IndexDocument(ctx, otherDoc, "their stamp"))
	gotPage, _, err := mine.Snapshot(ctx, page.FinalURL)
	must(t, err)
	record, err := mine.Passage(ctx, passages[0].ID)
	must(t, err)
	kept, err := mine.Brief(ctx, brief.ID)
	must(t, err)
	if string(gotPage.Body) != "body" || record.Passage.Text != passages[0].Text || kept.Query != brief.Query {
		t.Errorf("another tenant's write is seen: %q, %q, %q", gotPage.Body, record.Passage.Text, kept.Query)
	}
	wantFound(t, mine, "limpets")
	wantFound(t, theirs, "limpets", doc.URL)

	// Content that both have is each one's own: it is there for both.
	must(t, theirs.PutSnapshot(ctx, page, doc))
	for _, s := range []Store{mine, theirs} {
		_, err := s.Blob(ctx, page.SHA256)
		must(t, err)
	}
}

func tenantsDoNotChangeScores(t *testing.T, b Backend) {
	mine, theirs := b.Tenant("a"), b.Tenant("b")
	for i := range 4 {
		index(t, mine, fmt.Sprintf("https://a.example/%d", i), "en", "",
			"The tide table of harbour "+strings.Repeat("tide ", i)+".")
	}
	search := func() []store.TextHit {
		hits, err := mine.SearchText(t.Context(), store.TextQuery{Text: "tide harbour"})
		must(t, err)
		return hits
	}
	before := search()
	for i := range 40 {
		index(t, theirs, fmt.Sprintf("https://b.example/%d", i), "en", "", strings.Repeat("Tide and more tide. ", 30))
	}
	if diff := cmp.Diff(before, search()); diff != "" {
		t.Errorf("another tenant's documents changed the answer (-before +after):\n%s", diff)
	}
}

func survivesReopening(t *testing.T, b Backend) {
	s, ctx := b.Tenant("a"), t.Context()
	page, doc := newPage("https://tides.example/a", "body", "text about barnacles", noon)
	source, passages := newSource(1, 2)
	brief := newBrief()
	must(t, s.PutSnapshot(ctx, page, doc))
	must(t, s.AddSource(ctx, brief.ID, source, passages))
	must(t, s.PutBrief(ctx, brief))
	must(t, s.IndexDocument(ctx, doc, "stamp"))

	s = b.Reopen(t).Tenant("a")
	_, gotDoc, err := s.Snapshot(ctx, page.FinalURL)
	must(t, err)
	record, err := s.Passage(ctx, passages[1].ID)
	must(t, err)
	gotBrief, err := s.Brief(ctx, brief.ID)
	must(t, err)
	if diff := cmp.Diff(brief, gotBrief); diff != "" || gotDoc.Text != doc.Text || record.Brief != brief.ID {
		t.Errorf("after reopening: document %q, passage of brief %q, brief\n%s", gotDoc.Text, record.Brief, diff)
	}
	wantFound(t, s, "barnacle", doc.URL)
	wantCode(t, s.AddSource(ctx, brief.ID, citewell.Source{N: 1}, nil), citewell.CodeInvalidArgument)
}

func manyGoroutines(t *testing.T, b Backend) {
	s, ctx := b.Tenant("a"), t.Context()
	const writers, each = 8, 12
	var group sync.WaitGroup
	for w := range writers {
		group.Go(func() {
			for i := range each {
				text := fmt.Sprintf("Writer %d wrote line %d about barnacles.", w, i)
				page, doc := newPage(fmt.Sprintf("https://w%d.example/%d", w, i), "the same body for all", text, noon)
				source, passages := newSource(i+1, 2)
				for _, err := range []error{
					s.PutSnapshot(ctx, page, doc),
					s.AddSource(ctx, fmt.Sprint("brief", w), source, passages),
					s.IndexDocument(ctx, doc, "stamp"),
				} {
					if err != nil {
						t.Error(err)
					}
				}
				if got, err := s.Passage(ctx, passages[1].ID); err != nil || got.Brief != fmt.Sprint("brief", w) {
					t.Errorf("own write is not read: %+v, %v", got, err)
				}
				if hits, err := s.SearchText(ctx, store.TextQuery{Text: "barnacles"}); err != nil || len(hits) == 0 {
					t.Errorf("own document is not found: %d hits, %v", len(hits), err)
				}
			}
		})
	}
	group.Wait()
	if n, err := s.CountDocuments(ctx, ""); n != writers*each || err != nil {
		t.Errorf("%d documents (%v), want %d", n, err, writers*each)
	}
	for w := range writers {
		for i := range each {
			_, doc, err := s.Snapshot(ctx, fmt.Sprintf("https://w%d.example/%d", w, i))
			must(t, err)
			if want := fmt.Sprintf("Writer %d wrote line %d about barnacles.", w, i); doc.Text != want {
				t.Errorf("text is %q, want %q", doc.Text, want)
			}
		}
	}
}

func canceled(t *testing.T, b Backend) {
	s := b.Tenant("a")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	source, passages := newSource(1, 1)
	page, doc := newPage("https://tides.example/a", "body", "text", noon)
	wantCode(t, s.AddSource(ctx, "b", source, passages), citewell.CodeCanceled)
	wantCode(t, s.PutSnapshot(ctx, page, doc), citewell.CodeCanceled)
	wantCode(t, s.IndexDocument(ctx, doc, ""), citewell.CodeCanceled)
	_, err := s.Brief(ctx, "b")
	wantCode(t, err, citewell.CodeCanceled)
	_, err = s.Passage(t.Context(), passages[0].ID)
	wantCode(t, err, citewell.CodeNotFound)
	_, _, err = s.Snapshot(t.Context(), page.FinalURL)
	wantCode(t, err, citewell.CodeNotFound)
}
