//go:build unix

package cli

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/testing/modeltest"
)

const wideGate = "The harbour gate of Skarrow Quay is twelve metres wide [1]."

// gateKeeper is a model that answers at once, from what the conversation has.
func gateKeeper(_ int, a modeltest.Asked) modeltest.Reply {
	if offers(a, "reasoning_tool") {
		return researcher{}.reply(0, a)
	}
	return calling("final_answer_tool", map[string]any{"reasoning": "known", "completed_steps": []string{"read"},
		"answer": wideGate, "status": "completed"})
}

// A document that stands where a picture is meant is a source: at an address, by that
// address, or in a data URL. A file is read by the media type that it is sent with where its
// name says nothing.
func TestDocumentsWherePicturesAreMeant(t *testing.T) {
	t.Parallel()
	l := newLab(t, researcher{})
	l.model.Follow(gateKeeper)
	pdf := pdfOf("The harbour gate of Skarrow Quay is twelve metres wide.\n")
	docs := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/gate.pdf":
			w.Header().Set("Content-Type", "application/pdf")
			w.Write(pdf)
		case "/moved":
			http.Redirect(w, r, "/gate.pdf", http.StatusFound)
		case "/program":
			w.Header().Set("Content-Type", "application/octet-stream")
			w.Write([]byte("\x7fELF\x02\x01\x01\x00\x00\x00"))
		default:
			http.NotFound(w, r)
		}
	}))
	defer docs.Close()
	c, a := l.api(t)
	ask := func(part map[string]any) (int, string) {
		body, err := json.Marshal(map[string]any{"messages": []any{
			map[string]any{"role": "user", "content": []any{map[string]any{
				"type": "text", "text": "How wide is the harbour gate of Skarrow Quay?"}, part}}}})
		if err != nil {
			t.Fatal(err)
		}
		resp := c.send(t.Context(), "POST", "/v1/chat/completions", string(body))
		said, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(said)
	}
	picture := func(url string) map[string]any {
		return map[string]any{"type": "image_url", "image_url": map[string]any{"url": url}}
	}
	file := func(name, data string) map[string]any {
		return map[string]any{"type": "file", "file": map[string]any{"filename": name, "file_data": data}}
	}
	coded := func(kind string, body []byte) string {
		return "data:" + kind + ";base64," + base64.StdEncoding.EncodeToString(body)
	}
	page := []byte("The gate is here: <b>not read as HTML</b>. The harbour gate of Skarrow Quay is twelve metres wide.")
	for name, test := range map[string]struct {
		part             map[string]any
		url, title, text string
		class            string
	}{
		"address":    {picture(docs.URL + "/gate.pdf"), docs.URL + "/gate.pdf", "gate.pdf", "", "unknown"},
		"redirected": {picture(docs.URL + "/moved"), docs.URL + "/gate.pdf", "gate.pdf", "", "unknown"},
		"data":       {picture(coded("application/pdf", pdf)), "file:///attached/", "document", "", "local"},
		"typed": {file("gate", coded("text/html; charset=utf-8", page)), "file:///attached/", "gate",
			"The gate is here: not read as HTML.", "local"},
		"named": {file("gate.txt", coded("text/html", page)), "file:///attached/", "gate.txt",
			"<b>not read as HTML</b>", "local"},
	} {
		status, said := ask(test.part)
		var done struct{ Citewell struct{ Run, Outcome string } }
		if status != 200 || json.Unmarshal([]byte(said), &done) != nil || done.Citewell.Outcome != "answered" {
			t.Errorf("%s: %d %s", name, status, said)
			continue
		}
		var r agent.Result
		if read := c.do("GET", "/v1/runs/"+done.Citewell.Run+"/result", ""); json.Unmarshal(read.body, &r) != nil ||
			len(r.Sources) != 1 || !strings.HasPrefix(r.Sources[0].URL, test.url) ||
			r.Sources[0].Title != test.title || r.Sources[0].Class != test.class {
			t.Errorf("%s: %s", name, read.body)
		}
		if out, _, code := here(t, l.home, "verify", done.Citewell.Run); code != 0 ||
			!strings.Contains(out, "1 of 1 citation holds") {
			t.Errorf("%s: %s", name, out)
		}
		if text, err := a.Store.Blob(t.Context(), r.Sources[0].TextSHA256); err != nil ||
			!strings.Contains(string(text), test.text) {
			t.Errorf("%s: the text is %q, %v", name, text, err)
		}
	}
	for name, part := range map[string]map[string]any{"a program": picture(docs.URL + "/program"),
		"a broken document": picture(coded("application/pdf", []byte("%PDF-1.7 and no more")))} {
		if status, said := ask(part); status != 400 || !strings.Contains(said, "cannot be read: ") ||
			!strings.Contains(said, `"param":"messages[0].content[1].image_url"`) {
			t.Errorf("%s: %d %s", name, status, said)
		}
	}
}

