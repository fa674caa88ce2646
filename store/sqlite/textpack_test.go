package sqlite

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/citewell/citewell/store"
)

// exhaustive ranks every document of an index for a query of words by what its own list of
// terms says: what the postings must come to.
func exhaustive(t *testing.T, s *Store, index, query string, limit int) []string {
	t.Helper()
	ctx := t.Context()
	tx, err := s.db.reads.BeginTx(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	search := textSearch{tx, s.tenant, index}
	parts, err := search.parts(ctx)
	if err != nil {
		t.Fatal(err)
	}
	q, err := search.compile(ctx, store.TextQuery{Text: query}, parts)
	if err != nil {
		t.Fatal(err)
	}
	type ranked struct {
		key   string
		score float64
	}
	var list []ranked
	for _, p := range q.parts {
		rows, err := tx.Query(`SELECT key, terms, terms_record FROM text_document WHERE part = ?`, p.id)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		type read struct {
			key    string
			length int
			found  []occurrence
		}
		var all []read
		have := make([]int, len(p.wanted))
		for rows.Next() {
			var r read
			var sealed []byte
			if err := rows.Scan(&r.key, &r.length, &sealed); err != nil {
				t.Fatal(err)
			}
			record, err := unseal("test", sealed)
			if err == nil {
				r.found, err = findForward(record, p.wanted)
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range r.found {
				have[slices.IndexFunc(p.wanted, func(w wantedTerm) bool { return w.term == o.term })]++
			}
			all = append(all, r)
		}
		p.weigh(have)
		for _, r := range all {
			one := ranked{key: r.key}
			for _, o := range r.found {
				base, _ := earned(p.weights[o.term], p.lengthNorm(r.length), 0, o.title, o.body)
				one.score += base
			}
			_, _, together := bestWindow(r.found, p.weights)
			if one.score += nearBonus * together; one.score > 0 {
				list = append(list, one)
			}
		}
	}
	slices.SortFunc(list, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.key, b.key))
	})
	keys := make([]string, min(limit, len(list)))
	for i := range keys {
		keys[i] = list[i].key
	}
	return keys
}

func wantExhaustive(t *testing.T, s *Store, index, query string) {
	t.Helper()
	const limit = 30
	want := strings.Join(exhaustive(t, s, index, query, limit), " ")
	hits, err := s.SearchText(t.Context(), store.TextQuery{Index: index, Text: query, Limit: limit})
	if err != nil {
		t.Fatal(err)
	}
	got := make([]string, len(hits))
	for i, hit := range hits {
		got[i] = hit.ID
	}
	if strings.Join(got, " ") != want {
		t.Errorf("%.60q finds\n%s, and by every document\n%s", query, strings.Join(got, " "), want)
	}
}

// TestPacking writes, replaces and removes documents, one by one and many at once, until
// segments are merged and written anew; what is found is what every document says.
func TestPacking(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	dir := t.TempDir()
	s, ctx := openTest(t, dir).Tenant("t"), t.Context()
	random := rand.New(rand.NewPCG(3, 4))
	made := 0
	newDoc := func(n int) store.TextDocument {
		made++
		var words strings.Builder
		for range 5 + random.IntN(40) {
			fmt.Fprintf(&words, "w%d ", int(math.Sqrt(float64(random.IntN(2500)))))
		}
		return store.TextDocument{ID: fmt.Sprint(n), Title: fmt.Sprintf("w%d version%d", random.IntN(50), made), Text: words.String(), Language: []string{"en", "de"}[n%2]}
	}
	for round, step := range []struct{ from, to, batch int }{
		{0, 300, 7}, {0, 2600, 2600}, {0, 50, 1}, {1000, 1700, 100}, {2500, 3000, 20}, {0, 3000, 3000},
	} {
		var docs []store.TextDocument
		for n := step.from; n < step.to; n++ {
			docs = append(docs, newDoc(n))
		}
		for batch := range slices.Chunk(docs, step.batch) {
			if err := s.IndexDocuments(ctx, "i", batch); err != nil {
				t.Fatal(err)
			}
		}
		var removed []string
		for range 200 {
			removed = append(removed, fmt.Sprint(random.IntN(step.to)))
		}
		if _, err := s.RemoveDocuments(ctx, "i", store.TextSelection{IDs: removed}); err != nil {
			t.Fatal(err)
		}
		for _, query := range []string{"w49 w48 w3", "w1", "w2*", "w10 w10 w11 w12 w13 w14 w15", fmt.Sprintf("version%d w49", made)} {
			wantExhaustive(t, s, "i", query)
		}
		if found := problems(t, dir); len(found) > 0 {
			t.Fatalf("after round %d: %q", round, found)
		}
		segments := count(t, s.db, `SELECT count(*) FROM text_segment`)
		gone := count(t, s.db, `SELECT count(*) FROM text_gone`)
		loose := count(t, s.db, `SELECT count(*) FROM text_loose`)
		if segments == 0 || segments > 2*2*mergedSegments || loose >= 2*looseDocuments || gone > 3000/goneShare+200 {
			t.Errorf("round %d leaves %d segments, %d loose and %d gone documents", round, segments, loose, gone)
		}
	}
	if _, err := s.RemoveDocuments(ctx, "i", store.TextSelection{All: true}); err != nil {
		t.Fatal(err)
	}
	if n := count(t, s.db, `SELECT count(*) FROM text_posting`); n > 0 {
		t.Errorf("%d pages are left of an index without documents", n)
	}
}

