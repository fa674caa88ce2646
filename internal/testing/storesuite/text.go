package storesuite

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/store"
)

func index(t *testing.T, s Store, url, language, title, text string) {
	t.Helper()
	must(t, s.IndexDocument(t.Context(), citewell.Document{URL: url, Language: language, Title: title, Text: text,
		Published: "2026-03-01"}, "stamp of "+url))
}

// find returns the URLs of the hits, best first.
func find(t *testing.T, s Store, query string) []string {
	t.Helper()
	hits, err := s.SearchText(t.Context(), store.TextQuery{Text: query})
	must(t, err)
	urls := make([]string, len(hits))
	for i, hit := range hits {
		urls[i] = hit.URL
	}
	return urls
}

func wantFound(t *testing.T, s Store, query string, want ...string) {
	t.Helper()
	if got := find(t, s, query); strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("%q found %v, want %v", query, got, want)
	}
}

func textFindsWords(t *testing.T, b Backend) {
	s := b.Tenant("a")
	wantFound(t, s, "turbine")
	index(t, s, "https://a.example/1", "en", "Tidal power", "Two turbines were installed in the channel in 2019.")
	index(t, s, "https://a.example/2", "en", "Harbour seals", "The colony was counted from a boat.")
	wantFound(t, s, "turbine", "https://a.example/1")
	wantFound(t, s, "INSTALLING Turbines", "https://a.example/1")
	wantFound(t, s, "seal", "https://a.example/2") // a word of the title
	wantFound(t, s, "boat channel 2019", "https://a.example/1", "https://a.example/2")
	wantFound(t, s, "submarine")
	wantFound(t, s, "2019", "https://a.example/1")

	hits, err := s.SearchText(t.Context(), store.TextQuery{Text: "turbine"})
	must(t, err)
	if hits[0].Title != "Tidal power" || hits[0].Published != "2026-03-01" || hits[0].Score <= 0 {
		t.Errorf("hit lacks what the document has: %+v", hits[0])
	}
}

func textEveryLanguage(t *testing.T, b Backend) {
	s := b.Tenant("a")
	texts := []struct{ language, text, query string }{
		{"de", "Die Häuser am Hafen wurden im Jahr 1911 gebaut und später mehrfach verkauft.", "Haus"},
		{"fr", "Les chercheuses ont mesuré la hauteur des marées pendant plusieurs années.", "chercheuse"},
		{"ru", "Учёные измеряли высоту приливов в течение многих лет.", "высота"},
		{"zh", "研究人员在港口测量潮汐的高度，结果发表在期刊上。", "潮汐"},
		{"ja", "研究者たちは港で潮の高さを測り、その結果を発表した。", "結"},
		{"ar", "قاس الباحثون ارتفاع المد والجزر في الميناء لسنوات عديدة.", "الميناء"},
		{"", "Ein Text, dessen Sprache niemand genannt hat, über Leuchttürme und ihre Wärter.", "Leuchtturm"},
	}
	for i, test := range texts {
		index(t, s, fmt.Sprintf("https://%d.example/", i), test.language, "", test.text)
	}
	for i, test := range texts {
		if got := find(t, s, test.query); len(got) == 0 || got[0] != fmt.Sprintf("https://%d.example/", i) {
			t.Errorf("%q found %v, want document %d (%s) first", test.query, got, i, test.language)
		}
	}
}

func textRareWordFirst(t *testing.T, b Backend) {
	s := b.Tenant("a")
	for i := range 30 {
		index(t, s, fmt.Sprintf("https://common.example/%02d", i), "en", "Report",
			"The harbour report describes the harbour and the report.")
	}
	index(t, s, "https://rare.example/", "en", "Note", "A harbour note that once mentions the barnacle among many "+
		"other things seen on the way.")
	if got := find(t, s, "harbour barnacle"); len(got) != 10 || got[0] != "https://rare.example/" {
		t.Errorf("found %v, want the only document with the rare word first", got)
	}
}

