package replay

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/citewell/citewell"
)

const firstLine = `{"citewell_recording":1,"made_by":"test","started_at":"2026-03-01T23:30:00Z"}` + "\n"

// What no Recorder wrote is refused with its line; what a killed one began is passed over.
func TestDamagedRecordings(t *testing.T) {
	const good = `{"n":1,"at":"2026-03-01T23:30:01Z","request":{"method":"GET","url":"http://a.example/"},"response":{"status":200,"length":-1,"text":"hello"}}` + "\n"
	line := func(old, new string) string { return strings.Replace(good, old, new, 1) }
	tests := map[string]struct{ recording, says string }{
		"good":                {firstLine + good, ""},
		"no exchange":         {firstLine, ""},
		"killed as it wrote":  {firstLine + good + good[:40], ""},
		"empty":               {"", "no first line"},
		"something else":      {"search:\n  providers:\n", "not that of a recording"},
		"a later version":     {strings.Replace(firstLine, ":1,", ":2,", 1), "of version 2"},
		"no JSON":             {firstLine + "hello\n", "line 2 is no exchange"},
		"no number":           {firstLine + good + line(`"n":1`, `"n":0`), "line 3: its number"},
		"no URL":              {firstLine + line("http://a.example/", "file:///etc/passwd"), "its URL"},
		"no method":           {firstLine + line("GET", "GET /"), "its method"},
		"no answer":           {firstLine + line(`"response"`, `"reply"`), "neither"},
		"a status of its own": {firstLine + line("200", "99"), "its status is 99"},
		"a length below none": {firstLine + line(`"length":-1`, `"length":-2`), "its length is -2"},
		"another end":         {firstLine + line(`"length":-1`, `"length":-1,"ended":"well"`), "unknown way"},
		"no base64":           {firstLine + line(`"text":"hello"`, `"base64":"?"`), "base64"},
		"a body twice":        {firstLine + line(`"text":"hello"`, `"text":"hello","base64":"aGVsbG8="`), "twice"},
		"a header of two": {firstLine + line(`"length"`, `"header":{"A":["b\r\nC: d"]},"length"`),
			"cannot be sent"},
		"no code": {firstLine + line(`"response":{"status":200,"length":-1,"text":"hello"}`,
			`"failed":{"code":"bad_luck"}`), "unknown code"},
		"too long": {firstLine + good + strings.Repeat(" ", 5000) + "\n", "longer than"},
	}
	for name, test := range tests {
		_, list, err := readRecording(strings.NewReader(test.recording), 5000)
		if test.says == "" && err != nil || test.says != "" && (err == nil ||
			!strings.Contains(err.Error(), test.says)) {
			t.Errorf("%s: %v", name, err)
		}
		if want := strings.Count(test.recording, "\n") - 1; err == nil && len(list) != want {
			t.Errorf("%s: %d exchanges", name, len(list))
		}
	}
}

// Where a recording has reached its bound it ends, says so, and what it has is good.
func TestARecordingIsBounded(t *testing.T) {
	name := filepath.Join(t.TempDir(), "recording.jsonl")
	r, err := Create(name, options())
	if err != nil {
		t.Fatal(err)
	}
	r.most = 3000
	answer := roundTrip(func(req *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader(strings.Repeat("x", 1000))),
			Request: req}, nil
	})
	c := &http.Client{Transport: r.Wrap(answer)}
	for range 5 {
		if got := get(c, "http://a.example/"); !strings.Contains(got, "xxx") {
			t.Error(got)
		}
	}
	if err := r.Close(); citewell.CodeOf(err) != citewell.CodeStoreFailed ||
		!strings.Contains(err.Error(), "ended before the run did") {
		t.Errorf("Close says %v", err)
	}
	if p, _ := play(t, name); p.Rest() != 2 {
		t.Errorf("%d exchanges kept", p.Rest())
	}
	if _, err := Create(name, options()); citewell.CodeOf(err) != citewell.CodeInvalidConfig {
		t.Errorf("a recording was written over: %v", err)
	}
	if _, err := Create(name+"2", Options{}); citewell.CodeOf(err) != citewell.CodeInternal {
		t.Errorf("a recorder that knows no secrets: %v", err)
	}
	if _, err := Open(filepath.Dir(name), options()); citewell.CodeOf(err) != citewell.CodeInvalidConfig {
		t.Errorf("a folder was opened: %v", err)
	}
	if _, err := os.Stat(name + "2"); err == nil {
		t.Error("it made its file")
	}
}

