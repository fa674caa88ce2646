package cli

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// shipped builds the binary as it is shipped, and has the kernel read it anew: the test binary
// carries more, and how much of a file the kernel maps at once depends on how the file was written
// for as long as it is in the cache.
func shipped(b *testing.B) string {
	b.Helper()
	program := filepath.Join(b.TempDir(), "citewell")
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", program,
		filepath.Join(ownFolder, "..", "..", "cmd", "citewell"))
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	file, err := os.Open(program)
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	if err := errors.Join(file.Sync(), unix.Fadvise(int(file.Fd()), 0, 0, unix.FADV_DONTNEED)); err != nil {
		b.Fatal(err)
	}
	return program
}

// resident is what a process holds in memory (VmRSS), or held at most (VmHWM), in megabytes.
func resident(b *testing.B, pid int, what string) float64 {
	b.Helper()
	return megabytes(b, fmt.Sprintf("/proc/%d/status", pid), what)
}

// megabytes is one row of a file that the kernel tells of a process in.
func megabytes(b *testing.B, path, row string) float64 {
	b.Helper()
	status, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	_, rest, _ := strings.Cut("\n"+string(status), "\n"+row+":")
	kilobytes, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
	if err != nil {
		b.Fatal(err)
	}
	return kilobytes * 1024 / 1e6
}

// at is the value below which a share of the sorted times lies.
func at(times []time.Duration, share float64) float64 {
	return float64(times[min(len(times)-1, int(share*float64(len(times))))].Microseconds()) / 1000
}

