//go:build unix

package cli

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/doctor"
	"github.com/citewell/citewell/internal/server/status"
	"github.com/citewell/citewell/internal/upkeep"
	"github.com/citewell/citewell/store"
)

// What the tests read of a document.
type shownDocument struct {
	ID, URL, Title, Language string
	MediaType                string    `json:"media_type"`
	TextBytes                int       `json:"text_bytes"`
	IndexedAt                time.Time `json:"indexed_at"`
	Bytes, Pages             int
	Unit                     string
}

// What became of what was added.
type addedDocument struct {
	Filename, State, ID, URL string
	Error                    *citewell.ErrorView
}

// form is a body of files, by name and content in turn, with its Content-Type.
func form(t *testing.T, files ...string) (body, kind string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		h := textproto.MIMEHeader{"Content-Disposition": {fmt.Sprintf("form-data; name=%q; filename=%q", "file",
			files[i])}, "Content-Type": {"application/octet-stream"}}
		part, err := w.CreatePart(h)
		if err == nil {
			_, err = part.Write([]byte(files[i+1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String(), w.FormDataContentType()
}

// adds sends what is to be taken.
func (c *runsClient) adds(body string, headers ...string) []addedDocument {
	c.t.Helper()
	a := c.do("POST", "/v1/documents", body, headers...)
	var said struct{ Documents []addedDocument }
	if err := json.Unmarshal(a.body, &said); err != nil || a.StatusCode != http.StatusOK {
		c.t.Fatalf("%d %s", a.StatusCode, a.body)
	}
	return said.Documents
}

// read reads an answer of 200.
func (c *runsClient) read(into any, path string) {
	c.t.Helper()
	a := c.do("GET", path, "")
	if err := json.Unmarshal(a.body, into); err != nil || a.StatusCode != http.StatusOK {
		c.t.Fatalf("%s: %d %s", path, a.StatusCode, a.body)
	}
}

// Files that are sent are read, found with the reason, read by bytes, cited and deleted. What
// is wrong with one is told with it.
func TestDocumentsAPI(t *testing.T) {
	t.Parallel()
	l := newLab(t, researcher{})
	c, _ := l.api(t)
	pdf := string(pdfOf("The harbour gate of Skarrow Quay is twelve metres wide.\n---\nIt was painted green " +
		"in 2021.\n"))
	body, kind := form(t, "gate.pdf", pdf, "broken.pdf", "%PDF-1.7 and no more", "gate.png", "\x89PNG\r\n\x1a\n",
		"über.md", "# Schleuse\n\nDie Schleuse öffnet bei Flut für die Fähre.\n")
	sent := c.adds(body, "Content-Type", kind)
	if len(sent) != 4 || sent[0].State != "indexed" || sent[0].Filename != "gate.pdf" ||
		!strings.HasPrefix(sent[0].URL, "file:///attached/") || sent[1].Error == nil || sent[1].ID != "" ||
		sent[2].State != "skipped" || sent[2].Error.Code != citewell.CodeUnsupportedType || sent[3].State != "indexed" {
		t.Fatalf("%+v", sent)
	}
	if again := c.adds(body, "Content-Type", kind); again[0].State != "unchanged" || again[0].ID != sent[0].ID ||
		again[3].State != "unchanged" {
		t.Errorf("sent again: %+v", again)
	}
	coded := base64.StdEncoding.EncodeToString([]byte(pdf))
	if same := c.adds(`{"filename": "gate.pdf", "data": "` + coded + `"}`); same[0].State != "unchanged" ||
		same[0].ID != sent[0].ID {
		t.Errorf("the same bytes in JSON: %+v", same)
	}
	note := c.adds(`{"filename": "note.txt", "text": "The tide gate of Hallvik opens for the barge Marigold."}`)[0]

	var list struct {
		Documents []shownDocument
		Total     int
		Next      string
	}
	c.read(&list, "/v1/documents")
	if list.Total != 3 || len(list.Documents) != 3 || list.Next != "" {
		t.Fatalf("%+v", list)
	}
	var d shownDocument
	c.read(&d, "/v1/documents/"+sent[0].ID)
	if d.URL != sent[0].URL || d.Title == "" || d.MediaType != "application/pdf" || d.Bytes != len(pdf) ||
		d.Pages != 2 || d.Unit != "page" || d.Language != "en" || time.Since(d.IndexedAt) > time.Hour {
		t.Errorf("%+v", d)
	}
	for _, last := range "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_" { // a document has one id
		other := note.ID[:len(note.ID)-1] + string(last)
		if name, err := base64.RawURLEncoding.DecodeString(other); err == nil && string(name) == note.URL &&
			other != note.ID {
			c.refused(404, citewell.CodeNotFound, "", "GET", "/v1/documents/"+other, "")
		}
	}
	seen, pages := map[string]bool{}, 0
	for next := "/v1/documents?limit=1"; next != ""; {
		list.Next = ""
		pages++
		c.read(&list, next)
		for _, d := range list.Documents {
			seen[d.ID] = true
		}
		if next = ""; list.Next != "" {
			next = "/v1/documents?limit=1&cursor=" + url.QueryEscape(list.Next)
		}
	}
	if len(seen) != 3 || pages != 3 || !seen[sent[0].ID] || !seen[sent[3].ID] || !seen[note.ID] {
		t.Errorf("the pages have %v", seen)
	}
	c.read(&list, "/v1/documents?prefix="+url.QueryEscape(note.URL))
	if list.Total != 1 || list.Documents[0].ID != note.ID {
		t.Errorf("below the note's URL: %+v", list)
	}

	var text struct {
		Text              string
		Start, End, Total int
		SHA256            string `json:"text_sha256"`
	}
	c.read(&text, "/v1/documents/"+sent[3].ID+"/text")
	whole := text.Text
	if !strings.Contains(whole, "Die Schleuse öffnet bei Flut") || text.Start != 0 || text.End != len(whole) ||
		text.Total != len(whole) || text.SHA256 != citewell.SHA256([]byte(whole)) {
		t.Fatalf("%+v", text)
	}
	at := strings.Index(whole, "ö")
	for span, want := range map[[2]int][2]int{{at - 2, at}: {at - 2, at}, {at - 2, at + 1}: {at - 2, at},
		{at + 1, at + 3}: {at + 2, at + 3}, {len(whole), len(whole) + 9}: {len(whole), len(whole)}, {5, 5}: {5, 5},
		{5, 4}: {5, 5}} {
		c.read(&text, fmt.Sprintf("/v1/documents/%s/text?start=%d&end=%d", sent[3].ID, span[0], span[1]))
		if text.Start != want[0] || text.End != want[1] || text.Text != whole[want[0]:want[1]] {
			t.Errorf("%v of the text is %+v", span, text)
		}
	}
	if a := c.do("GET", fmt.Sprintf("/v1/documents/%s/text?start=%d&end=%d", sent[3].ID, at, at+2), "", "Accept",
		"text/plain"); string(a.body) != "ö" || a.Header.Get("Text-Start") != fmt.Sprint(at) ||
		a.Header.Get("Text-Total") != fmt.Sprint(len(whole)) {
		t.Errorf("as plain text: %q %v", a.body, a.Header)
	}

	var found struct {
		Results []struct {
			Place   int
			ID      string
			Words   int `json:"words_rank"`
			Matched []string
			Excerpt struct {
				Start, End int
				Text       string
				Marks      []store.Span
			}
		}
		Total int
		Mode  string
	}
	c.read(&found, "/v1/documents/search?q="+url.QueryEscape("gates wide"))
	if len(found.Results) != 2 || found.Mode != "text" || found.Results[0].ID != sent[0].ID ||
		found.Results[0].Place != 1 || found.Results[0].Words != 1 ||
		strings.Join(found.Results[0].Matched, " ") != "gate wide" || found.Results[1].Words != 2 {
		t.Fatalf("%+v", found)
	}
	e := found.Results[0].Excerpt
	c.read(&text, fmt.Sprintf("/v1/documents/%s/text?start=%d&end=%d", sent[0].ID, e.Start, e.End))
	if text.Text != e.Text || len(e.Marks) != 2 || text.Text[e.Marks[0].Start-e.Start:e.Marks[0].End-e.Start] !=
		"gate" {
		t.Errorf("the excerpt is %+v, and the text there %q", e, text.Text)
	}
	c.read(&found, "/v1/documents/search?limit=1&offset=1&q="+url.QueryEscape("gates wide"))
	if len(found.Results) != 1 || found.Results[0].Place != 2 || found.Results[0].ID != note.ID || found.Total != 2 {
		t.Errorf("the second: %+v", found)
	}

	if out, stderr, code := here(t, l.home, "search", "--provider", "local",
		"How wide is the harbour gate of Skarrow Quay?"); code != 0 || !strings.Contains(out, "twelve metres wide") ||
		!strings.Contains(out, sent[0].URL) {
		t.Errorf("a brief does not cite it: %d %s %s", code, out, stderr)
	}
	if a := c.do("DELETE", "/v1/documents/"+sent[0].ID, ""); a.StatusCode != http.StatusNoContent {
		t.Errorf("%d %s", a.StatusCode, a.body)
	}
	for _, call := range [][2]string{{"GET", ""}, {"DELETE", ""}, {"GET", "/text"}} {
		c.refused(404, citewell.CodeNotFound, "no document with that id", call[0],
			"/v1/documents/"+sent[0].ID+call[1], "")
	}
	c.read(&found, "/v1/documents/search?q=skarrow")
	if len(found.Results) != 0 {
		t.Errorf("what was deleted is found: %+v", found)
	}
	if back := c.adds(`{"filename": "gate.pdf", "data": "` + coded + `"}`)[0]; back.State != "indexed" ||
		back.ID != sent[0].ID {
		t.Errorf("sent after it was deleted: %+v", back)
	}
}

// A page is fetched as any other. What names a file of the server is not read.
func TestDocumentsAPIOfURLs(t *testing.T) {
	t.Parallel()
	l := newLab(t, researcher{})
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/gate.html" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<title>The gate</title><p>The harbour gate of Skarrow Quay is twelve metres wide, and was "+
			"painted green in 2021.</p>")
	}))
	defer web.Close()
	c, _ := l.api(t)
	secret := filepath.Join(l.home, "secret.txt")
	write(t, secret, "The keel number is 4711.")
	page := c.adds(`{"url": "` + web.URL + `/gate.html"}`)[0]
	if page.State != "indexed" || page.URL != web.URL+"/gate.html" {
		t.Fatalf("%+v", page)
	}
	var d shownDocument
	if c.read(&d, "/v1/documents/"+page.ID); d.Title != "The gate" || d.MediaType != "text/html" {
		t.Errorf("%+v", d)
	}
	for url, code := range map[string]citewell.Code{"file://" + secret: citewell.CodeUnsupportedScheme,
		secret: citewell.CodeInvalidURL, "secret.txt": citewell.CodeInvalidURL,
		web.URL + "/none": citewell.CodeHTTPStatus, "http://169.254.169.254/": citewell.CodeBlockedAddress} {
		if one := c.adds(`{"url": "` + url + `"}`)[0]; one.State != "failed" || one.Error == nil ||
			one.Error.Code != code {
			t.Errorf("%s: %+v %+v", url, one, one.Error)
		}
	}
	var list struct{ Total int }
	if c.read(&list, "/v1/documents"); list.Total != 1 {
		t.Errorf("there are %d documents", list.Total)
	}
}

