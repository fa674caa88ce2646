package agent_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/testing/golden"
	"github.com/citewell/citewell/internal/tool"
	"github.com/citewell/citewell/llm"
)

// unreadable reads nothing.
type unreadable struct{}

func (unreadable) Read(context.Context, string) (citewell.Page, citewell.Document, error) {
	return citewell.Page{}, citewell.Document{}, &citewell.Error{
		Code: citewell.CodeRobotsDisallowed, Message: "robots.txt forbids /plant"}
}

// shelf is a searcher and reader of pages in memory.
type shelf struct {
	pages    map[string]string // by URL
	searches atomic.Int32
	reads    atomic.Int32
	fails    error
	slow     time.Duration
}

func newShelf() *shelf {
	return &shelf{pages: map[string]string{
		"https://heron.example/count": "In the spring of 2024 the wardens counted 312 grey herons at Alder Lake. The " +
			"colony was founded in 1987.",
		"https://lake.example/facts": "Alder Lake covers 48 hectares and is 11 metres deep. Swimming is allowed from " +
			"May to September.",
		"https://guide.example/visit": "The hide at Alder Lake opens at seven in the morning. A warden explains the " +
			"colony on Sundays.",
	}}
}

func (s *shelf) wait(ctx context.Context) error {
	if s.slow == 0 {
		return nil
	}
	select {
	case <-time.After(s.slow):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *shelf) Search(ctx context.Context, _ citewell.Query) ([]citewell.Result, error) {
	s.searches.Add(1)
	if err := s.wait(ctx); err != nil {
		return nil, err
	}
	if s.fails != nil {
		return nil, s.fails
	}
	var list []citewell.Result
	for _, u := range slices.Sorted(func(yield func(string) bool) {
		for u := range s.pages {
			if !yield(u) {
				return
			}
		}
	}) {
		list = append(list, citewell.Result{Title: "About " + u[8:13], URL: u, Snippet: s.pages[u][:40]})
	}
	return list, nil
}

func (s *shelf) Read(ctx context.Context, url string) (citewell.Page, citewell.Document, error) {
	s.reads.Add(1)
	if err := s.wait(ctx); err != nil {
		return citewell.Page{}, citewell.Document{}, err
	}
	body, ok := s.pages[url]
	if !ok {
		return citewell.Page{}, citewell.Document{}, &citewell.Error{
			Code: citewell.CodeHTTPStatus, Message: "the server answered 404"}
	}
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	hash := citewell.SHA256([]byte(body))
	return citewell.Page{URL: url, FinalURL: url, Status: 200, Body: []byte(body), SHA256: hash, FetchedAt: at,
			Outcome: citewell.FetchOK},
		citewell.Document{URL: url, Title: "About", Language: "en", Text: body, TextSHA256: hash,
			Extractor: citewell.Extractor{ID: "test", Version: 1},
			Passages:  []citewell.Passage{{Start: 0, End: len(body), Text: body}}}, nil
}

const heronTask = "How many grey herons were counted at Alder Lake in 2024, and how large is the lake?"

func (s *shelf) options(shape agent.Shape, m agent.Model) agent.Options {
	return agent.Options{Shape: shape, Model: m, Searcher: s, Reader: s, Journal: agent.NewMemoryJournal()}
}

var (
	readHerons = call("extract_page_content_tool", args{"reasoning": "the count",
		"urls": []string{"https://heron.example/count", "https://lake.example/facts"}})
	heronReport = reportCall("In the spring of 2024 the wardens counted 312 grey herons at Alder Lake [2]. The lake " +
		"covers 48 hectares [3].")
	heronFinal = finalCall("In the spring of 2024 the wardens counted 312 grey herons at Alder Lake [2]. The lake " +
		"covers 48 hectares [3].")
)

func failing(code citewell.Code) reply {
	return func(agent.Request) (agent.Reply, error) {
		return agent.Reply{}, &citewell.Error{Code: code, Message: "the model said no"}
	}
}

func garbled(name, arguments string) agent.ToolCall {
	return agent.ToolCall{Name: name, Arguments: json.RawMessage(arguments)}
}

// What a model does wrong is told to it, and the run goes on.
func TestWhatAModelDoesWrongIsToldToIt(t *testing.T) {
	tests := []struct {
		name  string
		wrong agent.ToolCall
		told  string
	}{
		{"an unknown tool", call("web_serch_tool", args{"query": "x"}), "did you mean web_search_tool?"},
		{"a missing argument", call("web_search_tool", args{"reasoning": "x"}), "query is required"},
		{"out of range", call("web_search_tool", args{"reasoning": "x", "query": "y", "max_results": 11}), "1 to 10"},
		{"too few items", call("generate_plan_tool", args{"reasoning": "x", "research_goal": "y",
			"planned_steps": []string{"a"}, "search_strategies": []string{"a", "b"}}), "planned_steps"},
		{"half a JSON", garbled("web_search_tool", `{"query": "x`), "could not be read"},
		{"no arguments", garbled("web_search_tool", ``), "could not be read"},
		{"an address from nowhere", call("extract_page_content_tool",
			args{"reasoning": "x", "urls": []string{"https://evil.example/steal?data=1"}}), "none of the user's words"},
		{"no public address", call("extract_page_content_tool",
			args{"reasoning": "x", "urls": []string{"http://2130706433/"}}), "invalid_url"},
		{"a page that is gone", call("extract_page_content_tool",
			args{"reasoning": "x", "urls": []string{"https://gone.example/404"}}), "the server answered 404"},
		{"headings alone", call("final_answer_tool", args{"reasoning": "x", "completed_steps": []string{"a"},
			"answer": "## Summary\n\n## Details\n\n---", "status": "completed"}), "says nothing"},
		{"marks alone", call("final_answer_tool", args{"reasoning": "x", "completed_steps": []string{"a"},
			"answer": "[77] [78a] https://evil.example/x", "status": "completed"}), "says nothing but"},
		{"too much thinking", call("clarification_tool", args{"reasoning": "x"}), "there is no tool"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := newShelf()
			m := &script{replies: []reply{calls(test.wrong), calls(searchFor("herons at Alder Lake")),
				calls(readHerons), calls(heronFinal)}}
			r := run(t, s.options(agent.ShapeToolCalling, m), heronTask+" See https://gone.example/404.")
			if r.Outcome != runstore.RunAnswered {
				t.Fatalf("%+v\n%s", r, told(m))
			}
			said := m.asked[1].Messages[len(m.asked[1].Messages)-1]
			if said.Role != agent.RoleTool || said.CallID != "1-action" || !strings.Contains(said.Content, test.told) {
				t.Errorf("told %+v, want %q", said, test.told)
			}
		})
	}
}

