package storesuite

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/store"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func textDocumentRoundTrip(t *testing.T, b Backend) {
	s, ctx := b.Tenant("a"), t.Context()
	docs := []store.TextDocument{
		{ID: "whole", URL: "https://a.example/?x=1", Title: "Tide “tables”",
			Text: "High water \x00 at noon.\n\n満潮は正午です。", Language: "en",
			Published: "2026-03-01", Stamp: "v1", Metadata: map[string]string{
				"a": "", "Ключ": "значение", "x y": "<\"'>"}},
		{ID: "bare", Text: "Die Häuser am Hafen wurden im Jahr 1911 gebaut und später mehrfach verkauft."},
		{ID: "no text", Title: "Only a title"},
		{ID: strings.Repeat("k", store.MaxDocumentID), Text: "a long id"},
	}
	put(t, s, "notes", docs...)
	docs[1].Language = "de" // told from the text
	docs[3].Language = "en" // too short to tell, so that of most texts in its script
	for _, want := range docs {
		got, err := s.TextDocument(ctx, "notes", want.ID)
		must(t, err)
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("document differs (-put +got):\n%s", diff)
		}
	}
	hits, err := s.SearchText(ctx, store.TextQuery{Index: "notes", Text: "tables"})
	must(t, err)
	if len(hits) != 1 || hits[0].URL != docs[0].URL || hits[0].Title != docs[0].Title ||
		hits[0].Published != docs[0].Published ||
		hits[0].Language != "en" || !cmp.Equal(hits[0].Metadata, docs[0].Metadata) {
		t.Errorf("hits %+v lack what the document has", hits)
	}
	for _, missing := range [][2]string{{"notes", "none"}, {"none", "whole"}, {store.Library, "whole"}} {
		_, err := s.TextDocument(ctx, missing[0], missing[1])
		wantCode(t, err, citewell.CodeNotFound)
	}
}

func textUpsert(t *testing.T, b Backend) {
	s, ctx := b.Tenant("a"), t.Context()
	first := store.TextDocument{ID: "n", Language: "en", Title: "Walrus", Text: "A walrus was seen.",
		Metadata: map[string]string{"tag": "animals", "year": "1911"}}
	for range 3 { // the same again changes nothing
		put(t, s, "notes", first)
	}
	wantSet(t, s, store.TextQuery{Index: "notes", Text: "walrus tag:animals"}, "n")
	second := store.TextDocument{ID: "n", Language: "de", Text: "Ein Seehund wurde gesehen.",
		Metadata: map[string]string{"place": "Hafen"}}
	// the later of two stays
	put(t, s, "notes", first, store.TextDocument{ID: "m", Language: "en", Text: "Another walrus."}, second)
	for query, want := range map[string]string{"walrus": "m", "Seehund": "n", "tag:animals": "", "title:walrus": "",
		"place:hafen": "n"} {
		wantSet(t, s, store.TextQuery{Index: "notes", Text: query}, strings.Fields(want)...)
	}
	wantSet(t, s, store.TextQuery{Index: "notes", Text: "Seehund walrus",
		Filters: []store.Filter{{Key: "year", In: []string{"1911"}}}})
	indexes, err := s.ListIndexes(ctx)
	must(t, err)
	if want := []store.TextIndex{{Name: "notes", Documents: 2, Languages: []string{"de", "en"}}}; !cmp.Equal(indexes,
		want) {
		t.Errorf("indexes are %+v, want %+v", indexes, want)
	}
}

