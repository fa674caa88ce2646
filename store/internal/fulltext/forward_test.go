package fulltext

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/citewell/citewell/internal/testing/storesuite"
	"github.com/citewell/citewell/store"
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
	record, err := Unseal("test", made.TermsRecord)
	if err != nil {
		t.Fatal(err)
	}
	return record
}

func TestForward(t *testing.T) {
	long := strings.Repeat("ж", 100)
	doc := store.TextDocument{ID: "d", Language: "xx", Title: "tide table",
		Text: strings.Repeat("tide x ", 1000) + "tides a'b tidy " + long}
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
		{"words", []wantedTerm{{"a\"b", false, 1}, {"a_b", false, 1}, {"nothing", false, 1}, {"table", false, 1},
			{"tide", false, 1}, {"zebra", false, 1}, {whole, false, 1}},
			[]occurrence{{"a_b", 0, 1, []int{7006}}, {"table", 1, 0, nil}, {"tide", 1, 1000, places},
				{whole, 0, 1, []int{7015}}}},
		{"prefix", []wantedTerm{{"tab", true, 1}, {"tid", true, 1}, {"tidy", false, 1}},
			[]occurrence{{"tab", 1, 0, nil}, {"tid", 1, 1002, append(slices.Clone(places), 7000, 7010)},
				{"tidy", 0, 1, []int{7010}}}},
		{"prefix_of_nothing", []wantedTerm{{"tib", true, 1}, {"u", true, 1}}, nil},
		{"none", nil, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			found, err := findForward(record, test.wanted)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, found, cmp.AllowUnexported(occurrence{}),
				cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestPreparerForgets prepares a long document and then a short one with the same
// buffers.
func TestPreparerForgets(t *testing.T) {
	p := &textPreparer{at: map[string]int{}}
	short := store.TextDocument{ID: "s", Language: "en", Title: "Seals", Text: "Two seals.",
		Metadata: map[string]string{"b": "x", "a": "y z"}}
	want, err := p.prepare(short, 7)
	if err != nil {
		t.Fatal(err)
	}
	record, err := Unseal("test", want.TermsRecord)
	if err != nil {
		t.Fatal(err)
	}
	var terms []string
	err = EachForward(record, func(term string, title, body int) {
		terms = append(terms, fmt.Sprintf("%s %d+%d", term, title, body))
	})
	if got := strings.Join(terms, ", "); err != nil || got != "\x01a=y 0+0, \x01a=z 0+0, \x01b=x 0+0, \x01url=s 0+0, "+
		"seal 1+1, two 0+1" || want.Terms != 3 {
		t.Errorf("prepared %q, %v, %d terms", got, err, want.Terms)
	}
	if _, err := p.prepare(store.TextDocument{ID: "l", Language: "en",
		Text: strings.Repeat("harbour seals and tides ", 500)}, 8); err != nil {
		t.Fatal(err)
	}
	got, err := p.prepare(short, 7)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(Prepared{})); diff != "" {
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
		storesuite.CheckExcerpt(t, original, excerpt)
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
