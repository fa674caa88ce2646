//go:build unix

package cli

import (
	"fmt"
	"io"
	"strings"
	"syscall"
	"testing"
)

// Each answer of a batch is out before the next line is there, and what ends the process
// in the middle leaves whole lines.
func TestCheckBatchEndedInTheMiddle(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGKILL} {
		c := startChild(t, t.TempDir(), "check", "--batch", "-")
		for i := range 3 {
			fmt.Fprintf(c.stdin, "{\"id\": %d, \"claim\": \"It is grey.\", \"evidence\": \"It is grey.\"}\n", i)
			answer, err := c.stdout.ReadString('\n')
			if err != nil || !strings.HasPrefix(answer, fmt.Sprintf(`{"id":%d,"verdict":"supported",`, i)) {
				t.Fatal(answer, err)
			}
		}
		io.WriteString(c.stdin, `{"id": 3, "claim": "It`)
		if err := c.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		rest, err := io.ReadAll(c.stdout)
		said, _ := io.ReadAll(c.stderr)
		if c.Wait() == nil || err != nil || len(rest) > 0 || signal == syscall.SIGINT &&
			!strings.Contains(string(said), "interrupted") {
			t.Errorf("%v: %q %q %v", signal, rest, said, err)
		}
	}
}
