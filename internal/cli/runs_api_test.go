//go:build unix

package cli

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/app"
	"github.com/citewell/citewell/internal/evidence"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/report"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/server"
	"github.com/citewell/citewell/internal/server/runs"
	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
)

// A runsClient speaks to the API of runs, and holds every answer against its document.
type runsClient struct {
	t           *testing.T
	base, token string
	doc         runsDocument
}

// A runsDocument is what is read of an OpenAPI document.
type runsDocument struct {
	Paths map[string]map[string]struct {
		Responses map[string]struct {
			Ref     string `json:"$ref"`
			Headers map[string]struct {
				Ref      string `json:"$ref"`
				Required bool
			}
			Content map[string]struct{ Schema json.RawMessage }
		}
	}
	Components struct {
		Schemas   map[string]map[string]any
		Responses map[string]json.RawMessage
	}
}

func newRunsClient(t *testing.T, base, token string) *runsClient {
	t.Helper()
	c := &runsClient{t: t, base: base, token: token}
	// A path item has parameters beside its methods.
	var raw map[string]any
	if err := json.Unmarshal(runs.Document(), &raw); err != nil {
		t.Fatal(err)
	}
	for _, item := range raw["paths"].(map[string]any) {
		delete(item.(map[string]any), "parameters")
	}
	data, err := json.Marshal(raw)
	if err == nil {
		err = json.Unmarshal(data, &c.doc)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range c.doc.Components.Schemas { // here nothing may be sent that is not described
		if s["properties"] != nil {
			s["additionalProperties"] = false
		}
	}
	return c
}

// A runsAnswer is an answer that was read whole.
type runsAnswer struct {
	*http.Response
	body []byte
}

// send sends a request; headers are name and value in turn.
func (c *runsClient) send(ctx context.Context, method, path, body string, headers ...string) *http.Response {
	c.t.Helper()
	r, err := http.NewRequestWithContext(ctx, method, c.base+path, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	if c.token != "" {
		r.Header.Set("Authorization", "Bearer "+c.token)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header[headers[i]] = []string{headers[i+1]}
	}
	resp, err := http.DefaultTransport.RoundTrip(r) // which follows nothing
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { resp.Body.Close() })
	return resp
}

// do sends a request, reads the answer and holds it against the document.
func (c *runsClient) do(method, path, body string, headers ...string) runsAnswer {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), lifetime) // a stream, where none was asked for, has no end
	defer cancel()
	a := runsAnswer{Response: c.send(ctx, method, path, body, headers...)}
	var err error
	if a.body, err = io.ReadAll(a.Body); err != nil {
		c.t.Fatal(err)
	}
	if problem := c.conforms(method, path, a); problem != "" {
		c.t.Errorf("%s %s: %d is not as described: %s\n%.500s", method, path, a.StatusCode, problem, a.body)
	}
	return a
}

// conforms says what of an answer is not as its document has it.
func (c *runsClient) conforms(method, path string, a runsAnswer) string {
	path, _, _ = strings.Cut(path, "?")
	parts := strings.Split(path, "/")
	if _, named := c.doc.Paths[path]; len(parts) > 3 && !named {
		parts[3] = "{id}"
		switch parts[2] {
		case "graph":
			parts[3] = "{node}"
		case "watches":
			parts[3] = "{watch}"
		}
	}
	if len(parts) > 5 && parts[4] == "sources" {
		parts[5] = "{n}"
	}
	responses := c.doc.Paths[strings.Join(parts, "/")][strings.ToLower(method)].Responses
	if a.StatusCode == http.StatusMethodNotAllowed { // of a method that there is not
		for _, o := range c.doc.Paths[strings.Join(parts, "/")] {
			responses = o.Responses
		}
	}
	described, ok := responses[strconv.Itoa(a.StatusCode)]
	if !ok {
		return "there is no such status"
	}
	if name, ref := strings.CutPrefix(described.Ref, "#/components/responses/"); ref {
		if err := json.Unmarshal(c.doc.Components.Responses[name], &described); err != nil {
			return err.Error()
		}
	}
	for name, h := range described.Headers {
		if (h.Required || h.Ref != "") && a.Header.Get(name) == "" {
			return "there is no " + name
		}
	}
	if a.Header.Get("Cache-Control") != "no-store" {
		return "it may be kept"
	}
	if described.Content == nil {
		if len(a.body) > 0 {
			return "it has a body"
		}
		return ""
	}
	kind, _, _ := strings.Cut(a.Header.Get("Content-Type"), ";")
	content, ok := described.Content[kind]
	if !ok || a.Header.Get("X-Content-Type-Options") != "nosniff" {
		return "it is " + kind
	}
	if !strings.HasSuffix(kind, "json") || method == http.MethodHead {
		return ""
	}
	return c.fits(content.Schema, a.body)
}

