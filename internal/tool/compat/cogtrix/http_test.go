package cogtrix

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/extract"
	"github.com/citewell/citewell/fetch"
	"github.com/citewell/citewell/internal/testing/tooltest"
	"github.com/citewell/citewell/internal/tool"
)

// localGuard reaches 127.0.0.1, which stands for a public address, and nothing else
// that is special.
func localGuard(t testing.TB) *egress.Guard {
	t.Helper()
	guard, err := egress.NewGuard(egress.Options{AllowNetworks: egress.MustParseNetworks("127.0.0.1/32")})
	if err != nil {
		t.Fatal(err)
	}
	return guard
}

func httpDeps(t testing.TB) Deps {
	t.Helper()
	return Deps{Caller: fetch.NewCaller(localGuard(t), ""), Extract: extract.New(extract.Options{Whole: true}).Extract}
}

// setOf is a toolset of one tool, as the toolset of that name has it.
func setOf(t testing.TB, d Deps, toolset, name string) *tool.Toolset {
	t.Helper()
	k, ok := Definitions.Find(toolset, name)
	if !ok {
		t.Fatalf("there is no %s in %s", name, toolset)
	}
	return &tool.Toolset{Name: toolset, Tools: []*tool.Tool{Definitions[k](d)}}
}

// callTool calls a tool as a toolset has it, and allows it to act.
func callTool(t testing.TB, d Deps, toolset, name string, arguments any) (tool.Result, error) {
	t.Helper()
	set := setOf(t, d, toolset, name)
	set.Confirm = map[string]string{name: tool.Allow}
	return tooltest.Call(t, set, name, arguments)
}

func answering(t testing.TB, status int, contentType, body string, header ...string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Content-Type"] = nil
		if contentType != "" {
			w.Header().Set("Content-Type", contentType)
		}
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func TestHTTPForms(t *testing.T) {
	tests := []struct {
		name, contentType, body string
		status                  int
		want                    string // the text, whole
		form                    string
		hasJSON                 bool
	}{
		{"json", "application/json", `{"b":1,"a":[1,{"c":"<é>"}]}`, 200,
			"Status: 200 OK\nContent-Type: application/json\nContent-Length: 28 bytes\n\nResponse (JSON):\n{\n  " +
				"\"b\": 1,\n  \"a\": [\n    1,\n    {\n      \"c\": \"<é>\"\n    }\n  ]\n}", formJSON, true},
		{"json_of_an_error", "application/problem+json; charset=utf-8", `{"title":"no"}`, 404,
			"Status: 404 Not Found\nContent-Type: application/problem+json; charset=utf-8\nContent-Length: 14 " +
				"bytes\n\nResponse (JSON):\n{\n  \"title\": \"no\"\n}", formJSON, true},
		{"json_said_to_be_text", "text/plain", ` [1]`, 200, "Status: 200 OK\nContent-Type: " +
			"text/plain\nContent-Length: 4 bytes\n\nResponse (JSON):\n[\n  1\n]", formJSON, true},
		{"json_null", "application/json", `null`, 200, "Status: 200 OK\nContent-Type: " +
			"application/json\nContent-Length: 4 bytes\n\nResponse (JSON):\nnull", formJSON, true},
		{"no_json_at_all", "application/json", `{"a":`, 200, "Status: 200 OK\nContent-Type: " +
			"application/json\nContent-Length: 5 bytes\n\nResponse:\n{\"a\":", formText, false},
		{"html", "text/html", `<h1>Tides</h1><script>x()</script><!-- c --><p>High &amp; low</p><style>p{}</style>`,
			200,
			"Status: 200 OK\nContent-Type: text/html\nContent-Length: 83 bytes\n\nResponse (text extracted from " +
				"HTML):\nTides\n\nHigh & low", formHTML, false},
		{"html_without_text", "text/html", `<script>x()</script>`, 200,
			"Status: 200 OK\nContent-Type: text/html\nContent-Length: 20 bytes\n\nResponse (text extracted from " +
				"HTML):\n[the page holds no text that could be read]", formHTML, false},
		{"text", "text/csv; charset=iso-8859-1", "a;caf\xe9\r\nb", 200,
			"Status: 200 OK\nContent-Type: text/csv; charset=iso-8859-1\nContent-Length: 9 " +
				"bytes\n\nResponse:\na;café\nb", formText, false},
		{"utf16", "text/plain", "\xff\xfeh\x00i\x00", 200, "Status: 200 OK\nContent-Type: " +
			"text/plain\nContent-Length: " +
			"6 bytes\n\nResponse:\nhi", formText, false},
		{"escapes", "text/plain", "a\x1b[31mred\u202e\U000e0041z", 200,
			"Status: 200 OK\nContent-Type: text/plain\nContent-Length: 17 bytes\n\nResponse:\na[31mredz",
			formText, false},
		{"picture", "image/png", "\x89PNG\r\n\x1a\n\x00\x01", 200,
			"Status: 200 OK\nContent-Type: image/png\nContent-Length: 10 bytes\n\nResponse:\n[image/png, 10 " +
				"bytes: no " +
				"text, not shown]", formBinary, false},
		{"pdf_without_a_type", "", "%PDF-1.7 and more", 200, "Status: 200 OK\nContent-Length: 17 " +
			"bytes\n\nResponse:\n[an unknown type, 17 bytes: no text, not shown]", formBinary, false},
		{"program_said_to_be_text", "text/plain", "\x7fELF\x02\x01\x00\x00", 200,
			"Status: 200 OK\nContent-Type: text/plain\nContent-Length: 8 bytes\n\nResponse:\n[text/plain, 8 " +
				"bytes: no " +
				"text, not shown]", formBinary, false},
		{"nothing", "", "", 204, "Status: 204 No Content\nContent-Length: 0 bytes\n\nResponse: (empty)",
			formEmpty, false},
		{"no_name_for_it", "text/plain", "x", 299, "Status: 299\nContent-Type: text/plain\nContent-Length: 1 " +
			"bytes\n\nResponse:\nx", formText, false},
	}
	d := httpDeps(t)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			u := answering(t, test.status, test.contentType, test.body)
			r, err := callTool(t, d, "web", "http_get", map[string]any{"url": u})
			if err != nil {
				t.Fatal(err)
			}
			out := r.Structured.(httpGetOutput)
			if r.Text != test.want || out.Form != test.form || (out.JSON != nil) != test.hasJSON ||
				out.Status != test.status {
				t.Errorf("%s, JSON %s\ngot  %q\nwant %q", out.Form, out.JSON, r.Text, test.want)
			}
			theirs, err := callTool(t, d, "cogtrix", "http_get", map[string]any{"url": u})
			if err != nil || theirs.Text != test.want {
				t.Errorf("Cogtrix's: %q, %v", theirs.Text, err)
			}
		})
	}
}

