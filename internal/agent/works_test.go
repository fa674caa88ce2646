package agent_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
)

// papers is a shelf whose results about herons are of a work, with an open copy.
type papers struct {
	*shelf
	work citewell.Work
}

func (p papers) Search(ctx context.Context, q citewell.Query) ([]citewell.Result, error) {
	list, err := p.shelf.Search(ctx, q)
	for i := range list {
		if strings.Contains(list[i].URL, "heron.example") {
			work := p.work
			list[i].Work = &work
		}
	}
	return list, err
}

// A run reads a work in its open copy where that is the whole text, and its page otherwise. The
// source has both addresses and the work; a citation of a retracted one says so.
func TestARunReadsTheOpenCopyOfAWork(t *testing.T) {
	const landing, open = "https://heron.example/count", "https://repository.example/herons.pdf"
	whole := newShelf().pages[landing] + strings.Repeat(" We walked each transect at dawn and wrote down what we saw "+
		"of the birds.", 150)
	for _, test := range []struct {
		name, copy, readAt string
		basis              citewell.Basis
	}{
		{"whole", whole, open, citewell.BasisFullText},
		{"a_landing_page", "Buy the paper.", landing, citewell.BasisAbstract},
		{"none_there", "", landing, citewell.BasisAbstract},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := papers{newShelf(), citewell.Work{Authors: []string{"Ada Crane"}, Year: 2024,
				Kind: citewell.WorkArticle, DOI: "10.5555/heron.1", OpenCopy: open, Retracted: citewell.WorkRetracted}}
			m := &script{replies: []reply{calls(searchFor("herons")), calls(readHerons), calls(heronFinal)}}
			o := p.options(agent.ShapeToolCalling, m)
			o.Searcher, o.Reader = p, opened{p.shelf, open, test.copy}
			r := run(t, o, heronTask)
			if r.Report == nil {
				t.Fatalf("%+v", r)
			}
			s := r.Report.Sources[0]
			if s.URL != landing || s.FinalURL != test.readAt || s.Basis != test.basis || s.Work == nil ||
				s.Work.DOI != "10.5555/heron.1" || !strings.Contains(s.Warning, "RETRACTED") {
				t.Errorf("%+v", s)
			}
			for _, f := range r.Report.Findings {
				for _, c := range f.Citations {
					if want := map[bool]string{true: "the work was RETRACTED"}[c.N == s.N]; c.Caveat != want {
						t.Errorf("citation of %d says %q, want %q", c.N, c.Caveat, want)
					}
				}
			}
		})
	}
}

// opened is a shelf that has one more page, which no search finds.
type opened struct {
	*shelf
	at, text string
}

func (o opened) Read(ctx context.Context, url string) (citewell.Page, citewell.Document, error) {
	if url != o.at {
		return o.shelf.Read(ctx, url)
	}
	return (&shelf{pages: map[string]string{url: o.text}}).read(ctx, url, o.text != "")
}

func (s *shelf) read(ctx context.Context, url string, there bool) (citewell.Page, citewell.Document, error) {
	if !there {
		delete(s.pages, url)
	}
	return s.Read(ctx, url)
}

// A work that a report cites is looked up once in its run, unless a provider has said already how
// it stands; each citation says what is grave, and the source whom nobody could ask. Played again,
// nobody is asked.
func TestCitedWorksAreLookedUp(t *testing.T) {
	said := func(retracted citewell.Retraction, unchecked string) func(context.Context,
		citewell.Work) (citewell.Work, error) {
		return func(context.Context, citewell.Work) (citewell.Work, error) {
			return citewell.Work{Retracted: retracted, Unchecked: unchecked}, nil
		}
	}
	down := func(context.Context, citewell.Work) (citewell.Work, error) {
		return citewell.Work{}, &citewell.Error{Code: citewell.CodeConnectFailed, Message: "it is down"}
	}
	slow := func(ctx context.Context, _ citewell.Work) (citewell.Work, error) {
		<-ctx.Done()
		return citewell.Work{}, ctx.Err()
	}
	for name, test := range map[string]struct {
		work     citewell.Work
		register func(context.Context, citewell.Work) (citewell.Work, error)
		searches int // of the budget
		caveat   string
		warning  string
		asked    int
		used     int
	}{
		"retracted": {citewell.Work{DOI: "10.5555/heron.1"}, said(citewell.WorkRetracted, ""), 0,
			"the work was RETRACTED", "the work was RETRACTED", 1, 2},
		"corrected": {citewell.Work{PMID: "7"}, said(citewell.WorkCorrected, ""), 0, "",
			"corrected after it was published", 1, 2},
		"it stands": {citewell.Work{ArXiv: "2401.00001"}, said(citewell.WorkStands, ""), 0, "",
			"the abstract alone", 1, 2},
		"blocked": {citewell.Work{DOI: "10.5555/heron.1"}, said("", "crossref blocked"), 0, "",
			"whether it still stands was not checked: crossref blocked", 1, 2},
		"an error": {citewell.Work{DOI: "10.5555/heron.1"}, down, 0, "", "not checked: it is down", 1, 2},
		"slow": {citewell.Work{DOI: "10.5555/heron.1"}, slow, 0, "",
			"not checked: no register answered in time", 1, 2},
		"no budget": {citewell.Work{DOI: "10.5555/heron.1"}, said(citewell.WorkRetracted, ""), 1, "",
			"not checked: the one search is used up", 0, 1},
		"said already": {citewell.Work{DOI: "10.5555/heron.1", Retracted: citewell.WorkStands},
			said(citewell.WorkRetracted, ""), 0, "", "the abstract alone", 0, 1},
		"no identifier": {citewell.Work{Authors: []string{"Ada Crane"}}, said(citewell.WorkRetracted, ""), 0, "",
			"the abstract alone", 0, 1},
		"nobody to ask": {citewell.Work{DOI: "10.5555/heron.1"}, nil, 0, "", "the abstract alone", 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				asked := 0
				p := papers{newShelf(), test.work}
				o := p.options(agent.ShapeToolCalling, nil)
				o.Searcher, o.Budget.Searches = p, test.searches
				if test.register != nil {
					o.Standing = func(ctx context.Context, w citewell.Work) (citewell.Work, error) {
						asked++
						return test.register(ctx, w)
					}
				}
				for range 2 {
					o.Model = &script{replies: []reply{calls(searchFor("herons")), calls(readHerons),
						calls(heronReport), calls(heronFinal)}}
					r := run(t, o, heronTask)
					if r.Report == nil || asked != test.asked || r.Usage.Searches != test.used {
						t.Fatalf("asked %d times, %d searches: %+v", asked, r.Usage.Searches, r)
					}
					for _, f := range r.Report.Findings {
						for _, c := range f.Citations {
							if want := map[bool]string{true: test.caveat}[c.N == 2]; c.Caveat != want {
								t.Errorf("citation of %d says %q, want %q", c.N, c.Caveat, want)
							}
						}
					}
					s := r.Report.Sources[0]
					if !strings.Contains(s.Warning, test.warning) || strings.Contains(s.Warning,
						"checked") != strings.Contains(test.warning, "checked") || s.Warning != r.Sources[1].Warning {
						t.Errorf("it warns of %q, want %q", s.Warning, test.warning)
					}
				}
			})
		})
	}
}
