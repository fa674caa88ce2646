package agent_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/testing/golden"
	"github.com/citewell/citewell/internal/tool"
	"github.com/citewell/citewell/llm"
)

// A record is all that a run does outwards, in order: what the model is offered and shown, what is
// told, what the journal keeps, what is archived.
type record struct {
	*agent.MemoryJournal
	shown []agent.Message

	mu     sync.Mutex
	out    strings.Builder
	beside []string // calls of this turn
	end    string   // what it came to
	asks   int      // of the model
}

func (r *record) say(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	fmt.Fprintf(&r.out, format+"\n", args...)
}

// turn writes down the calls of a turn, which may have been made at once.
func (r *record) turn() {
	slices.Sort(r.beside)
	for _, line := range r.beside {
		r.say("%s", line)
	}
	r.beside = nil
}

func (r *record) sayBeside(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.beside = append(r.beside, fmt.Sprintf(format, args...))
}

func (r *record) Begin(ctx context.Context, c agent.Call) error {
	r.sayBeside("  begin %s %s %s", c.Key, c.Kind, c.Name)
	return r.MemoryJournal.Begin(ctx, c)
}

func (r *record) Finish(ctx context.Context, c agent.Call, e agent.Entry) error {
	failed := ""
	if e.Error != nil {
		failed = fmt.Sprintf(" %s: %s (%s)", e.Error.Code, e.Error.Message, e.Error.Hint)
	}
	r.sayBeside("  finish %s after %d ms%s", c.Key, e.ActiveMS, failed)
	return r.MemoryJournal.Finish(ctx, c, e)
}

func (r *record) told(e agent.Event) {
	line := fmt.Sprintf("  told %s %d %s %s %d %.100q", e.Kind, e.Iteration, e.CallID, e.Name, e.Number, e.Text)
	for _, data := range []any{e.Search, e.Plan, e.Fetch, e.Spent} {
		if said, err := json.Marshal(data); err == nil && string(said) != "null" {
			line += " " + string(said)
		}
	}
	r.say("%s", line)
}

// asked writes down a request: what of the conversation is new in it, what may be called, how long
// the answer may be.
func (r *record) asked(q agent.Request) {
	r.turn()
	var names []string
	for _, f := range q.Functions {
		names = append(names, f.Name)
	}
	r.say("ask for %s of %d tokens, room %d, %s %s", strings.Join(names, " "), q.MaxTokens, q.Room, q.Force,
		q.SchemaName)
	for i, m := range q.Messages {
		if m.Role == agent.RoleSystem || i < len(r.shown) && r.shown[i].Content == m.Content &&
			r.shown[i].CallID == m.CallID {
			continue
		}
		r.say("  %s %s: %s", m.Role, m.CallID, m.Content)
		for _, c := range m.Calls {
			r.say("    call %s %s %.120s %s", c.ID, c.Name, c.Arguments, c.Fault)
		}
	}
	r.shown = slices.Clone(q.Messages)
}

func (r *record) PutSnapshot(_ context.Context, p citewell.Page, d citewell.Document) error {
	r.sayBeside("  keep the snapshot of %s with %d passages", p.URL, len(d.Passages))
	return nil
}

func (r *record) AddSource(_ context.Context, brief string, s citewell.Source, passages []citewell.Passage) error {
	r.say("  keep source %d of %s, %s %s %q, with %d passages", s.N, brief, s.URL, s.Outcome, s.Title, len(passages))
	return nil
}

func (r *record) PutBrief(_ context.Context, b citewell.Brief) error {
	r.say("  keep the brief %s", b.ID)
	return nil
}

func (r *record) ended(result agent.Result, err error) {
	r.turn()
	before := r.out.Len()
	defer func() { r.end = r.out.String()[before:] }()
	r.say("%s %s %q after %d steps, %d questions: %+v, warnings %q, private %v, again at %s, %v", result.State,
		result.Outcome, result.Reason, result.Iteration, result.Clarifications, result.Usage, result.Warnings,
		result.Private, result.RetryAt.Format(time.RFC3339), err)
	if result.Question != nil {
		r.say("asks %+v", *result.Question)
	}
	for _, s := range result.Sources {
		r.say("  [%d] %s %s %q %q", s.N, s.URL, s.Outcome, s.Title, s.Snippet)
	}
	r.say("answer: %s", result.Answer)
	if p := result.Report; p != nil {
		r.say("report %q: %s", p.Title, p.Content)
		for _, f := range p.Findings {
			r.say("  %q %s", f.Text, f.Problem)
			for _, c := range f.Citations {
				r.say("    [%d] %s %q: %s", c.N, c.Verdict, c.Quote, c.Reason)
			}
		}
		r.say("  unverified %q, remarks %q, confidence %s", p.Unverified, p.Remarks, p.Confidence)
	}
}

