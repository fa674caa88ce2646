package mcpserver

import (
	"context"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/report"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/tool"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A report's address is citewell://runs/ID/report.
const (
	runURI    = "citewell://runs/"
	reportEnd = "/report"
)

var runForm = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9_.-]{1,127}$`)

// reportsCursor begins the cursors of the pages that list reports: they come after what else there is.
const reportsCursor = "runs:"

// addReports offers the reports of runs: each can be read, and those that there are can be listed.
func addReports(m *mcp.Server, runs job.Service) {
	addText(m, mcp.ResourceTemplate{URITemplate: runURI + "{id}" + reportEnd, Name: "report",
		Title: "The report of a research run",
		Description: "Its Markdown with all its citations, and the section by which `citewell verify` checks " +
			"them; id " +
			"is what research_start gave.", MIMEType: "text/markdown"}, runForm,
		func(ctx context.Context, id string) (string, error) {
			result, err := runs.Result(ctx, id)
			if err != nil && citewell.CodeOf(err) != citewell.CodeInvalidArgument { // one that has not ended
				return "", err
			}
			if result.Report == nil {
				return "", &citewell.Error{Code: citewell.CodeNotFound, Op: "runs", Message: "the run has no report"}
			}
			return report.OfRun(*result.Report), nil
		})
	m.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			list, ok := req.(*mcp.ListResourcesRequest)
			if !ok {
				return next(ctx, method, req)
			}
			var cursor string
			ours := false
			if list.Params != nil {
				if cursor, ours = strings.CutPrefix(list.Params.Cursor, reportsCursor); ours {
					list.Params.Cursor = ""
				}
			}
			result, err := next(ctx, method, req)
			page, ok := result.(*mcp.ListResourcesResult)
			if err != nil || !ok || page.NextCursor != "" {
				return result, err
			}
			if ours {
				page.Resources = nil
			} else {
				cursor = ""
			}
			return page, addPage(called(ctx, list.Extra), page, runs, cursor)
		}
	})
}

// shownTask is how much of a task names its report, in bytes.
const shownTask = 80

// reportsListed is how many runs one page of the list has.
const reportsListed = 50

// addPage adds a page of reports to a list. Runs that ended otherwise than with an answer mostly have none.
func addPage(ctx context.Context, list *mcp.ListResourcesResult, runs job.Service, cursor string) error {
	ended, next, err := runs.List(ctx, runstore.RunQuery{States: []runstore.RunState{runstore.RunCompleted},
		Limit: reportsListed, Cursor: cursor})
	if citewell.CodeOf(err) == citewell.CodeInvalidArgument {
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the cursor is not from this server"}
	}
	if err != nil {
		return err
	}
	if list.Resources == nil {
		list.Resources = []*mcp.Resource{}
	}
	for _, r := range ended {
		list.Resources = append(list.Resources, &mcp.Resource{URI: runURI + r.ID + reportEnd, Name: r.ID,
			MIMEType:    "text/markdown",
			Title:       "Report: " + tool.Shorten(text.OneLine(job.Task(r)), shownTask),
			Description: "ended " + r.EndedAt.UTC().Format("2006-01-02 15:04") + " UTC"})
	}
	if next != "" {
		list.NextCursor = reportsCursor + next
	}
	return nil
}