// textWordOfEveryDocument fixes what engines' own BM25 does to a word that most
// documents have: in a folder of two files every word is such a word.
func textWordOfEveryDocument(t *testing.T, b Backend) {
	s := b.Tenant("a")
	index(t, s, "https://a.example/1", "en", "", "The tide came once, then nothing else happened for a long while on "+
		"the shore.")
	index(t, s, "https://a.example/2", "en", "", "Tide after tide after tide: the tide table lists every tide on the "+
		"shore for a year.")
	wantFound(t, s, "tide", "https://a.example/2", "https://a.example/1")
}

func textReplaceAndRemove(t *testing.T, b Backend) {
	s, ctx := b.Tenant("a"), t.Context()
	const url = "file:///docs/a.md"
	stamp := func(want string) {
		t.Helper()
		got, err := s.Stamp(ctx, url)
		must(t, err)
		if got != want {
			t.Errorf("stamp is %q, want %q", got, want)
		}
	}
	stamp("")
	doc := citewell.Document{URL: url, Language: "en", Title: "Old", Text: "A walrus was seen."}
	must(t, s.IndexDocument(ctx, doc, "12 bytes"))
	stamp("12 bytes")
	doc.Title, doc.Text, doc.Language = "Neu", "Ein Seehund wurde gesehen.", "de"
	must(t, s.IndexDocument(ctx, doc, "14 bytes"))
	stamp("14 bytes")
	wantFound(t, s, "walrus")
	wantFound(t, s, "old")
	wantFound(t, s, "Seehund", url)
	if n, err := s.CountDocuments(ctx, ""); n != 1 || err != nil {
		t.Errorf("count is %d (%v), want 1", n, err)
	}
	for _, want := range []bool{true, false} {
		removed, err := s.RemoveDocument(ctx, url)
		must(t, err)
		if removed != want {
			t.Errorf("removed is %v, want %v", removed, want)
		}
	}
	stamp("")
	wantFound(t, s, "Seehund")
	wantCode(t, s.IndexDocument(ctx, citewell.Document{Text: "no url"}, ""), citewell.CodeInvalidArgument)
}

func textPrefix(t *testing.T, b Backend) {
	s, ctx := b.Tenant("a"), t.Context()
	for _, url := range []string{"file:///docs/a.md", "file:///docs/b/c.md", "file:///docs2/a.md",
		"https://docs.example/", "file:///100%/x_y.md"} {
		index(t, s, url, "en", "", "The same words everywhere.")
	}
	tests := map[string]int{"": 5, "file:///docs/": 2, "file:///docs": 3, "file:///docs/a.md": 1, "file:///100%/x": 1,
		"file:///%": 0, "https://": 1, "ftp://": 0, "\xff": 0}
	for prefix, want := range tests {
		n, err := s.CountDocuments(ctx, prefix)
		must(t, err)
		hits, err := s.SearchText(ctx, store.TextQuery{Text: "words", URLPrefix: prefix})
		must(t, err)
		if n != want || len(hits) != want {
			t.Errorf("prefix %q counts %d and finds %d, want %d", prefix, n, len(hits), want)
		}
		urls, err := s.ListDocuments(ctx, prefix)
		must(t, err)
		if len(urls) != want || !slices.IsSorted(urls) {
			t.Errorf("prefix %q lists %v, want %d, sorted", prefix, urls, want)
		}
		for _, hit := range hits {
			if !strings.HasPrefix(hit.URL, prefix) || !slices.Contains(urls, hit.URL) {
				t.Errorf("prefix %q found %s and lists %v", prefix, hit.URL, urls)
			}
		}
	}
}