// A search that failed is no empty result, and neither ends a run.
func TestASearchThatFailsIsNoEmptyOne(t *testing.T) {
	s := newShelf()
	s.fails = &citewell.Error{Code: citewell.CodeAllProvidersFailed,
		Message: "no provider answered: brave rate_limited"}
	m := &script{replies: []reply{calls(searchFor("herons")),
		calls(call("final_answer_tool", args{"reasoning": "x", "completed_steps": []string{"tried"},
			"answer": "No source could be searched.", "status": "failed"}))}}
	r := run(t, s.options(agent.ShapeToolCalling, m), heronTask)
	if r.State != runstore.RunFailed || r.Outcome != runstore.RunNoSources ||
		!strings.Contains(m.asked[1].Messages[3].Content, "rate_limited") {
		t.Errorf("%+v\n%s", r, m.asked[1].Messages[3].Content)
	}
	s = newShelf()
	s.pages = nil
	m = &script{replies: []reply{calls(searchFor("herons")), calls(finalCall("No source says anything."))}}
	run(t, s.options(agent.ShapeToolCalling, m), heronTask)
	if said := m.asked[1].Messages[3].Content; !strings.Contains(said, "Nothing was found") {
		t.Errorf("told %q", said)
	}
}

// Text instead of a call is a final answer, and passes the same check.
func TestTextInsteadOfACallIsAFinalAnswer(t *testing.T) {
	s := newShelf()
	m := &script{replies: []reply{calls(searchFor("herons at Alder Lake")),
		words("In 2024 the wardens counted 999 grey herons at Alder Lake [2]."),
		words("In the spring of 2024 the wardens counted 312 grey herons at Alder Lake [2].")}}
	r := run(t, s.options(agent.ShapeToolCalling, m), heronTask)
	if r.Outcome != runstore.RunAnswered || r.State != runstore.RunCompleted || !strings.Contains(r.Answer, "312") {
		t.Errorf("%+v\n%s", r, told(m))
	}
}

// Several searches in one answer are made at once; their numbers follow the order of
// the calls, not that of the answers.
func TestSeveralCallsInOneAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf()
		s.slow = time.Second
		m := &script{replies: []reply{calls(searchFor("one"), searchFor("two"), searchFor("one"), call("nothing", nil)),
			calls(readHerons), calls(heronFinal, searchFor("late"))}}
		began := time.Now()
		r := run(t, s.options(agent.ShapeToolCalling, m), heronTask)
		if took := time.Since(began); took != 2*time.Second || r.Outcome != runstore.RunAnswered ||
			len(r.Sources) != 3 {
			t.Errorf("%v, %+v", took, r)
		}
		var ids []string
		for _, message := range m.asked[1].Messages[3:] {
			ids = append(ids, message.CallID)
		}
		if !slices.Equal(ids, []string{"1-action", "1-action-2", "1-action-3", "1-action-4"}) {
			t.Errorf("results of %q", ids)
		}
	})
}

