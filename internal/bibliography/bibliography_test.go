package bibliography

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/citewell/citewell"
)

func TestBibTeX(t *testing.T) {
	got, err := Parse(BibTeX, []byte(`A preamble that is no entry, with an @ in it.
@comment{@article{no, title = {Not this one}}}
@string(js = "Journal of " # {Seals})
@Article{m1,
  author  = "M{\"u}ller, J{\"o}rg and {\O}stby, {\AA}se and {The {Harbour and} Light Group} and others",
  title   = {The {\textit{Gull}} \& the \emph{tern}: 5--10\,\% of $\alpha$ na{\"\i}ve {\ss}},
  journal = js, year = {2019}, doi = {https://doi.org/10.5555/A_B.1}, % a remark
  abstract = {It has a } brace too many
@misc(m2, author = {Crane, Jr, Ada}, title = {A preprint}, eprint = {2401.00001v2}, archivePrefix = {arXiv}, year = 2024)
@article{m3, title = {Of lights}, journal = {arXiv preprint arXiv:2401.00002}, doi = {not one}}
@online{m4, title = {A page}, url = {https://harbour.example/a_b}, urldate = {2024-01-01}}
@book{m5, editor = {Ada Crane}, title = {Lights}, subtitle = {A history}, publisher = {Pier}, date = {2001-05}, isbn = {978-0-306-40615-7}}
@article{m6, title = {Never closed`))
	if err != nil {
		t.Fatal(err)
	}
	want := []Entry{
		{N: 1, Key: "m1", Line: 4, Kind: citewell.WorkArticle, Authors: []string{
			"Müller, Jörg", "Østby, Åse", "The Harbour and Light Group"}, Cut: true,
			Title: "The Gull & the tern: 5–10 % of alpha naïve ß", Venue: "Journal of Seals", Year: 2019,
			DOI: "10.5555/a_b.1"},
		{N: 2, Key: "m2", Kind: citewell.WorkPreprint, Authors: []string{"Crane, Ada"}, Title: "A preprint",
			ArXiv: "2401.00001", Year: 2024},
		{N: 3, Key: "m3", Kind: citewell.WorkPreprint, Title: "Of lights", Venue: "arXiv preprint arXiv:2401.00002",
			ArXiv: "2401.00002", malformed: []string{"DOI not one"}},
		{N: 4, Key: "m4", Title: "A page", URL: "https://harbour.example/a_b", page: true},
		{N: 5, Key: "m5", Kind: citewell.WorkBook, Authors: []string{"Ada Crane"}, Title: "Lights: A history",
			Venue: "Pier", Year: 2001, ISBN: "9780306406157"},
		{N: 6, Key: "m6", Kind: citewell.WorkArticle},
	}
	if len(got) != len(want) {
		t.Fatalf("%d entries: %+v", len(got), got)
	}
	for i := range want {
		if i > 0 {
			want[i].Line = got[i].Line
		}
		if !reflect.DeepEqual(got[i], want[i]) {
			t.Errorf("got  %+v\nwant %+v", got[i], want[i])
		}
	}
}

