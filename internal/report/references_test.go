package report_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/report"
	"github.com/citewell/citewell/internal/testing/realpart"
	"github.com/google/go-cmp/cmp"
)

// library is a report that cites works of every kind, each once with all that registers say and
// once with little, and pages.
func library() citewell.Report {
	people := func(pairs ...string) (names, families []string) {
		for i := 0; i < len(pairs); i += 2 {
			names, families = append(names, strings.TrimSpace(pairs[i]+" "+pairs[i+1])), append(families, pairs[i+1])
		}
		return names, families
	}
	by := func(w citewell.Work, pairs ...string) *citewell.Work {
		w.Authors, w.Families = people(pairs...)
		return &w
	}
	group := func(w *citewell.Work, name string) *citewell.Work {
		w.Authors, w.Families = append(w.Authors, name), append(w.Families, "")
		return w
	}
	many := make([]string, 0, 46)
	for i := range 23 {
		many = append(many, string(rune('A'+i))+"da", "Crane"+string(rune('a'+i)))
	}
	works := []struct {
		title, date string
		work        *citewell.Work
	}{
		{"Tide gates slow the spread of reed beetles: A census", "2024-03-01",
			group(by(citewell.Work{Kind: citewell.WorkArticle, Year: 2024, Venue: "Journal of Coastal Ecology",
				Volume: "12", Issue: "3", Pages: "101-118", DOI: "10.5555/jce.8", PMID: "38000001",
				Publisher: "Sea Press"},
				"Ada", "Crane", "Jan", "van der Meer"), "The Tide Group")},
		{"Do tides sort amber?", "", by(citewell.Work{Kind: citewell.WorkArticle, Year: 1998, Venue: "Journal of Tides",
			Volume: "7", Pages: "e7", DOI: "10.5555/t.7"}, "Ada Mary", "Crane")},
		{"Cranes & {amber}: 100% of $5_000", "2020-07-15", by(citewell.Work{
			Kind: citewell.WorkArticle, Year: 2020, Venue: "Journal of Tides", Volume: "8", Issue: "1", Pages: "96–117",
			DOI: "10.5555/t.8"}, many...)},
		{"A survey of eight", "", by(citewell.Work{Kind: citewell.WorkArticle, Year: 2011, Venue: "Journal of Tides",
			DOI: "10.5555/t.9"}, many[:16]...)},
		{"On sorting amber by density", "2024-01-02", by(citewell.Work{
			Kind: citewell.WorkPreprint, Year: 2024, ArXiv: "2401.00017"}, "Ada", "Crane", "Jean-Luc", "Ek")},
		{"Reading aloud to cattle", "2022-05-06", by(citewell.Work{
			Kind: citewell.WorkPreprint, Year: 2022, Venue: "bioRxiv", DOI: "10.1101/2022.05.06"}, "Eva", "Lund")},
		{"Graph cuts that respect watersheds", "", by(citewell.Work{
			Kind: citewell.WorkConference, Year: 2019, Venue: "Proceedings of the Tenth Symposium on Water",
			Publisher: "ACM", Pages: "220-229", DOI: "10.5555/c.1"}, "Yusuf", "Adeyemi", "Ana", "Ruiz")},
		{"The slow flood", "", by(citewell.Work{Kind: citewell.WorkBook, Year: 2014, Venue: "River Press",
			ISBN: "9780306406157"}, "Grace", "Mutua")},
		{"Handbook of canal engineering", "", by(citewell.Work{
			Kind: citewell.WorkBook, Year: 2016, Publisher: "Canal Press", ISBN: "9783161484100",
			DOI: "10.5555/hce.16"}, "Paul", "Dietz", "Tim", "Vos")},
		{"Locks and lifts", "", by(citewell.Work{Kind: citewell.WorkChapter, Year: 2016,
			Venue: "Handbook of canal engineering", Publisher: "Canal Press", Pages: "55-80", DOI: "10.5555/hce.16.4",
			ISBN: "9783161484100"}, "Ken", "Sato")},
		{"Mapping lost sluices", "", by(citewell.Work{Kind: citewell.WorkThesis, Year: 2020,
			Publisher: "University of the Delta"}, "Sven", "Holt")},
		{"State of the fens", "", group(&citewell.Work{Kind: citewell.WorkReport, Year: 2016,
			Publisher: "Ministry of Water"}, "Fen Watch")},
		{"Winter bird count of the harbour towns", "2020-02-03",
			by(citewell.Work{Kind: citewell.WorkDataset, Year: 2020, Publisher: "Zenodo", DOI: "10.5281/zenodo.4"},
				"Ana", "Ruiz")},
		{"tidetools", "", by(citewell.Work{Kind: citewell.WorkSoftware, Year: 2021, Version: "1.2.0",
			Publisher: "Zenodo", DOI: "10.5281/zenodo.41"}, "Chi", "Duong")},
	}
	r := citewell.Report{Schema: citewell.ReportSchema, ID: "0123456789abcdef0123456789abcdef", Title: "Cranes",
		Task: "cranes", Outcome: "answered", CreatedAt: made, Findings: []citewell.Finding{},
		Sources: []citewell.Source{}}
	for i, w := range works {
		r.Sources = append(r.Sources, citewell.Source{N: i + 1, Title: w.title,
			URL: fmt.Sprintf("https://papers.example/%d", i+1), FinalURL: fmt.Sprintf("https://papers.example/%d.pdf",
				i+1), Host: "papers.example", Date: w.date, Work: w.work,
			FetchedAt: made, PageSHA256: citewell.SHA256([]byte(w.title)),
			Extractor: citewell.Extractor{ID: "citewell", Version: 1}, Outcome: citewell.FetchOK})
	}
	for _, s := range []citewell.Source{{Title: "The tower in figures", URL: "https://tower.test/facts",
		Host: "tower.test", Date: "2025-06-01"}, {Title: "A visitor's guide", URL: "https://friends.test/guide",
		Host: "friends.test"}} {
		s.N, s.FetchedAt, s.PageSHA256, s.Extractor, s.Outcome = len(r.Sources)+1, made,
			citewell.SHA256([]byte(s.Title)), citewell.Extractor{ID: "citewell", Version: 1}, citewell.FetchOK
		r.Sources = append(r.Sources, s)
	}
	return r
}

