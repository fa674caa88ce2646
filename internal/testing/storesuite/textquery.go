package storesuite

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/citewell/citewell/store"
)

// put indexes documents and sees to it that they are there.
func put(t *testing.T, s Store, index string, docs ...store.TextDocument) {
	t.Helper()
	must(t, s.IndexDocuments(t.Context(), index, docs))
}

// ids returns the ids of what a query finds, best first; the same query's count must agree.
func ids(t *testing.T, s Store, query store.TextQuery) []string {
	t.Helper()
	hits, err := s.SearchText(t.Context(), query)
	must(t, err)
	n, err := s.CountText(t.Context(), query)
	must(t, err)
	if query.Offset+query.Limit == 0 && len(hits) < 10 && n != len(hits) {
		t.Errorf("%+v finds %d documents and counts %d", query, len(hits), n)
	}
	list := make([]string, len(hits))
	for i, hit := range hits {
		list[i] = hit.ID
	}
	return list
}

// wantSet holds what a query finds to want, in any order.
func wantSet(t *testing.T, s Store, query store.TextQuery, want ...string) {
	t.Helper()
	got := ids(t, s, query)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%q %+v found %v, want %v", query.Text, query.Filters, got, want)
	}
}

// harbour is a small index that queries are tried on.
var harbour = []store.TextDocument{
	{ID: "high", Language: "en", Title: "High water", Text: "High water is at noon. The tide tables of the harbour " +
		"say so.", URL: "https://tides.example/high-water"},
	{ID: "low", Language: "en", Title: "Low water", Text: "Low water comes six hours after. Water stands high only " +
		"once the harbours fill.", Metadata: map[string]string{"tag": "tides, sea", "year": "1987"}},
	{ID: "seal", Language: "en", Title: "Seals", Text: "The well-known colony of seals near the harbour mouth was " +
		"counted in 1987.", Metadata: map[string]string{"tag": "animals, sea birds", "year": "2011"}},
	{ID: "wind", Language: "en", Title: "Wind and tide", Text: "Wind against tide raises a short sea. Do NOT sail " +
		"then, says the WHO of sailing.", Metadata: map[string]string{"Author": "M. Brandt"}},
}

func textQueryLanguage(t *testing.T, b Backend) {
	s := b.Tenant("a")
	put(t, s, "harbour", harbour...)
	tests := []struct{ query, want string }{
		{"seals wind", "seal wind"},
		{"harbour", "high low seal"},
		{`"high water"`, "high"},
		{`"high water" wind`, "high"},
		{`"High waters"`, "high"}, // endings aside
		{`“high water”`, "high"},
		{`"tide tables of the harbour"`, "high"},
		{`"water high"`, ""},
		{`"stands high only"`, "low"},
		{`"high water" OR "low water"`, "high low"},
		{`"high water" OR "low water" seals`, "high low"},
		{"harb*", "high low seal"},
		{"harbours*", "high low seal"}, // the word itself, with its endings
		{"col* sai*", "seal wind"},
		{"zebr*", ""},
		{"\"tide ta\"*", ""}, // a star is for words, not phrases
		{"title:tide", "wind"},
		{"text:tide", "high wind"},
		{"TITLE:water", "high low"},
		{`title:"low water"`, "low"},
		{"title:wat*", "high low"},
		{"title:zebra", ""},
		{"tag:sea", "low seal"},
		{"tag:sea harbour", "low seal"},
		{`tag:"sea birds"`, "seal"},
		{"tag:anim*", "seal"},
		{"tag:harbour", ""},
		{"year:1987", "low"},
		{"Author:brandt", "wind"},
		{"url:tides", "high"},
		{"url:https://tides.example/high-water", "high"},
		{"url:seal", "seal"}, // without a URL, the id
		{"nofield:seals", "seal"},
		{"tide: harbour", "high low seal wind"},
		{"harbour -tide", "low seal"},
		{"harbour NOT tide", "low seal"},
		{"-tide", ""},
		{`harbour -"high water"`, "low seal"},
		{"harbour -title:seals", "high low"},
		{"harbour -tag:sea", "high"},
		{"harbour -zebra", "high low seal"},
		{"harbour -well-known", "high low"},
		{"well-known", "seal"},
		{"tide AND harbour", "high"},
		{"tide AND harbour AND zebra", ""},
		{"+tide harbour", "high wind"},
		{"tide AND the", "high wind"}, // a function word asks for nothing
		{"(seals OR wind) AND harbour", "seal"},
		{"harbour AND NOT (tide OR seals)", "low"},
		{"(high AND noon) OR (six AND hours)", "high low"},
		{"tide and harbour", "high low seal wind"},
		{"seals or wind not harbour", "high low seal wind"},
		{"WHO", "wind"}, // one word does not shout
		{"WHO IS IT", ""},
		{"the WHO colony", "seal wind"},
		{"the and of", ""},
		{`"of the"`, ""},
		{`"of the" seals`, "seal"},
	}
	for _, test := range tests {
		wantSet(t, s, store.TextQuery{Index: "harbour", Text: test.query}, strings.Fields(test.want)...)
	}

	// What is required decides who is found, what is not who comes first.
	if got := ids(t, s, store.TextQuery{Index: "harbour", Text: "+harbour seals colony"}); got[0] != "seal" ||
		len(got) != 3 {
		t.Errorf("found %v, want seal first of three", got)
	}
	if got := ids(t, s, store.TextQuery{Index: "harbour", Text: "water noon tables"}); got[0] != "high" {
		t.Errorf("found %v, want the one with more of the words first", got)
	}
}

