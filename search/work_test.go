package search_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/identifier"
	"github.com/citewell/citewell/internal/siteclass"
	"github.com/citewell/citewell/internal/weburl"
	"github.com/citewell/citewell/search"
	"github.com/google/go-cmp/cmp"
)

// A labelledPair is two records as registers have them, and whether they are of one work.
type labelledPair struct {
	same       bool
	what, line string
	a, b       citewell.Result
}

func readPairs(t testing.TB, file string) []labelledPair {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	var pairs []labelledPair
	for _, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		fields := strings.Split(line, "\t")
		pairs = append(pairs, labelledPair{same: fields[0] == "same", what: fields[1], line: line,
			a: resultOf(t, fields[2], 1), b: resultOf(t, fields[3], 2)})
	}
	return pairs
}

// resultOf reads "title | author; author | year | kind | identifiers and @address". What has
// neither kind nor identifier is a page that no provider of works found.
func resultOf(t testing.TB, record string, n int) citewell.Result {
	t.Helper()
	fields := strings.Split(record, "|")
	for i := range fields {
		fields[i] = strings.TrimSpace(fields[i])
	}
	r := citewell.Result{Provider: "p" + strconv.Itoa(n), Rank: n, Title: fields[0],
		URL: "https://register" + strconv.Itoa(n) + ".example/" + strconv.Itoa(n)}
	w := citewell.Work{Kind: citewell.WorkKind(fields[3])}
	w.Year, _ = strconv.Atoi(fields[2])
	for _, name := range strings.Split(fields[1], ";") {
		if name = strings.TrimSpace(name); name != "" {
			w.Authors = append(w.Authors, name)
		}
	}
	isWork := w.Kind != "" || len(w.Authors) > 0
	for _, id := range strings.Fields(fields[4]) {
		if address, ok := strings.CutPrefix(id, "@"); ok {
			r.URL = address
			continue
		}
		scheme, value, _ := strings.Cut(id, ":")
		isWork = true
		switch scheme {
		case citewell.SchemeDOI:
			w.DOI = identifier.DOI(value)
		case citewell.SchemeArXiv:
			w.ArXiv = identifier.ArXiv(value)
		case citewell.SchemePMID:
			w.PMID = value
		case citewell.SchemeISBN:
			w.ISBN = identifier.ISBN(value)
		}
		if value == "" || w.DOI+w.ArXiv+w.PMID+w.ISBN == "" {
			t.Fatalf("%q is no identifier", id)
		}
	}
	if isWork {
		r.Work = &w
	}
	return r
}

// The pairs were labelled and split before the rules were written; the rules were written with
// the first half in view. What is held of the second is what it showed when it was looked at.
func TestOneWorkOnce(t *testing.T) {
	for _, half := range []struct {
		file              string
		precision, recall float64
	}{
		{"works_seen.tsv", 0.98, 0.95},
		{"works_unseen.tsv", 0.98, 0.95},
	} {
		var right, joined, same int
		pairs := readPairs(t, half.file)
		for _, pair := range pairs {
			isOne := len(search.Merge([]citewell.Result{pair.a}, []citewell.Result{pair.b})) == 1
			other := len(search.Merge([]citewell.Result{pair.b}, []citewell.Result{pair.a})) == 1
			if isOne != other {
				t.Errorf("the order decides: %s", pair.line)
			}
			if isOne {
				joined++
			}
			if pair.same {
				same++
			}
			if isOne && pair.same {
				right++
			}
			if isOne != pair.same {
				t.Logf("joined %v: %s", isOne, pair.line)
			}
		}
		precision, recall := float64(right)/float64(joined), float64(right)/float64(same)
		t.Logf("%s: %d pairs, %d of one work; precision %.3f, recall %.3f", half.file, len(pairs), same,
			precision, recall)
		if len(pairs) != 100 || precision < half.precision || recall < half.recall {
			t.Errorf("%s: %d pairs, precision %.3f, want %.2f; recall %.3f, want %.2f", half.file, len(pairs),
				precision, half.precision, recall, half.recall)
		}
	}
}

