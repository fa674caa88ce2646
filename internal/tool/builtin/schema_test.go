package builtin

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/testing/golden"
	"github.com/citewell/citewell/internal/tool"
	"github.com/google/jsonschema-go/jsonschema"
)

// allTools are all tools that there are, by where their golden file lies.
func allTools(t *testing.T) map[string]*tool.Tool {
	t.Helper()
	all := map[string]*tool.Tool{}
	for k, build := range definitions {
		toolset := k.Toolset
		if toolset == "" {
			toolset = "all"
		}
		all[toolset+"/"+k.Name] = build(Parts{})
	}
	for _, t := range agent.Tools() {
		all["agent/"+t.Name] = t
	}
	return all
}

var (
	toolName    = regexp.MustCompile(`^[a-z][a-z0-9_]{0,127}$`)
	description = 1500 // characters; a client shows a model all of them at once
)

// plainNames are arguments whose name and bounds say all, so that no description need
// repeat it at every turn of a model.
var plainNames = []string{"id", "query", "q", "url", "text", "title", "vector", "limit", "offset", "k", "pageno",
	"index", "collection", "answer", "rel", "tool_uses", "max_redirects"}

// What is promised of a tool is in a file; a change to it is seen in a review.
func TestSchemas(t *testing.T) {
	all := allTools(t)
	for name, d := range all {
		t.Run(name, func(t *testing.T) {
			if !toolName.MatchString(d.Name) || !strings.HasSuffix(name, "/"+d.Name) {
				t.Errorf("registered as %s, it calls itself %s", name, d.Name)
			}
			if d.Title == "" || strings.TrimSpace(d.Description) == "" ||
				utf8.RuneCountInString(d.Description) > description {
				t.Errorf("title %q, description of %d characters; at most %d", d.Title,
					utf8.RuneCountInString(d.Description), description)
			}
			if !d.Hints.OpenWorld && d.Hidden == "" && !strings.HasPrefix(name, "agent/") {
				t.Error("it works with what this machine keeps: set Hidden where that is missing (see needsStore)")
			}
			if d.Hints.ReadOnly && (d.Hints.Destructive || d.Confirm) {
				t.Errorf("its hints contradict each other: %+v, asks first: %v", d.Hints, d.Confirm)
			}
			for _, s := range []*jsonschema.Schema{d.Input, d.Output} {
				if s == nil {
					continue
				}
				if _, err := s.Resolve(nil); err != nil {
					t.Errorf("no valid JSON schema: %v", err)
				}
			}
			for field, s := range d.Input.Properties {
				if s.Description == "" && !slices.Contains(plainNames, field) {
					t.Errorf("argument %s says nothing about itself: give it a jsonschema tag", field)
				}
				if s.Type == "integer" && s.Minimum == nil && s.Enum == nil {
					t.Errorf("argument %s takes any number: give it bounds", field)
				}
			}
			got, err := json.MarshalIndent(struct {
				Description string             `json:"description"`
				Hints       tool.Hints         `json:"hints"`
				Confirm     bool               `json:"confirm,omitempty"`
				Input       *jsonschema.Schema `json:"input"`
				Output      *jsonschema.Schema `json:"output"`
			}{d.Description, d.Hints, d.Confirm, d.Input, d.Output}, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			golden.Check(t, filepath.Join("testdata", "schema", name+".json"), string(got)+"\n")
		})
	}
	kept, err := filepath.Glob("testdata/schema/*/*.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range kept {
		name := strings.TrimSuffix(filepath.ToSlash(strings.TrimPrefix(file,
			filepath.Join("testdata", "schema")+string(filepath.Separator))), ".json")
		if all[name] == nil {
			t.Errorf("%s is of no tool: delete it", file)
		}
	}
}

// Each value of an input has one type, and no input is null: some clients of models refuse a list
// of tools for one union.
func TestInputsHaveOneType(t *testing.T) {
	var walk func(at string, v any)
	walk = func(at string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for key, inner := range v {
				_, list := inner.([]any)
				if key == "type" && (list || inner == "null") {
					t.Errorf("%s has the type %v", at, inner)
				}
				walk(at+"/"+key, inner)
			}
		case []any:
			for i, inner := range v {
				walk(fmt.Sprint(at, "/", i), inner)
			}
		}
	}
	for name, d := range allTools(t) {
		listed, _ := d.Listed()
		data, err := json.Marshal(listed)
		var schema map[string]any
		if err == nil {
			err = json.Unmarshal(data, &schema)
		}
		if err != nil || schema["type"] != "object" {
			t.Fatalf("%s: %v, %s", name, err, data)
		}
		walk(name, schema)
	}
}

