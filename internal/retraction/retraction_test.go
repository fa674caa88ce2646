package retraction

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/citewell/citewell"
)

// A page is looked up by the identifier in its address, and a work that two sources are of once;
// what no register has as a work stays a page, and what nobody but this machine knows is not told.
func TestSettle(t *testing.T) {
	registered := citewell.Work{DOI: "10.5555/eels.1", Year: 2019, Abstract: true, Retracted: citewell.WorkRetracted}
	for name, test := range map[string]struct {
		source  citewell.Source
		heard   citewell.Work
		asked   string
		warning string
		work    bool
	}{
		"a page with a DOI": {citewell.Source{URL: "https://press.example/doi/10.5555/eels.1"}, registered,
			"doi:10.5555/eels.1", "the work was RETRACTED", true},
		"beside other warnings": {citewell.Source{URL: "https://doi.org/10.5555/eels.1",
			Warning: "says it is not official: x"}, registered, "doi:10.5555/eels.1",
			"says it is not official: x; the work was RETRACTED", true},
		"a page of arXiv": {citewell.Source{URL: "https://arxiv.org/abs/2401.00001v2"},
			citewell.Work{Unchecked: "openalex blocked"}, "arxiv:2401.00001",
			"whether it still stands was not checked: openalex blocked", true},
		"of no register": {citewell.Source{URL: "https://press.example/doi/10.5555/eels.1"}, citewell.Work{},
			"doi:10.5555/eels.1", "", false},
		"a preprint": {citewell.Source{URL: "https://x.example/",
			Warning: "archived copy of 2020-01-01, for the page itself was not read; a preprint: not peer reviewed",
			Work:    &citewell.Work{Kind: citewell.WorkPreprint, ArXiv: "2401.00001"}},
			citewell.Work{Retracted: citewell.WorkDoubted}, "arxiv:2401.00001",
			"archived copy of 2020-01-01, for the page itself was not read; an expression of concern was published " +
				"about the work; a preprint: not peer reviewed", true},
		"a file": {citewell.Source{URL: "file:///home/ada/10.5555/eels.1"}, registered, "", "", false},
		"a page": {citewell.Source{URL: "https://press.example/eels"}, registered, "", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			asked := ""
			d := &Desk{Ask: func(_ context.Context, w citewell.Work) (citewell.Work, error) {
				asked += Key(w)
				return test.heard, nil
			}}
			cited := []citewell.Source{test.source, test.source}
			if err := d.Settle(t.Context(), cited); err != nil {
				t.Fatal(err)
			}
			if asked != test.asked || cited[1].Warning != test.warning || (cited[0].Work != nil) != test.work ||
				cited[0].Work != nil && cited[0].Work.Abstract {
				t.Errorf("asked for %q; %+v", asked, cited)
			}
		})
	}
}

// One run asks for no more than MaxWorks, and says so of the others; what ends the run ends it.
func TestSettleIsBounded(t *testing.T) {
	var cited []citewell.Source
	for i := range MaxWorks + 1 {
		cited = append(cited, citewell.Source{Work: &citewell.Work{PMID: fmt.Sprint(i + 1)}})
	}
	asked := 0
	d := &Desk{Ask: func(context.Context, citewell.Work) (citewell.Work, error) {
		asked++
		return citewell.Work{Retracted: citewell.WorkStands}, nil
	}}
	if err := d.Settle(t.Context(), cited); err != nil || asked != MaxWorks || cited[0].Warning != "" ||
		!strings.Contains(cited[MaxWorks].Warning, "of one run 20 works are looked up") {
		t.Errorf("%v, asked %d times: %q", err, asked, cited[MaxWorks].Warning)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	d = &Desk{}
	d.Ask = func(ctx context.Context, w citewell.Work) (citewell.Work, error) {
		return d.Within(ctx, func(ctx context.Context, _ citewell.Work) (citewell.Work, error) {
			return citewell.Work{}, ctx.Err()
		}, w)
	}
	if err := d.Settle(ctx, []citewell.Source{{Work: &citewell.Work{PMID: "1"}}}); err == nil {
		t.Error("a canceled run goes on")
	}
}

// What one report took of the time is not taken from the next; what was heard for it is known.
func TestEachReportHasItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, asked := &Desk{}, 0
		d.Ask = func(ctx context.Context, w citewell.Work) (citewell.Work, error) {
			return d.Within(ctx, func(context.Context, citewell.Work) (citewell.Work, error) {
				asked++
				time.Sleep(Time + time.Second)
				return citewell.Work{Retracted: citewell.WorkStands}, nil
			}, w)
		}
		first := []citewell.Source{{Work: &citewell.Work{PMID: "1"}}, {Work: &citewell.Work{PMID: "2"}}}
		second := []citewell.Source{{Work: &citewell.Work{PMID: "1"}}, {Work: &citewell.Work{PMID: "3"}}}
		for _, cited := range [][]citewell.Source{first, second} {
			if err := d.Settle(t.Context(), cited); err != nil {
				t.Fatal(err)
			}
		}
		if asked != 2 || first[0].Work.Unchecked != "" || first[1].Work.Unchecked != "no time was left" ||
			second[0].Work.Retracted != citewell.WorkStands || second[1].Work.Retracted != citewell.WorkStands {
			t.Errorf("asked %d times: %+v %+v %+v", asked, first[1].Work, second[0].Work, second[1].Work)
		}
	})
}

// Registers that hang are waited for once a report.
func TestRegistersThatHang(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, asked, began := &Desk{}, 0, time.Now()
		d.Ask = func(ctx context.Context, w citewell.Work) (citewell.Work, error) {
			return d.Within(ctx, func(ctx context.Context, _ citewell.Work) (citewell.Work, error) {
				asked++
				<-ctx.Done()
				return citewell.Work{Unchecked: "crossref timeout"}, nil
			}, w)
		}
		cited := []citewell.Source{{Work: &citewell.Work{PMID: "1"}}, {Work: &citewell.Work{PMID: "2"}},
			{Work: &citewell.Work{PMID: "3"}}}
		if err := d.Settle(t.Context(), cited); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); asked != 1 || took != Patience || cited[2].Work.Unchecked != "crossref timeout" {
			t.Errorf("asked %d times in %v: %+v", asked, took, cited[2].Work)
		}
	})
}
