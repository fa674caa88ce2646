package cli

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/citewell/citewell/internal/testing/modeltest"
)

// A researcher is a model that does research on the demo web. What it says follows from
// the conversation alone, however often it is asked and whoever asked before.
type researcher struct {
	// mode is plain; asks a question first, or asks twice; invents a figure in its first report; hollow, which cites
	// nothing; insists on what the sources do not say; lost, which finds no answer; talks, which answers in between;
	// leaks, which asks for what a note says; notes, which it reads on this machine; long, with three searches and
	// three pages
	mode string
}

// said are the calls that the conversation has, in order, and the results of them.
func said(a modeltest.Asked) (calls, results []string) {
	messages, _ := a.Body["messages"].([]any)
	for _, m := range messages {
		message, _ := m.(map[string]any)
		made, _ := message["tool_calls"].([]any)
		for _, c := range made {
			call, _ := c.(map[string]any)
			function, _ := call["function"].(map[string]any)
			if name, _ := function["name"].(string); name != "reasoning_tool" {
				calls = append(calls, name)
			}
		}
		if message["role"] == "tool" {
			text, _ := message["content"].(string)
			results = append(results, text)
		}
	}
	return calls, results
}

var releasesSource = regexp.MustCompile(`(?m)^(\[\d+\]) .* - \S+/releases\b`)

// goesOn is the mark of the page on releases in a run that goes on from another; empty
// where it goes on from none.
func goesOn(a modeltest.Asked) string {
	messages, _ := a.Body["messages"].([]any)
	for _, m := range messages {
		message, _ := m.(map[string]any)
		if text, _ := message["content"].(string); strings.HasPrefix(text,
			"The conversation has these sources so far.") {
			if found := releasesSource.FindStringSubmatch(text); found != nil {
				return found[1]
			}
		}
	}
	return ""
}

// stageOf names a model call by the place in the run where it is made.
func stageOf(a modeltest.Asked) string {
	messages, _ := a.Body["messages"].([]any)
	if offers(a, "reasoning_tool") {
		return fmt.Sprintf("model reasons after %d messages", len(messages))
	}
	return fmt.Sprintf("model after %d messages", len(messages))
}

// offers says whether the model may call a tool now.
func offers(a modeltest.Asked, name string) bool {
	tools, _ := a.Body["tools"].([]any)
	return slices.ContainsFunc(tools, func(t any) bool {
		offered, _ := t.(map[string]any)
		function, _ := offered["function"].(map[string]any)
		return function["name"] == name
	})
}

func calling(name string, arguments map[string]any) modeltest.Reply {
	data, err := json.Marshal(arguments)
	if err != nil {
		panic(err) // strings and lists of them
	}
	return modeltest.Asks(modeltest.Call{ID: "c", Name: name, Arguments: string(data)})
}

var releasesPage = regexp.MustCompile(`http://docs\.larch\.localhost:\d+/releases`)

