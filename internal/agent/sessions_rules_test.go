package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/tool"
)

// A box is an archive in memory that fails at what it is told to.
type box struct {
	fails   string
	sources []string // that were added, with their brief
	briefs  []string
}

func (b *box) err(at string) error {
	if at == b.fails {
		return errDisk
	}
	return nil
}

func (b *box) PutSnapshot(context.Context, citewell.Page, citewell.Document) error {
	return b.err("snapshot")
}

func (b *box) AddSource(_ context.Context, brief string, s citewell.Source, _ []citewell.Passage) error {
	b.sources = append(b.sources, fmt.Sprint(brief, " ", s.N))
	return b.err("source")
}

func (b *box) PutBrief(_ context.Context, brief citewell.Brief) error {
	b.briefs = append(b.briefs, brief.ID)
	return b.err("brief")
}

func extractFor(urls ...string) map[string]any {
	return map[string]any{"reasoning": "to read", "urls": urls}
}

var heronPages = []string{"https://heron.example/count", "https://lake.example/facts"}

// Each report of a session has its own entry in the ledger, with the sources that were read before it
// too; what could not be kept is an error.
func TestReportsOfASession(t *testing.T) {
	s, b := newShelf(), &box{}
	o := newOutside(agent.Options{Searcher: s, Reader: s, Archive: b})
	o.must(t, "a", agent.WebSearchTool, lookFor("herons"))
	o.must(t, "a", "extract_page_content_tool", extractFor(heronPages...))
	for range 2 {
		_, data := o.must(t, "a", "create_report_tool", reportArguments(countLine+" [2]. "+sizeLine+" [3]."))
		if data["sources_count"] != 2.0 || data["filepath"] != "" {
			t.Errorf("%v", data)
		}
	}
	if len(b.briefs) != 2 || b.briefs[0] == b.briefs[1] || len(b.sources) != 4 {
		t.Fatalf("briefs %q with the sources %q", b.briefs, b.sources)
	}
	for i, want := range []string{b.briefs[0] + " 2", b.briefs[0] + " 3", b.briefs[1] + " 2", b.briefs[1] + " 3"} {
		if b.sources[i] != want {
			t.Errorf("source %d is %s, want %s", i, b.sources[i], want)
		}
	}
	for _, fails := range []string{"brief", "source"} {
		b.fails = fails
		if _, err := o.call(t, "a", "create_report_tool", reportArguments(countLine+" [2].")); !errors.Is(err,
			errDisk) {
			t.Errorf("the %s is not kept: %v", fails, err)
		}
	}
	b.fails = "snapshot"
	if _, err := o.call(t, "b", "extract_page_content_tool", extractFor(heronPages[0])); !errors.Is(err, errDisk) {
		t.Errorf("a page that is not kept: %v", err)
	}
}

// A session has the tools that it has parts for.
func TestToolsOfASession(t *testing.T) {
	s := newShelf()
	for name, o := range map[string]agent.Options{"web_search_tool": {Reader: s},
		"extract_page_content_tool": {Searcher: s}, "": {Searcher: s, Reader: s}} {
		tools := agent.NewSessions(o).Tools()
		if len(tools) != len(agent.Names) {
			t.Errorf("%d tools", len(tools))
		}
		for _, tl := range tools {
			if tl.Offered() == (tl.Name == name) {
				t.Errorf("without the part for %q %s is offered: %v", name, tl.Name, tl.Offered())
			}
		}
	}
	for _, tl := range agent.Tools() {
		if tl.Name == "reasoning_tool" {
			continue
		}
		arguments := map[string]string{
			"generate_plan_tool": `{"reasoning":"x","research_goal":"x","planned_steps":["a","b","c"],"search_strategies":["a","b"]}`, "web_search_tool": `{"reasoning":"x","query":"x"}`,
			"adapt_plan_tool": `{"reasoning":"x","original_goal":"x","new_goal":"x","plan_changes":["a"],"next_steps":["a","b"]}`, "extract_page_content_tool": `{"reasoning":"x","urls":["https://a.example/"]}`,
			"clarification_tool": `{"reasoning":"x","unclear_terms":["x"],"assumptions":["a","b"],"questions":["x"]}`,
			"final_answer_tool":  `{"reasoning":"x","completed_steps":["a"],"answer":"x","status":"completed"}`,
			"create_report_tool": `{"reasoning":"x","title":"x","user_request_language_reference":"x","content":"x","confidence":"low"}`}[tl.Name]
		if _, err := tl.Call(t.Context(), json.RawMessage(arguments)); citewell.CodeOf(
			err) != citewell.CodeInvalidArgument || !strings.Contains(err.Error(), "inside an agent's run only") {
			t.Errorf("%s outside of a run: %v", tl.Name, err)
		}
	}
}

