package mcpserver_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/server/mcpserver"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// reported are 120 runs, 50 to a page.
type reported struct{ job.Service }

func (reported) Result(_ context.Context, run string) (agent.Result, error) {
	if run == "desk_7" {
		return agent.Result{Report: &citewell.Report{Title: "What desk 7 found"}}, nil
	}
	return agent.Result{}, &citewell.Error{Code: citewell.CodeInvalidArgument}
}

func (reported) List(_ context.Context, q runstore.RunQuery) (list []runstore.Run, next string, err error) {
	from := 0
	if q.Cursor != "" {
		if _, err := fmt.Sscan(q.Cursor, &from); err != nil {
			return nil, "", &citewell.Error{Code: citewell.CodeInvalidArgument}
		}
	}
	for i := from; i < min(from+q.Limit, 120); i++ {
		list = append(list, runstore.Run{ID: fmt.Sprintf("desk_%d", i), Request: []byte(`{"task": "the task\nof one"}`),
			EndedAt: time.Date(2026, 1, 2, 3, 4, 0, 0, time.UTC)})
	}
	if from+q.Limit < 120 {
		next = fmt.Sprint(from + q.Limit)
	}
	return list, next, nil
}

func TestReports(t *testing.T) {
	near, far := mcp.NewInMemoryTransports()
	if _, err := mcpserver.New(tools(nil), mcpserver.Options{Kept: kept{}, Runs: reported{}}).Connect(t.Context(), far,
		nil); err != nil {
		t.Fatal(err)
	}
	session := connect(t, near, nil, "")
	seen := map[string]bool{}
	for r, err := range session.Resources(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		if r.Title != "Report: the task of one" || r.Description != "ended 2026-01-02 03:04 UTC" || seen[r.URI] {
			t.Errorf("%+v", r)
		}
		seen[r.URI] = true
	}
	if len(seen) != 120 || !seen["citewell://runs/desk_119/report"] {
		t.Errorf("%d reports", len(seen))
	}
	if list, err := session.ListResources(t.Context(), &mcp.ListResourcesParams{Cursor: "runs:nonsense"}); err == nil ||
		!strings.Contains(err.Error(), "cursor") {
		t.Errorf("%+v, %v", list, err)
	}
	if r, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{
		URI: "citewell://runs/desk_7/report"}); err != nil || !strings.HasPrefix(r.Contents[0].Text,
		"# What desk 7 found\n") || r.Contents[0].MIMEType != "text/markdown" {
		t.Errorf("%+v, %v", r, err)
	}
	for _, uri := range []string{"citewell://runs/desk_8/report", "citewell://runs/desk_7",
		"citewell://runs/..%2Fx/report", "citewell://runs//report"} {
		if r, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri}); err == nil {
			t.Errorf("%s is %+v", uri, r)
		}
	}
}
