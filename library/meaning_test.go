package library

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/extract"
	"github.com/citewell/citewell/internal/meaning"
	"github.com/citewell/citewell/store"
)

// An axis of each word: texts are near that share one.
var axes = []string{"tide", "tin", "bread", "crane"}

// words is a model whose vectors say which of axes a text has. It refuses texts that
// have the word refuse, and answers nothing where it is down.
type words struct {
	name string
	down error
	read [][]string // the texts of each call
}

func (w *words) Name() string { return w.name }

func (w *words) Embed(_ context.Context, texts []string) ([][]float32, error) {
	w.read = append(w.read, texts)
	if w.down != nil {
		return nil, w.down
	}
	vectors := make([][]float32, len(texts))
	for i, s := range texts {
		if strings.Contains(s, "refuse") {
			return nil, &citewell.Error{Code: citewell.CodeModelFailed, Message: "too long"}
		}
		vectors[i] = []float32{0.1, 0, 0, 0, 0}
		for k, axis := range axes {
			if strings.Contains(s, axis) {
				vectors[i][k+1] = 1
			}
		}
	}
	return vectors, nil
}

func meantLibrary(t *testing.T, model *words) (*Library, *meaning.Meanings, *shelf) {
	t.Helper()
	_, s := newLibrary(t, nil)
	m := meaning.NewMeanings(s, s.Store, model)
	return New(Options{Extract: extract.Extract, Store: s, Meanings: m}), m, s
}

