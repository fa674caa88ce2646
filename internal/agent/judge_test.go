package agent_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/judge"
	"github.com/citewell/citewell/internal/report"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/testing/judgetest"
	"github.com/citewell/citewell/llm"
)

// judges returns a judge that is right of the examination and of the statements.
func judges(t *testing.T, statements map[string]string) *judge.Judge {
	t.Helper()
	var labels []judgetest.Label
	for text, verdict := range statements {
		labels = append(labels, judgetest.Label{Statement: text, Verdict: verdict})
	}
	right, err := judgetest.New("../judge/exam.jsonl", labels...)
	if err != nil {
		t.Fatal(err)
	}
	right.Reason = "it was read"
	return judge.New(judge.Options{Model: right})
}

// away is a judge whose model is not there.
type away struct{}

func (away) Name() string { return "away" }
func (away) Decode(context.Context, llm.Request, any) (llm.Reply, error) {
	return llm.Reply{}, errors.New("not there")
}

// A sentence without a number leans on the sources of its paragraph where the judge finds it there.
func TestTheJudgeReadsSentencesWithoutANumber(t *testing.T) {
	const unmarked = "Kids who travel to class by bike are healthier than kids whose parents take them in a car."
	for name, test := range map[string]struct {
		j       *judge.Judge
		outcome runstore.RunOutcome
		problem string
	}{
		"nobody":           {nil, runstore.RunPartial, "uncited"},
		"away":             {judge.New(judge.Options{Model: away{}}), runstore.RunPartial, "uncited"},
		"finds it":         {judges(t, map[string]string{unmarked: "supported"}), runstore.RunAnswered, ""},
		"finds part of it": {judges(t, map[string]string{unmarked: "partly"}), runstore.RunAnswered, ""},
		"does not find it": {judges(t, map[string]string{unmarked: "not_stated"}), runstore.RunPartial, "uncited"},
		"finds otherwise": {judges(t, map[string]string{unmarked: "contradicted"}), runstore.RunPartial,
			"contradicted"},
	} {
		s := newShelf()
		s.pages = map[string]string{"https://school.example/pupils": "Walking is free of charge. Children " +
			"who walk or " +
			"cycle to school are fitter than those who are driven there by their parents."}
		final := calls(finalCall("Walking is free of charge [1]. " + unmarked))
		m := &script{replies: []reply{calls(searchFor("school")),
			calls(call("extract_page_content_tool", args{"reasoning": "x",
				"urls": []string{"https://school.example/pupils"}})), final, final, final}}
		o := s.options(agent.ShapeToolCalling, m)
		if test.j != nil {
			o.Judge = test.j
		}
		r := run(t, o, "Are kids healthier if they do not go to class by car?")
		problem := ""
		for _, u := range r.Report.Unverified {
			problem += u.Problem
		}
		if r.Outcome != test.outcome || problem != test.problem {
			t.Errorf("%s: %s %+v", name, r.Outcome, r.Report)
		}
		if test.outcome == runstore.RunAnswered && (len(r.Report.Findings) != 2 ||
			r.Report.Findings[1].Citations[0].By != "judge wise") {
			t.Errorf("%s: %+v", name, r.Report.Findings)
		}
	}
}

