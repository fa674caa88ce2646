//go:build unix

package mcptools

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/egress"
)

// hostile starts sh with a script that plays a server, and gives what Open made of it.
func hostile(t *testing.T, ctx context.Context, script string) *Set {
	t.Helper()
	guard, err := egress.NewGuard(egress.Options{})
	if err != nil {
		t.Fatal(err)
	}
	set, err := Open(ctx, []Server{{Name: "evil", Command: "sh", Args: []string{"-c", script}}},
		Options{Version: "test", Dir: t.TempDir(), Guard: guard})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(set.Close)
	return set
}

// gone says whether a process has ended; one that nobody has waited for yet has.
func gone(t *testing.T, pid string) bool {
	t.Helper()
	for range 1500 {
		stat, err := os.ReadFile("/proc/" + pid + "/stat")
		if err != nil || strings.Contains(string(stat), ") Z ") {
			return true
		}
		time.Sleep(20 * time.Millisecond)
	}
	return false
}

// A server that takes every message and answers none is given up in time, and ends,
// with what it started itself.
func TestMuteServer(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("looks into /proc")
	}
	const initialized = `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}\n{"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"evil","version":"1"}}}\n`
	for name, script := range map[string]string{
		"from_the_start": `trap "" TERM; sleep 600 & echo $! >PIDS; echo $$ >>PIDS; wait; sleep 600`,
		"at_its_list": `trap "" TERM; sleep 600 & echo $! >PIDS; echo $$ >>PIDS; printf '` + initialized +
			`'; wait; sleep 600`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pids := filepath.Join(t.TempDir(), "pids")
			ctx, cancel := context.WithCancel(t.Context())
			go func() { // it is given up as soon as it runs
				for range 500 {
					if data, _ := os.ReadFile(pids); strings.Count(string(data), "\n") == 2 {
						break
					}
					time.Sleep(20 * time.Millisecond)
				}
				cancel()
			}()
			set := hostile(t, ctx, strings.ReplaceAll(script, "PIDS", pids))
			if err := set.Reports[0].Err; err == nil {
				t.Error("it can be used")
			} else if code := citewell.CodeOf(err); code != citewell.CodeConnectFailed &&
				code != citewell.CodeToolFailed {
				t.Errorf("%v", err)
			}
			set.Close()
			data, err := os.ReadFile(pids)
			if err != nil {
				t.Fatal(err)
			}
			for _, pid := range strings.Fields(string(data)) {
				if !gone(t, pid) {
					t.Errorf("process %s lives on", pid)
				}
			}
		})
	}
}

// What a server started itself ends when the server is ended in good order.
func TestServerLeavesNothing(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	pids := filepath.Join(t.TempDir(), "pids")
	t.Setenv("MCPTOOLS_TEST_SERVER", "1")
	set := hostile(t, t.Context(), `sleep 600 >/dev/null 2>&1 & echo $! >`+pids+`; MCPTOOLS_TEST_SERVER=1 exec `+self)
	if err := set.Reports[0].Err; err != nil {
		t.Fatal(err)
	}
	set.Close()
	pid, err := os.ReadFile(pids)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "linux" {
		t.Skip("looks into /proc")
	}
	if !gone(t, strings.TrimSpace(string(pid))) {
		t.Error("what the server started lives on")
	}
}
