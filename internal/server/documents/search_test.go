package documents

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/extract"
	"github.com/citewell/citewell/internal/meaning"
	"github.com/citewell/citewell/library"
	"github.com/citewell/citewell/store/sqlite"
)

// tides is a model to which a text is about tides, or about something else.
type tides struct{ away bool }

func (*tides) Name() string { return "tides" }

func (m *tides) Embed(_ context.Context, texts []string) ([][]float32, error) {
	if m.away {
		return nil, &citewell.Error{Code: citewell.CodeConnectFailed, Message: "cannot be reached"}
	}
	vectors := make([][]float32, len(texts))
	for i, s := range texts {
		vectors[i] = []float32{0.1, 1}
		if strings.Contains(s, "tide") || strings.Contains(s, "ebb") {
			vectors[i] = []float32{1, 0}
		}
	}
	return vectors, nil
}

// A result says by which ranking it was found; one without the words shows the passage that
// is near, and where it is.
func TestSearchSaysWhy(t *testing.T) {
	db, err := sqlite.Open(t.Context(), t.TempDir(), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	model, s := &tides{}, db.Tenant("a")
	meanings := meaning.NewMeanings(s, s, model)
	a := New(Options{Library: library.New(library.Options{Extract: extract.Extract, Store: s, Meanings: meanings}),
		Finder: meaning.NewFinder(s, meanings), Store: s})
	for name, text := range map[string]string{"words.txt": "A timetable of the tide.",
		"meaning.txt": "The sea goes down at ebb.", "neither.txt": "A loaf of bread."} {
		if _, err := a.o.Library.IndexSent(t.Context(), name, "", []byte(text), nil); err != nil {
			t.Fatal(err)
		}
	}
	ask := func() (answer struct {
		Results       []Found
		Mode, Warning string
	}) {
		w := httptest.NewRecorder()
		a.ServeHTTP(w, httptest.NewRequest("GET", "/v1/documents/search?q=tide", nil))
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || w.Code != 200 {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		return answer
	}
	got := ask()
	if got.Mode != "hybrid" || got.Warning != "" || len(got.Results) != 2 {
		t.Fatalf("%+v", got)
	}
	if first := got.Results[0]; first.Place != 1 || first.Words != 1 || first.Meaning == 0 ||
		strings.Join(first.Matched, " ") != "tide" {
		t.Errorf("the one with the word: %+v", first)
	}
	if second := got.Results[1]; second.Place != 2 || second.Words != 0 || second.Meaning == 0 ||
		len(second.Matched) != 0 || second.Excerpt == nil || second.Excerpt.Text != "The sea goes down at ebb." ||
		second.Excerpt.End != 25 {
		t.Errorf("the one of the meaning: %+v", second)
	}
	model.away = true
	if got := ask(); got.Mode != "text" || !strings.Contains(got.Warning, "cannot be reached") ||
		len(got.Results) != 1 {
		t.Errorf("without the model: %+v", got)
	}
}
