package job_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/runstore"
)

// What happened in a run can be read, and what pages wrote stays on its line.
func TestLine(t *testing.T) {
	for _, test := range []struct{ kind, data, want string }{
		{runstore.EventCreated, `{"agent":"a"}`, ""},
		{runstore.EventAcquired, `{"token":1}`, ""},
		{runstore.EventAcquired, `{"token":2,"taken_over":true}`, "taken over from a process that is gone"},
		{runstore.EventState, `{"from":"inited","state":"researching"}`, "researching"},
		{runstore.EventState, `{"from":"researching","state":"researching"}`, ""},
		{runstore.EventState, `{"from":"researching","state":"waiting_for_clarification","detail":"Which lake?"}`,
			"waiting for clarification: Which lake?"},
		{runstore.EventState, `{"from":"researching","state":"completed","outcome":"no_sources"}`,
			"completed, no sources"},
		{"call", `{"iteration":1,"name":"web_search_tool","text":"{\"query\":\"deep lakes\"}"}`,
			"web_search_tool: deep lakes"},
		{"call", `{"iteration":1,"name":"extract_page_content_tool","text":"{\"urls\":[\"https://a.example/\",\"https://b.example/\"]}"}`, "extract_page_content_tool: https://a.example/ https://b.example/"},
		{"call", `{"iteration":1,"name":"create_report_tool","text":"{\"title\":\"cut off"}`, "create_report_tool"},
		{"result", `{"iteration":1,"name":"web_search_tool","text":"fine"}`, ""},
		{"result", `{"iteration":1,"name":"web_search_tool","text":"Error (blocked): no\nhint"}`,
			"web_search_tool: Error (blocked): no hint"},
		{"source", `{"iteration":1,"number":3,"text":"A lake\n\n[4] forged"}`, "found [3] A lake [4] forged"},
		{"reasoning", `{"iteration":2,"text":"{\"remaining_steps\":[\"look it up\"]}"}`, "step 2: look it up"},
		{"call", `no JSON`, ""},
	} {
		if got := job.Line(runstore.RunEvent{Type: test.kind, Data: json.RawMessage(test.data)}); got != test.want {
			t.Errorf("%s %s is %q, want %q", test.kind, test.data, got, test.want)
		}
	}
	long, err := json.Marshal(job.Entry{Number: 1, Text: strings.Repeat("word ", 1000)})
	if err != nil {
		t.Fatal(err)
	}
	if got := job.Line(runstore.RunEvent{Type: "source", Data: long}); len(got) > 300 {
		t.Errorf("a line of %d bytes", len(got))
	}
}
