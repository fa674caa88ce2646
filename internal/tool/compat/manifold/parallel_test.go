package manifold

import (
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/tool"
)

type sleepInput struct {
	Seconds int    `json:"seconds" jsonschema:"how long" bounds:"0..100"`
	Note    string `json:"note,omitempty" jsonschema:"given back"`
}

type sleepOutput struct {
	Note string `json:"note"`
}

// parallelSet is a toolset with tools that take time, fail and ask, and with the
// batch tool. It counts how many sleep at once, and the most there were.
func parallelSet(now, most *atomic.Int32) *tool.Toolset {
	sleep := func(ctx context.Context, in sleepInput) (sleepOutput, error) {
		if n := now.Add(1); n > most.Load() {
			most.Store(n)
		}
		defer now.Add(-1)
		select {
		case <-time.After(time.Duration(in.Seconds) * time.Second):
			return sleepOutput{Note: in.Note}, nil
		case <-ctx.Done():
			return sleepOutput{}, ctx.Err()
		}
	}
	return &tool.Toolset{Name: "test", Tools: []*tool.Tool{
		tool.New(tool.Spec{Name: "sleep", Title: "Sleep", Description: "Sleeps."}, sleep),
		tool.New(tool.Spec{Name: "act", Title: "Act", Description: "Acts.", Confirm: true}, sleep),
		tool.New(tool.Spec{Name: "fail", Title: "Fail", Description: "Fails."},
			func(context.Context, struct{}) (sleepOutput, error) {
				return sleepOutput{}, &citewell.Error{Code: citewell.CodeRateLimited, Message: "too many for now"}
			}),
		newParallel(Deps{}),
	}}
}

// The calls run at the same time, eight at once, in the order asked for, and one
// that fails does not keep the others from going on.
func TestParallel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var now, most atomic.Int32
		set := parallelSet(&now, &most)
		var uses []string
		for i := range 16 {
			uses = append(uses, `{"recipient_name":"functions.sleep","tool_call_id":"c`+string(rune('a'+i))+
				`","parameters":{"seconds":10,"note":"`+string(rune('a'+i))+`"}}`)
		}
		uses = append(uses, `{"recipient_name":"functions.fail"}`,
			`{"recipient_name":"sleep","parameters":{"seconds":"ten"}}`, `{"recipient_name":"web.sleep"}`,
			`{"recipient_name":"multi_tool_use.parallel","parameters":{"tool_uses":[]}}`,
			`{"recipient_name":"functions.slep"}`, `{"recipient_name":"act","parameters":{"seconds":1}}`)
		began := time.Now()
		r, err := set.Call(t.Context(), "multi_tool_use.parallel",
			json.RawMessage(`{"tool_uses":[`+strings.Join(uses, ",")+`]}`))
		if err != nil {
			t.Fatal(err)
		}
		if wall := time.Since(began); wall != 20*time.Second || most.Load() != 8 {
			t.Errorf("it took %v with %d at once", wall, most.Load())
		}
		out := r.Structured.(parallelOutput)
		if out.OK || len(out.Results) != 22 {
			t.Fatalf("%+v", out)
		}
		for i, c := range out.Results[:16] {
			if note := string(rune('a' + i)); c.Error != "" || c.CallID != "c"+note ||
				c.Payload.(sleepOutput).Note != note || c.DurationMS != 10_000 || c.Tool != "sleep" {
				t.Errorf("call %d: %+v", i, c)
			}
		}
		for i, want := range []citewell.Code{citewell.CodeRateLimited, citewell.CodeInvalidArgument,
			citewell.CodeInvalidArgument,
			citewell.CodeInvalidArgument, citewell.CodeUnknownTool, citewell.CodeConfirmationRequired} {
			if c := out.Results[16+i]; c.Code != want || c.Error == "" || !strings.Contains(out.Error, c.Error) {
				t.Errorf("%s: %s %s, want %s", c.Recipient, c.Code, c.Error, want)
			}
		}
	})
}

// A call that takes longer than it may ends alone.
func TestParallelTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var now, most atomic.Int32
		r, err := parallelSet(&now, &most).Call(t.Context(), Parallel, json.RawMessage(
			`{"timeout_ms":2000,"tool_uses":[{"recipient_name":"sleep","parameters":{"seconds":1}},{"recipient_name":"sleep","parameters":{"seconds":50}}]}`))
		if err != nil {
			t.Fatal(err)
		}
		out := r.Structured.(parallelOutput)
		if out.Results[0].Error != "" || out.Results[1].Code != citewell.CodeTimeout ||
			out.Results[1].Error != "sleep did not answer within 2s; timeout_ms of the batch says how long each "+
				"call may take" {
			t.Errorf("%+v", out.Results)
		}
	})
}