// Whatever a file holds, reading it and playing it neither fails nor hangs, and what was
// read is written the same.
func FuzzRead(f *testing.F) {
	f.Add([]byte(firstLine +
		`{"n":1,"at":"2026-03-01T23:30:01Z","request":{"method":"POST","url":"http://a.example/?a=b","header":{"Accept-Language":["en"]},"sha256":"x","text":"<<<DATA"},"response":{"status":200,"header":{"Content-Length":["5"]},"length":5,"gzip":true,"text":"hello"}}` + "\n"))
	f.Add([]byte(firstLine +
		`{"n":2,"at":"0001-01-01T00:00:00Z","request":{"method":"GET","url":"https://[::1]:80/%20"},"response":{"status":599,"length":9,"ended":"reader","base64":"AAA="},"failed":{"code":"timeout","caller":true}}` + "\n"))
	f.Add([]byte(firstLine +
		`{"n":2,"at":"9999-12-31T23:59:59Z","request":{"method":"GET","url":"http://a"},"failed":{"code":"http_failed","cut":true,"retry_after_ms":1}}` + "\n{"))
	f.Fuzz(func(t *testing.T, recording []byte) {
		h, list, err := readRecording(bytes.NewReader(recording), 1<<20)
		if err != nil {
			return
		}
		var again bytes.Buffer
		lines := []any{h}
		for _, e := range list {
			lines = append(lines, e)
		}
		for _, v := range lines {
			line, err := encode(v)
			if err != nil {
				t.Fatal(err)
			}
			again.Write(line)
		}
		if _, same, err := readRecording(&again, 8<<20); err != nil || len(same) != len(list) {
			t.Fatalf("written again it is not the same: %v", err)
		}
		p := newPlayer(h, list, options())
		ctx, cancel := canceledContext()
		defer cancel()
		for i := range list {
			req, err := http.NewRequestWithContext(ctx, list[i].Request.Method, list[i].Request.URL, nil)
			if err != nil {
				continue
			}
			if resp, err := list[i].play(req); err == nil {
				_, _ = io.ReadAll(resp.Body) // how it ends is the file's word
				resp.Body.Close()
			}
			_, _ = p.find(list[i].Request)
		}
	})
}

// A password in JSON, and in JSON within it, never stays, and the JSON stays one.
func FuzzSent(f *testing.F) {
	for _, v := range []string{"secret", `a"b\c`, "\x00\n", `\`, `\"`, "ключ", `","x":"`} {
		f.Add(v)
	}
	f.Fuzz(func(t *testing.T, v string) {
		if !utf8.ValidString(v) {
			return
		}
		inner, err := json.Marshal(map[string]string{"password": v, "rest": "stays"})
		if err != nil {
			t.Fatal(err)
		}
		body, err := json.Marshal(map[string]string{"api_key": v, "arguments": string(inner), "query": "stays"})
		if err != nil {
			t.Fatal(err)
		}
		var got, within map[string]string
		if err := json.Unmarshal(options().sent(http.Header{}, body).bytes(), &got); err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		if err := json.Unmarshal([]byte(got["arguments"]), &within); err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		if got["query"] != "stays" || got["api_key"] != redacted ||
			!reflect.DeepEqual(within, map[string]string{"password": redacted, "rest": "stays"}) {
			t.Errorf("%s became %v", body, got)
		}
		if query := withoutSecretPairs("q=heron&token=" + url.QueryEscape(v) +
			"&n=1"); query != "q=heron&token=%5Bredacted%5D&n=1" {
			t.Errorf("the query became %s", query)
		}
	})
}

func TestStarted(t *testing.T) {
	if h := (head{StartedAt: time.Unix(1, 0)}); newPlayer(h, nil, options()).Started() != h.StartedAt {
		t.Error("a player does not know when its recording began")
	}
}

// canceledContext ends every waiting at once.
func canceledContext() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx, cancel
}