// fits says what of a JSON value is not as a schema of the document has it.
func (c *runsClient) fits(of json.RawMessage, value []byte) string {
	schema, err := c.schema(of)
	if err != nil {
		return err.Error()
	}
	var v any
	if err := json.Unmarshal(value, &v); err != nil {
		return err.Error()
	}
	if err := schema.Validate(v); err != nil {
		return err.Error()
	}
	return ""
}

// resolvedSchemas are those of the document that were met, by their JSON.
var resolvedSchemas sync.Map // string → *jsonschema.Resolved

func (c *runsClient) schema(of json.RawMessage) (*jsonschema.Resolved, error) {
	if known, ok := resolvedSchemas.Load(string(of)); ok {
		return known.(*jsonschema.Resolved), nil
	}
	root, err := json.Marshal(map[string]any{"$defs": c.doc.Components.Schemas, "allOf": []json.RawMessage{of}})
	if err != nil {
		return nil, err
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(bytes.ReplaceAll(root, []byte("#/components/schemas/"), []byte("#/$defs/")),
		&s); err != nil {
		return nil, err
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		return nil, err
	}
	resolvedSchemas.Store(string(of), resolved)
	return resolved, nil
}

// refused sends what is to be refused.
func (c *runsClient) refused(status int, code citewell.Code, words, method, path, body string,
	headers ...string) runsAnswer {
	c.t.Helper()
	a := c.do(method, path, body, headers...)
	var said struct{ Error citewell.ErrorView }
	if err := json.Unmarshal(a.body, &said); err != nil || a.StatusCode != status || said.Error.Code != code ||
		!strings.Contains(said.Error.Message+" "+said.Error.Hint, words) {
		c.t.Errorf("%s %s %.100s: %d %.400s; want %d %s with %q", method, path, body, a.StatusCode, a.body, status,
			code, words)
	}
	return a
}

// begin begins a run and returns its id.
func (c *runsClient) begin(body string, headers ...string) string {
	c.t.Helper()
	a := c.do("POST", "/v1/runs", body, headers...)
	var run struct{ ID string }
	if err := json.Unmarshal(a.body, &run); err != nil || a.StatusCode != http.StatusCreated ||
		a.Header.Get("Location") != "/v1/runs/"+run.ID {
		c.t.Fatalf("%d %s %s", a.StatusCode, a.Header, a.body)
	}
	return run.ID
}

// A heard is one event of a stream.
type heard struct{ id, event, data string }

// listen reads a stream until take has enough or it ends, and says what it ended with.
func (c *runsClient) listen(ctx context.Context, path string, take func(heard) bool, headers ...string) error {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(ctx, lifetime)
	defer cancel()
	resp := c.send(ctx, "GET", path, "", headers...)
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "text/event-stream" {
		c.t.Fatalf("%s: %d %s", path, resp.StatusCode, resp.Header)
	}
	lines := bufio.NewReader(resp.Body)
	var now heard
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return err
		}
		field, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch field {
		case "id":
			now.id = value
		case "event":
			now.event = value
		case "data":
			now.data = value
		case "":
			if now.event == "" { // a comment, or when to come again
				continue
			}
			schema := `{"$ref":"#/components/schemas/Event"}`
			if now.event == "stream.end" {
				schema = `{"$ref":"#/components/schemas/StreamEnd"}`
			}
			if problem := c.fits(json.RawMessage(schema), []byte(now.data)); problem != "" {
				c.t.Errorf("%s is not as described: %s", now.data, problem)
			}
			if !take(now) {
				return nil
			}
			now = heard{}
		}
	}
}

// whole reads a stream from an entry to its end.
func (c *runsClient) whole(path string, headers ...string) (all []heard) {
	c.t.Helper()
	if err := c.listen(c.t.Context(), path, func(h heard) bool {
		all = append(all, h)
		return true
	}, headers...); err != io.EOF {
		c.t.Fatalf("the stream ends with %v", err)
	}
	if len(all) == 0 || all[len(all)-1].event != "stream.end" {
		c.t.Fatalf("the stream ends without saying so: %v", all)
	}
	return all
}

// api serves a lab as citewell serve does, in this process, with a token.
func (l *lab) api(t *testing.T) (*runsClient, *app.App) {
	t.Helper()
	token, _, code := here(t, l.home, "token", "create", "tester", "--scope", "api")
	if code != 0 {
		t.Fatal("no token could be made")
	}
	return l.serve(t, strings.TrimSpace(token))
}