// citeproc finds citeproc-js with the styles, as scripts/test-setup.sh installs them.
func citeproc(t *testing.T) (home string) {
	t.Helper()
	home, err := realpart.Home("citeproc", "citeproc", []string{"package-lock.json", "requirements.txt"},
		filepath.Join("node_modules", "citeproc"))
	realpart.Need(t, "the citation processor", err)
	return home
}

// cslStyles are the names that our styles have in the Citation Style Language project.
var cslStyles = map[string]string{report.StyleAPA: "apa", report.StyleChicago: "chicago-author-date",
	report.StyleIEEE: "ieee"}

// What differs from what citeproc sets of the same data, each with its reason.
var referencesDiffer = strings.NewReplacer(
	// The style says "released" before the day that a version has; of a year alone it says the word alone.
	"zenodo, released.", "zenodo.",
	// It takes an article without a volume to be ahead of print; that a register names none says less.
	", ahead of print.", ".",
	// A straight apostrophe becomes a curly one; our titles keep their letters.
	"’", "'",
)

// comparable is an entry without what is known to differ: headline style, which cannot be told
// from names, makes capitals of the words of a title and of a host.
func comparable(entry string) string { return referencesDiffer.Replace(strings.ToLower(entry)) }

// Each entry is what citeproc-js makes of our CSL data in the style of the Citation Style
// Language project, letter by letter but for capitals.
func TestReferencesAreThoseOfCiteproc(t *testing.T) {
	home := citeproc(t)
	r := library()
	data := filepath.Join(t.TempDir(), "run.csl.json")
	if err := os.WriteFile(data, export(t, report.FormatCSLJSON, r, nil), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{filepath.Join("citeproc", "set.mjs"), home, data}
	for _, style := range report.ReferenceStyles {
		args = append(args, cslStyles[style])
	}
	out, err := exec.CommandContext(t.Context(), "node", args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	var set map[string]map[string]string
	if err := json.Unmarshal(out, &set); err != nil {
		t.Fatal(err)
	}
	for _, style := range report.ReferenceStyles {
		with, err := report.WithReferences(t.Context(), r, nil, style)
		if err != nil {
			t.Fatal(err)
		}
		var theirs, ours []string
		for _, entry := range set[cslStyles[style]] {
			theirs = append(theirs, comparable(strings.TrimPrefix(entry, "[1] ")))
		}
		for _, entry := range with.References.Entries {
			if style == report.StyleIEEE {
				_, entry, _ = strings.Cut(entry, "] ")
			}
			ours = append(ours, comparable(entry))
		}
		slices.Sort(theirs)
		slices.Sort(ours)
		if diff := cmp.Diff(theirs, ours); diff != "" || len(ours) != len(r.Sources) {
			t.Errorf("%s: -citeproc +ours\n%s", style, diff)
		}
	}
}

// rispy reads what RIS has: types, names in their parts, numbers of pages, identifiers.
func TestRISByItsReader(t *testing.T) {
	home := citeproc(t)
	r := library()
	file := filepath.Join(t.TempDir(), "run.ris")
	if err := os.WriteFile(file, export(t, report.FormatRIS, r, nil), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), filepath.Join(home, "python", "bin", "python"),
		filepath.Join("citeproc", "ris.py"), file).Output()
	if err != nil {
		t.Fatal(err)
	}
	var entries []map[string]any
	if err := json.Unmarshal(out, &entries); err != nil || len(entries) != len(r.Sources) {
		t.Fatalf("%d entries of %d sources: %v", len(entries), len(r.Sources), err)
	}
	first := entries[0]
	for field, want := range map[string]any{"type_of_reference": "JOUR", "year": "2024",
		"secondary_title": "Journal of Coastal Ecology", "volume": "12", "number": "3", "start_page": "101",
		"end_page": "118", "doi": "10.5555/jce.8", "accession_number": "38000001"} {
		if first[field] != want {
			t.Errorf("%s is %v, want %v", field, first[field], want)
		}
	}
	if got := fmt.Sprint(first["authors"]); got != "[Crane, Ada van der Meer, Jan The Tide Group]" {
		t.Errorf("authors %s", got)
	}
	var types []string
	for _, e := range entries {
		types = append(types, e["type_of_reference"].(string))
	}
	if want := []string{"JOUR", "JOUR", "JOUR", "JOUR", "UNPB", "UNPB", "CPAPER", "BOOK", "BOOK", "CHAP", "THES",
		"RPRT", "DATA", "COMP", "ELEC", "ELEC"}; !slices.Equal(types, want) {
		t.Errorf("types %v", types)
	}
}

// bibtexparser reads every entry, its type and its names.
func TestBibTeXOfPublicationsByItsReader(t *testing.T) {
	tools := findReaders(t)
	r := library()
	dir := t.TempDir()
	bib, csl := filepath.Join(dir, "run.bib"), filepath.Join(dir, "run.csl.json")
	for name, format := range map[string]string{bib: report.FormatBibTeX, csl: report.FormatCSLJSON} {
		if err := os.WriteFile(name, export(t, format, r, nil), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, ok := tools.python(t, filepath.Join(tools.scripts, "export-readers.py"), bib, csl)
	var read struct {
		Entries []map[string]string
		Failed  int
		Set     []string
	}
	if err := json.Unmarshal([]byte(out), &read); err != nil || !ok || read.Failed != 0 ||
		len(read.Entries) != len(r.Sources) || len(read.Set) != len(r.Sources) {
		t.Fatalf("%v, %d entries of %d, %d failed", err, len(read.Entries), len(r.Sources), read.Failed)
	}
	want := []string{"article", "article", "article", "article", "misc", "misc", "inproceedings", "book", "book",
		"incollection", "thesis", "report", "dataset", "software", "online", "online"}
	for i, e := range read.Entries {
		if e["type"] != want[i] {
			t.Errorf("entry %d is %s, want %s", i, e["type"], want[i])
		}
	}
	if e := read.Entries[0]; e["author"] != "Crane, Ada and van der Meer, Jan and The Tide Group" ||
		e["journaltitle"] != "Journal of Coastal Ecology" || e["pages"] != "101--118" && e["pages"] != "101–118" ||
		e["doi"] != "10.5555/jce.8" || e["date"] != "2024-03-01" {
		t.Errorf("%v", e)
	}
}
