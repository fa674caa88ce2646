package fulltext

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/citewell/citewell/store"
)

// exhaustive ranks every document for a query of words by what its own list of terms says:
// what the postings must come to.
func exhaustive(t *testing.T, m *memory, query string, limit int) []string {
	t.Helper()
	q, err := open(t.Context(), m, store.TextQuery{Text: query})
	if err != nil {
		t.Fatal(err)
	}
	type ranked struct {
		key   string
		score float64
	}
	var list []ranked
	for _, p := range q.parts {
		have := make([]int, len(p.wanted))
		found := map[*Prepared][]occurrence{}
		for _, doc := range m.docs {
			if doc.Part != p.ID {
				continue
			}
			record, err := Unseal("test", doc.TermsRecord)
			if err == nil {
				found[doc], err = findForward(record, p.wanted)
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range found[doc] {
				have[slices.IndexFunc(p.wanted, func(w wantedTerm) bool { return w.term == o.term })]++
			}
		}
		p.weigh(have)
		for doc, occurrences := range found {
			one := ranked{key: doc.ID}
			for _, o := range occurrences {
				base, _ := earned(p.weights[o.term], p.lengthNorm(doc.Terms), 0, o.title, o.body)
				one.score += base
			}
			_, _, together := bestWindow(occurrences, p.weights)
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

func wantExhaustive(t *testing.T, m *memory, query string) {
	t.Helper()
	const limit = 30
	want := exhaustive(t, m, query, limit)
	hits, err := Search(t.Context(), m, store.TextQuery{Text: query, Limit: limit})
	if err != nil {
		t.Fatal(err)
	}
	got := make([]string, len(hits))
	for i, hit := range hits {
		got[i] = hit.ID
	}
	if !slices.Equal(got, want) {
		t.Errorf("%.60q finds\n%s, and by every document\n%s", query, got, want)
	}
}

// wantMatched holds what an operator query finds to what reading every text says.
func wantMatched(t *testing.T, m *memory, query string, finds func(doc *Prepared) bool) {
	t.Helper()
	var want []string
	for _, doc := range m.docs {
		if finds(doc) {
			want = append(want, doc.ID)
		}
	}
	hits, err := Search(t.Context(), m, store.TextQuery{Text: query, Limit: store.MaxSearchLimit})
	if err != nil {
		t.Fatal(err)
	}
	n, err := Count(t.Context(), m, store.TextQuery{Text: query})
	if err != nil || n != len(want) {
		t.Errorf("%q counts %d, and %d documents have it (%v)", query, n, len(want), err)
	}
	var got []string
	for _, hit := range hits {
		got = append(got, hit.ID)
	}
	slices.Sort(got)
	if slices.Sort(want); len(want) <= store.MaxSearchLimit && !slices.Equal(got, want) {
		t.Errorf("%q finds %d documents, and %d have it", query, len(got), len(want))
	}
}

// TestPacking writes, replaces and removes documents, one by one and many at once, until
// segments are merged and written anew; what is found is what every document says.
func TestPacking(t *testing.T) {
	m := newMemory()
	random := rand.New(rand.NewPCG(3, 4))
	made := 0
	newDoc := func(n int) store.TextDocument {
		made++
		var words strings.Builder
		for range 5 + random.IntN(40) {
			fmt.Fprintf(&words, "w%d ", int(math.Sqrt(float64(random.IntN(2500)))))
		}
		return store.TextDocument{ID: fmt.Sprint(n), Title: fmt.Sprintf("w%d version%d", random.IntN(50), made),
			Text: words.String(), Language: []string{"en", "de"}[n%2]}
	}
	has := func(doc *Prepared, words string) bool { return strings.Contains(" "+doc.Text, " "+words+" ") }
	for round, step := range []struct{ from, to, batch int }{
		{0, 300, 7}, {0, 2600, 2600}, {0, 50, 1}, {1000, 1700, 100}, {2500, 3000, 20}, {0, 3000, 3000},
	} {
		var docs []store.TextDocument
		for n := step.from; n < step.to; n++ {
			docs = append(docs, newDoc(n))
		}
		for batch := range slices.Chunk(docs, step.batch) {
			m.index(t, batch)
		}
		var removed []string
		for range 200 {
			removed = append(removed, fmt.Sprint(random.IntN(step.to)))
		}
		m.remove(t, removed)
		for _, query := range []string{"w49 w48 w3", "w1", "w2*", "w10 w10 w11 w12 w13 w14 w15",
			fmt.Sprintf("version%d w49", made)} {
			wantExhaustive(t, m, query)
		}
		wantMatched(t, m, `"w49 w48"`, func(doc *Prepared) bool { return has(doc, "w49 w48") })
		wantMatched(t, m, "text:w49 -text:w48", func(doc *Prepared) bool { return has(doc, "w49") && !has(doc, "w48") })
		wantMatched(t, m, "text:w1* (text:w3 OR title:w3)", func(doc *Prepared) bool {
			return strings.Contains(" "+doc.Text, " w1") && (has(doc, "w3") || strings.HasPrefix(doc.Title, "w3 "))
		})
		gone, loose := 0, 0
		for _, part := range m.parts {
			gone += len(m.gone[part.ID])
			loose += len(m.loose[part.ID])
		}
		if n := len(m.segments); n == 0 || n > 2*2*mergedSegments || loose >= 2*looseDocuments ||
			gone > 3000/goneShare+200 {
			t.Errorf("round %d leaves %d segments, %d loose and %d gone documents", round, n, loose, gone)
		}
	}
	m.remove(t, slices.Collect(maps.Keys(m.ids)))
	if len(m.segments) > 0 {
		t.Errorf("%d segments are left of an index without documents", len(m.segments))
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
		segments := make([]Segment, len(test.sizes))
		for i, size := range test.sizes {
			segments[i].Documents = size
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
	f.Add(appendSegmentTexts(nil, []Text{{1, 5}, {9, 0}, {4, 1 << 20}}))
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
