package sqlite

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/fulltext"
	"github.com/citewell/citewell/text"
	driver "modernc.org/sqlite"
)

// staleStore returns a data folder in which terms do not meet their texts, as after a
// change of package text: four documents in the library of the default tenant, and 600
// in the index "notes" of another, whose terms were made of the word walrus.
func staleStore(t *testing.T) string {
	t.Helper()
	dir, ctx := t.TempDir(), t.Context()
	db, err := Open(ctx, dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	original := map[string]string{}
	index := func(tenant, index string, docs []store.TextDocument) {
		for i := range docs {
			original[docs[i].ID], docs[i].Text = docs[i].Text, "walrus"
		}
		if err := db.Tenant(tenant).IndexDocuments(ctx, index, docs); err != nil {
			t.Fatal(err)
		}
	}
	var library, notes []store.TextDocument
	for name, said := range map[string]string{"ligature": "A manœuvre in the harbour.", "stroke": "The harbour of Tromsø.", "digits": "It is ٣٣٠ metres.", "kana": "タワーは高い。"} {
		url := "file:///" + name + ".txt"
		library = append(library, store.TextDocument{ID: url, URL: url, Text: said, Stamp: "stamp " + name})
	}
	for i := range 600 {
		notes = append(notes, store.TextDocument{ID: fmt.Sprint("note-", i), Text: fmt.Sprintf("The manœuvre of day %d.", i), Metadata: map[string]string{"number": fmt.Sprint(i)}})
	}
	index("", store.Library, library)
	index("other", "notes", notes)
	for key, said := range original {
		if _, err := db.writes.Exec(`UPDATE text_document SET text_record = ?, terms_version = 0 WHERE key = ?`, fulltext.Seal(nil, []byte(said)), key); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

func found(t *testing.T, s *Store, query string) string {
	t.Helper()
	hits, err := s.SearchText(t.Context(), store.TextQuery{Text: query})
	if err != nil {
		t.Fatal(err)
	}
	var urls []string
	for _, hit := range hits {
		urls = append(urls, hit.URL)
	}
	return strings.Join(urls, " ")
}

func init() { childModes["open"] = childOpen }

// childOpen opens a store, which brings its terms up to date. A comparison by the
// collation hold, which a trigger may use and a function of ours may not, says so and
// waits to be killed.
func childOpen(dir string) int {
	err := driver.RegisterCollationUtf8("hold", func(string, string) int {
		os.Stdout.WriteString("held\n")
		io.Copy(io.Discard, os.Stdin)
		return 0
	})
	if err != nil {
		fmt.Println("register", err)
		return 1
	}
	db, err := Open(context.Background(), dir, Options{LockWait: 30 * time.Second})
	if err != nil {
		fmt.Println("open", err)
		return 1
	}
	if err := db.Close(); err != nil {
		return 1
	}
	return 0
}

// checkRenewed says what is wrong with a store that staleStore's was opened to.
func checkRenewed(t *testing.T, db *DB) {
	t.Helper()
	for query, want := range map[string]string{
		"manoeuvre": "file:///ligature.txt", "manœuvre": "file:///ligature.txt", "tromso": "file:///stroke.txt", "Tromsø": "file:///stroke.txt",
		"330": "file:///digits.txt", "٣٣٠": "file:///digits.txt", "タワー": "file:///kana.txt", "walrus": "",
	} {
		if got := found(t, db.Tenant(""), query); got != want {
			t.Errorf("%q found %q, want %q", query, got, want)
		}
	}
	below := []store.Filter{{Key: "number", Max: "9"}}
	for _, test := range []struct {
		query   string
		filters []store.Filter
		want    int
	}{{"manoeuvre", nil, 600}, {"manœuvre", nil, 600}, {"599", nil, 1}, {"number:42", nil, 1}, {"manoeuvre", below, 10}} {
		query := store.TextQuery{Index: "notes", Text: test.query, Filters: test.filters}
		if n, err := db.Tenant("other").CountText(t.Context(), query); n != test.want || err != nil {
			t.Errorf("%q %v is found in %d notes (%v), want %d", test.query, test.filters, n, err, test.want)
		}
	}
	if stamp, err := db.Tenant("").Stamp(t.Context(), "file:///digits.txt"); stamp != "stamp digits" || err != nil {
		t.Errorf("stamp is %q (%v)", stamp, err)
	}
	if n := count(t, db, `SELECT count(*) FROM text_document WHERE terms_version <> ?`, text.TermsVersion); n != 0 {
		t.Errorf("%d documents have terms of another version", n)
	}
	if report, err := db.Check(t.Context()); err != nil || len(report.Problems) > 0 {
		t.Errorf("the store's own check says %v (%v)", report.Problems, err)
	}
}

func count(t *testing.T, db *DB, query string, args ...any) (n int) {
	t.Helper()
	if err := db.reads.QueryRow(query, args...).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestStaleTerms has several openers at once index anew what has terms of an earlier
// version.
func TestStaleTerms(t *testing.T) {
	dir := staleStore(t)
	dbs := make([]*DB, 3)
	var group sync.WaitGroup
	for i := range dbs {
		group.Go(func() {
			var err error
			if dbs[i], err = Open(t.Context(), dir, Options{}); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if t.Failed() {
		return
	}
	for _, db := range dbs {
		checkRenewed(t, db)
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestStaleTermsKilled kills the process that indexes anew when a part of it is done, in
// the middle of the next.
func TestStaleTermsKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for done, want := range map[int]int{2: 604, 4: 600, 300: 404, 603: 4} { // documents written when it is killed, and those left as they were
		dir := staleStore(t)
		watching, err := openSQL(filepath.Join(dir, "state.db"), 10*time.Second, "deferred")
		if err != nil {
			t.Fatal(err)
		}
		exec := func(statement string) {
			t.Helper()
			if _, err := watching.Exec(statement); err != nil {
				t.Fatal(err)
			}
		}
		exec(fmt.Sprintf(`CREATE TRIGGER halfway AFTER INSERT ON text_document
			WHEN (SELECT count(*) FROM text_document WHERE terms_version <> 0) > %d BEGIN SELECT new.key = new.url COLLATE hold; END`, done))
		cmd := child(t.Context(), "open", dir, "", 0)
		if _, err := cmd.StdinPipe(); err != nil { // does not end
			t.Fatal(err)
		}
		if lines := startChild(t, cmd); !lines.Scan() || lines.Text() != "held" {
			t.Errorf("child says %q", lines.Text())
		}
		cmd.Process.Kill()
		cmd.Wait()
		exec(`DROP TRIGGER halfway`)
		var left int
		if err := watching.QueryRow(`SELECT count(*) FROM text_document WHERE terms_version = 0`).Scan(&left); err != nil || left != want {
			t.Errorf("killed after %d documents, %d are as they were (%v), want %d", done, left, err, want)
		}
		if err := watching.Close(); err != nil {
			t.Fatal(err)
		}
		checkRenewed(t, openTest(t, dir))
	}
}

// TestStaleTermsAreLeftWhereTheyMust has a document whose text is damaged, one whose
// terms a later program made, and one that a program without versions writes later.
func TestStaleTermsAreLeftWhereTheyMust(t *testing.T) {
	dir := staleStore(t)
	db := openTest(t, dir)
	if _, err := db.writes.Exec(`UPDATE text_document SET terms_version = terms_version - 1, text_record = x'00' WHERE key = 'file:///kana.txt';
		UPDATE text_document SET terms_version = terms_version + 1, terms = 99 WHERE key = 'file:///stroke.txt';
		UPDATE text_document SET terms_version = 0 WHERE key = 'file:///ligature.txt'`); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = openTest(t, dir)
	for key, want := range map[string]int{"file:///kana.txt": text.TermsVersion - 1, "file:///stroke.txt": text.TermsVersion + 1,
		"file:///ligature.txt": text.TermsVersion} {
		if got := count(t, db, `SELECT terms_version FROM text_document WHERE key = ?`, key); got != want {
			t.Errorf("%s has terms of version %d, want %d", key, got, want)
		}
	}
}

// TestStaleTermsAreReadInPieces holds the memory of indexing anew to a few texts.
func TestStaleTermsAreReadInPieces(t *testing.T) {
	db := openTest(t, t.TempDir())
	for i := range 6 {
		doc := store.TextDocument{ID: fmt.Sprint(i), Text: strings.Repeat(fmt.Sprintf("harbour%d ", i), 200_000)}
		if err := db.Tenant("").IndexDocuments(t.Context(), "large", []store.TextDocument{doc}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := db.writes.Exec(`UPDATE text_document SET terms_version = 0`); err != nil {
		t.Fatal(err)
	}
	seen, batches := 0, 0
	for at := (staleAt{}); ; batches++ {
		batch, next, err := db.staleTexts(t.Context(), at)
		if err != nil {
			t.Fatal(err)
		}
		if next == at {
			break
		}
		size := 0
		for _, stale := range batch {
			size += len(stale.doc.Text)
		}
		if size > renewedBytes+2_200_000 {
			t.Errorf("%d bytes were read at once", size)
		}
		at, seen = next, seen+len(batch)
	}
	if seen != 6 || batches < 2 {
		t.Errorf("%d documents in %d batches, want 6 in several", seen, batches)
	}
}