// What is said of one work in several places is kept: the published version is shown, the
// preprint is named, all identifiers stay, and the gravest word about it wins.
func TestWorkOfSeveralRecords(t *testing.T) {
	const title = "Tide gates slow the spread of reed beetles in coastal fens"
	authors := []string{"Ada Crane", "Bo Lindqvist"}
	preprint := citewell.Result{Provider: "arxiv", Rank: 1, Title: title, URL: "https://arxiv.org/abs/2301.00007v2",
		Snippet: "We watched forty fens for nine years.", Published: "2023-01-02",
		Work: &citewell.Work{Authors: authors, Year: 2023, Kind: citewell.WorkPreprint, ArXiv: "2301.00007",
			Version: "v2", OpenCopy: "https://arxiv.org/pdf/2301.00007v2", Licence: "cc-by", Abstract: true}}
	article := citewell.Result{Provider: "crossref", Rank: 4, Title: title, URL: "https://doi.org/10.5555/jce.8",
		Published: "2024-03-01",
		Work: &citewell.Work{Authors: authors, Year: 2024, Kind: citewell.WorkArticle,
			Venue: "Journal of Coastal Ecology", DOI: "10.5555/jce.8", Volume: "12", Retracted: citewell.WorkCorrected}}
	medical := citewell.Result{Provider: "europepmc", Rank: 2, Title: "RETRACTED: " + title + ".",
		URL: "https://europepmc.org/article/MED/38000001",
		Work: &citewell.Work{Authors: []string{"Crane A", "Lindqvist B"}, Year: 2024, Kind: citewell.WorkArticle,
			DOI: "10.5555/jce.8", PMID: "38000001", Pages: "101-118", Retracted: citewell.WorkRetracted}}
	page := citewell.Result{Provider: "web", Rank: 3, Title: "Tide gates | Coastal Ecology",
		URL: "https://coastal.example/doi/full/10.5555/jce.8"}
	other := citewell.Result{Provider: "web", Rank: 5, Title: title, URL: "https://blog.example/tide-gates"}

	want := &citewell.Work{Authors: authors, Year: 2024, Venue: "Journal of Coastal Ecology",
		Kind: citewell.WorkArticle, DOI: "10.5555/jce.8", ArXiv: "2301.00007", PMID: "38000001",
		OpenCopy: "https://arxiv.org/pdf/2301.00007v2", Licence: "cc-by", Version: "v2",
		Retracted: citewell.WorkRetracted, Abstract: true, Volume: "12", Pages: "101-118",
		Versions: []citewell.WorkVersion{{Kind: citewell.WorkPreprint, Year: 2023, ArXiv: "2301.00007", Version: "v2",
			URL: preprint.URL}}}
	for _, lists := range [][][]citewell.Result{{{preprint}, {article}, {medical}, {page, other}},
		{{page, other}, {article}, {preprint}, {medical}}} {
		merged := search.Merge(lists...)
		if len(merged) != 2 {
			t.Fatalf("%d results, want the work and a page of the same title: %+v", len(merged), merged)
		}
		m := merged[0]
		if diff := cmp.Diff(want, m.Work); diff != "" {
			t.Error("want - got +\n" + diff)
		}
		if m.URL != article.URL || m.Published != article.Published || m.Snippet != preprint.Snippet || m.Rank != 1 ||
			len(m.Providers) != 4 || len(m.Keys) != 4 || m.Class != siteclass.ClassAcademic {
			t.Errorf("%+v", m)
		}
		for _, r := range []citewell.Result{preprint, article, medical, page} {
			if !m.Is(weburl.Canonical(r.URL)) {
				t.Errorf("%s is not one of %v", r.URL, m.Keys)
			}
		}
	}
	if article.Work.ArXiv != "" || preprint.Work.DOI != "" {
		t.Error("what a provider gave was changed")
	}
}