// A model that fails is tried again; then code answers from what was read.
func TestAModelThatFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf()
		m := &script{replies: []reply{calls(searchFor("herons")), failing(citewell.CodeRateLimited),
			failing(citewell.CodeTimeout), calls(readHerons),
			failing(citewell.CodeModelFailed), failing(citewell.CodeModelFailed), failing(citewell.CodeModelFailed)}}
		r := run(t, s.options(agent.ShapeToolCalling, m), heronTask)
		if r.State != runstore.RunFailed || r.Outcome != runstore.RunModelFailed || len(m.asked) != 7 {
			t.Fatalf("%+v after %d", r, len(m.asked))
		}
		if !strings.Contains(r.Answer, "312 grey herons") || len(r.Report.Findings) == 0 ||
			r.Reason != "the model said no" {
			t.Errorf("answer %q, reason %q", r.Answer, r.Reason)
		}
		for i, f := range r.Report.Findings { // each in a line of its own
			if lines := strings.Split(r.Answer, "\n"); len(lines) != len(r.Report.Findings) ||
				!strings.HasPrefix(lines[i], "- “"+f.Text+"” [") {
				t.Errorf("%q has not %q in line %d", r.Answer, f.Text, i+1)
			}
		}
	})
	synctest.Test(t, func(t *testing.T) { // a report that was written stands
		const count = "In the spring of 2024 the wardens counted 312 grey herons at Alder Lake [2]."
		s := newShelf()
		m := &script{replies: []reply{calls(searchFor("herons")), calls(readHerons), calls(reportCall(count)),
			failing(citewell.CodeModelFailed), failing(citewell.CodeModelFailed), failing(citewell.CodeModelFailed)}}
		if r := run(t, s.options(agent.ShapeToolCalling, m), heronTask); r.State != runstore.RunFailed ||
			r.Outcome != runstore.RunModelFailed || r.Answer != count {
			t.Errorf("%s, %s: %q", r.State, r.Outcome, r.Answer)
		}
	})
	s := newShelf()
	for _, code := range []citewell.Code{citewell.CodeAuth, citewell.CodeNotRecorded} { // another try helps nothing
		m := &script{replies: []reply{failing(code)}}
		if r := run(t, s.options(agent.ShapeToolCalling, m), heronTask); r.Outcome != runstore.RunModelFailed ||
			len(m.asked) != 1 || r.Answer == "" {
			t.Errorf("%+v after %d", r, len(m.asked))
		}
	}
	m := &script{replies: []reply{words(" "), words(""), words("")}}
	if r := run(t, s.options(agent.ShapeToolCalling, m), heronTask); r.Outcome != runstore.RunModelFailed ||
		len(m.asked) != 3 {
		t.Errorf("%+v after %d", r, len(m.asked))
	}
}

// An answer that was cut, or could not be used otherwise, was paid for: its tokens
// count, also when the run is replayed, and where the endpoint does not say how many.
func TestAnswersThatFailAreCounted(t *testing.T) {
	cut := func(r agent.Reply) reply {
		return func(agent.Request) (agent.Reply, error) {
			return r, &citewell.Error{Code: citewell.CodeModelFailed, Message: "cut"}
		}
	}
	synctest.Test(t, func(t *testing.T) {
		s := newShelf()
		m := &script{replies: []reply{cut(agent.Reply{InputTokens: 700, CachedTokens: 100, OutputTokens: 80}),
			failing(citewell.CodeTimeout), calls(searchFor("herons")),
			cut(agent.Reply{Text: strings.Repeat("on ", 20)}), calls(readHerons), calls(heronFinal)}}
		o := s.options(agent.ShapeToolCalling, m)
		o.Price = llm.Price{Input: 1, Output: 2}
		r := run(t, o, heronTask)
		if r.Outcome != runstore.RunAnswered || r.Usage.OutputTokens != 80+20+3*20 ||
			r.Usage.InputTokens <= 700+3*100 || len(m.asked) != 6 {
			t.Errorf("%s after %d answers with usage %+v", r.Outcome, len(m.asked), r.Usage)
		}
		if again := run(t, o, heronTask); again.Usage.InputTokens != r.Usage.InputTokens ||
			again.Usage.OutputTokens != r.Usage.OutputTokens || again.Usage.USD != r.Usage.USD || len(m.asked) != 6 {
			t.Errorf("replayed: usage %+v, was %+v", again.Usage, r.Usage)
		}
	})
	synctest.Test(t, func(t *testing.T) { // the wall holds for them
		m := &script{replies: slices.Repeat([]reply{cut(agent.Reply{InputTokens: 9_000, OutputTokens: 1_000})}, 3)}
		o := newShelf().options(agent.ShapeToolCalling, m)
		o.Limits.MaxTokens, o.Budget.Tokens = 1000, 30_000
		r := run(t, o, heronTask)
		if spent := r.Usage.InputTokens + r.Usage.OutputTokens; r.Outcome == runstore.RunAnswered || spent > 30_000 ||
			spent < 20_000 {
			t.Errorf("%s with %d tokens", r.Outcome, spent)
		}
	})
}

