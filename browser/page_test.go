package browser

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/citewell/citewell/internal/evidence"
	"github.com/citewell/citewell/internal/report"

	"github.com/citewell/citewell"
)

const plantQuestion = "How much electricity does the Skarrow Sound tidal plant generate a year, and when did it open?"

// serveDemo starts the demo web with the page over it.
func serveDemo(t testing.TB, args ...string) *Server {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0") // a port that stays the same when the server is killed
	if err != nil {
		t.Fatal(err)
	}
	web := l.Addr().String()
	l.Close()
	return Serve(t, append([]string{"demo", "--serve", "--listen", web}, args...)...)
}

// api asks the API of runs as any client does.
func (s *Server) api(method, path string, into any, body ...string) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.URL+path, strings.NewReader(strings.Join(body, "")))
	if err != nil {
		s.t.Fatal(err)
	}
	if len(body) > 0 {
		r.Header.Set("Content-Type", "application/json")
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err == nil {
		err = json.Unmarshal(answer, into)
	}
	if err != nil || resp.StatusCode >= 300 {
		s.t.Fatalf("%s %s: %d %v %s", method, path, resp.StatusCode, err, answer)
	}
}

// ask asks a question on the first page, and waits until its run has ended.
func (tab *Tab) ask(s *Server, question string) (run string) {
	tab.t.Helper()
	tab.Goto(s.URL + "/")
	tab.Type("#question", question)
	tab.Follow("button.primary")
	return tab.ended()
}

// ended waits until the run of the page that is open has ended, and opens its report.
func (tab *Tab) ended() (run string) {
	tab.t.Helper()
	tab.WaitFor(`document.querySelector('.reading') || document.querySelector('.below a')`)
	if Eval[bool](tab, `!document.querySelector('.reading')`) {
		tab.Follow(".below a")
	}
	tab.WaitVisible("#main h1")
	run, _ = tab.Attribute(".reading", "data-run")
	return run
}

// reportOf is the report of a run, as the API has it.
func (s *Server) reportOf(run string) (r citewell.Report) {
	s.t.Helper()
	s.api("GET", "/v1/runs/"+run+"/report?format=json", &r)
	return r
}

// lit says whether the words that are cited are in the view of the pane.
const lit = `(() => { const m = document.getElementById('cite').getBoundingClientRect(), b = document.querySelector('.pane-body').getBoundingClientRect();
	return m.top >= b.top - 1 && m.top < b.bottom && m.bottom > b.top })()`

// From the question to the passage behind each number: what stands marked is what the
// citation quotes, byte by byte, within view, and the report does not move.
func TestAskAndCheck(t *testing.T) {
	t.Parallel()
	s := serveDemo(t)
	tab := Open(t, Options{})
	tab.Goto(s.URL + "/")
	tab.Axe("ask")
	run := tab.ask(s, plantQuestion)
	r := s.reportOf(run)
	cited := report.Citations(r)
	if len(cited) < 4 || len(r.Places) != len(r.Findings) {
		t.Fatalf("a report of %d citations, %d places", len(cited), len(r.Places))
	}
	tab.Axe("report")
	tab.Screenshot("report")
	if got := Eval[int](tab, `document.querySelectorAll('#report a.mark[href*="/c/"]').length`); got < len(cited) {
		t.Errorf("%d numbers lead to %d citations", got, len(cited))
	}
	for _, c := range cited {
		chip := fmt.Sprintf("#m%d", c.K)
		Eval[any](tab, fmt.Sprintf(`document.querySelector(%q).scrollIntoView({block: 'center'})`, chip))
		before := Eval[float64](tab, `scrollY`)
		tab.Click(chip)
		tab.WaitFor(fmt.Sprintf(`document.querySelector('.pane-in')?.dataset.k === '%d'`, c.K))
		if got := Eval[string](tab, `document.getElementById('cite').textContent`); got != c.Quote {
			t.Errorf("citation %d marks %q, and quotes %q", c.K, got, c.Quote)
		}
		if !Eval[bool](tab, lit) {
			t.Errorf("the words of citation %d are out of view", c.K)
		}
		if after := Eval[float64](tab, `scrollY`); after != before {
			t.Errorf("the report moved from %v to %v", before, after)
		}
		said := strings.Join(strings.Fields(Eval[string](tab,
			`[...document.querySelectorAll('.said.here')].map(e => e.textContent).join('')`)), " ")
		if !strings.Contains(said, strings.Join(strings.Fields(r.Findings[c.Finding].Text), " ")[:20]) {
			t.Errorf("beside citation %d the sentence %q is marked", c.K, said)
		}
	}
	tab.Axe("a citation")
	tab.Screenshot("citation")
	if pane := tab.Text(".pane"); !strings.Contains(pane, "Read") ||
		!strings.Contains(pane, r.Sources[0].PageSHA256[:0]+"Page sha256") || !strings.Contains(pane, " by ") {
		t.Errorf("the pane says %s", pane)
	}
	tab.Press("Escape")
	tab.WaitFor(`!document.getElementById('pane')`)
	if at := Eval[string](tab, `document.activeElement.id`); at != fmt.Sprintf("m%d", len(cited)) {
		t.Errorf("the focus went to %q", at)
	}
	tab.Back()
	tab.WaitFor(`document.getElementById('pane')`)
	tab.Reload()
	tab.WaitVisible("#cite")

	var v evidence.Verification
	s.api("POST", "/v1/runs/"+run+"/verification", &v)
	tab.Click("#checks button")
	tab.WaitVisible(".again")
	if said := tab.Text(".again"); !v.OK || !strings.Contains(said, "every citation stands as it was written") {
		t.Errorf("checked again: %s", said)
	}
	tab.Goto(s.URL + "/runs")
	tab.Axe("runs")
	tab.Screenshot("runs")
	tab.Follow(".runs a")
	if got := tab.Text("h1"); got != plantQuestion {
		t.Errorf("the list leads to %q", got)
	}
	for _, path := range []string{"/log", "/s/1"} {
		tab.Goto(s.URL + "/runs/" + run + path)
		tab.Axe(path)
	}
}

