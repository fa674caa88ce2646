package httpwire

import (
	"bufio"
	"bytes"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/google/go-cmp/cmp"
)

func TestParseHeader(t *testing.T) {
	many := `{"A0":""`
	for i := range maxCallHeaders {
		many += `,"B` + strings.Repeat("x", i) + `":"1"`
	}
	tests := []struct {
		name  string
		value any
		want  http.Header
		notes int
		says  string // of the error; empty where there is none
	}{
		{"nil", nil, http.Header{}, 0, ""},
		{"blank", "  ", http.Header{}, 0, ""},
		{"object", map[string]any{"accept": "application/json", "X-N": true},
			http.Header{"Accept": {"application/json"}, "X-N": {"true"}}, 0, ""},
		{"string", `{"authorization": "Bearer k", "X-Count": 12345678901234567890}`,
			http.Header{"Authorization": {"Bearer k"}, "X-Count": {"12345678901234567890"}}, 0, ""},
		{"reserved_are_left_out",
			`{"HOST": "evil.example", "x-forwarded-anything": "1", "X_Real_IP": "10.0.0.1", "transfer-encoding": "chunked",
			"Content-Length": 3, "X-HTTP-Method-Override": "DELETE", "Proxy-Authorization": "x", "Forwarded": "for=1", "X-Ok": "y"}`, http.Header{"X-Ok": {"y"}}, 8, ""},
		{"line_break_in_value", `{"X-A": "1\r\nHost: evil.example"}`, nil, 0, `"X-A" has a line break`},
		{"line_feed_in_name", `{"X-A\nHost": "1"}`, nil, 0, "has a line break"},
		{"line_break_in_a_reserved_one", `{"Host": "a\nb"}`, nil, 0, "has a line break"},
		{"nul", `{"X-A": "a\u0000b"}`, nil, 0, "X-A has a control character"},
		{"space_in_name", `{"X A": "1"}`, nil, 0, "no name of a header"},
		{"empty_name", `{"": "1"}`, nil, 0, "no name of a header"},
		{"colon", `{":authority": "x"}`, nil, 0, "no name of a header"},
		{"twice", `{"x-a": "1", "X-A": "2"}`, nil, 0, "X-A stands twice"},
		{"twice_alike", `{"x-a": "1", "x-a": "2"}`, nil, 0, "X-A stands twice"},
		{"not_json", `Accept: text/html`, nil, 0, "no JSON object"},
		{"list", `["Accept"]`, nil, 0, "no JSON object"},
		{"list_value", `{"Accept": ["a"]}`, nil, 0, `"Accept" must have a string`},
		{"null_value", map[string]any{"Accept": nil}, nil, 0, `"Accept" must have a string`},
		{"cut_off", `{"Accept": "a"`, nil, 0, "no JSON object"},
		{"more", `{} {}`, nil, 0, "something follows"},
		{"not_utf8", "{\"A\": \"\xff\"}", nil, 0, "not UTF-8"},
		{"a_number", 7.5, nil, 0, "must be an object or a string"},
		{"too_many", many + "}", nil, 0, "at most 40"},
		{"too_long", `{"A": "` + strings.Repeat("a", maxCallHeaderBytes) + `"}`, nil, 0, "more than 6000 bytes"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, notes, err := ParseHeader(test.value)
			if test.says != "" {
				view := citewell.View(err)
				if view.Code != citewell.CodeInvalidArgument || !strings.Contains(view.Message, test.says) ||
					view.Hint == "" {
					t.Fatalf("%+v, want %q", view, test.says)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" || len(notes) != test.notes {
				t.Errorf("%d notes %q, want - got +\n%s", len(notes), notes, diff)
			}
		})
	}
}

// Whatever is accepted is on the wire as it was said: no line more, no header that
// is not the caller's to set.
func FuzzParseHeader(f *testing.F) {
	for _, seed := range []string{`{"Accept":"a"}`, `{"Host":"x","X-A":"1\r\nHost: y"}`, `{"a":1,"b":true,"C":" x "}`,
		`{"é":"ü"}`, "{\"a\":\"\x7f\"}", `{"content_length":1}`} {
		f.Add(seed)
	}
	u := &url.URL{Scheme: "http", Host: "site.example", Path: "/"}
	f.Fuzz(func(t *testing.T, value string) {
		header, _, err := ParseHeader(value)
		if err != nil {
			if citewell.CodeOf(err) != citewell.CodeInvalidArgument {
				t.Fatalf("%v", err)
			}
			return
		}
		req := &http.Request{Method: http.MethodGet, URL: u, Header: header.Clone()}
		if req.Header == nil {
			req.Header = http.Header{}
		}
		if req.Header["User-Agent"] == nil {
			req.Header.Set("User-Agent", "x")
		}
		var wire bytes.Buffer
		if err := req.Write(&wire); err != nil {
			t.Fatalf("%q cannot be sent: %v", header, err)
		}
		read, err := http.ReadRequest(bufio.NewReader(&wire))
		if err != nil {
			t.Fatalf("%q is read as no request: %v", header, err)
		}
		if read.Host != u.Host || read.ContentLength != 0 || len(read.TransferEncoding) > 0 ||
			read.Method != http.MethodGet {
			t.Fatalf("%q changed the request: %+v", header, read)
		}
		delete(read.Header, "User-Agent")
		delete(header, "User-Agent")
		if header == nil {
			header = http.Header{}
		}
		if diff := cmp.Diff(header, read.Header); diff != "" {
			t.Fatalf("sent - read +\n%s", diff)
		}
	})
}