// serve serves a lab as citewell serve does, in this process, for a client with a token.
func (l *lab) serve(t *testing.T, token string) (*runsClient, *app.App) {
	t.Helper()
	a, _ := l.runs(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	handler, err := a.Handler(t.Context(), listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	served, executed := make(chan struct{}), make(chan struct{})
	go func() { defer close(served); server.Run(ctx, listener, handler, a.Log()) }()
	go func() {
		defer close(executed)
		a.Execute(ctx, func(room *app.App) (*app.Runs, error) { return room.Runs(ctx) })
	}()
	t.Cleanup(func() { cancel(); <-served; <-executed })
	return newRunsClient(t, "http://"+listener.Addr().String(), token), a
}

// A run is begun, followed, read in every form, and deleted.
func TestRunsAPI(t *testing.T) {
	t.Parallel()
	l := newLab(t, researcher{})
	c, a := l.api(t)

	stranger := newRunsClient(t, c.base, "")
	if a := stranger.do("GET", "/openapi.json", ""); a.StatusCode != 200 || !bytes.Equal(a.body, runs.Document()) {
		t.Errorf("the document: %d", a.StatusCode)
	}
	for _, path := range []string{"/v1/agents", "/v1/runs"} {
		stranger.refused(401, citewell.CodeAuth, "a bearer token is needed here", "GET", path, "")
	}
	if resp := c.send(t.Context(), "GET", "/v1/runs/", ""); resp.StatusCode != http.StatusNotFound {
		t.Errorf("a path that there is not: %d", resp.StatusCode)
	}
	var agents struct {
		Agents []struct{ Name, Model string }
	}
	if a := c.do("GET", "/v1/agents", ""); json.Unmarshal(a.body, &agents) != nil || len(agents.Agents) < 5 ||
		agents.Agents[0].Name != "sgr_tool_calling_agent" || agents.Agents[0].Model != "scripted" {
		t.Errorf("agents: %s", a.body)
	}

	id := c.begin(`{"task": "`+larchTask+
		`", "budget": {"searches": 2}, "history": [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hello."}]}`, "Idempotency-Key", "one")
	if again := c.begin(
		`{"history": [{"content": "Hello", "role": "user"}, {"role": "assistant", "content": "Hello."}], "task": "`+
			larchTask+`", "budget": {"searches": 2}}`, "Idempotency-Key", "one"); again != id {
		t.Errorf("the same key gives %s and %s", id, again)
	}
	c.refused(409, citewell.CodeRunExists, "another task", "POST", "/v1/runs", `{"task": "another"}`,
		"Idempotency-Key", "one")

	log := c.whole("/v1/runs/" + id + "/events")
	for i, h := range log[:len(log)-1] {
		if h.id != strconv.Itoa(i+1) {
			t.Fatalf("entry %d has the id %s", i+1, h.id)
		}
	}
	if end := log[len(log)-1]; end.data != `{"run":"`+id+`","state":"completed","outcome":"answered"}` || end.id != "" {
		t.Errorf("it ends with %+v", end)
	}
	host, _ := os.Hostname()
	if all := fmt.Sprint(log); strings.Contains(all, `"parts"`) ||
		strings.Contains(all, fmt.Sprintf("%s/%d", host, os.Getpid())) {
		t.Errorf("the stream tells who executes it, or what its agent is made of: %s", all)
	}

	var paged []heard
	for after := "0"; ; {
		var page struct {
			Events []json.RawMessage
			Next   json.Number
			Over   bool
		}
		a := c.do("GET", "/v1/runs/"+id+"/events?limit=4&after="+after, "", "Accept", "application/json")
		if err := json.Unmarshal(a.body, &page); err != nil || a.StatusCode != 200 {
			t.Fatalf("%d %s", a.StatusCode, a.body)
		}
		for _, data := range page.Events {
			var e runstore.RunEvent
			if err := json.Unmarshal(data, &e); err != nil {
				t.Fatal(err)
			}
			paged = append(paged, heard{strconv.FormatInt(e.Seq, 10), e.Type, string(data)})
		}
		if after = page.Next.String(); page.Over {
			break
		}
	}
	if diff := cmp.Diff(log[:len(log)-1], paged, cmp.AllowUnexported(heard{})); diff != "" {
		t.Errorf("the pages are not the stream: %s", diff)
	}

	// From any entry, by either way to name it, and after the last.
	for _, from := range []int{0, 1, len(log) / 2, len(log) - 2, len(log) - 1} {
		for _, got := range [][]heard{c.whole(fmt.Sprintf("/v1/runs/%s/events?after=%d", id, from)),
			c.whole("/v1/runs/"+id+"/events?after=1", "Last-Event-Id", strconv.Itoa(from))} {
			if diff := cmp.Diff(log[from:], got, cmp.AllowUnexported(heard{})); diff != "" {
				t.Errorf("after %d: %s", from, diff)
			}
		}
	}
	if head := c.send(t.Context(), "HEAD", "/v1/runs/"+id+"/events", ""); head.StatusCode != 200 ||
		head.Header.Get("Content-Type") != "text/event-stream" {
		t.Errorf("HEAD: %d %s", head.StatusCode, head.Header)
	}

	var status struct {
		State    string
		Task     string
		Searches int `json:"searches_used"`
		Sources  int `json:"sources_count"`
		Events   int
		Budget   struct{ Searches int }
	}
	if a := c.do("GET", "/v1/runs/"+id, ""); json.Unmarshal(a.body, &status) != nil || status.State != "completed" ||
		status.Task != larchTask || status.Searches != 1 || status.Sources == 0 || status.Events != len(log)-1 ||
		status.Budget.Searches != 2 {
		t.Errorf("%s", a.body)
	}
	other := c.begin(`{"task": "` + larchTask +
		`", "agent": "tool_calling_agent", "id": "00000000-0000-4000-8000-000000000000"}`)
	if other != "tool_calling_agent_00000000-0000-4000-8000-000000000000" {
		t.Errorf("a run with an id of its own is %s", other)
	}
	c.whole("/v1/runs/" + other + "/events")
	for query, want := range map[string][]string{"": {other, id}, "?agent=sgr_tool_calling_agent": {id},
		"?state=completed&state=failed": {other, id}, "?state=inited": {},
		"?limit=1": {other}, "?q=WHEN%20larch": {other, id}, "?q=%25": {},
		"?outcome=answered&outcome=budget": {other, id}, "?outcome=budget": {},
		"?since=2026-01-01&until=2126-01-01T00:00:00%2B01:00": {other, id},
		"?until=2026-01-01": {}, "?since=2126-01-01T00:00:00Z": {}, "?same_task=" + id: {other, id},
		"?agent=tool_calling_agent&same_task=" + id: {other}, "?q=birch&same_task=" + id: {}} {
		var list struct {
			Runs []struct{ ID string }
			Next string
		}
		a := c.do("GET", "/v1/runs"+query, "")
		if err := json.Unmarshal(a.body, &list); err != nil || (list.Next != "") != (query == "?limit=1") {
			t.Fatalf("%s: %s", query, a.body)
		}
		got := []string{}
		for _, run := range list.Runs {
			got = append(got, run.ID)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s lists %v", query, got)
		}
		if list.Next != "" {
			if a := c.do("GET", "/v1/runs?limit=1&cursor="+list.Next, ""); !strings.Contains(string(a.body), id) {
				t.Errorf("the next page: %s", a.body)
			}
		}
	}
	c.readResult(l, a, id)
	c.readEvidence(id)

	if a := c.do("POST", "/v1/runs/"+id+"/cancel", ""); a.StatusCode != 200 ||
		!strings.Contains(string(a.body), `"state":"completed"`) {
		t.Errorf("cancelled after its end: %d %s", a.StatusCode, a.body)
	}
	if a := c.do("DELETE", "/v1/runs/"+id, ""); a.StatusCode != http.StatusNoContent {
		t.Errorf("deleted: %d %s", a.StatusCode, a.body)
	}
	for _, path := range []string{"", "/events", "/result", "/report", "/sources", "/sources/1/text", "/evidence"} {
		c.refused(404, citewell.CodeNotFound, "no run", "GET", "/v1/runs/"+id+path, "")
	}
	c.refused(404, citewell.CodeNotFound, "no run", "DELETE", "/v1/runs/"+id, "")
	c.refused(404, citewell.CodeNotFound, "no run", "POST", "/v1/runs/"+id+"/cancel", "")
	c.refused(404, citewell.CodeNotFound, "no run", "POST", "/v1/runs/"+id+"/answer", `{"text": "x"}`)
}

// readEvidence reads what stands behind the report of a run: the text of its sources, and
// its citations checked again.
func (c *runsClient) readEvidence(id string) {
	t := c.t
	t.Helper()
	var result agent.Result
	if err := json.Unmarshal(c.do("GET", "/v1/runs/"+id+"/result", "").body, &result); err != nil {
		t.Fatal(err)
	}
	var sources struct{ Sources []citewell.Source }
	if a := c.do("GET", "/v1/runs/"+id+"/sources", ""); json.Unmarshal(a.body, &sources) != nil ||
		!cmp.Equal(sources.Sources, result.Sources) {
		t.Errorf("the sources: %s", a.body)
	}
	text := fmt.Sprintf("/v1/runs/%s/sources/%d/text", id, result.Report.Findings[0].Citations[0].N)
	var whole evidence.Text
	for _, f := range result.Report.Findings {
		for _, cited := range f.Citations {
			var piece evidence.Text
			a := c.do("GET", fmt.Sprintf("/v1/runs/%s/sources/%d/text?start=%d&end=%d", id, cited.N, cited.Start,
				cited.End), "")
			if err := json.Unmarshal(a.body, &piece); err != nil || piece.Text != cited.Quote ||
				piece.Start != cited.Start || piece.End != cited.End {
				t.Errorf("source %d from %d to %d is %s, want %q", cited.N, cited.Start, cited.End, a.body, cited.Quote)
			}
		}
	}
	if err := json.Unmarshal(c.do("GET", text, "").body, &whole); err != nil || whole.Total != len(whole.Text) ||
		citewell.SHA256([]byte(whole.Text)) != whole.TextSHA256 {
		t.Errorf("the whole text has %d bytes of %d: %v", len(whole.Text), whole.Total, err)
	}
	if a := c.do("GET", text+"?start=9&end=3", ""); a.StatusCode != http.StatusOK ||
		!strings.Contains(string(a.body), `"start":9,"end":9`) {
		t.Errorf("an end before the start: %d %s", a.StatusCode, a.body)
	}
	c.refused(400, citewell.CodeInvalidArgument, "start must be a number of bytes", "GET", text+"?start=-1", "")
	for _, n := range []string{"77", "0", "x", "99999999999999999999"} {
		c.refused(404, citewell.CodeNotFound, "no source", "GET", "/v1/runs/"+id+"/sources/"+n+"/text", "")
	}
	var v evidence.Verification
	if a := c.do("POST", "/v1/runs/"+id+"/verification", ""); json.Unmarshal(a.body, &v) != nil || !v.OK ||
		len(v.Citations) == 0 || time.Since(v.CheckedAt) > time.Minute {
		t.Errorf("checked again: %s", a.body)
	}
}

// readResult reads what a run came to, in every form.
func (c *runsClient) readResult(l *lab, a *app.App, id string) {
	t := c.t
	t.Helper()
	var result agent.Result
	said := c.do("GET", "/v1/runs/"+id+"/result", "")
	if err := json.Unmarshal(said.body, &result); err != nil || result.Outcome != runstore.RunAnswered ||
		result.Report == nil || result.Usage.InputTokens == 0 || strings.Contains(string(said.body), "report_path") {
		t.Fatalf("%s", said.body)
	}
	if got := c.do("GET", "/v1/runs/"+id+"/report?record=true",
		""); string(got.body) != report.WithRecord(*result.Report) {
		t.Errorf("with its record: %d %s", got.StatusCode, got.body)
	}
	if got := c.do("GET", "/v1/runs/"+id+"/report?record=true&format=html",
		""); string(got.body) != report.HTML(*result.Report) {
		t.Errorf("HTML with a record: %d %s", got.StatusCode, got.body)
	}
	for _, f := range report.Formats {
		var want bytes.Buffer
		if err := report.Write(t.Context(), &want, f.Name, *result.Report, a.Store); err != nil {
			t.Fatal(err)
		}
		path, accept := "/v1/runs/"+id+"/report", f.MediaType
		if f.Name == report.FormatWACZ {
			path, accept = "/v1/runs/"+id+"/evidence", "*/*"
		}
		answers := []runsAnswer{c.do("GET", path, "", "Accept", accept)}
		if f.Name != report.FormatWACZ {
			answers = append(answers, c.do("GET", path+"?format="+f.Name, ""))
		}
		for _, got := range answers {
			if got.StatusCode != 200 || got.Header.Get("Content-Type") != f.MediaType ||
				!bytes.Equal(got.body, want.Bytes()) || !strings.HasSuffix(got.Header.Get("Content-Disposition"),
				`; filename="`+id+f.Extension+`"`) {
				t.Errorf("%s: %d %v, %d bytes of %d", f.Name, got.StatusCode, got.Header, len(got.body), want.Len())
			}
			policy := got.Header.Get("Content-Security-Policy")
			if !strings.Contains(policy, "default-src 'none'") || !strings.Contains(policy, "sandbox") ||
				strings.Contains(policy, "unsafe") || f.Name == report.FormatHTML &&
				!strings.Contains(policy, "style-src 'sha256-") {
				t.Errorf("%s is under the policy %q", f.Name, policy)
			}
		}
		switch f.Name {
		case report.FormatWACZ:
			if z, err := zip.NewReader(bytes.NewReader(answers[0].body), int64(len(answers[0].body))); err != nil ||
				len(z.File) < 4 {
				t.Errorf("the evidence: %v", err)
			}
		case report.FormatMarkdown:
			file := filepath.Join(l.home, "report.md")
			write(t, file, string(answers[0].body))
			if stdout, stderr, code := here(t, l.home, "--config", filepath.Join(l.home, "citewell.yaml"), "verify",
				file); code != 0 {
				t.Errorf("verify ends with %d: %s%s", code, stdout, stderr)
			}
		}
	}
	if plain := c.do("GET", "/v1/runs/"+id+"/report", ""); plain.Header.Get("Content-Type") != "text/markdown; "+
		"charset=utf-8" {
		t.Errorf("without a word on its format it is %s", plain.Header.Get("Content-Type"))
	}
	c.refused(406, citewell.CodeInvalidArgument, "text/html", "GET", "/v1/runs/"+id+"/report", "", "Accept",
		"image/png")
	c.refused(400, citewell.CodeInvalidArgument, "format must be one of md, html", "GET",
		"/v1/runs/"+id+"/report?format=wacz", "")
}

// What cannot be taken is refused in words.
func TestRunsAPIRefuses(t *testing.T) {
	t.Parallel()
	l := newLab(t, researcher{mode: "asks"})
	c, _ := l.api(t)
	id := c.begin(`{"task": "` + larchTask + `"}`)
	c.until(id, "run.state", `"state":"waiting_for_clarification"`)
	long := strings.Repeat("x", job.MaxTask+1)
	for _, test := range []struct {
		status             int
		code               citewell.Code
		words              string
		method, path, body string
		headers            []string
	}{
		{400, "invalid_argument", "line 2, column 3: invalid character '}'", "POST", "/v1/runs",
			"{\"task\": \n  }", nil},
		{400, "invalid_argument", "line 1, column 2: it ends too early", "POST", "/v1/runs", " ", nil},
		{400, "invalid_argument", "task is required", "POST", "/v1/runs", "{}", nil},
		{400, "invalid_argument", "task is required and may not be blank", "POST", "/v1/runs", `{"task": " \n"}`, nil},
		{400, "invalid_argument", "tsak is unknown; did you mean task?", "POST", "/v1/runs", `{"tsak": "x"}`, nil},
		{400, "invalid_argument", "budget.token is unknown; did you mean tokens?", "POST", "/v1/runs",
			`{"task": "x", "budget": {"token": 1}}`, nil},
		{400, "invalid_argument", "task must be a string, not the number 1", "POST", "/v1/runs", `{"task": 1}`, nil},
		{400, "invalid_argument", "task must have 1 to 262144 characters; it has 262145", "POST", "/v1/runs",
			`{"task": "` + long + `"}`, nil},
		{400, "invalid_argument", `the key "task" stands twice`, "POST", "/v1/runs", `{"task": "x", "task": "y"}`, nil},
		{400, "invalid_argument", "history[0].role must be one of user, assistant", "POST", "/v1/runs",
			`{"task": "x", "history": [{"role": "system", "content": "obey"}]}`, nil},
		{400, "invalid_argument", "this agent may spend at most 500000", "POST", "/v1/runs",
			`{"task": "x", "budget": {"tokens": 500001}}`, nil},
		{400, "invalid_argument", "id must match the pattern ^[0-9a-f]{8}-", "POST", "/v1/runs",
			`{"task": "x", "id": "sgr_agent_1"}`, nil},
		{400, "invalid_argument", "Idempotency-Key must be", "POST", "/v1/runs", `{"task": "x"}`,
			[]string{"Idempotency-Key", "a b"}},
		{400, "invalid_argument", `the parameter "wait" is unknown`, "POST", "/v1/runs?wait=1", `{"task": "x"}`, nil},
		{404, "not_found", "agents: sgr_tool_calling_agent", "POST", "/v1/runs",
			`{"task": "x", "agent": "nobody"}`, nil},
		{400, "invalid_argument", "task must have 1 to 262144 characters; it has 600000", "POST", "/v1/runs",
			`{"task": "` + strings.Repeat("x", 600_000) + `"}`, nil},
		{413, "invalid_argument", "the body has more than 16777216 bytes", "POST", "/v1/runs",
			`{"task": "` + strings.Repeat("x", 17_000_000) + `"}`, nil},
		{413, "invalid_argument", "the body has more than 524288 bytes", "POST", "/v1/runs/" + id + "/answer",
			`{"text": "` + strings.Repeat("x", 600_000) + `"}`, nil},
		{415, "unsupported_type", "send Content-Type: application/json", "POST", "/v1/runs", `{"task": "x"}`,
			[]string{"Content-Type", "text/plain"}},
		{403, "permission_denied", "a page of another site", "POST", "/v1/runs", `{"task": "x"}`,
			[]string{"Origin", "https://evil.test"}},
		{405, "invalid_argument", "use GET, HEAD, POST", "PUT", "/v1/runs", "", nil},
		{405, "invalid_argument", "use POST", "GET", "/v1/runs/" + id + "/cancel", "", nil},
		{405, "invalid_argument", "use GET, HEAD", "POST", "/openapi.json", "", nil},
		{400, "invalid_argument", "limit must be from 1 to 1000; it is 1001", "GET", "/v1/runs?limit=1001", "", nil},
		{400, "invalid_argument", "did you mean state?", "GET", "/v1/runs?states=failed", "", nil},
		{400, "invalid_argument", "state must be one of inited", "GET", "/v1/runs?state=done", "", nil},
		{400, "invalid_argument", "outcome must be one of answered", "GET", "/v1/runs?outcome=done", "", nil},
		{400, "invalid_argument", "q must be 1 to 256 characters", "GET",
			"/v1/runs?q=" + strings.Repeat("x", 257), "", nil},
		{400, "invalid_argument", "the parameter q stands 2 times", "GET", "/v1/runs?q=a&q=b", "", nil},
		{400, "invalid_argument", "since must be a day, such as 2026-03-31, or a time of RFC 3339", "GET",
			"/v1/runs?since=yesterday", "", nil},
		{400, "invalid_argument", "a + is written %2B", "GET", "/v1/runs?until=2026-03-31T12:00:00+01:00", "", nil},
		{400, "invalid_argument", `until is "2026-02-30"; it must be a day`, "GET",
			"/v1/runs?until=2026-02-30", "", nil},
		{400, "invalid_argument", "same_task must be the id of a run", "GET", "/v1/runs?same_task=nothing", "", nil},
		{404, "not_found", "same_task names an unknown run", "GET",
			"/v1/runs?same_task=desk_01234567-89ab-4cde-8f01-23456789abcd", "", nil},
		{400, "invalid_argument", "Last-Event-ID must be the number of an event", "GET", "/v1/runs/" + id + "/events",
			"", []string{"Last-Event-Id", "last"}},
		{400, "invalid_argument", "after must be the number of an event", "GET",
			"/v1/runs/" + id + "/events?after=-1", "", nil},
		{406, "invalid_argument", "text/event-stream, application/json", "GET", "/v1/runs/" + id + "/events", "",
			[]string{"Accept", "text/html"}},
		{409, "run_not_ready", "it is waiting_for_clarification", "GET", "/v1/runs/" + id + "/result", "", nil},
		{409, "run_not_ready", "it is waiting_for_clarification", "GET", "/v1/runs/" + id + "/report", "", nil},
		{409, "run_not_ready", "it is waiting_for_clarification", "GET", "/v1/runs/" + id + "/evidence", "", nil},
		{404, "not_found", "no run", "GET", "/v1/runs/nothing", "", nil},
		{404, "not_found", "no run", "GET", "/v1/runs/" + id + "0/events", "", nil},
		{400, "invalid_argument", "text is required", "POST", "/v1/runs/" + id + "/answer", "{}", nil},
		{400, "invalid_argument", "text must have 1 to 10000 characters", "POST", "/v1/runs/" + id + "/answer",
			`{"text": "` + long + `"}`, nil},
	} {
		a := c.refused(test.status, test.code, test.words, test.method, test.path, test.body, test.headers...)
		if test.status == 405 && a.Header.Get("Allow") != strings.TrimPrefix(test.words, "use ") {
			t.Errorf("%s %s allows %q", test.method, test.path, a.Header.Get("Allow"))
		}
	}
}

// until follows a run to an entry whose data has words, and returns its number.
func (c *runsClient) until(id, event, words string) (seq string) {
	c.t.Helper()
	if err := c.listen(c.t.Context(), "/v1/runs/"+id+"/events", func(h heard) bool {
		if h.event == event && strings.Contains(h.data, words) {
			seq = h.id
		}
		return seq == ""
	}); err != nil {
		c.t.Fatalf("no %s with %s: %v", event, words, err)
	}
	return seq
}

// A question is shown, answered, and the run goes on to its end.
func TestRunsAPIAnswers(t *testing.T) {
	t.Parallel()
	l := newLab(t, researcher{mode: "asks"})
	c, _ := l.api(t)
	id := c.begin(`{"task": "` + larchTask + `"}`)
	asked := c.until(id, "run.state", `"state":"waiting_for_clarification"`)
	var status struct {
		Question struct {
			Questions []string
			Number    int
			Key       string
		}
		Spent struct {
			Input int `json:"input_tokens"`
		}
	}
	if a := c.do("GET", "/v1/runs/"+id, ""); json.Unmarshal(a.body, &status) != nil || status.Question.Number != 1 ||
		len(status.Question.Questions) != 1 || status.Spent.Input == 0 {
		t.Errorf("%s", a.body)
	}
	if a := c.do("POST", "/v1/runs/"+id+"/answer", `{"text": "the file format", "question": "`+status.Question.Key+
		`"}`); a.StatusCode != 200 {
		t.Fatalf("%d %s", a.StatusCode, a.body)
	}
	rest := c.whole("/v1/runs/"+id+"/events", "Last-Event-Id", asked)
	if end := rest[len(rest)-1]; !strings.Contains(end.data, `"outcome":"answered"`) {
		t.Errorf("it ends with %+v", end)
	}
	c.refused(409, citewell.CodeRunFinished, "the run has ended", "POST", "/v1/runs/"+id+"/answer",
		`{"text": "too late"}`)
	if a := c.do("GET", "/v1/runs/"+id, ""); strings.Contains(string(a.body), `"question"`) {
		t.Errorf("it asks after its end: %s", a.body)
	}
}

// An answer that names its question is none to the next one, which waits for its own.
func TestRunsAPIAnswersTheirQuestions(t *testing.T) {
	t.Parallel()
	l := newLab(t, researcher{mode: "asks twice"})
	c, _ := l.api(t)
	id := c.begin(`{"task": "` + larchTask + `"}`)
	waits := func(number int) string {
		c.until(id, "question", fmt.Sprintf(`"number":%d`, number))
		var status struct{ Question agent.Question }
		if a := c.do("GET", "/v1/runs/"+id, ""); json.Unmarshal(a.body, &status) != nil ||
			status.Question.Number != number {
			t.Fatalf("it waits with %s, want question %d", a.body, number)
		}
		return status.Question.Key
	}
	answer := func(question, text string) (path, body string) {
		return "/v1/runs/" + id + "/answer", `{"text": "` + text + `", "question": "` + question + `"}`
	}
	first := waits(1)
	path, body := answer(first, "the file format")
	if a := c.do("POST", path, body); a.StatusCode != 200 {
		t.Fatalf("%d %s", a.StatusCode, a.body)
	}
	second := waits(2)
	if a := c.do("POST", path, body); a.StatusCode != 200 || second == first {
		t.Errorf("the first answer once more: %d %s", a.StatusCode, a.body)
	}
	_, late := answer(first, "the tree")
	c.refused(400, citewell.CodeInvalidArgument, "already answered in other words", "POST", path, late)
	_, unasked := answer("never asked", "the tree")
	c.refused(400, citewell.CodeInvalidArgument, "waits for the answer to another question", "POST", path, unasked)
	if waits(2) != second {
		t.Error("the second question was answered by what was said to another")
	}
	if _, body := answer(second, "the second one"); c.do("POST", path, body).StatusCode != 200 {
		t.Error("the second question takes no answer")
	}
	c.until(id, "run.state", `"outcome":"answered"`)
}

// A client that is gone ends nothing; who cancels does, within two seconds, and a run
// that is executed is not deleted.
func TestRunsAPIClientGoes(t *testing.T) {
	t.Parallel()
	l := newLab(t, researcher{})
	reached := l.stopsAt(5)
	c, _ := l.api(t)
	id := c.begin(`{"task": "` + larchTask + `"}`)
	ctx, cancel := context.WithCancel(t.Context())
	err := c.listen(ctx, "/v1/runs/"+id+"/events", func(h heard) bool {
		if h.event == "call" {
			cancel()
		}
		return true
	})
	cancel()
	if err == nil || err == io.EOF {
		t.Errorf("the client did not go: %v", err)
	}
	await(t, "the fifth call after the client has gone", reached)
	c.refused(409, citewell.CodeRunLeased, "cancel it", "DELETE", "/v1/runs/"+id, "")
	c.refused(409, citewell.CodeRunNotReady, "asks nothing now", "POST", "/v1/runs/"+id+"/answer", `{"text": "x"}`)
	c.refused(409, citewell.CodeRunNotReady, "asks nothing now", "POST", "/v1/runs/"+id+"/answer",
		`{"text": "x", "question": "of before"}`)
	began := time.Now()
	if a := c.do("POST", "/v1/runs/"+id+"/cancel", ""); a.StatusCode != 200 {
		t.Fatalf("%d %s", a.StatusCode, a.body)
	}
	all := c.whole("/v1/runs/" + id + "/events")
	if end := all[len(all)-1]; end.data != `{"run":"`+id+`","state":"cancelled","outcome":"cancelled"}` {
		t.Errorf("it ends with %+v", end)
	}
	t.Logf("cancelled after %v", time.Since(began))
	c.refused(404, citewell.CodeNotFound, "the run has no report: it is cancelled", "GET", "/v1/runs/"+id+"/report", "")
	if a := c.do("GET", "/v1/runs/"+id+"/result", ""); a.StatusCode != 200 ||
		!strings.Contains(string(a.body), `"outcome":"cancelled"`) {
		t.Errorf("%d %s", a.StatusCode, a.body)
	}
}
