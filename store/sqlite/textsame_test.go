package sqlite

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/store"
)

// mixedTexts are texts of several languages and, three times as many, such as show none.
func mixedTexts(t *testing.T) (docs []store.TextDocument) {
	t.Helper()
	for i := range 200 {
		for kind, words := range map[string]string{
			"latin":    "node.js C++ AT&T x86_64 O'Brien naïve barrages",
			"cyrillic": "плотина турбина канал",
			"mixed":    "turbines 発電所 کتاب müller 3.14 v1.2.3",
			"clear": []string{
				"Les données de l'état sont dans les barrages, et les turbines ne sont pas pour nous.",
				"Die Turbinen von Müller sind in der Straße, und das ist nicht für uns.",
				"The turbines of the barrages are in the state, and this is not for us.",
				"Les barrages et les turbines de Müller ne sont pas dans la ville.",
			}[i%4],
		} {
			body := words + fmt.Sprintf(" number%d", i)
			for n := range i % 7 {
				body += fmt.Sprintf(" filler%d", n)
			}
			if shows := text.Language(body) != ""; shows != (kind == "clear") {
				t.Fatalf("%q shows a language: %v", body, shows)
			}
			docs = append(docs, store.TextDocument{ID: fmt.Sprintf("%s-%d", kind, i), Title: "Doc " + kind, Text: body})
		}
	}
	return docs
}

// A rankedText is a document that was found, and what it earned.
type rankedText struct {
	id, language string
	score        float64
}

func ranked(t *testing.T, db *DB, query string) (list []rankedText) {
	t.Helper()
	hits, err := db.Tenant("t").SearchText(t.Context(), store.TextQuery{Text: query, Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	for _, hit := range hits {
		list = append(list, rankedText{hit.ID, hit.Language, hit.Score})
	}
	return list
}

// TestSameRank has the same texts rank the same, with the same scores, however they came
// into the index: in one call, one by one in another order, or made anew from terms of an
// earlier version.
func TestSameRank(t *testing.T) {
	if testing.Short() {
		t.Skip("a corpus, indexed in three ways")
	}
	docs := mixedTexts(t)
	slices.SortFunc(docs, func(a, b store.TextDocument) int { return strings.Compare(b.ID, a.ID) })
	fresh := openTest(t, t.TempDir())
	if err := fresh.Tenant("t").IndexDocuments(t.Context(), store.Library, docs); err != nil {
		t.Fatal(err)
	}
	slices.Reverse(docs) // what shows its language is first
	oneByOne, dir := openTest(t, t.TempDir()), t.TempDir()
	for _, doc := range docs {
		if err := oneByOne.Tenant("t").IndexDocuments(t.Context(), store.Library,
			[]store.TextDocument{doc}); err != nil {
			t.Fatal(err)
		}
	}
	older, err := Open(t.Context(), dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := older.Tenant("t").IndexDocuments(t.Context(), store.Library, docs); err != nil {
		t.Fatal(err)
	}
	if _, err := older.writes.Exec(`UPDATE text_document SET terms_version = ?`, text.TermsVersion-1); err != nil {
		t.Fatal(err)
	}
	if err := older.Close(); err != nil {
		t.Fatal(err)
	}
	renewed := openTest(t, dir)
	for _, query := range []string{"müller", "C++", "node.js", "Straße", "strasse", "AT&T", "x86_64", "O'Brien",
		"l'état", "données barrages",
		"barrage", "Turbinen", "turbine filler3", "канал", "плотины турбина", "発電所", "発", "کتاب", "3.14", "v1.2.3",
		"numb*", `"AT&T x86_64"`, "number42"} {
		want := ranked(t, fresh, query)
		if len(want) == 0 {
			t.Errorf("%q finds nothing", query)
		}
		for name, db := range map[string]*DB{"one by one": oneByOne, "renewed": renewed} {
			if got := ranked(t, db, query); !slices.Equal(got, want) {
				t.Errorf("%q %s ranks\n%v, fresh\n%v", query, name, got[:min(3, len(got))], want[:min(3, len(want))])
			}
		}
	}
	if found := problems(t, dir); len(found) > 0 {
		t.Errorf("the renewed store: %q", found)
	}
}