// Documents are listed with what is known of their newest snapshots, and without any.
func textDocuments(t *testing.T, b Backend) {
	s, ctx := b.Tenant("a"), t.Context()
	old, read := newPage("https://a.example/tides", "old bytes", "Old text.", noon)
	must(t, s.PutSnapshot(ctx, old, read))
	page, doc := newPage("https://a.example/tides", "the bytes", "The tide is high, said Åse.", noon.Add(time.Hour))
	doc.Pages, doc.PageUnit = []citewell.PageStart{{Page: 1}, {Page: 2, Start: 5}}, "page"
	must(t, s.PutSnapshot(ctx, page, doc))
	must(t, s.IndexDocument(ctx, doc, "stamp"))
	index(t, s, "file:///docs/a.md", "de", "Ebbe", "Die Ebbe kommt, und das Wasser geht.")
	index(t, s, "file:///docs/b.md", "", "", "0000")
	index(t, b.Tenant("b"), "file:///docs/c.md", "en", "", "Another's.")
	must(t, s.IndexDocuments(ctx, "knowledge", []store.TextDocument{{ID: "x", Text: "Of another index."}}))
	list, err := s.Documents(ctx, store.DocumentQuery{})
	must(t, err)
	if len(list) != 3 {
		t.Fatalf("%d documents are listed: %+v", len(list), list)
	}
	if got := list[0]; got.URL != "file:///docs/a.md" || got.Title != "Ebbe" || got.Language != "de" ||
		got.Published != "2026-03-01" || got.IndexedAt.IsZero() || got.MediaType != "" || got.Bytes != 0 ||
		!got.FetchedAt.IsZero() {
		t.Errorf("one without a snapshot is listed as %+v", got)
	}
	want := store.ListedDocument{URL: page.URL, Title: doc.Title, Published: doc.Published, Language: "en",
		IndexedAt: list[2].IndexedAt, MediaType: "text/html", Bytes: 9, TextBytes: int64(len(doc.Text)),
		PageSHA256: page.SHA256, TextSHA256: doc.TextSHA256, FetchedAt: page.FetchedAt, Extractor: doc.Extractor,
		Pages: 2, PageUnit: "page"}
	if !reflect.DeepEqual(list[2], want) || list[2].IndexedAt.IsZero() {
		t.Errorf("listed as %+v, want %+v", list[2], want)
	}
	for query, want := range map[store.DocumentQuery]string{
		{Limit: 1}: "file:///docs/a.md", {Limit: 1, After: "file:///docs/a.md"}: "file:///docs/b.md",
		{After: "file:///docs/b.md"}: page.URL, {After: page.URL}: "",
		{URLPrefix: "https:"}: page.URL, {URLPrefix: "file:///docs/", After: "file:///docs/a.md"}: "file:///docs/b.md",
		{URLPrefix: "file:///docs/c"}: ""} {
		list, err := s.Documents(ctx, query)
		must(t, err)
		var got []string
		for _, d := range list {
			got = append(got, d.URL)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%+v lists %v, want %s", query, got, want)
		}
	}
	for _, limit := range []int{-1, store.MaxListed + 1} {
		_, err := s.Documents(ctx, store.DocumentQuery{Limit: limit})
		wantCode(t, err, citewell.CodeInvalidArgument)
	}
}

// A folder is ranked as if the index held nothing else: which word is rare, and how long a
// text mostly is, must not hang on what lies beside it.
func textFolderRanksAsAlone(t *testing.T, b Backend) {
	alone, beside, ctx := b.Tenant("alone"), b.Tenant("beside"), t.Context()
	for _, s := range []Store{alone, beside} {
		index(t, s, "file:///docs/a.md", "en", "", "The harbour master counts the ships of the harbour each morning.")
		index(t, s, "file:///docs/b.md", "en", "", "A licence for a ship costs forty crowns. The licence is "+
			"for a year.")
		index(t, s, "file:///docs/c.md", "en", "", "The harbour has a licence for the sale of fish, and of nothing "+
			"else at all.")
	}
	for i := range 200 { // more than are loose
		index(t, beside, fmt.Sprintf("file:///other/%d.md", i), "en", "",
			"A licence, and one more licence: the licence of a long text about something else. "+
				strings.Repeat("It goes on. ", i))
	}
	_, err := beside.RemoveDocument(ctx, "file:///other/7.md")
	must(t, err)
	for _, query := range []string{"harbour licence", "ship licence year", "+licence harbour", "licenc*"} {
		q := store.TextQuery{Text: query, URLPrefix: "file:///docs/"}
		want, err := alone.SearchText(ctx, q)
		must(t, err)
		got, err := beside.SearchText(ctx, q)
		must(t, err)
		if !reflect.DeepEqual(got, want) || len(got) == 0 {
			t.Errorf("%q: beside other folders %+v, alone %+v", query, got, want)
		}
	}
}

