package sqlite

import (
	"context"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/storetest"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// forwardOf returns the forward record of a document.
func forwardOf(t testing.TB, doc store.TextDocument) []byte {
	t.Helper()
	made, err := (&textPreparer{at: map[string]int{}}).prepare(doc, 1)
	if err != nil {
		t.Fatal(err)
	}
	record, err := unseal("test", made.termsRecord)
	if err != nil {
		t.Fatal(err)
	}
	return record
}

func TestForward(t *testing.T) {
	long := strings.Repeat("ж", 100)
	doc := store.TextDocument{ID: "d", Language: "xx", Title: "tide table", Text: strings.Repeat("tide x ", 1000) + "tides a'b tidy " + long}
	record := forwardOf(t, doc)
	var places []int
	for i := range maxPlaces {
		places = append(places, 7*i)
	}
	whole := strings.Repeat("ж", 64)
	tests := []struct {
		name   string
		wanted []wantedTerm
		want   []occurrence
	}{
		{"words", []wantedTerm{{"a\"b", false, 1}, {"a_b", false, 1}, {"nothing", false, 1}, {"table", false, 1}, {"tide", false, 1}, {"zebra", false, 1}, {whole, false, 1}},
			[]occurrence{{"a_b", 0, 1, []int{7006}}, {"table", 1, 0, nil}, {"tide", 1, 1000, places}, {whole, 0, 1, []int{7015}}}},
		{"prefix", []wantedTerm{{"tab", true, 1}, {"tid", true, 1}, {"tidy", false, 1}},
			[]occurrence{{"tab", 1, 0, nil}, {"tid", 1, 1002, append(slices.Clone(places), 7000, 7010)}, {"tidy", 0, 1, []int{7010}}}},
		{"prefix_of_nothing", []wantedTerm{{"tib", true, 1}, {"u", true, 1}}, nil},
		{"none", nil, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			found, err := findForward(record, test.wanted)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, found, cmp.AllowUnexported(occurrence{}), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestPreparerForgets prepares a long document and then a short one with the same
// buffers.
func TestPreparerForgets(t *testing.T) {
	p := &textPreparer{at: map[string]int{}}
	short := store.TextDocument{ID: "s", Language: "en", Title: "Seals", Text: "Two seals.", Metadata: map[string]string{"b": "x", "a": "y z"}}
	want, err := p.prepare(short, 7)
	if err != nil {
		t.Fatal(err)
	}
	if want.title != "7:seal " || want.body != "7:two 7:seal " || want.fields != "7:url=s 7:a=y 7:a=z 7:b=x " || want.terms != 3 {
		t.Errorf("prepared %+v", want)
	}
	if _, err := p.prepare(store.TextDocument{ID: "l", Language: "en", Text: strings.Repeat("harbour seals and tides ", 500)}, 8); err != nil {
		t.Fatal(err)
	}
	got, err := p.prepare(short, 7)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(preparedText{})); diff != "" {
		t.Errorf("prepared again (-first +second):\n%s", diff)
	}
}

func FuzzForward(f *testing.F) {
	good := forwardOf(f, store.TextDocument{ID: "d", Language: "en", Text: "The tide and the table of tides"})
	f.Add(good)
	f.Add(good[:len(good)-1])
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01})
	f.Add([]byte{1, 4, 't', 'i', 'd', 'e', 0, 1, 0x7f})
	f.Fuzz(func(t *testing.T, data []byte) {
		found, err := findForward(data, []wantedTerm{{"tabl", false, 1}, {"tid", true, 1}})
		if err != nil && found != nil {
			t.Errorf("found %v beside %v", found, err)
		}
		cutSnippet("The tide and the table of tides.", found, map[string]float64{"tid": 1})
	})
}

// FuzzSearch asks for anything: never an error, and each snippet is one line of
// valid text, its words taken from the original.
func FuzzSearch(f *testing.F) {
	db, err := Open(context.Background(), f.TempDir(), Options{})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { db.Close() })
	s := db.Tenant("t")
	texts := map[string]string{"en": "The tide is high at noon. A \"quoted\" tide AND more.", "zh": "研究人员在港口测量潮汐的高度。", "": "C++ 1.5 ½ naïve \u202e x"}
	for language, words := range texts {
		if err := s.IndexDocument(context.Background(), citewell.Document{URL: "u:" + language, Language: language, Text: words}, ""); err != nil {
			f.Fatal(err)
		}
	}
	for _, query := range storetest.HostileQueries {
		f.Add(query, "")
	}
	f.Add("潮", "u:z")
	f.Fuzz(func(t *testing.T, query, prefix string) {
		hits, err := s.SearchText(t.Context(), store.TextQuery{Text: query, URLPrefix: prefix})
		if err != nil {
			t.Fatalf("%q under %q: %v", query, prefix, err)
		}
		if n, err := s.CountText(t.Context(), store.TextQuery{Text: query, URLPrefix: prefix}); err != nil || n != len(hits) {
			t.Errorf("%q under %q counts %d (%v) and finds %d", query, prefix, n, err, len(hits))
		}
		for _, hit := range hits {
			checkExcerpt(t, texts[strings.TrimPrefix(hit.URL, "u:")], hit.Excerpt)
			if !strings.HasPrefix(hit.URL, prefix) || hit.Score < 0 {
				t.Errorf("%q under %q found %+v", query, prefix, hit)
			}
		}
	})
}

// checkExcerpt holds an excerpt to what the contract says of it.
func checkExcerpt(t *testing.T, original string, e store.Excerpt) {
	t.Helper()
	if e.Start < 0 || e.Start > e.End || e.End > len(original) || original[e.Start:e.End] != e.Text {
		t.Fatalf("excerpt %+v is not of the original", e)
	}
	last := e.Start
	for _, mark := range e.Marks {
		if mark.Start < last || mark.End <= mark.Start || mark.End > e.End {
			t.Errorf("marks %v of %d to %d overlap or lie outside", e.Marks, e.Start, e.End)
		}
		last = mark.End
	}
}

// FuzzSnippet cuts any text at any places.
func FuzzSnippet(f *testing.F) {
	f.Add("The tide is high. "+strings.Repeat("Nothing else happens here. ", 30), 300, 600)
	f.Add(strings.Repeat("潮汐的高度", 200), 1500, 1501)
	f.Add(strings.Repeat("x", 5000), 4999, 0)
	f.Add("", 0, 0)
	f.Add("\xff\xfe\n\n \t", 3, 90)
	f.Fuzz(func(t *testing.T, original string, a, b int) {
		if a < 0 || b < 0 { // no places
			return
		}
		places := []int{a, b}
		slices.Sort(places)
		found := []occurrence{{term: "tide", body: 2, places: places}}
		snippet, excerpt := cutSnippet(original, found, map[string]float64{"tide": 1})
		checkExcerpt(t, original, excerpt)
		if len(snippet) > snippetBytes+16 || strings.ContainsAny(snippet, "\n\t") {
			t.Errorf("snippet is %d bytes: %q", len(snippet), snippet)
		}
		if utf8.ValidString(original) && !utf8.ValidString(snippet) {
			t.Errorf("snippet splits a rune: %q", snippet)
		}
		inner := strings.TrimSuffix(strings.TrimPrefix(snippet, "… "), " …")
		if !strings.Contains(strings.Join(strings.Fields(original), " "), inner) {
			t.Errorf("snippet %q is not of the original", snippet)
		}
	})
}
