package storesuite

import (
	"fmt"
	"strings"
	"testing"

	"github.com/citewell/citewell/store"
)

// StaleDocuments is how many documents IndexStale indexes.
const StaleDocuments = 604

// IndexStale indexes documents whose terms do not meet their texts, as after a change of
// package text: four in the library of the default tenant, and 600 in the index "notes" of
// another, whose terms are made of the word walrus. It returns the texts by their keys, which
// the backend's test puts in their place, with the version of an earlier program.
func IndexStale(t *testing.T, tenant func(name string) store.Text) map[string]string {
	t.Helper()
	original := map[string]string{}
	index := func(name, index string, docs []store.TextDocument) {
		for i := range docs {
			original[docs[i].ID], docs[i].Text = docs[i].Text, "walrus"
		}
		must(t, tenant(name).IndexDocuments(t.Context(), index, docs))
	}
	var library, notes []store.TextDocument
	for name, said := range map[string]string{"ligature": "A manœuvre in the harbour.",
		"stroke": "The harbour of Tromsø.", "digits": "It is ٣٣٠ metres.", "kana": "タワーは高い。"} {
		url := "file:///" + name + ".txt"
		library = append(library, store.TextDocument{ID: url, URL: url, Text: said, Stamp: "stamp " + name})
	}
	for i := range StaleDocuments - len(library) {
		notes = append(notes, store.TextDocument{ID: fmt.Sprint("note-", i),
			Text: fmt.Sprintf("The manœuvre of day %d.", i), Metadata: map[string]string{"number": fmt.Sprint(i)}})
	}
	index("", store.Library, library)
	index("other", "notes", notes)
	return original
}

// CheckRenewed says what is wrong with a store that was opened after IndexStale.
func CheckRenewed(t *testing.T, tenant func(name string) store.Text) {
	t.Helper()
	for query, want := range map[string]string{
		"manoeuvre": "file:///ligature.txt", "manœuvre": "file:///ligature.txt", "tromso": "file:///stroke.txt",
		"Tromsø": "file:///stroke.txt",
		"330":    "file:///digits.txt", "٣٣٠": "file:///digits.txt", "タワー": "file:///kana.txt", "walrus": "",
	} {
		hits, err := tenant("").SearchText(t.Context(), store.TextQuery{Text: query})
		must(t, err)
		var urls []string
		for _, hit := range hits {
			urls = append(urls, hit.URL)
		}
		if got := strings.Join(urls, " "); got != want {
			t.Errorf("%q found %q, want %q", query, got, want)
		}
	}
	below := []store.Filter{{Key: "number", Max: "9"}}
	for _, test := range []struct {
		query   string
		filters []store.Filter
		want    int
	}{{"manoeuvre", nil, 600}, {"manœuvre", nil, 600}, {"599", nil, 1}, {"number:42", nil, 1},
		{"manoeuvre", below, 10}} {
		query := store.TextQuery{Index: "notes", Text: test.query, Filters: test.filters}
		if n, err := tenant("other").CountText(t.Context(), query); n != test.want || err != nil {
			t.Errorf("%q %v is found in %d notes (%v), want %d", test.query, test.filters, n, err, test.want)
		}
	}
	if stamp, err := tenant("").Stamp(t.Context(), "file:///digits.txt"); stamp != "stamp digits" || err != nil {
		t.Errorf("stamp is %q (%v)", stamp, err)
	}
}
