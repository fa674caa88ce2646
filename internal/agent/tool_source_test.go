package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/siteclass"
	"github.com/citewell/citewell/internal/tool"
	"github.com/google/jsonschema-go/jsonschema"
)

// asking is a tool named ask whose result is made of its question.
func asking(spec tool.Spec, answer func(question string) tool.Result) *tool.Tool {
	spec.Name, spec.Hints.ReadOnly = "ask", true
	t := tool.New(spec, func(_ context.Context, in struct {
		Question string `json:"question" jsonschema:"what to ask"`
	}) (struct{}, error) {
		return struct{}{}, nil
	})
	return tool.Raw(spec, t.Input, nil, func(_ context.Context, arguments json.RawMessage) (tool.Result, error) {
		var in struct{ Question string }
		err := json.Unmarshal(arguments, &in)
		return answer(in.Question), err
	})
}

func lighthouse(string) tool.Result {
	return tool.Result{Text: "The lighthouse of Hallvik has 42 steps."}
}

// ask runs an agent with one tool, which it asks these questions before it answers.
func ask(t *testing.T, j agent.Journal, extra *tool.Tool, questions []string, answer string) (agent.Result, *script) {
	t.Helper()
	m := &script{}
	for _, q := range questions {
		m.replies = append(m.replies, calls(call("ask", args{"question": q})))
	}
	for range 3 {
		m.replies = append(m.replies, calls(finalCall(answer)))
	}
	return run(t, agent.Options{Shape: agent.ShapeToolCalling, Model: m, Journal: j, Extra: []*tool.Tool{extra}},
		"How many steps has the lighthouse of Hallvik?"), m
}

// The model is told the number of a result; the same answer again keeps it, and another
// tool's words or another answer have their own.
func TestAResultHasANumber(t *testing.T) {
	r, m := ask(t, agent.NewMemoryJournal(), asking(tool.Spec{}, lighthouse), []string{"the steps", "the steps of it"},
		"The lighthouse of Hallvik has 42 steps [1].")
	if r.Outcome != runstore.RunAnswered || len(r.Sources) != 1 {
		t.Fatalf("%s: %+v", r.Outcome, r.Sources)
	}
	for _, request := range m.asked[1:3] {
		if said := request.Messages[len(request.Messages)-1].Content; !strings.Contains(said,
			"\n[1] ask(question: the steps), ") {
			t.Errorf("the model was told %q", said)
		}
	}
	s := r.Sources[0]
	if s.Class != siteclass.ClassTool || s.Host != "ask" ||
		!strings.HasPrefix(s.URL, "tool:ask?sha256="+s.PageSHA256[:16]) || s.FetchedAt.IsZero() {
		t.Errorf("%+v", s)
	}
	n := 0
	r, _ = ask(t, agent.NewMemoryJournal(), asking(tool.Spec{}, func(string) tool.Result {
		n++
		return tool.Result{Text: fmt.Sprintf("The lighthouse of Hallvik has %d steps.", 40+n)}
	}), []string{"one", "two"}, "The lighthouse of Hallvik has 42 steps [2].")
	if r.Outcome != runstore.RunAnswered || len(r.Sources) != 2 {
		t.Errorf("%s: %+v", r.Outcome, r.Sources)
	}
}

// What proves nothing has no number: an acknowledgement, our own words, what the model has
// said itself. What is longer than the model is shown of it can be cited to its end.
func TestWhatIsNoSource(t *testing.T) {
	const claim = "The lighthouse of Hallvik has 42 steps."
	long := strings.Repeat("Nothing is said of the lighthouse in this line of the register.\n\n", 400) + claim
	for name, test := range map[string]struct {
		spec    tool.Spec
		result  string
		sources int
		outcome runstore.RunOutcome
	}{
		"an acknowledgement": {result: `{"ok": true, "done": [null, ""]}`, outcome: runstore.RunNoSources},
		"nothing":            {result: " \n", outcome: runstore.RunNoSources},
		"a model's words":    {spec: tool.Spec{Unsourced: true}, result: claim, outcome: runstore.RunNoSources},
		"an echo":            {result: "Question: " + claim, sources: 1, outcome: runstore.RunAnswered},
		"a figure":           {result: `{"count": 0}`, sources: 1, outcome: runstore.RunAnswered},
		"a long answer":      {result: long, sources: 1, outcome: runstore.RunAnswered},
	} {
		question := "the steps"
		if name == "an echo" {
			question = claim
		}
		r, m := ask(t, agent.NewMemoryJournal(), asking(test.spec, func(string) tool.Result {
			return tool.Result{Text: test.result}
		}), []string{question}, strings.TrimSuffix(claim, ".")+" [1].")
		if len(r.Sources) != test.sources || r.Outcome != test.outcome ||
			borneOut(r.Report) != (name == "a long answer") {
			t.Errorf("%s: %s, %+v", name, r.Outcome, r.Sources)
		}
		if said := m.asked[1].Messages[len(m.asked[1].Messages)-1].Content; !strings.Contains(said,
			strings.TrimSpace(test.result)[:min(len(strings.TrimSpace(test.result)), 100)]) {
			t.Errorf("%s: the model was told %q", name, said)
		}
	}
}