func textQueryEveryLanguage(t *testing.T, b Backend) {
	s := b.Tenant("a")
	put(t, s, "all",
		store.TextDocument{ID: "de", Language: "de", Title: "Hafen",
			Text: "Die Häuser am Hafen wurden im Jahr 1911 gebaut und später mehrfach verkauft."},
		store.TextDocument{ID: "fr", Language: "fr", Title: "Marées",
			Text: "Les chercheuses ont mesuré la hauteur des marées pendant plusieurs années."},
		store.TextDocument{ID: "ru", Language: "ru", Title: "Приливы",
			Text: "Учёные измеряли высоту приливов в течение многих лет."},
		store.TextDocument{ID: "zh", Language: "zh", Title: "潮汐", Text: "研究人员在港口测量潮汐的高度，结果发表在期刊上。",
			Metadata: map[string]string{"标签": "海洋 港口"}},
		store.TextDocument{ID: "ja", Language: "ja", Title: "潮の高さ", Text: "研究者たちは港で潮の高さを測り、その結果を発表した。"},
		store.TextDocument{ID: "ar", Language: "ar", Title: "المد والجزر",
			Text: "قاس الباحثون ارتفاع المد والجزر في الميناء لسنوات عديدة."},
		store.TextDocument{ID: "ko", Language: "ko", Title: "조석", Text: "연구자들은 항구에서 조석의 높이를 측정했다."},
		store.TextDocument{ID: "th", Language: "th", Title: "น้ำขึ้น", Text: "นักวิจัยวัดความสูงของน้ำขึ้นที่ท่าเรือ"},
		store.TextDocument{ID: "hi", Language: "hi", Title: "ज्वार",
			Text: "शोधकर्ताओं ने बंदरगाह में ज्वार की ऊंचाई मापी।"},
		store.TextDocument{ID: "el", Language: "el", Title: "Παλίρροια",
			Text: "Οι ερευνητές μέτρησαν το ύψος της παλίρροιας στο λιμάνι."},
	)
	tests := []struct{ query, want string }{
		{`"Haus am Hafen"`, "de"}, {"gebau*", "de"}, {"Hafen -verkauft", ""}, {"title:Häfen", "de"},
		// accents may be left out
		{`"hauteur des marées"`, "fr"}, {`"marées hauteur"`, ""}, {"chercheuse AND annee", "fr"},
		{`"высота приливов"`, "ru"}, {"учен*", "ru"}, {"прилив -лет", ""},
		{"潮汐的高度", "zh"}, {`"潮汐的高度"`, "zh"}, {`"高度潮汐"`, ""}, {"港口 -潮汐", ""}, {"title:潮汐", "zh"}, {"标签:海洋", "zh"},
		{"潮", "ja zh"}, {`"潮の高さ"`, "ja"}, {"研究 AND 結果", "ja"}, {"研究 NOT 結果", "zh"},
		{`"المد والجزر"`, "ar"}, {"الميناء", "ar"}, {"المي*", "ar"},
		{"조석", "ko"}, {`"조석의 높이"`, "ko"},
		{`"น้ำขึ้น"`, "th"}, {"ज्वार", "hi"}, {"παλίρροι*", "el"},
		{"1911 OR 潮汐 OR ज्वार", "de hi zh"},
	}
	for _, test := range tests {
		wantSet(t, s, store.TextQuery{Index: "all", Text: test.query}, strings.Fields(test.want)...)
	}
}

