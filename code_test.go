package citewell_test

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/outcomes"
	"github.com/citewell/citewell/internal/testing/golden"
)

// Every Code constant has exactly one row, and doc/errors.md is the table.
func TestCodeTableIsWholeAndDocumented(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "code.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	declared := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if kind, ok := spec.Type.(*ast.Ident); ok && kind.Name == "Code" {
			declared[strings.Trim(spec.Values[0].(*ast.BasicLit).Value, `"`)] = true
		}
		return true
	})
	rows := map[string]bool{}
	var doc strings.Builder
	doc.WriteString("# Error codes\n\nMade from `code.go` by `go test . -run CodeTable -update`. Over MCP each is a " +
		"tool\nresult with `isError`, except `unknown_tool` for a call of an unknown tool: the protocol has " +
		"an\nerror " +
		"of its own for it, -32602.\n\n" +
		"| code | category | in Coverage | exit | HTTP | retry | meaning |\n|---|---|---|---|---|---|---|\n")
	for _, row := range citewell.Codes {
		if rows[string(row.Code)] {
			t.Errorf("%s has two rows", row.Code)
		}
		rows[string(row.Code)] = true
		var labels []string
		for _, label := range []string{string(row.Fetch), string(row.Provider)} {
			if label != "" {
				labels = append(labels, label)
			}
		}
		retry := "no"
		if row.Retryable {
			retry = "yes"
		}
		fmt.Fprintf(&doc, "| `%s` | %s | %s | %d | %d | %s | %s |\n", row.Code, row.Category,
			strings.Join(labels, ", "), row.Exit, row.HTTP, retry, row.Meaning)
	}
	if len(declared) < 30 || len(declared) != len(rows) {
		t.Errorf("%d codes declared, %d rows", len(declared), len(rows))
	}
	for code := range declared {
		if !rows[code] {
			t.Errorf("%s has no row", code)
		}
	}
	golden.Check(t, "doc/errors.md", doc.String())
}

func TestErrorViews(t *testing.T) {
	cause := errors.New("dial 10.0.0.1: refused")
	limited := &citewell.Error{Code: citewell.CodeRateLimited, Op: "searxng", Message: "wait 3 s",
		Hint: "raise search.providers.searxng.rate", Err: cause}
	tests := []struct {
		name      string
		err       error
		code      citewell.Code
		category  citewell.Category
		retryable bool
		provider  citewell.ProviderOutcome
		fetch     citewell.FetchOutcome
	}{
		{"typed, wrapped", fmt.Errorf("fan-out: %w", limited), "rate_limited", "rate_limited", true, "rate_limited",
			"rate-limited"},
		{"deadline", fmt.Errorf("x: %w", context.DeadlineExceeded), "timeout", "unavailable", true,
			"timeout", "timeout"},
		{"canceled", context.Canceled, "canceled", "canceled", false, "timeout", "canceled"},
		{"unknown", cause, "internal", "internal", false, "failed", "http-error"},
		{"robots is a fetch's alone", &citewell.Error{Code: citewell.CodeRobotsDisallowed}, "robots_disallowed",
			"blocked", false, "failed", "blocked-robots"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			view := citewell.View(test.err)
			if view.Code != test.code || view.Category != test.category || view.Retryable != test.retryable {
				t.Errorf("view %+v, want %s %s retryable=%v", view, test.code, test.category, test.retryable)
			}
			if got := outcomes.OfProvider(test.err); got != test.provider {
				t.Errorf("provider outcome %s, want %s", got, test.provider)
			}
			if got := outcomes.OfFetch(test.err); got != test.fetch {
				t.Errorf("fetch outcome %s, want %s", got, test.fetch)
			}
			if view.Message == "" {
				t.Error("no message: the caller learns nothing")
			}
		})
	}
	if view := citewell.View(fmt.Errorf("fan-out: %w", limited)); strings.Contains(view.Message, "10.0.0.1") {
		t.Error("a cause's address came through to the caller")
	}
	if citewell.CodeOf(nil) != "" {
		t.Error("no error has a code")
	}
	if !errors.Is(limited, cause) {
		t.Error("the cause is lost")
	}
}

func TestIDsAreDistinctAndHashesStable(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		id := citewell.NewID()
		if len(id) != 32 || seen[id] {
			t.Fatalf("id %q: want 32 hex digits, each id once", id)
		}
		seen[id] = true
	}
	if got := citewell.SHA256([]byte("abc")); got !=
		"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" {
		t.Errorf("sha256 of abc is %s", got)
	}
}