// Answers that are no JSON are sent back with what is wrong: twice in a structured
// turn, five times in plain text.
func TestBrokenObjectsAreRepaired(t *testing.T) {
	for _, shape := range []agent.Shape{agent.ShapeSGR, agent.ShapeIron} {
		s := newShelf()
		good := inSteps(shape, always(searchFor("herons")), always(readHerons), always(heronFinal))
		broken := []reply{words("I would rather search.")}
		if shape == agent.ShapeIron {
			broken = append(broken, words(`{"reasoning_steps": [`), words(`{"reasoning_steps": ["one"]}`), words("{}"))
		}
		m := &script{replies: append(broken, good...)}
		r := run(t, s.options(shape, m), heronTask)
		if r.Outcome != runstore.RunAnswered || r.Iteration != 3 {
			t.Errorf("%s: %+v", shape, r)
		}
		for i := range broken {
			q := m.asked[i+1].Messages
			if said := q[len(q)-1].Content; !strings.Contains(said, "not the JSON object") {
				t.Errorf("%s: told %q", shape, said)
			}
		}
	}
}

// The schema of a turn in one object: reasoning first, then the union of what may be
// called, told apart by name; one tool is no union.
func TestTheSchemaOfATurnInOneObject(t *testing.T) {
	s := newShelf()
	m := &script{replies: inSteps(agent.ShapeSGR, always(searchFor("herons")), always(heronFinal))}
	o := s.options(agent.ShapeSGR, m)
	o.Limits.MaxIterations, o.NoReport = 2, true
	run(t, o, heronTask)
	golden.Check(t, "testdata/schema/turn.json", indented(t, m.asked[0].Schema))
	golden.Check(t, "testdata/schema/turn_last.json", indented(t, m.asked[1].Schema))
}

