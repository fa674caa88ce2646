package provider

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/outcomes"
	"github.com/citewell/citewell/internal/testing/golden"
	"github.com/citewell/citewell/internal/testing/score"
	"github.com/citewell/citewell/search"
	"github.com/citewell/citewell/search/searchtest"
	"github.com/google/go-cmp/cmp"
)

// shortWall is the wall of a fan-out in which somebody hangs; waiting the whole
// search.DefaultTimeout for each would show nothing more.
// It is long enough for the others to answer on a busy machine.
const shortWall = 3 * time.Second

// longWall is where nobody hangs: it is met on a busy machine alone, which 50 MB make busy.
const longWall = 12 * search.DefaultTimeout

// A standIn is a provider before a server of its own.
type standIn struct {
	wire searchtest.Wire
	want []citewell.Result
	at   string // the address of its healthy server
}

// standIns starts a healthy server for each provider on a network with a wire, which all are but
// the user's own documents and feeds.
func standIns(t *testing.T) map[string]standIn {
	all := make(map[string]standIn)
	if len(wires)+len(suites) != len(Names()) {
		t.Fatal("a provider has no suite, or two: TestEveryProvider names it")
	}
	for name, wire := range wires {
		w := wire(t)
		all[name] = standIn{w, w.Want, serving(t, w.Handler())}
	}
	return all
}

func serving(t *testing.T, h http.Handler) string {
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server.URL
}

// What a cell of the matrix asks, and how many cells are under way, so that a table of any
// number of providers takes as many connections, and a time that grows with their number alone.
const (
	neighboursAsked = 2
	cellsAtOnce     = 27
)

// around are the stand-ins of a provider and of those that follow it by name.
func around(all map[string]standIn, name string) map[string]standIn {
	names := slices.Sorted(maps.Keys(all))
	some, at := make(map[string]standIn), slices.Index(names, name)
	for i := range min(neighboursAsked+1, len(names)) {
		next := names[(at+i)%len(names)]
		some[next] = all[next]
	}
	return some
}

// everyone builds all providers, each behind limits that do not bind in a test,
// those named in broken at the address given there.
func everyone(t *testing.T, all map[string]standIn, broken map[string]string) []search.Provider {
	limits := search.Limits{FirstBackoff: time.Millisecond}
	providers := []search.Provider{search.Guarded(openedLocal(t, &index{hits: tideHits}), limits),
		search.Guarded(openedFeeds(t), limits)}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		at := all[name].at
		if other, ok := broken[name]; ok {
			at = other
		}
		providers = append(providers, search.Guarded(all[name].wire.New(t, at), limits))
	}
	return providers
}

// askEveryone returns each provider's answer, and fails where one that is not broken
// answers anything but its own results, or the wall does not hold.
func askEveryone(t *testing.T, wall time.Duration, all map[string]standIn,
	broken map[string]string) map[string]search.Answer {
	t.Helper()
	started := time.Now()
	answers := make(map[string]search.Answer)
	asked := question // by its words, but for those that look it up
	asked.Identifier = citewell.Identifier{Scheme: citewell.SchemeWorldBank, Value: "SP.POP.TOTL/DEU;WLD"}
	for a := range search.Ask(t.Context(), asked, everyone(t, all, broken), wall) {
		answers[a.Provider] = a
	}
	if took := time.Since(started); took > wall+20*time.Second { // who hangs does so for ever
		t.Errorf("took %v, the wall is %v", took, wall)
	}
	for name, s := range all {
		a := answers[name]
		if _, ok := broken[name]; ok {
			continue
		}
		if diff := cmp.Diff(s.want, a.Results); a.Outcome != citewell.ProviderOK || diff != "" {
			t.Errorf("%s was disturbed: %s (%s), want - got +\n%s", name, a.Outcome, a.Detail, diff)
		}
	}
	for name := range suites {
		if a := answers[name]; !a.Outcome.Answered() || len(answers) != len(all)+len(suites) {
			t.Errorf("%s: %s (%s); %d answers", name, a.Outcome, a.Detail, len(answers))
		}
	}
	return answers
}

