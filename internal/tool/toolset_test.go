package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/tool"
)

type nothing struct{}

func named(name string, s tool.Spec) *tool.Tool {
	s.Name = name
	return tool.New(s, func(context.Context, nothing) (struct {
		Called string `json:"called"`
	}, error) {
		return struct {
			Called string `json:"called"`
		}{name}, nil
	})
}

func TestNamesOfATool(t *testing.T) {
	set := &tool.Toolset{Name: "test", Tools: []*tool.Tool{
		named("web_search_tool", tool.Spec{}), named("multi_tool_use_parallel", tool.Spec{}),
		named("other_web_fetch", tool.Spec{})}}
	for given, want := range map[string]string{
		"web_search_tool": "web_search_tool", "functions.web_search_tool": "web_search_tool",
		"WebSearchTool":           "web_search_tool",
		"functions.WebSearchTool": "web_search_tool", "multi_tool_use.parallel": "multi_tool_use_parallel",
	} {
		found, err := set.Find(given)
		if err != nil || found.Name != want {
			t.Errorf("%s found %v, %v", given, found, err)
		}
	}
	_, err := set.Find("web_serch_tool")
	v := citewell.View(err)
	if v.Code != citewell.CodeUnknownTool || !strings.Contains(v.Message, "did you mean web_search_tool?") ||
		v.Hint != "it has web_search_tool, multi_tool_use_parallel, other_web_fetch" {
		t.Errorf("%+v", v)
	}
}

// Who may act: the operator's word goes before the tool's, and a person is asked
// only about a call that could be made.
func TestConfirmation(t *testing.T) {
	yes := func(context.Context, tool.Question) (bool, error) { return true, nil }
	no := func(context.Context, tool.Question) (bool, error) { return false, nil }
	gone := func(context.Context, tool.Question) (bool, error) { return false, context.Canceled }
	tests := []struct {
		name      string
		acts      bool
		word      string
		ask       func(context.Context, tool.Question) (bool, error)
		arguments string
		want      citewell.Code
	}{
		{"harmless", false, "", nil, "{}", ""},
		{"nobody_there", true, "", nil, "{}", citewell.CodeConfirmationRequired},
		{"allowed_by_person", true, "", yes, "{}", ""},
		{"refused_by_person", true, "", no, "{}", citewell.CodePermissionDenied},
		{"person_left", true, "", gone, "{}", citewell.CodeCanceled},
		{"allowed_by_operator", true, tool.Allow, no, "{}", ""},
		{"refused_by_operator", false, tool.Deny, yes, "{}", citewell.CodePermissionDenied},
		{"asked_by_operator", false, tool.Ask, nil, "{}", citewell.CodeConfirmationRequired},
		{"wrong_before_asked", true, "", nil, `{"x":1}`, citewell.CodeInvalidArgument},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			set := &tool.Toolset{Name: "test", Tools: []*tool.Tool{named("act", tool.Spec{Confirm: test.acts})},
				Confirm: map[string]string{"act": test.word}}
			ctx := tool.WithCaller(t.Context(), tool.Caller{Confirm: test.ask})
			r, err := set.Call(ctx, "act", json.RawMessage(test.arguments))
			if citewell.CodeOf(err) != test.want {
				t.Fatalf("%v, want %s", err, test.want)
			}
			if acted := strings.Contains(r.Text, "act"); acted != (test.want == "") {
				t.Errorf("it answered %q", r.Text)
			}
		})
	}
}

// A toolset may tell of errors in a form of its own; the error stays with it.
func TestFailureForm(t *testing.T) {
	set := &tool.Toolset{Name: "test", Failure: func(err error) tool.Result {
		return tool.Result{Text: "no: " + citewell.View(err).Message}
	}}
	r, err := set.Call(t.Context(), "absent", nil)
	if err != nil || !strings.HasPrefix(r.Text, "no: there is no tool") ||
		citewell.CodeOf(r.Err) != citewell.CodeUnknownTool {
		t.Errorf("%+v, %v", r, err)
	}
	if errors.Is(r.Err, context.Canceled) {
		t.Error("another error")
	}
}

func TestWindow(t *testing.T) {
	text := strings.Repeat("é", 10) // 20 bytes
	tests := []struct {
		window tool.Window
		want   string
		part   tool.Part
	}{
		{tool.Window{}, text, tool.Part{TotalLength: 20}},
		{tool.Window{MaxLength: 5}, "éé", tool.Part{TotalLength: 20, NextIndex: 4}},
		{tool.Window{MaxLength: 5, StartIndex: 17}, "éé", tool.Part{TotalLength: 20, StartIndex: 16}},
		{tool.Window{MaxLength: 1, StartIndex: 2}, "é", tool.Part{TotalLength: 20, StartIndex: 2, NextIndex: 4}},
		{tool.Window{StartIndex: 99}, "", tool.Part{TotalLength: 20, StartIndex: 20}},
	}
	for _, test := range tests {
		got, part := test.window.Cut(text)
		if got != test.want || part != test.part {
			t.Errorf("%+v: %q %+v, want %q %+v", test.window, got, part, test.want, test.part)
		}
	}
	whole, next := "", 0
	for {
		piece, part := tool.Window{MaxLength: 7, StartIndex: next}.Cut(text)
		whole += piece
		if next = part.NextIndex; next == 0 {
			break
		}
	}
	if whole != text {
		t.Errorf("read in parts it is %q", whole)
	}
}
