package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func init() {
	Register("echo", func(in []byte, out io.Writer) error {
		_, err := out.Write(in)
		return err
	})
	Register("fail", func([]byte, io.Writer) error { return errors.New("the work failed") })
	Register("panic", func([]byte, io.Writer) error { panic("a bug") })
	Register("spin", func(_ []byte, out io.Writer) error {
		fmt.Fprint(out, "half")
		for n := 0; ; n++ {
			_ = n
		}
	})
	Register("recurse", func([]byte, io.Writer) error {
		var f func(n int) int
		f = func(n int) int { return f(n+1) + 1 }
		f(0)
		return nil
	})
	Register("hoard", func([]byte, io.Writer) error {
		var held [][]byte
		for {
			b := make([]byte, 1<<20)
			for i := range b {
				b[i] = 1
			}
			held = append(held, b)
			runtime.KeepAlive(held)
		}
	})
	Register("hoard_at_once", func([]byte, io.Writer) error {
		b := make([]byte, 8<<30)
		b[len(b)-1] = 1
		runtime.KeepAlive(b)
		return nil
	})
	Register("flood", func(_ []byte, out io.Writer) error {
		for {
			if _, err := out.Write(make([]byte, 1<<16)); err != nil {
				return err
			}
		}
	})
	Register("escape", escape)
}

// escape tries what a child must not be able to do and writes what it could.
func escape(in []byte, out io.Writer) error {
	if len(os.Environ()) > 0 {
		fmt.Fprintln(out, "it has an environment")
	}
	if _, err := os.ReadFile("/etc/passwd"); err == nil {
		fmt.Fprintln(out, "it read a file")
	}
	if err := os.WriteFile(string(in), []byte("x"), 0o600); err == nil {
		fmt.Fprintln(out, "it wrote a file")
	}
	if c, err := net.Listen("tcp", "127.0.0.1:0"); err == nil {
		c.Close()
		fmt.Fprintln(out, "it opened a socket")
	}
	if err := exec.Command("/bin/true").Run(); err == nil {
		fmt.Fprintln(out, "it started a program")
	}
	return nil
}

func TestMain(m *testing.M) {
	Main()
	goleak.VerifyTestMain(m)
}

// endOf is how a child ended. The race detector's runtime has words of its own for an
// address space that is used up, which no shipped program says.
func endOf(r Result) End {
	if r.End == Crashed && strings.Contains(r.Detail, "address space collisions for -race mode") {
		return OutOfRoom
	}
	return r.End
}

func TestRunNamesEveryEnd(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	tests := []struct {
		job    string
		limits Limits
		in     string
		end    End
		output string // of the child; "*" for anything
		detail string
	}{
		{job: "echo", in: "words", end: Finished, output: "words"},
		{job: "echo", in: strings.Repeat("x", 1<<20), end: Finished, output: strings.Repeat("x", 1<<20)},
		{job: "fail", end: Failed, detail: "the work failed"},
		{job: "panic", end: Crashed, detail: "a bug"},
		// time to begin, on a busy machine
		{job: "spin", limits: Limits{Wall: 3 * time.Second}, end: OutOfTime, output: "half"},
		{job: "spin", limits: Limits{CPU: time.Second}, end: OutOfTime, output: "half"},
		{job: "recurse", limits: Limits{Memory: 64 << 20}, end: OutOfRoom, detail: "*"},
		{job: "hoard", limits: Limits{Memory: 64 << 20}, end: OutOfRoom},
		{job: "flood", limits: Limits{Output: 1 << 20}, end: Overflow, output: "*"},
	}
	for _, test := range tests {
		t.Run(test.job, func(t *testing.T) {
			if test.limits.Wall == 0 {
				test.limits.Wall = time.Minute
			}
			r, err := Run(context.Background(), test.job, []byte(test.in), test.limits)
			if err != nil {
				t.Fatal(err)
			}
			if end := endOf(r); end != test.end {
				t.Errorf("it ended as %q, want %q: %s", end, test.end, r.Detail)
			}
			if test.output != "*" && string(r.Output) != test.output {
				t.Errorf("output %.100q", r.Output)
			}
			if test.detail != "*" && !strings.Contains(r.Detail, test.detail) {
				t.Errorf("detail %.300q", r.Detail)
			}
			if limit := test.limits.withDefaults().Output; int64(len(r.Output)) > limit {
				t.Errorf("%d bytes of output, limit %d", len(r.Output), limit)
			}
		})
	}
}

func TestChildReachesNothing(t *testing.T) {
	t.Setenv("CITEWELL_TEST_KEY", "secret")
	target := t.TempDir() + "/written"
	r, err := Run(context.Background(), "escape", []byte(target), Limits{Wall: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("layers %q", r.Layers)
	if r.End != Finished || runtime.GOOS == "linux" && len(r.Output) > 0 ||
		strings.Contains(string(r.Output), "environment") {
		t.Errorf("it ended as %q (%s); %s", r.End, r.Detail, r.Output)
	}
	if runtime.GOOS == "linux" && !slices.Contains(r.Layers, "no files") {
		t.Errorf("layers %q", r.Layers)
	}
}

// TestTry holds that on Linux nothing of what a job may not do succeeds.
func TestTry(t *testing.T) {
	trial, err := Try(context.Background())
	if err != nil || runtime.GOOS == "linux" && len(trial.Holes) > 0 || len(trial.Layers) == 0 {
		t.Errorf("%v, %+v", err, trial)
	}
}

// TestOneLargeAllocation is apart because only an address space limit holds it.
func TestOneLargeAllocation(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux limits the address space")
	}
	r, err := Run(context.Background(), "hoard_at_once", nil, Limits{Wall: time.Minute, Memory: 64 << 20})
	if err != nil {
		t.Fatal(err)
	}
	if end := endOf(r); end != OutOfRoom {
		t.Errorf("it ended as %q: %.200s", end, r.Detail)
	}
}

func TestCallerEndsTheChild(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(200*time.Millisecond, cancel)
	// or it spins for the hour
	if r, err := Run(ctx, "spin", nil, Limits{Wall: time.Hour}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", r.End, err)
	}
}

func TestRunRefuses(t *testing.T) {
	if _, err := Run(context.Background(), "unheard of", nil, Limits{}); err == nil {
		t.Error("an unknown job ran")
	}
	ready.Store(false)
	defer ready.Store(true)
	if _, err := Run(context.Background(), "echo", nil, Limits{}); !errors.Is(err, ErrNotReady) {
		t.Errorf("without Main: %v", err)
	}
}

func BenchmarkRun(b *testing.B) {
	for b.Loop() {
		if _, err := Run(context.Background(), "echo", []byte("x"), Limits{}); err != nil {
			b.Fatal(err)
		}
	}
}
