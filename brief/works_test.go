package brief

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell"
)

const (
	landing  = "https://doi.org/10.5555/crane.1"
	openCopy = "https://repository.example/crane.pdf"
	preprint = "https://arxiv.example/abs/2401.00017"

	arXivCopy = "https://arxiv.org/pdf/2401.00017" // where any paper of arXiv's may be read
)

// findsWorks is a provider of one result for each work, at its URL.
func findsWorks(name string, after time.Duration, found ...citewell.Result) *fakeProvider {
	return &fakeProvider{name, after, func(context.Context, citewell.Query) ([]citewell.Result, error) {
		for i := range found {
			found[i].Provider, found[i].Rank = name, i+1
		}
		return slices.Clone(found), nil
	}}
}

func craneWork(change func(*citewell.Work)) citewell.Result {
	work := &citewell.Work{Authors: []string{"Ada Crane"}, Year: 2024, Kind: citewell.WorkArticle,
		DOI: "10.5555/crane.1", Abstract: true}
	change(work)
	return citewell.Result{Title: "A census of amber cranes in the northern marsh", URL: landing, Work: work,
		Snippet: "We counted 212 amber cranes that breed in the marshes."}
}

// paper is a text as long as a paper's, which answers.
var paper = "In the spring 212 amber cranes bred in the marshes of the north.\n\n" +
	strings.Repeat("We walked each transect at dawn and wrote down what we saw of the birds. ", 150)

// What is read of a work is its whole text where anybody may read it, else the page that it was
// found at, else what the register says; the source says which, and where both are.
func TestWorkIsReadWhereItIsOpen(t *testing.T) {
	const abstract = "Abstract. We counted 212 amber cranes that breed in the marshes. Sign in to read on, " +
		"or buy the " +
		"paper in the shop of its publisher."
	gone := fakePage{err: &citewell.Error{Code: citewell.CodeRobotsDisallowed, Message: "the site lets no programs in"}}
	for _, test := range []struct {
		name, copy string
		pages      map[string]fakePage
		basis      citewell.Basis
		readAt     string // empty where nothing was
		asked      int
		warned     string
		detail     string
	}{
		{"open_copy", openCopy, map[string]fakePage{openCopy: {text: paper}}, citewell.BasisFullText, openCopy, 1, "",
			"the open copy was read: " + openCopy},
		{"copy_is_blocked", openCopy, map[string]fakePage{openCopy: gone, landing: {text: paper}},
			citewell.BasisFullText, landing, 2, "", "the open copy was not read: the site lets no programs in"},
		{"copy_is_a_landing_page", openCopy, map[string]fakePage{openCopy: {text: abstract}, landing: {text: paper}},
			citewell.BasisFullText, landing, 2, "", "the open copy is not the whole text"},
		{"only_the_copy_can_be_read", openCopy, map[string]fakePage{openCopy: {text: abstract}, landing: gone},
			citewell.BasisAbstract, openCopy, 2, "the abstract alone was read", "the open copy is not the whole text"},
		{"behind_a_wall", "", map[string]fakePage{landing: {text: abstract}}, citewell.BasisAbstract, landing, 1,
			"the abstract alone was read", ""},
		{"nothing_but_the_snippet", openCopy, map[string]fakePage{openCopy: gone, landing: gone},
			citewell.BasisAbstract, "", 2, "the abstract alone was read", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			found := craneWork(func(w *citewell.Work) { w.OpenCopy = test.copy })
			w, web, archive := writer(Options{Fetcher: &fakeWeb{pages: test.pages}}, findsWorks("papers", 0, found))
			b := write(t, w, 1)
			if len(b.Sources) != 1 || len(web.asked) != test.asked {
				t.Fatalf("%d sources, asked for %q", len(b.Sources), web.asked)
			}
			s := b.Sources[0]
			if s.URL != landing || s.FinalURL != test.readAt || s.Basis != test.basis ||
				s.Work.DOI != "10.5555/crane.1" || s.Title != found.Title {
				t.Errorf("%+v", s)
			}
			if !strings.Contains(s.Warning, test.warned) || test.warned == "" && s.Warning != "" {
				t.Errorf("warned of %q, want %q", s.Warning, test.warned)
			}
			if f := b.Coverage.Fetches[0]; f.URL != landing || test.detail != "" && f.Detail != test.detail {
				t.Errorf("coverage %+v, want %q", f, test.detail)
			}
			if _, kept := archive.snapshots[test.readAt]; test.readAt != "" && !kept {
				t.Error("what was read is not kept")
			}
		})
	}
}