// A report that no model wrote is asked on from by the box below it, at the first press.
func TestAskOn(t *testing.T) {
	t.Parallel()
	s := serveDemo(t)
	tab := Open(t, Options{})
	first := tab.ask(s, plantQuestion)
	tab.Type("#question", "How many herons did the wardens count?")
	tab.Follow("form.ask button.primary")
	second := tab.ended()
	if said := tab.Text("h1"); second == first || !strings.Contains(said, "herons") {
		t.Errorf("run %s after %s is shown as %q", second, first, said)
	}
	var run struct{ From string }
	s.api("GET", "/v1/runs/"+second, &run)
	if r := s.reportOf(second); len(r.Findings) == 0 || run.From != first {
		t.Errorf("the answer has %d findings; it goes on from %q", len(r.Findings), run.From)
	}
	tab.Goto(s.URL + "/runs/" + second)
	if Eval[int](tab, `document.querySelectorAll('#report a.mark').length`) == 0 {
		t.Error("the report shows no citation")
	}
}

// Each state again, for readers of other screens and eyes.
func TestReaders(t *testing.T) {
	t.Parallel()
	s, run := shareDemo(t)
	shelf := s.stock()
	shelf["watches"], shelf["watch"] = "/watches", s.watches(plantQuestion)
	for name, o := range map[string]Options{"dark": {Dark: true}, "phone": {Width: 390, Height: 844, Touch: true},
		"dark phone":     {Width: 390, Height: 844, Touch: true, Dark: true},
		"forced colours": {ForcedColors: true}, "large text": {TextZoom: 2}, "narrow": {Width: 320, Height: 640}} {
		t.Run(name, func(t *testing.T) {
			tab := Open(t, o)
			states := map[string]string{"ask": "/", "runs": "/runs", "report": "/runs/" + run,
				"citation": "/runs/" + run + "/c/2#cite", "source": "/runs/" + run + "/s/1",
				"log": "/runs/" + run + "/log", "map": "/runs/" + run + "/map", "time": "/runs/" + run + "/time",
				"nothing": "/nothing"}
			maps.Copy(states, shelf)
			for state, path := range states {
				if state == "nothing" {
					path = "/runs/nothing"
					tab.Expect("404")
				}
				tab.Goto(s.URL + path)
				tab.Axe(name + " " + state)
				tab.Screenshot(name + " " + state)
				if o.TextZoom == 0 {
					tab.looks(name + " " + state)
				}
				if wide := Eval[int](tab, `document.documentElement.scrollWidth - innerWidth`); wide > 0 {
					t.Errorf("%s is %d pixels wider than its window", state, wide)
				}
				// the browser applies that while it loads
				if speed := tab.Speed(); speed.LayoutShift > 0.001 && o.TextZoom == 0 {
					t.Errorf("%s moves by %v: %q", state, speed.LayoutShift, speed.Moved)
				}
			}
		})
	}
}

