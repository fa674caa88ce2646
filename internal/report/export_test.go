package report_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/report"
	"github.com/citewell/citewell/internal/testing/golden"
	"github.com/google/go-cmp/cmp"
)

// pagesOf gives what a store keeps of the sample run's pages; times it is asked.
type pagesOf struct {
	memory
	pages map[string]citewell.Page
	docs  map[string]citewell.Document
}

func (p pagesOf) Snapshot(_ context.Context, url string) (citewell.Page, citewell.Document, error) {
	if page, ok := p.pages[url]; ok {
		return page, p.docs[url], nil
	}
	return citewell.Page{}, citewell.Document{}, &citewell.Error{Code: citewell.CodeNotFound}
}

// exported is the sample run with its pages: the second has an author, the fourth was
// read again since and says something else, the fifth is not kept any more.
func exported(t *testing.T) (citewell.Report, pagesOf) {
	t.Helper()
	r, kept := sampleRun(t)
	p := pagesOf{kept, map[string]citewell.Page{}, map[string]citewell.Document{}}
	for i, s := range r.Sources {
		if s.FinalURL == "" {
			continue
		}
		page := citewell.Page{URL: s.URL, FinalURL: s.FinalURL, Status: 200, ContentType: "text/html; charset=utf-8",
			FetchedAt: s.FetchedAt, SHA256: s.PageSHA256, Body: kept.blobs[s.PageSHA256], Outcome: s.Outcome}
		doc := citewell.Document{URL: s.FinalURL}
		switch s.N {
		case 2:
			page.LastModified = time.Date(2026, 1, 15, 8, 0, 0, 0, time.UTC)
			doc.Author = "Ada {Corrin} & Söhne_100%"
		case 4:
			page.Body = []byte("<html>something else")
			page.SHA256 = citewell.SHA256(page.Body)
			doc.Author = "Somebody Else"
		case 5:
			delete(kept.blobs, s.PageSHA256)
			r.Sources[i].Title = "Heat & {iron}: 100% of $5_000 #1 ~ ^ \\ 漢字"
			continue
		}
		p.pages[s.FinalURL], p.docs[s.FinalURL] = page, doc
	}
	return r, p
}

func export(t *testing.T, format string, r citewell.Report, kept report.Snapshots) []byte {
	t.Helper()
	var w bytes.Buffer
	if err := report.Write(t.Context(), &w, format, r, kept); err != nil {
		t.Fatal(err)
	}
	return w.Bytes()
}

func TestFormats(t *testing.T) {
	r, kept := exported(t)
	for _, f := range report.Formats {
		if f.MediaType == "" || !strings.HasPrefix(f.Extension, ".") {
			t.Errorf("%+v", f)
		}
		first, second := export(t, f.Name, r, kept), export(t, f.Name, r, kept)
		if !bytes.Equal(first, second) {
			t.Errorf("%s: not the same bytes twice", f.Name)
		}
		if f.Name == report.FormatWACZ {
			for name, file := range unzipped(t, first) {
				if !strings.HasSuffix(name, ".gz") {
					golden.Check(t, "testdata/export/wacz/"+name[strings.LastIndexByte(name, '/')+1:], string(file))
				}
			}
			continue
		}
		golden.Check(t, "testdata/export/run"+f.Extension, string(first))
	}
	var back citewell.Report
	if err := json.Unmarshal(export(t, report.FormatJSON, r, nil), &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r, back); diff != "" {
		t.Error(diff)
	}
	if err := report.Write(t.Context(), io.Discard, "pdf", r,
		kept); citewell.CodeOf(err) != citewell.CodeInvalidArgument ||
		!strings.Contains(citewell.View(err).Hint, "csl-json") {
		t.Error(err)
	}
	if err := report.Write(t.Context(), io.Discard, report.FormatWACZ, r,
		nil); citewell.CodeOf(err) != citewell.CodeNotFound {
		t.Error(err)
	}
}