func indented(t *testing.T, raw json.RawMessage) string {
	t.Helper()
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetIndent("", "  ")
	if err := e.Encode(raw); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// names are the functions that a request offers.
func names(q agent.Request) string {
	var list []string
	for _, f := range q.Functions {
		list = append(list, strings.TrimSuffix(f.Name, "_tool"))
	}
	return strings.Join(list, " ")
}

// What nobody would read is not asked: it would not fit into the log either, and the
// run could neither wait nor go on.
func TestAQuestionThatNobodyReadsIsSentBack(t *testing.T) {
	s := newShelf()
	ask := func(question string) agent.ToolCall {
		return call("clarification_tool", args{"reasoning": "which lake", "unclear_terms": []string{"lake"},
			"assumptions": []string{"a", "b"}, "questions": []string{question}})
	}
	m := &script{replies: []reply{calls(ask(strings.Repeat("Which lake? ", 2_000))), calls(ask("Which lake?")),
		calls(searchFor("a")), calls(readHerons), calls(heronFinal)}}
	o := s.options(agent.ShapeToolCalling, m)
	o.Limits.MaxClarifications = 1
	var put []string
	o.Ask = func(_ context.Context, q agent.Question) (string, error) {
		put = append(put, q.Text)
		return "Alder Lake", nil
	}
	r := run(t, o, heronTask)
	if r.Outcome != runstore.RunAnswered || len(put) != 1 || put[0] != "Which lake?" || r.Clarifications != 1 {
		t.Errorf("asked %d questions; %+v", len(put), r)
	}
}

func TestWhatIsOfferedFollowsTheLimits(t *testing.T) {
	s := newShelf()
	ask := call("clarification_tool", args{"reasoning": "which lake", "unclear_terms": []string{"lake"},
		"assumptions": []string{"a", "b"}, "questions": []string{"Which lake?"}})
	m := &script{replies: []reply{calls(ask), calls(searchFor("a")), calls(searchFor("b")), calls(readHerons),
		calls(searchFor("c")), calls(heronFinal)}}
	o := s.options(agent.ShapeToolCalling, m)
	o.Limits = agent.Limits{MaxIterations: 6, MaxClarifications: 1, MaxSearches: 2}
	o.Ask = func(context.Context, agent.Question) (string, error) { return "Alder Lake", nil }
	o.Extra = []*tool.Tool{tool.New(tool.Spec{Name: "archive_search", Description: "Searches.",
		Hints: tool.Hints{ReadOnly: true}}, func(context.Context, struct{}) (struct{}, error) {
		return struct{}{}, nil
	})}
	o.Searching = []string{"archive_search"}
	r := run(t, o, heronTask)
	want := []string{
		"generate_plan adapt_plan clarification web_search extract_page_content create_report final_answer " +
			"archive_search",
		"generate_plan adapt_plan web_search extract_page_content create_report final_answer archive_search",
		"generate_plan adapt_plan web_search extract_page_content create_report final_answer archive_search",
		"generate_plan adapt_plan extract_page_content create_report final_answer",
		"generate_plan adapt_plan extract_page_content create_report final_answer",
		"create_report final_answer",
	}
	for i, q := range m.asked {
		if got := names(q); got != want[i] {
			t.Errorf("turn %d offers %q, want %q", i+1, got, want[i])
		}
	}
	if r.Outcome != runstore.RunAnswered || r.Usage.Searches != 2 || r.Clarifications != 1 || s.searches.Load() != 2 {
		t.Errorf("%+v", r)
	}
	if last := m.asked[1].Messages; last[len(last)-1].Role != agent.RoleUser ||
		!strings.Contains(last[len(last)-1].Content, "Alder Lake") || last[len(last)-2].Content != "Which lake?" {
		t.Errorf("after the answer: %+v", last[len(last)-2:])
	}
}

// At max_iterations + 4 code ends a run whose model never does.
func TestStepsThatAreUsedUp(t *testing.T) {
	s := newShelf()
	var replies []reply
	for i := range 20 {
		replies = append(replies, calls(searchFor(fmt.Sprint("herons ", i)),
			call("extract_page_content_tool", args{"reasoning": fmt.Sprint(i),
				"urls": []string{"https://heron.example/count"}})))
	}
	o := s.options(agent.ShapeToolCalling, &script{replies: replies})
	o.Limits.MaxIterations = 3
	r := run(t, o, heronTask)
	if r.State != runstore.RunCompleted || r.Outcome != runstore.RunPartial || !strings.Contains(r.Answer, "312") {
		t.Errorf("%+v", r)
	}
	if m := o.Model.(*script); len(m.asked) > 7 {
		t.Errorf("%d answers were asked for", len(m.asked))
	}
}

// A model that goes round in circles is asked to report, and then code does.
func TestStepsThatBringNothingNew(t *testing.T) {
	s := newShelf()
	same := calls(searchFor("herons"))
	m := &script{replies: []reply{same, same, same, same, same, same}}
	o := s.options(agent.ShapeToolCalling, m)
	o.Limits.MaxIterations = 50
	r := run(t, o, heronTask)
	if s.searches.Load() != 1 || len(m.asked) != 5 || r.Outcome != runstore.RunPartial {
		t.Fatalf("%d searches, %d answers, %+v", s.searches.Load(), len(m.asked), r)
	}
	if names(m.asked[4]) != "create_report final_answer" || !strings.Contains(told(m), "brought nothing new") {
		t.Errorf("at last %q: %s", names(m.asked[4]), told(m))
	}
}

func TestBudgetsAreWalls(t *testing.T) {
	counting := func(in int) reply {
		return func(q agent.Request) (agent.Reply, error) {
			return agent.Reply{Calls: []agent.ToolCall{searchFor(fmt.Sprint("herons ", len(q.Messages))), readHerons},
				InputTokens: in, OutputTokens: 10}, nil
		}
	}
	many := []reply{counting(9000), counting(9000), counting(9000), counting(9000), counting(9000), counting(9000)}
	t.Run("tokens", func(t *testing.T) {
		m := &script{replies: many}
		o := newShelf().options(agent.ShapeToolCalling, m)
		o.Budget.Tokens, o.Limits.MaxTokens = 50_000, 1000
		r := run(t, o, heronTask)
		if spent := r.Usage.InputTokens + r.Usage.OutputTokens; r.Outcome != runstore.RunOverBudget || spent > 50_000 ||
			names(m.asked[len(m.asked)-1]) != "create_report final_answer" || !strings.Contains(r.Answer, "312") {
			t.Errorf("%d tokens, %+v", spent, r)
		}
	})
	t.Run("usd", func(t *testing.T) {
		m := &script{replies: many}
		o := newShelf().options(agent.ShapeToolCalling, m)
		o.Budget.USD, o.Price, o.Limits.MaxTokens = 0.04, llm.Price{Input: 1, Output: 1}, 1000
		if r := run(t, o, heronTask); r.Outcome != runstore.RunOverBudget || r.Usage.USD > 0.04 || r.Usage.USD == 0 {
			t.Errorf("%+v", r)
		}
	})
	t.Run("time without waiting", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newShelf()
			s.slow = 20 * time.Second
			ask := call("clarification_tool", args{"reasoning": "which", "unclear_terms": []string{"lake"},
				"assumptions": []string{"a", "b"}, "questions": []string{"Which?"}})
			m := &script{replies: append([]reply{calls(ask)}, many...)}
			o := s.options(agent.ShapeToolCalling, m)
			o.Budget.WallTime = time.Minute
			o.Ask = func(context.Context, agent.Question) (string, error) { time.Sleep(time.Hour); return "Alder", nil }
			began := time.Now()
			r := run(t, o, heronTask)
			if took := time.Since(began) - time.Hour; took > time.Minute || r.Outcome != runstore.RunOverBudget ||
				r.Usage.ActiveMS > 60_000 {
				t.Errorf("%v, %+v", took, r)
			}
		})
	})
	t.Run("searches and fetches", func(t *testing.T) {
		s := newShelf()
		m := &script{replies: []reply{calls(searchFor("a")), calls(readHerons), calls(heronFinal)}}
		o := s.options(agent.ShapeToolCalling, m)
		o.Budget.Searches, o.Budget.Fetches = 1, 1
		r := run(t, o, heronTask)
		if s.searches.Load() != 1 || s.reads.Load() != 1 || names(m.asked[2]) != "generate_plan adapt_plan "+
			"create_report final_answer" {
			t.Errorf("%d searches, %d reads, offered %q, %+v", s.searches.Load(), s.reads.Load(), names(m.asked[2]), r)
		}
	})
}