// All of it reads, and every form works, without script.
func TestWithoutScript(t *testing.T) {
	t.Parallel()
	s, _ := shareDemo(t)
	run := Open(t, Options{}).ask(s, "When was Larch 2.0 released?")
	tab := Open(t, Options{NoScript: true})
	tab.Goto(s.URL + "/")
	tab.Type("#question", plantQuestion)
	tab.Follow("button.primary")
	if state := tab.Text("#main"); !strings.Contains(state, plantQuestion) {
		t.Errorf("after asking: %s", state)
	}
	tab.Goto(s.URL + "/runs/" + run)
	tab.Follow("#report a.mark")
	if quote := s.reportOf(run).Findings[0].Citations[0].Quote; tab.Text("#cite") != quote {
		t.Errorf("marked is %q, quoted %q", tab.Text("#cite"), quote)
	}
	tab.Follow(`#pane a[data-close]`)
	tab.Follow("#checks button")
	tab.WaitVisible(".again")
	tab.Follow(`button[value="dark"]`)
	if theme, _ := tab.Attribute("html", "data-theme"); theme != "dark" {
		t.Errorf("the theme is %q", theme)
	}
	tab.Goto(s.URL + "/runs/" + run)
	tab.Click(".danger summary")
	tab.Follow(".danger button")
	tab.Expect("404")
	tab.Goto(s.URL + "/runs/" + run)
	if said := tab.Text("h1"); said != "there is no such run" {
		t.Errorf("of a run that was deleted: %s", said)
	}
}

// By keyboard alone: ask, open, step, close, check.
func TestKeyboard(t *testing.T) {
	t.Parallel()
	s, _ := shareDemo(t)
	tab := Open(t, Options{})
	tab.Goto(s.URL + "/")
	if at := Eval[string](tab, `document.activeElement.id`); at != "question" {
		t.Errorf("the focus begins at %q", at)
	}
	tab.Type("#question", "half written /?x")
	tab.Press("Escape")
	if words := Eval[string](tab, `document.getElementById('question').value`); words != "half written /?x" ||
		Eval[string](tab, `location.pathname`) != "/" {
		t.Errorf("Escape leaves %q", words)
	}
	run := tab.ask(s, plantQuestion)
	tab.Press("n")
	tab.WaitVisible("#cite")
	if at := Eval[string](tab, `document.activeElement.id`); at != "pane-title" {
		t.Errorf("the focus is on %q", at)
	}
	tab.Press("n")
	tab.WaitFor(`document.querySelector('.pane-in').dataset.k === '2'`)
	tab.Press("p")
	tab.WaitFor(`document.querySelector('.pane-in').dataset.k === '1'`)
	if said := Eval[string](tab, `document.getElementById('said').textContent`); !strings.HasPrefix(said,
		"Citation 1 of") {
		t.Errorf("a reader by ear hears %q", said)
	}
	tab.Press("v")
	tab.WaitVisible(".again")
	tab.Press("Escape")
	tab.WaitFor(`!document.getElementById('pane')`)
	if path := Eval[string](tab, `location.pathname`); path != "/runs/"+run {
		t.Errorf("Escape leads to %s", path)
	}
	tab.Press("?")
	tab.WaitVisible("#keys")
	tab.Axe("keys")
	tab.Press("Escape")
	tab.Press("g", "r")
	tab.WaitFor(`location.pathname === '/runs'`)
}

// A question that was asked twice: the second report leads to both side by side.
func TestCompare(t *testing.T) {
	t.Parallel()
	s := serveDemo(t)
	tab := Open(t, Options{})
	first := tab.ask(s, plantQuestion)
	tab.ask(s, plantQuestion)
	tab.Follow(`a[href*="/compare?a=` + first + `"]`)
	tab.Axe("compare")
	tab.Screenshot("compare")
	both := len(s.reportOf(first).Findings)
	if said := tab.Text("#main"); !strings.Contains(said, fmt.Sprintf("%d found by both · 0 by the first alone · 0 by "+
		"the second alone", both)) {
		t.Errorf("of one question asked twice: %s", said)
	}
	tab.Goto(s.URL + "/runs?q=SKARROW+tidal&since=2026-01-01")
	if n := Eval[int](tab, `document.querySelectorAll('.runs tbody tr').length`); n != 2 {
		t.Errorf("%d runs have the words", n)
	}
	tab.Goto(s.URL + "/runs?q=nowhere&state=answered")
	tab.Axe("no run")
	if said := tab.Text("#main"); !strings.Contains(said, "No run is so.") {
		t.Errorf("of words that no run has: %s", said)
	}
}
