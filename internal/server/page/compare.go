package page

import (
	"net/http"
	"slices"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/report"
	"github.com/citewell/citewell/internal/runstore"
)

// A comparePage sets what two runs found beside each other.
type comparePage struct {
	frame
	A, B  compared
	Pairs []pair
	Both  int
	OnlyA int
	OnlyB int
	Other int // pairs whose figures differ
}

// A compared is one of the two.
type compared struct {
	listed
	Report *citewell.Report
}

// A pair is a finding that both have, or that one of them has.
type pair struct {
	A, B    *found
	Figures bool // both have it, with other figures
}

// A found is a finding with its run.
type found struct {
	citewell.Finding
	Run   string
	First int // K of its first citation; 0 where it has none
	Said  report.VerdictWord
}

// compare is GET /compare?a=ID&b=ID.
func (s *Site) compare(w http.ResponseWriter, r *http.Request) error {
	p := comparePage{frame: s.frame(r, "Compare", "runs")}
	for name, to := range map[string]*compared{"a": &p.A, "b": &p.B} {
		id := r.URL.Query().Get(name)
		if id == "" {
			return invalid("to compare two runs, name them as a and b in the address",
				"choose them on the page of a report")
		}
		status, err := s.o.Desk.Status(r.Context(), id)
		if err != nil {
			return ofRun(err)
		}
		if !status.State.Ended() {
			return invalid("a run can be compared only after it has ended", "follow it to its end")
		}
		list, err := s.listed(r.Context(), []runstore.Run{status.Run})
		if err != nil {
			return err
		}
		result, err := s.o.Desk.Result(r.Context(), id)
		if err != nil {
			return err
		}
		*to = compared{list[0], result.Report}
	}
	p.Pairs = pairsOf(foundOf(p.A), foundOf(p.B))
	for _, pair := range p.Pairs {
		switch {
		case pair.B == nil:
			p.OnlyA++
		case pair.A == nil:
			p.OnlyB++
		default:
			p.Both++
			if pair.Figures {
				p.Other++
			}
		}
	}
	return show(w, http.StatusOK, "compare.html", p)
}

// again are other runs of a run's question, the newest first.
func (s *Site) again(r *http.Request, status job.Status) (others []runstore.Run, err error) {
	runs, _, err := s.o.Desk.List(r.Context(), runstore.RunQuery{
		SameTask: status.ID, Limit: before + 1, States: []runstore.RunState{runstore.RunCompleted}})
	return slices.DeleteFunc(runs, func(run runstore.Run) bool { return run.ID == status.ID }), err
}

// foundOf are the findings of a run, with their sources by address.
func foundOf(c compared) (all []found) {
	if c.Report == nil {
		return nil
	}
	for i, f := range c.Report.Findings {
		n := found{Finding: f, Run: c.ID, Said: report.Said(report.Worst(f.Citations))}
		for _, cited := range report.Citations(*c.Report) {
			if cited.Finding == i && n.First == 0 {
				n.First = cited.K
			}
		}
		all = append(all, n)
	}
	return all
}

// pairsOf sets the findings of two runs beside each other.
func pairsOf(a, b []found) (pairs []pair) {
	for _, p := range report.Pairs(findings(a), findings(b)) {
		one := pair{Figures: p.Figures}
		if p.A >= 0 {
			one.A = &a[p.A]
		}
		if p.B >= 0 {
			one.B = &b[p.B]
		}
		pairs = append(pairs, one)
	}
	return pairs
}

func findings(all []found) []citewell.Finding {
	list := make([]citewell.Finding, len(all))
	for i, f := range all {
		list[i] = f.Finding
	}
	return list
}