// A model that hangs is left at the wall of time, and the run answers from what it has.
func TestAModelThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf()
		m := &hanging{script{replies: []reply{calls(searchFor("herons")), calls(readHerons)}}}
		o := s.options(agent.ShapeToolCalling, m)
		o.Budget.WallTime = time.Minute
		began := time.Now()
		r := run(t, o, heronTask)
		if took := time.Since(began); took > time.Minute+time.Second || r.Outcome != runstore.RunOverBudget ||
			!strings.Contains(r.Answer, "312") {
			t.Errorf("%v, %+v", took, r)
		}
	})
}

// hanging answers no more when its script is at its end.
type hanging struct{ script }

func (h *hanging) Chat(ctx context.Context, q agent.Request) (agent.Reply, error) {
	if len(h.asked) == len(h.replies) {
		<-ctx.Done()
		return agent.Reply{}, ctx.Err()
	}
	return h.script.Chat(ctx, q)
}

// What happens is told in order, pieces of answers too.
func TestWhatHappensIsTold(t *testing.T) {
	s := newShelf()
	speaking := func(q agent.Request) (agent.Reply, error) {
		q.Heard(agent.Delta{Text: `{"query":`, Call: "web_search_tool"})
		return calls(searchFor("herons"))(q)
	}
	o := s.options(agent.ShapeToolCalling, &script{replies: []reply{
		speaking, calls(readHerons), calls(finalCall("There were 999 grey herons [2].")), calls(heronFinal)}})
	var told []string
	var numbers []int
	o.Tell = func(e agent.Event) {
		told = append(told, strings.TrimSpace(e.Kind+" "+e.CallID))
		if e.Kind == "source" {
			numbers = append(numbers, e.Number)
		}
	}
	run(t, o, heronTask)
	want := "state, delta action, call 1-action, source, source, source, result 1-action, spent, call " +
		"2-action, read, " +
		"fetch, read, fetch, result 2-action, spent, " +
		"call 3-action, rejected, result 3-action, spent, call 3-action.2, state, over, result 3-action.2, spent"
	if got := strings.Join(told, ", "); got != want || !slices.Equal(numbers, []int{1, 2, 3}) {
		t.Errorf("told %s\nwant %s\nnumbers %v", got, want, numbers)
	}
}

// A run that is cancelled says so, and one whose journal breaks stops at once.
func TestCancelledAndBroken(t *testing.T) {
	s := newShelf()
	ctx, cancel := context.WithCancel(t.Context())
	m := &script{replies: []reply{calls(searchFor("a")), func(agent.Request) (agent.Reply, error) {
		cancel()
		return agent.Reply{}, context.Canceled
	}}}
	a, err := agent.New(s.options(agent.ShapeToolCalling, m))
	if err != nil {
		t.Fatal(err)
	}
	r, err := a.Run(ctx, agent.Task{Text: heronTask})
	if r.State != runstore.RunCancelled || r.Outcome != runstore.RunOutcomeCancelled ||
		!errors.Is(err, context.Canceled) {
		t.Errorf("%+v, %v", r, err)
	}
	for at, searches := range map[string]int32{"lookup": 0, "begin": 0, "finish": 1} {
		o := s.options(agent.ShapeToolCalling, &script{replies: []reply{calls(searchFor("a"))}})
		o.Journal = brokenJournal{o.Journal, at}
		a, err = agent.New(o)
		if err != nil {
			t.Fatal(err)
		}
		before := s.searches.Load()
		if r, err = a.Run(t.Context(), agent.Task{Text: heronTask}); !errors.Is(err, errDisk) ||
			r.State != runstore.RunError || s.searches.Load() != before+searches {
			t.Errorf("%s: %+v, %v", at, r, err)
		}
	}
}

var errDisk = errors.New("the disk is full")

// A brokenJournal fails at one of its methods for each search.
type brokenJournal struct {
	agent.Journal
	at string
}

func (b brokenJournal) fails(at string, c agent.Call) error {
	if at == b.at && c.Kind == agent.CallSearch {
		return errDisk
	}
	return nil
}

func (b brokenJournal) Lookup(ctx context.Context, c agent.Call) (agent.Entry, bool, error) {
	if err := b.fails("lookup", c); err != nil {
		return agent.Entry{}, false, err
	}
	return b.Journal.Lookup(ctx, c)
}

func (b brokenJournal) Begin(ctx context.Context, c agent.Call) error {
	return cmp.Or(b.fails("begin", c), b.Journal.Begin(ctx, c))
}

func (b brokenJournal) Finish(ctx context.Context, c agent.Call, e agent.Entry) error {
	return cmp.Or(b.fails("finish", c), b.Journal.Finish(ctx, c, e))
}

