package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/citewell/citewell"
)

// A desk is a terminal with a person before it, and the command that runs there.
type desk struct {
	t       *testing.T
	control *os.File // the person's side
	screen  *bufio.Reader
	e       *env
	stdout  bytes.Buffer
	ended   chan int
}

func runAtDesk(t *testing.T, args ...string) *desk {
	t.Helper()
	control, terminal, err := openTerminal()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { control.Close() })
	d := &desk{t: t, control: control, screen: bufio.NewReader(control), ended: make(chan int, 1)}
	d.e = &env{environ: homeEnviron(t.TempDir()), stdin: terminal, stdout: &output{w: &d.stdout},
		stderr: &console{w: terminal}}
	go func() {
		code := d.e.run(t.Context(), args)
		terminal.Close() // who reads at the other side hears of the end
		d.ended <- code
	}()
	return d
}

// until is what the screen shows up to and with text.
func (d *desk) until(text string) string {
	d.t.Helper()
	shown := ""
	for !strings.HasSuffix(shown, text) {
		c, err := d.screen.ReadByte()
		if err != nil {
			d.t.Fatalf("%v after %q", err, shown)
		}
		shown += string(c)
	}
	return shown
}

func (d *desk) types(text string) {
	d.t.Helper()
	if _, err := d.control.WriteString(text); err != nil {
		d.t.Fatal(err)
	}
}

// end is the command's exit code, and what the screen showed at last.
func (d *desk) end() (code int, shown string) {
	rest, _ := io.ReadAll(d.screen) // ends with EIO, once the other side is closed
	return <-d.ended, string(rest)
}

// On a terminal a person is asked before a tool acts, is shown what it will do, and
// only a yes is one.
func TestConfirmOnATerminal(t *testing.T) {
	for answer, want := range map[string]int{"y\n": citewell.ExitOK, "YES\n": citewell.ExitOK,
		"n\n": citewell.ExitDenied, "\n": citewell.ExitDenied, "sure\n": citewell.ExitDenied} {
		d := runAtDesk(t, "--set", "confirm.search_remove=ask", "call", "search_remove", `{"id": "x\u202ey"}`)
		asked := d.until("[y/N] ")
		d.types(answer)
		code, _ := d.end()
		if code != want || code == 0 && !strings.Contains(d.stdout.String(), `"removed": false`) {
			t.Errorf("%q: exit code %d, want %d: %s", answer, code, want, d.stdout.String())
		}
		if !strings.Contains(asked, "Allow search_remove") || !strings.Contains(asked, `"id"`) {
			t.Errorf("asked %q", asked)
		}
	}
}

// The question stays on the screen until it is answered: what is under way is not
// drawn over it, and a line that is said meanwhile has it put again.
func TestQuestionStays(t *testing.T) {
	d := runAtDesk(t, "--set", "confirm.search_remove=ask", "call", "search_remove", `{"id": "x"}`)
	const question = `Allow search_remove {"id": "x"} ? [y/N] `
	if asked := d.until("[y/N] "); !strings.HasSuffix(asked, eraseLine+question) {
		t.Errorf("asked %q", asked)
	}
	d.e.stderr.show("calling search_remove · 1 s") // as each half second does
	fmt.Fprintln(d.e.stderr, "a page was slow")
	if again := d.until("[y/N] "); again != "\r\na page was slow\r\n"+question {
		t.Errorf("then there was %q", again)
	}
	d.types("y\n")
	code, rest := d.end()
	if line, _, _ := strings.Cut(rest, "\n"); code != citewell.ExitOK || line != "y\r" {
		t.Errorf("it ended with %d and %q", code, rest)
	}
}

// A batch asks once for each call that needs a word, one after the other, and takes
// answers that were typed before their question.
func TestConfirmABatch(t *testing.T) {
	d := runAtDesk(t, "--set", "confirm.search_remove=ask", "call", "multi_tool_use_parallel",
		`{"tool_uses": [{"recipient_name": "search_remove", "parameters": {"id": "a"}}, {"recipient_name": "search_remove", "parameters": {"id": "b"}}]}`)
	shown := d.until("[y/N] ")
	d.types("y\nn\n")
	code, rest := d.end()
	shown += rest
	if n := strings.Count(shown, "[y/N] "); n != 2 || strings.Index(shown, `{"id":"a"}`) > strings.Index(shown,
		`{"id":"b"}`) {
		t.Errorf("%d questions: %q", n, shown)
	}
	var out struct{ Results []struct{ Code string } }
	if err := json.Unmarshal(d.stdout.Bytes(), &out); err != nil || len(out.Results) != 2 ||
		out.Results[0].Code != "" || out.Results[1].Code != "permission_denied" {
		t.Errorf("exit code %d, %v: %s", code, err, d.stdout.String())
	}
}
