package server

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/citewell/citewell/internal/server/page"
	"github.com/citewell/citewell/internal/server/runs"
)

// viewed are the calls of the API that a client makes for what each route of the page shows
// or does. A theme is the browser's own.
var viewed = map[string][]string{
	"GET /{$}":                    {"get /v1/agents", "get /v1/runs"},
	"GET /runs":                   {"get /v1/runs", "get /v1/agents"},
	"POST /runs":                  {"post /v1/runs"},
	"GET /runs/{id}":              {"get /v1/runs/{id}", "get /v1/runs/{id}/report", "get /v1/runs/{id}/events"},
	"GET /runs/{id}/c/{k}":        {"get /v1/runs/{id}/report", "get /v1/runs/{id}/sources/{n}/text"},
	"GET /runs/{id}/s/{n}":        {"get /v1/runs/{id}/sources", "get /v1/runs/{id}/sources/{n}/text"},
	"GET /runs/{id}/log":          {"get /v1/runs/{id}/events"},
	"GET /runs/{id}/map":          {"get /v1/runs/{id}/report"},
	"GET /runs/{id}/time":         {"get /v1/runs/{id}/events"},
	"GET /runs/{id}/part/news":    {"get /v1/runs/{id}", "get /v1/runs/{id}/events"},
	"GET /runs/{id}/part/c/{k}":   {"get /v1/runs/{id}/report", "get /v1/runs/{id}/sources/{n}/text"},
	"POST /runs/{id}/answer":      {"post /v1/runs/{id}/answer"},
	"POST /runs/{id}/cancel":      {"post /v1/runs/{id}/cancel"},
	"POST /runs/{id}/delete":      {"delete /v1/runs/{id}"},
	"POST /runs/{id}/verify":      {"post /v1/runs/{id}/verification"},
	"POST /runs/{id}/part/verify": {"post /v1/runs/{id}/verification"},
	"GET /compare":                {"get /v1/runs/{id}/report"},
	"GET /library":                {"get /v1/documents"},
	"GET /library/d/{id}":         {"get /v1/documents/{id}", "get /v1/documents/{id}/text"},
	"GET /library/d/{id}/text":    {"get /v1/documents/{id}/text"},
	"GET /library/graph":          {"get /v1/graph"},
	"GET /library/search":         {"get /v1/documents/search"},
	"POST /library":               {"post /v1/documents"},
	"POST /library/part/add":      {"post /v1/documents"},
	"POST /library/d/{id}/delete": {"delete /v1/documents/{id}"},
	"GET /watches": {"get /v1/watches", "get /v1/watches/{watch}/news", "get /v1/agents",
		"get /v1/runs/{id}"},
	"POST /watches":                {"post /v1/watches"},
	"GET /watches/{watch}":         {"get /v1/watches/{watch}", "get /v1/watches/{watch}/news"},
	"POST /watches/{watch}/run":    {"post /v1/watches/{watch}/run"},
	"POST /watches/{watch}/delete": {"delete /v1/watches/{watch}"},
	"GET /status":                  {"get /v1/status"},
	"POST /status":                 {"post /v1/status"},
	"POST /theme":                  {},
}

// sent is where the API takes what each field of a form says: a path into the schema of a
// body, or the parameter of a call. Empty is what only a browser needs.
var sent = map[string]string{
	"question": "NewRun task", "from": "NewRun from", "agent": "NewRun agent", "searches": "NewRun budget searches",
	"pages":   "NewRun budget fetches",
	"minutes": "NewRun budget wall_ms", "usd": "NewRun budget usd", "key": "post /v1/runs Idempotency-Key",
	"words": "Answer text", "choice": "Answer text",
	"q": "get /v1/runs q", "state": "get /v1/runs state", "since": "get /v1/runs since", "until": "get /v1/runs until",
	"sources": "NewRun sources", "providers": "NewRun providers", "documents": "NewRun documents",
	"file": "NewDocument data", "every": "NewWatch every_seconds",
	"theme": "", "token": "", "wanted": "",
}

var fieldForm = regexp.MustCompile(`<(?:input|select|textarea|button)[^>]*? name="([^"]+)"`)

// All that the page shows and does a client can do by the documented API: each route has its
// calls, and each field of a form its place in them.
func TestThePageCanNoMore(t *testing.T) {
	var d struct {
		Paths      map[string]map[string]json.RawMessage `json:"paths"`
		Components struct {
			Schemas map[string]schema `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(runs.Document(), &d); err != nil {
		t.Fatal(err)
	}
	paths := d.Paths
	for _, route := range page.Routes() {
		calls, known := viewed[route]
		if !known {
			t.Errorf("%s has no call of the API beside it", route)
		}
		for _, call := range calls {
			method, path, _ := strings.Cut(call, " ")
			if paths[path][method] == nil {
				t.Errorf("%s: the API has no %s", route, call)
			}
		}
	}
	if len(viewed) != len(page.Routes()) {
		t.Errorf("%d routes are listed, and there are %d", len(viewed), len(page.Routes()))
	}
	files, err := filepath.Glob("page/tmpl/*.html")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	fields := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range fieldForm.FindAllStringSubmatch(string(text), -1) {
			fields[m[1]] = true
		}
	}
	for field := range fields {
		to, known := sent[field]
		if !known {
			t.Errorf("the field %s has no place in the API", field)
		}
		if where := strings.Fields(to); len(where) > 1 && where[1][0] == '/' {
			if !strings.Contains(string(paths[where[1]][where[0]]), fmt.Sprintf(`"name": %q`, where[2])) {
				t.Errorf("the field %s: %s has no such parameter", field, to)
			}
		} else if len(where) > 0 && !d.Components.Schemas[where[0]].has(where[1:]) {
			t.Errorf("the field %s: the API takes no %s", field, to)
		}
	}
	for field := range sent {
		if !fields[field] {
			t.Errorf("no form has the field %s", field)
		}
	}
	if len(fields) < 10 || !slices.Contains(page.Routes(), "POST /runs") {
		t.Errorf("the forms have %d fields", len(fields))
	}
}

// A schema is what is read of one of JSON Schema.
type schema struct {
	Properties map[string]schema `json:"properties"`
}

func (s schema) has(path []string) bool {
	for _, name := range path {
		next, ok := s.Properties[name]
		if !ok {
			return false
		}
		s = next
	}
	return true
}