// Older steps are compacted: the window is kept, calls keep their results, and every
// source stays citable.
func TestOlderStepsAreCompacted(t *testing.T) {
	s := newShelf()
	for i := range 40 {
		s.pages[fmt.Sprintf("https://site%02d.example/", i)] = strings.Repeat("The reeds at the lake were cut in "+
			"winter by the wardens of the trust. ", 60)
	}
	var replies []reply
	task := heronTask
	for i := range 12 {
		task += fmt.Sprintf(" https://site%02d.example/", i)
		replies = append(replies, calls(searchFor(fmt.Sprint("reeds ", i)),
			call("extract_page_content_tool", args{"reasoning": fmt.Sprint(i),
				"urls": []string{fmt.Sprintf("https://site%02d.example/", i)}})))
	}
	final := calls(call("final_answer_tool", args{"reasoning": "x", "completed_steps": []string{"read"},
		"answer": "Nothing in these sources answers the task.", "status": "failed"}))
	m := &script{window: 9000, replies: append(append([]reply{calls(searchFor("reeds"))}, replies...),
		calls(readHerons), final)}
	o := s.options(agent.ShapeToolCalling, m)
	o.Limits = agent.Limits{MaxIterations: 30, MaxSearches: 20, MaxResults: 10, MaxTokens: 500, ContentLimit: 3000}
	o.Budget.Tokens = -1
	compacted := 0
	o.Tell = func(e agent.Event) {
		if e.Kind == "compacted" {
			compacted++
		}
	}
	r := run(t, o, task)
	if r.State != runstore.RunFailed || compacted == 0 || len(m.asked) != 15 {
		t.Fatalf("compacted %d times, %s %s: %s", compacted, r.State, r.Outcome, told(m))
	}
	for i, q := range m.asked {
		size, open := 0, map[string]bool{}
		for _, message := range q.Messages {
			size += len(message.Content)
			for _, c := range message.Calls {
				size += len(c.Arguments)
				open[c.ID] = true
			}
			if message.Role == agent.RoleTool {
				if !open[message.CallID] {
					t.Errorf("request %d has a result of %s without its call", i, message.CallID)
				}
				delete(open, message.CallID)
			}
		}
		if len(open) > 0 {
			t.Errorf("request %d has calls without a result: %v", i, open)
		}
		if size/3 > 9000 {
			t.Errorf("request %d has about %d tokens", i, size/3)
		}
	}
	if last := m.asked[len(m.asked)-1]; !strings.Contains(last.Messages[len(last.Messages)-1].Content, "grey herons") {
		t.Errorf("what was read last was cut: %q", last.Messages[len(last.Messages)-1].Content)
	}
	for _, source := range r.Sources {
		shown := fmt.Sprintf("[%d] ", source.N)
		if !slices.ContainsFunc(m.asked[len(m.asked)-1].Messages, func(m agent.Message) bool {
			return strings.Contains(m.Content, shown)
		}) {
			t.Errorf("source %d is shown no more", source.N)
		}
	}
}

// Where the oldest results that are long make room enough, nothing else is touched; where all
// of them do not, what the model is told of its tools is cut before its own calls are.
func TestNoMoreIsCompactedThanHasToBe(t *testing.T) {
	task, steps := heronTask, []reply{calls(searchFor("reeds"))}
	s := newShelf()
	for i := range 5 {
		page := fmt.Sprintf("https://site%d.example/", i)
		s.pages[page] = strings.Repeat("The reeds at the lake were cut in winter by the wardens of the trust. ", 30)
		task += " " + page
		steps = append(steps, calls(call("extract_page_content_tool",
			args{"reasoning": strings.Repeat("to read it ", 60), "urls": []string{page}})))
	}
	asked := func(window int) []agent.Message {
		m := &script{window: window, replies: append(slices.Clone(steps),
			calls(finalCall("Nothing in these sources answers the task.")))}
		o := s.options(agent.ShapeToolCalling, m)
		o.Limits.ContentLimit, o.Limits.MaxTokens, o.Budget.Tokens = 3000, 500, -1
		run(t, o, task)
		return m.asked[min(len(steps), len(m.asked)-1)].Messages
	}
	whole := asked(100_000)
	changed := func(window int) (list []int) {
		for i, m := range asked(window) {
			// the marks around foreign words are of chance
			if len(m.Content) != len(whole[i].Content) || len(m.Calls) > 0 &&
				len(m.Calls[0].Arguments) != len(whole[i].Calls[0].Arguments) {
				list = append(list, i)
			}
		}
		return list
	}
	const step = 50 // tokens; the largest window that is too small by no more
	largest := func(tooSmall func(window int) bool) int {
		return step * (sort.Search(20_000/step, func(n int) bool { return !tooSmall(step * n) }) - 1)
	}
	window := largest(func(window int) bool { return len(changed(window)) > 0 })
	some := changed(window)
	window = largest(func(window int) bool { return slices.Contains(changed(window), 0) })
	var cut []int
	for i, m := range whole {
		if i == 0 || m.Role == agent.RoleTool && len(m.Content) > 400 && i < len(whole)-4 {
			cut = append(cut, i)
		}
	}
	if all := changed(window); !slices.Equal(all, cut) || len(some) == 0 || len(some) >= len(cut)-1 ||
		!slices.Equal(some, cut[1:1+len(some)]) {
		t.Errorf("messages %d were changed first, and then %d; the system's and the older long results are %d",
			some, all, cut)
	}
}

