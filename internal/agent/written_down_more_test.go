package agent_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/tool"
	"github.com/citewell/citewell/llm"
)

// reads is a call that reads pages.
func reads(urls ...string) agent.ToolCall {
	return call("extract_page_content_tool", args{"reasoning": "to read", "urls": urls})
}

// oneObject is an answer in one object, as ShapeSGR asks for it.
func oneObject(function string) reply {
	return words(`{"reasoning_steps":["a","b"],"current_situation":"x","plan_status":"y","remaining_steps":["z"],"task_completed":false,"function":` + function + `}`)
}

// refusing is a failure of an endpoint, of some kind.
func refusing(code citewell.Code, err error) reply {
	return func(agent.Request) (agent.Reply, error) {
		return agent.Reply{InputTokens: 40, OutputTokens: 4}, &citewell.Error{
			Code: code, Message: "it says no", Err: err}
	}
}

const (
	countLine = "In the spring of 2024 the wardens counted 312 grey herons at Alder Lake"
	sizeLine  = "Alder Lake covers 48 hectares"
)

// How calls are made: together, one after the other, allowed and refused.
func TestCallsWrittenDown(t *testing.T) {
	act := notesTool("act", tool.Hints{}, func(topic string) (string, error) { return "done: " + topic, nil })
	look := notesTool("look", tool.Hints{ReadOnly: true}, func(topic string) (string, error) {
		return "the " + topic + " is high", nil
	})
	note := func(name, topic string) agent.ToolCall { return call(name, args{"topic": topic}) }
	extra := func(o *agent.Options, tools ...*tool.Tool) { o.Extra = tools }
	answering := func(answers ...string) func(o *agent.Options) {
		return func(o *agent.Options) {
			o.Ask = func(_ context.Context, q agent.Question) (string, error) {
				answer := answers[0]
				answers = append(answers[1:], answer)
				return answer, nil
			}
		}
	}
	many := make([]agent.ToolCall, 18)
	for i := range many {
		many[i] = note("look", fmt.Sprint("tide ", i))
	}
	for _, test := range []tale{
		{name: "more calls than are made at once", replies: []reply{calls(many...), calls(heronFinal)},
			options: func(o *agent.Options, _ *shelf, _ *script) { extra(o, look) }},
		{name: "calls that wait for each other", replies: []reply{
			calls(searchFor("herons"), note("look", "tide"), searchFor("lakes"), reads("https://heron.example/count"),
				reads("https://lake.example/facts")), calls(heronFinal)},
			options: func(o *agent.Options, _ *shelf, _ *script) { extra(o, look) }},
		{name: "calls behind the final one", replies: []reply{calls(searchFor("herons")), calls(readHerons),
			calls(heronFinal, note("look", "tide"), searchFor("late"))},
			options: func(o *agent.Options, _ *shelf, _ *script) { extra(o, look) }},
		{name: "a call that the user allows", replies: []reply{
			calls(note("act", "first")), calls(note("act", "second")), calls(note("act", "third")),
			calls(note("act", "fourth")), calls(heronFinal)}, options: func(o *agent.Options, _ *shelf, _ *script) {
			extra(o, act)
			o.Confirm = map[string]string{"act": tool.Ask}
			answering("yes", "never")(o)
		}},
		{name: "a call that a person allows", replies: []reply{calls(searchFor("herons")), calls(note("act", "first")),
			calls(note("act", "second")), calls(heronFinal)}, options: func(o *agent.Options, _ *shelf, _ *script) {
			extra(o, act)
			n := 0
			o.Allow = func(context.Context, tool.Question) (bool, error) { n++; return n == 1, nil }
		}},
		{name: "a call that is denied", replies: []reply{calls(searchFor("herons")), calls(note("act", "first")),
			calls(heronFinal)}, options: func(o *agent.Options, _ *shelf, _ *script) {
			act := *act
			act.Origin = tool.Origin{Name: "act", Setting: "tools.act"}
			extra(o, &act)
		}},
		{name: "an acknowledgement", replies: []reply{calls(searchFor("herons")), calls(readHerons),
			calls(note("done", "x")), calls(heronFinal)}, options: func(o *agent.Options, _ *shelf, _ *script) {
			done := *look
			done.Name, done.Unsourced = "done", true
			extra(o, &done)
		}},
		{name: "answers of nothing", replies: []reply{calls(call("clarification_tool",
			args{"reasoning": "which", "unclear_terms": []string{"lake"}, "assumptions": []string{"a", "b"},
				"questions": []string{"Which lake?"}})), calls(searchFor("herons")), calls(readHerons),
			calls(heronFinal)},
			options: func(o *agent.Options, _ *shelf, _ *script) { answering(" \n")(o) }},
		{name: "too many questions", replies: []reply{calls(call("clarification_tool",
			args{"reasoning": "which", "unclear_terms": []string{"lake"}, "assumptions": []string{"a", "b"},
				"questions": []string{strings.Repeat("Which? ", 1200)}})), calls(searchFor("herons")),
			calls(readHerons), calls(heronFinal)},
			options: func(o *agent.Options, _ *shelf, _ *script) { answering("Alder Lake")(o) }},
		{name: "a plan that the user answers to", replies: []reply{calls(searchFor("early")),
			calls(call("generate_plan_tool", args{"reasoning": "x", "research_goal": "Count",
				"planned_steps":     []string{strings.Repeat("search ", 1300), "read", "write"},
				"search_strategies": []string{"a", "b"}})),
			calls(call("generate_plan_tool", args{"reasoning": "x", "research_goal": "Count",
				"planned_steps": []string{"search", "read", "write"}, "search_strategies": []string{"a", "b"}})),
			calls(searchFor("herons")), calls(call("generate_plan_tool",
				args{"reasoning": "x", "research_goal": "Count again", "planned_steps": []string{
					"search", "read", "write"}, "search_strategies": []string{"a", "b"}})), calls(readHerons),
			calls(heronFinal)},
			task: agent.Task{Wishes: agent.Wishes{ApprovePlan: true}},
			options: func(o *agent.Options, _ *shelf, _ *script) {
				answering("yes, but count the nests at https://nests.example/ too")(o)
			}},
		{name: "a dialog", replies: []reply{thinks(), calls(searchFor("herons")), thinks(), calls(readHerons), thinks(),
			calls(call("answer_tool", args{"reasoning": "x", "answer": countLine + " [2]."})), thinks(),
			calls(finalCall(sizeLine + " [3]."))},
			options: func(o *agent.Options, _ *shelf, _ *script) {
				o.Shape = agent.ShapeDialog
				answering("And the lake?")(o)
			}},
		{name: "words and calls in words", replies: []reply{words(
			`{"name":"web_search_tool","arguments":{"reasoning":"r","query":"herons"}} {"name":"web_search_tool","parameters":{"reasoning":"r","query":"lakes"}}`),
			words(`I read: {"name":"extract_page_content_tool","arguments":"{\"reasoning\":\"r\",\"urls\":[\"https://heron.example/count\",\"https://lake.example/facts\"]}"} {"name":"no_tool","arguments":{}}`), words(countLine + " [2].")}},
	} {
		test.play(t)
	}
}

