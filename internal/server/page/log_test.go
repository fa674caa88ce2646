package page_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/server/page"
)

// What keeps a provider from answering has a word of its own on the page, whatever it is.
func TestEachOutcomeHasItsWord(t *testing.T) {
	outcomes := []citewell.ProviderOutcome{citewell.ProviderEmpty, citewell.ProviderBlocked,
		citewell.ProviderRateLimited, citewell.ProviderQueued, citewell.ProviderQuotaExhausted,
		citewell.ProviderAuth, citewell.ProviderTimeout, citewell.ProviderBadResponse, citewell.ProviderFailed}
	seen := map[string]citewell.ProviderOutcome{}
	for _, o := range outcomes {
		r := toldRun{state: runstore.RunCompleted}
		r.happens(100, "result", fmt.Sprintf(
			`{"iteration":1,"name":"web_search_tool","search":{"query":"barges","providers":[{"name":"engine","outcome":%q,"results":0}]}}`, o))
		said := regexp.MustCompile(`engine ([^<·]*)<`).FindStringSubmatch(r.opens(t, "/log"))
		if said == nil || said[1] == "" {
			t.Fatalf("nothing is said of %s", o)
		}
		if other, twice := seen[said[1]]; twice {
			t.Errorf("%s and %s are both told as %q", o, other, said[1])
		}
		seen[said[1]] = o
	}
}

// An asking run waits for an answer, and hears which question one is to.
type askingRun struct {
	toldRun
	to []string
}

func (r *askingRun) Status(ctx context.Context, id string) (job.Status, error) {
	status, err := r.toldRun.Status(ctx, id)
	status.Question = &agent.Question{Run: id, Key: "user:2", Kind: "confirmation", Tool: "delete_all"}
	return status, err
}

func (r *askingRun) AnswerTo(_ context.Context, _, question, text string) error {
	r.to = append(r.to, question+" "+text)
	return nil
}

// The form of a question names it, so that a yes that comes late allows nothing else.
func TestAnswerNamesItsQuestion(t *testing.T) {
	r := &askingRun{toldRun: toldRun{state: runstore.RunWaiting}}
	site := page.New(page.Options{Desk: r})
	w := httptest.NewRecorder()
	site.ServeHTTP(w, httptest.NewRequest("GET", "/runs/"+runID, nil))
	key := regexp.MustCompile(`<input type="hidden" name="question" value="([^"]*)">`).
		FindStringSubmatch(w.Body.String())
	if key == nil {
		t.Fatalf("the form does not name its question: %s", w.Body)
	}
	if !strings.Contains(w.Body.String(), "<title>(?) How much electricity?") {
		t.Error("the title does not say that it waits")
	}
	send := httptest.NewRequest("POST", "/runs/"+runID+"/answer",
		strings.NewReader(url.Values{"question": {key[1]}, "choice": {"yes"}}.Encode()))
	send.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	w = httptest.NewRecorder()
	site.ServeHTTP(w, send)
	if w.Code != http.StatusSeeOther || !slices.Equal(r.to, []string{"user:2 yes"}) {
		t.Errorf("%d, answered %q", w.Code, r.to)
	}
}

// A step that asked several providers the same says it once.
func TestOneQueryIsToldOnce(t *testing.T) {
	r := toldRun{state: runstore.RunCompleted}
	for _, provider := range []string{"engine", "other"} {
		r.happens(100, "result", fmt.Sprintf(
			`{"iteration":1,"name":"web_search_tool","search":{"query":"barges","providers":[{"name":%q,"outcome":"ok","results":3}]}}`, provider))
	}
	if n := strings.Count(r.opens(t, "/log"), "“barges”"); n != 1 {
		t.Errorf("the line of the step has the query %d times", n)
	}
}

// A twoRuns has another question for another run.
type twoRuns struct{ toldRun }

func (r twoRuns) Status(ctx context.Context, id string) (job.Status, error) {
	status, err := r.toldRun.Status(ctx, id)
	status.Run.ID = id
	status.Run.Request = json.RawMessage(`{"task":"How much electricity?"}`)
	if id != runID {
		status.Run.Request = json.RawMessage(`{"task":"How many cranes?"}`)
	}
	return status, err
}

// Two runs of two questions are not shown as if both answered the first.
func TestCompareNamesBothQuestions(t *testing.T) {
	site := page.New(page.Options{Desk: twoRuns{toldRun{state: runstore.RunCompleted}}})
	for other, want := range map[string]int{runID: 0, strings.Replace(runID, "_01", "_11", 1): 1} {
		w := httptest.NewRecorder()
		site.ServeHTTP(w, httptest.NewRequest("GET", "/compare?a="+runID+"&b="+other, nil))
		if n := strings.Count(w.Body.String(), "The second answers another question: <strong dir=\"auto\">How many "+
			"cranes?"); w.Code != http.StatusOK || n != want {
			t.Errorf("%s: %d, the other question stands %d times, want %d", other, w.Code, n, want)
		}
	}
}