// A preprint that fits two published papers joins one of them, and never makes the two one.
func TestTwoPublishedPapersStayTwo(t *testing.T) {
	pairs := [3]string{"Graph cuts that respect watersheds | Yusuf Adeyemi; Ana Ruiz | 2019 | conference | " +
		"doi:10.5555/cvf.19.220",
		"Graph cuts that respect watersheds | Yusuf Adeyemi; Ana Ruiz | 2018 | preprint | arxiv:1802.07777",
		"Graph cuts that respect watersheds | Yusuf Adeyemi; Ana Ruiz | 2020 | article | doi:10.5555/ijcv.20.7"}
	for _, order := range [][]int{{0, 1, 2}, {1, 2, 0}, {2, 0, 1}} {
		var list []citewell.Result
		for _, i := range order {
			list = append(list, resultOf(t, pairs[i], i+1))
		}
		merged := search.Merge(list)
		if len(merged) != 2 || len(merged[0].Keys)+len(merged[1].Keys) != 3 {
			t.Errorf("in the order %v: %+v", order, merged)
		}
	}
}

// A title is anybody's words: whatever it holds, what is joined does not hang on the order, and
// a record is of one work with itself.
func FuzzOneWork(f *testing.F) {
	for _, pair := range readPairs(f, "works_seen.tsv") {
		f.Add(pair.a.Title, pair.b.Title, strings.Join(authorsOf(pair.a), ";"))
	}
	f.Add(`\\$_{^`, "RETRACTED: <i>:(?—\x00\xff", ",;A;van der;Jr.")
	f.Fuzz(func(t *testing.T, first, second, names string) {
		work := &citewell.Work{Kind: citewell.WorkArticle, Year: 2020, Authors: strings.Split(names, ";")}
		a, b := citewell.Result{URL: "https://a.example/", Title: first, Work: work},
			citewell.Result{URL: "https://b.example/", Title: second, Work: work}
		if one, other := len(search.Merge([]citewell.Result{a, b})),
			len(search.Merge([]citewell.Result{b, a})); one != other {
			t.Errorf("%d in one order, %d in the other", one, other)
		}
		a.Work = &citewell.Work{DOI: "10.5555/a"}
		b.Work = a.Work
		if len(search.Merge([]citewell.Result{a, b})) != 1 {
			t.Error("one DOI is two works")
		}
	})
}

func authorsOf(r citewell.Result) []string {
	if r.Work == nil {
		return nil
	}
	return r.Work.Authors
}

// As many works as ten registers give at most of one question.
func BenchmarkMergeWorks(b *testing.B) {
	var list []citewell.Result
	for i := range 300 {
		list = append(list, citewell.Result{URL: "https://papers.example/" + strconv.Itoa(i),
			Title: "A study of amber cranes and their marshes in the year " + strconv.Itoa(i),
			Work: &citewell.Work{Kind: citewell.WorkArticle, Year: 2000 + i%20, DOI: "10.5555/" + strconv.Itoa(i),
				Authors: []string{"Ada Crane", "Bo Lindqvist"}}})
	}
	for b.Loop() {
		if len(search.Merge(list)) != len(list) {
			b.Fatal("works were joined")
		}
	}
}

// A work that is on arXiv may be read there where nobody names another open copy.
func TestOpenCopyOnArXiv(t *testing.T) {
	for _, test := range []struct{ arXiv, known, want string }{
		{"2401.00001", "", "https://arxiv.org/pdf/2401.00001"},
		{"math.gt/0309136", "", "https://arxiv.org/pdf/math/0309136"},
		{"2401.00001", "https://repository.example/1.pdf", "https://repository.example/1.pdf"},
		{"", "", ""},
	} {
		work := &citewell.Work{ArXiv: test.arXiv, OpenCopy: test.known}
		if got := search.Merge([]citewell.Result{{URL: "https://doi.org/10.5555/a", Title: "Eels",
			Work: work}})[0].Work.OpenCopy; got != test.want || work.OpenCopy != test.known {
			t.Errorf("of %q and %q it is %q, want %q", test.arXiv, test.known, got, test.want)
		}
	}
}