func textMarks(t *testing.T, b Backend) {
	s := b.Tenant("a")
	filler := strings.Repeat("Nothing of note happened on that day. Ünïcödé wörds fill the page. ", 20)
	docs := []store.TextDocument{
		{ID: "en", Language: "en", Text: filler + "\n\nThe “Étretat”\tHARBOURS’ tide\ntables, and the harbour " +
			"again. " + filler},
		{ID: "zh", Language: "zh", Text: strings.Repeat("今天没有发生什么事情。", 40) + "研究人员在港口测量潮汐的高度。" +
			strings.Repeat("今天没有发生什么事情。", 40)},
		{ID: "ar", Language: "ar", Text: "قاس الباحثون ارتفاع المد والجزر في الميناء لسنوات عديدة."},
		{ID: "full", Language: "en", Text: "Ｂｏｌｔ and bolts, x²: naïve ligatures of ﬁshing."},
	}
	put(t, s, "marks", docs...)
	tests := []struct{ query, id, want string }{
		{"harbour etretat", "en", "Étretat|HARBOURS|harbour"},
		{"tab*", "en", "tables"},
		{`"tide table"`, "en", "tide|tables"},
		{"harbour -zebra", "en", "HARBOURS|harbour"},
		{"潮汐的高度", "zh", "潮汐的高度"},
		{"潮", "zh", "潮汐"},
		{"الميناء ارتفاع", "ar", "ارتفاع|الميناء"},
		{"bolt naive fishing", "full", "Ｂｏｌｔ|bolts|naïve|ﬁshing"},
	}
	for _, test := range tests {
		hits, err := s.SearchText(t.Context(), store.TextQuery{Index: "marks", Text: test.query})
		must(t, err)
		if len(hits) != 1 || hits[0].ID != test.id {
			t.Errorf("%q found %+v, want %s", test.query, hits, test.id)
			continue
		}
		e := hits[0].Excerpt
		original := docs[slices.IndexFunc(docs, func(d store.TextDocument) bool { return d.ID == test.id })].Text
		if e.Start < 0 || e.End > len(original) || e.Start > e.End || original[e.Start:e.End] != e.Text {
			t.Errorf("%q: excerpt %d to %d is not that of the original", test.query, e.Start, e.End)
			continue
		}
		var marked []string
		last := e.Start
		for _, mark := range e.Marks {
			if mark.Start < last || mark.End > e.End {
				t.Errorf("%q: marks %v overlap or lie outside of %d to %d", test.query, e.Marks, e.Start, e.End)
				break
			}
			marked = append(marked, original[mark.Start:mark.End])
			last = mark.End
		}
		if got := strings.Join(marked, "|"); got != test.want {
			t.Errorf("%q marks %s, want %s", test.query, got, test.want)
		}
	}
}

