//go:build unix

package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/testing/pgtest"
	"github.com/citewell/citewell/search/provider"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A stated limit is what a service says that it takes of one caller with a contact and without a
// key (each Description's Docs); where it states none, it is what the Description keeps to.
type statedLimit struct {
	calls  int
	within time.Duration // 0: under way at once
}

const aDay = 24 * time.Hour

var statedLimits = map[string][]statedLimit{
	"arxiv":           {{1, 3 * time.Second}, {1, 0}},
	"clinicaltrials":  {{50, time.Minute}, {1, 0}},
	"crossref":        {{10, time.Second}, {3, 0}},
	"datacite":        {{1000, 5 * time.Minute}, {2, 0}},
	"europepmc":       {{10, time.Second}, {1, 0}},
	"federalregister": {{10, time.Second}, {1, 0}},
	"github":          {{10, time.Minute}, {1, 0}},
	"govuk":           {{10, time.Second}, {1, 0}},
	"hackernews":      {{10000, time.Hour}, {2, 0}},
	"mwmbl":           {{1, time.Second}, {1, 0}},
	"openalex":        {{100, time.Second}, {2, 0}, {100, aDay}},
	"openlibrary":     {{3, time.Second}, {1, 0}},
	"sec":             {{10, time.Second}, {1, 0}},
	"stackexchange":   {{30, time.Second}, {1, 0}, {300, aDay}},
	"wikidata":        {{3, 0}},
	"wikipedia":       {{3, 0}},
}

// A visit is one request that a service was sent.
type visit struct {
	at    time.Time
	agent string
	free  bool // it counts towards no day
	under int  // that were under way, this one among them
}

// commons are stand-ins of the services without keys, which write down who came when.
type commons struct {
	answers map[string][]byte

	mu     sync.Mutex
	visits map[string][]visit
	under  map[string]int
}

