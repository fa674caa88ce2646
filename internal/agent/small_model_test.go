package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/notation"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/testing/smallmodel"
	"github.com/citewell/citewell/internal/weburl"
	"github.com/citewell/citewell/llm"
	"github.com/google/jsonschema-go/jsonschema"
)

// What a run with the small model may take. It writes some hundred tokens a second
// where it has a core to itself; on a busy machine the wall of time ends the run.
const (
	smallIterations = 3
	smallAnswer     = 512    // tokens of one answer
	smallBudget     = 20_000 // tokens of a run, in and out
	smallTime       = 20 * time.Second
	// The shapes that are others with one thing left out run where the first three have
	// left that much time.
	smallAll = 3*smallTime + 5*time.Second
	// So many whole answers must there be before it says something that none has the
	// form: on a busy machine a run may get no more than one.
	enoughToTell = 4
)

// A watchedModel keeps what a model was asked and what it answered. Its first answers
// are those that it is led with.
type watchedModel struct {
	agent.Model
	lead  []reply
	mu    sync.Mutex
	turns []modelTurn
}

type modelTurn struct {
	asked  agent.Request
	answer agent.Reply
	err    error
}

func (m *watchedModel) Chat(ctx context.Context, q agent.Request) (agent.Reply, error) {
	if len(m.lead) > 0 { // a run asks one thing at a time
		next := m.lead[0]
		m.lead = m.lead[1:]
		return next(q)
	}
	q.Messages = slices.Clone(q.Messages)
	answer, err := m.Model.Chat(ctx, q)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.turns = append(m.turns, modelTurn{q, answer, err})
	return answer, err
}