func textPages(t *testing.T, b Backend) {
	s, ctx := b.Tenant("a"), t.Context()
	const all = 260
	var docs []store.TextDocument
	for i := range all {
		docs = append(docs, store.TextDocument{ID: fmt.Sprintf("d%03d", i), Language: "en",
			Text: "The tide " + strings.Repeat("of the harbour ", i%7) + strings.Repeat("and tide ", i%5)})
	}
	put(t, s, "pages", docs...)
	whole := ids(t, s, store.TextQuery{Index: "pages", Text: "tide harbour", Limit: 1000})
	if len(whole) != all {
		t.Fatalf("%d documents are found, want %d", len(whole), all)
	}
	for _, limit := range []int{1, 7, 90, 100, 101} {
		var pages []string
		for offset := 0; offset < all; offset += limit {
			if limit == 1 && offset == 105 {
				pages = append(pages, whole[105:]...) // that is enough
				break
			}
			pages = append(pages, ids(t, s, store.TextQuery{Index: "pages", Text: "tide harbour", Limit: limit,
				Offset: offset})...)
		}
		if !slices.Equal(pages, whole) {
			t.Errorf("pages of %d are not the whole: %d documents", limit, len(pages))
		}
	}
	for query, want := range map[string]int{"tide": all, "harbour": all - (all+6)/7, "zebra": 0, "": 0} {
		n, err := s.CountText(ctx, store.TextQuery{Index: "pages", Text: query, Limit: 5, Offset: 3})
		must(t, err)
		if n != want {
			t.Errorf("%q counts %d, want %d", query, n, want)
		}
	}
	if got := ids(t, s, store.TextQuery{Index: "pages", Text: "tide", Offset: all}); len(got) > 0 {
		t.Errorf("past the end there are %v", got)
	}
	for _, query := range []store.TextQuery{{Offset: -1}, {Offset: store.MaxSearchReach},
		{Limit: 1000, Offset: store.MaxSearchReach - 999}} {
		query.Index, query.Text = "pages", "tide"
		_, err := s.SearchText(ctx, query)
		wantCode(t, err, "invalid_argument")
	}
}

// textHostileQueries asks what would make an engine parse, nest or multiply without
// end. The bound on memory is far above what any of them needs.
func textHostileQueries(t *testing.T, b Backend) {
	s, ctx := b.Tenant("a"), t.Context()
	put(t, s, "harbour", harbour...)
	for i, language := range []string{"de", "fr", "es", "it", "nl", "pt", "ru", "sv", "fi", "hu"} {
		put(t, s, "harbour", store.TextDocument{ID: fmt.Sprint(i), Language: language,
			Text: "tide word1 word2 word3 1987 a b c"})
	}
	var many strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&many, "word%d ", i)
	}
	queries := []string{
		many.String(), strings.ReplaceAll(many.String(), " ", " AND "), strings.ReplaceAll(many.String(), " ", " OR "),
		"+" + strings.ReplaceAll(many.String(), " ", " +"), `"` + many.String() + `"`,
		`"` + strings.ReplaceAll(many.String(), " ", `" "`) + `"`,
		strings.Repeat("(", 10_000) + "tide" + strings.Repeat(")", 10_000), strings.Repeat("NOT (", 5000) + "tide",
		strings.Repeat("(tide OR (", 5000),
		strings.Repeat(`"`, 10_001), strings.Repeat(`"tide`, 5000), strings.Repeat("title:", 5000) + "tide",
		strings.Repeat("-", 10_000) + "tide",
		strings.Repeat("w* wo* wor* word* ", 500), strings.Repeat("*", 10_000), strings.Repeat("AND OR NOT ", 3000),
		"a* b* c* ab* " + strings.Repeat("x", 10_000) + "*",
		strings.Repeat("tag:sea AND ", 1000) + "tide", strings.Repeat("潮", 10_000), strings.Repeat("a\u0301", 10_000),
		"\xff\"\xfe*\xfd(", `"a b" *`, `* "a`, "title:*", `title:"`, "(-)", `-""`, "+()", "tag:-tide",
	}
	for _, query := range append(queries, HostileQueries...) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := s.SearchText(ctx, store.TextQuery{Index: "harbour", Text: query}); err != nil {
			t.Errorf("query %.40q: %v", query, err)
		}
		if _, err := s.CountText(ctx, store.TextQuery{Index: "harbour", Text: query}); err != nil {
			t.Errorf("query %.40q counted: %v", query, err)
		}
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 64<<20 {
			t.Errorf("query %.40q allocates %d MiB", query, used>>20)
		}
	}
}

// CheckExcerpt holds an excerpt to what the contract says of it.
func CheckExcerpt(t *testing.T, original string, e store.Excerpt) {
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