func TestMergeFrom(t *testing.T) {
	for _, test := range []struct {
		sizes []int
		want  int
	}{
		{nil, 0},
		{[]int{128}, 1},
		{[]int{128, 128, 128, 128, 128, 128, 128}, 7},
		{[]int{128, 128, 128, 128, 128, 128, 128, 128}, 0},
		{[]int{1024, 128, 128, 128, 128, 128, 128, 128}, 8},
		{[]int{1024, 128, 200, 300, 128, 128, 128, 128, 900}, 1},
		{[]int{2048, 128, 2048, 2048, 2048, 2048, 2048, 2048}, 0}, // a small one between goes with them
		{[]int{70_000, 70_000, 70_000, 70_000, 70_000, 70_000, 70_000, 70_000}, 8},
	} {
		segments := make([]segment, len(test.sizes))
		for i, size := range test.sizes {
			segments[i].documents = size
		}
		if got := mergeFrom(segments); got != test.want {
			t.Errorf("of %v those from %d are merged, want %d", test.sizes, got, test.want)
		}
	}
}

// FuzzPostings reads any bytes as a page, as documents and as a list, and holds what is
// read to what it is written as.
func FuzzPostings(f *testing.F) {
	list := appendPosting(appendPosting(nil, 0, posting{300, 0, 1}), 301, posting{301, 2, 70_000})
	f.Add(appendTermPostings(appendTermPostings(nil, termPostings{"tide", 2, list}), termPostings{"潮", 0, nil}))
	f.Add(appendSegmentTexts(nil, []segmentText{{1, 5}, {9, 0}, {4, 1 << 20}}))
	f.Add(list)
	f.Fuzz(func(t *testing.T, data []byte) {
		var page []byte
		if err := eachTerm(data, "", func(p termPostings) bool {
			page = appendTermPostings(page, p)
			return true
		}); err == nil && len(page) == len(data) && !bytes.Equal(page, data) {
			t.Errorf("page %x is written as %x", data, page)
		}
		if texts, err := readSegmentTexts(data); err == nil {
			again, err := readSegmentTexts(appendSegmentTexts(nil, texts))
			if err != nil || !slices.Equal(again, texts) {
				t.Errorf("documents %v are read again as %v (%v)", texts, again, err)
			}
		}
		const documents = 1 << 20
		next, again := 0, []byte(nil)
		var read []posting
		if eachOf(data, documents, func(p posting) {
			if p.place < next || p.place >= documents {
				t.Fatalf("place %d after %d", p.place, next)
			}
			again = appendPosting(again, next, p)
			read = append(read, p)
			next = p.place + 1
		}) == nil {
			i := 0
			if err := eachOf(again, documents, func(p posting) {
				if p != read[i] {
					t.Errorf("posting %v is read again as %v", read[i], p)
				}
				i++
			}); err != nil || i != len(read) {
				t.Errorf("%d postings are read again as %d (%v)", len(read), i, err)
			}
		}
	})
}