func textManyAtOnce(t *testing.T, b Backend) {
	s, ctx := b.Tenant("a"), t.Context()
	const many = 3000
	docs := make([]store.TextDocument, many)
	for i := range docs {
		docs[i] = store.TextDocument{ID: fmt.Sprint("d", i), Language: []string{"en", "de", "fr"}[i%3],
			Text: fmt.Sprintf("number%d of the barnacles", i)}
	}
	must(t, s.IndexDocuments(ctx, "many", docs))
	must(t, s.IndexDocuments(ctx, "many", docs[:100]))
	must(t, s.IndexDocuments(ctx, "many", nil))
	if n, err := s.CountText(ctx, store.TextQuery{Index: "many", Text: "barnac*"}); n != many || err != nil {
		t.Errorf("%d documents are found (%v), want %d", n, err, many)
	}
	for _, i := range []int{0, 63, 64, 191, 192, 1999, many - 1} {
		wantSet(t, s, store.TextQuery{Index: "many", Text: fmt.Sprint("number", i)}, fmt.Sprint("d", i))
	}
	done, cancel := context.WithCancel(ctx)
	cancel()
	wantCode(t, s.IndexDocuments(done, "canceled", docs), citewell.CodeCanceled)
}

func textFilters(t *testing.T, b Backend) {
	s, ctx := b.Tenant("a"), t.Context()
	docs := []store.TextDocument{
		{ID: "a", Language: "en", Published: "2024-02-29", Metadata: map[string]string{
			"kind": "note", "year": "1987", "seen": "2026-03-01"}},
		{ID: "b", Language: "de", Published: "2025-12-31", Metadata: map[string]string{
			"kind": "Note", "year": "-3.5", "seen": "2026-03-01T22:15:00Z"}},
		{ID: "c", Language: "en", Metadata: map[string]string{"kind": "paper", "year": "2011",
			"seen": "2026-03-02T00:30:00+02:00"}},
		{ID: "d", Language: "en", Published: "2026-03-04", Metadata: map[string]string{"kind": "", "year": "MMXI"}},
		{ID: "e", Language: "en"},
	}
	for i := range docs {
		docs[i].Text = "tide"
	}
	put(t, s, "f", docs...)
	put(t, s, "g", store.TextDocument{ID: "z", Text: "tide",
		Metadata: map[string]string{"kind": "note", "year": "1987"}})
	in := func(key string, values ...string) store.Filter { return store.Filter{Key: key, In: values} }
	between := func(key, min, max string) store.Filter { return store.Filter{Key: key, Min: min, Max: max} }
	not := func(f store.Filter) store.Filter { f.Not = true; return f }
	tests := []struct {
		name    string
		filters []store.Filter
		want    string
	}{
		{"none", nil, "a b c d e"},
		{"equal", []store.Filter{in("kind", "note")}, "a"},
		{"empty_value", []store.Filter{in("kind", "")}, "d"},
		{"one_of", []store.Filter{in("kind", "note", "paper", "other")}, "a c"},
		{"not", []store.Filter{not(in("kind", "note"))}, "b c d e"},
		{"unknown_key", []store.Filter{in("size", "1")}, ""},
		{"number_from", []store.Filter{between("year", "1987", "")}, "a c"},
		{"number_to", []store.Filter{between("year", "", "1987")}, "a b"},
		{"number_between", []store.Filter{between("year", "-10", "0")}, "b"},
		{"numbers_are_no_words", []store.Filter{between("year", "3", "2e3")}, "a"},
		{"not_in_range", []store.Filter{not(between("year", "1987", "2011"))}, "b d e"},
		{"day", []store.Filter{between("seen", "2026-03-01", "2026-03-01")}, "a b c"},
		{"moment", []store.Filter{between("seen", "2026-03-01T22:20:00Z", "")}, "c"},
		{"month", []store.Filter{between("seen", "", "2026-02")}, ""},
		{"published", []store.Filter{between("published", "2024-02", "2025-12")}, "a b"},
		{"published_day", []store.Filter{between("published", "2026-03-04", "2026-03-04")}, "d"},
		{"published_exactly", []store.Filter{in("published", "2024-02-29")}, "a"},
		{"language", []store.Filter{in("language", "de", "fr")}, "b"},
		{"not_language", []store.Filter{not(in("language", "en"))}, "b"},
		{"several", []store.Filter{in("language", "en"), between("year", "1", ""), not(in("kind", "paper"))}, "a"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			wantSet(t, s, store.TextQuery{Index: "f", Text: "tide", Filters: test.filters},
				strings.Fields(test.want)...)
		})
	}
	wantSet(t, s, store.TextQuery{Index: "f", Text: "tide", URLPrefix: "c",
		Filters: []store.Filter{in("kind", "paper", "note")}}, "c")
	for _, bad := range []store.Filter{{}, {Key: "a"}, between("year", "old", ""), between("year", "1", "2026-01-01")} {
		_, err := s.SearchText(ctx, store.TextQuery{Index: "f", Text: "tide", Filters: []store.Filter{bad}})
		wantCode(t, err, citewell.CodeInvalidArgument)
		_, err = s.CountText(ctx, store.TextQuery{Index: "f", Text: "tide", Filters: []store.Filter{bad}})
		wantCode(t, err, citewell.CodeInvalidArgument)
		_, err = s.RemoveDocuments(ctx, "f", store.TextSelection{Filters: []store.Filter{bad}})
		wantCode(t, err, citewell.CodeInvalidArgument)
	}
}

