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
	"github.com/citewell/citewell/text"
	"github.com/google/go-cmp/cmp"
)

func TestForward(t *testing.T) {
	title := []text.Token{{Text: "tide"}, {Text: "table"}}
	var body []text.Token
	for i := range 1000 {
		body = append(body, text.Token{Text: "tide", Start: 7 * i})
	}
	body = append(body, text.Token{Text: "a \"b", Start: 8000}, text.Token{Text: strings.Repeat("長", 100), Start: 9000})
	data := encodeForward(occurrences(title, body))
	wanted := []string{"a_\"", "a__b", "nothing", "table", "tide", "zebra", strings.Repeat("長", 42)}
	found, err := findForward(data, wanted)
	if err != nil {
		t.Fatal(err)
	}
	var places []int
	for i := range maxPlaces {
		places = append(places, 7*i)
	}
	want := []occurrence{{"a__b", 0, 1, []int{8000}}, {"table", 1, 0, nil}, {"tide", 1, 1000, places}, {strings.Repeat("長", 42), 0, 1, []int{9000}}}
	if diff := cmp.Diff(want, found, cmp.AllowUnexported(occurrence{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func FuzzForward(f *testing.F) {
	good := encodeForward(occurrences(nil, text.TermTokens("The tide and the table of tides", "en")))
	f.Add(good)
	f.Add(good[:len(good)-1])
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01})
	f.Add([]byte{1, 4, 't', 'i', 'd', 'e', 0, 1, 0x7f})
	f.Fuzz(func(t *testing.T, data []byte) {
		found, err := findForward(data, []string{"tabl", "tide"})
		if err != nil && found != nil {
			t.Errorf("found %v beside %v", found, err)
		}
		cutSnippet("The tide and the table of tides.", found, map[string]float64{"tide": 1})
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
		for _, hit := range hits {
			if !strings.HasPrefix(hit.URL, prefix) || hit.Score <= 0 {
				t.Errorf("%q under %q found %+v", query, prefix, hit)
			}
		}
	})
}

// FuzzSnippet cuts any text at any places.
func FuzzSnippet(f *testing.F) {
	f.Add("The tide is high. "+strings.Repeat("Nothing else happens here. ", 30), 300, 600)
	f.Add(strings.Repeat("潮汐的高度", 200), 1500, 1501)
	f.Add(strings.Repeat("x", 5000), 4999, 0)
	f.Add("", 0, 0)
	f.Add("\xff\xfe\n\n \t", 3, 90)
	f.Fuzz(func(t *testing.T, original string, a, b int) {
		if a < 0 || b < 0 {
			t.Skip()
		}
		places := []int{a, b}
		slices.Sort(places)
		found := []occurrence{{term: "tide", body: 2, places: places}}
		snippet := cutSnippet(original, found, map[string]float64{"tide": 1})
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