func TestRISAndCSL(t *testing.T) {
	ris, err := Parse(RIS, []byte("\ufeffTY  - CHAP\r\nID  - k\r\nT1  - A chapter of\r\n  two lines\r\nA1  - Crane, "+
		"Ada\r\nAU  - Finch, Ben\r\nT2  - A book\r\nPY  - 2012\r\nSN  - 0-306-40615-2\r\nAN  - 77\r\nDB  - "+
		"PubMed\r\nTY  - JOUR\r\nTI  - Without an end\r\n"))
	if err != nil || len(ris) != 2 || ris[1].Title != "Without an end" {
		t.Fatalf("%+v %v", ris, err)
	}
	want := Entry{N: 1, Key: "k", Line: 1, Kind: citewell.WorkChapter, Title: "A chapter of two lines",
		Authors: []string{"Finch, Ben", "Crane, Ada"}, Venue: "A book", Year: 2012, ISBN: "0306406152", PMID: "77"}
	if !reflect.DeepEqual(ris[0], want) {
		t.Errorf("got %+v", ris[0])
	}
	csl, err := Parse(CSLJSON, []byte(
		`{"items": [{"id": 7, "type": "paper-conference", "title": "T", "author": [{"literal": "A group"}, {"family": "Berg", "non-dropping-particle": "van den", "given": "Jo"}],
		"issued": {"raw": "May 2003"}, "container-title": ["Proc. of Piers"], "PMID": 5}, 3, {"type": "webpage", "title": "P", "URL": "https://a.example/"}]}`))
	if err != nil || len(csl) != 2 || !csl[1].page {
		t.Fatalf("%+v %v", csl, err)
	}
	want = Entry{N: 1, Key: "7", Kind: citewell.WorkConference, Title: "T",
		Authors: []string{"A group", "van den Berg, Jo"}, Venue: "Proc. of Piers", Year: 2003, PMID: "5"}
	if !reflect.DeepEqual(csl[0], want) {
		t.Errorf("got %+v", csl[0])
	}
}

func TestOfText(t *testing.T) {
	for style, test := range map[string]struct{ line, title, first string }{
		"APA": {
			`Crane, A. B., & Finch, C. (2019). Tidal gates: A history of locks. *Northern Piers*, 12(3), 1–9. https://doi.org/10.5555/x.1`, "Tidal gates: A history of locks", "Crane, A. B."},
		"IEEE": {
			`A. B. Crane and C. Finch, “Tidal gates: a history of locks,” Northern Piers, vol. 12, no. 3, pp. 1–9, 2019, doi: 10.5555/x.1.`, "Tidal gates: a history of locks", "Crane, A. B."},
		"Chicago": {
			`Crane, Ada, and Cleo Finch. 2019. "Tidal Gates: A History of Locks." Northern Piers 12 (3): 1–9. https://doi.org/10.5555/x.1.`, "Tidal Gates: A History of Locks", "Crane, Ada"},
		"Vancouver": {
			`Crane AB, Finch C. Tidal gates: a history of locks. North Piers. 2019;12(3):1-9. doi:10.5555/x.1`,
			"Tidal gates: a history of locks", "Crane, AB"},
	} {
		for form, content := range map[string]string{"numbers": "Said [1].\n\n[1] %s\n[2] %s\n",
			"a heading": "Said.\n\n# References\n\n%s\n\n%s\n", "lines": "**References**\n%s\n%s\n\n# Next\n\nNo " +
				"entry.\n", "bullets": "References:\n\n- %s\n- %s\n"} {
			got, err := OfText(fmt.Sprintf(content, test.line, test.line))
			if err != nil || len(got) != 2 {
				t.Errorf("%s, %s: %d entries, %v: %+v", style, form, len(got), err, got)
				continue
			}
			if e := got[1]; e.Title != test.title || e.DOI != "10.5555/x.1" || e.Year != 2019 || len(e.Authors) == 0 ||
				e.Authors[0] != test.first {
				t.Errorf("%s, %s: %+v", style, form, e)
			}
		}
	}
	if _, err := OfText("It has no list.\n"); citewell.CodeOf(err) != citewell.CodeInvalidArgument {
		t.Errorf("a text without a list: %v", err)
	}
}

func TestFormatOf(t *testing.T) {
	for _, test := range []struct {
		name, content string
		want          Format
	}{
		{"a.bib", "", BibTeX}, {"a.RIS", "", RIS}, {"", "% made by hand\n\n@article{a, title={b}}", BibTeX},
		{"refs.txt", "TY  - JOUR\n", RIS},
		{"a.json", `[{"type": "book", "title": "x"}]`, CSLJSON},
		{"a.json", `{"schema": "citewell.brief/1", "type": "x", "title": "x"}`, ""}, {"a.json", `[{"title": "x"}]`, ""},
		{"a.md", "@article{a, title={b}}", ""}, {"a.txt", "A text by @ada.\n", ""},
	} {
		if got := FormatOf(test.name, []byte(test.content)); got != test.want {
			t.Errorf("%s %q is %q, want %q", test.name, test.content, got, test.want)
		}
	}
}

