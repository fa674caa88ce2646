package openai_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/server/openai"
)

// An answer in messages is known by its words, whatever was made of its lines and blocks,
// and the newest one counts.
func TestTheRunBefore(t *testing.T) {
	o := newOffice(t, func(o *openai.Options) { o.Generator = openai.AsDetails })
	says := func(role, content string) map[string]any { return map[string]any{"role": role, "content": content} }
	begun := func(body map[string]any) (content, run string) {
		t.Helper()
		status, _, data := o.ask(t, "POST", "/v1/chat/completions", body)
		var a struct {
			Choices  []struct{ Message struct{ Content string } }
			Citewell struct{ Run string }
		}
		if json.Unmarshal(data, &a) != nil || status != 200 {
			t.Fatalf("%d %s", status, data)
		}
		return a.Choices[0].Message.Content, a.Citewell.Run
	}
	said, first := begun(map[string]any{"model": "desk", "messages": []any{says("user", question)}})
	paper, second := begun(map[string]any{"model": "desk", "messages": []any{
		says("user", question+" Write it as a paper.")}})
	blocks := "<details type=\"reasoning\" done=\"true\">\n<summary>Step 1</summary>\n> look\n</details>\n\n"
	for name, test := range map[string]struct {
		body map[string]any
		want string
	}{
		"by_its_words": {map[string]any{"messages": []any{says("user", "x"), says("assistant", paper),
			says("user", "hello")}}, second},
		"lines_and_more": {map[string]any{"messages": []any{says("user", "x"),
			says("assistant", blocks+strings.ReplaceAll(paper, "\n", "\r\n")+"\n"), says("user", "hello")}}, second},
		"in_parts": {map[string]any{"messages": []any{says("user", "x"),
			map[string]any{"role": "assistant", "content": []any{map[string]any{"type": "text", "text": paper}}},
			says("user", "hello")}}, second},
		"the_newest": {map[string]any{"messages": []any{says("assistant", paper), says("user", "x"),
			says("assistant", said), says("user", "hello")}}, first},
		"other_words": {map[string]any{"messages": []any{says("user", "x"), says("assistant", paper+" And more."),
			says("user", "hello")}}, ""},
		"a_user's_words": {map[string]any{"messages": []any{says("user", paper), says("user", "hello")}}, ""},
		"by_metadata": {map[string]any{"messages": []any{says("user", "hello")},
			"metadata": map[string]any{"run_id": second}}, second},
		"by_extension": {map[string]any{"messages": []any{says("user", "hello")},
			"citewell": map[string]any{"from": second}}, second},
		"named_first": {map[string]any{"messages": []any{says("assistant", paper), says("user", "hello")},
			"metadata": map[string]any{"run_id": first}}, first},
		"not_our_id": {map[string]any{"messages": []any{says("user", "hello")},
			"metadata": map[string]any{"run_id": "6f1c", "user": 7}}, ""},
	} {
		test.body["model"] = "desk"
		_, id := begun(test.body)
		s, err := o.Status(t.Context(), id)
		if err != nil || job.From(s.Run) != test.want {
			t.Errorf("%s goes on from %q, %v; want %q", name, job.From(s.Run), err, test.want)
		}
	}
	unknown := second[:len(second)-4] + "0000"
	for _, body := range []map[string]any{{"metadata": map[string]any{"run_id": unknown}},
		{"citewell": map[string]any{"from": unknown}}, {"citewell": map[string]any{"from": "x"}}} {
		body["model"], body["messages"] = "desk", []any{says("user", "hello")}
		if status, _, data := o.ask(t, "POST", "/v1/chat/completions", body); status != 400 ||
			!strings.Contains(string(data), "names no run that is there") {
			t.Errorf("%d %s", status, data)
		}
	}
}