// A writer that fails, and a store, are told of.
func TestWriteFails(t *testing.T) {
	r, kept := exported(t)
	for _, f := range report.Formats {
		whole := len(export(t, f.Name, r, kept))
		for _, room := range []int{0, whole / 2, whole - 1} {
			if err := report.Write(t.Context(), &narrow{room}, f.Name, r, kept); !errors.Is(err, errNarrow) {
				t.Errorf("%s with room for %d of %d: %v", f.Name, room, whole, err)
			}
		}
	}
	for _, name := range []string{report.FormatBibTeX, report.FormatCSLJSON, report.FormatWACZ} {
		if err := report.Write(t.Context(), io.Discard, name, r,
			broken{}); citewell.CodeOf(err) != citewell.CodeStoreFailed {
			t.Errorf("%s: %v", name, err)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := report.WACZ(ended, io.Discard, r, kept); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

var errNarrow = errors.New("no room")

type narrow struct{ room int }

func (n *narrow) Write(p []byte) (int, error) {
	if len(p) > n.room {
		return 0, errNarrow
	}
	n.room -= len(p)
	return len(p), nil
}

type broken struct{}

func (broken) Blob(context.Context, string) ([]byte, error) {
	return nil, &citewell.Error{Code: citewell.CodeStoreFailed}
}

func (broken) Snapshot(context.Context, string) (citewell.Page, citewell.Document, error) {
	return citewell.Page{}, citewell.Document{}, &citewell.Error{Code: citewell.CodeStoreFailed}
}

func unzipped(t *testing.T, data []byte) map[string][]byte {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, f := range z.File {
		if f.Method != zip.Store {
			t.Errorf("%s is not stored as it is", f.Name)
		}
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if files[f.Name], err = io.ReadAll(in); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// Keys are the same wherever a page is cited, and none stands twice.
func TestKeysOfWorks(t *testing.T) {
	same := citewell.Source{Host: "www.A.test", FinalURL: "https://www.a.test/x", PageSHA256: "ab",
		Date: "2020-02-30", Title: "x"}
	r := citewell.Report{}
	for n := 1; n <= 3; n++ {
		same.N = n
		r.Sources = append(r.Sources, same)
	}
	r.Sources[1].PageSHA256, r.Sources[1].Date = "cd", "2020-02"
	var keys []string
	var items []struct{ ID string }
	if err := json.Unmarshal([]byte(report.CSLJSON(r, nil)), &items); err != nil {
		t.Fatal(err)
	}
	bib := report.BibTeX(r, nil)
	for _, it := range items {
		keys = append(keys, it.ID)
		if !strings.Contains(bib, "@online{"+it.ID+",\n") {
			t.Errorf("%s is not in\n%s", it.ID, bib)
		}
	}
	if !strings.HasPrefix(keys[0], "a-test-nd-") || !strings.HasPrefix(keys[1], "a-test-2020-") ||
		keys[2] != keys[0]+"-3" || len(slices.Compact(slices.Sorted(slices.Values(keys)))) != 3 {
		t.Errorf("%q", keys)
	}
	if report.CSLJSON(citewell.Report{}, nil) != "[]\n" || report.BibTeX(citewell.Report{}, nil) != "" {
		t.Error("a report without sources")
	}
}

// Works of every kind, by the field.
func TestPublicationsByTheirKinds(t *testing.T) {
	for _, f := range []string{report.FormatBibTeX, report.FormatCSLJSON, report.FormatRIS} {
		format, err := report.FormatNamed(f)
		if err != nil {
			t.Fatal(err)
		}
		golden.Check(t, "testdata/export/library"+format.Extension, string(export(t, f, library(), nil)))
	}
}

// A quote of a work that was retracted or is in doubt says so wherever it is shown, and a quote
// of another does not. The source says who wrote it, where it was read, and what of it.
func TestQuotesOfWorksThatDoNotStand(t *testing.T) {
	b, _ := sample(t)
	b.Sources[0].Work = &citewell.Work{Authors: []string{"Ada Corrin", "B", "C", "D"}, Year: 2024,
		Venue: "Journal of Towers", DOI: "10.5555/tower.1", Retracted: citewell.WorkRetracted,
		Versions: []citewell.WorkVersion{{Kind: citewell.WorkPreprint, Year: 2023, Version: "v2",
			URL: "https://arxiv.org/abs/2301.00001v2"}}}
	b.Sources[0].URL, b.Sources[0].FinalURL = "https://doi.org/10.5555/tower.1", "https://repository.test/tower.pdf"
	b.Sources[3].Work = &citewell.Work{Retracted: citewell.WorkDoubted}
	b.Sources[3].Basis = citewell.BasisAbstract
	b.NamePages()
	const retracted, doubted = "source 1: the work was RETRACTED",
		"source 4: an expression of concern was published about the work"
	line := func(text, quote string) string {
		for _, line := range strings.Split(text, "\n") {
			if strings.Contains(line, quote) {
				return line
			}
		}
		return ""
	}
	for name, shown := range map[string]string{"brief": report.Markdown(b, report.Options{}),
		"compact": report.Markdown(b, report.Options{Compact: true}), "research": report.Research(b)} {
		if got := line(shown, "330 m tall, counted from"); !strings.Contains(got, "("+retracted+")") ||
			strings.Contains(got, doubted) {
			t.Errorf("%s: %q", name, got)
		}
		if got := line(shown, "height of 312 metres.”"); !strings.Contains(got, "("+doubted+")") {
			t.Errorf("%s: %q", name, got)
		}
		if got := line(shown, "1889, two months late"); strings.Contains(got, "RETRACTED") ||
			strings.Contains(got, "concern") {
			t.Errorf("%s: %q", name, got)
		}
		for _, want := range []string{"Ada Corrin, B, C and 1 more · 2024 · Journal of Towers · doi:10.5555/tower.1",
			"https://doi.org/10.5555/tower.1", "read at: ", "https://repository.test/tower.pdf", "preprint, 2023, v2: ",
			"https://arxiv.org/abs/2301.00001v2"} {
			if !strings.Contains(shown, want) {
				t.Errorf("%s lacks %q", name, want)
			}
		}
	}
	if shown := report.Markdown(b, report.Options{}); !strings.Contains(shown, "### ④ (abstract only)") {
		t.Error("the extract does not say that it is of the abstract")
	}
	r := report.OfBrief(b, "brief")
	for name, shown := range map[string]string{"run": report.OfRun(r), "html": report.HTML(r)} {
		if !strings.Contains(shown, "the work was RETRACTED") ||
			!strings.Contains(shown, "an expression of concern was published about the work") ||
			!strings.Contains(shown, "Journal of Towers") {
			t.Errorf("%s does not say it", name)
		}
	}
	if data := export(t, report.FormatJSON, r, nil); strings.Count(string(data),
		`"caveat": "the work was RETRACTED"`) < 1 {
		t.Error("the JSON does not say it beside the citation")
	}
}

// References are carried by text, HTML and data; a style that is none is refused.
func TestReportCarriesReferences(t *testing.T) {
	for style, want := range map[string]string{
		report.StyleAPA: "Crane, A., van der Meer, J., & The Tide Group. (2024). Tide gates slow the spread of " +
			"reed beetles: A census. Journal of Coastal Ecology, 12(3), 101–118. https://doi.org/10.5555/jce.8",
		report.StyleChicago: "Crane, Ada, Jan van der Meer, and The Tide Group. 2024. “Tide gates slow the spread of " +
			"reed beetles: A census.” Journal of Coastal Ecology 12 (3): 101–18. https://doi.org/10.5555/jce.8.",
		report.StyleIEEE: "[1] A. Crane, J. van der Meer, and The Tide Group, “Tide gates slow the spread of reed " +
			"beetles: A census,” Journal of Coastal Ecology, vol. 12, no. 3, pp. 101–118, Mar. 2024, doi: " +
			"10.5555/jce.8.",
	} {
		with, err := report.WithReferences(t.Context(), library(), nil, style)
		if err != nil || !slices.Contains(with.References.Entries, want) || with.References.Style != style {
			t.Fatalf("%s: %v\n%s", style, err, strings.Join(with.References.Entries, "\n"))
		}
		for name, shown := range map[string]string{"run": report.OfRun(with), "html": report.HTML(with)} {
			if !strings.Contains(shown, "References") || !strings.Contains(shown, "van der Meer") {
				t.Errorf("%s in %s: not there", style, name)
			}
			if address := "https://doi.org/10.5555/jce.8"; strings.Contains(want, address) &&
				(!strings.Contains(shown, address) || strings.Contains(shown, `https\:`)) {
				t.Errorf("%s in %s: an address does not read as it is written", style, name)
			}
		}
		b, err := report.BriefWithReferences(t.Context(), citewell.Brief{Sources: library().Sources}, nil, style)
		if err != nil || !slices.Equal(b.References.Entries, with.References.Entries) ||
			!strings.Contains(report.Markdown(b, report.Options{}), "\n## References\n") {
			t.Errorf("%s of a brief: %v", style, err)
		}
	}
	if _, err := report.WithReferences(t.Context(), library(), nil,
		"vancouver"); citewell.CodeOf(err) != citewell.CodeInvalidArgument {
		t.Error(err)
	}
}
