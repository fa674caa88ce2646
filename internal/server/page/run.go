package page

import (
	"fmt"
	"html/template"
	"net/http"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/evidence"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/report"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/server/intake"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/store"
)

// A head is what every page of a run says of it.
type head struct {
	frame
	ID      string
	Task    string
	Agent   string
	State   runstore.RunState
	Outcome runstore.RunOutcome
	Former  string // the run that it goes on from
	Where   string // it was made to look; empty as its agent has it
	Run     runstore.Run
}

func (s *Site) head(r *http.Request, status job.Status) head {
	return head{s.frame(r, titleOf(status.Task), "runs"), status.ID, status.Task, status.Agent, status.State,
		status.Outcome, job.From(status.Run), job.ChoicesOf(status.Run).Words(), status.Run}
}

// titleOf is the title of a document for a task.
func titleOf(task string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(task), "\n")
	if runes := []rune(line); len(runes) > 80 {
		return string(runes[:79]) + "…"
	}
	return line
}

// inRun has h answer for the run that the path names, where that is there for who asks.
func inRun(h func(*Site, http.ResponseWriter, *http.Request, job.Status) error) handle {
	return func(s *Site, w http.ResponseWriter, r *http.Request) error {
		status, err := s.o.Desk.Status(r.Context(), r.PathValue("id"))
		if err != nil {
			return ofRun(err)
		}
		return h(s, w, r, status)
	}
}

// ofRun is an error of what was asked of a run: it may not be there for who asks.
func ofRun(err error) error {
	return intake.Instead(err, notFound("there is no such run",
		"it was deleted, or it is another's; your runs are in the list of runs"))
}

// A reportPage is a run that has ended.
type reportPage struct {
	head
	Result   agent.Result
	Report   *citewell.Report
	Content  template.HTML
	Headings []report.Heading
	Checks   checks
	Sources  []citedSource
	Sites    []report.Site
	Disputed [][]side
	Pane     *pane
	Ask      askForm
	Look     *look // into the documents alone; nil where that was done, or nothing asks for it
	Formats  []report.Format
	Rows     int // of its log
	Again    []runstore.Run
}

// checks are how the citations of a report stand.
type checks struct {
	ID     string
	Counts []count
	All    int
	Marked int // sentences that are not verified
	Sites  int
	Again  *evidence.Verification // checked now
	Failed []failure              // citations that do not hold now
	When   string
}

// A failure is a citation that did not hold when it was checked again, or a finding without one, whose K is 0.
type failure struct {
	K, N     int
	Problems []cite.Problem
}

// A count leads to the first citation that has a verdict.
type count struct {
	report.Count
	First int // its K; 0 where there is none
}

// Share is the part of all citations in percent.
func (c count) Share(all int) int { return (100*c.Number + all/2) / all }

func checksOf(id string, r citewell.Report) checks {
	counts, all := report.Counts(r)
	citations := report.Citations(r)
	c := checks{ID: id, All: all, Marked: len(r.Unverified), Sites: len(report.Sites(r))}
	for _, n := range counts {
		first := 0
		for _, cited := range citations {
			if cited.Stands == n.Verdict && first == 0 {
				first = cited.K
			}
		}
		c.Counts = append(c.Counts, count{n, first})
	}
	return c
}

// A citedSource is a source with what is cited of it.
type citedSource struct {
	citewell.Source
	Address string // that can be opened; empty where it cannot
	Cites   []citation
}

// Lang is the language of what is quoted of it, as far as it can be told.
func (s citedSource) Lang() string {
	var all strings.Builder
	for _, c := range s.Cites {
		all.WriteString(c.Quote + "\n")
	}
	return text.Language(all.String())
}

// run is GET /runs/{id}.
func (s *Site) run(w http.ResponseWriter, r *http.Request, status job.Status) error {
	if !status.State.Ended() {
		return s.underWay(w, r, status)
	}
	p, err := s.reportPage(r, status)
	if err == nil && r.URL.Query().Has(checked) && p.Report != nil {
		err = s.checkAgain(r, &p)
	}
	if err != nil {
		return err
	}
	return show(w, http.StatusOK, "report.html", p)
}