// Of headers only those that serve a caller come back, each on one line.
func TestHTTPAnswerHeaders(t *testing.T) {
	u := answering(t, 200, "text/plain", "x", "Set-Cookie", "session=hunter2", "Etag", `"a"`,
		"X-Ratelimit-Remaining", "7", "Link", "<"+strings.Repeat("x", 900)+">", "Content-Security-Policy", "none")
	r, err := callTool(t, httpDeps(t), "web", "http_get", map[string]any{"url": u})
	if err != nil {
		t.Fatal(err)
	}
	got := r.Structured.(httpGetOutput).Headers
	// and Date
	if got["Etag"] != `"a"` || got["X-Ratelimit-Remaining"] != "7" || len(got["Link"]) != 500 || len(got) != 4 {
		t.Errorf("%v", got)
	}
}

// What is longer than a part is read on; what is longer than is read says so. JSON
// comes as data only where all of it is there.
func TestHTTPLongBodies(t *testing.T) {
	d := httpDeps(t)
	list := "[" + strings.TrimSuffix(strings.Repeat("11,", 4000), ",") + "]"
	u := answering(t, 200, "application/json", list)
	whole := indented(list)
	got, next := "", 0
	for range 10 {
		r, err := callTool(t, d, "web", "http_get", map[string]any{"url": u, "max_length": 9000, "start_index": next})
		if err != nil {
			t.Fatal(err)
		}
		out := r.Structured.(httpGetOutput)
		if out.JSON != nil || out.TotalLength != len(whole) {
			t.Errorf("part of the list as data, or %d bytes in place of %d", out.TotalLength, len(whole))
		}
		got += out.Body
		if next = out.NextIndex; next == 0 {
			break
		}
		if !strings.Contains(r.Text, fmt.Sprintf("call again with start_index %d", next)) {
			t.Errorf("no word on how to read on: %s", r.Text[len(r.Text)-100:])
		}
	}
	if got != whole {
		t.Errorf("the parts make %d bytes, the whole has %d", len(got), len(whole))
	}

	r, err := callTool(t, d, "cogtrix", "http_get", map[string]any{"url": u})
	want := fmt.Sprintf("\n... (truncated, %d total characters)", utf8.RuneCountInString(whole))
	if err != nil || !strings.HasSuffix(r.Text, want) || len(r.Text) > originalBody+300 {
		t.Errorf("Cogtrix's: %d bytes, %v", len(r.Text), err)
	}
	if out := r.Structured.(originalHTTPOutput); len(out.Body) != originalBody || out.JSON != nil {
		t.Errorf("Cogtrix's data: %d bytes", len(out.Body))
	}

	u = answering(t, 200, "text/plain", strings.Repeat("é", 300_000))
	r, err = callTool(t, d, "web", "http_post", map[string]any{"url": u, "data": "{}", "max_length": 600_000})
	if err != nil {
		t.Fatal(err)
	}
	out := r.Structured.(httpPostOutput)
	if !out.Truncated || out.Body != strings.Repeat("é", 256_000) ||
		!strings.Contains(r.Text, "Content-Length: 512000 bytes (read limit reached)") {
		t.Errorf("%d bytes, truncated %v: %.80q", len(out.Body), out.Truncated, r.Text)
	}
	u = answering(t, 200, "text/plain", strings.Repeat("x", 400))
	r, err = callTool(t, d, "web", "http_post", map[string]any{"url": u, "data": "{}", "max_length": 100})
	if err != nil || !strings.Contains(r.Text, "[the first 100 of 400 bytes; max_length decides how many]") ||
		strings.Contains(r.Text, "call again") {
		t.Errorf("%q, %v", r.Text, err)
	}
}