// What cannot be taken or asked is refused in the usual form.
func TestDocumentsAPIRefuses(t *testing.T) {
	t.Parallel()
	l := newLab(t, researcher{})
	c, _ := l.api(t)
	nine := make([]string, 0, 18)
	for i := range 9 {
		nine = append(nine, fmt.Sprintf("%d.txt", i), "words")
	}
	many, kind := form(t, nine...)
	none, noneKind := form(t)
	for _, test := range []struct {
		status     int
		code       citewell.Code
		words      string
		body, kind string
	}{
		{400, citewell.CodeInvalidArgument, "at most 8 files", many, kind},
		{400, citewell.CodeInvalidArgument, "", none, noneKind},
		{400, citewell.CodeInvalidArgument, "boundary", "x", "multipart/form-data"},
		{400, citewell.CodeInvalidArgument, "the form has no part file", "x", "multipart/form-data; boundary=b"},
		{400, citewell.CodeInvalidArgument, "the form cannot be read",
			"--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\nx",
			"multipart/form-data; boundary=b"},
		{400, citewell.CodeInvalidArgument, `the form has a part "files", and files are sent as file`,
			"--b\r\nContent-Disposition: form-data; name=\"files\"; filename=\"a.txt\"\r\n\r\nx\r\n--b--\r\n",
			"multipart/form-data; boundary=b"},
		{400, citewell.CodeInvalidArgument, "has no filename", "--b\r\nContent-Disposition: form-data; " +
			"name=\"file\"\r\n\r\nx\r\n--b--\r\n", "multipart/form-data; boundary=b"},
		{415, citewell.CodeUnsupportedType, "a form of files or JSON", "x", "text/plain"},
		{413, citewell.CodeInvalidArgument, "more than 33554432 bytes", strings.Repeat("x", 33<<20),
			"multipart/form-data; boundary=b"},
		{400, citewell.CodeInvalidArgument, "one of data, text and url", `{"filename": "a.txt"}`, "application/json"},
		{400, citewell.CodeInvalidArgument, "one of data, text and url",
			`{"filename": "a.txt", "text": "x", "url": "http://a.example/"}`, "application/json"},
		{400, citewell.CodeInvalidArgument, "did you mean filename", `{"file_name": "a.txt", "text": "x"}`,
			"application/json"},
	} {
		c.refused(test.status, test.code, test.words, "POST", "/v1/documents", test.body, "Content-Type", test.kind)
	}
	if one := c.adds(`{"filename": "a.txt", "data": "?"}`)[0]; one.State != "failed" ||
		one.Error.Code != citewell.CodeInvalidArgument {
		t.Errorf("what is no base64: %+v", one)
	}
	for path, words := range map[string]string{"/v1/documents?limit=0": "limit must be from 1 to 200",
		"/v1/documents?page=2": `"page" is unknown`, "/v1/documents?cursor=": "cursor must be",
		"/v1/documents/search":                                "q is missing",
		"/v1/documents/search?q=x&limit=101":                  "limit must be from 1 to 100",
		"/v1/documents/search?q=" + strings.Repeat("x", 1001): "1 to 1,000 characters",
		"/v1/graph?limit=1000":                                "limit must be from 1 to 999",
		"/v1/graph/a?depth=11":                                "depth must be from 1 to 10",
		"/v1/graph/a?direction=up":                            "direction must be",
		"/v1/documents/YQ/text?start=a":                       "start must be a number of bytes"} {
		c.refused(400, citewell.CodeInvalidArgument, words, "GET", path, "")
	}
	for _, path := range []string{"/v1/documents/YQ", "/v1/documents/YR", "/v1/documents/a+b", "/v1/documents/YQ/text",
		"/v1/graph/nothing", "/v1/graph/" + strings.Repeat("a", 2000)} {
		c.refused(404, citewell.CodeNotFound, "", "GET", path, "")
	}
	for path, allowed := range map[string]string{"/v1/documents": "GET, HEAD, POST",
		"/v1/documents/search": "GET, HEAD", "/v1/documents/YQ": "DELETE, GET, HEAD", "/v1/graph": "GET, HEAD",
		"/v1/status": "GET, HEAD, POST"} {
		if a := c.refused(405, citewell.CodeInvalidArgument, "is not for this path", "PUT", path,
			""); a.Header.Get("Allow") != allowed {
			t.Errorf("%s allows %s", path, a.Header.Get("Allow"))
		}
	}
}