// HostileQueries are strings that have broken query parsers; each is words to find
// or nothing, never an error.
var HostileQueries = []string{"", " ", "\"", "\"\"", "\"unclosed", "'", "''; DROP TABLE document; --", "(", ")", "((",
	"AND", "OR",
	"NOT", "NEAR", "NEAR(a b, 5)", "a AND", "AND b", "a OR OR b", "NOT NOT a", "title:", "title: tide", "body:tide",
	"^tide", "tide*",
	"*", "**", "-tide", "+tide", "{title body}: tide", "tide + tide", "a:b:c", "\\", "\x00", "tide\x00tide", "\xff\xfe",
	"a\xc3", "💡", "\u200b",
	"?", "?1", ":a", "$a", "@a", "%", "_", "C++ vs. C#", "it's", "日本", "()\"*^:-+", "tide\" OR \"tide", "rank", "tide)",
	"🏴‍☠️ tide"}

func textNoQueryIsAnError(t *testing.T, b Backend) {
	s, ctx := b.Tenant("a"), t.Context()
	index(t, s, "https://a.example/1", "en", "Tide", "The tide is high.")
	queries := append([]string{strings.Repeat("tide ", 100_000), strings.Repeat("\"", 50_000),
		strings.Repeat("長", 50_000)}, HostileQueries...)
	var many strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&many, "word%d ", i)
	}
	for _, query := range append(queries, many.String()) {
		hits, err := s.SearchText(ctx, store.TextQuery{Text: query})
		if err != nil {
			t.Errorf("query %.40q: %v", query, err)
		}
		if strings.TrimSpace(query) == "" && len(hits) > 0 {
			t.Errorf("query %q without words found %v", query, hits)
		}
	}
	wantFound(t, s, "\"tide\" AND (high", "https://a.example/1")
}

func textSnippetIsOriginal(t *testing.T, b Backend) {
	s, ctx := b.Tenant("a"), t.Context()
	filler := strings.Repeat("Nothing of note happened on that day. Ünïcödé wörds fill the page. ", 60)
	text := filler + "\n\nThe Étretat “BARNACLE” survey counted\n4.2 million barnacles in 1987. " + filler +
		" One barnacle at the end."
	index(t, s, "https://a.example/long", "en", "", text)
	index(t, s, "https://a.example/cjk", "zh", "", strings.Repeat("今天没有发生什么事情。", 80)+"潮汐的高度是四米。"+
		strings.Repeat("今天没有发生什么事情。", 80))
	tests := []struct{ query, want string }{
		{"barnacle survey", "“BARNACLE” survey counted 4.2 million barnacles in 1987."},
		{"潮汐", "潮汐的高度是四米"},
	}
	for _, test := range tests {
		hits, err := s.SearchText(ctx, store.TextQuery{Text: test.query})
		must(t, err)
		if len(hits) != 1 {
			t.Fatalf("%q found %d documents, want 1", test.query, len(hits))
		}
		snippet := hits[0].Snippet
		if !strings.Contains(snippet, test.want) || len(snippet) > 400 || !utf8.ValidString(snippet) ||
			strings.Contains(snippet, "\n") {
			t.Errorf("snippet for %q is %q, want one valid line with %q", test.query, snippet, test.want)
		}
	}
}

func textLimit(t *testing.T, b Backend) {
	s, ctx := b.Tenant("a"), t.Context()
	for i := range 25 {
		index(t, s, fmt.Sprintf("https://a.example/%02d", i), "en", "", "The same words everywhere.")
	}
	for limit, want := range map[int]int{0: 10, 1: 1, 20: 20, 1000: 25} {
		hits, err := s.SearchText(ctx, store.TextQuery{Text: "words", Limit: limit})
		must(t, err)
		if len(hits) != want {
			t.Errorf("limit %d gives %d hits, want %d", limit, len(hits), want)
		}
		if want > 1 && hits[0].URL != "https://a.example/00" {
			t.Errorf("limit %d: equal scores begin with %s, want them in the order of URLs", limit, hits[0].URL)
		}
	}
	for _, limit := range []int{-1, 1001} {
		_, err := s.SearchText(ctx, store.TextQuery{Text: "words", Limit: limit})
		wantCode(t, err, citewell.CodeInvalidArgument)
	}
}