func newCommons(t *testing.T) *commons {
	c := &commons{answers: map[string][]byte{}, visits: map[string][]visit{}, under: map[string]int{}}
	for name := range statedLimits {
		fixtures, err := filepath.Glob(filepath.Join("..", "..", "search", "provider", "testdata", name, "good.*"))
		if err != nil || len(fixtures) != 1 {
			t.Fatalf("%s: %q, %v", name, fixtures, err)
		}
		if c.answers[name], err = os.ReadFile(fixtures[0]); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

func (c *commons) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, path, _ := strings.Cut(r.URL.Path[1:], "/")
	lookup := strings.Contains(path, "10.5555") || strings.Contains(path, "10.48550") || strings.Contains(path, "NCT0")
	c.mu.Lock()
	c.under[name]++
	c.visits[name] = append(c.visits[name], visit{time.Now(), r.UserAgent(), name == "openalex" && lookup,
		c.under[name]})
	took := time.Duration(10+7*len(c.visits[name])%60) * time.Millisecond
	c.mu.Unlock()
	thinking := time.NewTimer(took)
	select {
	case <-thinking.C:
	case <-r.Context().Done():
		thinking.Stop()
	}
	c.mu.Lock() // who is answered may ask again
	c.under[name]--
	c.mu.Unlock()
	if lookup {
		http.NotFound(w, r)
		return
	}
	w.Write(c.answers[name])
}

// exceeded lists what went beyond a limit.
func (c *commons) exceeded() (broken []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for name, limits := range statedLimits {
		visits := c.visits[name]
		for _, limit := range limits {
			worst := 0
			for i, v := range visits {
				count := v.under
				if limit.within > 0 {
					count = 0
					for _, before := range visits[:i+1] {
						if limit.within == aDay && before.free {
							continue
						}
						if v.at.Sub(before.at) < limit.within {
							count++
						}
					}
				}
				worst = max(worst, count)
			}
			if worst > limit.calls {
				broken = append(broken, fmt.Sprintf("%s was asked %d times within %v, and takes %d", name, worst,
					limit.within, limit.calls))
			}
		}
		description, _ := provider.Describe(name)
		for _, v := range visits {
			if told := strings.Contains(v.agent, "ops@harbour.example"); !strings.HasPrefix(v.agent, "Citewell/") ||
				told != (description.WithContact != nil) {
				broken = append(broken, fmt.Sprintf("%s was asked by %q", name, v.agent))
			}
		}
	}
	slices.Sort(broken)
	return slices.Compact(broken)
}

// questionOf is one of many questions, of all kinds in turn.
func questionOf(n int) map[string]any {
	kinds := []map[string]any{
		{"query": "what is the effect of the Skarrow barrage %d on crabs"},
		{"query": "why does git lose the Skarrow branch %d"},
		{"query": "what is the regulation of the Skarrow barrage %d"},
		{"query": "who was the builder of Skarrow lock %d"},
		{"query": "what does 10.5555/tide.%d say of crabs"},
		{"query": "tides of the sound %d", "sources": []string{"books", "data"}},
		{"query": "latest news of the Skarrow barrage %d"},
		{"query": "what does NCT0000%04d say of sea water"},
		{"query": "tides of the strait %d", "sources": []string{"scholarly", "encyclopedia"}},
	}
	question := maps.Clone(kinds[n%len(kinds)])
	question["query"] = fmt.Sprintf(question["query"].(string), n)
	return question
}

// keepManners has four processes with one store ask many questions at once, and holds what the
// services saw against what they take. Of the days' budgets a few calls are left. kept is where the
// configuration has the store.
func keepManners(t *testing.T, kept string) {
	count := clusterSize(t, "CITEWELL_MANNERS_QUESTIONS", 72)
	services := newCommons(t)
	server := httptest.NewServer(services)
	t.Cleanup(server.Close)
	home := t.TempDir()
	config := filepath.Join(home, "citewell.yaml")
	var providers strings.Builder
	for name := range statedLimits {
		fmt.Fprintf(&providers, ", %s: {base_url: %q}", name, server.URL+"/"+name) // at their own rates
	}
	write(t, config, fmt.Sprintf("contact: ops@harbour.example\nsearch: {open: off, providers: {duckduckgo: {enabled: "+
		"false}%s}}\nfetch: {allow_networks: [127.0.0.0/8]}\n"+
		// no page is got: those of the results are real ones
		"brief: {deadlines: {fetch: 1ns}}\n%s\n", providers.String(), kept))

	left := map[string]int{"openalex": 90, "stackexchange": 280}
	e := &env{environ: homeEnviron(home), stdout: &output{w: os.Stdout}, stderr: &console{w: os.Stderr},
		configFile: config}
	a, err := e.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	for name, all := range left {
		left[name] = min(all, max(2, count/20))
		for range all - left[name] {
			if _, err := a.Store.TakeTurn(t.Context(), name, began, runstore.PaceRule{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}

	const processes, atOnce = 4, 4
	numbers := make(chan int)
	outcomes := map[citewell.ProviderOutcome]int{}
	var mu sync.Mutex
	var asking sync.WaitGroup
	for range processes {
		session := startMCP(t, home, config, "default")
		for range atOnce {
			asking.Go(func() {
				for n := range numbers {
					r, err := session.CallTool(t.Context(), &mcp.CallToolParams{
						Name: "web_search", Arguments: questionOf(n)})
					if err != nil {
						t.Errorf("question %d: %v", n, err)
						continue
					}
					var b citewell.Brief
					said, err := json.Marshal(r.StructuredContent)
					if err == nil {
						err = json.Unmarshal(said, &b)
					}
					if err != nil || len(b.Coverage.Providers) == 0 {
						t.Errorf("question %d: %v %.300s", n, err, said)
					}
					mu.Lock()
					for _, p := range b.Coverage.Providers {
						outcomes[p.Outcome]++
						if strings.Contains(p.Detail, "could not be told") {
							t.Errorf("%s: %s", p.Name, p.Detail)
						}
					}
					mu.Unlock()
				}
			})
		}
	}
	for n := range count {
		numbers <- n
	}
	close(numbers)
	asking.Wait()
	took := time.Since(began)
	for _, broken := range services.exceeded() {
		t.Error(broken)
	}
	var asked []string
	all := 0
	for name := range statedLimits {
		visits := services.visits[name]
		if len(visits) == 0 {
			t.Errorf("%s was not asked", name)
		}
		all += len(visits)
		asked = append(asked, fmt.Sprintf("%s %d", name, len(visits)))
		if n := left[name]; n > 0 && began.UTC().Day() == time.Now().UTC().Day() {
			counted := slices.DeleteFunc(slices.Clone(visits), func(v visit) bool { return v.free })
			if len(counted) > n {
				t.Errorf("%s was asked %d times on a day that had %d left", name, len(counted), n)
			}
		}
	}
	slices.Sort(asked)
	if outcomes[citewell.ProviderOK] == 0 || outcomes[citewell.ProviderQuotaExhausted] == 0 {
		t.Errorf("the limits were not reached: %v", outcomes)
	}
	t.Logf("%d questions of %d processes in %v: %d requests (%s); outcomes %v", count, processes,
		took.Round(time.Second), all, strings.Join(asked, ", "), outcomes)
}

// Four processes that share a store together keep to what each service states: its rate, its
// calls at once, its day; and each is told who asks, in the form that it wants.
func TestProcessesKeepManners(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes and servers")
	}
	keepManners(t, "")
}

func TestProcessesKeepMannersOnPostgreSQL(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes and servers")
	}
	keepManners(t, fmt.Sprintf("store: {url: %q}", pgtest.VectorURL(t)))
}
