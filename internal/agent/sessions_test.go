package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/report"
	"github.com/citewell/citewell/internal/tool"
	"github.com/google/jsonschema-go/jsonschema"
)

// outside are the agent's tools without a run.
type outside struct{ *tool.Toolset }

func newOutside(o agent.Options) outside {
	return outside{&tool.Toolset{Name: "sgr", Tools: agent.NewSessions(o).Tools()}}
}

// call calls a tool in a session; what it gives must be what its schema promises.
func (o outside) call(t *testing.T, session, name string, arguments map[string]any) (tool.Result, error) {
	t.Helper()
	data, err := json.Marshal(arguments)
	if err != nil {
		t.Fatal(err)
	}
	r, err := o.Call(tool.WithCaller(t.Context(), tool.Caller{Session: session}), name, data)
	if err != nil {
		return r, err
	}
	d, err := o.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	var schema jsonschema.Schema
	var value any
	for _, pair := range [][2]any{{d.Output, &schema}, {r.Structured, &value}} {
		data, err := json.Marshal(pair[0])
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(data, pair[1]); err != nil {
			t.Fatal(err)
		}
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := resolved.Validate(value); err != nil {
		t.Errorf("%s: %v in %v", name, err, value)
	}
	return r, nil
}

func (o outside) must(t *testing.T, session, name string, arguments map[string]any) (text string, data map[string]any) {
	t.Helper()
	r, err := o.call(t, session, name, arguments)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	raw, err := json.Marshal(r.Structured)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &data); err != nil {
		t.Fatal(err)
	}
	return r.Text, data
}

func lookFor(query string) map[string]any {
	return map[string]any{"reasoning": "to find it", "query": query}
}

func reportArguments(content string) map[string]any {
	return map[string]any{"reasoning": "enough", "title": "Larch 2.0",
		"user_request_language_reference": "When was Larch 2.0 released?", "content": content, "confidence": "high"}
}

