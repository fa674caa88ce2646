package page_test

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/server/page"
	"github.com/citewell/citewell/internal/testing/golden"
)

const runID = "sgr_tool_calling_agent_01234567-89ab-4cde-8f01-23456789abcd"

var began = time.Date(2026, 11, 22, 13, 46, 0, 0, time.UTC)

// A told run is one with a report and a log that a test wrote.
type toldRun struct {
	job.Service
	state  runstore.RunState
	spent  agent.Usage
	report *citewell.Report
	events []runstore.RunEvent
}

func (r toldRun) Status(context.Context, string) (job.Status, error) {
	run := runstore.Run{ID: runID, Agent: "sgr_tool_calling_agent", State: r.state, CreatedAt: began,
		Budget: json.RawMessage(`{}`)}
	return job.Status{Run: run, Task: "How much electricity?", Spent: r.spent}, nil
}

func (r toldRun) Agents() []job.Definition { return nil }

func (r toldRun) Offer(context.Context, string) (job.Offer, error) { return job.Offer{}, nil }

func (r toldRun) List(context.Context, runstore.RunQuery) ([]runstore.Run, string, error) {
	return nil, "", nil
}

func (r toldRun) Result(context.Context, string) (agent.Result, error) {
	result := agent.Result{ID: runID, State: r.state, Report: r.report}
	if r.report != nil {
		result.Sources = r.report.Sources
	}
	return result, nil
}

func (r toldRun) Events(_ context.Context, _ string, after int64, _ int) ([]runstore.RunEvent, error) {
	return r.events[min(after, int64(len(r.events))):], nil
}

// happens appends an entry that was written so many milliseconds after the beginning.
func (r *toldRun) happens(ms int64, kind, data string) {
	r.events = append(r.events, runstore.RunEvent{Run: runID, Seq: int64(len(r.events) + 1), Type: kind,
		Time: began.Add(time.Duration(ms) * time.Millisecond), Data: json.RawMessage(data)})
}

// opens gives a page of the run, which says nothing that is no number.
func (r toldRun) opens(t *testing.T, path string) string {
	t.Helper()
	w := httptest.NewRecorder()
	page.New(page.Options{Desk: r}).ServeHTTP(w, httptest.NewRequest("GET", "/runs/"+runID+path, nil))
	body := w.Body.String()
	if w.Code != http.StatusOK {
		t.Fatalf("%s: %d %s", path, w.Code, body)
	}
	for _, wrong := range []string{"NaN", "Inf", "0001", "&lt;nil", "%!", `width="-`, `="-0`, "ZgotmplZ"} {
		if strings.Contains(body, wrong) {
			t.Errorf("%s has %s", path, wrong)
		}
	}
	return body
}

// drawing is the picture of a page, which must be well-formed.
func drawing(t *testing.T, body string) string {
	t.Helper()
	at := strings.Index(body, `<svg class="picture"`)
	if at < 0 {
		return ""
	}
	svg, _, _ := strings.Cut(body[at:], "</svg>")
	svg += "</svg>\n"
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		if _, err := d.Token(); err == io.EOF {
			return svg
		} else if err != nil {
			t.Fatalf("the picture: %v\n%s", err, svg)
		}
	}
}

// cite says that a finding cites a source.
func cite(n int, v citewell.Verdict) citewell.Citation {
	return citewell.Citation{N: n, Quote: "words", End: 5, Verdict: v}
}

func reportOf(findings []citewell.Finding, hosts ...string) *citewell.Report {
	r := &citewell.Report{ID: runID, Title: "Skarrow", Content: "Text.", Findings: findings, CreatedAt: began}
	for i, host := range hosts {
		r.Sources = append(r.Sources, citewell.Source{N: i + 1, Title: "Page", Host: host, URL: "https://" + host + "/",
			Class: "operator"})
	}
	return r
}