// reportPage is what a run that has ended came to.
func (s *Site) reportPage(r *http.Request, status job.Status) (reportPage, error) {
	form, err := s.askForm(r.Context())
	if err != nil {
		return reportPage{}, err
	}
	p := reportPage{head: s.head(r, status), Ask: form, Formats: report.Formats, Rows: int(status.Seq)}
	p.Ask.From, p.Ask.Agent = status.ID, ""
	p.Ask.Choices.goOn(job.ChoicesOf(status.Run))
	if p.Look, err = s.look(r, status, p.Ask.Choices); err != nil {
		return p, err
	}
	if p.Again, err = s.again(r, status); err != nil {
		return p, err
	}
	result, err := s.o.Desk.Result(r.Context(), status.ID)
	if err != nil {
		return p, err
	}
	p.Result, p.Report = result, result.Report
	if p.Report == nil {
		return p, nil
	}
	p.Content, p.Headings = report.Content(*p.Report, func(c report.Cited) string {
		return fmt.Sprintf("/runs/%s/c/%d#cite", status.ID, c.K)
	})
	p.Checks, p.Sites = checksOf(status.ID, *p.Report), report.Sites(*p.Report)
	all := citationsOf(status.ID, *p.Report)
	p.Disputed = disputesOf(*p.Report, all)
	for _, source := range p.Report.Sources {
		cited := citedSource{Source: source, Address: report.WebAddress(source)}
		for _, c := range all {
			if c.N == source.N {
				cited.Cites = append(cited.Cites, c)
			}
		}
		p.Sources = append(p.Sources, cited)
	}
	return p, nil
}

// A look asks the question of a run that was not answered once more, of the documents alone.
type look struct {
	Key, Question, Agent string
	Documents            int
}

func (s *Site) look(r *http.Request, status job.Status, c choices) (*look, error) {
	if status.Outcome != runstore.RunNoSources || len(c.Documents) == 0 ||
		wayOf(job.ChoicesOf(status.Run)) == documentsAlone {
		return nil, nil
	}
	list, err := s.o.Shelf.List(r.Context(), store.DocumentQuery{Limit: 1})
	_, key, _ := strings.Cut(runstore.NewRunID("run"), "_")
	return &look{key, status.Task, status.Agent, list.Total}, err
}

// checked asks the page of a report to check its citations again.
const checked = "checked"

// verify is POST /runs/{id}/verify: it leads to the report, with its citations checked again.
func (s *Site) verify(w http.ResponseWriter, r *http.Request, status job.Status) error {
	seeOther(w, "/runs/"+status.ID+"?"+checked+"#checks")
	return nil
}

// verifyPart is verify for a page that is there already.
func (s *Site) verifyPart(w http.ResponseWriter, r *http.Request, status job.Status) error {
	p, err := s.reportPage(r, status)
	if err == nil {
		err = s.checkAgain(r, &p)
	}
	if err != nil {
		return err
	}
	return show(w, http.StatusOK, "checks", p.Checks)
}

func (s *Site) checkAgain(r *http.Request, p *reportPage) error {
	v, err := s.o.Evidence.Verify(r.Context(), p.Result)
	if err != nil {
		return err
	}
	p.Checks.Again, p.Checks.When = &v, instant(v.CheckedAt)
	k := 0
	for _, c := range v.Citations { // those of the findings, in their order
		one := failure{Problems: c.Problems}
		if c.N > 0 { // a finding without a citation has one that is of no source
			k++
			one.K, one.N = k, c.N
		}
		if !c.OK {
			p.Checks.Failed = append(p.Checks.Failed, one)
		}
	}
	return nil
}

// cancel is POST /runs/{id}/cancel.
func (s *Site) cancel(w http.ResponseWriter, r *http.Request, status job.Status) error {
	if _, err := s.o.Desk.Cancel(r.Context(), status.ID); err != nil {
		return err
	}
	seeOther(w, "/runs/"+status.ID)
	return nil
}

// remove is POST /runs/{id}/delete.
func (s *Site) remove(w http.ResponseWriter, r *http.Request, status job.Status) error {
	if err := s.o.Desk.Delete(r.Context(), status.ID); err != nil {
		return err
	}
	seeOther(w, "/runs")
	return nil
}