// Of the last result, from which the model is about to write, no more is cut than has to be.
func TestTheLastResultIsCutLeast(t *testing.T) {
	s := newShelf()
	page := "https://long.example/"
	s.pages[page] = strings.Repeat("The reeds at the lake were cut in winter by the wardens of the trust. ", 120)
	m := &script{window: 5000, replies: []reply{calls(call("extract_page_content_tool",
		args{"reasoning": "it is named", "urls": []string{page}})),
		calls(finalCall("Nothing in these sources answers the task."))}}
	o := s.options(agent.ShapeToolCalling, m)
	o.Limits = agent.Limits{MaxIterations: 10, MaxSearches: 3, MaxResults: 10, MaxTokens: 500, ContentLimit: 9000}
	o.Budget.Tokens = -1
	var told []string
	o.Tell = func(e agent.Event) {
		if e.Kind == "compacted" {
			told = append(told, e.Text)
		}
	}
	run(t, o, heronTask+" "+page)
	last := m.asked[1].Messages[len(m.asked[1].Messages)-1].Content
	if len(told) == 0 || len(last) < 2000 {
		t.Errorf("compacted %q; %d bytes of the page are left", told, len(last))
	}
}

// An almost keeper keeps all but what it is told to lose.
type almostKeeper struct {
	agent.Archive
	loses string
}

func (k almostKeeper) lose(what string) error {
	if k.loses != what {
		return nil
	}
	return &citewell.Error{Code: citewell.CodeStoreFailed, Message: "the disk is full"}
}

func (k almostKeeper) PutSnapshot(ctx context.Context, page citewell.Page, doc citewell.Document) error {
	return cmp.Or(k.lose("snapshot"), k.Archive.PutSnapshot(ctx, page, doc))
}

func (k almostKeeper) AddSource(ctx context.Context, brief string, s citewell.Source,
	passages []citewell.Passage) error {
	return cmp.Or(k.lose("source"), k.Archive.AddSource(ctx, brief, s, passages))
}

func (k almostKeeper) PutBrief(ctx context.Context, b citewell.Brief) error {
	return cmp.Or(k.lose("brief"), k.Archive.PutBrief(ctx, b))
}

// Where the model fails before it read anything, code reads for it; what cannot be kept then
// ends the run as well.
func TestWhatCodeReadsIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, loses := range []string{"snapshot", ""} {
			shelf := newShelf()
			m := &script{replies: []reply{calls(searchFor("herons")), failing(citewell.CodeModelFailed),
				failing(citewell.CodeModelFailed), failing(citewell.CodeModelFailed)}}
			a, err := agent.New(agent.Options{Shape: agent.ShapeToolCalling, Model: m, Searcher: shelf, Reader: shelf,
				Archive: almostKeeper{&keeper{journal: &tape{}, kept: map[string]keptAt{}}, loses},
				Journal: agent.NewMemoryJournal()})
			if err != nil {
				t.Fatal(err)
			}
			r, err := a.Run(t.Context(), agent.Task{ID: "test_1", Text: heronTask})
			if loses == "" && (err != nil || !strings.Contains(r.Answer, "312")) || loses != "" &&
				citewell.CodeOf(err) != citewell.CodeStoreFailed {
				t.Errorf("loses %q: %v, %q", loses, err, r.Answer)
			}
		}
	})
}

// Nothing is published that was not kept: the run ends with the store's error, and its model
// is not asked what to do about it.
func TestWhatIsNotKeptIsNotPublished(t *testing.T) {
	for _, loses := range []string{"snapshot", "source", "brief", ""} {
		shelf := newShelf()
		m := &script{replies: []reply{calls(searchFor("herons")), calls(readHerons),
			calls(finalCall("The wardens counted 312 grey herons at Alder Lake in the spring of 2024 [2].")),
			words("312 [2].")}}
		a, err := agent.New(agent.Options{Shape: agent.ShapeToolCalling, Model: m, Searcher: shelf, Reader: shelf,
			Archive: almostKeeper{newStore(t), loses}, Journal: agent.NewMemoryJournal()})
		if err != nil {
			t.Fatal(err)
		}
		result, err := a.Run(t.Context(), agent.Task{ID: "test_1", Text: "How many herons are there at Alder Lake?"})
		if loses == "" {
			if err != nil || result.Report == nil {
				t.Errorf("where all is kept: %v, %+v", err, result)
			}
			continue
		}
		if citewell.CodeOf(err) != citewell.CodeStoreFailed || len(m.asked) > 3 {
			t.Errorf("%s: %v, %d questions", loses, err, len(m.asked))
		}
	}
}
