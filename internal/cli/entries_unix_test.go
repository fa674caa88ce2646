//go:build unix

package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/testing/modeltest"
)

// An asked run is what its log tells as data.
type askedRun struct {
	entries map[string][]job.Entry // by type of the event
	spent   []agent.Usage
	result  agent.Result
}

// tells reads the log of a run to its end, and sees to what holds of each log: entries are
// small and have a time, and what was spent never falls.
func (c *runsClient) tells(id string) askedRun {
	c.t.Helper()
	r := askedRun{entries: map[string][]job.Entry{}}
	for _, h := range c.whole("/v1/runs/" + id + "/events") {
		var e runstore.RunEvent
		if h.event == "stream.end" {
			continue
		}
		if err := json.Unmarshal([]byte(h.data), &e); err != nil || e.Time.IsZero() {
			c.t.Fatalf("%s: %v", h.data, err)
		}
		if e.Type == job.EventSpent {
			var u, before agent.Usage
			if err := json.Unmarshal(e.Data, &u); err != nil {
				c.t.Fatal(err)
			}
			if n := len(r.spent); n > 0 {
				before = r.spent[n-1]
			}
			if u.Searches < before.Searches || u.Fetches < before.Fetches || u.InputTokens < before.InputTokens ||
				u.ActiveMS < before.ActiveMS {
				c.t.Errorf("after %+v was spent, %+v is", before, u)
			}
			r.spent = append(r.spent, u)
			continue
		}
		if len(e.Data) > 9<<10 {
			c.t.Errorf("an entry has %d bytes: %s", len(e.Data), e.Data)
		}
		var entry job.Entry
		if json.Unmarshal(e.Data, &entry) == nil {
			r.entries[e.Type] = append(r.entries[e.Type], entry)
		}
	}
	if a := c.do("GET", "/v1/runs/"+id+"/result", ""); json.Unmarshal(a.body, &r.result) != nil {
		c.t.Fatalf("%s", a.body)
	}
	return r
}

// searches are the searches that were told as data.
func (r askedRun) searches() (all []*agent.Searched) {
	for _, e := range r.entries["result"] {
		if e.Search != nil {
			all = append(all, e.Search)
		}
	}
	return all
}

// The log of a run tells as data what was planned, what each provider did and found, what
// became of each page, and what was spent after each step.
func TestEntriesHaveData(t *testing.T) {
	t.Parallel()
	l := newLab(t, researcher{mode: "long"})
	c, _ := l.api(t)
	r := c.tells(c.begin(`{"task": "` + larchTask + `"}`))
	if r.result.Outcome != runstore.RunAnswered {
		t.Fatalf("%+v", r.result)
	}
	plans := 0
	for _, e := range r.entries["result"] {
		if (e.Plan != nil) != (e.Name == "generate_plan_tool" || e.Name == "adapt_plan_tool") ||
			(e.Search != nil) != (e.Name == agent.WebSearchTool) {
			t.Errorf("%s has the data of something else: %+v", e.Name, e)
		}
		if p := e.Plan; p != nil {
			if plans++; p.Goal == "" || len(p.Steps) < 2 {
				t.Errorf("the plan is %+v", p)
			}
		}
	}
	if n := len(r.searches()); plans == 0 || n != r.result.Usage.Searches {
		t.Errorf("%d plans, %d searches of %d", plans, n, r.result.Usage.Searches)
	}
	for _, s := range r.searches() {
		var names []string
		for _, p := range s.Providers {
			names = append(names, p.Name)
			if (p.Outcome == citewell.ProviderOK) != (p.Results > 0) {
				t.Errorf("%+v", p)
			}
		}
		if s.Query == "" || !slices.Equal(names, []string{"duckduckgo", "searxng"}) || len(s.Hits) == 0 {
			t.Errorf("the search is %+v", s)
		}
		for _, h := range s.Hits {
			if h.N < 1 || h.N > len(r.result.Sources) || r.result.Sources[h.N-1].URL != h.URL || h.Title == "" {
				t.Errorf("%+v is no source", h)
			}
		}
	}
	read := 0
	for _, e := range r.entries["fetch"] {
		if f := e.Fetch; f.Outcome.Readable() {
			if read++; f.N < 1 || f.URL != e.Name || f.FinalURL == "" || f.Status != 200 || f.Bytes == 0 ||
				e.Number != f.N {
				t.Errorf("a page that was read: %+v", f)
			}
		}
	}
	if read != len(r.entries["read"]) || len(r.entries["fetch"]) != r.result.Usage.Fetches {
		t.Errorf("%d of %d pages were read by one account, %d of %d by the other", read, len(r.entries["fetch"]),
			len(r.entries["read"]), r.result.Usage.Fetches)
	}
	last := r.spent[len(r.spent)-1]
	if len(r.spent) < r.result.Iteration || last.InputTokens != r.result.Usage.InputTokens ||
		last.Searches != r.result.Usage.Searches || last.Fetches != r.result.Usage.Fetches {
		t.Errorf("%d times it is told what was spent, at last %+v of %+v", len(r.spent), last, r.result.Usage)
	}
}