func skarrow() toldRun {
	return toldRun{state: runstore.RunCompleted, report: reportOf([]citewell.Finding{
		{Text: "The plant of Skarrow Sound gives about 640 GWh of electricity a year, as its operator and two " +
			"others say.", Citations: []citewell.Citation{cite(1, citewell.VerdictSupported),
			cite(3, citewell.VerdictSupported), cite(4, citewell.VerdictUndecided)}},
		{Text: "Over five years that was 0.64 TWh.", Citations: []citewell.Citation{
			cite(2, citewell.VerdictSupported), cite(1, citewell.VerdictSnippetOnly)}},
		{Text: "An older article says 590 GWh.", Citations: []citewell.Citation{
			cite(4, citewell.VerdictContradicted), cite(9, citewell.VerdictNoSource),
			cite(2, citewell.VerdictUnsupported)}},
	}, "www.skarrow-tidal.example", "news.skarrow-tidal.example", "openlore.example", "turbine-quarterly.example")}
}

func TestMap(t *testing.T) {
	body := skarrow().opens(t, "/map")
	golden.Check(t, "testdata/map.svg", drawing(t, body))
	for _, want := range []string{"This report leans on 3 sites; none carries more than 4 of 8 citations.",
		`no such source`, "1 snippet · 1"} {
		if want != "1 snippet · 1" && !strings.Contains(body, want) {
			t.Errorf("the map does not say %q", want)
		}
	}
}

// The table has the numbers and the links of the picture.
func TestMapAsATable(t *testing.T) {
	body := skarrow().opens(t, "/map")
	picture := drawing(t, body)
	_, table, _ := strings.Cut(body, `<details class="twin">`)
	links := regexp.MustCompile(`href="([^"#][^"]*)"`).FindAllStringSubmatch(picture, -1)
	if len(links) != 8+3+4 {
		t.Errorf("%d links for 8 citations, 3 findings and 4 sites", len(links))
	}
	for _, l := range links {
		if !strings.Contains(table, l[0]) {
			t.Errorf("the table does not lead to %s", l[1])
		}
	}
	counts := regexp.MustCompile(`>(\d+ of \d+)<`)
	drawn, written := counts.FindAllStringSubmatch(picture, -1), counts.FindAllStringSubmatch(table, -1)
	if len(drawn) != 4 || len(written) != 4 {
		t.Fatalf("sites: %v drawn, %v written", drawn, written)
	}
	if sum := strings.Count(table, ">citation "); sum != 8 {
		t.Errorf("the table has %d citations", sum)
	}
	for _, c := range drawn {
		if strings.Count(table, c[0]) != strings.Count(picture, c[0]) {
			t.Errorf("%s stands %d times in the picture", c[1], strings.Count(picture, c[0]))
		}
	}
}

func TestMapOfFewAndMany(t *testing.T) {
	none := toldRun{state: runstore.RunCompleted, report: reportOf(nil)}
	if body := none.opens(t, "/map"); drawing(t, body) != "" || !strings.Contains(body, "cites nothing") {
		t.Error("a map of nothing")
	}
	if body := (toldRun{state: runstore.RunFailed}).opens(t, "/map"); drawing(t, body) != "" ||
		!strings.Contains(body, "ask it again") {
		t.Error("a map without a report")
	}
	if body := (toldRun{state: runstore.RunResearching}).opens(t, "/map"); drawing(t, body) != "" ||
		!strings.Contains(body, "has not ended") {
		t.Error("a map of a run under way")
	}
	one := toldRun{state: runstore.RunCompleted, report: reportOf([]citewell.Finding{
		{Text: "It is so.", Citations: []citewell.Citation{cite(1, citewell.VerdictSupported)}}}, "one.example")}
	if body := one.opens(t, "/map"); strings.Count(drawing(t, body), "<a ") != 3 ||
		!strings.Contains(body, "leans on one site: one.example carries 1 of 1 citation.") {
		t.Errorf("of one citation:\n%s", body)
	}
	lost := toldRun{state: runstore.RunCompleted, report: reportOf([]citewell.Finding{
		{Text: "It is so.", Citations: []citewell.Citation{cite(7, citewell.VerdictNoSource)}}})}
	if body := lost.opens(t, "/map"); !strings.Contains(body, "No citation of this report leads to a source") {
		t.Error("it leans on nothing, and does not say so")
	}

	var findings []citewell.Finding
	for i := range 300 {
		v := citewell.VerdictSupported
		if i >= 290 {
			v = citewell.VerdictContradicted
		}
		findings = append(findings, citewell.Finding{Text: fmt.Sprintf("Finding number %d.", i+1),
			Citations: []citewell.Citation{cite(1+i%3, v)}})
	}
	body := toldRun{state: runstore.RunCompleted, report: reportOf(findings, "a.example", "b.example",
		"c.example")}.opens(t, "/map")
	picture := drawing(t, body)
	if n := strings.Count(picture, `<a class="edge`); n != 200 || !strings.Contains(body, "100 citations more") {
		t.Errorf("%d of 300 citations are drawn", n)
	}
	if n := strings.Count(picture, `<a class="edge contradicted"`); n != 10 {
		t.Errorf("%d of 10 contradicted citations are drawn", n)
	}
	if n := strings.Count(body, ">citation "); n != 300 {
		t.Errorf("the table has %d of 300 citations", n)
	}
}