// Where a person is asked and the answer comes later, nothing has run by then.
func TestParallelAsksFirst(t *testing.T) {
	var now, most atomic.Int32
	ctx := tool.WithCaller(t.Context(), tool.Caller{Confirm: func(context.Context, tool.Question) (bool, error) {
		return false, &citewell.Error{Code: citewell.CodeConfirmationRequired, Err: tool.ErrAsking}
	}})
	_, err := parallelSet(&now, &most).Call(ctx, Parallel, json.RawMessage(
		`{"tool_uses":[{"recipient_name":"sleep","parameters":{"seconds":0}},{"recipient_name":"act","parameters":{"seconds":0}}]}`))
	if citewell.CodeOf(err) != citewell.CodeConfirmationRequired || most.Load() != 0 {
		t.Errorf("%v, %d ran", err, most.Load())
	}
}

// Batches as models write them mean the same.
func TestMendToolUses(t *testing.T) {
	const want = `{"tool_uses":[{"parameters":{"q":1},"recipient_name":"a"},{"parameters":{},"recipient_name":"b"}]}`
	for name, given := range map[string]string{
		"right":         `{"tool_uses":[{"recipient_name":"a","parameters":{"q":1}},{"recipient_name":"b","parameters":{}}]}`,
		"bare_list":     `[{"recipient_name":"a","parameters":{"q":1}},{"recipient_name":"b","parameters":{}}]`,
		"concatenated":  `{"recipient_name":"a","parameters":{"q":1}}{"recipient_name":"b","parameters":{}}`,
		"other_names":   `{"tool_uses":[{"name":"a","arguments":{"q":1}},{"tool":"b","args":{}}]}`,
		"all_as_text":   `{"tool_uses":"[{\"recipient_name\":\"a\",\"parameters\":{\"q\":1}},{\"recipient_name\":\"b\",\"parameters\":{}}]"}`,
		"calls_as_text": `{"tool_uses":"{\"recipient_name\":\"a\",\"parameters\":{\"q\":1}} {\"recipient_name\":\"b\",\"parameters\":{}}"}`,
		"as_text":       `{"tool_uses":[{"tool_name":"a","parameters":"{\"q\":1}"},{"recipient_name":"b","input":"{}"}]}`,
	} {
		if got := string(mendToolUses(json.RawMessage(given))); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
	if got := string(mendToolUses(json.RawMessage(`{"tool_uses":{"name":"a","args":{"q":1}},"timeout_ms":9}`))); got !=
		`{"timeout_ms":9,"tool_uses":[{"parameters":{"q":1},"recipient_name":"a"}]}` {
		t.Errorf("one call that is no list: %s", got)
	}
	if got := string(mendToolUses(json.RawMessage(`{"command":"ls","args":["-l"]}`))); got !=
		`{"tool_uses":[{"parameters":{"args":["-l"],"command":"ls"},"recipient_name":"run_cli"}]}` {
		t.Errorf("a bare command: %s", got)
	}
	for _, broken := range []string{``, `{`, `7`, `"x"`, `{"tool_uses":[}`, `{"tool_uses":"a, b"}`, `{"tool_uses":""}`,
		`{"tool_uses":"\"[]\""}`, `{"tool_uses":7}`, `{"tool_uses":null}`} {
		if got := string(mendToolUses(json.RawMessage(broken))); got != broken {
			t.Errorf("%s became %s", broken, got)
		}
	}
}

func FuzzMendToolUses(f *testing.F) {
	f.Add([]byte(`[{"name":"a","arguments":"{}"}]`))
	f.Add([]byte(`{"tool_uses":"[{\"name\":\"a\"}]"}`))
	f.Add([]byte(`{"tool_uses":[{"command":"x"}],"timeout_ms":1}{}`))
	f.Fuzz(func(t *testing.T, arguments []byte) {
		once := mendToolUses(arguments)
		if json.Valid(arguments) && !json.Valid(once) {
			t.Fatalf("%s became %s", arguments, once)
		}
	})
}
