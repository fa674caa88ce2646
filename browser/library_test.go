package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citewell/citewell/internal/testing/extracttest"
)

// files writes files, and gives their paths in the order of their names and contents.
func files(t *testing.T, pairs ...string) (paths []string) {
	t.Helper()
	folder := t.TempDir()
	for i := 0; i < len(pairs); i += 2 {
		file := filepath.Join(folder, pairs[i])
		if err := os.WriteFile(file, []byte(pairs[i+1]), 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, file)
	}
	return paths
}

// tool calls a tool over MCP.
func (s *Server) tool(name string, arguments map[string]any) {
	s.t.Helper()
	session := ""
	ask := func(method string, params any) string {
		body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
		if err != nil {
			s.t.Fatal(err)
		}
		r, err := http.NewRequestWithContext(s.t.Context(), "POST", s.URL+"/mcp/default",
			strings.NewReader(string(body)))
		if err != nil {
			s.t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		if session != "" {
			r.Header.Set("Mcp-Session-Id", session)
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			s.t.Fatal(err)
		}
		defer resp.Body.Close()
		session = resp.Header.Get("Mcp-Session-Id")
		answer, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != http.StatusOK {
			s.t.Fatalf("%s: %d %v %s", method, resp.StatusCode, err, answer)
		}
		return string(answer)
	}
	ask("initialize", map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": "test", "version": "1"}})
	if answer := ask("tools/call", map[string]any{"name": name, "arguments": arguments}); strings.Contains(answer,
		`"isError":true`) {
		s.t.Fatalf("%s: %s", name, answer)
	}
}

// pierManual is a PDF, and a sentence of it.
var pierManual, wheelTurns = string(extracttest.PDFOf(extracttest.FirstPage,
	pdfPage("The wheel of the Alder pier turns 14 times a minute when the tide falls.",
		"Its keeper oils the wheel of the pier on every second day of the week."))),
	"The wheel of the Alder pier turns 14 times a minute when the tide falls."

// A PDF is added on the page, found with why, read at the passage that was found, asked about,
// and cited; then it is deleted.
func TestLibrary(t *testing.T) {
	t.Parallel()
	s := serveDemo(t)
	tab := Open(t, Options{})
	tab.Goto(s.URL + "/library")
	tab.Axe("an empty library")
	tab.Screenshot("empty")
	if said := tab.Text("#main"); !strings.Contains(said, "citewell index FOLDER") ||
		!strings.Contains(said, "There are no documents yet") {
		t.Errorf("an empty library says %s", said)
	}
	tab.Choose("#file", files(t, "pier manual.pdf", pierManual, "tide.md",
		"# Tides\n\nThe tide gate of Lowmere closes at high water.\n", "picture.png",
		"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR")...)
	tab.Click(".upload button")
	tab.WaitFor(`document.querySelector('.outcomes')?.innerText.includes('Show them in the list')`)
	tab.Axe("files that were added")
	tab.Screenshot("added")
	said := tab.Text(".outcomes")
	for _, want := range []string{"pier manual.pdf added read it", "tide.md added", "picture.png not added",
		"2 of 3 added"} {
		if !strings.Contains(strings.Join(strings.Fields(said), " "), want) {
			t.Errorf("what became of the files lacks %q: %s", want, said)
		}
	}
	if spoken := Eval[string](tab, `document.getElementById('said').textContent`); spoken != "2 of 3 added." {
		t.Errorf("a reader by ear hears %q", spoken)
	}
	if speed := tab.Speed(); speed.LayoutShift > 0.001 {
		t.Errorf("the page moved by %v", speed.LayoutShift)
	}
	tab.Follow(`.outcomes li:last-child a`)
	tab.Axe("library")
	tab.Screenshot("library")
	if n := Eval[int](tab, `document.querySelectorAll('.runs tbody tr').length`); n != 2 ||
		!strings.Contains(tab.Text(".runs"), "pdf") {
		t.Errorf("%d documents: %s", n, tab.Text(".runs"))
	}
	tab.Type("#question", "wheel of the Alder pier")
	tab.Press("Enter")
	tab.WaitVisible("#results")
	tab.Axe("what was found")
	tab.Screenshot("found")
	if why := tab.Text("#results .why"); !strings.Contains(why, "no. 1 by words") || !strings.Contains(why, "wheel") {
		t.Errorf("it was found %s", why)
	}
	tab.Follow("#results h2 a")
	tab.WaitVisible("#cite")
	tab.Axe("a document")
	tab.Screenshot("document")
	if marked := strings.Join(strings.Fields(tab.Text("#cite")), " "); !strings.Contains(marked, wheelTurns) {
		t.Errorf("marked is %q", marked)
	}
	var listed struct {
		Documents []struct{ ID, Title, URL, Page_SHA256, Text_SHA256 string }
	}
	s.api("GET", "/v1/documents", &listed)
	for _, d := range listed.Documents {
		if strings.HasSuffix(d.URL, ".pdf") && (!strings.Contains(tab.Text(".facts"), d.Page_SHA256) ||
			!strings.Contains(tab.Text(".facts"), d.Text_SHA256)) {
			t.Errorf("the hashes are not shown: %s", tab.Text(".facts"))
		}
	}
	document := Eval[string](tab, `location.pathname`)
	if whole := strings.Join(strings.Fields(string(s.fetch(document+"/text"))), " "); !strings.Contains(whole,
		wheelTurns) {
		t.Errorf("the text to keep is %q", whole)
	}

	tab.Goto(s.URL + "/?q=" + url.QueryEscape("How often does the wheel of the Alder pier turn?"))
	tab.Click(".choices summary")
	tab.Axe("choices")
	tab.Screenshot("choices")
	if chosen := tab.Text(".where input:checked + span"); chosen != "Both" {
		t.Errorf("with documents it looks in %s", chosen)
	}
	tab.tabTo(`.where input:checked`)
	tab.Press("ArrowLeft")
	if chosen := tab.Text(".where input:checked + span"); chosen != "My documents" {
		t.Errorf("beside both is %s", chosen)
	}
	tab.Follow("button.primary")
	run := tab.ended()
	r := s.reportOf(run)
	if len(r.Sources) == 0 || len(r.Findings) == 0 || !strings.HasPrefix(r.Sources[0].URL, "file:///attached/") {
		t.Fatalf("asked of the documents alone: %+v", r)
	}
	tab.Click("#report a.mark")
	tab.WaitVisible("#cite")
	if quote := tab.Text("#cite"); !strings.Contains(strings.Join(strings.Fields(quote), " "), "14 times a minute") ||
		!strings.Contains(tab.Text(".pane"), "page 2") {
		t.Errorf("the citation opens on %q: %s", quote, tab.Text(".pane"))
	}
	tab.Screenshot("cited document")

	tab.Goto(s.URL + document)
	tab.Click(".danger summary")
	tab.Follow(".danger button")
	if n := Eval[int](tab, `document.querySelectorAll('.runs tbody tr').length`); n != 1 {
		t.Errorf("after one of two was deleted there are %d", n)
	}
	tab.Expect("404")
	tab.Goto(s.URL + document)
	if said := tab.Text("h1"); said != "there is no such document" {
		t.Errorf("of a document that was deleted: %s", said)
	}
	tab.Goto(s.URL + "/runs/" + run + "/c/1#cite")
	tab.WaitVisible("#cite") // what was cited of it stays
}

// The library without script: several files at once, what became of each, search, deletion.
func TestLibraryWithoutScript(t *testing.T) {
	t.Parallel()
	s := serveDemo(t)
	tab := Open(t, Options{NoScript: true})
	tab.Goto(s.URL + "/library")
	tab.Choose("#file", files(t, "pier.pdf", pierManual, "empty.txt", "")...)
	tab.Follow(".upload button")
	said := strings.Join(strings.Fields(tab.Text(".outcomes")), " ")
	if !strings.Contains(said, "pier.pdf added") || !strings.Contains(said, "empty.txt not added") {
		t.Errorf("what became of the files: %s", said)
	}
	tab.Axe("added without script")
	tab.Type("#question", "wheel")
	tab.Follow(".filter button")
	tab.Follow("#results h2 a")
	if !strings.Contains(tab.Text("#cite"), "wheel") {
		t.Errorf("marked is %q", tab.Text("#cite"))
	}
	tab.Click(".danger summary")
	tab.Follow(".danger button")
	if said := tab.Text("#main"); !strings.Contains(said, "There are no documents yet") {
		t.Errorf("after the one was deleted: %s", said)
	}
	tab.Goto(s.URL + "/")
	if said := tab.Text("form.ask"); !strings.Contains(said,
		"Your own documents are asked as well, once you have added some.") ||
		Eval[bool](tab, `!!document.querySelector('.where')`) {
		t.Errorf("without documents the form says %s", said)
	}
}

// Documents are asked without being chosen. Where nobody on the web answers, one click asks the
// same question of them alone.
func TestDocumentsAreAskedByDefault(t *testing.T) {
	t.Parallel()
	s := serveDemo(t)
	var added any
	s.api("POST", "/v1/documents", &added,
		`{"filename": "belt.md", "text": "# Belt\n\nError E14 of the Alder pier means that its feed belt is blocked by paper.\n"}`)
	for _, o := range []Options{{}, {Width: 390, Height: 844, Dark: true}, {NoScript: true}} {
		tab := Open(t, o)
		tab.Goto(s.URL + "/?q=" + url.QueryEscape("What does error E14 of the Alder pier mean?"))
		tab.Axe("where to look")
		tab.Screenshot(fmt.Sprintf("where to look %d %t", o.Width, o.NoScript))
		if o.NoScript {
			continue
		}
		tab.Follow("button.primary")
		if r := s.reportOf(tab.ended()); len(r.Sources) == 0 ||
			!strings.HasPrefix(r.Sources[0].URL, "file:///attached/") {
			t.Errorf("the documents were not asked: %+v", r.Sources)
		}
	}
	tab := Open(t, Options{})
	tab.Goto(s.URL + "/?q=" + url.QueryEscape("What does error E14 of the Alder pier mean?"))
	tab.Click(`.where input[value="none"]`)
	tab.Follow("button.primary")
	tab.ended()
	tab.Axe("nobody answered")
	tab.Screenshot("nobody answered")
	tab.Follow(".look button")
	if r := s.reportOf(tab.ended()); len(r.Findings) == 0 || !strings.Contains(r.Findings[0].Text, "blocked by paper") {
		t.Errorf("asked of the documents alone: %+v", r)
	}
}

// A graph of the tide gate.
func (s *Server) knots() {
	for _, e := range [][3]string{{"gate", "HAS", "wheel"}, {"gate", "STANDS_IN", "Lowmere"},
		{"keeper", "OPENS", "gate"}, {"gate", "NEXT_TO", "gate"}} {
		s.tool("graph_upsert_edge", map[string]any{"src": e[0], "rel": e[1], "dst": e[2]})
	}
	s.tool("graph_upsert_node", map[string]any{"id": "gate", "labels": []string{"Thing"},
		"props": map[string]any{"built": 1921, "of": "oak"}})
}

// The graph is walked by keyboard, and has a table with the same edges.
func TestGraph(t *testing.T) {
	t.Parallel()
	s := serveDemo(t)
	tab := Open(t, Options{})
	tab.Goto(s.URL + "/library/graph")
	tab.Axe("an empty graph")
	tab.Screenshot("empty")
	s.knots()
	tab.Press("g", "l")
	tab.WaitFor(`location.pathname === '/library'`)
	tab.Follow(`a[href="/library/graph"]`)
	tab.Axe("nodes")
	tab.Screenshot("nodes")
	tab.Follow(`.nodes a[href="/library/graph?node=gate"]`)
	tab.Axe("a node")
	tab.Screenshot("node")
	tab.Click(".twin summary")
	drawn := Eval[[]string](tab, `[...document.querySelectorAll('.picture a')].map(a => a.getAttribute('href'))`)
	linked := Eval[[]string](tab, `[...document.querySelectorAll('.twin a')].map(a => a.getAttribute('href'))`)
	for _, to := range []string{"wheel", "Lowmere", "keeper"} {
		link := "/library/graph?node=" + to
		if strings.Count(strings.Join(drawn, " "), link) != 1 || !strings.Contains(strings.Join(linked, " "), link) {
			t.Errorf("%s: drawn %v, in the table %v", to, drawn, linked)
		}
	}
	if rows := Eval[int](tab, `document.querySelectorAll('.twin tbody tr').length`); rows != 4 {
		t.Errorf("the table has %d edges", rows)
	}
	for range 40 {
		tab.Press("Tab")
		if Eval[bool](tab, `!!document.activeElement.closest('.picture')`) {
			break
		}
	}
	if Eval[string](tab, `getComputedStyle(document.activeElement).outlineStyle`) == "none" {
		t.Error("the focus on a node is not seen")
	}
	tab.Press("Enter")
	tab.WaitFor(`document.querySelector('h1')?.textContent === 'keeper'`)
	tab.Expect("404")
	tab.Goto(s.URL + "/library/graph?node=nobody")
	if said := tab.Text("h1"); said != "there is no such node" {
		t.Errorf("of a node that nobody named: %s", said)
	}
}

// The status says what each part met, what is lacking with the line that adds it, and no
// secret.
func TestStatusPage(t *testing.T) {
	t.Parallel()
	s := serveWithModel(t, researcher{})
	tab := Open(t, Options{})
	tab.Goto(s.URL + "/status")
	tab.Axe("status")
	tab.Screenshot("untried")
	if said := tab.Text("#main"); !strings.Contains(said, "Nothing was tried") || !strings.Contains(said, "scripted") ||
		!strings.Contains(said, "searxng") {
		t.Errorf("before anything is tried: %s", said)
	}
	tab.Click("#providers ~ details summary")
	if said := tab.Text("#providers ~ details"); !strings.Contains(said, "BRAVE_API_KEY") {
		t.Errorf("what could be added: %s", said)
	}
	tab.Follow("button.primary")
	tab.Axe("status, tried")
	tab.Screenshot("tried")
	if said := tab.Text("#main"); !strings.Contains(said, "Tried ") || strings.Contains(said, "Nothing was tried") ||
		!strings.Contains(said, "ok") {
		t.Errorf("after everything was tried: %s", said)
	}
}

// Eight windows of one browser that watch runs hold at most four streams, and each of them
// loads pages, hears of the end, and gets a stream where one is given up.
func TestEightWindows(t *testing.T) {
	t.Parallel()
	m := researcher{hold: map[string]bool{"extract_page_content_tool": true}, goOn: make(chan bool)}
	s := serveWithModel(t, m)
	tabs := []*Tab{Open(t, Options{})}
	run := tabs[0].begin(s, larchQuestion)
	for len(tabs) < 8 {
		tab := tabs[0].Beside()
		tab.Goto(s.URL + "/runs/" + run)
		tabs = append(tabs, tab)
	}
	live := func() (n int) {
		for _, tab := range tabs {
			if strings.HasPrefix(Eval[string](tab, `document.getElementById('stream')?.textContent || ''`), "● live") {
				n++
			}
		}
		return n
	}
	for i, tab := range tabs {
		tab.WaitFor(`/live|every 2 s/.test(document.getElementById('stream')?.textContent)`)
		if seen := Eval[string](tab, `document.visibilityState`); seen != "visible" {
			t.Fatalf("window %d is %s", i, seen)
		}
	}
	if n := live(); n != 4 {
		t.Errorf("%d of eight windows have a stream", n)
	}
	tabs[7].Goto(s.URL + "/runs") // which waits for ever where streams have all connections
	tabs[7].WaitVisible(".runs")
	tabs[0].Goto(s.URL + "/library") // and gives its stream up
	tabs[0].WaitVisible("#file")
	tabs = tabs[1:7]
	tabs[0].waitUntil("have the fourth stream again", func(context.Context) (bool, error) { return live() == 4, nil })
	close(m.goOn)
	for i, tab := range tabs {
		tab.WaitFor(`document.querySelector('.below a')`)
		if rows := len(tab.rows()); rows == 0 || rows != len(tabs[0].rows()) {
			t.Errorf("window %d has %d rows", i, rows)
		}
	}
}

// Where there is no secure context nobody can count streams: the page asks, and misses nothing.
func TestWithoutLocks(t *testing.T) {
	t.Parallel()
	m := researcher{hold: map[string]bool{"extract_page_content_tool": true}, goOn: make(chan bool)}
	s := serveWithModel(t, m)
	s.Stop()
	s.args = append(s.args, "--set", "server.allowed_hosts=[plain.test]")
	s.Start()
	tab := Open(t, Options{})
	tab.Goto(strings.Replace(s.URL, "127.0.0.1", "plain.test", 1) + "/")
	tab.Type("#question", larchQuestion)
	tab.Follow("button.primary")
	tab.WaitFor(`document.querySelector('.row.search') && document.getElementById('stream').textContent.includes('every 2 s')`)
	close(m.goOn)
	tab.ended()
	if said := tab.Text("#report"); !strings.Contains(said, "9 March 2022") {
		t.Errorf("the report says %s", said)
	}
}

// sends adds a document of some words by the API, and gives its id.
func (s *Server) sends(name, words string) (id string) {
	s.t.Helper()
	body, err := json.Marshal(map[string]string{"filename": name, "text": words})
	if err != nil {
		s.t.Fatal(err)
	}
	var added struct{ Documents []struct{ ID, State string } }
	s.api("POST", "/v1/documents", &added, string(body))
	if len(added.Documents) != 1 || added.Documents[0].ID == "" {
		s.t.Fatalf("%q was not added: %+v", name, added)
	}
	return added.Documents[0].ID
}

// stock puts documents and a graph into the library, some of them with names and words that
// nothing can break, and gives the pages of it by the names of their states.
func (s *Server) stock() map[string]string {
	s.t.Helper()
	s.knots()
	long := strings.Repeat("unbroken", 25)
	s.tool("graph_upsert_edge", map[string]any{"src": "gate", "rel": strings.Repeat("BESIDE_", 20), "dst": long})
	s.tool("graph_upsert_node", map[string]any{"id": "gate", "labels": []string{long},
		"props": map[string]any{"name " + long: long, "of": "oak"}})
	id := s.sends(long+".md", "# "+long+"\n\nThe tide gate of Lowmere closes at high water. "+long+"\n")
	s.sends("barge.txt", "The barge Marigold passes the tide gate at noon.")
	return map[string]string{"library": "/library", "document": "/library/d/" + id + "?from=2&to=20&q=gate#cite",
		"found": "/library/search?q=tide+gate", "not found": "/library/search?q=nowhere", "no words": "/library/search",
		"graph": "/library/graph", "node": "/library/graph?node=gate", "status": "/status",
		"another document": "/library/d/" + id + "?from=20&to=99999"}
}

// Names of files, titles, words, nodes and relations that would run, load or lead away are
// shown as words, on every page of the library.
func TestHostileLibrary(t *testing.T) {
	t.Parallel()
	s := serveDemo(t)
	var named []string
	for _, p := range payloads {
		if !strings.ContainsAny(p, `/\`) && len(named) < 24 {
			named = append(named, p)
		}
	}
	var first string
	for i, p := range named {
		id := s.sends(p+".md", fmt.Sprintf("# Ledger %d %s\n\n%s The barge passes.\n", i, payloads[len(payloads)-1-i],
			sentence(i, p)))
		if i == 0 {
			first = id
		}
		s.tool("graph_upsert_edge", map[string]any{"src": "gate", "rel": p, "dst": payloads[i]})
	}
	s.tool("graph_upsert_node", map[string]any{"id": "gate", "labels": named[:5],
		"props": map[string]any{payloads[2]: payloads[3]}})
	tab := Open(t, Options{})
	for _, page := range []struct {
		state, path string
		shown       []string
	}{
		{"the library", "/library", nil}, {"a document", "/library/d/" + first, named[:1]},
		{"a search", "/library/search?q=" + url.QueryEscape("barge "+payloads[0]), nil},
		{"the graph", "/library/graph?q=" + url.QueryEscape(payloads[1]), nil},
		{"a node", "/library/graph?node=gate", append(append([]string{payloads[2], payloads[3]}, named...),
			payloads[:len(named)]...)},
		{"a hostile node", "/library/graph?node=" + url.QueryEscape(payloads[0]), payloads[:1]},
	} {
		tab.Goto(s.URL + page.path)
		tab.holds(page.state, page.shown)
	}
	tab.Goto(s.URL + "/library")
	tab.Choose("#file", files(t, `<img src=x onerror=alert(1)>.md`, "# A file\n\nOf words.\n",
		`<svg onload=alert(1)>.png`, "\x89PNG\r\n\x1a\n")...)
	tab.Click(".upload button")
	tab.WaitFor(`document.querySelector('.outcomes')?.innerText.includes('Show them in the list')`)
	tab.holds("what became of hostile files", []string{`<img src=x onerror=alert(1)>.md`, `<svg onload=alert(1)>.png`})
}