// Most of all citations are of one site: the page says which.
func TestMapLeansOnOne(t *testing.T) {
	r := toldRun{state: runstore.RunCompleted, report: reportOf([]citewell.Finding{
		{Text: "A.", Citations: []citewell.Citation{cite(1, citewell.VerdictSupported),
			cite(2, citewell.VerdictSupported), cite(3, citewell.VerdictSupported)}}},
		"a.one.example", "b.one.example", "two.example")}
	if body := r.opens(t, "/map"); !strings.Contains(body, "This report leans on one site: one.example carries 2 of 3 "+
		"citations.") {
		t.Error("it does not say that it leans on one site")
	}
}

const hostile = "</title></text><script>alert(1)</script>\"'><svg onload=alert(2)>\u202e\x07 javascript:alert(3)"

func TestPicturesOfHostileWords(t *testing.T) {
	r := skarrow()
	r.report.Findings[0].Text = hostile
	r.report.Sources[2].Host, r.report.Sources[2].Class = hostile, hostile
	r.happens(0, runstore.EventCreated, `{}`)
	said, err := json.Marshal(map[string]any{"call_id": "1", "name": "web_search_tool",
		"search": map[string]any{"query": hostile, "providers": []any{
			map[string]any{"name": hostile, "outcome": hostile}}}})
	if err != nil {
		t.Fatal(err)
	}
	r.happens(5, "result", string(said))
	said, err = json.Marshal(map[string]any{"fetch": map[string]any{
		"url": hostile, "outcome": hostile, "elapsed_ms": -5, "bytes": -1}})
	if err != nil {
		t.Fatal(err)
	}
	r.happens(9, "fetch", string(said))
	for _, path := range []string{"/map", "/time"} {
		body := r.opens(t, path)
		drawing(t, body)
		for _, wrong := range []string{"<script>alert", "<svg onload", "\u202e", "\x07", `href="javascript`} {
			if strings.Contains(body, wrong) {
				t.Errorf("%s has %q", path, wrong)
			}
		}
		if !strings.Contains(body, "&lt;script&gt;alert(1)") {
			t.Errorf("%s does not show the words as they are", path)
		}
	}
}