// How a run comes to its end where its model does not bring it there.
func TestEndsWrittenDown(t *testing.T) {
	wrong := reportCall("The wardens counted 999 grey herons at Alder Lake in 2024 [2]. The lake covers 48 " +
		"hectares [3].")
	research := []reply{calls(searchFor("herons")), calls(readHerons)}
	failed := call("final_answer_tool", args{"reasoning": "done", "completed_steps": []string{"searched"},
		"answer": countLine + " [2].", "status": "failed"})
	unread := func(o *agent.Options, _ *shelf, _ *script) { o.Reader = unreadable{} }
	for _, test := range []tale{
		{name: "a quota that is used up", replies: slices.Concat(research,
			[]reply{refusing(citewell.CodeQuotaExceeded, nil)})},
		{name: "a report and no steps", replies: slices.Concat(research, []reply{calls(heronReport)},
			slices.Repeat([]reply{calls(searchFor("more"))}, 8)), options: func(o *agent.Options, _ *shelf, _ *script) {
			o.Limits.MaxIterations = 3
		}},
		{name: "a report and no model", replies: slices.Concat(research,
			[]reply{calls(heronReport), failing(citewell.CodeAuth)})},
		{name: "a wrong report and no model", replies: slices.Concat(research,
			[]reply{calls(wrong), calls(wrong), calls(wrong), failing(citewell.CodeAuth)})},
		{name: "a wrong report and a right answer", replies: slices.Concat(research,
			[]reply{calls(wrong), calls(wrong), calls(wrong), calls(heronFinal)})},
		{name: "a right report and a wrong answer", replies: slices.Concat(research, []reply{calls(heronReport)},
			slices.Repeat([]reply{calls(finalCall("The lake covers 99 hectares [3]."))}, 3))},
		{name: "a report that cites nothing", replies: slices.Concat(research,
			slices.Repeat([]reply{calls(reportCall("The wardens counted 312 grey herons. Nobody else did so in " +
				"that year."))}, 4), []reply{calls(finalCall("It is written."))})},
		{name: "an answer that cites nothing", replies: slices.Concat(research,
			slices.Repeat([]reply{calls(finalCall("The wardens counted 312 grey herons. Nobody else did so in " +
				"that year."))}, 4))},
		{name: "a report without a claim", replies: slices.Concat(research,
			slices.Repeat([]reply{calls(reportCall("This report is short. Nothing is known."))}, 3),
			[]reply{calls(finalCall("It is written."))})},
		{name: "a failure that the model reports", replies: slices.Concat(research, []reply{calls(failed)})},
		{name: "no page and no model", replies: []reply{calls(searchFor("herons")), failing(citewell.CodeAuth)},
			options: unread},
		{name: "no page and no steps", replies: slices.Repeat([]reply{calls(searchFor("herons"))}, 9),
			options: func(o *agent.Options, _ *shelf, _ *script) {
				o.Reader, o.Limits.MaxIterations = unreadable{}, 2
			}},
		{name: "nothing found and no model", replies: []reply{calls(searchFor("herons")), failing(citewell.CodeAuth)},
			options: func(_ *agent.Options, s *shelf, _ *script) { s.pages = nil }},
		{name: "nothing found and no steps", replies: slices.Repeat([]reply{calls(searchFor("herons"))}, 9),
			options: func(o *agent.Options, s *shelf, _ *script) { s.pages, o.Limits.MaxIterations = nil, 2 }},
		{name: "a page that was not read and no model", replies: []reply{
			calls(searchFor("herons")), failing(citewell.CodeAuth)}},
		{name: "nothing new", replies: slices.Concat(research, slices.Repeat([]reply{
			calls(searchFor("herons")), calls(searchFor("lakes")), calls(searchFor("wardens"))}, 3)),
			options: func(o *agent.Options, _ *shelf, _ *script) { o.Limits.MaxSearches = 20 }},
		{name: "a budget of tokens", replies: slices.Concat(research,
			[]reply{calls(searchFor("a")), calls(searchFor("b")), calls(heronFinal)}),
			options: func(o *agent.Options, _ *shelf, _ *script) { o.Budget.Tokens, o.Limits.MaxTokens = 9000, 1200 }},
		{name: "a budget for nothing", replies: research, options: func(o *agent.Options, _ *shelf, _ *script) {
			o.Budget.Tokens = 2000
		}},
		{name: "money for nothing", replies: research, options: func(o *agent.Options, _ *shelf, _ *script) {
			o.Price, o.Budget.USD = llm.Price{Input: 2, Output: 8}, 0.001
		}},
		{name: "an endpoint that comes too late", replies: slices.Concat(research,
			[]reply{func(agent.Request) (agent.Reply, error) {
				return agent.Reply{}, &citewell.Error{Code: citewell.CodeRateLimited, Message: "too many",
					RetryAfter: 2 * time.Hour}
			}})},
		{name: "more problems than are told", replies: slices.Concat(research,
			slices.Repeat([]reply{calls(finalCall(manyLies))}, 3))},
		{name: "one problem more than is told", replies: slices.Concat(research,
			slices.Repeat([]reply{calls(finalCall(strings.Join(strings.SplitAfter(manyLies, ". ")[:13], "")))}, 3))},
		{name: "a report of nothing and a right answer", replies: slices.Concat([]reply{
			calls(reportCall("This report is short."))}, research, []reply{calls(heronFinal)})},
		{name: "an answer that says nothing", replies: []reply{calls(finalCall("I do not know."))}},
		{name: "a text that is too long", replies: slices.Concat(research,
			[]reply{calls(finalCall(strings.Repeat("x", 200_001))), calls(finalCall("## A\n\n---")),
				calls(finalCall("https://evil.example/x [9]")), calls(heronFinal)})},
	} {
		test.play(t)
	}
}

