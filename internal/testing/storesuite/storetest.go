package storesuite

import (
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/store"
)

// A Store is everything that a backend keeps for one tenant.
type Store interface {
	store.Snapshots
	store.Ledger
	store.Text
}

// A Backend is one open store.
type Backend struct {
	// Tenant returns the store bound to a tenant.
	Tenant func(name string) Store
	// Reopen closes the store and opens it again; the Backend is not used after.
	Reopen func(t *testing.T) Backend
	// Check holds what the store keeps against itself and returns what is wrong. It is
	// asked after every test, of a Backend that has been reopened, too.
	Check func(t *testing.T) []string
}

// A test of a Backend.
type backendTest struct {
	name string
	run  func(t *testing.T, b Backend)
}

// Run tries every promise of Snapshots, Ledger and Text. Open gives an empty store
// and sees to it that the store is closed when t ends.
func Run(t *testing.T, open func(t *testing.T) Backend) {
	RunArchive(t, open)
	runAll(t, open, []backendTest{
		{"text_finds_words", textFindsWords},
		{"text_every_language", textEveryLanguage},
		{"text_rare_word_first", textRareWordFirst},
		{"text_word_of_every_document", textWordOfEveryDocument},
		{"text_replace_and_remove", textReplaceAndRemove},
		{"text_prefix", textPrefix},
		{"text_documents", textDocuments},
		{"text_folder_ranks_as_alone", textFolderRanksAsAlone},
		{"text_no_query_is_an_error", textNoQueryIsAnError},
		{"text_snippet_is_original", textSnippetIsOriginal},
		{"text_limit", textLimit},
		{"text_every_word_is_found", textEveryWordIsFound},
		{"text_unknown_language_stays", textUnknownLanguageStays},
		{"text_marks_within_words", textMarksWithinWords},
		{"text_apostrophes_are_one", textApostrophesAreOne},
		{"text_query_language", textQueryLanguage},
		{"text_query_every_language", textQueryEveryLanguage},
		{"text_marks", textMarks},
		{"text_pages", textPages},
		{"text_hostile_queries", textHostileQueries},
		{"text_document_round_trip", textDocumentRoundTrip},
		{"text_upsert", textUpsert},
		{"text_many_at_once", textManyAtOnce},
		{"text_filters", textFilters},
		{"text_remove_documents", textRemoveDocuments},
		{"text_indexes_are_apart", textIndexesAreApart},
		{"text_bad_arguments", textBadArguments},
		{"tenants_are_apart", tenantsAreApart},
		{"tenants_do_not_change_scores", tenantsDoNotChangeScores},
		{"survives_reopening", survivesReopening},
		{"many_goroutines", manyGoroutines},
		{"canceled", canceled},
	})
}

// RunArchive tries the promises of Snapshots and Ledger alone.
func RunArchive(t *testing.T, open func(t *testing.T) Backend) {
	runAll(t, open, []backendTest{
		{"snapshot_round_trip", snapshotRoundTrip},
		{"snapshot_newest_wins", snapshotNewestWins},
		{"snapshot_keeps_every_version", snapshotKeepsEveryVersion},
		{"snapshot_hashes_are_checked", snapshotHashesAreChecked},
		{"snapshot_bad_arguments", snapshotBadArguments},
		{"ledger_round_trip", ledgerRoundTrip},
		{"ledger_source_never_changes", ledgerSourceNeverChanges},
		{"ledger_all_or_nothing", ledgerAllOrNothing},
		{"ledger_bad_arguments", ledgerBadArguments},
		{"brief_round_trip", briefRoundTrip},
		{"brief_never_changes", briefNeverChanges},
	})
}

func runAll(t *testing.T, open func(t *testing.T) Backend, tests []backendTest) {
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b := open(t)
			test.run(t, b)
			for _, problem := range b.Check(t) {
				t.Errorf("the store's own check says: %s", problem)
			}
		})
	}
}

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// newPage returns a page and the document read from it, as fetch and extract
// would give them.
func newPage(url, body, text string, at time.Time) (citewell.Page, citewell.Document) {
	page := citewell.Page{URL: url, FinalURL: url, Status: 200, ContentType: "text/html; charset=utf-8",
		LastModified: noon.Add(-48 * time.Hour), FetchedAt: at, Body: []byte(body),
		SHA256: citewell.SHA256([]byte(body)), Outcome: citewell.FetchOK}
	doc := citewell.Document{URL: url, MediaType: "text/html", Charset: "utf-8", Title: "Tides at Hollow Point",
		Author: "M. Brandt", Published: "2026-03-01", Language: "en", Kind: "article", Text: text,
		Markdown: "# Tides\n\n" + text, Links: []citewell.Link{{Text: "next", URL: url + "/next"}},
		Extractor: citewell.Extractor{ID: "html", Version: 3}, TextSHA256: citewell.SHA256([]byte(text)),
		Affiliation: "This site is not affiliated with the harbour authority."}
	return page, doc
}

// newSource returns source n with count passages.
func newSource(n, count int) (citewell.Source, []citewell.Passage) {
	source := citewell.Source{N: n, Title: "Tide tables", URL: "https://tides.example/a?x=1",
		FinalURL: "https://tides.example/a",
		Host:     "tides.example", Class: "organisation", Date: "2026-02-01", FetchedAt: noon.Add(123456789),
		PageSHA256: citewell.SHA256([]byte("page")), TextSHA256: citewell.SHA256([]byte("text")),
		Extractor: citewell.Extractor{ID: "html", Version: 3}, Outcome: citewell.FetchTruncated,
		Snippet: "“4.2 m” at spring tide — 潮汐", Warning: "unofficial"}
	var passages []citewell.Passage
	for i := range count {
		text := strings.Repeat("ä", i+1)
		passages = append(passages, citewell.Passage{ID: citewell.NewID(), Alias: "S1.p1", Source: n,
			Start: 10 * i, End: 10*i + len(text), Heading: "Spring", Page: i + 1, Unit: citewell.UnitPage, Text: text})
	}
	return source, passages
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantCode(t *testing.T, err error, code citewell.Code) {
	t.Helper()
	if got := citewell.CodeOf(err); got != code {
		t.Errorf("got code %q (%v), want %q", got, err, code)
	}
}