// researched is the log of an agent's run, as it is told of now.
func researched() toldRun {
	r := skarrow()
	r.report.Sources[0].URL = "https://www.skarrow-tidal.example/output"
	r.spent = agent.Usage{InputTokens: 30_000, OutputTokens: 8_000, USD: 0.03, Searches: 2, Fetches: 3,
		ActiveMS: 21_000}
	r.happens(0, runstore.EventCreated, `{}`)
	r.happens(500, runstore.EventAcquired, `{"token":1,"owner":"a"}`)
	r.happens(500, runstore.EventState, `{"from":"inited","state":"researching"}`)
	r.happens(4500, "reasoning", `{"iteration":1,"name":"reasoning_tool","text":"{}"}`)
	r.happens(6500, "call",
		`{"iteration":1,"call_id":"1-a","name":"web_search_tool","text":"{\"query\":\"skarrow output\"}"}`)
	r.happens(6500, "call",
		`{"iteration":1,"call_id":"1-b","name":"web_search_tool","text":"{\"query\":\"skarrow opening\"}"}`)
	r.happens(8500, "result",
		`{"iteration":1,"call_id":"1-a","name":"web_search_tool","text":"…","search":{"query":"skarrow output","providers":[{"name":"duckduckgo","outcome":"ok","results":10,"elapsed_ms":1900}],"hits":[]}}`)
	r.happens(9600, "result",
		`{"iteration":1,"call_id":"1-b","name":"web_search_tool","text":"…","search":{"query":"skarrow opening","providers":[{"name":"duckduckgo","outcome":"rate_limited","results":0,"elapsed_ms":3000}],"hits":[]}}`)
	r.happens(9600, "spent",
		`{"input_tokens":10000,"output_tokens":2000,"usd":0.01,"searches":2,"fetches":0,"active_ms":9000}`)
	r.happens(12_000, "question", `{"key":"q","run":"","number":1,"questions":["Which?"],"text":"Which?"}`)
	r.happens(12_000, runstore.EventState, `{"from":"researching","state":"waiting_for_clarification"}`)
	r.happens(40_000, runstore.EventMessage, `{"id":"m","kind":"answer"}`)
	r.happens(40_200, runstore.EventAcquired, `{"token":2,"owner":"b"}`)
	r.happens(40_200, runstore.EventState, `{"from":"waiting_for_clarification","state":"researching"}`)
	r.happens(43_000, "call",
		`{"iteration":2,"call_id":"2-a","name":"extract_page_content_tool","text":"{\"urls\":[\"https://www.skarrow-tidal.example/output\",\"https://slow.example/\"]}"}`)
	r.happens(44_000, "fetch",
		`{"iteration":2,"number":1,"fetch":{"n":1,"url":"https://www.skarrow-tidal.example/output","outcome":"ok","status":200,"bytes":48210,"elapsed_ms":950}}`)
	r.happens(49_000, "fetch",
		`{"iteration":2,"fetch":{"url":"https://slow.example/","outcome":"timeout","elapsed_ms":6000}}`)
	r.happens(49_000, "result", `{"iteration":2,"call_id":"2-a","name":"extract_page_content_tool","text":"…"}`)
	r.happens(49_100, "spent",
		`{"input_tokens":20000,"output_tokens":4000,"usd":0.02,"searches":2,"fetches":2,"active_ms":18000}`)
	r.happens(50_000, "paused", `{"iteration":3}`)
	r.happens(58_000, "call", `{"iteration":3,"call_id":"3-a","name":"final_answer_tool","text":"{}"}`)
	r.happens(58_100, "over", `{"iteration":3,"name":"answered"}`)
	r.happens(58_100, runstore.EventState, `{"from":"researching","state":"completed"}`)
	return r
}