func found(t *testing.T, m *meaning.Meanings, q store.TextQuery) string {
	t.Helper()
	hits, err := m.SearchText(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, h := range hits {
		names = append(names, filepath.Base(h.URL)+": "+h.Snippet)
	}
	return strings.Join(names, "\n")
}

// A document is found by the meaning of its nearest passage, once, below the folder that
// is asked for; a changed one by what it says now, one that is gone not at all.
func TestFoundByMeaning(t *testing.T) {
	l, m, s := meantLibrary(t, &words{name: "m"})
	dir := t.TempDir()
	put(t, filepath.Join(dir, "a.md"), "# Harbour\n\nAbout the tide.\n\n## Metals\n\nAbout tin.")
	put(t, filepath.Join(dir, "b.txt"), "About tin and bread.")
	if sum, err := l.Index(t.Context(), []string{dir}, nil); err != nil || sum.Embedded != 2 || sum.Indexed != 2 ||
		sum.Warning != "" {
		t.Fatalf("%+v, %v", sum, err)
	}
	if got := found(t, m, store.TextQuery{Text: "tide", Limit: 1}); got != "a.md: Harbour\n\nAbout the tide." {
		t.Errorf("tide is in %q", got)
	}
	folder, err := FileURL(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got := found(t, m, store.TextQuery{Text: "tin", URLPrefix: folder + "/b"}); got != "b.txt: About tin "+
		"and bread." {
		t.Errorf("tin below b is in %q", got)
	}
	put(t, filepath.Join(dir, "b.txt"), "Now it is the crane.")
	if err := os.Remove(filepath.Join(dir, "a.md")); err != nil {
		t.Fatal(err)
	}
	if sum, err := l.Index(t.Context(), []string{dir}, nil); err != nil || sum.Embedded != 1 || sum.Removed != 1 {
		t.Fatalf("%+v, %v", sum, err)
	}
	if got := found(t, m, store.TextQuery{Text: "tide tin"}); got != "b.txt: Now it is the crane." {
		t.Errorf("afterwards %q", got)
	}
	if n, err := s.CountVectors(t.Context(), "index:library", nil); err != nil || n != 1 {
		t.Errorf("%d vectors, %v", n, err)
	}
}

// A text that the endpoint refuses costs the others nothing; one that does not answer is
// asked once, and the vectors come at the next call.
func TestEmbeddingFails(t *testing.T) {
	model := &words{name: "m"}
	l, _, _ := meantLibrary(t, model)
	dir := t.TempDir()
	for _, name := range []string{"a", "b", "c"} {
		put(t, filepath.Join(dir, name+".txt"), "About bread, by "+name)
	}
	put(t, filepath.Join(dir, "d.txt"), "They refuse this.")
	model.down = &citewell.Error{Code: citewell.CodeConnectFailed, Message: "cannot be reached"}
	sum, err := l.Index(t.Context(), []string{dir}, nil)
	if err != nil || sum.Indexed != 4 || sum.WithoutVectors != 4 || len(model.read) != 1 ||
		!strings.Contains(sum.Warning, "cannot be reached") {
		t.Fatalf("%+v, %v, %d calls", sum, err, len(model.read))
	}
	model.down = nil
	sum, err = l.Index(t.Context(), []string{dir}, nil)
	if err != nil || sum.Unchanged != 4 || sum.Embedded != 3 || sum.WithoutVectors != 1 ||
		!strings.Contains(sum.Warning, "d.txt") {
		t.Fatalf("%+v, %v", sum, err)
	}
	model.read = nil
	if sum, err = l.Index(t.Context(), []string{dir}, nil); err != nil || sum.Embedded != 0 || len(model.read) != 1 ||
		len(model.read[0]) != 1 {
		t.Errorf("%+v, %v; %q were read again", sum, err, model.read)
	}
}

// Vectors of another model are never compared: a search is refused, and indexing makes
// them anew and tells it.
func TestEmbeddingModelChanges(t *testing.T) {
	l, m, s := meantLibrary(t, &words{name: "m"})
	dir := t.TempDir()
	put(t, filepath.Join(dir, "a.txt"), "About tin.")
	if _, err := l.Index(t.Context(), []string{dir}, nil); err != nil {
		t.Fatal(err)
	}
	other := meaning.NewMeanings(s, s.Store, &words{name: "n"})
	if _, err := other.SearchText(t.Context(), store.TextQuery{
		Text: "tin"}); citewell.CodeOf(err) != citewell.CodeInvalidArgument {
		t.Errorf("the search of n's in m's vectors: %v", err)
	}
	l = New(Options{Extract: extract.Extract, Store: s, Meanings: other})
	sum, err := l.Index(t.Context(), []string{dir}, nil)
	if err != nil || sum.Unchanged != 1 || sum.Embedded != 1 ||
		!strings.Contains(sum.Warning, "the embedding model was m") {
		t.Fatalf("%+v, %v", sum, err)
	}
	if got := found(t, other, store.TextQuery{Text: "tin"}); got != "a.txt: About tin." {
		t.Errorf("tin is in %q", got)
	}
	if _, err := m.SearchText(t.Context(), store.TextQuery{
		Text: "tin"}); citewell.CodeOf(err) != citewell.CodeInvalidArgument {
		t.Errorf("the search of m's in n's vectors: %v", err)
	}
}

// Many documents are asked for in few calls.
func TestEmbeddingIsBatched(t *testing.T) {
	model := &words{name: "m"}
	l, _, _ := meantLibrary(t, model)
	if sum, err := l.Index(t.Context(), []string{notes(t, 300)}, nil); err != nil || sum.Embedded != 300 ||
		len(model.read) != 3 {
		t.Errorf("%+v, %v, in %d calls", sum, err, len(model.read))
	}
	if longest := slices.MaxFunc(model.read, func(a, b []string) int {
		return len(a) - len(b)
	}); len(longest) != embedAtOnce {
		t.Errorf("%d at once", len(longest))
	}
}

// What is no nearer than any two texts are is not related: of two texts none is found by
// words that no text is near to. The model is asked for what is by chance once.
func TestRelated(t *testing.T) {
	model := &words{name: "m"}
	l, m, _ := meantLibrary(t, model)
	dir := t.TempDir()
	put(t, filepath.Join(dir, "a.txt"), "About the tide.")
	put(t, filepath.Join(dir, "b.txt"), "About nothing much.")
	if _, err := l.Index(t.Context(), []string{dir}, nil); err != nil {
		t.Fatal(err)
	}
	floor := new(meaning.Floor)
	model.down = errors.New("gone")
	if _, err := m.SearchRelated(t.Context(), store.TextQuery{Text: "tide"}, floor); !errors.Is(err, model.down) {
		t.Errorf("without a model: %v", err)
	}
	model.down = nil
	for query, want := range map[string]string{"tide": "a.txt", "bread": "", "zzzz": ""} {
		all, err := m.SearchText(t.Context(), store.TextQuery{Text: query})
		if err != nil || len(all) != 2 {
			t.Errorf("%s: all are %+v, %v", query, all, err)
		}
		related, err := m.SearchRelated(t.Context(), store.TextQuery{Text: query}, floor)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, h := range related {
			got += filepath.Base(h.URL)
		}
		if got != want {
			t.Errorf("%s is related to %q, not %q", query, got, want)
		}
	}
	asked := 0
	for _, texts := range model.read {
		if slices.Equal(texts, meaning.PlainSentences) {
			asked++
		}
	}
	if asked != 1 {
		t.Errorf("the plain sentences were embedded %d times", asked)
	}
}
