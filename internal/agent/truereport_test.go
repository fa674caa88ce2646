package agent_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/judge"
	"github.com/citewell/citewell/internal/runstore"
)

// planted are sentences of the true report and what is put in their place, as models err.
var planted = []struct{ kind, was, is, verdict string }{
	{"number", "The dam rises 62 metres and is some 400 metres long",
		"The dam rises 72 metres and is some 400 metres long", "contradicted"},
	{"condition dropped", "Chlorine comes in only while the lamps are out of service for repair",
		"Chlorine comes in all year round, beside the lamps", "contradicted"},
	{"attribution", "According to the auditors, cracks in the rock were mainly to blame",
		"According to the operator, wages were mainly to blame", "not_stated"},
	{"roles swapped", "The villagers had voted against the dam in 1957, and a court overruled them two years " +
		"later by " +
		"allowing the expropriation",
		"A court had ruled against the dam in 1957, and the villagers overruled it two years later", "contradicted"},
	{"hedge dropped", "They admit that deaths in the turbines could be higher than counted",
		"They show that deaths in the turbines were higher than counted", "not_stated"},
	{"too general", "fewer than 3 percent of the marked animals took it", "not one of the marked animals took it",
		"contradicted"},
	{"date", "It took until 1998 for them to get a memorial", "It took until 1989 for them to get a memorial",
		"contradicted"},
	{"denial", "The board financed the work but did not take part in the analysis",
		"The board financed the work and took part in the analysis", "contradicted"},
	{"another row's figure", "| Graves moved to the slope | 212 [3] |", "| Graves moved to the slope | 73 [3] |",
		"contradicted"},
	{"opposite, in German", "obwohl die Gemeinde den Bau abgelehnt hatte", "und die Gemeinde hatte dem Bau zugestimmt",
		"contradicted"},
}

// reported plays a report through create_report over the four pages that it cites, and tells how
// often it was sent back.
func reported(t *testing.T, content string, j *judge.Judge) (r agent.Result, back int) {
	t.Helper()
	const site = "https://lindmoor.example/"
	s := newShelf()
	s.pages = map[string]string{}
	var urls []string
	// found one after the other, so that they are [1] to [4]
	for _, page := range []string{"operator", "study", "geschichte", "guide"} {
		words, err := os.ReadFile(filepath.Join("testdata", "truereport", page+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		s.pages[site+page], urls = string(words), append(urls, site+page)
	}
	wrote := calls(reportCall(content))
	next := func(q agent.Request) (agent.Reply, error) {
		if strings.Contains(q.Messages[len(q.Messages)-1].Content, "against the sources") { // it was sent back
			return wrote(q)
		}
		return calls(finalCall("The report is written."))(q)
	}
	m := &script{replies: []reply{calls(call("extract_page_content_tool",
		args{"reasoning": "they are named in the task", "urls": urls})), wrote, next, next, next}}
	o := s.options(agent.ShapeToolCalling, m)
	if j != nil {
		o.Judge = j
	}
	o.Tell = func(e agent.Event) {
		if e.Kind == "rejected" {
			back++
		}
	}
	r = run(t, o, "Write about the Lindmoor Reservoir from "+strings.Join(urls, " , "))
	return r, back
}

// A report of which every sentence is true is taken at once and has no mark, with a judge that is
// right and by words alone. Of ten falsehoods planted in it a right judge lets none pass.
func TestATrueReportHasNoMark(t *testing.T) {
	data, err := os.ReadFile("testdata/truereport/report.md")
	if err != nil {
		t.Fatal(err)
	}
	truth := string(data)
	cited := func(content string) (list []agent.Sentence) {
		for _, s := range agent.Sentences(content) {
			if len(s.Marks) > 0 {
				list = append(list, s)
			}
		}
		return list
	}
	right := map[string]string{}
	for _, s := range agent.Sentences(truth) {
		right[s.Text] = "supported"
	}
	if n := len(cited(truth)); n < 50 {
		t.Fatalf("%d sentences", n)
	}
	for name, j := range map[string]*judge.Judge{"by words": nil, "by a judge": judges(t, right)} {
		r, back := reported(t, truth, j)
		if r.Outcome != runstore.RunAnswered || back != 0 || len(r.Report.Unverified) != 0 ||
			strings.Contains(r.Report.Content, "⚠") {
			t.Errorf("%s: %s, sent back %d times: %+v %q", name, r.Outcome, back, r.Report.Unverified, r.Report.Remarks)
		}
		if len(r.Report.Findings) != len(cited(truth)) {
			t.Errorf("%s: %d findings of %d sentences that cite", name, len(r.Report.Findings), len(cited(truth)))
		}
		verdicts := map[citewell.Verdict]int{}
		for _, f := range r.Report.Findings {
			verdicts[f.Citations[0].Verdict]++
		}
		t.Logf("%s: %d true sentences, %v", name, len(r.Report.Findings), verdicts)
	}

	forged, kinds := truth, map[string]string{} // by the words of a false statement
	for _, p := range planted {
		if strings.Count(forged, p.was) != 1 {
			t.Fatalf("%q stands there %d times", p.was, strings.Count(forged, p.was))
		}
		before := agent.Sentences(forged)
		forged = strings.Replace(forged, p.was, p.is, 1)
		for i, s := range agent.Sentences(forged) {
			if s.Text != before[i].Text {
				kinds[s.Text], right[s.Text] = p.kind, p.verdict
			}
		}
	}
	for name, j := range map[string]*judge.Judge{"by words": nil, "by a judge": judges(t, right)} {
		r, _ := reported(t, forged, j)
		passed, found := []string{}, 0
		for _, f := range r.Report.Findings {
			kind, verdict := kinds[f.Text], f.Citations[0].Verdict
			if kind != "" {
				found++
			}
			if kind == "" && f.Problem != "" {
				t.Errorf("%s: %q is true and marked %s", name, f.Text, f.Problem)
			}
			if kind != "" && f.Problem == "" {
				passed = append(passed, kind)
				if verdict == citewell.VerdictSupported {
					t.Errorf("%s: %q is false and supported", name, f.Text)
				}
			}
		}
		// nothing is marked by words
		if want := map[bool]string{true: "high", false: "medium"}[j == nil]; r.Report.Confidence != want {
			t.Errorf("%s: the outcome is %s, and the confidence %s", name, r.Outcome, r.Report.Confidence)
		}
		if found != len(planted) || j != nil && len(passed) > 1 {
			t.Errorf("%s: of %d falsehoods %d are without a mark: %q", name, found, len(passed), passed)
		}
		t.Logf("%s: %d of %d falsehoods without a mark: %q", name, len(passed), found, passed)
	}
}
