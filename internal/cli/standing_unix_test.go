//go:build unix

package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
)

// A run says of each work that it quotes whether it was withdrawn, though the search that found
// it said nothing: the registers that it may ask are asked at its end, once in a day. Where they
// let nobody in, the run says that; where a run is kept to others, nobody asks them.
func TestRunsLookUpWhatTheyQuote(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	g, home, config := startRegistry(t)
	var web *httptest.Server
	web = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasPrefix(r.URL.Path, "/doi/"):
			fmt.Fprint(w, "<title>Copper light</title><p>The cure of barnacle growth by copper light took 12 days in "+
				"the harbour of Nether Hale. The barnacles did not come back within a year.</p>")
		case strings.HasPrefix(r.URL.Path, "/search"):
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w,
				`{"query":"x","results":[{"title":"Barnacle growth and copper light","url":"%s/doi/10.5555/harbour.18","content":"The cure of barnacle growth by copper light took 12 days.","engine":"x"}]}`, web.URL)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(web.Close)
	set := []string{"--config", config, "--set", "search.providers.searxng.base_url=" + web.URL, "--set",
		"search.providers.searxng.rate=1000"}
	research := func(more ...string) agent.Result {
		t.Helper()
		args := append(append([]string{}, set...), "research", "--agent", "brief", "--json")
		out, stderr, _ := here(t, home, append(append(args, more...),
			"How many days took the cure of barnacle growth by copper light?")...)
		var r agent.Result
		if err := json.Unmarshal([]byte(out), &r); err != nil || r.Report == nil || len(r.Report.Findings) == 0 {
			t.Fatalf("%v: %s %s", err, out, stderr)
		}
		return r
	}
	g.refuses.Store(http.StatusForbidden)
	if r := research(); !strings.Contains(r.Report.Sources[0].Warning,
		"whether it still stands was not checked: crossref blocked, openalex rate limited") ||
		r.Report.Findings[0].Citations[0].Caveat != "" {
		t.Errorf("shut out: %+v", r.Report.Sources[0])
	}
	g.refuses.Store(0)
	g.asked.Store(0)
	if r := research("--sources", "web"); g.asked.Load() != 0 ||
		strings.Contains(r.Report.Sources[0].Warning, "RETRACTED") {
		t.Errorf("kept to the web, %d calls of registers: %+v", g.asked.Load(), r.Report.Sources[0])
	}
	r := research()
	s, c := r.Report.Sources[0], r.Report.Findings[0].Citations[0]
	if g.asked.Load() != 2 || s.Work == nil || s.Work.DOI != "10.5555/harbour.18" || s.Work.Authors[0] != "Quin Knot" ||
		s.Warning != "the work was RETRACTED" || c.Caveat != "the work was RETRACTED" {
		t.Errorf("%d calls of registers: %+v %+v", g.asked.Load(), s, c)
	}
	if research(); g.asked.Load() != 2 {
		t.Errorf("%d calls of registers for what was looked up today", g.asked.Load())
	}
	if out, _, code := here(t, home, append(set, "runs", "export", r.ID)...); code != citewell.ExitOK ||
		!strings.Contains(out, "the work was RETRACTED") {
		t.Errorf("exit code %d: %s", code, out)
	}
}