// JSON that would grow without bound when it is set out stays as it came.
func TestHTTPDeepJSON(t *testing.T) {
	deep := strings.Repeat("[", 5000) + strings.Repeat("1,", 200_000) + "1" + strings.Repeat("]", 5000)
	r, err := callTool(t, httpDeps(t), "web", "http_get", map[string]any{
		"url": answering(t, 200, "application/json", deep), "max_length": 1_000_000})
	if err != nil {
		t.Fatal(err)
	}
	if out := r.Structured.(httpGetOutput); out.Body != deep || len(r.Text) > len(deep)+200 {
		t.Errorf("%d bytes of %d", len(out.Body), len(deep))
	}
	if got := indented(`{"a":"[[[\"[","b":[]}`); got != "{\n  \"a\": \"[[[\\\"[\",\n  \"b\": []\n}" {
		t.Errorf("brackets in strings count: %q", got)
	}
}

func TestHTTPRefuses(t *testing.T) {
	d := httpDeps(t)
	elsewhere := answering(t, 302, "text/html", "", "Location", "http://127.0.0.2:6379/")
	home := answering(t, 200, "text/plain", "x")
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	_, _ = z.Write(make([]byte, 1<<20))
	_ = z.Close()
	tests := []struct {
		arguments map[string]any
		code      citewell.Code
		says      string
	}{
		{map[string]any{"url": ""}, citewell.CodeInvalidArgument, "url is required"},
		{map[string]any{"url": "example.com"}, citewell.CodeInvalidURL, ""},
		{map[string]any{"url": "http://169.254.169.254/latest/meta-data/"}, citewell.CodeBlockedAddress, ""},
		{map[string]any{"url": "http://127.0.0.2/"}, citewell.CodeBlockedAddress, ""},
		{map[string]any{"url": "http://[::1]/"}, citewell.CodeBlockedAddress, ""},
		{map[string]any{"url": "http://2130706433/"}, citewell.CodeInvalidURL, ""},
		{map[string]any{"url": "http://0177.0.0.1/"}, citewell.CodeInvalidURL, ""},
		{map[string]any{"url": "http://user:hunter2@example.com/"}, citewell.CodeInvalidURL, ""},
		{map[string]any{"url": "file:///etc/passwd"}, citewell.CodeUnsupportedScheme, ""},
		{map[string]any{"url": elsewhere}, citewell.CodeBlockedRedirect, ""},
		{map[string]any{"url": home, "timeout": "soon"}, citewell.CodeInvalidArgument, "timeout must be a number"},
		{map[string]any{"url": home, "headers": map[string]any{"X-A": "1\r\nHost: y"}}, citewell.CodeInvalidArgument,
			"line break"},
		{map[string]any{"url": home, "headers": []string{"Accept"}}, citewell.CodeInvalidArgument,
			"must be an object, not a list"},
		{map[string]any{"url": home, "headers": "Accept: text/html"}, citewell.CodeInvalidArgument,
			"must be an object, not the string"},
		{map[string]any{"url": answering(t, 200, "text/plain", bomb.String()+"x", "Content-Encoding", "br")},
			citewell.CodeUnsupportedEncoding, ""},
	}
	for _, toolset := range []string{"web", "cogtrix"} {
		for _, name := range []string{"http_get", "http_post"} {
			for _, test := range tests {
				if name == "http_post" {
					test.arguments["data"] = "{}"
				} else {
					delete(test.arguments, "data")
				}
				_, err := callTool(t, d, toolset, name, test.arguments)
				view := citewell.View(err)
				if view.Code != test.code || !strings.Contains(view.Message, test.says) {
					t.Errorf("%s/%s %v: %+v, want %s", toolset, name, test.arguments, view, test.code)
				}
				if shown := fmt.Sprint(view, err); strings.Contains(shown, "hunter2") ||
					strings.Contains(shown, "6379") || strings.Contains(view.Message, "127.0.0.2") {
					t.Errorf("%v tells too much", err)
				}
			}
		}
	}
	for _, data := range []string{"{", "a=b", "{} {}", `{'a': 1}`} {
		_, err := callTool(t, d, "web", "http_post", map[string]any{"url": home, "data": data})
		if view := citewell.View(err); view.Code != citewell.CodeInvalidArgument ||
			!strings.Contains(view.Message, "data is not JSON") || !strings.Contains(view.Hint, "nothing was sent") {
			t.Errorf("%q: %+v", data, view)
		}
	}
}