// A citation of a work that does not stand says so, in words, and one of another does not.
func TestCitationOfARetractedWorkSaysSo(t *testing.T) {
	for retracted, want := range map[citewell.Retraction]string{citewell.WorkRetracted: "the work was RETRACTED",
		citewell.WorkDoubted:   "an expression of concern was published about the work",
		citewell.WorkCorrected: "", citewell.WorkStands: "", "": ""} {
		w, _, _ := writer(Options{Fetcher: &fakeWeb{pages: map[string]fakePage{landing: {text: paper}}}},
			findsWorks("papers", 0, craneWork(func(w *citewell.Work) { w.Retracted = retracted })))
		b := write(t, w, 1)
		if len(b.Findings) == 0 {
			t.Fatal("nothing was found")
		}
		for _, f := range b.Findings {
			if f.Citations[0].Caveat != want {
				t.Errorf("%q: the citation says %q, want %q", retracted, f.Citations[0].Caveat, want)
			}
		}
	}
}

// What was begun to be read as a page of its own is not read again once another provider says
// that it is the preprint of a work.
func TestWorkIsReadOnce(t *testing.T) {
	early := craneWork(func(w *citewell.Work) {
		w.DOI, w.ArXiv, w.Kind, w.Year = "", "2401.00017", citewell.WorkPreprint, 2023
	})
	early.URL = preprint
	w, web, _ := writer(Options{Fetcher: &fakeWeb{pages: map[string]fakePage{
		arXivCopy: {text: paper}, landing: {text: paper}}}},
		findsWorks("papers", 50*time.Millisecond, craneWork(func(*citewell.Work) {})),
		findsWorks("preprints", 0, early))
	b := write(t, w, 2)
	if len(b.Sources) != 1 || len(web.asked) != 1 || web.asked[0] != arXivCopy {
		t.Fatalf("%d sources, asked for %q", len(b.Sources), web.asked)
	}
	s := b.Sources[0]
	if s.URL != landing || s.FinalURL != arXivCopy || s.Work.ArXiv != "2401.00017" ||
		s.Work.Kind != citewell.WorkArticle ||
		len(s.Work.Versions) != 1 || s.Work.Versions[0].URL != preprint {
		t.Errorf("%+v %+v", s, s.Work)
	}
	if len(b.Coverage.Fetches) != 1 {
		t.Errorf("coverage %+v", b.Coverage.Fetches)
	}
}

// Two works of one publisher are two voices: they speak for their authors.
func TestWorksAreVoicesOfTheirOwn(t *testing.T) {
	sources := []citewell.Source{{URL: landing, Host: "press.example", Work: &citewell.Work{}},
		{URL: landing + "2", Host: "press.example", Work: &citewell.Work{}},
		{URL: "https://press.example/a", Host: "press.example"},
		{URL: "https://www.press.example/b", Host: "press.example"}}
	docs := make([]citewell.Document, len(sources))
	for i := range docs {
		docs[i].Text = strings.Repeat(string(rune('a'+i))+"bc ", 40)
	}
	if got := (&evidence{sources: sources}).independent(docs); got[0] == got[1] || got[2] != got[3] ||
		got[0] == got[2] {
		t.Errorf("%v", got)
	}
}
