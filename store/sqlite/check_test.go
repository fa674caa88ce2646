package sqlite

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	measure "github.com/citewell/citewell/internal/testing/score"
	"github.com/citewell/citewell/internal/upkeep"
	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/sqlstore"
)

// fillStore writes some of everything that is kept.
func fillStore(t *testing.T, db *DB) {
	t.Helper()
	ctx := t.Context()
	for _, tenant := range []string{"", "other"} {
		s := db.Tenant(tenant)
		for i := range 12 {
			if err := writeItem(s, ack{0, i, kinds[i%len(kinds)]}); err != nil {
				t.Fatal(err)
			}
		}
		docs := make([]store.TextDocument, 140)
		for i := range docs {
			var words strings.Builder
			for n := range 80 {
				fmt.Fprintf(&words, "word%d ", (i*31+n*n)%997)
			}
			docs[i] = store.TextDocument{ID: fmt.Sprint("d", i), Language: "en", Title: fmt.Sprint("Tide ", i),
				Text: "The harbour " + words.String() + " tide", Metadata: map[string]string{"n": "1987"}}
		}
		for range 2 { // replaced, so that there are graves in the index
			if err := s.IndexDocuments(ctx, "notes", docs); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.MakeCollection(ctx, store.VectorCollection{Name: "c", Dimension: 3}); err != nil {
			t.Fatal(err)
		}
		if err := s.UpsertVectors(ctx, "c", []store.Vector{{ID: "v", Values: []float32{1, 2, 3},
			Text: "a tide"}}); err != nil {
			t.Fatal(err)
		}
		if err := s.UpsertNodes(ctx, []store.GraphNode{{ID: "n"}}); err != nil {
			t.Fatal(err)
		}
		if err := s.UpsertEdges(ctx, []store.GraphEdge{{Src: "n", Rel: "r", Dst: "m"}}); err != nil {
			t.Fatal(err)
		}
	}
}

func checkDir(t *testing.T, dir string) upkeep.CheckReport {
	t.Helper()
	db, err := Open(t.Context(), dir, Options{})
	if err != nil {
		return upkeep.CheckReport{Problems: []string{"it cannot be opened: " + err.Error()}}
	}
	defer db.Close()
	report, err := db.Check(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func TestCheck(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	dir := t.TempDir()
	db := openTest(t, dir)
	if report, err := db.Check(t.Context()); err != nil || len(report.Problems) > 0 {
		t.Errorf("an empty store: %+v (%v)", report, err)
	}
	fillStore(t, db)
	report, err := db.Check(t.Context())
	if err != nil || len(report.Problems) > 0 {
		t.Fatalf("a whole store: %+v (%v)", report, err)
	}
	if report.Pages < 50 || report.Records < 20 || report.Documents < 100 || report.Contents < 4 {
		t.Errorf("too little was looked at: %+v", report)
	}
	for statement, want := range map[string]string{
		`UPDATE passage SET record = zeroblob(40)`:                                                          "passage",
		`UPDATE brief SET record = x'28b52ffd00'`:                                                           "brief",
		`UPDATE vector SET embedding = zeroblob(16)`:                                                        "embedding",
		`UPDATE graph_node SET record = x''`:                                                                "graph_node n: its record",
		`UPDATE text_document SET text_record = x'00' WHERE id = 3`:                                         "its text is damaged",
		`UPDATE text_document SET terms_record = x'00' WHERE id = (SELECT max(id) FROM text_document)`:      "list of terms",
		`DELETE FROM text_document WHERE id = (SELECT max(id) FROM text_document)`:                          "words of 1 documents that are not there",
		`UPDATE text_document SET part = (SELECT max(part) + 1 FROM text_document) WHERE id = 3`:            "totals",
		`UPDATE text_posting SET page = x'00' WHERE term > ''`:                                              "a record of the text index is damaged",
		`DELETE FROM text_posting WHERE term = ''`:                                                          "the text index is damaged",
		`DELETE FROM text_posting WHERE term > 'word5'`:                                                     "the text index has other words",
		`DELETE FROM text_segment`:                                                                          "the text index has other words",
		`DELETE FROM text_loose`:                                                                            "the text index has other words",
		`UPDATE text_document SET terms = terms + 1`:                                                        "the text index has other words",
		`INSERT INTO text_loose SELECT part, id, terms FROM text_document WHERE key = 'd1'`:                 "the text index has other words",
		`UPDATE blob SET size = size + 1`:                                                                   "does not match its hash",
		`UPDATE blob SET sha256 = 'x' || sha256`:                                                            "no hash",
		`INSERT INTO text_loose VALUES (1, 1000000, 3)`:                                                     "words of 1 documents that are not there",
		`UPDATE text_document SET terms_record = (SELECT terms_record FROM text_document LIMIT 1 OFFSET 5)`: "other words",
		`UPDATE text_part SET documents = documents + 1 WHERE id = (SELECT min(part) FROM text_document)`:   "totals",
		`DELETE FROM blob; INSERT INTO blob VALUES ('', '` + strings.Repeat("0", 64) +
			`', 1, 0)`: "is missing",
		`UPDATE snapshot SET page_record = x'00'; UPDATE snapshot SET document_record = x'00' WHERE id = 999`: "page_record",
	} {
		tx, err := db.writes.Begin()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tx.Exec(statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
		report := upkeep.CheckReport{}
		if err := sqlstore.CheckIn(t.Context(), db.sharedDB, conn{tx}, &report); err != nil {
			t.Error(err)
		}
		if !strings.Contains(strings.Join(report.Problems, "\n"), want) {
			t.Errorf("%s: problems are %q, want one with %q", statement, report.Problems, want)
		}
		if err := tx.Rollback(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestCheckFindsEveryPage makes each page of state.db in turn a page of zeros, and
// then flips bits in the middle of each of the text index's own blocks: whatever the
// damage, some searches go on as if nothing were, and Check does not.
func TestCheckFindsEveryPage(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	if measure.RaceDetector {
		t.Skip("tries hundreds of stores, without the race detector")
	}
	dir := t.TempDir()
	db := openTest(t, dir)
	fillStore(t, db)
	var pageSize, free int
	if err := db.writes.QueryRow("PRAGMA page_size").Scan(&pageSize); err != nil {
		t.Fatal(err)
	}
	if _, err := db.writes.Exec("VACUUM"); err != nil { // no page is free
		t.Fatal(err)
	}
	if err := db.writes.QueryRow("PRAGMA freelist_count").Scan(&free); err != nil || free != 0 {
		t.Fatalf("%d free pages (%v)", free, err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "state.db")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	put := func(data []byte) {
		t.Helper()
		for _, name := range []string{path + "-wal", path + "-shm"} {
			if err := os.Remove(name); err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
		}
		writeFile(t, path, data)
	}
	unnoticed := 0
	for at := 0; at < len(whole); at += pageSize {
		damaged := bytes.Clone(whole)
		clear(damaged[at : at+pageSize])
		put(damaged)
		if report := checkDir(t, dir); len(report.Problems) == 0 {
			t.Errorf("page %d of %d is zeros and nothing is noticed", at/pageSize+1, len(whole)/pageSize)
		}
		if db, err := Open(t.Context(), dir, Options{}); err == nil {
			if hits, err := db.Tenant("").SearchText(t.Context(), store.TextQuery{
				Index: "notes", Text: "tide"}); err == nil && len(hits) == 10 {
				unnoticed++
			}
			db.Close()
		}
	}
	if unnoticed == 0 {
		t.Error("every search noticed: this test does not show what Check is for")
	}
	put(whole)
	if report := checkDir(t, dir); len(report.Problems) > 0 {
		t.Errorf("restored: %q", report.Problems)
	}
}

func TestBackup(t *testing.T) {
	dir := t.TempDir()
	db := openTest(t, filepath.Join(dir, "data"))
	fillStore(t, db)
	ctx, to := t.Context(), filepath.Join(dir, "backup")
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() { // others write meanwhile
		defer close(stopped)
		for i := 100; ; i++ {
			select {
			case <-stop:
				return
			default:
				if err := writeItem(db.Tenant("busy"), ack{0, i, kinds[i%len(kinds)]}); err != nil {
					t.Error(err)
					return
				}
			}
		}
	}()
	report, err := db.Backup(ctx, to)
	close(stop)
	<-stopped
	if err != nil || report.Path != to || len(report.Problems) > 0 || report.Contents < 4 || report.Bytes < 100_000 {
		t.Fatalf("backup: %+v (%v)", report, err)
	}
	copied := checkDir(t, to)
	if len(copied.Problems) > 0 || copied.Documents < 120 {
		t.Errorf("the backup has %+v", copied)
	}
	info, err := os.Stat(to)
	if err != nil || info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" {
		t.Errorf("the backup's rights are %v (%v)", info.Mode(), err)
	}
	backup := openTest(t, to)
	for i := range 12 {
		if err := checkItem(backup.Tenant(""), ack{0, i, kinds[i%len(kinds)]}); err != nil {
			t.Errorf("item %d of the backup: %v", i, err)
		}
	}
	if n, err := backup.Tenant("other").CountText(ctx, store.TextQuery{Index: "notes", Text: "tide"}); n != 140 ||
		err != nil {
		t.Errorf("%d documents are found in the backup (%v), want 140", n, err)
	}

	// What is there is not touched, whatever it is.
	file, empty := filepath.Join(dir, "file"), filepath.Join(dir, "empty")
	writeFile(t, file, []byte("mine"))
	if err := os.Mkdir(empty, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, there := range []string{to, file, empty, filepath.Join(dir, "data")} {
		_, err := db.Backup(ctx, there)
		wantFailed(t, err, citewell.CodeInvalidArgument, "is there already")
	}
	if data, err := os.ReadFile(file); string(data) != "mine" {
		t.Errorf("the file is %q (%v)", data, err)
	}
	_, err = db.Backup(ctx, filepath.Join(dir, "none", "backup"))
	wantFailed(t, err, citewell.CodeNotFound, "does not exist")

	// A content that is damaged here is said and left out; nothing else is.
	hash := ""
	if err := db.reads.QueryRow(`SELECT sha256 FROM blob LIMIT 1`).Scan(&hash); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "data", "snapshots", hash[:2], hash+".zst"), []byte("damaged"))
	second, err := db.Backup(ctx, filepath.Join(dir, "second"))
	if err != nil || len(second.Problems) != 1 || !strings.Contains(second.Problems[0], hash) ||
		second.Contents < report.Contents-1 {
		t.Errorf("backup with a damaged content: %+v (%v)", second, err)
	}
	if problems := checkDir(t, second.Path).Problems; len(problems) != 1 ||
		!strings.Contains(problems[0], "is missing") {
		t.Errorf("the second backup's problems are %q", problems)
	}

	// One that fails leaves nothing.
	if _, err := db.writes.Exec(
		`PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = 9999999 WHERE name = 'brief'; PRAGMA writable_schema = OFF`); err != nil {
		t.Fatal(err)
	}
	_, err = db.Backup(ctx, filepath.Join(dir, "third"))
	wantFailed(t, err, citewell.CodeStoreFailed, "damaged")
	left, err := filepath.Glob(filepath.Join(dir, "*third*"))
	hidden, _ := filepath.Glob(filepath.Join(dir, ".*part*"))
	if err != nil || len(left)+len(hidden) > 0 {
		t.Errorf("left behind: %v %v (%v)", left, hidden, err)
	}
}