// An agent of somebody else's searches, reads and writes: its sources have numbers as in
// a run, and its report is checked against them, and can be again.
func TestAnotherAgentsSession(t *testing.T) {
	d := newDesk(t)
	options := d.options(t, "", nil)
	files, save := map[string]string{}, options.SaveReport
	options.SaveReport = func(ctx context.Context, name, markdown string) (string, error) {
		files[name] = markdown
		return save(ctx, name, markdown)
	}
	o := newOutside(options)
	found, data := o.must(t, "a", agent.WebSearchTool, lookFor("Larch file format"))
	if !strings.HasPrefix(found, "Search Query: Larch file format\n\n[1] ") || strings.Contains(found, "<<<DATA") ||
		len(data["results"].([]any)) == 0 {
		t.Fatalf("%s\n%v", found, data)
	}
	again, _ := o.must(t, "a", agent.WebSearchTool, lookFor("Larch file format"))
	if again != found {
		t.Errorf("the same search numbers otherwise:\n%s", again)
	}
	n := 0
	for i, hit := range data["results"].([]any) {
		if strings.HasSuffix(hit.(map[string]any)["url"].(string), "/releases") {
			n = i + 1
		}
	}
	if n == 0 {
		t.Fatalf("the page was not found: %v", data)
	}
	releases := data["results"].([]any)[n-1].(map[string]any)["url"]
	read, data := o.must(t, "a", "extract_page_content_tool",
		map[string]any{"reasoning": "to read it", "urls": []any{releases, "http://10.0.0.1/"}})
	pages := data["pages"].([]any)
	if !strings.Contains(read, "9 March 2022") || len(pages) != 2 || pages[0].(map[string]any)["n"] != float64(n) ||
		pages[1].(map[string]any)["problem"] == "" {
		t.Errorf("%s\n%v", read, data)
	}

	// What does not hold is sent back twice, then written with the remark.
	wrong := reportArguments(fmt.Sprintf("Larch 2.0 was downloaded 48,613 times [99]. Larch 2.0 was released on 9 "+
		"March 2022 [%d]. More at https://invented.example/page.", n))
	for range 2 {
		if _, err := o.call(t, "a", "create_report_tool", wrong); citewell.CodeOf(err) != citewell.CodeCitationsFailed {
			t.Errorf("an invented figure: %v", err)
		}
	}
	_, data = o.must(t, "a", "create_report_tool", wrong)
	if !strings.Contains(data["content"].(string), "(⚠ unknown number)") ||
		strings.Contains(data["content"].(string), "invented.example") || len(data["unverified"].([]any)) == 0 ||
		fmt.Sprint(data["removed"]) != "[https://invented.example/page]" {
		t.Errorf("%v", data)
	}
	// The next report is another, and checked from the beginning.
	if _, err := o.call(t, "a", "create_report_tool", wrong); citewell.CodeOf(err) != citewell.CodeCitationsFailed {
		t.Errorf("the same in the next report: %v", err)
	}
	right := fmt.Sprintf("Larch 2.0 was released on 9 March 2022 [%d].", n)
	_, data = o.must(t, "a", "create_report_tool", reportArguments(right))
	if data["content"] != right || data["sources_count"] != 1.0 || len(data["unverified"].([]any)) != 0 {
		t.Errorf("%v", data)
	}
	file := files[data["filepath"].(string)]
	if !strings.Contains(file, "## Verification") {
		t.Fatalf("%v: %s", data["filepath"], file)
	}
	_, id, _ := strings.Cut(file, "\nRun ")
	id, _, _ = strings.Cut(id, ",")
	kept, err := d.store.Brief(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	stamp, record, err := report.Parse(string(file))
	if err != nil || record.Report == nil {
		t.Fatal("the store does not keep the report of a session, and its file does not carry it", err)
	}
	asFile, stray := agent.HandedIn(*record.Report)
	if changes := record.Changes(string(file), stamp); len(stray) > 0 || len(changes) > 0 {
		t.Errorf("%+v %+v", stray, changes)
	}
	for _, b := range []citewell.Brief{kept, asFile} {
		checked, err := cite.Verify(t.Context(), b, archive{d.store})
		if err != nil || len(checked.Citations) == 0 || !checked.OK {
			t.Errorf("%+v, %v", checked, err)
		}
	}
	answer := map[string]any{"reasoning": "done", "completed_steps": []string{"all"}, "answer": right,
		"status": "completed"}
	if text, _ := o.must(t, "a", "final_answer_tool", answer); !strings.Contains(text, right) {
		t.Errorf("the final answer is %s", text)
	}

	// Another session knows nothing of this one's numbers.
	_, data = o.must(t, "b", "create_report_tool", reportArguments(right+" See https://a.example/."))
	if strings.Contains(data["content"].(string), "[") || strings.Contains(data["content"].(string), "a.example") ||
		!strings.Contains(fmt.Sprint(data["unverified"]), "nothing was verified") || data["sources_count"] != 0.0 {
		t.Errorf("%v", data)
	}
	if text, _ := o.must(t, "b", "final_answer_tool", answer); !strings.Contains(text, right) {
		t.Errorf("a final answer that nothing can be checked against: %s", text)
	}
	if text, _ := o.must(t, "b", "clarification_tool", map[string]any{
		"reasoning": "unclear", "unclear_terms": []string{"x"}, "assumptions": []string{"a", "b"},
		"questions": []string{"Which?", "When?"}}); text != "Which?\nWhen?" {
		t.Errorf("the questions are %q", text)
	}
}

// crowd finds ten new pages at each search, and reads any page as a long text.
type crowd struct {
	mu sync.Mutex
	n  int
}

func (c *crowd) Search(context.Context, citewell.Query) (list []citewell.Result, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for range 10 {
		c.n++
		list = append(list, citewell.Result{Title: fmt.Sprint("page ", c.n),
			URL: fmt.Sprintf("https://p%d.example/", c.n)})
	}
	return list, nil
}

func (c *crowd) Read(_ context.Context, url string) (citewell.Page, citewell.Document, error) {
	text := strings.Repeat("The lake is 40 metres deep. ", 40_000)
	return citewell.Page{URL: url, FinalURL: url, Outcome: citewell.FetchOK},
		citewell.Document{URL: url, Title: url, Text: text,
			Passages: []citewell.Passage{{Start: 0, End: 27, Text: text[:27]}}}, nil
}

// What a session keeps is bounded, and a number means one page until the work is over.
func TestASessionForgets(t *testing.T) {
	o := newOutside(agent.Options{Searcher: &crowd{}, Reader: &crowd{}, Limits: agent.Limits{MaxResults: 10}})
	arguments := lookFor("lakes")
	arguments["max_results"] = 10
	last := 0.0
	for range 98 {
		_, data := o.must(t, "", agent.WebSearchTool, arguments)
		for _, hit := range data["results"].([]any) {
			n, url := hit.(map[string]any)["n"].(float64), hit.(map[string]any)["url"].(string)
			if n != last+1 || url != fmt.Sprintf("https://p%v.example/", n) {
				t.Fatalf("%v is %s, after %v", n, url, last)
			}
			last = n
		}
		if last == 500 {
			for n := 1; n <= 6; n++ { // a megabyte each: the first of them are forgotten
				if text, _ := o.must(t, "", "extract_page_content_tool",
					map[string]any{"reasoning": "x", "urls": []string{fmt.Sprintf("https://p%d.example/",
						n)}}); !strings.Contains(text, fmt.Sprintf("[%d] ", n)) {
					t.Fatalf("page %d is %.80s", n, text)
				}
			}
		}
	}
	content := "The lake is 40 metres deep [%d]."
	if _, err := o.call(t, "", "create_report_tool", reportArguments(fmt.Sprintf(content, 1))); err == nil ||
		!strings.Contains(err.Error(), "[1]") {
		t.Errorf("a number that was forgotten: %v", err)
	}
	if _, data := o.must(t, "", "create_report_tool", reportArguments(fmt.Sprintf(content,
		6))); data["sources_count"] != 1.0 {
		t.Errorf("%v", data)
	}
	if text, _ := o.must(t, "", "extract_page_content_tool",
		map[string]any{"reasoning": "x", "urls": []string{"https://p1.example/"}}); !strings.Contains(text, "[981] ") {
		t.Errorf("a page that was forgotten gets the number of another: %.80s", text)
	}
	// 986, 991, and no room for ten more
	for _, want := range []citewell.Code{"", "", citewell.CodeBudgetExhausted, citewell.CodeBudgetExhausted} {
		if _, err := o.call(t, "", agent.WebSearchTool, lookFor("lakes")); citewell.CodeOf(err) != want &&
			(want != "" || err != nil) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	o.must(t, "", "final_answer_tool", map[string]any{"reasoning": "x", "completed_steps": []string{"x"},
		"answer": fmt.Sprintf(content, 6), "status": "completed"})
	if text, _ := o.must(t, "", agent.WebSearchTool, lookFor("lakes")); !strings.Contains(text, "[1] page") {
		t.Errorf("after the final answer numbers go on: %.200s", text)
	}
}

// Many call at once, in one session and in many.
func TestSessionsAtOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	o := newOutside(agent.Options{Searcher: &crowd{}, Reader: &crowd{}})
	var all sync.WaitGroup
	for i := range 200 {
		all.Go(func() {
			session := fmt.Sprint(i % 100) // more than are kept
			if _, err := o.Call(tool.WithCaller(t.Context(), tool.Caller{Session: session}), agent.WebSearchTool,
				json.RawMessage(`{"reasoning":"x","query":"lakes"}`)); err != nil {
				t.Error(err)
			}
			if _, err := o.Call(tool.WithCaller(t.Context(), tool.Caller{Session: session}),
				"extract_page_content_tool", json.RawMessage(
					`{"reasoning":"x","urls":["https://p1.example/"]}`)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}
