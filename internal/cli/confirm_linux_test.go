package cli

import (
	"bufio"
	"bytes"
	"strings"
	"testing"

	"github.com/citewell/citewell"
)

// On a terminal a person is asked before a tool acts, is shown what it will do, and
// only a yes is one.
func TestConfirmOnATerminal(t *testing.T) {
	home := t.TempDir()
	for answer, want := range map[string]int{"y\n": citewell.ExitOK, "YES\n": citewell.ExitOK, "n\n": citewell.ExitDenied, "\n": citewell.ExitDenied, "sure\n": citewell.ExitDenied} {
		control, terminal, err := openTerminal()
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan int, 1)
		var stdout bytes.Buffer
		go func() {
			e := &env{environ: homeEnviron(home), stdin: terminal, stdout: &output{w: &stdout}, stderr: &console{w: terminal}}
			code := e.run(t.Context(), []string{"--set", "confirm.search_remove=ask", "call", "search_remove", `{"id": "x\u202ey"}`})
			terminal.Close() // who reads at the other side hears of the end
			ended <- code
		}()
		asked := ""
		for r := bufio.NewReader(control); !strings.HasSuffix(asked, "[y/N] "); {
			c, err := r.ReadByte()
			if err != nil {
				t.Fatalf("%v after %q", err, asked)
			}
			asked += string(c)
		}
		if _, err := control.WriteString(answer); err != nil {
			t.Fatal(err)
		}
		code := <-ended
		control.Close()
		if code != want || code == 0 && !strings.Contains(stdout.String(), `"removed": false`) {
			t.Errorf("%q: exit code %d, want %d: %s", answer, code, want, stdout.String())
		}
		if !strings.Contains(asked, "Allow search_remove") || !strings.Contains(asked, `"id"`) {
			t.Errorf("asked %q", asked)
		}
	}
}