// A file that is attached to a task is a source of its run, over the API of runs as over
// OpenAI's. It is kept with the run: when the server is killed, the next one needs it no more.
func TestAttachments(t *testing.T) {
	t.Parallel()
	l := newLab(t, researcher{})
	reached, let := make(chan struct{}), make(chan struct{})
	var once sync.Once
	l.model.Follow(func(n int, a modeltest.Asked) modeltest.Reply {
		if !strings.Contains(a.Last(), "19 + 23") {
			once.Do(func() { close(reached) })
			<-let
		}
		return gateKeeper(n, a)
	})
	first, address := serve(t, l.home)
	c := newRunsClient(t, address, "")
	coded := base64.StdEncoding.EncodeToString(pdfOf("The harbour gate of Skarrow Quay is twelve metres wide.\n"))
	body := `{"task": "How wide is the harbour gate of Skarrow Quay?", "attachments": [{"filename": "gate", "data": "data:application/pdf;base64,` + coded + `"},
		{"filename": "../old\nnotes.md", "text": "# Notes\n\nThe gate was painted green in 2021."}, {"filename": "gate", "file_data": "` + coded + `"}]}`
	id := c.begin(body, "Idempotency-Key", "gate")
	if again := c.begin(body, "Idempotency-Key", "gate"); again != id {
		t.Errorf("the same attachments begin %s", again)
	}
	c.refused(409, citewell.CodeRunExists, "", "POST", "/v1/runs",
		`{"task": "How wide is the harbour gate of Skarrow Quay?"}`, "Idempotency-Key", "gate")
	await(t, "the model", reached)
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	first.Wait()
	close(let)
	c.base = serveAll(t, l.home)
	c.whole("/v1/runs/" + id + "/events")
	var r agent.Result
	if read := c.do("GET", "/v1/runs/"+id+"/result", ""); json.Unmarshal(read.body, &r) != nil ||
		r.Outcome != "answered" || len(r.Sources) != 2 || r.Usage.Fetches != 0 ||
		r.Sources[0].Title != "gate" || r.Sources[0].Class != "local" || r.Sources[1].Title != "old notes.md" ||
		r.Sources[1].Extractor.ID == "" {
		t.Errorf("%s", read.body)
	}
	if out, _, code := here(t, l.home, "verify", id); code != 0 || !strings.Contains(out, "1 of 1 citation holds") {
		t.Errorf("verify: %s", out)
	}
	next := c.begin(`{"task": "Say it again.", "from": "` + id + `", "attachments": [{"filename": "gate", "data": "` +
		coded + `"}]}`)
	c.whole("/v1/runs/" + next + "/events")
	if read := c.do("GET", "/v1/runs/"+next+"/result", ""); json.Unmarshal(read.body, &r) != nil ||
		r.Outcome != "answered" || len(r.Sources) != 2 {
		t.Errorf("a run that goes on with the same file: %s", read.body)
	}
	for list, want := range map[string]string{
		`{"filename": "a.txt", "text": "x"}, {"filename": "plan.pdf", "data": "` +
			base64.StdEncoding.EncodeToString([]byte("%PDF-1.7 and no more")) +
			`"}`: `attachments[1]: the file "plan.pdf" cannot be read: `,
		`{"filename": "gate.png", "data": "iVBORw0KGgo="}`:   `attachments[0]: the file "gate.png" cannot be read: it is image/png, which holds no text that can be cited`,
		`{"filename": "a.txt", "data": "?"}`:                 `attachments[0]: the file "a.txt" is not well-formed base64`,
		`{"filename": "a.txt", "data": "data:text/plain,x"}`: `attachments[0]: the data URL of "a.txt" is not in base64`,
		`{"filename": "a.txt"}`:                              `attachments[0] must have one of data, file_data and text`,
		`{"filename": "a.txt", "text": "x", "data": "eA=="}`: "must have one of data, " +
			"file_data and text",
		`{"filename": "", "text": "x"}`: "attachments[0].filename",
		`{"name": "a.txt", "text": "x"}`: "attachments[0].name " +
			"is unknown",
		strings.TrimSuffix(strings.Repeat(`{"filename": "a.txt", "text": "x"},`, 9), ","): "attachments must " +
			"have at most 8",
	} {
		a := c.do("POST", "/v1/runs", `{"task": "x", "attachments": [`+list+`]}`)
		var said struct{ Error citewell.ErrorView }
		if json.Unmarshal(a.body, &said) != nil || a.StatusCode != 400 || !strings.Contains(said.Error.Message, want) {
			t.Errorf("%.80s: %d %s", list, a.StatusCode, a.body)
		}
	}
}