// BenchmarkMCPStart is a client that starts citewell mcp and lists its tools: the time
// from the start of the process to the list, and what the process then holds.
func BenchmarkMCPStart(b *testing.B) {
	program, home := shipped(b), b.TempDir()
	var times []time.Duration
	var memory float64
	var worked time.Duration // by processors, of all starts
	b.ResetTimer()
	for b.Loop() {
		began := time.Now()
		cmd, in := toolsListed(b, program, home)
		times = append(times, time.Since(began))
		memory = max(memory, resident(b, cmd.Process.Pid, "VmRSS"))
		in.Close()
		if err := cmd.Wait(); err != nil {
			b.Fatal(err)
		}
		worked += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	slices.Sort(times)
	b.ReportMetric(at(times, 0.5), "ms-p50")
	b.ReportMetric(float64(worked.Microseconds())/1000/float64(len(times)), "CPU-ms")
	b.ReportMetric(at(times, 0.9), "ms-p90")
	b.ReportMetric(memory, "MB-resident")
}

// toolsListed starts citewell mcp and has it list its tools. It ends when in is closed.
func toolsListed(b *testing.B, program, home string) (cmd *exec.Cmd, in io.WriteCloser) {
	b.Helper()
	cmd = exec.Command(program, "mcp")
	cmd.Dir, cmd.Env = home, append(os.Environ(), homeEnviron(home)...)
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	lines := bufio.NewReader(out)
	io.WriteString(in, hello+`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`+"\n")
	for _, want := range []string{`"serverInfo"`, `"web_search"`} {
		if line, err := lines.ReadString('\n'); err != nil || !strings.Contains(line, want) {
			b.Fatalf("%.200q, %v", line, err)
		}
	}
	return cmd, in
}

// BenchmarkMCPIdle is ten clients that have each started citewell mcp and listed its tools: what one
// of the processes holds when it has settled, what of it are pages of its own and not of a file, and
// its share of what the ten hold together. Each has a store of its own.
func BenchmarkMCPIdle(b *testing.B) {
	const processes = 10
	program := shipped(b)
	shown := map[string]string{"Rss": "MB-resident", "Pss": "MB-share", "Anonymous": "MB-own"}
	held := map[string]float64{}
	for b.Loop() {
		var started []*exec.Cmd
		var inputs []io.Closer
		for range processes {
			cmd, in := toolsListed(b, program, b.TempDir())
			started, inputs = append(started, cmd), append(inputs, in)
		}
		time.Sleep(settleAfter + time.Second)
		for _, cmd := range started {
			for row := range shown {
				held[row] += megabytes(b, fmt.Sprintf("/proc/%d/smaps_rollup", cmd.Process.Pid), row) / processes
			}
		}
		for i, cmd := range started {
			inputs[i].Close()
			if err := cmd.Wait(); err != nil {
				b.Fatal(err)
			}
		}
	}
	for row, unit := range shown {
		b.ReportMetric(held[row]/float64(b.N), unit)
	}
}

// A caller is one session over one connection of its own.
type caller struct {
	client  *http.Client
	address string
	session string
}

func newCaller(address string) (*caller, error) {
	c := &caller{address: address, client: &http.Client{Transport: &http.Transport{
		MaxIdleConnsPerHost: 1, DialContext: (&net.Dialer{}).DialContext}}}
	first, _, _ := strings.Cut(hello, "\n")
	if _, err := c.post(first, 200); err != nil {
		return nil, err
	}
	_, err := c.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`, 202)
	return c, err
}

func (c *caller) post(body string, status int) ([]byte, error) {
	r, err := http.NewRequest("POST", c.address+"/mcp", strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
		"Mcp-Protocol-Version": {"2025-06-18"}}
	if c.session != "" {
		r.Header.Set("Mcp-Session-Id", c.session)
	}
	resp, err := c.client.Do(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != status {
		err = fmt.Errorf("status %d: %s", resp.StatusCode, answer)
	}
	if id := resp.Header.Get("Mcp-Session-Id"); id != "" {
		c.session = id
	}
	return answer, err
}

// call looks up a thing that the graph does not hold: a tool's whole way and one
// question to the store.
func (c *caller) call() (time.Duration, error) {
	began := time.Now()
	answer, err := c.post(
		`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"graph_get_node","arguments":{"id":"absent"}}}`,
		200)
	if err == nil && !bytes.Contains(answer, []byte(`"result"`)) {
		err = fmt.Errorf("it answers %s", answer)
	}
	return time.Since(began), err
}

// BenchmarkMCPSessions is 1,000 sessions over HTTP at once: calling once a second
// each, spread over the second, and as fast as they can. The callers share the
// machine with the server. Memory is the server's alone.
func BenchmarkMCPSessions(b *testing.B) {
	const sessions, seconds = 1000, 5
	program := shipped(b)
	for _, pace := range []struct {
		name  string
		every time.Duration
	}{{"a_call_a_second_each", time.Second}, {"as_fast_as_they_can", 0}} {
		b.Run(pace.name, func(b *testing.B) {
			for b.Loop() {
				home := b.TempDir()
				cmd := exec.Command(program, "serve", "--listen", "127.0.0.1:0")
				cmd.Dir, cmd.Env = home, append(os.Environ(), homeEnviron(home)...)
				stderr, err := cmd.StderrPipe()
				if err != nil {
					b.Fatal(err)
				}
				if err := cmd.Start(); err != nil {
					b.Fatal(err)
				}
				line, err := bufio.NewReader(stderr).ReadString('\n')
				if err != nil {
					b.Fatal(err)
				}
				address := strings.Fields(line)[2]
				callers := make([]*caller, sessions)
				for i := range callers {
					if callers[i], err = newCaller(address); err != nil {
						b.Fatal(err)
					}
				}
				idle := resident(b, cmd.Process.Pid, "VmRSS")
				all := make([][]time.Duration, sessions)
				var wg sync.WaitGroup
				failed := make(chan error, sessions)
				began := time.Now()
				for i, c := range callers {
					wg.Go(func() {
						next := began.Add(pace.every * time.Duration(i) / sessions)
						for time.Since(began) < seconds*time.Second {
							if pace.every > 0 {
								time.Sleep(time.Until(next))
								next = next.Add(pace.every)
							}
							took, err := c.call()
							if err != nil {
								failed <- err
								return
							}
							all[i] = append(all[i], took)
						}
					})
				}
				wg.Wait()
				took := time.Since(began)
				select {
				case err := <-failed:
					b.Fatal(err)
				default:
				}
				times := slices.Concat(all...)
				slices.Sort(times)
				b.ReportMetric(at(times, 0.5), "ms-p50")
				b.ReportMetric(at(times, 0.99), "ms-p99")
				b.ReportMetric(float64(len(times))/took.Seconds(), "calls/s")
				b.ReportMetric(idle, "MB-after-connecting")
				b.ReportMetric(resident(b, cmd.Process.Pid, "VmRSS"), "MB-resident")
				for _, c := range callers {
					c.client.CloseIdleConnections()
				}
				cmd.Process.Signal(os.Interrupt)
				cmd.Wait()
				worked := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
				b.ReportMetric(float64(worked.Microseconds())/1000/float64(len(times)), "CPU-ms/call")
			}
		})
	}
}
