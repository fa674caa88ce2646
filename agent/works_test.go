package agent_test

import (
	"context"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/agent"
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
	whole := newShelf().pages[landing] + strings.Repeat(" We walked each transect at dawn and wrote down what we saw of the birds.", 150)
	for _, test := range []struct {
		name, copy, readAt string
		basis              citewell.Basis
	}{
		{"whole", whole, open, citewell.BasisFullText},
		{"a_landing_page", "Buy the paper.", landing, citewell.BasisAbstract},
		{"none_there", "", landing, citewell.BasisAbstract},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := papers{newShelf(), citewell.Work{Authors: []string{"Ada Crane"}, Year: 2024, Kind: citewell.WorkArticle, DOI: "10.5555/heron.1", OpenCopy: open, Retracted: citewell.WorkRetracted}}
			m := &script{replies: []reply{calls(searchFor("herons")), calls(readHerons), calls(heronFinal)}}
			o := p.options(agent.ShapeToolCalling, m)
			o.Searcher, o.Reader = p, opened{p.shelf, open, test.copy}
			r := run(t, o, heronTask)
			if r.Report == nil {
				t.Fatalf("%+v", r)
			}
			s := r.Report.Sources[0]
			if s.URL != landing || s.FinalURL != test.readAt || s.Basis != test.basis || s.Work == nil || s.Work.DOI != "10.5555/heron.1" || !strings.Contains(s.Warning, "RETRACTED") {
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