// reply is a modeltest.Script.
func (m researcher) reply(_ int, a modeltest.Asked) modeltest.Reply {
	calls, results := said(a)
	has := func(name string) bool { return slices.Contains(calls, name) }
	made := func(name string) int {
		return len(slices.DeleteFunc(slices.Clone(calls), func(c string) bool { return c != name }))
	}
	writes := func(title, content string) modeltest.Reply {
		return calling("create_report_tool", map[string]any{"reasoning": "enough is known", "title": title,
			"user_request_language_reference": larchTask, "content": content, "confidence": "high"})
	}
	const released = "Larch 2.0 was released on 9 March 2022 [2]."
	switch {
	case strings.Contains(a.Last(), "19 + 23"): // it is tried out
		return modeltest.Says(map[bool]string{true: `{"sum":19}`, false: `{"sum":42}`}[m.mode == "weak"])
	case offers(a, "reasoning_tool"):
		return calling("reasoning_tool", map[string]any{"reasoning_steps": []string{"look", "read"},
			"current_situation": "begun", "plan_status": "on its way",
			"enough_data": false, "remaining_steps": []string{"go on"}, "task_completed": false})
	case goesOn(a) != "":
		return calling("final_answer_tool", map[string]any{"reasoning": "known",
			"completed_steps": []string{"looked at what is there"},
			"answer":          "Larch 2.0 reads every file that Larch 1 has written " + goesOn(a) + ".",
			"status":          "completed"})
	case m.mode == "notes":
		return notesReply(has, results, writes)
	case m.mode == "asks" && !has("clarification_tool"), m.mode == "asks twice" && made("clarification_tool") < 2:
		return calling("clarification_tool", map[string]any{"reasoning": "unclear", "unclear_terms": []string{"Larch"},
			"assumptions": []string{"the tree", "the format"},
			"questions":   []string{"The tree\x1b[31m or the file format?"}})
	case !has("generate_plan_tool"):
		return calling("generate_plan_tool", map[string]any{"reasoning": "to begin",
			"research_goal": "the Larch\x1b]0;owned\x07 format", "planned_steps": []string{"search", "read", "report"},
			"search_strategies": []string{"the format", "the release"}})
	case !has("web_search_tool"):
		return calling("web_search_tool", map[string]any{"reasoning": "to find it", "query": larchQueries[0],
			"max_results": 5})
	case m.mode == "leaks" && made("web_search_tool") < 2:
		return calling("web_search_tool", map[string]any{"reasoning": "to leak it",
			"query": "Larch " + codeNameOfNote.FindString(strings.Join(results, "\n")), "max_results": 5})
	case m.mode == "lost":
		return calling("final_answer_tool", map[string]any{"reasoning": "nothing",
			"completed_steps": []string{"searched"}, "answer": "The sources do not say it.", "status": "failed"})
	case !has("extract_page_content_tool"):
		return calling("extract_page_content_tool", map[string]any{
			"reasoning": "to read it", "urls": releasesPage.FindAllString(strings.Join(results, "\n"), 1)})
	case m.mode == "talks" && !has("answer_tool"):
		return calling("answer_tool", map[string]any{"reasoning": "asked", "answer": released})
	case m.mode == "uncited" && made("create_report_tool") < 3:
		return writes("Larch", "Larch 2.0 was downloaded 48,613 times. Every clerk of the town was fond of it.")
	case m.mode == "hollow" && made("create_report_tool") < 2:
		return writes("Larch", "The report is complete.")
	case m.mode == "insists" && made("create_report_tool") < 3:
		return writes("Larch", released+" It was downloaded 48,613 times [2]. Every clerk of the town was fond of it.")
	case m.mode == "invents" && !has("create_report_tool"):
		return writes("Larch", "Larch 2.0 was released on 9 March 2022 and was downloaded 48,613 times [2].")
	case m.mode == "long" && made("web_search_tool") < 3:
		return calling("web_search_tool", map[string]any{"reasoning": "more",
			"query": larchQueries[made("web_search_tool")], "max_results": 5})
	case m.mode == "long" && made("extract_page_content_tool") < 3:
		return calling("extract_page_content_tool", map[string]any{
			"reasoning": "more", "urls": pagesOfResults(results)[made("extract_page_content_tool"):][:1]})
	case !has("create_report_tool"), m.mode == "invents" && made("create_report_tool") < 2:
		return writes("The release of Larch 2.0", released+" It reads every file that Larch 1 has written [2].")
	}
	return calling("final_answer_tool", map[string]any{"reasoning": "done",
		"completed_steps": []string{"searched", "read"}, "answer": released, "status": "completed"})
}

var pageOfResult = regexp.MustCompile(`http://[a-z.]+\.localhost:\d+/[\w/-]+`)

// pagesOfResults are the pages that were found, the one on releases first.
func pagesOfResults(results []string) []string {
	pages := releasesPage.FindAllString(strings.Join(results, "\n"), 1)
	for _, page := range pageOfResult.FindAllString(strings.Join(results, "\n"), -1) {
		if !slices.Contains(pages, page) {
			pages = append(pages, page)
		}
	}
	return pages
}

var codeNameOfNote = regexp.MustCompile(`Kestrel-[0-9a-f]+`)

var noteOfResult = regexp.MustCompile(`file://\S+/backups\.md`)

// notesReply is what is said on notes about backups.
func notesReply(has func(string) bool, results []string,
	writes func(title, content string) modeltest.Reply) modeltest.Reply {
	switch {
	case !has("web_search_tool"):
		return calling("web_search_tool", map[string]any{"reasoning": "to find it",
			"query": "how long every backup is kept", "max_results": 5})
	case !has("extract_page_content_tool"):
		return calling("extract_page_content_tool", map[string]any{
			"reasoning": "to read it", "urls": append(noteOfResult.FindAllString(strings.Join(results, "\n"), 1),
				"http://wiki.openlore.localhost/")})
	case !has("create_report_tool"):
		return writes("Backups", "It was decided on 3 May 2024 to keep every backup for 90 days [1].")
	}
	return calling("final_answer_tool", map[string]any{"reasoning": "done", "completed_steps": []string{"read"},
		"answer": "Every backup is kept for 90 days [1].", "status": "completed"})
}

// larchQueries are those of a researcher, in order.
var larchQueries = []string{"Larch file format", "Larch releases", "Larch and JSON Lines"}

// larchTask is what a researcher is asked.
const larchTask = "When was Larch 2.0 released?"