func newSmallModel(t *testing.T) *watchedModel {
	t.Helper()
	base := smallmodel.Start(t)
	guard, err := egress.NewGuard(egress.Options{})
	if err != nil {
		t.Fatal(err)
	}
	client, err := llm.New(llm.Options{BaseURL: base, Model: smallmodel.Model, Guard: guard,
		ContextWindow: llm.AutoWindow, Extra: map[string]any{"seed": -1}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return &watchedModel{Model: agent.Chat{Client: client}}
}

// Each shape with a real model that writes nonsense: what the tools took has the form
// that they ask for, the run ends within its budget, and nothing that it published is
// cited that is not there. Run again over its journal it asks nobody.
func TestASmallModelEndsItsRunAndInventsNoCitation(t *testing.T) {
	whole, fits := 0, 0
	began := time.Now()
	for i, shape := range []agent.Shape{agent.ShapeSGR, agent.ShapeSGRToolCalling, agent.ShapeIron,
		agent.ShapeToolCalling, agent.ShapeDialog} {
		if i >= 3 && time.Since(began) > smallAll-smallTime {
			t.Logf("the machine is busy: %s is left out", shape)
			continue
		}
		t.Run(string(shape), func(t *testing.T) {
			m, d := newSmallModel(t), newDesk(t)
			var steps []step
			play := d.recorded(t, shape, m, &steps)
			r := play()
			t.Logf("%s, %s after %d answers, %d iterations and %d tools: %d tokens in, %d out", r.State, r.Outcome,
				len(m.turns), r.Iteration, len(steps), r.Usage.InputTokens, r.Usage.OutputTokens)
			if !r.State.Ended() || r.Outcome == "" || r.Outcome == runstore.RunOutcomeCancelled || r.Answer == "" {
				t.Errorf("it ended as %s %q with %q", r.State, r.Outcome, r.Answer)
			}
			if spent := r.Usage.InputTokens + r.Usage.OutputTokens; spent > smallBudget {
				t.Errorf("%d tokens of %d were spent", spent, smallBudget)
			}
			if r.Iteration > smallIterations+4 {
				t.Errorf("%d iterations", r.Iteration)
			}
			for _, s := range steps {
				s.check(t)
			}
			w, f := m.forms(t)
			whole, fits = whole+w, fits+f
			d.checkCitations(t, r)
			asked := len(m.turns)
			if again := play(); again.Answer != r.Answer || again.Outcome != r.Outcome ||
				again.Usage.OutputTokens != r.Usage.OutputTokens || len(m.turns) != asked {
				t.Errorf("over its journal it is asked %d times more, and comes to %s %q with usage %+v, was %+v",
					len(m.turns)-asked, again.Outcome, again.Answer, again.Usage, r.Usage)
			}
		})
	}
	if t.Logf("%d of %d whole answers have the form that was asked for", fits, whole); whole >= enoughToTell &&
		fits == 0 {
		t.Error("none of them has")
	}
}

// With sources that were searched for and read before the small model has the word, the
// run ends with citations that hold: with those of the model's own text, or where it wrote
// none in its time, with what code quotes.
func TestASmallModelGoesOnWithWhatWasRead(t *testing.T) {
	m, d := newSmallModel(t), newDesk(t)
	m.lead = []reply{calls(searchFor("Skarrow Sound tidal plant electricity")), calls(d.readPlant())}
	var steps []step
	r := d.recorded(t, agent.ShapeToolCalling, m, &steps)()
	t.Logf("%s, %s after %d answers and %d tools: %s", r.State, r.Outcome, len(m.turns), len(steps), r.Answer)
	if !r.State.Ended() || len(m.turns) == 0 || len(steps) < 2 {
		t.Errorf("it ended as %s %q after %d answers of the model and %d tools", r.State, r.Outcome,
			len(m.turns), len(steps))
	}
	for _, s := range steps {
		s.check(t)
	}
	m.forms(t)
	d.checkCitations(t, r)
	if read := slices.ContainsFunc(r.Sources, func(s citewell.Source) bool {
		return s.Outcome == citewell.FetchOK
	}); !read {
		t.Errorf("nothing was read: %+v", r.Sources)
	}
	wrote := slices.ContainsFunc(steps, func(s step) bool {
		return (s.name == "create_report_tool" || s.name == "final_answer_tool") &&
			!strings.HasPrefix(s.result, "Error (")
	})
	if !wrote && (r.Report == nil || len(r.Report.Findings) == 0) {
		t.Errorf("the model wrote nothing, and what was read is not quoted: %+v", r.Report)
	}
}

// recorded returns what plays a run of the small model, each time over the same
// journal in a store. The steps are those of the first time.
func (d *desk) recorded(t *testing.T, shape agent.Shape, m agent.Model, steps *[]step) (play func() agent.Result) {
	t.Helper()
	o := d.options(t, shape, m)
	o.Limits.MaxIterations, o.Limits.MaxTokens = smallIterations, smallAnswer
	o.Budget = agent.Budget{Tokens: smallBudget, WallTime: smallTime}
	created, err := d.store.CreateRun(t.Context(), runstore.NewRun{Agent: string(shape), Request: []byte(`{}`)})
	if err != nil {
		t.Fatal(err)
	}
	lease, err := d.store.AcquireRun(t.Context(), created.ID, "test", 10*time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	called, over := map[string]agent.Event{}, false
	o.Tell = func(e agent.Event) {
		switch {
		case over:
		case e.Kind == "call":
			called[e.CallID] = e
		case e.Kind == "result":
			if c, ok := called[e.CallID]; ok {
				*steps = append(*steps, step{c.Name, c.Text, e.Text})
			}
		}
	}
	return func() agent.Result {
		t.Helper()
		o.Journal = &agent.RunJournal{Calls: d.store, Lease: lease}
		a, err := agent.New(o)
		if err != nil {
			t.Fatal(err)
		}
		r, err := a.Run(t.Context(), agent.Task{ID: created.ID, Text: question})
		if err != nil {
			t.Fatal(err)
		}
		over = true
		return r
	}
}

// A step is a tool that was called.
type step struct{ name, arguments, result string }

// check says that what a tool took has the form of its schema.
func (s step) check(t *testing.T) {
	t.Helper()
	if strings.HasPrefix(s.result, "Error (") {
		return // it was told so
	}
	for _, known := range agent.Tools() {
		if known.Name == s.name {
			if err := fitting(t, marshalled(t, known.Input), []byte(s.arguments)); err != nil {
				t.Errorf("%s took %s: %v", s.name, s.arguments, err)
			}
		}
	}
}

// forms counts the answers that came whole and were asked for in a form, and those of
// them that have it: the endpoint passes over patterns and bounds of numbers. What is
// called is always a function that was offered.
func (m *watchedModel) forms(t *testing.T) (whole, fits int) {
	t.Helper()
	for _, turn := range m.turns {
		if turn.err != nil {
			continue
		}
		if turn.asked.Schema != nil {
			if whole++; fitting(t, turn.asked.Schema, []byte(turn.answer.Text)) == nil {
				fits++
			}
		}
		for _, c := range turn.answer.Calls {
			whole++
			i := slices.IndexFunc(turn.asked.Functions, func(f agent.Function) bool { return f.Name == c.Name })
			if i < 0 || c.Fault != "" || turn.asked.Force != "" && c.Name != turn.asked.Force {
				t.Errorf("%s was called with %s, %s", c.Name, c.Arguments, c.Fault)
			} else if fitting(t, turn.asked.Functions[i].Parameters, c.Arguments) == nil {
				fits++
			}
		}
	}
	return whole, fits
}

func marshalled(t *testing.T, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func fitting(t *testing.T, schema, value []byte) error {
	t.Helper()
	var s jsonschema.Schema
	if err := json.Unmarshal(schema, &s); err != nil {
		t.Fatal(err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(value, &v); err != nil {
		return err
	}
	return resolved.Validate(v)
}

var inText = regexp.MustCompile(`https?://[^\s)\]>]+`)

// checkCitations says that nothing a run published cites what is not there.
func (d *desk) checkCitations(t *testing.T, r agent.Result) {
	t.Helper()
	if r.Report == nil {
		if marks := notation.ParseMarks(r.Answer); len(marks) > 0 || inText.MatchString(r.Answer) {
			t.Errorf("without a report the answer cites: %s", r.Answer)
		}
		return
	}
	report := r.Report
	unverified := func(is func(citewell.UnverifiedPhrase) bool) bool {
		return slices.ContainsFunc(report.Unverified, is)
	}
	v, err := cite.Verify(t.Context(), report.Brief(), archive{d.store})
	if err != nil || len(v.Problems) > 0 {
		t.Fatalf("verification %+v, %v", v, err)
	}
	for _, c := range v.Citations {
		var n int
		if _, err := fmt.Sscanf(c.Statement, "F%d", &n); err != nil {
			t.Fatal(err)
		}
		marked := unverified(func(u citewell.UnverifiedPhrase) bool { return u.Text == report.Findings[n-1].Text })
		for _, p := range c.Problems {
			if !marked || p.Code != cite.ProblemFigure && p.Code != cite.ProblemVerdict {
				t.Errorf("%s of citation %+v", p.Code, c)
			}
		}
		if c.Basis != cite.BasisSnapshot {
			t.Errorf("citation %+v", c)
		}
	}
	for _, text := range []string{report.Title, report.Content, r.Answer} {
		for _, n := range notation.ParseMarks(text) {
			cited := slices.ContainsFunc(report.Sources, func(s citewell.Source) bool { return s.N == n })
			marked := unverified(func(u citewell.UnverifiedPhrase) bool { return u.Problem == "unknown_number" })
			if !cited && !marked {
				t.Errorf("[%d] is no cited source, and nothing says so: %s", n, text)
			}
		}
		for _, address := range inText.FindAllString(text, -1) {
			if !slices.ContainsFunc(report.Sources, func(s citewell.Source) bool {
				return weburl.Canonical(s.URL) == weburl.Canonical(address) ||
					weburl.Canonical(s.FinalURL) == weburl.Canonical(address)
			}) {
				t.Errorf("%s is no cited source: %s", address, text)
			}
		}
	}
	if r.Outcome == runstore.RunAnswered && len(report.Unverified) > 0 {
		t.Errorf("answered, with %+v", report.Unverified)
	}
}