func textRemoveDocuments(t *testing.T, b Backend) {
	s, ctx := b.Tenant("a"), t.Context()
	var docs []store.TextDocument
	for i := range 1200 {
		docs = append(docs, store.TextDocument{ID: fmt.Sprintf("%d/%d", i%3, i), Language: "en", Text: "tide",
			Metadata: map[string]string{"n": fmt.Sprint(i), "kind": []string{"odd", "even"}[(i+1)%2]}})
	}
	put(t, s, "r", docs...)
	put(t, s, "other", docs[:10]...)
	count := func(index string, want int) {
		t.Helper()
		n, err := s.CountText(ctx, store.TextQuery{Index: index, Text: "tide"})
		must(t, err)
		if n != want {
			t.Errorf("%s has %d documents, want %d", index, n, want)
		}
	}
	remove := func(want int, which store.TextSelection) {
		t.Helper()
		n, err := s.RemoveDocuments(ctx, "r", which)
		must(t, err)
		if n != want {
			t.Errorf("%+.80v removed %d, want %d", which, n, want)
		}
	}
	_, err := s.RemoveDocuments(ctx, "r", store.TextSelection{})
	wantCode(t, err, citewell.CodeInvalidArgument)
	remove(2, store.TextSelection{IDs: []string{"0/0", "1/1", "none", "0/0"}})
	remove(0, store.TextSelection{IDs: []string{"0/0"}})
	count("r", 1198)
	remove(599, store.TextSelection{Filters: []store.Filter{
		{Key: "kind", In: []string{"odd"}, Not: true}, {Key: "n", Min: "2"}}})
	count("r", 599)
	wantSet(t, s, store.TextQuery{Index: "r", Text: "kind:even"})
	remove(200, store.TextSelection{IDPrefix: "2/"})
	remove(1, store.TextSelection{IDs: []string{"0/3"}, IDPrefix: "0/",
		Filters: []store.Filter{{Key: "n", In: []string{"5"}}}})
	remove(398, store.TextSelection{All: true})
	count("r", 0)
	count("other", 10)
	indexes, err := s.ListIndexes(ctx)
	must(t, err)
	if len(indexes) != 1 || indexes[0].Name != "other" || indexes[0].Documents != 10 {
		t.Errorf("indexes are %+v, want other alone", indexes)
	}
}