// A brief tells of each search at each provider and of each page, those that failed too.
func TestEntriesOfABriefHaveData(t *testing.T) {
	t.Parallel()
	l := newLab(t, researcher{})
	c, _ := l.api(t)
	r := c.tells(c.begin(`{"task": "` + larchTask + `", "agent": "brief"}`))
	if r.result.Outcome != runstore.RunAnswered {
		t.Fatalf("%+v", r.result)
	}
	found := map[string]int{}
	for _, s := range r.searches() {
		if len(s.Providers) != 1 || s.Query == "" || s.Providers[0].Outcome == citewell.ProviderOK && len(s.Hits) == 0 {
			t.Errorf("the search is %+v", s)
		}
		found[s.Providers[0].Name]++
	}
	if n := len(r.searches()); n != r.result.Usage.Searches || found["searxng"] == 0 || found["duckduckgo"] == 0 {
		t.Errorf("%v of %d searches", found, r.result.Usage.Searches)
	}
	outcomes := map[citewell.FetchOutcome]int{}
	for _, e := range r.entries["fetch"] {
		f := e.Fetch
		outcomes[f.Outcome]++
		if f.Outcome.Readable() != (f.Bytes > 0 && f.FinalURL != "" && e.Text == "") {
			t.Errorf("a page: %+v %s", f, e.Text)
		}
	}
	if len(r.entries["fetch"]) != r.result.Usage.Fetches || outcomes[citewell.FetchOK] == 0 {
		t.Errorf("%v of %d pages", outcomes, r.result.Usage.Fetches)
	}
	if len(r.spent) == 0 || r.spent[len(r.spent)-1] != r.result.Usage {
		t.Errorf("spent %+v of %+v", r.spent, r.result.Usage)
	}
}

// A page that the server does not have, and a search that no provider answered, are told
// with what became of them.
func TestEntriesTellOfFailures(t *testing.T) {
	t.Parallel()
	l := newLab(t, researcher{})
	web := httptest.NewServer(http.NotFoundHandler())
	defer web.Close()
	missing := web.URL + "/nothing-here"
	script, err := turns(`[{"extract_page_content_tool": {"reasoning": "the user names it", "urls": ["` + missing +
		`"]}}, {"web_search_tool": {"reasoning": "x", "query": "larch"}}, {"final_answer_tool": "Nothing was to be found."}]`)
	if err != nil {
		t.Fatal(err)
	}
	l.model.Follow(script)
	write(t, filepath.Join(l.home, "citewell.yaml"), fmt.Sprintf("search: {providers: {searxng: {base_url: %q}, "+
		"duckduckgo: {base_url: %[1]q}}}\nfetch: {allow_networks: [127.0.0.0/8]}\nllm: {base_url: %[2]q, model: "+
		"scripted}\nagents: {plain: {base_class: tool_calling_agent}}\n", "http://127.0.0.1:1", l.model.Base()))
	c, _ := l.api(t)
	r := c.tells(c.begin(`{"agent": "plain", "task": "What does ` + missing + ` say?"}`))
	if n := len(r.entries["fetch"]); n != 1 {
		t.Fatalf("%d pages: %+v", n, r.entries)
	}
	e := r.entries["fetch"][0]
	if f := e.Fetch; f.Outcome != citewell.FetchHTTPStatus || f.Status != 404 || f.N != 0 || f.Bytes != 0 ||
		!strings.Contains(e.Text, "404") {
		t.Errorf("%+v %s", f, e.Text)
	}
	searches := r.searches()
	if len(searches) != 1 || searches[0].Query != "larch" || len(searches[0].Hits) != 0 ||
		len(searches[0].Providers) != 2 {
		t.Fatalf("%s", asText(t, searches))
	}
	for i, name := range []string{"duckduckgo", "searxng"} {
		if p := searches[0].Providers[i]; p.Name != name || p.Outcome != citewell.ProviderFailed || p.Detail == "" {
			t.Errorf("%+v", p)
		}
	}
}

