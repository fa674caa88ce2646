package mcpserver

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// through is what comes out for the reader, and what is answered.
func through(t testing.TB, in string) (out, answers string) {
	var b bytes.Buffer
	read, err := io.ReadAll(newLines(io.NopCloser(strings.NewReader(in)), &b))
	if err != nil {
		t.Fatal(err)
	}
	return string(read), b.String()
}

const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n"

func TestLines(t *testing.T) {
	old := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26"}}` + "\n"
	for _, test := range []struct{ name, in, out, answer string }{
		{"messages", ping + ping, ping + ping, ""},
		{"crlf", strings.TrimSuffix(ping, "\n") + "\r\n", strings.TrimSuffix(ping, "\n") + "\r\n", ""},
		{"notification", `{"jsonrpc":"2.0","method":"notifications/cancelled"}` + "\n",
			`{"jsonrpc":"2.0","method":"notifications/cancelled"}` + "\n", ""},
		{"empty_line", "\n" + ping, "\n" + ping, ""},
		{"prose", "hello\n" + ping, ping, "-32700"},
		{"two_on_a_line", strings.TrimSpace(ping) + strings.TrimSpace(ping) + "\n" + ping, ping, "-32700"},
		{"half_at_the_end", ping + ping[:20], ping, ""},
		{"other_version", `{"jsonrpc":"1.0","id":1,"method":"ping"}` + "\n" + ping, ping, "-32600"},
		{"a_number", "7\n" + ping, ping, "-32600"},
		{"batch", "[" + strings.TrimSpace(ping) + "]\n" + ping, ping, "-32600"},
		{"batch_of_old", old + "[" + strings.TrimSpace(ping) + "]\n", old + "[" + strings.TrimSpace(ping) + "]\n", ""},
		{"empty_batch_of_old", old + "[]\n", old, "-32600"},
		{"too_large", `{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("a", maxMessage) + `"}` + "\n" + ping,
			ping, "-32600"},
	} {
		t.Run(test.name, func(t *testing.T) {
			out, answer := through(t, test.in)
			if out != test.out || !strings.Contains(answer, test.answer) || (test.answer == "") != (answer == "") {
				t.Errorf("%.200q with the answer %q, want %.200q with %q", out, answer, test.out, test.answer)
			}
		})
	}
}

// What comes through is messages, line by line, whatever came in.
func FuzzLines(f *testing.F) {
	f.Add(ping + "x\n[]\n\x00\n" + ping)
	f.Add(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26"}}` + "\n[" +
		strings.TrimSpace(ping) + "]\n")
	f.Fuzz(func(t *testing.T, in string) {
		out, answers := through(t, in)
		if strings.Count(out, "\n")+strings.Count(answers, "\n") != strings.Count(in, "\n") {
			t.Errorf("%d lines came through and %d were answered, of %d", strings.Count(out, "\n"),
				strings.Count(answers, "\n"), strings.Count(in, "\n"))
		}
		lines := bufio.NewScanner(strings.NewReader(out))
		for lines.Scan() {
			line := bytes.TrimSpace(lines.Bytes())
			if len(line) == 0 {
				continue
			}
			if line[0] == '[' {
				if !json.Valid(line) {
					t.Errorf("%q came through", line)
				}
			} else if _, err := jsonrpc.DecodeMessage(line); err != nil {
				t.Errorf("%q came through: %v", line, err)
			}
		}
		for answer := range strings.Lines(answers) {
			if !json.Valid([]byte(answer)) {
				t.Errorf("the answer %q", answer)
			}
		}
	})
}
