package mcpserver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/citewell/citewell/internal/server/mcpserver"
	"github.com/citewell/citewell/internal/tool"
)

type nothing struct{}

// pausing is a toolset with a tool that takes its time, one that ends with its context alone, one
// that ends when the test says so, and one that asks the person.
func pausing(pause time.Duration, release <-chan struct{}) *tool.Toolset {
	named := func(name string, work func(context.Context) error) *tool.Tool {
		return tool.New(tool.Spec{Name: name, Title: name, Description: name + ".", Confirm: name == "act"},
			func(ctx context.Context, _ nothing) (echoOutput, error) {
				return echoOutput{Said: []string{"done"}}, work(ctx)
			})
	}
	return &tool.Toolset{Name: "test", Tools: []*tool.Tool{
		named("pause", func(ctx context.Context) error {
			select {
			case <-time.After(pause):
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}),
		named("endless", func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }),
		named("deaf", func(context.Context) error { <-release; return nil }),
		named("act", func(context.Context) error { return nil }),
	}}
}

// hello begins a session of a client that can be asked.
const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"elicitation":{}},"clientInfo":{"name":"test","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`

// piped serves what is written before the input ends, and gives the answers by their ids.
func piped(t *testing.T, set *tool.Toolset, lines ...string) map[string]string {
	t.Helper()
	var out bytes.Buffer
	in := io.NopCloser(strings.NewReader(hello + strings.Join(lines, "\n") + "\n"))
	if err := mcpserver.Stdio(t.Context(), set, mcpserver.Options{}, in, writer{&out}); err != nil {
		t.Errorf("it ends with %v", err)
	}
	answers := map[string]string{}
	for line := range strings.Lines(out.String()) {
		var m struct {
			ID     json.RawMessage
			Method string
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if m.Method == "" {
			answers[string(m.ID)] = line
		}
	}
	return answers
}

type writer struct{ io.Writer }

func (writer) Close() error { return nil }

func callOf(name string) string {
	return `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"` + name + `","arguments":{}}}`
}

// What was read before the input ended is answered, each time.
func TestInputEnds(t *testing.T) {
	for range 200 {
		answers := piped(t, tools(nil), `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`,
			`{"jsonrpc":"2.0","id":3,"method":"ping"}`)
		if len(answers) != 3 || !strings.Contains(answers["2"], `"echo_text"`) ||
			!strings.Contains(answers["3"], `"result"`) {
			t.Fatalf("it answers %q", answers)
		}
	}
}

// A call that is under way when the input ends has AnswerTime, then it is cancelled and says so;
// one that does not end then is left. A question to the client, which cannot answer, does not
// keep the process.
func TestCallsAtTheEndOfTheInput(t *testing.T) {
	for name, test := range map[string]struct {
		line, want string
		takes      time.Duration
	}{
		"slow":    {callOf("pause"), `"done"`, time.Minute},
		"endless": {callOf("endless"), "the caller ended it", mcpserver.AnswerTime},
		"deaf":    {callOf("deaf"), "", mcpserver.AnswerTime + mcpserver.CancelTime},
		"asks":    {callOf("act"), "could not ask a person", 0},
		// The server's lists do not change, so that a subscription ends as soon as it is acknowledged.
		"listens": {`{"jsonrpc":"2.0","id":3,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true}}}`, `"result"`, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				release := make(chan struct{})
				defer close(release)
				began := time.Now()
				answers := piped(t, pausing(time.Minute, release), test.line)
				if took := time.Since(began); took != test.takes {
					t.Errorf("it ends after %v, want %v", took, test.takes)
				}
				if got := answers["3"]; !strings.Contains(got, test.want) || (got == "") != (test.want == "") {
					t.Errorf("the call is answered %q, want %q", got, test.want)
				}
			})
		})
	}
}