func TestLimits(t *testing.T) {
	for name, test := range map[string]struct {
		format Format
		data   string
	}{
		"too many":  {BibTeX, strings.Repeat("@misc{a, title = {b}}\n", MaxEntries+1)},
		"too long":  {RIS, strings.Repeat(" ", MaxBytes+1)},
		"none":      {BibTeX, "nothing"},
		"no format": {"word", "x"},
		"no JSON":   {CSLJSON, "{"},
	} {
		if _, err := Parse(test.format, []byte(test.data)); citewell.CodeOf(err) != citewell.CodeInvalidArgument {
			t.Errorf("%s: %v", name, err)
		}
	}
	got, err := Parse(BibTeX, []byte("@misc{a, title = {"+strings.Repeat("x", 9000)+"}, author = {"+
		strings.Repeat("A B and ", 300)+"C D}}"))
	if err != nil || len(got[0].Title) != maxField || len(got[0].Authors) != maxAuthors || !got[0].Cut {
		t.Errorf("%d bytes of a title, %d authors, %v", len(got[0].Title), len(got[0].Authors), err)
	}
}

// An abbreviation that is made of itself grows no further than a field may.
func TestDoubledStrings(t *testing.T) {
	got, err := Parse(BibTeX, []byte("@string{a = {x}}\n"+strings.Repeat("@string{a = a # a}\n", 40)+
		"@misc{b, title = a # { end}}"))
	if err != nil || len(got) != 1 || len(got[0].Title) > maxField {
		t.Errorf("%d entries, %v", len(got), err)
	}
}

// Whatever the bytes are, fields are one line of text, and there are no more than the limits say.
func FuzzLists(f *testing.F) {
	for _, seed := range []string{"@article{a, title = {b {\\\"u} $x$} # \"c\", author={A and B}}",
		"TY  - JOUR\nTI  - x\n  y\nER  - \n", `[{"type":"book","title":["x"],"issued":{"date-parts":[[2001]]}}]`,
		"# References\n\n[1] Crane, A. (2001). A title of it. doi:10.5555/x.\n[2] “Another title,” 1999.\n",
		"@string{a = {", "@string{a = {x}}@string{a = a # a}@misc{b, title = a # a}", "@comment{@a{@b(",
		"@a{b,c={\n@d{e,f=\"{\"}"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var lists [][]Entry
		for _, format := range []Format{BibTeX, RIS, CSLJSON} {
			if entries, err := Parse(format, data); err == nil {
				lists = append(lists, entries)
			} else if citewell.CodeOf(err) != citewell.CodeInvalidArgument {
				t.Errorf("%s: %v", format, err)
			}
		}
		if entries, err := OfText(string(data)); err == nil {
			lists = append(lists, entries)
		}
		for _, entries := range lists {
			if len(entries) == 0 || len(entries) > MaxEntries {
				t.Errorf("%d entries", len(entries))
			}
			for _, e := range entries {
				for _, field := range append([]string{e.Key, e.Title, e.Venue, e.URL, e.Words, e.DOI, e.ISBN},
					e.Authors...) {
					if len(field) > maxField || strings.ContainsAny(field, "\n\r\x00\x1b") ||
						strings.ToValidUTF8(field, "") != field {
						t.Errorf("a field is %q", field)
					}
				}
				if e.Year != 0 && (e.Year < 1000 || e.Year > 2999) || len(e.Authors) > maxAuthors {
					t.Errorf("%+v", e)
				}
				if _, err := json.Marshal(e); err != nil {
					t.Error(err)
				}
			}
		}
	})
}
