package cli

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/citewell/citewell/internal/server/access"
)

// A crowd is callers of one server, each with a token.
type crowd struct {
	b    *testing.B
	base string
	http *http.Transport
}

// ask sends one request and reads its answer.
func (c *crowd) ask(ctx context.Context, token, method, path, body string,
	headers ...string) (status int, answer string) {
	r, err := http.NewRequestWithContext(ctx, method, c.base+path, strings.NewReader(body))
	if err != nil {
		c.b.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	resp, err := c.http.RoundTrip(r)
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, err.Error()
	}
	return resp.StatusCode, string(data) + resp.Header.Get("Mcp-Session-Id")
}

// honest is what one caller does: a session with a search in it, a question over OpenAI's
// API, its runs. It says how long each took, and how what failed did.
func (c *crowd) honest(token string) (times []time.Duration, failed []string) {
	step := func(want int, words, method, path, body string, headers ...string) string {
		began := time.Now()
		status, answer := c.ask(context.Background(), token, method, path, body, headers...)
		times = append(times, time.Since(began))
		if status != want || !strings.Contains(answer, words) {
			failed = append(failed, fmt.Sprintf("%s %s: %d %.200s", method, path, status, answer))
		}
		return answer
	}
	begun := step(200, "protocolVersion", "POST", "/mcp",
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"honest","version":"1"}}}`)
	session := begun[strings.LastIndexAny(begun, "}\n")+1:]
	step(200, "pump", "POST", "/mcp",
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"web_search","arguments":{"query":"kestrel pump","depth":1}}}`, "Mcp-Session-Id", session)
	step(204, "", "DELETE", "/mcp", "", "Mcp-Session-Id", session)
	step(200, "310 litres", "POST", "/v1/chat/completions", strings.Replace(teamQuestion, `"stream":true,`, "", 1))
	step(200, `"runs"`, "GET", "/v1/runs", "")
	return times, failed
}

// greedy does all that a caller can do to the others, until ctx ends: it announces bodies and
// drips them, holds sessions and streams that it never reads, and begins runs by the hundred.
func (c *crowd) greedy(ctx context.Context, token string, refused *atomic.Int64) {
	var all sync.WaitGroup
	defer all.Wait()
	address := strings.TrimPrefix(c.base, "http://")
	raw := func(head string, piece string, every time.Duration) {
		for ctx.Err() == nil {
			conn, err := net.Dial("tcp", address)
			if err != nil {
				return
			}
			stop := context.AfterFunc(ctx, func() { conn.Close() })
			_, err = io.WriteString(conn, head)
			for err == nil && ctx.Err() == nil {
				time.Sleep(every)
				_, err = io.WriteString(conn, piece)
			}
			stop()
			conn.Close()
		}
	}
	post := func(path string) string {
		return "POST " + path + " HTTP/1.1\r\nHost: " + address + "\r\nAuthorization: Bearer " + token +
			"\r\nContent-Type: application/json\r\nContent-Length: 16000000\r\n\r\n"
	}
	for range 30 {
		all.Go(func() { raw(post("/v1/chat/completions"), strings.Repeat(" ", 64<<10), time.Second) })
		all.Go(func() { raw(post("/v1/runs"), strings.Repeat(" ", 64<<10), time.Second) })
	}
	many := func(n int, again time.Duration, path, body string, refusal int) {
		for range n {
			if status, _ := c.ask(ctx, token, "POST", path, body); status == refusal {
				refused.Add(1)
				select {
				case <-time.After(again):
				case <-ctx.Done():
				}
			}
			if ctx.Err() != nil {
				return
			}
		}
	}
	all.Go(func() {
		many(3000, time.Second, "/mcp",
			`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"greedy","version":"1"}}}`, 429)
	})
	all.Go(func() {
		many(3000, time.Second, "/v1/runs", `{"agent":"team","task":"How much does the kestrel pump move?"}`, 429)
	})
	_, run := c.ask(ctx, token, "POST", "/v1/runs", `{"agent":"team","task":"How much does the kestrel pump move?"}`)
	_, id, _ := strings.Cut(run, `"id":"`)
	id, _, _ = strings.Cut(id, `"`)
	for range 300 {
		all.Go(func() {
			raw("GET /v1/runs/"+id+"/events HTTP/1.1\r\nHost: "+address+"\r\nAuthorization: Bearer "+token+"\r\n\r\n",
				"", time.Minute)
		})
	}
}

// BenchmarkCrowd is a thousand honest callers, fifty at once, alone and beside five greedy
// ones, in turns: how long the honest ones' requests take.
func BenchmarkCrowd(b *testing.B) {
	program := shipped(b)
	for _, greedy := range []int{0, 5} {
		b.Run(fmt.Sprintf("beside_%d", greedy), func(b *testing.B) {
			t := newTeam(b, func() { time.Sleep(500 * time.Millisecond) })
			home, port := b.TempDir(), freePort(b)
			t.configure(b, home)
			known, err := access.Load(filepath.Join(home, "tokens.json"))
			if err != nil {
				b.Fatal(err)
			}
			var tokens []string
			for i := range 55 {
				token, err := known.Create(access.Token{Name: fmt.Sprint("caller", i),
					Tenant: fmt.Sprint("tenant", i/5), Scopes: []string{access.ScopeAll}}, 0)
				if err != nil {
					b.Fatal(err)
				}
				tokens = append(tokens, token)
			}
			s := start(b, home, fmt.Sprint("http://127.0.0.1:", port), program, "serve", "--listen",
				fmt.Sprint("127.0.0.1:", port), "--set", "server.tokens_file="+filepath.Join(home, "tokens.json"))
			c := &crowd{b, s.url, &http.Transport{MaxIdleConnsPerHost: 200}}
			c.honest(tokens[5])
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			var refused atomic.Int64
			var enemies sync.WaitGroup
			for _, token := range tokens[:greedy] {
				enemies.Go(func() { c.greedy(ctx, token, &refused) })
			}
			if greedy > 0 {
				time.Sleep(10 * time.Second) // until they hold what they can
			}
			for b.Loop() {
				var mu sync.Mutex
				var times []time.Duration
				var failed []string
				callers := make(chan string)
				var all sync.WaitGroup
				for range 50 {
					all.Go(func() {
						for token := range callers {
							took, wrong := c.honest(token)
							mu.Lock()
							times, failed = append(times, took...), append(failed, wrong...)
							mu.Unlock()
						}
					})
				}
				for i := range 1000 {
					callers <- tokens[5+i%50]
				}
				close(callers)
				all.Wait()
				slices.Sort(times)
				b.ReportMetric(at(times, 0.5), "ms-p50")
				b.ReportMetric(at(times, 0.99), "ms-p99")
				b.ReportMetric(float64(len(failed)), "failed")
				b.ReportMetric(float64(refused.Load()), "refused-greedy")
				b.ReportMetric(resident(b, s.cmd.Process.Pid, "VmHWM"), "peak-MB")
				for _, f := range failed[:min(5, len(failed))] {
					b.Log(f)
				}
			}
			cancel()
			enemies.Wait()
		})
	}
}