// steady takes out what is drawn anew in each run.
var steady = []struct {
	pattern *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`(<<<(?:DATA|END)) [a-z0-9]{26}`), "$1 BOUNDARY"},
	{regexp.MustCompile(`\b[0-9a-f]{32}\b`), "ID"},
}

func notesTool(name string, hints tool.Hints, say func(topic string) (string, error)) *tool.Tool {
	type in struct {
		Topic string `json:"topic" jsonschema:"of what"`
	}
	type out struct {
		Note string `json:"note"`
	}
	return tool.New(tool.Spec{Name: name, Title: "Notes", Description: "Reads notes.", Hints: hints},
		func(_ context.Context, i in) (out, error) {
			note, err := say(i.Topic)
			return out{note}, err
		})
}

// A tale is what a model answers in a run that is written down.
type tale struct {
	name    string
	replies []reply
	task    agent.Task
	options func(o *agent.Options, s *shelf, m *script)
}

// play writes a run down, and plays it again over its journal: nobody is asked, and it comes to
// the same.
func (test tale) play(t *testing.T) {
	t.Run(test.name, func(t *testing.T) {
		var r, again record
		synctest.Test(t, func(t *testing.T) {
			r.MemoryJournal = agent.NewMemoryJournal()
			test.into(t, &r)
			again.MemoryJournal = r.MemoryJournal
			test.replies = nil
			test.into(t, &again)
		})
		said := r.out.String()
		for _, s := range steady {
			said = s.pattern.ReplaceAllString(said, s.instead)
		}
		golden.Check(t, "testdata/run/"+strings.ReplaceAll(test.name, " ", "_")+".txt", said)
		if again.end != r.end || again.asks > 0 {
			t.Errorf("played again it asks %d times, and comes to\n%s\nnot to\n%s", again.asks, again.end, r.end)
		}
	})
}

func (test tale) into(t *testing.T, r *record) {
	s := newShelf()
	m := &script{}
	for _, answer := range test.replies {
		m.replies = append(m.replies, func(q agent.Request) (agent.Reply, error) {
			r.asked(q)
			time.Sleep(time.Second)
			return answer(q)
		})
	}
	o := s.options(agent.ShapeToolCalling, m)
	o.Journal, o.Archive, o.Tell = r, r, r.told
	if test.options != nil {
		test.options(&o, s, m)
	}
	a, err := agent.New(o)
	if err != nil {
		t.Fatal(err)
	}
	test.task.ID, test.task.Text = "test_1", cmp.Or(test.task.Text, heronTask)
	r.ended(a.Run(t.Context(), test.task))
	r.asks = len(m.asked)
}