// borneOut reports whether a report has a citation that supports its sentence.
func borneOut(r *citewell.Report) bool {
	return slices.ContainsFunc(r.Findings, func(f citewell.Finding) bool {
		return slices.ContainsFunc(f.Citations, func(c citewell.Citation) bool {
			return c.Verdict == citewell.VerdictSupported
		})
	})
}

// What the model says in a field's name, or in pieces that the tool joins, is its own; so is
// an address there, in whatever letters.
func TestEchoesOfFieldsAndPieces(t *testing.T) {
	const claim = "The gate of Hallvik is 12 metres wide."
	spec := tool.Spec{Name: "ask", Hints: tool.Hints{ReadOnly: true}}
	echo := func(answer string) *tool.Tool {
		return tool.Raw(spec, &jsonschema.Schema{Type: "object"}, nil,
			func(context.Context, json.RawMessage) (tool.Result, error) { return tool.Result{Text: answer}, nil })
	}
	play := func(given args, answer string, next agent.ToolCall) *script {
		m := &script{replies: []reply{calls(call("ask", given)), calls(next)}}
		for range 3 {
			m.replies = append(m.replies, calls(finalCall(claim+" [1].")))
		}
		o := agent.Options{Shape: agent.ShapeToolCalling, Model: m, Journal: agent.NewMemoryJournal(),
			Extra: []*tool.Tool{echo(answer)}}
		o.Reader = newShelf()
		if r := run(t, o, "How wide is the gate?"); borneOut(r.Report) {
			t.Errorf("%v bore its own words out", given)
		}
		return m
	}
	for _, given := range []args{{"fields": args{claim: 1}},
		{"parts": []string{"The gate", "of Hallvik", "is 12", "metres wide."}}} {
		play(given, claim, finalCall(claim+" [1]."))
	}
	flood := make([]string, 2100) // so many that what was said cannot be told apart any more
	for i := range flood {
		flood[i] = fmt.Sprint("word ", i)
	}
	play(args{"parts": flood}, claim, call("ask", args{"question": claim}))
	for _, address := range []string{"https://heron.example/count?x=1", "https://bücher"} {
		m := play(args{"fields": args{address: 1}}, "x "+address+" y",
			call("extract_page_content_tool", args{"reasoning": "r", "urls": []string{address}}))
		if said := m.asked[2].Messages[len(m.asked[2].Messages)-1].Content; !strings.Contains(said,
			"confirmation_required") {
			t.Errorf("%s: %s", address, said)
		}
	}
}

// A page that a tool shows is that page of the web; sources that its text cites get the
// run's numbers, in the text too.
func TestPagesAndSourcesOfAResult(t *testing.T) {
	body := []byte("The lighthouse of Hallvik has 42 steps.")
	page := tool.Page{Page: citewell.Page{URL: "https://hallvik.example/light",
		FinalURL: "https://hallvik.example/light", ContentType: "text/plain", Body: body, SHA256: citewell.SHA256(body),
		Outcome: citewell.FetchOK},
		Doc: citewell.Document{Title: "The light", Text: string(body), TextSHA256: citewell.SHA256(body),
			Extractor: citewell.Extractor{ID: "test", Version: 1},
			Passages:  []citewell.Passage{{End: len(body), Text: string(body)}}}}
	r, m := ask(t, agent.NewMemoryJournal(), asking(tool.Spec{}, func(q string) tool.Result {
		if q == "page" {
			return tool.Result{Text: "as read", Pages: []tool.Page{page}}
		}
		return tool.Result{Text: "It is old [2], and high ①; so it is said [9].",
			Sources: []citewell.Source{{N: 1, Title: "High", URL: "https://high.example/"},
				{N: 2, Title: "The light", URL: "https://hallvik.example/light"}}}
	}), []string{"page", "brief"}, "The lighthouse of Hallvik has 42 steps [1].")
	if r.Outcome != runstore.RunAnswered || len(r.Sources) != 2 ||
		r.Sources[0].URL != "https://hallvik.example/light" || r.Sources[0].Class == siteclass.ClassTool ||
		r.Sources[1].Title != "High" {
		t.Errorf("%s: %+v", r.Outcome, r.Sources)
	}
	if said := m.asked[2].Messages[len(m.asked[2].Messages)-1].Content; !strings.Contains(said,
		"It is old [1], and high [2]; so it is said.") {
		t.Errorf("the model was told %q", said)
	}
}