// The examples of doc/documents-api.md do what it says, one after the other.
func TestDocumentsAPIByItsDocumentation(t *testing.T) {
	t.Parallel()
	home, out := doExamples(t, "documents-api.md")
	if !strings.Contains(out, `"total":2`) || !strings.Contains(out, `"start":0,"end":10`) {
		t.Errorf("%s", out)
	}
	for name, words := range map[string]string{"gate.txt": "The harbour gate of Skarrow Quay is twelve metres wide.",
		"found.json": `"matched":["gate","wide"]`} {
		if data, err := os.ReadFile(filepath.Join(home, name)); err != nil || !strings.Contains(string(data), words) {
			t.Errorf("%s: %s %v", name, data, err)
		}
	}
}

// The graph is told as it was kept, whatever characters an id has.
func TestGraphAPI(t *testing.T) {
	t.Parallel()
	l := newLab(t, researcher{})
	c, a := l.api(t)
	if err := a.Store.UpsertNodes(t.Context(), []store.GraphNode{
		{ID: "gate/north 1?", Labels: []string{"Gate"}, Props: map[string]any{"wide": 12}}, {ID: "quay"}}); err != nil {
		t.Fatal(err)
	}
	if err := a.Store.UpsertEdges(t.Context(), []store.GraphEdge{
		{Src: "gate/north 1?", Rel: "AT", Dst: "quay", Weight: 0.5}, {Src: "quay", Rel: "IN", Dst: "Skarrow"},
		{Src: "barge", Rel: "PASSES", Dst: "gate/north 1?"}}); err != nil {
		t.Fatal(err)
	}
	type near struct {
		Node      struct{ ID string }
		Described bool
		Edges     []struct{ Src, Rel, Dst string }
		Neighbors []struct {
			ID    string
			Depth int
		}
		Total int
		Next  int `json:"next_offset"`
	}
	for query, want := range map[string]string{"": "barge 1 quay 1", "?direction=out": "quay 1",
		"?direction=in": "barge 1", "?depth=2": "barge 1 quay 1 Skarrow 2", "?rel=AT": "quay 1",
		"?limit=1&offset=1": "quay 1"} {
		var n near
		c.read(&n, "/v1/graph/"+url.PathEscape("gate/north 1?")+query)
		var got []string
		for _, one := range n.Neighbors {
			got = append(got, fmt.Sprint(one.ID, " ", one.Depth))
		}
		if strings.Join(got, " ") != want || !n.Described || n.Node.ID != "gate/north 1?" {
			t.Errorf("%s: %+v", query, n)
		}
	}
	var named near
	if c.read(&named, "/v1/graph/Skarrow"); named.Described || len(named.Edges) != 1 || named.Edges[0].Rel != "IN" {
		t.Errorf("what edges alone name: %+v", named)
	}
	var list struct {
		Nodes []struct{ ID string }
		All   int `json:"all_nodes"`
		Edges int `json:"all_edges"`
		Next  int `json:"next_offset"`
	}
	if c.read(&list, "/v1/graph?q=GATE"); len(list.Nodes) != 1 || list.Nodes[0].ID != "gate/north 1?" ||
		list.All != 2 || list.Edges != 3 {
		t.Errorf("%+v", list)
	}
	if c.read(&list, "/v1/graph?limit=1"); len(list.Nodes) != 1 || list.Next != 1 {
		t.Errorf("%+v", list)
	}
}