// The session that was used longest ago is forgotten first, and none that is used again.
func TestOldSessionsAreForgotten(t *testing.T) {
	s := newShelf()
	o := newOutside(agent.Options{Searcher: s, Reader: s})
	search := func(session string) { o.must(t, session, agent.WebSearchTool, lookFor("herons")) }
	search("first")
	search("second")
	for i := range 62 { // with these there are 64
		search(fmt.Sprint(i))
	}
	search("first")
	search("one more")
	for _, session := range []string{"first", "0", "61", "one more"} {
		_, err := o.call(t, session, "create_report_tool", reportArguments("Herons are birds that stand in the water "+
			"for hours [9]."))
		if citewell.CodeOf(err) != citewell.CodeCitationsFailed {
			t.Errorf("session %s is not known: %v", session, err)
		}
	}
	_, data := o.must(t, "second", "create_report_tool", reportArguments("Herons are birds that stand in the water "+
		"for hours [9]."))
	if !strings.Contains(fmt.Sprint(data["unverified"]), "nothing was verified") {
		t.Errorf("the second session was not forgotten: %v", data)
	}
}

// A toolset that keeps to the other system's contract has so many searches for each piece of work, and
// says where the file is.
func TestTheOriginalsContract(t *testing.T) {
	s := newShelf()
	options := agent.Options{Searcher: s, Reader: s, Limits: agent.Limits{MaxSearches: 2},
		Render:     func(citewell.Report) string { return "x" },
		SaveReport: func(_ context.Context, name, _ string) (string, error) { return "/reports/" + name, nil }}
	for _, original := range []bool{true, false} {
		set := &tool.Toolset{Name: "sgr", Original: original, Tools: agent.NewSessions(options).Tools()}
		call := func(name string, arguments map[string]any) (tool.Result, error) {
			data, err := json.Marshal(arguments)
			if err != nil {
				t.Fatal(err)
			}
			return set.Call(tool.WithCaller(t.Context(), tool.Caller{Session: "a", Toolset: set}), name, data)
		}
		search := func(code citewell.Code) {
			t.Helper()
			if _, err := call(agent.WebSearchTool, lookFor("herons")); err != nil && citewell.CodeOf(err) != code ||
				(err == nil) != (code == "") {
				t.Errorf("original %v: %v, want %q", original, err, code)
			}
		}
		search("")
		search("")
		search(map[bool]citewell.Code{true: citewell.CodeBudgetExhausted}[original])
		if _, err := call("extract_page_content_tool", extractFor(heronPages...)); err != nil {
			t.Fatal(err)
		}
		r, err := call("create_report_tool", reportArguments(countLine+" [2]."))
		if err != nil || strings.Contains(r.Text, `"/reports/`) != original ||
			!strings.Contains(r.Text, "_Larch 20.md") {
			t.Errorf("original %v: %s, %v", original, r.Text, err)
		}
		if _, err := call("final_answer_tool", map[string]any{"reasoning": "x", "completed_steps": []string{"x"},
			"answer": countLine + " [2].", "status": "completed"}); err != nil {
			t.Fatal(err)
		}
		search("")
	}
}

// A batch in no form is answered as such, and one that its tool mends is taken apart as mended.
func TestBatchesInNoForm(t *testing.T) {
	type loose struct {
		ToolUses any `json:"tool_uses"`
	}
	made := tool.New(tool.Spec{Name: "multi_tool_use_parallel", Description: "several at once"},
		func(context.Context, loose) (loose, error) {
			t.Error("the batch was called as a tool")
			return loose{}, nil
		})
	mending := *made
	mending.Mend = func(arguments json.RawMessage) json.RawMessage {
		return json.RawMessage(strings.Replace(string(arguments), `"tools"`, `"tool_uses"`, 1))
	}
	inner := []any{map[string]any{"recipient_name": "web_search_tool",
		"parameters": args{"reasoning": "r", "query": "herons"}}}
	for name, test := range map[string]struct {
		t        *tool.Tool
		uses     args
		searches int
		told     string
	}{
		"a list":       {made, args{"tool_uses": inner}, 1, "Search Query: herons"},
		"no list":      {made, args{"tool_uses": 7}, 0, "tool_uses must be a list of calls"},
		"an empty one": {made, args{"tool_uses": []int{}}, 0, "tool_uses must be a list of calls"},
		"mended":       {&mending, args{"tools": inner}, 1, "Search Query: herons"},
		"no arguments": {made, args{"tool_uses": []any{map[string]any{"recipient_name": "web_search_tool"}}}, 0,
			"query is required"},
	} {
		s := newShelf()
		m := &script{replies: []reply{calls(call("multi_tool_use_parallel", test.uses)),
			calls(finalCall("Nothing was found."))}}
		o := s.options(agent.ShapeToolCalling, m)
		o.Extra = []*tool.Tool{test.t}
		r := run(t, o, heronTask)
		if r.State != runstore.RunCompleted || r.Usage.Searches != test.searches ||
			!strings.Contains(told(m), test.told) {
			t.Errorf("%s: %s, %d searches, told %q", name, r.State, r.Usage.Searches, told(m))
		}
		for _, said := range m.asked[1].Messages {
			for _, c := range said.Calls {
				if !json.Valid(c.Arguments) {
					t.Errorf("%s: the model is shown a call with %q", name, c.Arguments)
				}
			}
		}
	}
}