// What a source says in other words is found by the judge, and so is what it does not say. Without
// a judge, and with one that is not there, it stays undecided and no problem.
func TestTheJudgeReadsReports(t *testing.T) {
	const page = "https://school.example/pupils"
	const paraphrase, other = "Kids who travel to class by bike are healthier than kids whose parents take them " +
		"in a car.", "Kids eat more vegetables when canteens serve them first."
	said := func(sentence string, j *judge.Judge) agent.Result {
		s := newShelf()
		s.pages = map[string]string{page: "Children who walk or cycle to school are fitter than those who are driven " +
			"there by their parents."}
		final := calls(finalCall(strings.TrimSuffix(sentence, ".") + " [1]."))
		m := &script{replies: []reply{calls(searchFor("school")),
			calls(call("extract_page_content_tool", args{"reasoning": "x", "urls": []string{page}})), final,
			final, final}}
		o := s.options(agent.ShapeToolCalling, m)
		if j != nil {
			o.Judge = j
		}
		return run(t, o, "Are kids healthier if they do not go to class by car?")
	}
	for name, j := range map[string]*judge.Judge{"nobody": nil, "away": judge.New(judge.Options{Model: away{}})} {
		for _, sentence := range []string{paraphrase, other} {
			r := said(sentence, j)
			if r.Outcome != runstore.RunAnswered || len(r.Report.Unverified) != 0 ||
				r.Report.Findings[0].Citations[0].Verdict != citewell.VerdictUndecided {
				t.Errorf("%s: %s %+v", name, r.Outcome, r.Report)
			}
		}
	}
	right := judges(t, map[string]string{paraphrase: "supported", other: "not_stated"})
	r := said(paraphrase, right)
	if c := r.Report.Findings[0].Citations[0]; r.Outcome != runstore.RunAnswered ||
		c.Verdict != citewell.VerdictSupported || c.By != "judge wise" || c.Reason == "" {
		t.Errorf("%s %+v", r.Outcome, r.Report)
	}
	r = said(other, right)
	if len(r.Report.Unverified) != 1 || r.Report.Unverified[0].Problem != "unsupported" ||
		r.Outcome != runstore.RunPartial || r.Usage.InputTokens == 0 {
		t.Errorf("what it does not say: %s %+v", r.Outcome, r.Report)
	}
}

// departed is a judge's model of the same name that is not there any more.
type departed struct{ away }

func (departed) Name() string { return "wise" }

// A report takes the time of a verdict and the score of the judge from the journal, which has its
// answers: the run that is played again an hour later, without any judge, writes the same bytes.
func TestTheJudgesTimeAndScoreAreOfTheJournal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const page = "https://school.example/pupils"
		const paraphrase = "Kids who travel to class by bike are healthier than kids whose parents take them in a car."
		journal := agent.NewMemoryJournal()
		play := func(j *judge.Judge) citewell.Report {
			s := newShelf()
			s.pages = map[string]string{page: "Children who walk or cycle to school are fitter than those who are " +
				"driven there by their parents."}
			final := calls(finalCall(strings.TrimSuffix(paraphrase, ".") + " [1]."))
			o := s.options(agent.ShapeToolCalling, &script{replies: []reply{
				calls(searchFor("school")), calls(call("extract_page_content_tool",
					args{"reasoning": "x", "urls": []string{page}})), final}})
			o.Judge, o.Journal = j, journal
			return *run(t, o, "Are kids healthier if they do not go to class by car?").Report
		}
		first := play(judges(t, map[string]string{paraphrase: "supported"}))
		want := &citewell.JudgeReport{Name: "judge wise", Falsehoods: 1, Truths: 1, Believed: true}
		c := first.Findings[0].Citations[0]
		if c.By != "judge wise" || !c.JudgedAt.Equal(time.Now().UTC()) || !reflect.DeepEqual(first.Judge, want) {
			t.Errorf("%+v %+v", c, first.Judge)
		}
		if line := "\nJudge: wise let 0 of 1 planted falsehoods pass and refused 0 of 1 planted truths (statements " +
			"whose truth is known, over the judge's last calls, not this text's " +
			"alone).\n"; !strings.Contains(report.OfRun(first), line) ||
			!strings.Contains(report.HTML(first), "<p>Judge: wise let 0 of 1 planted falsehoods pass") {
			t.Errorf("no line of it in %s", report.OfRun(first))
		}
		time.Sleep(time.Hour)
		again := play(judge.New(judge.Options{Model: departed{}}))
		if one, other := report.OfRun(first), report.OfRun(again); one != other {
			t.Errorf("played again\n%s\nis not\n%s", other, one)
		}
	})
}
