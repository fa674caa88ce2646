package job_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/llm"
	"github.com/citewell/citewell/store/sqlite"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A model says what its script says to the nth call, over all executors of a test.
type model struct {
	script func(ctx context.Context, n int) (agent.Reply, error)
	asked  atomic.Int64
}

func (m *model) Name() string               { return "scripted" }
func (m *model) Window(context.Context) int { return 0 }
func (m *model) Chat(ctx context.Context, _ agent.Request) (agent.Reply, error) {
	return m.script(ctx, int(m.asked.Add(1)))
}

func calls(name string, arguments map[string]any) (agent.Reply, error) {
	data, err := json.Marshal(arguments)
	return agent.Reply{Calls: []agent.ToolCall{{ID: "x", Name: name, Arguments: data}}, InputTokens: 50,
		OutputTokens: 10}, err
}

func plans() (agent.Reply, error) {
	return calls("generate_plan_tool", map[string]any{"reasoning": "to begin", "research_goal": "the goal",
		"planned_steps": []string{"a", "b", "c"}, "search_strategies": []string{"x", "y"}})
}

func asks() (agent.Reply, error) {
	return calls("clarification_tool", map[string]any{"reasoning": "unclear", "unclear_terms": []string{"lake"},
		"assumptions": []string{"a", "b"}, "questions": []string{"Which lake?"}})
}

func answers() (agent.Reply, error) {
	return calls("final_answer_tool", map[string]any{"reasoning": "done", "completed_steps": []string{"all"},
		"answer": "Nothing was to be found.", "status": "completed"})
}

// An office is a store with an executor and a desk over it.
type office struct {
	*job.Desk
	x  *job.Executor
	db *sqlite.Store
}