// A call that was made is not judged again when its run is played by other rules; one that was not, is.
func TestACallThatWasMadeIsNotJudgedAgain(t *testing.T) {
	yes := func(context.Context, tool.Question) (bool, error) { return true, nil }
	for name, test := range map[string]struct {
		first, then func(o *agent.Options)
	}{
		"private words": {func(o *agent.Options) { o.PrivateWords = tool.Allow }, func(o *agent.Options) {
			o.PrivateWords = tool.Deny
		}},
		"it acts": {func(o *agent.Options) {
			o.PrivateWords, o.Allow, o.Extra[0].Hints.ReadOnly = tool.Allow, yes,
				false
		}, func(o *agent.Options) { o.PrivateWords, o.Extra[0].Hints.ReadOnly = tool.Allow, false }},
		"it asks": {func(o *agent.Options) { o.PrivateWords = tool.Allow }, func(o *agent.Options) {
			o.PrivateWords, o.Confirm = tool.Allow, map[string]string{"tell": tool.Ask}
			o.Ask = func(context.Context, agent.Question) (string, error) {
				t.Error("the user is asked about a call that was made")
				return "no", nil
			}
		}},
	} {
		journal := agent.NewMemoryJournal()
		play := func(set func(o *agent.Options), m *script) (agent.Result, int) {
			desk, made := &office{shelf: newShelf()}, 0
			o := desk.options(agent.ShapeToolCalling, m)
			o.Searcher, o.Journal = desk, journal
			o.Extra = []*tool.Tool{notesTool("tell", tool.Hints{ReadOnly: true, OpenWorld: true},
				func(topic string) (string, error) { made++; return "told " + topic, nil })}
			set(&o)
			return run(t, o, heronTask), made
		}
		m := &script{replies: []reply{calls(searchFor("herons")), calls(readHerons),
			calls(call("tell", args{"topic": "larkspur"})), calls(heronFinal)}}
		first, made := play(test.first, m)
		if made != 1 || first.Outcome != runstore.RunAnswered {
			t.Fatalf("%s: made %d times, %s", name, made, first.Outcome)
		}
		again := &script{}
		if r, made := play(test.then, again); made != 0 || r.Outcome != first.Outcome ||
			len(r.Sources) != len(first.Sources) || len(again.asked) != 0 {
			t.Errorf("%s: played again it is made %d times, %s, with %d sources of %d", name, made, r.Outcome,
				len(r.Sources), len(first.Sources))
		}
		journal = agent.NewMemoryJournal()
		if name == "it asks" {
			continue // it would be asked about
		}
		if _, made := play(test.then, &script{replies: m.replies}); made != 0 {
			t.Errorf("%s: by the other rules it was made", name)
		}
	}
}

// A tool of others does not take the place of one of the agent's own.
func TestOwnToolsKeepTheirNames(t *testing.T) {
	s, m := newShelf(), &script{replies: []reply{calls(searchFor("herons")), calls(readHerons), calls(heronFinal)}}
	o := s.options(agent.ShapeToolCalling, m)
	o.Extra = []*tool.Tool{notesTool("web_search_tool", tool.Hints{ReadOnly: true}, func(string) (string, error) {
		t.Error("the other was called")
		return "", nil
	}),
		notesTool("notes", tool.Hints{ReadOnly: true}, nil), notesTool("notes", tool.Hints{}, nil)}
	if r := run(t, o, heronTask); r.Outcome != runstore.RunAnswered || s.searches.Load() != 1 {
		t.Errorf("%s after %d searches", r.Outcome, s.searches.Load())
	}
	if got := names(m.asked[0]); strings.Count(got, "web_search") != 1 || strings.Count(got, "notes") != 1 {
		t.Errorf("offered are %s", got)
	}
}