// The agent's own tools are named here as they are there.
func TestAgentTools(t *testing.T) {
	if !slices.Equal(agentTools, agent.Names) {
		t.Errorf("here they are %v, there %v", agentTools, agent.Names)
	}
}

// Every toolset that is shipped can be built, and every definition is in one.
func TestCompositions(t *testing.T) {
	registry := New(Parts{Agent: agent.Tools()}, nil, nil)
	used := map[tool.Key]bool{}
	for _, c := range compositions {
		set, err := registry.Toolset(c.name)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var names []string
		for _, d := range set.Tools {
			if slices.Contains(names, d.Name) {
				t.Errorf("%s has %s twice", c.name, d.Name)
			}
			names = append(names, d.Name)
			if k, ok := definitions.Find(c.name, d.Name); ok {
				used[k] = true
			}
		}
	}
	for k := range definitions {
		if !used[k] {
			t.Errorf("the tool %s of toolset %q is in no toolset: add its name in toolsets.go", k.Name, k.Toolset)
		}
	}
}

// A tool keeps to limits of its own for the whole process: a toolset that is asked for
// twice has its tools once.
func TestLimitsAreOfTheProcess(t *testing.T) {
	r := New(Parts{}, nil, nil)
	first, err := r.Toolset("manifold")
	if err != nil {
		t.Fatal(err)
	}
	second, err := r.Toolset("manifold")
	if err != nil {
		t.Fatal(err)
	}
	if first.Tools[1] != second.Tools[1] || first.Tools[1].Name != "web_search" {
		t.Errorf("%s was built twice", first.Tools[1].Name)
	}
}

// doc/tools.md is made from the definitions.
func TestToolsDocument(t *testing.T) {
	golden.Check(t, filepath.Join("..", "..", "..", "doc", "tools.md"), string(toolsDocument(t)))
}

func toolsDocument(t *testing.T) []byte {
	var b bytes.Buffer
	b.WriteString("# Tools\n\nMade from the definitions by `go test ./internal/tool/builtin -run ToolsDocument " +
		"-update`; do not edit.\n\n" +
		"Call one with `citewell call [--toolset NAME] TOOL '{json}'`, or from an MCP client; `citewell tools " +
		"--all` says\n" +
		"which are configured. A wrong argument is an error that names it and what is allowed. A toolset that has " +
		"another\n" +
		"system's name takes what that system took, and its result says so: a number or a truth value in " +
		"quotes, and in\n" +
		"cogtrix, grip and manifold a number out of its range for the nearest one (manifold: for the default).\n\n| " +
		"toolset | what | tools |\n|---|---|---|\n")
	registry := New(Parts{Agent: agent.Tools()}, nil, nil)
	for _, c := range compositions {
		set, err := registry.Toolset(c.name)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, d := range set.Tools {
			names = append(names, d.Name)
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", c.name, c.description, strings.Join(names, ", "))
	}
	all := allTools(t)
	var names []string
	for name := range all {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		ta, na, _ := strings.Cut(a, "/")
		tb, nb, _ := strings.Cut(b, "/")
		return slices.Compare([]string{na, ta}, []string{nb, tb})
	})
	for _, name := range names {
		d := all[name]
		from, bare, _ := strings.Cut(name, "/")
		heading := bare
		if from != "all" && from != "agent" {
			heading += " (toolset " + from + ")"
		}
		fmt.Fprintf(&b, "\n## %s\n\n%s", heading, d.Document())
	}
	return b.Bytes()
}
