package page_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/server/page"
	"github.com/citewell/citewell/internal/testing/score"
)

// citing is a run with a report of n citations, from one source for each ten.
func citing(n int) toldRun {
	r := citewell.Report{ID: runID, Title: "Barges", Task: "What do barges carry?", Language: "en", CreatedAt: began}
	var content strings.Builder
	for i := range n {
		if i%10 == 0 {
			r.Sources = append(r.Sources, citewell.Source{N: i/10 + 1, Title: "A quay",
				URL: fmt.Sprintf("https://quay%d.example/", i), Host: fmt.Sprintf("quay%d.example", i),
				Outcome: citewell.FetchOK, FetchedAt: began})
		}
		said := fmt.Sprintf("Barge %d of the quay carries %d tonnes of salt up the river.", i, 100+i)
		start := content.Len()
		fmt.Fprintf(&content, "%s [%d]", said, i/10+1)
		r.Places = append(r.Places, citewell.Place{Start: start, End: content.Len(), Finding: i})
		content.WriteString("\n\n")
		r.Findings = append(r.Findings, citewell.Finding{Text: said,
			Citations: []citewell.Citation{{N: i/10 + 1, Passage: "p", Quote: said, Start: 100 * i,
				End: 100*i + len(said), Verdict: citewell.VerdictSupported}}})
	}
	r.Content = content.String()
	return toldRun{state: runstore.RunCompleted, report: &r}
}

// renders is the processor time that the page of a run takes, the shortest of several: the clock
// would tell how busy the machine is.
func renders(t testing.TB, r toldRun) time.Duration {
	t.Helper()
	s, best := page.New(page.Options{Desk: r}), time.Hour
	for range 5 {
		w := httptest.NewRecorder()
		used := score.ProcessorTime()
		s.ServeHTTP(w, httptest.NewRequest("GET", "/runs/"+runID, nil))
		if best = min(best, score.ProcessorTime()-used); w.Code != http.StatusOK {
			t.Fatal(w.Code, w.Body)
		}
	}
	return best
}

// A report with eight times as many citations does not take the square of that.
func TestLongReports(t *testing.T) {
	few, many := renders(t, citing(240)), renders(t, citing(1920))
	if many > 24*few {
		t.Errorf("240 citations take %v, 1920 take %v", few, many)
	}
	t.Logf("240 citations: %v; 1920: %v, %.1f times as long", few, many, float64(many)/float64(few))
}

// The goal is 20 milliseconds for a report of 60 citations.
func BenchmarkReport(b *testing.B) {
	s, request := page.New(page.Options{Desk: citing(60)}), httptest.NewRequest("GET", "/runs/"+runID, nil)
	for b.Loop() {
		s.ServeHTTP(httptest.NewRecorder(), request)
	}
}
