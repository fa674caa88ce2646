package llm

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func eventsOf(r io.Reader) (list []string, err error) {
	e := newEvents(r)
	for {
		data, err := e.next()
		if err != nil {
			return list, err
		}
		list = append(list, string(data))
	}
}

func TestEvents(t *testing.T) {
	for stream, want := range map[string]string{
		"data: a\n\ndata: b\n\n":                     "a|b",
		"data:a\r\n\r\ndata:  b\r\n\r\n":             "a| b",
		"data: a\r\rdata: b\r\r":                     "a|b",
		"\ufeffdata: a\n\n":                          "a",
		": keep-alive\n\n:\n\ndata: a\n\n":           "a",
		"event: x\nid: 1\nretry: 5\ndata: a\n\n\n\n": "a",
		"data: a\ndata: b\n\n":                       "a\nb",
		"data\n\n":                                   "",
		"event: x\n\ndata: a\n\n":                    "a",
		"data: a\n\ndatabase: b\n\ndata: c: d\n\n":   "a|c: d",
		"data: [DONE]\n\n":                           "[DONE]",
	} {
		got, err := eventsOf(strings.NewReader(stream))
		if strings.Join(got, "|") != want || err != io.EOF {
			t.Errorf("%q gave %q, %v", stream, got, err)
		}
	}
	for _, broken := range []string{"data: a", "data: a\n", "da", ": c"} {
		if got, err := eventsOf(strings.NewReader(broken)); len(got) > 0 || !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%q gave %q, %v", broken, got, err)
		}
	}
}

// A stream gives the same events however it is cut into reads, none that did not end,
// and the same as before where more follows.
func FuzzEvents(f *testing.F) {
	for _, seed := range []string{"data: a\n\ndata: b\r\n\r\n", ": x\n\ndata:{}\rdata: y\r\r", "\ufeffdata: [DONE]\n\n",
		"data\n\ndata:\n\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, stream string) {
		at, _ := eventsOf(strings.NewReader(stream))
		slow, err := eventsOf(iotest.OneByteReader(strings.NewReader(stream)))
		if strings.Join(at, "|") != strings.Join(slow, "|") || err == nil {
			t.Fatalf("%q gave %q and %q, %v", stream, at, slow, err)
		}
		more, _ := eventsOf(strings.NewReader(stream + "\n\ndata: end\n\n"))
		if len(more) < len(at)+1 || strings.Join(more[:len(at)], "|") != strings.Join(at, "|") ||
			more[len(more)-1] != "end" {
			t.Fatalf("%q gave %q, with more %q", stream, at, more)
		}
	})
}

// Whatever a server sends, what is told and what is delivered agree, and a call is whole.
func FuzzAnswer(f *testing.F) {
	f.Add(`data: {"choices":[{"index":0,"delta":{"content":"<thi"}}]}` + "\n\n" +
		`data: {"choices":[{"delta":{"content":"nk>x</think>y"},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n")
	f.Add(`data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"t","arguments":"{\"a\":"}}]}}]}` + "\n\n" +
		`data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"1}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":-1e99}}` + "\n\n")
	f.Add(`data: {"choices":[{"message":{"content":[{"type":"text","text":"a"},{"type":"thinking","thinking":[{"text":"b"}]}],"tool_calls":[{"function":{"name":"","arguments":{"a":1}}}]}}]}` + "\n\ndata: [DONE]\n\n")
	f.Fuzz(func(t *testing.T, stream string) {
		c := &Client{o: Options{Stall: 1 << 40}}
		var told strings.Builder
		a, err := c.readStream(t.Context(), func(error) {}, strings.NewReader(stream), func(d Delta) {
			told.WriteString(d.Content)
			told.WriteString(d.Reasoning)
		})
		if err == nil && a.finish == "" {
			t.Fatal("an answer without an end")
		}
		if err != nil {
			if reply, _ := a.reply(Request{}, err); len(reply.ToolCalls) > 0 {
				t.Fatalf("calls beside %v", err)
			}
			return
		}
		if all := a.content.Len() + a.reasoning.Len(); told.Len() > all {
			t.Fatalf("%d bytes told of %d", told.Len(), all)
		}
		reply, _ := a.reply(Request{}, nil)
		ids := map[string]bool{}
		for _, call := range reply.ToolCalls {
			if strictObject(string(call.Arguments)) == nil || call.ID == "" || ids[call.ID] || call.Name == "" &&
				call.Fault == "" {
				t.Fatalf("call %+v", call)
			}
			ids[call.ID] = true
		}
	})
}
