package page_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/evidence"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/server/page"
	"github.com/citewell/citewell/store"
)

// A bareRun is one of a server on which nothing came to anything.
type bareRun struct{ toldRun }

func (r bareRun) Status(ctx context.Context, id string) (job.Status, error) {
	status, err := r.toldRun.Status(ctx, id)
	status.ID = id
	return status, err
}

// Each page that has nothing to show says so in a sentence that leads to what can be done.
func TestEmptyPagesSayWhatToDo(t *testing.T) {
	nothing := &citewell.Report{ID: runID, Title: "Skarrow", Content: "Nothing is known.", CreatedAt: began}
	tests := []struct {
		name, path string
		state      store.RunState
		report     *citewell.Report
		says       string // in its paragraph, item or cell
		leads      []string
	}{
		{"ask", "/", "", nil, "When did the dam open?", []string{"/?q=When%20did%20the%20dam%20open%3f"}},
		{"runs", "/runs", "", nil, "Nothing was asked yet", []string{"/"}},
		{"watches", "/watches", "", nil, "Nothing is watched yet", []string{"/runs"}},
		{"no_such_runs", "/runs?q=nowhere", "", nil, "No run is so", []string{"/runs"}},
		{"no_report", "", store.RunFailed, nil, "Nothing was found", []string{"/log", "/?q="}},
		{"report", "", store.RunCompleted, nothing, "No source is cited", []string{"/log", "/?q="}},
		{"log", "/log", store.RunFailed, nil, "told of nothing", []string{"/?q=", "/runs/" + runID}},
		{"log_begun", "/log", store.RunResearching, nil, "nothing yet", []string{"/runs/" + runID}},
		{"map", "/map", store.RunCompleted, nothing, "nothing to map", []string{"/log", "/?q="}},
		{"map_begun", "/map", store.RunResearching, nil, "has not ended", []string{"/runs/" + runID}},
		{"time", "/time", store.RunFailed, nil, "nothing that took time", []string{"/log", "/?q="}},
		{"time_begun", "/time", store.RunResearching, nil, "Nothing has happened yet", []string{"/runs/" + runID}},
		{"compare", "/compare?a=" + runID + "&b=" + runID, store.RunCompleted, nothing, "Neither found anything", []string{"/log", "/?q="}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path := test.path
			if test.state != "" && !strings.HasPrefix(path, "/compare") {
				path = "/runs/" + runID + path
			}
			w := httptest.NewRecorder()
			site := page.New(page.Options{Desk: bareRun{toldRun{state: test.state, report: test.report}}, Evidence: &evidence.Desk{}, Samples: []string{"When did the dam open?"}})
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
