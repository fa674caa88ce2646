package library

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/meaning"
	"github.com/citewell/citewell/store"
)

// What is found says which rank it has by words and by meaning, and a page of it continues
// where the one before ended.
func TestFind(t *testing.T) {
	model := &words{name: "m"}
	l, m, s := meantLibrary(t, model)
	dir := t.TempDir()
	put(t, filepath.Join(dir, "a.txt"), "The tide is high by the mill.")
	put(t, filepath.Join(dir, "b.txt"), "A tidetable of the mill, in tin.")
	put(t, filepath.Join(dir, "c.txt"), "The mill stands, and the mill turns.")
	if _, err := l.Index(t.Context(), []string{dir}, nil); err != nil {
		t.Fatal(err)
	}
	f := meaning.NewFinder(s, m)
	find := func(q store.TextQuery, mode meaning.Mode) (meaning.Findings, string) {
		all, err := f.Find(t.Context(), q, mode)
		if err != nil {
			t.Fatal(err)
		}
		var said []string
		for _, one := range all.Found {
			said = append(said, fmt.Sprintf("%s words %d meaning %d", filepath.Base(one.URL), one.Words, one.Meaning))
		}
		return all, strings.Join(said, ", ")
	}
	both, said := find(store.TextQuery{Text: "tide mill", Limit: 10}, "")
	if both.Mode != meaning.ByBoth || both.Total != 3 || both.Next != 0 ||
		said != "a.txt words 1 meaning 1, b.txt words 3 meaning 2, c.txt words 2 meaning 0" {
		t.Errorf("both ways: %+v: %s", both, said)
	}
	if alone, said := find(store.TextQuery{Text: "tide", Limit: 10}, meaning.ByMeaning); said != "a.txt words 0 "+
		"meaning 1, b.txt words 0 meaning 2" || alone.Found[1].Excerpt.Text != "A tidetable of the mill, in tin." ||
		len(alone.Found[1].Excerpt.Marks) != 0 {
		t.Errorf("by meaning: %s, %+v", said, alone)
	}
	if page, said := find(store.TextQuery{Text: "tide mill", Limit: 1, Offset: 1}, ""); page.Next != 2 ||
		page.Total != 3 || said != "b.txt words 3 meaning 2" {
		t.Errorf("the second page: %+v: %s", page, said)
	}
	if page, said := find(store.TextQuery{Text: "mill", Limit: 1, Offset: 1}, meaning.ByWords); page.Next != 2 ||
		page.Total != 3 || !strings.HasSuffix(said, "words 2 meaning 0") {
		t.Errorf("the second page by words: %+v: %s", page, said)
	}
	model.down = &citewell.Error{Code: citewell.CodeConnectFailed, Message: "cannot be reached"}
	if all, _ := find(store.TextQuery{Text: "tide mill", Limit: 10}, ""); all.Mode != meaning.ByWords ||
		all.Warning != "By words alone: cannot be reached." || len(all.Found) != 3 {
		t.Errorf("without the model: %+v", all)
	}
	if _, err := f.Find(t.Context(), store.TextQuery{Text: "tide", Limit: 10},
		meaning.ByMeaning); citewell.CodeOf(err) != citewell.CodeConnectFailed {
		t.Errorf("meaning alone, without the model: %v", err)
	}
}

// A file that somebody sent is a document once, until it is removed.
func TestIndexSent(t *testing.T) {
	l, m, s := meantLibrary(t, &words{name: "m"})
	send := func(name, body string) Event {
		var events []Event
		if _, err := l.IndexSent(t.Context(), name, "", []byte(body), func(e Event) {
			if e.State != Embedded {
				events = append(events, e)
			}
		}); err != nil || len(events) != 1 {
			t.Fatalf("%s: %v, %v", name, events, err)
		}
		return events[0]
	}
	first := send("gate.md", "# The gate\n\nIt opens at low tide.")
	if first.State != Indexed || !strings.HasPrefix(first.URL, "file:///attached/") ||
		!strings.HasSuffix(first.URL, "/gate.md") {
		t.Fatalf("%+v", first)
	}
	if again := send("gate.md", "# The gate\n\nIt opens at low tide."); again.State != Unchanged ||
		again.URL != first.URL {
		t.Errorf("the same file again: %+v", again)
	}
	if other := send("gate.md", "# The gate\n\nIt is shut."); other.State != Indexed || other.URL == first.URL {
		t.Errorf("another file of its name: %+v", other)
	}
	if picture := send("gate.png", "\x89PNG\r\n\x1a\n"); picture.State != Skipped ||
		citewell.CodeOf(picture.Err) != citewell.CodeUnsupportedType {
		t.Errorf("a picture: %+v", picture)
	}
	if got := found(t, m, store.TextQuery{Text: "tide"}); !strings.HasPrefix(got, "gate.md: ") {
		t.Errorf("by meaning: %q", got)
	}
	for _, want := range []bool{true, false} {
		if there, err := l.Remove(t.Context(), first.URL); err != nil || there != want {
			t.Errorf("removed %v, %v", there, err)
		}
	}
	if n, err := s.CountVectors(t.Context(), "index:library", nil); err != nil || n != 1 {
		t.Errorf("%d vectors, %v", n, err)
	}
	if _, _, err := s.Snapshot(t.Context(), first.URL); err != nil {
		t.Errorf("what may be cited is gone: %v", err)
	}
}