// Where the operator wants a person to be asked before a tool acts, the run waits with a
// confirmation: a yes has the call made, anything else not. It is asked once.
func TestARunAsksBeforeItActs(t *testing.T) {
	t.Parallel()
	wiki := httptest.NewServer(wikiServer("80"))
	defer wiki.Close()
	l := newLab(t, researcher{})
	script, err := turns(
		`[{"wiki_look_up": {"question": "the gate"}}, {"wiki_store": {"question": "the lighthouse <b>"}}, {"final_answer_tool": "Nothing was to be found."}]`)
	if err != nil {
		t.Fatal(err)
	}
	l.model.Follow(func(n int, a modeltest.Asked) modeltest.Reply {
		if strings.Contains(a.Last(), "19 + 23") {
			return modeltest.Says(`{"sum":42}`)
		}
		return script(n, a)
	})
	write(t, filepath.Join(l.home, "citewell.yaml"), fmt.Sprintf("llm: {base_url: %q, model: scripted}\nconfirm: "+
		"{wiki_store: ask}\nmcp: {mcpServers: {wiki: {url: %q, trust: {read_only_tools: [look_up]}}}}\nagents: "+
		"{plain: {base_class: tool_calling_agent, tools: [final_answer_tool]}}\n", l.model.Base(), wiki.URL))
	c, _ := l.api(t)
	for answer, want := range map[string]string{"Yes": `{"ok":true}`, "no, why?": "Error (confirmation_required)"} {
		id := c.begin(`{"task": "How wide is the harbour gate of Hallvik?", "agent": "plain"}`)
		var asks agent.Question
		if err := c.listen(t.Context(), "/v1/runs/"+id+"/events", func(h heard) bool {
			if h.event == "question" {
				var e runstore.RunEvent
				if json.Unmarshal([]byte(h.data), &e) != nil || json.Unmarshal(e.Data, &asks) != nil {
					t.Errorf("%s", h.data)
				}
			}
			return !strings.Contains(h.data, string(runstore.RunWaiting)) && h.event != "stream.end"
		}); err != nil {
			t.Fatal(err)
		}
		if asks.Kind != agent.QuestionConfirmation || asks.Tool != "wiki_store" ||
			string(asks.Arguments) != `{"question":"the lighthouse <b>"}` ||
			!strings.Contains(asks.Why, "untrusted text") || len(asks.Questions) != 1 {
			t.Fatalf("it asks %+v", asks)
		}
		var shown struct{ Question *agent.Question }
		if a := c.do("GET", "/v1/runs/"+id, ""); json.Unmarshal(a.body, &shown) != nil || shown.Question == nil ||
			shown.Question.Kind != asks.Kind || shown.Question.Key != asks.Key {
			t.Errorf("the run: %s", a.body)
		}
		if a := c.do("POST", "/v1/runs/"+id+"/answer", `{"text": "`+answer+`"}`); a.StatusCode != 200 {
			t.Fatalf("%d %s", a.StatusCode, a.body)
		}
		r := c.tells(id)
		got, questions := "", 0
		for _, e := range r.entries["result"] {
			if e.Name == "wiki_store" {
				got += e.Text
			}
		}
		for _, h := range c.whole("/v1/runs/" + id + "/events") {
			if h.event == "question" {
				questions++
			}
		}
		if !strings.Contains(got, want) || questions != 1 || r.result.Clarifications != 1 {
			t.Errorf("%q, asked %d times, and %d by the result: %s", answer, questions, r.result.Clarifications, got)
		}
	}
}