// Whoever has the machine sees doctor's findings, an API token of a tenant what its tenant has.
func TestStatusAPI(t *testing.T) {
	t.Parallel()
	l := newLab(t, researcher{})
	type details struct {
		Models    []status.Model
		Providers []status.Provider
		Findings  []status.Finding
		At        time.Time `json:"examined_at"`
		Store     *upkeep.Usage
	}
	var s struct {
		Version   string
		Agents    []status.Agent
		Documents int
		Details   *details
	}
	operator, _ := l.serve(t, "")
	operator.read(&s, "/v1/status")
	if s.Details == nil || !s.Details.At.IsZero() || len(s.Agents) == 0 || s.Agents[0].Model != "scripted" ||
		s.Details.Models[0] != (status.Model{Kind: "chat", Name: "scripted"}) {
		t.Fatalf("%+v", s)
	}
	states := func(part string) map[string]doctor.State {
		of := map[string]doctor.State{}
		for _, f := range s.Details.Findings {
			if f.Part == part {
				of[f.Name] = f.State
			}
		}
		return of
	}
	if got := states("provider"); got["searxng"] != status.Untried || got["brave"] != doctor.Off ||
		states("store")["sqlite"] != status.Untried {
		t.Errorf("before anything was tried: %+v", s.Details.Findings)
	}
	if a := operator.do("POST", "/v1/status", ""); a.StatusCode != http.StatusOK {
		t.Fatalf("%d %s", a.StatusCode, a.body)
	}
	id := operator.begin(`{"task": "` + larchTask + `"}`)
	operator.whole("/v1/runs/" + id + "/events")
	operator.read(&s, "/v1/status")
	if got := states("provider"); s.Details.At.IsZero() || got["searxng"] != doctor.OK || got["brave"] != doctor.Off ||
		states("store")["sqlite"] != doctor.OK || s.Details.Store == nil || s.Details.Store.Bytes == 0 {
		t.Errorf("after it: %+v", s.Details)
	}
	asked := false
	for _, p := range s.Details.Providers {
		asked = asked || p.Name == "searxng" && p.Configured && p.Standing && p.Last != nil &&
			p.Last.Outcome == citewell.ProviderOK
	}
	if !asked {
		t.Errorf("what came of calls: %+v", s.Details.Providers)
	}

	dan := newStander(t, l, operator.base, "dan")
	boss := newStander(t, l, operator.base, "boss", "--scope", "admin")
	for deadline := time.Now().Add(patience); operator.send(t.Context(), "GET", "/v1/status",
		"").StatusCode != http.StatusUnauthorized; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("no token is asked for")
		}
	}
	dan.adds(`{"filename": "note.txt", "text": "The tide gate of Hallvik opens for the barge Marigold."}`)
	s.Details = nil
	if dan.read(&s, "/v1/status"); s.Details != nil || s.Documents != 1 {
		t.Errorf("an API token is told %+v", s)
	}
	dan.refused(403, citewell.CodePermissionDenied, "only the operator", "POST", "/v1/status", "")
	if boss.read(&s, "/v1/status"); s.Details == nil || s.Details.Store == nil {
		t.Errorf("an admin of the tenant default is told %+v", s)
	}
}
