package browser

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell/internal/demo"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/testing/modeltest"
	"github.com/citewell/citewell/store/sqlite"
)

const larchQuestion = "When was Larch 2.0 released?"

// A researcher is a model that researches larchQuestion on the demo web, and each answer of
// which may be held up.
type researcher struct {
	asks bool            // a question first
	hold map[string]bool // calls that wait for go on
	goOn chan bool
}

var (
	releasesPage = regexp.MustCompile(`http://docs\.larch\.localhost:\d+/releases`)
	releasesMark = regexp.MustCompile(`(?m)^(\[\d+\]) .* - \S+/releases\b`)
)

func calls(name string, arguments map[string]any) modeltest.Reply {
	data, err := json.Marshal(arguments)
	if err != nil {
		panic(err) // strings and lists of them
	}
	return modeltest.Asks(modeltest.Call{ID: "c", Name: name, Arguments: string(data)})
}

// reply is a modeltest.Script: what it says follows from the conversation alone.
func (m researcher) reply(_ int, a modeltest.Asked) modeltest.Reply {
	made, all := conversation(a)
	tools, _ := json.Marshal(a.Body["tools"])
	next := ""
	for _, name := range []string{"clarification_tool", "generate_plan_tool", "web_search_tool",
		"extract_page_content_tool", "create_report_tool", "final_answer_tool"} {
		if made[name] == 0 && (name != "clarification_tool" || m.asks) {
			next = name
			break
		}
	}
	mark := "[1]"
	if found := releasesMark.FindStringSubmatch(all); found != nil {
		mark = found[1]
	}
	if strings.Contains(all, "The conversation has these sources so far.") {
		next = "final_answer_tool"
	}
	if m.hold[next] {
		<-m.goOn
	}
	switch {
	case strings.Contains(a.Last(), "19 + 23"): // it is tried out
		return modeltest.Says(`{"sum":42}`)
	case strings.Contains(string(tools), `"reasoning_tool"`):
		return calls("reasoning_tool", map[string]any{"reasoning_steps": []string{"look", "read"},
			"current_situation": "begun", "plan_status": "on its way", "enough_data": false,
			"remaining_steps": []string{"go on"}, "task_completed": false})
	}
	switch next {
	case "clarification_tool":
		return calls(next, map[string]any{"reasoning": "unclear", "unclear_terms": []string{"Larch"},
			"assumptions": []string{"the tree", "the format"}, "questions": []string{"The tree or the file format?"}})
	case "generate_plan_tool":
		return calls(next, map[string]any{"reasoning": "to begin", "research_goal": "the Larch format",
			"planned_steps":     []string{"search <b>wide</b>", "read", "report"},
			"search_strategies": []string{"the format", "the release"}})
	case "web_search_tool":
		return calls(next, map[string]any{"reasoning": "to find it", "query": "Larch 2.0 release date",
			"max_results": 5})
	case "extract_page_content_tool":
		return calls(next, map[string]any{"reasoning": "to read it", "urls": releasesPage.FindAllString(all, 1)})
	case "create_report_tool":
		return calls(next, map[string]any{"reasoning": "enough is known", "title": "The release of Larch 2.0",
			"user_request_language_reference": larchQuestion,
			"content": "Larch 2.0 was released on 9 March 2022 " + mark +
				". It reads every file that Larch 1 has written " + mark + ".", "confidence": "high"})
	}
	return calls("final_answer_tool", map[string]any{"reasoning": "done", "completed_steps": []string{"searched"},
		"answer": "Larch 2.0 reads every file that Larch 1 has written " + mark + ".", "status": "completed"})
}

