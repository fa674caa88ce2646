package transfer_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/citewell/citewell/internal/testing/pgtest"
	"github.com/citewell/citewell/internal/transfer"
)

// The test binary is run again as a process that copies, and tells how far it is.
const childFrom, childTo = "CITEWELL_COPY_FROM", "CITEWELL_COPY_TO"

func TestMain(m *testing.M) {
	if from := os.Getenv(childFrom); from != "" {
		os.Exit(childCopy(from, os.Getenv(childTo)))
	}
	os.Exit(m.Run())
}

func placeAt(name string) place {
	if strings.HasPrefix(name, "postgres") {
		return database(name)
	}
	return folder(name)
}

// telling has a line written before and after each write, and waits for one to be read.
type telling struct {
	transfer.Target
	in *bufio.Reader
}

func (t telling) Insert(ctx context.Context, kind transfer.Kind, rows []transfer.Row) error {
	t.tell("before " + kind.Name)
	err := t.Target.Insert(ctx, kind, rows)
	t.tell("after " + kind.Name)
	return err
}

func (t telling) tell(what string) {
	os.Stdout.WriteString(what + "\n")
	t.in.ReadString('\n')
}

func childCopy(from, to string) int {
	ctx := context.Background()
	source, err := placeAt(from).open(ctx, false)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	target, err := placeAt(to).open(ctx, true)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	if _, err := transfer.Copy(ctx, source, telling{target, bufio.NewReader(os.Stdin)}, silent); err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

// killedAt runs a copy and kills it as the nth line of what it tells is read and answered, at
// once or when the next one comes; false where it came to its end.
func killedAt(t *testing.T, from, to place, n int) bool {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childFrom+"="+from.name, childTo+"="+to.name)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	must(t, err)
	in, err := cmd.StdinPipe()
	must(t, err)
	must(t, cmd.Start())
	defer cmd.Wait()
	lines := bufio.NewReader(out)
	for i := 0; ; i++ {
		line, err := lines.ReadString('\n')
		if err == io.EOF {
			return false
		}
		must(t, err)
		if !strings.HasPrefix(line, "before ") && !strings.HasPrefix(line, "after ") {
			t.Fatalf("the copy says %s", line)
		}
		io.WriteString(in, "\n")
		if i == n {
			must(t, cmd.Process.Kill())
			return true
		}
	}
}

// A copy whose process is killed again and again, in the middle of writes and between them,
// comes to the same end.
func TestCopyKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	from := filled(t, folder(t.TempDir()))
	for name, to := range map[string]place{"folder": folder(t.TempDir()), "database": database(pgtest.URL(t))} {
		t.Run(name, func(t *testing.T) {
			kills := 0
			for killedAt(t, from, to, 4+kills%3) {
				if kills++; kills > 50 {
					t.Fatal("the copy does not come to an end")
				}
			}
			if kills < 4 {
				t.Errorf("it was killed %d times only", kills)
			}
			wantSame(t, from.opened(t, false), to.opened(t, false))
		})
	}
}