// manyLies are more sentences that do not hold than a model is told of at once.
var manyLies = func() string {
	var all strings.Builder
	for i := range 14 {
		fmt.Fprintf(&all, "In the spring of 2024 the wardens counted 312 grey herons in %d trees at Alder Lake [2]. ",
			400+i)
	}
	return all.String()
}()

// How each shape asks its model, and what it makes of answers in no form.
func TestShapesWrittenDown(t *testing.T) {
	search := `{"tool_name_discriminator":"web_search_tool","reasoning":"r","query":"herons"}`
	reading := `{"tool_name_discriminator":"extract_page_content_tool","reasoning":"r","urls":["https://heron.example/count","https://lake.example/facts"]}`
	final := `{"tool_name_discriminator":"final_answer_tool","reasoning":"r","completed_steps":["a"],"answer":"` +
		countLine + ` [2].","status":"completed"}`
	shaped := func(shape agent.Shape) func(o *agent.Options, s *shelf, m *script) {
		return func(o *agent.Options, _ *shelf, _ *script) { o.Shape = shape }
	}
	const thoughts = `"reasoning_steps":["a","b"],"current_situation":"x","plan_status":"y","remaining_steps":["z"],"task_completed":false`
	for _, test := range []tale{
		{name: "objects in no form", replies: []reply{words(`{"function":{}}`), oneObject(`"web_search_tool"`),
			oneObject(search), oneObject(`{"query":"x"}`), oneObject(`{"tool_name_discriminator":"no_tool"}`),
			words("{a}"), oneObject(reading), words("so " + final), oneObject(final)}, options: shaped(agent.ShapeSGR)},
		{name: "plain text in no form", replies: []reply{words("web_search_tool"),
			words(`{` + thoughts + `,"function_name_choice":"no_tool"}`),
			words(`{` + thoughts + `,"function_name_choice":7}`), words(`{"function_name_choice":"web_search_tool"}`),
			words(`{` + thoughts + `,"function_name_choice":"web_search_tool"}`),
			words(`{}`), words(`{"reasoning":"r","query":"herons"}`),
			words(`{` + thoughts + `,"function_name_choice":"final_answer_tool"}`), words("{}"), words("{}"),
			words("{}"), words("{}"), words("{}"),
			words("a"), words("b"), words("c"), words("d"), words("e"), words("f"), words("g"), words("h"), words("i"),
			words("j")}, options: shaped(agent.ShapeIron)},
		{name: "reasoning in no form", replies: []reply{words("I shall search."), calls(searchFor("herons")),
			words(`{` + thoughts + `}`), calls(readHerons), calls(call("reasoning_tool", args{"x": 1})), words(" \n"),
			calls(call("reasoning_tool", thought), call("reasoning_tool", thought)), words(""), words(""), words("")},
			options: shaped(agent.ShapeSGRToolCalling)},
		{name: "an endpoint without tools", replies: []reply{refusing(citewell.CodeModelFailed, llm.ErrNoTools),
			oneObject(search), oneObject(reading), oneObject(final)}, options: shaped(agent.ShapeToolCalling)},
		{name: "an endpoint without tools or objects", replies: []reply{
			refusing(citewell.CodeModelFailed, llm.ErrNoTools), refusing(citewell.CodeModelFailed, llm.ErrNoTools)},
			options: shaped(agent.ShapeSGRToolCalling)},
		{name: "reasoning as a tool", replies: []reply{thinks(), calls(searchFor("herons")), calls(readHerons),
			calls(heronFinal)}, options: func(o *agent.Options, _ *shelf, _ *script) {
			o.Own = []string{"reasoning_tool", "web_search_tool", "extract_page_content_tool"}
		}},
		{name: "no report and no search", replies: []reply{calls(heronReport), calls(searchFor("herons")),
			calls(reads("https://lake.example/facts")), calls(finalCall(sizeLine + " [1]."))},
			task: agent.Task{Text: "How large is the lake of https://lake.example/facts?"},
			options: func(o *agent.Options, _ *shelf, _ *script) {
				o.NoReport, o.Searcher = true, nil
			}},
	} {
		test.play(t)
	}
}