// TestMatrix breaks one provider after another in every way and asks it and some others: it
// ends with the outcome that testdata/matrix.txt has for it, within the wall, and the
// others with their results.
func TestMatrix(t *testing.T) {
	if testing.Short() {
		t.Skip("hundreds of searches")
	}
	if score.RaceDetector { // TestEveryProvider meets each fault under it, TestThreeOfEightFail all providers at once
		t.Skip("a thousand fan-outs, one like the other")
	}
	all := standIns(t)
	matrix := make(map[string]map[string]citewell.ProviderOutcome) // by fault and provider
	broken := make(map[string]map[string]searchtest.Fault)         // likewise
	for name, s := range all {
		for _, fault := range s.wire.Faults() {
			if matrix[fault.Name] == nil {
				matrix[fault.Name] = make(map[string]citewell.ProviderOutcome)
				broken[fault.Name] = make(map[string]searchtest.Fault)
			}
			broken[fault.Name][name] = fault
		}
	}
	for _, faultName := range slices.Sorted(maps.Keys(broken)) {
		var mu sync.Mutex
		var running sync.WaitGroup // side by side, whatever -parallel says: most of them wait
		places := make(chan struct{}, cellsAtOnce)
		for name, fault := range broken[faultName] {
			running.Go(func() {
				places <- struct{}{}
				defer func() { <-places }()
				t.Run(name+"/"+faultName, func(t *testing.T) {
					wall := longWall
					if outcomes.OfProvider(&citewell.Error{Code: fault.Code}) == citewell.ProviderTimeout {
						wall = shortWall
					}
					answer := askEveryone(t, wall, around(all, name), map[string]string{
						name: serving(t, fault.Handler)})[name]
					mu.Lock()
					matrix[faultName][name] = answer.Outcome
					mu.Unlock()
					if want := outcomes.OfProvider(&citewell.Error{Code: fault.Code}); fault.Code !=
						searchtest.Answers && answer.Outcome != want {
						t.Errorf("%s (%s), want %s", answer.Outcome, answer.Detail, want)
					}
					if (answer.Err == nil) != answer.Outcome.Answered() || answer.Err != nil && answer.Detail == "" {
						t.Errorf("%s, %q with %v", answer.Outcome, answer.Detail, answer.Err)
					}
				})
			})
		}
		running.Wait()
	}
	if t.Failed() {
		return
	}
	golden.Check(t, filepath.Join("testdata", "matrix.txt"), table(matrix))
}

// table writes the usual outcome of each fault, and a line for each provider with the outcomes in which it differs.
func table(matrix map[string]map[string]citewell.ProviderOutcome) string {
	var out strings.Builder
	out.WriteString("# Usually a provider's outcome is this.\n")
	usual := make(map[string]citewell.ProviderOutcome)
	for _, fault := range (searchtest.Wire{}).Faults() {
		usual[fault.Name] = citewell.ProviderOK
		if fault.Code != searchtest.Answers {
			usual[fault.Name] = outcomes.OfProvider(&citewell.Error{Code: fault.Code})
		}
	}
	faults := slices.Sorted(maps.Keys(usual))
	for _, fault := range faults {
		fmt.Fprintf(&out, "%-25s %s\n", fault, usual[fault])
	}
	out.WriteString("\n# These differ from it.\n")
	for _, name := range slices.Sorted(maps.Keys(wires)) {
		var differs []string
		for _, fault := range faults {
			if outcome := matrix[fault][name]; outcome != usual[fault] {
				differs = append(differs, fmt.Sprintf("%s %s", fault, outcome))
			}
		}
		fmt.Fprintf(&out, "%s: %s\n", name, strings.Join(differs, ", "))
	}
	return out.String()
}

// Three providers fail, each in another way, and each way is told; the others
// answer, and their results are one list.
func TestThreeOfEightFail(t *testing.T) {
	all := standIns(t)
	faulty := func(provider, name string) string {
		for _, fault := range all[provider].wire.Faults() {
			if fault.Name == name {
				return serving(t, fault.Handler)
			}
		}
		t.Fatalf("no fault %s", name)
		return ""
	}
	quirk := func(provider, name string) string {
		for _, quirk := range all[provider].wire.Quirks {
			if quirk.Name == name {
				return serving(t, searchtest.Wire{Good: quirk.Reply}.Handler())
			}
		}
		t.Fatalf("no quirk %s", name)
		return ""
	}
	answers := askEveryone(t, shortWall, all, map[string]string{
		"tavily":     quirk("tavily", "plan_used_up"),
		"duckduckgo": quirk("duckduckgo", "bot_page_with_202"),
		"exa":        faulty("exa", "hangs_before_headers"),
	})
	for name, want := range map[string]struct {
		outcome citewell.ProviderOutcome
		says    string
	}{
		"tavily":     {citewell.ProviderQuotaExhausted, "plan's credits are used up"},
		"duckduckgo": {citewell.ProviderBlocked, "bot page"},
		"exa":        {citewell.ProviderTimeout, "did not answer in time"},
		"searxng":    {citewell.ProviderOK, "engines behind searxng failed: google (Suspended: CAPTCHA)"},
	} {
		if a := answers[name]; a.Outcome != want.outcome || !strings.Contains(a.Detail, want.says) {
			t.Errorf("%s is %s (%s), want %s (%s)", name, a.Outcome, a.Detail, want.outcome, want.says)
		}
	}
	var lists [][]citewell.Result
	for _, a := range answers {
		lists = append(lists, a.Results)
	}
	ranked := search.Score(question.Text, now(), search.Merge(lists...))
	if len(ranked) == 0 || len(ranked[0].Providers) != 4 ||
		ranked[0].URL != "https://www.tides.example/power?a=1&b=2" || ranked[0].Published != "2026-02-11" {
		t.Errorf("what four providers found does not lead: %+v", ranked[:min(1, len(ranked))])
	}
}