func open(t *testing.T, dir string) *sqlite.Store {
	t.Helper()
	db, err := sqlite.Open(t.Context(), dir, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db.Tenant("t")
}

func newOffice(t *testing.T, db *sqlite.Store, m *model) office {
	t.Helper()
	x := job.NewExecutor(job.ExecutorOptions{Runs: db, Build: func(_ context.Context, d job.Definition,
		ties job.Ties) (job.Agent, error) {
		return agent.New(agent.Options{Name: d.Name, Shape: agent.ShapeToolCalling, Model: m, Journal: ties.Journal,
			Budget: ties.Budget.Agent(), Ask: ties.Ask, Tell: ties.Tell})
	}})
	return office{job.NewDesk(db, []job.Definition{{Name: "desk", Model: m.Name(),
		Budget: job.Budget{Tokens: 100_000, Searches: -1}}, {Name: "other"}}, x.Wake), x, db}
}

// begin starts a run.
func (o office) begin(t *testing.T) string {
	t.Helper()
	run, err := o.Start(t.Context(), job.Start{Task: "which lake is deepest?", Budget: job.Budget{Tokens: 90_000}})
	if err != nil {
		t.Fatal(err)
	}
	return run.ID
}

// kinds are the types of a run's log.
func (o office) kinds(t *testing.T, id string) string {
	t.Helper()
	events, err := o.Events(t.Context(), id, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range events {
		all = append(all, e.Type)
	}
	return strings.Join(all, " ")
}

func TestARunIsPlayed(t *testing.T) {
	o := newOffice(t, open(t, t.TempDir()), &model{script: func(_ context.Context, n int) (agent.Reply, error) {
		if n == 1 {
			return plans()
		}
		return answers()
	}})
	id := o.begin(t)
	if _, err := o.Result(t.Context(), id); citewell.CodeOf(err) != citewell.CodeInvalidArgument {
		t.Errorf("the result of a run that was not begun: %v", err)
	}
	run, err := o.x.Execute(t.Context(), id)
	if err != nil || run.State != runstore.RunCompleted || run.Executor != "" {
		t.Fatalf("%+v, %v", run, err)
	}
	result, err := o.Result(t.Context(), id)
	if err != nil || result.ID != id || result.Answer == "" || result.Usage.InputTokens != 100 {
		t.Errorf("%+v, %v", result, err)
	}
	if got := o.kinds(t, id); got != "run.created run.acquired run.state call result spent call over result spent "+
		"run.state" {
		t.Errorf("the log has %s", got)
	}
	status, err := o.Status(t.Context(), id)
	if err != nil || status.Task != "which lake is deepest?" || status.Iteration != 2 || status.Question != nil ||
		status.Spent != result.Usage {
		t.Errorf("%+v, %v", status, err)
	}
	if err := o.Answer(t.Context(), id, "too late"); citewell.CodeOf(err) != citewell.CodeRunFinished {
		t.Errorf("an answer to a run that has ended: %v", err)
	}
}

func TestAQuestionWaits(t *testing.T) {
	dir := t.TempDir()
	m := &model{script: func(_ context.Context, n int) (agent.Reply, error) {
		if n <= 2 {
			return asks() // the same question twice
		}
		return answers()
	}}
	o := newOffice(t, open(t, dir), m)
	id := o.begin(t)
	if err := o.Answer(t.Context(), id, "in advance"); citewell.CodeOf(err) != citewell.CodeRunNotReady {
		t.Errorf("an answer before the question: %v", err)
	}
	first := ""
	for n, said := range []string{"Alder Lake", "in Norway"} {
		run, err := o.x.Execute(t.Context(), id)
		if err != nil || run.State != runstore.RunWaiting || run.Detail != "Which lake?" {
			t.Fatalf("%+v, %v", run, err)
		}
		// there is no answer yet
		if run, err = o.x.Execute(t.Context(), id); err != nil || run.State != runstore.RunWaiting {
			t.Fatalf("%+v, %v", run, err)
		}
		status, err := o.Status(t.Context(), id)
		if err != nil || status.Question == nil || status.Question.Number != n+1 || status.Clarifications != n+1 ||
			status.Spent.InputTokens != 50*(n+1) {
			t.Fatalf("%+v, %v", status, err)
		}
		for range 2 { // the second is not another answer
			if err := o.Answer(t.Context(), id, said); err != nil {
				t.Fatal(err)
			}
		}
		if err := o.Answer(t.Context(), id, "no, "+said); citewell.CodeOf(err) != citewell.CodeInvalidArgument ||
			!strings.Contains(err.Error(), "already answered") {
			t.Errorf("other words for the same question: %v", err)
		}
		if err := o.AnswerTo(t.Context(), id, status.Question.Key, said); err != nil {
			t.Errorf("the same once more: %v", err)
		}
		if n > 0 { // what was shown with the first question
			if err := o.AnswerTo(t.Context(), id, first, "Alder Lake"); err != nil {
				t.Errorf("the first answer once more: %v", err)
			}
			if err := o.AnswerTo(t.Context(), id, first, "in Norway"); citewell.CodeOf(
				err) != citewell.CodeInvalidArgument || !strings.Contains(err.Error(), "already answered") {
				t.Errorf("other words for the first question: %v", err)
			}
			if err := o.AnswerTo(t.Context(), id, "never asked", "in Norway"); citewell.CodeOf(
				err) != citewell.CodeInvalidArgument {
				t.Errorf("an answer to what was never asked: %v", err)
			}
		}
		first = status.Question.Key
		o = newOffice(t, open(t, dir), m) // another process
	}
	run, err := o.x.Execute(t.Context(), id)
	if err != nil || run.State != runstore.RunCompleted || m.asked.Load() != 3 {
		t.Fatalf("%+v, %v after %d answers of the model", run, err, m.asked.Load())
	}
	calls, err := o.db.Calls(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, c := range calls {
		if c.Name == "user" {
			record, err := o.db.LookupCall(t.Context(), id, c.Key)
			if err != nil {
				t.Fatal(err)
			}
			said = append(said, string(record.Result))
		}
	}
	if len(said) != 2 || !strings.Contains(said[0], "Alder") || !strings.Contains(said[1], "Norway") {
		t.Errorf("the agent was told %q", said)
	}
}

// A run whose process ends is let go, and goes on where another takes it up: nothing is
// bought or told twice.
func TestARunOutlivesItsProcess(t *testing.T) {
	dir := t.TempDir()
	reached, go2 := make(chan struct{}), make(chan struct{})
	m := &model{script: func(ctx context.Context, n int) (agent.Reply, error) {
		switch n {
		case 1:
			return plans()
		case 2:
			close(reached)
			<-ctx.Done()
			close(go2)
			return agent.Reply{}, ctx.Err()
		}
		return answers()
	}}
	first := newOffice(t, open(t, dir), m)
	id := first.begin(t)
	ctx, end := context.WithCancel(t.Context())
	var served sync.WaitGroup
	served.Go(func() { first.x.Serve(ctx) })
	<-reached
	if !first.x.Serving() {
		t.Error("it serves, and says that it does not")
	}
	end()
	<-go2
	served.Wait()
	if first.x.Serving() {
		t.Error("it says that it serves still")
	}
	if run, err := first.db.Run(t.Context(), id); err != nil || run.State != runstore.RunResearching ||
		run.Executor != "" {
		t.Fatalf("%+v, %v", run, err)
	}
	second := newOffice(t, open(t, dir), m)
	ctx, end = context.WithCancel(t.Context())
	defer served.Wait()
	defer end()
	served.Go(func() { second.x.Serve(ctx) })
	for e, err := range second.Follow(t.Context(), id, 0) {
		if err != nil {
			t.Fatal(e, err)
		}
	}
	if got := second.kinds(t, id); got != "run.created run.acquired run.state call result spent run.acquired "+
		"run.state call over result spent run.state" {
		t.Errorf("the log has %s", got)
	}
	if m.asked.Load() != 3 {
		t.Errorf("the model was asked %d times", m.asked.Load())
	}
}

func TestCancel(t *testing.T) {
	reached := make(chan struct{})
	m := &model{script: func(ctx context.Context, _ int) (agent.Reply, error) {
		close(reached)
		<-ctx.Done()
		return agent.Reply{}, ctx.Err()
	}}
	o := newOffice(t, open(t, t.TempDir()), m)
	ctx, end := context.WithTimeout(t.Context(), time.Minute)
	defer end()
	id, unbegun := o.begin(t), o.begin(t)
	if run, err := o.Cancel(ctx, unbegun); err != nil || run.State != runstore.RunCancelled {
		t.Errorf("%+v, %v", run, err)
	}
	var played sync.WaitGroup
	played.Go(func() {
		if run, err := o.x.Execute(ctx, id); err != nil || run.State != runstore.RunCancelled ||
			run.Outcome != runstore.RunOutcomeCancelled {
			t.Errorf("%+v, %v", run, err)
		}
	})
	<-reached
	if _, err := o.Cancel(ctx, id); err != nil {
		t.Fatal(err)
	}
	played.Wait()
	for _, id := range []string{id, unbegun} {
		if result, err := o.Result(t.Context(), id); err != nil || result.State != runstore.RunCancelled ||
			result.Outcome != runstore.RunOutcomeCancelled {
			t.Errorf("%+v, %v", result, err)
		}
	}
}

// A fault in the program ends the run it broke, and no other.
func TestABrokenRun(t *testing.T) {
	m := &model{script: func(context.Context, int) (agent.Reply, error) { panic("a fault") }}
	o := newOffice(t, open(t, t.TempDir()), m)
	id := o.begin(t)
	if run, err := o.x.Execute(t.Context(), id); err != nil || run.State != runstore.RunError ||
		!strings.Contains(run.Detail, "a bug") {
		t.Errorf("%+v, %v", run, err)
	}
	m.script = func(context.Context, int) (agent.Reply, error) { return answers() }
	id = o.begin(t)
	if run, err := o.x.Execute(t.Context(), id); err != nil || run.State != runstore.RunCompleted {
		t.Errorf("%+v, %v", run, err)
	}
}

// A run whose agent cannot be made by the one who is asked for it, stays.
func TestARunThatCannotBeMade(t *testing.T) {
	o := newOffice(t, open(t, t.TempDir()), &model{script: func(context.Context, int) (agent.Reply, error) {
		return answers()
	}})
	lacking := job.NewExecutor(job.ExecutorOptions{Runs: o.db,
		Build: func(context.Context, job.Definition, job.Ties) (job.Agent, error) {
			return nil, &citewell.Error{Code: citewell.CodeModelNotConfigured, Message: "there is no such model here"}
		}})
	id := o.begin(t)
	if run, err := lacking.Execute(t.Context(), id); citewell.CodeOf(err) != citewell.CodeModelNotConfigured {
		t.Errorf("%+v, %v", run, err)
	}
	if run, err := o.db.Run(t.Context(), id); err != nil || run.State != runstore.RunResearching || run.Executor != "" {
		t.Errorf("%+v, %v", run, err)
	}
	if run, err := o.x.Execute(t.Context(), id); err != nil || run.State != runstore.RunCompleted {
		t.Errorf("%+v, %v", run, err)
	}
}

func TestStartRefuses(t *testing.T) {
	o := newOffice(t, open(t, t.TempDir()), &model{})
	for name, test := range map[string]struct {
		start job.Start
		code  citewell.Code
		says  string
	}{
		"empty": {job.Start{Task: " \n"}, citewell.CodeInvalidArgument, "empty"},
		"long": {job.Start{Task: strings.Repeat("x", job.MaxTask+1)}, citewell.CodeInvalidArgument,
			fmt.Sprint(job.MaxTask)},
		"agent": {job.Start{Task: "x", Agent: "nobody"}, citewell.CodeNotFound, "nobody"},
		"budget": {job.Start{Task: "x", Budget: job.Budget{Tokens: 100_001}}, citewell.CodeInvalidArgument,
			"tokens is 100001"},
		"below zero": {job.Start{Task: "x", Budget: job.Budget{Fetches: -1}}, citewell.CodeInvalidArgument, "fetches"},
		"id":         {job.Start{Task: "x", ID: "desk_1"}, citewell.CodeInvalidArgument, "id"},
	} {
		if _, err := o.Start(t.Context(), test.start); citewell.CodeOf(err) != test.code ||
			!strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %v, want %s with %q", name, err, test.code, test.says)
		}
	}
	none := job.NewDesk(o.db, nil, nil)
	if _, err := none.Start(t.Context(), job.Start{Task: "x"}); citewell.CodeOf(
		err) != citewell.CodeModelNotConfigured {
		t.Errorf("without an agent: %v", err)
	}
	id := runstore.NewRunID("other")
	for range 2 { // tried again, it is one run
		if run, err := o.Start(t.Context(), job.Start{Task: "x", Agent: "other", ID: id}); err != nil || run.ID != id {
			t.Errorf("%+v, %v", run, err)
		}
	}
}

// What is shown with the task and the conversation before it reach the model.
func TestImagesAndHistory(t *testing.T) {
	var asked agent.Request
	o := newOffice(t, open(t, t.TempDir()), &model{})
	o.x = job.NewExecutor(job.ExecutorOptions{Runs: o.db, Build: func(_ context.Context, d job.Definition,
		ties job.Ties) (job.Agent, error) {
		return agent.New(agent.Options{Name: d.Name, Shape: agent.ShapeToolCalling, Model: hears{&asked},
			Journal: ties.Journal, Ask: ties.Ask})
	}})
	image := llm.DataImage("image/png", []byte("a picture"))
	run, err := o.Start(t.Context(), job.Start{Task: "what is shown?", Images: []llm.Image{image},
		History: []agent.Message{{Role: agent.RoleUser, Content: "see this", Images: []llm.Image{image}},
			{Role: agent.RoleAssistant, Content: "I see"}}})
	if err != nil {
		t.Fatal(err)
	}
	if run, err = o.x.Execute(t.Context(), run.ID); err != nil || run.State != runstore.RunCompleted {
		t.Fatalf("%+v, %v", run, err)
	}
	m := asked.Messages
	if len(m) != 4 || m[1].Content != "see this" || len(m[1].Images) != 1 || m[2].Content != "I see" ||
		len(m[3].Images) != 1 || m[3].Images[0] != image {
		t.Errorf("the model was shown %+v", m)
	}
}

// hears answers at once and keeps what it was asked.
type hears struct{ asked *agent.Request }

func (hears) Name() string               { return "hears" }
func (hears) Window(context.Context) int { return 0 }
func (h hears) Chat(_ context.Context, q agent.Request) (agent.Reply, error) {
	*h.asked = q
	return answers()
}

// The high of who sees its own runs alone comes before those alone; that of the operator, and of who sees
// all, before everybody's.
func TestHighOfACaller(t *testing.T) {
	db := open(t, t.TempDir())
	desk := newOffice(t, db, &model{}).Desk
	begin := func(c job.Caller, priority runstore.RunPriority) string {
		run, err := job.ForCallers(desk, func(context.Context) job.Caller {
			return c
		}).Start(t.Context(), job.Start{Task: "tides", Priority: priority})
		if err != nil {
			t.Fatal(err)
		}
		return run.ID
	}
	bob := begin(job.Caller{Owner: "bob"}, "")
	ann, annHigh := begin(job.Caller{Owner: "ann"}, ""), begin(job.Caller{Owner: "ann"}, runstore.PriorityHigh)
	boss, operator := begin(job.Caller{Owner: "boss", All: true}, runstore.PriorityHigh),
		begin(job.Caller{}, runstore.PriorityHigh)
	for i, want := range []string{boss, operator, bob, annHigh, ann} {
		if lease, ok, err := db.AcquireNext(t.Context(), "w", time.Hour); err != nil || !ok || lease.Run != want {
			t.Errorf("%d: %+v %v, want %s", i, lease, err, want)
		}
	}
}

// An agent that cannot be used is known by name with the reason, and not offered.
func TestHiddenAgents(t *testing.T) {
	db := open(t, t.TempDir())
	desk := job.NewDesk(db, []job.Definition{{Name: "python", Hidden: "it is Python"}, {Name: "able"}}, nil)
	if all := desk.Agents(); len(all) != 1 || all[0].Name != "able" {
		t.Errorf("offered are %+v", all)
	}
	if _, err := desk.Start(t.Context(), job.Start{Task: "x", Agent: "python"}); citewell.CodeOf(
		err) != citewell.CodeInvalidConfig || !strings.Contains(err.Error(), "it is Python") {
		t.Errorf("%v", err)
	}
	run, err := desk.Start(t.Context(), job.Start{Task: "x"})
	if err != nil || run.Agent != "able" {
		t.Errorf("%+v, %v", run, err)
	}
	if d, err := job.AgentOf(run); err != nil || d.Name != "able" {
		t.Errorf("%+v, %v", d, err)
	}
	if _, err := desk.Start(t.Context(), job.Start{Task: "x", Agent: "nobody"}); citewell.CodeOf(
		err) != citewell.CodeNotFound || strings.Contains(citewell.View(err).Hint, "python") {
		t.Errorf("%v", err)
	}
	if _, err := job.NewDesk(db, []job.Definition{{Name: "python", Hidden: "it is Python"}}, nil).Start(t.Context(),
		job.Start{Task: "x"}); citewell.CodeOf(err) != citewell.CodeModelNotConfigured {
		t.Errorf("%v", err)
	}
}

// What an agent told is handed over whole at the end, also of what an executor played
// before that has gone.
func TestTheEndIsToldWithAllThatWasTold(t *testing.T) {
	m := &model{script: func(_ context.Context, n int) (agent.Reply, error) {
		switch n {
		case 1:
			return plans()
		case 2:
			return asks()
		}
		return calls("final_answer_tool", map[string]any{"reasoning": "done", "completed_steps": []string{"all"},
			"answer": strings.Repeat("Nothing was to be found. ", 500), "status": "completed"})
	}}
	db := open(t, t.TempDir())
	var kinds []string
	longest := 0
	for range 2 {
		x := job.NewExecutor(job.ExecutorOptions{Runs: db, Build: func(_ context.Context, d job.Definition,
			ties job.Ties) (job.Agent, error) {
			return agent.New(agent.Options{Name: d.Name, Shape: agent.ShapeToolCalling, Model: m, Journal: ties.Journal,
				Ask: ties.Ask, Tell: ties.Tell})
		}, Ended: func(_ context.Context, run runstore.Run, told []agent.Event, result agent.Result) {
			for _, e := range told {
				kinds, longest = append(kinds, e.Kind), max(longest, len(e.Text))
			}
			if run.ID != result.ID || result.State != runstore.RunCompleted {
				t.Errorf("%+v, %+v", run, result)
			}
		}})
		o := office{job.NewDesk(db, []job.Definition{{Name: "desk"}}, x.Wake), x, db}
		run, err := o.Start(t.Context(), job.Start{ID: "desk_0198c0de-0000-7000-8000-000000000001",
			Task: "which lake?"})
		if err != nil {
			t.Fatal(err)
		}
		if run, err = x.Execute(t.Context(), run.ID); err != nil {
			t.Fatal(err)
		}
		if run.State == runstore.RunWaiting {
			if err := o.Answer(t.Context(), run.ID, "Alder Lake"); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := strings.Join(kinds, " "); got != "state call result spent call state state result spent call state over "+
		"result spent" || longest < 2*job.MaxShown {
		t.Errorf("told %s, the longest %d bytes", got, longest)
	}
}

// A Start that comes again gives its run, also when the agent was configured otherwise
// in between; with other words it is refused.
func TestAStartComesAgain(t *testing.T) {
	db := open(t, t.TempDir())
	asked := job.Start{ID: job.IDOf("desk", "laptop", "key"), Task: "which lake?",
		History: []agent.Message{{Role: agent.RoleUser, Content: "hello"}}, Budget: job.Budget{Tokens: 5}}
	var id string
	for _, model := range []string{"one", "another"} {
		run, err := job.NewDesk(db, []job.Definition{{Name: "desk", Model: model}}, nil).Start(t.Context(), asked)
		if err != nil || id != "" && run.ID != id {
			t.Fatalf("%s: %+v, %v", model, run, err)
		}
		if d, err := job.AgentOf(run); err != nil || d.Model != "one" {
			t.Errorf("it is a run of %+v, %v", d, err)
		}
		id = run.ID
	}
	desk := job.NewDesk(db, []job.Definition{{Name: "desk", Model: "another"}}, nil)
	for name, change := range map[string]func(*job.Start){
		"task":    func(s *job.Start) { s.Task = "which sea?" },
		"history": func(s *job.Start) { s.History = nil },
		"budget":  func(s *job.Start) { s.Budget.Tokens = 6 },
		"images":  func(s *job.Start) { s.Images = []llm.Image{{URL: "data:image/png;base64,AA=="}} },
	} {
		other := asked
		change(&other)
		if _, err := desk.Start(t.Context(), other); citewell.CodeOf(err) != citewell.CodeRunExists {
			t.Errorf("another %s: %v", name, err)
		}
	}
	if job.IDOf("desk", "laptop", "key") != id || job.IDOf("desk", "phone", "key") == id ||
		job.IDOf("desk", "laptop", "kez") == id || job.IDOf("desk", "lap", "topkey") == id {
		t.Error("the id is not the caller's and the key's alone")
	}
}

// A run whose cancellation came when its executor had asked the question and not yet let go
// of it ends, and is not asked about again and again.
func TestCancelledBesideItsQuestion(t *testing.T) {
	o := newOffice(t, open(t, t.TempDir()), &model{script: func(context.Context, int) (agent.Reply, error) {
		return asks()
	}})
	id := o.begin(t)
	if run, err := o.x.Execute(t.Context(), id); err != nil || run.State != runstore.RunWaiting {
		t.Fatalf("%+v, %v", run, err)
	}
	lease, err := o.db.AcquireRun(t.Context(), id, "slow", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if run, err := o.Cancel(t.Context(), id); err != nil || run.State != runstore.RunWaiting || !run.CancelRequested {
		t.Fatalf("%+v, %v", run, err)
	}
	if err := o.db.ReleaseLease(t.Context(), lease); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	var serving sync.WaitGroup
	serving.Go(func() { o.x.Serve(ctx) })
	for _, err := range o.Follow(ctx, id, 0) {
		if err != nil {
			t.Error(err)
		}
	}
	cancel()
	serving.Wait()
	if s, err := o.Status(t.Context(), id); err != nil || s.State != runstore.RunCancelled ||
		s.Outcome != runstore.RunOutcomeCancelled {
		t.Errorf("%s, %v", s.State, err)
	}
}