// A POST asks before it acts: without a word nothing is sent.
func TestHTTPPostAsks(t *testing.T) {
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %s %s", r.Method, r.Header.Get("Content-Type"), body)
	}))
	defer server.Close()
	d := httpDeps(t)
	for _, toolset := range []string{"web", "cogtrix"} {
		if _, err := tooltest.Call(t, setOf(t, d, toolset, "http_post"), "http_post",
			map[string]any{"url": server.URL, "data": "[1]"}); citewell.CodeOf(
			err) != citewell.CodeConfirmationRequired || asked != 0 {
			t.Errorf("%s: %v, sent %d times", toolset, err, asked)
		}
	}
	set := setOf(t, d, "web", "http_post")
	questions := 0
	ctx := tool.WithCaller(t.Context(), tool.Caller{Confirm: func(context.Context, tool.Question) (bool, error) {
		questions++
		return true, nil
	}})
	for _, wrong := range []string{`"data": "{"`, `"data": "1", "headers": "no JSON"`,
		`"data": "1", "headers": {"a b": "c"}`, `"data": "1", "timeout": 0`} {
		if _, err := set.Call(ctx, "http_post", []byte(`{"url": "`+server.URL+`", `+wrong+`}`)); citewell.CodeOf(
			err) != citewell.CodeInvalidArgument || questions != 0 {
			t.Errorf("%s: %v, and somebody was asked %d times about a call that cannot be made", wrong, err, questions)
		}
	}
	r, err := set.Call(ctx, "http_post", []byte(`{"url": "`+server.URL+`", "data": "[1]"}`))
	if err != nil || !strings.HasSuffix(r.Text, "POST application/json [1]") || asked != 1 {
		t.Errorf("%q, %v, sent %d times", r.Text, err, asked)
	}
}

// Whatever bytes come, the answer is bounded, clean UTF-8.
func FuzzHTTPAnswer(f *testing.F) {
	f.Add("application/json", []byte(`{"a":[1]}`))
	f.Add("text/html", []byte("<p>x<div>\x00\xff"))
	f.Add("text/plain; charset=utf-16", []byte("\xff\xfeh\x00"))
	f.Add("", []byte("\x89PNG"))
	d := Deps{Extract: extract.New(extract.Options{Whole: true, Timeout: 5 * time.Second}).Extract}
	f.Fuzz(func(t *testing.T, contentType string, body []byte) {
		for _, truncated := range []bool{false, true} {
			a := httpAnswer{Bytes: len(body), ContentType: headerValue(http.Header{"Content-Type": {contentType}},
				"Content-Type"), FinalURL: "https://site.example/"}
			if err := d.readBody(t.Context(), &a, fetch.Reply{Status: 200,
				Header: http.Header{"Content-Type": {contentType}}, Body: body, Truncated: truncated}); err != nil {
				t.Fatalf("%v", err)
			}
			text := a.text(a.Body)
			if !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool {
				return r < ' ' && r != '\n' && r != '\t' || r == 0x7f
			}) {
				t.Fatalf("unclean: %q", text)
			}
			if len(a.Body) > 60*len(body)+200 {
				t.Fatalf("%d bytes became %d", len(body), len(a.Body))
			}
			if _, err := tool.Marshal(a); err != nil {
				t.Fatal(err)
			}
		}
	})
}