// What a run does, says and keeps is written down for stories of one rule or a few each: a change of
// one shows as a difference to read.
func TestRunsWrittenDown(t *testing.T) {
	limited := func(after time.Duration, err error) reply {
		return func(agent.Request) (agent.Reply, error) {
			return agent.Reply{InputTokens: 50, OutputTokens: 5}, &citewell.Error{
				Code: citewell.CodeRateLimited, Message: "too many", RetryAfter: after, Err: err}
		}
	}
	read := func(urls ...string) agent.ToolCall {
		return call("extract_page_content_tool", args{"reasoning": "to read", "urls": urls})
	}
	plan := call("generate_plan_tool", args{"reasoning": "x", "research_goal": "Count the herons",
		"planned_steps": []string{"search", "read", "write"}, "search_strategies": []string{"by name", "by place"}})
	adapt := call("adapt_plan_tool", args{"reasoning": "x", "original_goal": "Count", "new_goal": "Count and measure",
		"plan_changes": []string{"measure"}, "next_steps": []string{"read", "write"}})
	clarify := call("clarification_tool", args{"reasoning": "which", "unclear_terms": []string{"lake"},
		"assumptions": []string{"a", "b"}, "questions": []string{"Which lake?", "Which year?"}})
	long := strings.Repeat("Alder Lake is a lake of reeds. ", 120)
	for _, test := range []tale{
		{name: "a report that has to be mended", replies: []reply{
			calls(plan), calls(searchFor("herons")), calls(read("https://heron.example/count",
				"https://nowhere.example/x", "https://lake.example/facts")), calls(adapt),
			calls(reportCall("In 2024 the wardens counted 999 grey herons at Alder Lake [2]. The lake covers 48 " +
				"hectares [3]. It is old [9]. Swimming is fun.")), calls(heronReport),
			calls(finalCall("The report is written."))}},
		{name: "a report that stays wrong", replies: slices.Concat([]reply{
			calls(searchFor("herons")), calls(readHerons)}, slices.Repeat([]reply{
			calls(reportCall("The wardens counted 999 grey herons at Alder Lake in 2024 [2]. The lake covers 48 " +
				"hectares [3]. See https://evil.example/x."))}, 4),
			[]reply{calls(finalCall("The report is written, see https://evil.example/x."))})},
		{name: "calls that cannot be made", replies: []reply{calls(call("nothing", args{"a": 1}),
			garbled("web_search_tool", `{"query":`), searchFor("herons"), searchFor("herons")),
			calls(searchFor("herons"), call("web_search_tool", args{"query": 7})),
			calls(slices.Repeat([]agent.ToolCall{read("https://heron.example/count")}, 12)...),
			words("There were 312 herons."), calls(heronFinal, searchFor("late"))}},
		{name: "other tools", replies: []reply{calls(call("notes", args{"topic": "tides"}),
			call("broken", args{"topic": "tides"})), calls(call("diary", args{"topic": "me"})),
			calls(searchFor("lonesome sandpiper of mine")), calls(call("act", args{"topic": "x"})),
			calls(finalCall("The tide is high [1]."))},
			options: func(o *agent.Options, _ *shelf, _ *script) {
				o.Extra = []*tool.Tool{
					notesTool("notes", tool.Hints{ReadOnly: true}, func(topic string) (string, error) {
						return "about " + topic + ": the tide is high, says https://tide.example/x", nil
					}),
					notesTool("broken", tool.Hints{ReadOnly: true}, func(string) (string, error) {
						return "", &citewell.Error{Code: citewell.CodeConnectFailed, Message: "it is away",
							Hint: "later"}
					}),
					notesTool("diary", tool.Hints{ReadOnly: true}, func(string) (string, error) {
						return "file:///home/u/diary.txt: the lonesome sandpiper of mine is called Ferdinand", nil
					}),
					notesTool("act", tool.Hints{}, func(string) (string, error) { return "done", nil }),
				}
				o.Searching = []string{"notes"}
			}},
		{name: "a model that fails at last", replies: []reply{calls(searchFor("herons")), calls(readHerons),
			failing(citewell.CodeAuth)}},
		{name: "a model that fails at first", replies: []reply{
			failing(citewell.CodeModelFailed), failing(citewell.CodeModelFailed), failing(citewell.CodeModelFailed)}},
		{name: "a model that is away", replies: []reply{limited(0, nil), limited(2*time.Second, nil),
			limited(5*time.Second, nil), limited(0, nil), limited(0, nil), calls(searchFor("herons")),
			calls(readHerons), calls(heronFinal)}},
		{name: "a window that is too small", replies: []reply{calls(searchFor("herons")), limited(0, llm.ErrContext),
			calls(readHerons), calls(heronFinal)}},
		{name: "an answer that was cut", replies: []reply{calls(searchFor("herons")), limited(0, llm.ErrLength),
			calls(readHerons), calls(heronFinal)}},
		{name: "a small window", replies: []reply{calls(searchFor("herons")), calls(read("https://long.example/1")),
			calls(read("https://long.example/2")), calls(read("https://long.example/3")), calls(readHerons),
			calls(heronFinal)},
			options: func(o *agent.Options, s *shelf, m *script) {
				m.window, o.Limits.MaxTokens = 5200, 600
				for i := range 3 {
					s.pages[fmt.Sprintf("https://long.example/%d", i+1)] = long
				}
			}},
		{name: "a small budget of calls", replies: []reply{calls(searchFor("herons")), calls(searchFor("lakes")),
			calls(read("https://heron.example/count", "https://lake.example/facts", "https://guide.example/visit")),
			calls(heronFinal)},
			options: func(o *agent.Options, _ *shelf, _ *script) { o.Budget.Searches, o.Budget.Fetches = 1, 2 }},
		{name: "money", replies: []reply{calls(searchFor("herons")), calls(readHerons), calls(heronFinal)},
			options: func(o *agent.Options, _ *shelf, _ *script) {
				o.Price, o.Budget.USD = llm.Price{Input: 2, Output: 8}, 0.2
			}},
		{name: "steps that run out", replies: slices.Concat([]reply{calls(searchFor("herons")), calls(readHerons)},
			slices.Repeat([]reply{calls(searchFor("more"))}, 6)), options: func(o *agent.Options, _ *shelf, _ *script) {
			o.Limits.MaxIterations = 2
		}},
		{name: "a search that fails", replies: []reply{calls(searchFor("herons")),
			calls(finalCall("Nothing was found."))}, options: func(o *agent.Options, s *shelf, _ *script) {
			s.fails, s.slow = &citewell.Error{Code: citewell.CodeRateLimited, Message: "slow down",
				RetryAfter: time.Minute}, 3*time.Second
		}},
		{name: "time that runs out", replies: []reply{calls(searchFor("herons")), calls(readHerons), calls(heronFinal)},
			options: func(o *agent.Options, s *shelf, _ *script) {
				s.slow, o.Budget.WallTime = 40*time.Second, time.Minute
			}},
		{name: "a question that is answered", replies: []reply{
			calls(clarify), calls(searchFor("herons")), calls(readHerons), calls(heronFinal)},
			options: func(o *agent.Options, _ *shelf, _ *script) {
				o.Ask = func(context.Context, agent.Question) (string, error) { return "The one with the herons.", nil }
			}},
		{name: "a question that waits", replies: []reply{calls(clarify)},
			options: func(o *agent.Options, _ *shelf, _ *script) {
				o.Ask = func(context.Context, agent.Question) (string, error) { return "", agent.ErrWaiting }
			}},
		{name: "sums", replies: []reply{calls(finalCall("17 * 23 is 391."))},
			task: agent.Task{Text: "What is 17 * 23?"}},
		{name: "an answer without a source", replies: slices.Repeat([]reply{
			calls(finalCall("There are 4711 herons at the lake."))}, 4)},
		{name: "a conversation that goes on", replies: []reply{
			calls(finalCall("It covers 48 hectares [1], as https://lake.example/facts says.")),
			calls(finalCall("Alder Lake covers 48 hectares [1]."))},
			task: agent.Task{Text: "And how large is it?", Private: true,
				History: []agent.Message{{Role: agent.RoleUser, Content: heronTask},
					{Role: agent.RoleAssistant, Content: "312 herons [1]."}},
				From: func(context.Context) ([]agent.Former, error) {
					const text = "Alder Lake covers 48 hectares and is 11 metres deep."
					at := time.Now().Add(-time.Hour)
					return []agent.Former{
						{Source: citewell.Source{N: 1, Title: "Facts", URL: "https://lake.example/facts",
							FinalURL: "https://lake.example/facts", FetchedAt: at, TextSHA256: citewell.SHA256(
								[]byte(text)), Outcome: citewell.FetchOK},
							Doc: citewell.Document{Text: text, TextSHA256: citewell.SHA256([]byte(text)),
								Passages: []citewell.Passage{{End: len(text), Text: text}}}},
						{Source: citewell.Source{N: 2, Title: "Old", URL: "https://old.example/", Snippet: "Old words.",
							Outcome: citewell.FetchBlockedRobots}},
					}, nil
				}}},
		{name: "in one object", replies: []reply{
			words(`{"reasoning_steps":["a","b"],"current_situation":"x","plan_status":"y","enough_data":false,"remaining_steps":["z"],"task_completed":false,"function":{"tool_name_discriminator":"web_search_tool","reasoning":"r","query":"herons"}}`), words("no object"), words("{}"), words("{}")},
			options: func(o *agent.Options, _ *shelf, _ *script) { o.Shape = agent.ShapeSGR }},
	} {
		test.play(t)
	}
}