// A run that another version began is not played to another end than it had in view.
func TestARunOfOtherRulesIsNotPlayed(t *testing.T) {
	for rules, played := range map[int]bool{0: false, 4: false, 5: true, 6: false} {
		j := agent.NewMemoryJournal()
		if err := j.Finish(t.Context(), agent.Call{Key: "begin"},
			agent.Entry{Result: fmt.Appendf(nil, `{"at":"2026-11-20T12:00:00Z","rules":%d}`, rules)}); err != nil {
			t.Fatal(err)
		}
		m := &script{replies: []reply{calls(finalCall("2 + 2 = 4"))}}
		o := agent.Options{Shape: agent.ShapeToolCalling, Model: m, Journal: j}
		a, err := agent.New(o)
		if err != nil {
			t.Fatal(err)
		}
		r, err := a.Run(t.Context(), agent.Task{Text: "2+2"})
		if played {
			if err != nil || r.Outcome != runstore.RunAnswered || len(m.asked) != 1 {
				t.Errorf("rules %d: %+v (%v) after %d calls", rules, r, err, len(m.asked))
			}
		} else if citewell.View(err).Code != citewell.CodeInvalidArgument || r.State != runstore.RunError ||
			!strings.Contains(r.Reason, "another version") || len(m.asked) != 0 {
			t.Errorf("rules %d: %+v (%v) after %d calls", rules, r, err, len(m.asked))
		}
	}
}

// A sentence that names no source gets the number of the one that says it.
func TestASentenceIsBoundToTheSourceThatBearsItOut(t *testing.T) {
	s := newShelf()
	answer := sizeLine + " and is 11 metres deep.\n\nThe colony was founded in 1987 [2]."
	m := &script{replies: []reply{calls(searchFor("herons")),
		calls(call("extract_page_content_tool", args{"reasoning": "to read them",
			"urls": []string{"https://heron.example/count", "https://lake.example/facts"}})),
		calls(finalCall(answer)), calls(finalCall(answer)), calls(finalCall(answer))}}
	r := run(t, s.options(agent.ShapeToolCalling, m), heronTask)
	if r.Outcome != runstore.RunAnswered {
		t.Errorf("%s, %q", r.Outcome, r.Answer)
	}
	if want := sizeLine + " and is 11 metres deep [3].\n\n"; !strings.HasPrefix(r.Answer, want) {
		t.Errorf("%q, want %q", r.Answer, want)
	}
}

// A run that goes on from another cites what a tool said there, however long ago: nobody
// could fetch it again. Thanks for it need no source.
func TestAToolsAnswerOutlivesItsRun(t *testing.T) {
	const said = "The lighthouse of Hallvik has 42 steps."
	former := agent.Former{Source: citewell.Source{N: 1, Title: "ask(question: the steps)",
		URL: "tool:wiki/ask?sha256=00", FinalURL: "tool:wiki/ask?sha256=00", Host: "wiki", Class: siteclass.ClassTool,
		Outcome: citewell.FetchOK},
		Doc: citewell.Document{Text: said, TextSHA256: citewell.SHA256([]byte(said)),
			Extractor: citewell.Extractor{ID: "test", Version: 1}, Passages: []citewell.Passage{
				{End: len(said), Text: said}}}}
	for task, answer := range map[string]string{"How many steps was it?": "The lighthouse of Hallvik has 42 steps [1].",
		"thanks!": "You're welcome!"} {
		m := &script{replies: []reply{calls(finalCall(answer)), calls(finalCall(answer)), calls(finalCall(answer))}}
		a, err := agent.New(agent.Options{Shape: agent.ShapeToolCalling, Model: m, Journal: agent.NewMemoryJournal()})
		if err != nil {
			t.Fatal(err)
		}
		r, err := a.Run(t.Context(), agent.Task{Text: task, From: func(context.Context) ([]agent.Former, error) {
			return []agent.Former{former}, nil
		}})
		if err != nil || r.Outcome != runstore.RunAnswered || r.Answer != answer || len(m.asked) != 1 {
			t.Errorf("%q: %s, %q after %d answers, %v", task, r.Outcome, r.Answer, len(m.asked), err)
		}
	}
}