func textIndexesAreApart(t *testing.T, b Backend) {
	s, ctx := b.Tenant("a"), t.Context()
	names := []string{"notes", "Notes", "notes ", "a/b", "索引", "%", "'; --", store.Library}
	for _, name := range names {
		put(t, s, name, store.TextDocument{ID: "same", Language: "en", Text: "The tide of " + name,
			Metadata: map[string]string{"of": name}})
	}
	index(t, s, "https://a.example/", "en", "", "The tide of the library.")
	for _, name := range names {
		query := store.TextQuery{Index: name, Text: "tide"}
		want := []string{"same"}
		if name == store.Library {
			want = append(want, "https://a.example/")
		}
		wantSet(t, s, query, want...)
		query.Filters = []store.Filter{{Key: "of", In: []string{name}}}
		wantSet(t, s, query, "same")
		doc, err := s.TextDocument(ctx, name, "same")
		must(t, err)
		if doc.Metadata["of"] != name {
			t.Errorf("the document of %q is that of %q", name, doc.Metadata["of"])
		}
	}
	wantSet(t, s, store.TextQuery{Text: "tide"}, "same", "https://a.example/") // the library, unless another is named
	wantSet(t, s, store.TextQuery{Index: "none", Text: "tide"})
	indexes, err := s.ListIndexes(ctx)
	must(t, err)
	var listed []string
	for _, index := range indexes {
		listed = append(listed, index.Name)
	}
	slices.Sort(names)
	if !slices.Equal(listed, names) {
		t.Errorf("indexes are %q, want %q", listed, names)
	}
	if others, err := b.Tenant("b").ListIndexes(ctx); err != nil || len(others) > 0 {
		t.Errorf("another tenant sees %v (%v)", others, err)
	}
	wantSet(t, b.Tenant("b"), store.TextQuery{Index: "notes", Text: "tide"})
	if n, err := b.Tenant("b").RemoveDocuments(ctx, "notes", store.TextSelection{All: true}); n != 0 || err != nil {
		t.Errorf("another tenant removed %d (%v)", n, err)
	}
}

func textBadArguments(t *testing.T, b Backend) {
	s, ctx := b.Tenant("a"), t.Context()
	good := store.TextDocument{ID: "good", Text: "tide"}
	keys := map[string]string{}
	for i := range store.MaxMetadataKeys + 1 {
		keys[fmt.Sprint(i)] = ""
	}
	for name, bad := range map[string]store.TextDocument{
		"no_id": {Text: "tide"}, "long_id": {ID: strings.Repeat("x", store.MaxDocumentID+1)},
		"long_title": {ID: "b", Title: strings.Repeat("x", store.MaxTitle+1)},
		"long_text":  {ID: "b", Text: strings.Repeat("x", store.MaxText+1)},
		"many_keys":  {ID: "b", Metadata: keys}, "empty_key": {ID: "b", Metadata: map[string]string{"": "x"}},
		"long_value": {ID: "b", Metadata: map[string]string{"k": strings.Repeat("x", store.MaxMetadataValue+1)}},
		"not_utf8":   {ID: "b", Metadata: map[string]string{"k": "\xff"}},
	} {
		if err := s.IndexDocuments(ctx, "notes", []store.TextDocument{
			good, bad}); citewell.CodeOf(err) != citewell.CodeInvalidArgument {
			t.Errorf("%s gives %v, want invalid_argument", name, err)
		}
	}
	for _, name := range []string{"", "a\nb", "\xff", strings.Repeat("x", store.MaxIndexName+1)} {
		wantCode(t, s.IndexDocuments(ctx, name, []store.TextDocument{good}), citewell.CodeInvalidArgument)
		_, err := s.RemoveDocuments(ctx, name, store.TextSelection{All: true})
		wantCode(t, err, citewell.CodeInvalidArgument)
		if name != "" {
			_, err = s.SearchText(ctx, store.TextQuery{Index: name, Text: "tide"})
			wantCode(t, err, citewell.CodeInvalidArgument)
		}
	}
	if indexes, err := s.ListIndexes(ctx); err != nil || len(indexes) > 0 {
		t.Errorf("something was kept of bad calls: %+v (%v)", indexes, err)
	}
}