// serveWithModel serves the page over the demo web, with a model.
func serveWithModel(t *testing.T, m researcher) *Server {
	t.Helper()
	web, err := demo.Start(t.Context(), demo.Options{Addr: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { web.Close() })
	model := modeltest.Serve(t)
	model.Script = m.reply
	file := filepath.Join(t.TempDir(), "citewell.yaml")
	config := fmt.Sprintf("llm: {base_url: %q, model: scripted}\nsearch:\n  providers:\n    searxng: "+
		"{base_url: %q}\n    "+
		"duckduckgo: {base_url: %q}\nfetch:\n  allow_networks: [127.0.0.0/8]\n", model.Base(), web.SearchURL(),
		web.DuckDuckGoURL())
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	return Serve(t, "serve", "--config", file)
}

// begin asks, and gives the run that begins.
func (tab *Tab) begin(s *Server, question string) (run string) {
	tab.t.Helper()
	tab.Goto(s.URL + "/")
	tab.Type("#question", question)
	tab.Follow("button.primary")
	return strings.TrimPrefix(Eval[string](tab, `location.pathname`), "/runs/")
}

// rows are the numbers of the entries that are shown, in their order.
func (tab *Tab) rows() []string {
	return strings.Fields(Eval[string](tab, `[...document.querySelectorAll('.row')].map(r => r.dataset.seq).join(' ')`))
}

// A question is answered on the page by keyboard; what is half written stays while news come.
// Then a second question goes on from the report.
func TestQuestionOnThePage(t *testing.T) {
	t.Parallel()
	s := serveWithModel(t, researcher{asks: true})
	tab := Open(t, Options{})
	tab.begin(s, larchQuestion)
	tab.WaitVisible("#answer")
	tab.WaitFor(`document.title.startsWith('(?)')`)
	tab.Axe("a question")
	tab.Screenshot("question")
	if said := tab.Text(".question"); !strings.Contains(said, "The tree or the file format?") {
		t.Errorf("it asks %s", said)
	}
	tab.Type("#answer", "The file ")
	Eval[any](tab, `{
		window.taken = [];
		new MutationObserver(l => l.forEach(m => m.removedNodes.forEach(n => n.querySelectorAll?.('#answer, button').forEach(e => taken.push(e.textContent || e.id))))).observe(document.body, { childList: true, subtree: true });
		document.querySelector('.state').textContent = 'old';
		dispatchEvent(new Event('online')); // the stream begins anew, and news come
	}`)
	tab.WaitFor(`document.querySelector('.state').textContent !== 'old'`)
	if taken := Eval[[]string](tab, `taken`); len(taken) > 0 {
		t.Errorf("news take %q out from under the reader's hands", taken)
	}
	tab.Type("#answer", "format")
	if words := Eval[string](tab, `document.getElementById('answer').value`); !strings.Contains(words, "The file") ||
		!strings.Contains(words, "format") {
		t.Errorf("half written is %q", words)
	}
	tab.Press("Tab", "Enter")
	run := tab.ended()
	if said := tab.Text("#report"); !strings.Contains(said, "9 March 2022") {
		t.Errorf("the report says %s", said)
	}
	tab.Type("#question", "Does it read old files?")
	tab.Follow(".ask button.primary")
	if on := tab.ended(); on == run || !strings.Contains(tab.Text("#main"), "Goes on from an earlier run") {
		t.Errorf("%s goes on from %s: %s", on, run, tab.Text("#main"))
	}
	tab.Click("#report a.mark")
	tab.WaitVisible("#cite")
}

// A run that is cancelled on its page says so, and keeps what it had read.
func TestCancelOnThePage(t *testing.T) {
	t.Parallel()
	m := researcher{hold: map[string]bool{"create_report_tool": true}, goOn: make(chan bool)}
	defer close(m.goOn)
	s := serveWithModel(t, m)
	tab := Open(t, Options{Dark: true})
	tab.begin(s, larchQuestion)
	tab.WaitFor(`document.querySelector('.row.read')`)
	tab.Axe("under way")
	tab.Screenshot("under way")
	if said := tab.Text(".row.plan"); !strings.Contains(said, "search <b>wide</b>") {
		t.Errorf("the plan is %s", said)
	}
	if search := tab.Text(".row.search"); !strings.Contains(search, "Larch 2.0 release date") ||
		!regexp.MustCompile(`searxng \d`).MatchString(search) {
		t.Errorf("a search is told as %q", search)
	}
	if speed := tab.Speed(); speed.LayoutShift > 0 {
		t.Errorf("news moved what was there by %v", speed.LayoutShift)
	}
	began := time.Now()
	tab.Follow("#now form[data-cancel] button")
	tab.WaitFor(`document.body.innerText.includes('Cancelled')`)
	t.Logf("cancelled after %v", time.Since(began))
	tab.ended()
	if said := tab.Text("#main"); !strings.Contains(said, "Cancelled") || !strings.Contains(said, "[2]") {
		t.Errorf("after it was cancelled: %s", said)
	}
}

// The server is killed under an open page: the page says so, goes on by itself when the server
// is back, and shows nothing twice; loaded anew, it shows the same.
func TestServerIsKilledUnderThePage(t *testing.T) {
	t.Parallel()
	m := researcher{hold: map[string]bool{"create_report_tool": true}, goOn: make(chan bool)}
	s := serveWithModel(t, m)
	tab := Open(t, Options{})
	tab.begin(s, larchQuestion)
	tab.WaitFor(`document.querySelector('.row.read') && document.getElementById('stream').textContent.includes('live')`)
	tab.Expect("ERR_") // what a lost connection leaves on the console
	began := time.Now()
	s.Kill()
	tab.WaitFor(`/reconnecting|does not answer/.test(document.getElementById('stream').textContent)`)
	t.Logf("it was said after %v", time.Since(began))
	s.Start()
	close(m.goOn)
	tab.WaitFor(`document.querySelector('.below a')`)
	shown := tab.rows()
	if again := slices.Compact(slices.Sorted(slices.Values(shown))); len(again) != len(shown) {
		t.Errorf("shown twice: %v", shown)
	}
	tab.Follow(".below a")
	run, _ := tab.Attribute(".reading", "data-run")
	tab.Goto(s.URL + "/runs/" + run + "/log")
	if anew := tab.rows(); !slices.Equal(anew, shown) {
		t.Errorf("shown as they came: %v; anew: %v", shown, anew)
	}
}

// seed begins a run in the store of a server that a test writes itself: the server is started
// anew, and leaves it alone.
func (s *Server) seed(task string) (runstore.Runs, runstore.Lease) {
	s.t.Helper()
	s.Stop()
	db, err := sqlite.Open(s.t.Context(), filepath.Join(s.home, "data", "citewell"), sqlite.Options{})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { db.Close() })
	runs := db.Tenant("default")
	request, err := json.Marshal(map[string]any{"task": task, "agent": map[string]string{"name": "seeded"}})
	if err != nil {
		s.t.Fatal(err)
	}
	run, err := runs.CreateRun(s.t.Context(), runstore.NewRun{Agent: "seeded", Task: task, Request: request})
	if err != nil {
		s.t.Fatal(err)
	}
	lease, err := runs.AcquireRun(s.t.Context(), run.ID, "a test", time.Hour)
	if err == nil {
		err = runs.ChangeState(s.t.Context(), lease, runstore.RunChange{State: runstore.RunResearching}, nil)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	s.Start()
	return runs, lease
}

// Two thousand entries come at once while the page is open: all are shown, in their order,
// and the page never keeps its reader waiting.
func TestManyEvents(t *testing.T) {
	t.Parallel()
	s := Serve(t, "serve", "--set", "search.providers.duckduckgo.enabled=false")
	runs, lease := s.seed("Much happens")
	tab := Open(t, Options{})
	tab.Goto(s.URL + "/runs/" + lease.Run)
	tab.WaitFor(`document.getElementById('stream').textContent.includes('live')`)
	const many = 2000
	for from := 0; from < many; from += 500 {
		var events []runstore.RunEvent
		for i := range 500 {
			n := from + i
			events = append(events, runstore.RunEvent{Type: "fetch",
				Data: json.RawMessage(fmt.Sprintf(
					`{"iteration": %d, "name": "x", "fetch": {"n": %d, "url": "http://site%d.example/", "outcome": "ok", "elapsed_ms": %d}}`, 1+n/100, n, n, n))})
		}
		if _, err := runs.AppendEvents(t.Context(), lease, events); err != nil {
			t.Fatal(err)
		}
	}
	tab.WaitFor(fmt.Sprintf(`document.querySelectorAll('.row').length >= %d`, many))
	rows := tab.rows()
	for i, seq := range rows {
		if i > 0 && rows[i-1] >= seq && len(rows[i-1]) >= len(seq) {
			t.Fatalf("row %s stands behind %s", seq, rows[i-1])
		}
	}
	if len(rows) != many {
		t.Errorf("%d rows for %d entries", len(rows), many)
	}
	speed := tab.Speed()
	t.Logf("tasks over 50 ms: %v", speed.LongTasks) // a busy machine has longer ones
	if at := Eval[float64](tab, `scrollY`); at != 0 || speed.LayoutShift > 0 {
		t.Errorf("the reader was moved: %v, %v", at, speed.LayoutShift)
	}
}