func TestTime(t *testing.T) {
	body := researched().opens(t, "/time")
	golden.Check(t, "testdata/time.svg", drawing(t, body))
	for _, want := range []string{"It took 58\u00a0s from the question to the end.",
		"The longest single wait, for your answer, took 28\u00a0s.",
		`/s/1" dir="auto">www.skarrow-tidal.example`, "duckduckgo rate limited", "$0.03 · 38\u00a0k tokens"} {
		if !strings.Contains(body, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}

// Each lane has in the table what it has in the picture, and each row of the log that is
// led to is there.
func TestTimeAsATable(t *testing.T) {
	r := researched()
	body := r.opens(t, "/time")
	picture := drawing(t, body)
	_, table, _ := strings.Cut(body, `<details class="twin">`)
	for _, lane := range []struct{ name, count, time string }{
		{"Model", "4 turns", "18\u00a0s"}, {"Search", "2 searches", "3.1\u00a0s"}, {"Read", "2 pages", "6\u00a0s"},
		{"Waiting", "3 waits", "29\u00a0s"}} {
		if !strings.Contains(picture, ">"+lane.count+" · "+lane.time+"<") ||
			!strings.Contains(table, `<th scope="row">`+lane.name+`</th><td>`+lane.count+`</td><td class="number">`+
				lane.time+"<") {
			t.Errorf("%v is not in both", lane)
		}
	}
	links := regexp.MustCompile(`href="([^"]*)"`).FindAllStringSubmatch(picture, -1)
	if len(links) != 4+2+2+3 {
		t.Errorf("%d bars", len(links))
	}
	log := r.opens(t, "/log")
	for _, l := range links {
		if !strings.Contains(table, l[0]) {
			t.Errorf("the table does not lead to %s", l[1])
		}
		if _, row, found := strings.Cut(l[1], "#"); found && !strings.Contains(log, `id="`+row+`"`) {
			t.Errorf("the log has no row %s", row)
		}
	}
}

// A log of before its entries had data says less, and nothing wrong.
func TestTimeOfAnOldLog(t *testing.T) {
	r := toldRun{state: runstore.RunCompleted}
	r.happens(0, runstore.EventCreated, `{}`)
	r.happens(0, runstore.EventAcquired, `{"token":1,"owner":"a"}`)
	r.happens(0, runstore.EventState, `{"from":"inited","state":"researching"}`)
	r.happens(0, "call",
		`{"iteration":1,"call_id":"1-action-1","name":"web_search_tool","text":"{\"query\":\"skarrow\",\"provider\":\"searxng\"}"}`)
	r.happens(700, "result",
		`{"iteration":1,"call_id":"1-action-1","name":"web_search_tool","text":"3 results, 700 ms"}`)
	r.happens(700, "call",
		`{"iteration":1,"call_id":"1-action-2","name":"extract_page_content_tool","text":"{\"urls\":[\"https://a.example/x\",\"https://b.example/\"]}"}`)
	r.happens(1700, "result",
		`{"iteration":1,"call_id":"1-action-2","name":"extract_page_content_tool","text":"ok, 1000 ms"}`)
	r.happens(1500, "over", `{"iteration":1}`) // a clock that went back
	body := r.opens(t, "/time")
	for _, want := range []string{"It took 1.7\u00a0s", "<td>none</td>", "1 search · 700\u00a0ms", "2 pages · 1\u00a0s",
		"a.example and 1 more", "for a.example and 1 more, took 1\u00a0s."} {
		if !strings.Contains(body, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}

func TestTimeOfFewAndMany(t *testing.T) {
	for state, says := range map[runstore.RunState]string{runstore.RunCompleted: "nothing that took time",
		runstore.RunInited: "Nothing has happened yet"} {
		r := toldRun{state: state}
		if body := r.opens(t, "/time"); !strings.Contains(body, says) || drawing(t, body) != "" {
			t.Errorf("without a log, %s", state)
		}
		r.happens(0, runstore.EventCreated, `{}`)
		if body := r.opens(t, "/time"); !strings.Contains(body, says) {
			t.Errorf("after its beginning, %s", state)
		}
	}
	instant := toldRun{state: runstore.RunCompleted}
	instant.happens(0, runstore.EventCreated, `{}`)
	instant.happens(0, "fetch", `{"fetch":{"url":"https://a.example/","outcome":"ok"}}`)
	if body := instant.opens(t, "/time"); strings.Count(drawing(t, body), "<rect") != 1 ||
		strings.Contains(body, "longest single wait") {
		t.Error("of a page that took no time")
	}
	many := toldRun{state: runstore.RunCompleted}
	many.happens(0, runstore.EventCreated, `{}`)
	for i := range 2000 {
		many.happens(int64(i+1)*1000, "fetch",
			fmt.Sprintf(`{"fetch":{"url":"https://h%d.example/","outcome":"ok","elapsed_ms":%d}}`, i, 100*(i%50)))
	}
	body := many.opens(t, "/time")
	if n := strings.Count(drawing(t, body), "<rect"); n != 200 ||
		!strings.Contains(body, "1\u202f800 short ones more") && !strings.Contains(body, "1800 short ones more") ||
		!strings.Contains(body, "2000 pages") {
		t.Errorf("%d bars of 2,000 pages", n)
	}
	for _, x := range regexp.MustCompile(`<rect x="(\d+)" y="\d+" width="(\d+)"`).
		FindAllStringSubmatch(drawing(t, body), -1) {
		var from, wide int
		fmt.Sscan(x[1], &from)
		fmt.Sscan(x[2], &wide)
		if from < 88 || from+wide > 704 || wide < 1 {
			t.Fatalf("a bar from %d, %d wide", from, wide)
		}
	}
}
