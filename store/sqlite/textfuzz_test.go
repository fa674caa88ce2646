package sqlite

import (
	"context"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/testing/storesuite"
	"github.com/citewell/citewell/store"
)

// FuzzSearch asks for anything: never an error, and each snippet is one line of
// valid text, its words taken from the original.
func FuzzSearch(f *testing.F) {
	db, err := Open(context.Background(), f.TempDir(), Options{})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { db.Close() })
	s := db.Tenant("t")
	texts := map[string]string{"en": "The tide is high at noon. A \"quoted\" tide AND more.", "zh": "研究人员在港口测量潮汐的高度。",
		"": "C++ 1.5 ½ naïve \u202e x"}
	for language, words := range texts {
		if err := s.IndexDocument(context.Background(), citewell.Document{
			URL: "u:" + language, Language: language, Text: words}, ""); err != nil {
			f.Fatal(err)
		}
	}
	for _, query := range storesuite.HostileQueries {
		f.Add(query, "")
	}
	f.Add("潮", "u:z")
	f.Fuzz(func(t *testing.T, query, prefix string) {
		hits, err := s.SearchText(t.Context(), store.TextQuery{Text: query, URLPrefix: prefix})
		if err != nil {
			t.Fatalf("%q under %q: %v", query, prefix, err)
		}
		if n, err := s.CountText(t.Context(), store.TextQuery{Text: query, URLPrefix: prefix}); err != nil ||
			n != len(hits) {
			t.Errorf("%q under %q counts %d (%v) and finds %d", query, prefix, n, err, len(hits))
		}
		for _, hit := range hits {
			storesuite.CheckExcerpt(t, texts[strings.TrimPrefix(hit.URL, "u:")], hit.Excerpt)
			if !strings.HasPrefix(hit.URL, prefix) || hit.Score < 0 {
				t.Errorf("%q under %q found %+v", query, prefix, hit)
			}
		}
	})
}
