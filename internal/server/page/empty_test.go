package page_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/evidence"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/server/page"
	"github.com/citewell/citewell/internal/watch"
)

// A bareRun is one of a server on which nothing came to anything.
type bareRun struct{ toldRun }

func (r bareRun) Status(ctx context.Context, id string) (job.Status, error) {
	status, err := r.toldRun.Status(ctx, id)
	status.ID = id
	return status, err
}

// bareWatches are no watches, but for one that was never begun.
type bareWatches struct{ runstore.Watches }

func (bareWatches) ListWatches(context.Context, string) ([]runstore.Watch, error) { return nil, nil }

func (bareWatches) Watch(_ context.Context, id string) (runstore.Watch, error) {
	return runstore.Watch{ID: id, Request: json.RawMessage(`{"question": "How high is the tide?"}`)}, nil
}

// Each page that has nothing to show says so in a sentence that leads to what can be done.
func TestEmptyPagesSayWhatToDo(t *testing.T) {
	nothing := &citewell.Report{ID: runID, Title: "Skarrow", Content: "Nothing is known.", CreatedAt: began}
	tests := []struct {
		name, path string
		state      runstore.RunState
		report     *citewell.Report
		says       string // in its paragraph, item or cell
		leads      []string
	}{
		{"ask", "/", "", nil, "When did the dam open?", []string{"/?q=When%20did%20the%20dam%20open%3f"}},
		{"runs", "/runs", "", nil, "Nothing was asked yet", []string{"/"}},
		{"watches", "/watches", "", nil, "Nothing is watched yet", []string{"/runs"}},
		{"watch", "/watches/3f9a01bc", "", nil, "No run of this watch is kept", []string{"/runs"}},
		{"no_such_runs", "/runs?q=nowhere", "", nil, "No run is so", []string{"/runs"}},
		{"no_report", "", runstore.RunFailed, nil, "Nothing was found", []string{"/log", "/?q="}},
		{"report", "", runstore.RunCompleted, nothing, "No source is cited", []string{"/log", "/?q="}},
		{"log", "/log", runstore.RunFailed, nil, "told of nothing", []string{"/?q=", "/runs/" + runID}},
		{"log_begun", "/log", runstore.RunResearching, nil, "nothing yet", []string{"/runs/" + runID}},
		{"map", "/map", runstore.RunCompleted, nothing, "nothing to map", []string{"/log", "/?q="}},
		{"map_begun", "/map", runstore.RunResearching, nil, "has not ended", []string{"/runs/" + runID}},
		{"time", "/time", runstore.RunFailed, nil, "nothing that took time", []string{"/log", "/?q="}},
		{"time_begun", "/time", runstore.RunResearching, nil, "Nothing has happened yet", []string{"/runs/" + runID}},
		{"compare", "/compare?a=" + runID + "&b=" + runID, runstore.RunCompleted, nothing, "Neither found anything",
			[]string{"/log", "/?q="}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path := test.path
			if test.state != "" && !strings.HasPrefix(path, "/compare") {
				path = "/runs/" + runID + path
			}
			w := httptest.NewRecorder()
			site := page.New(page.Options{Desk: bareRun{toldRun{state: test.state, report: test.report}},
				Watches: watch.New(nil, bareWatches{}, nil), Evidence: &evidence.Desk{},
				Samples: []string{"When did the dam open?"}})
			site.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
			body := w.Body.String()
			if w.Code != http.StatusOK {
				t.Fatalf("%d %s", w.Code, body)
			}
			said := ""
			for _, m := range regexp.MustCompile(`(?s)<(p|li|td)\b[^>]*>(.*?)</(?:p|li|td)>`).FindAllString(body, -1) {
				if strings.Contains(m, test.says) {
					said = m
				}
			}
			for _, to := range test.leads {
				if !regexp.MustCompile(`<a href="[^"]*` + regexp.QuoteMeta(to)).MatchString(said) {
					t.Errorf("what says %q does not lead to %s: %s", test.says, to, said)
				}
			}
		})
	}
}
