package llm_test

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/testing/modeltest"
	"github.com/citewell/citewell/llm"
)

// able is a model that can do what it is told to be able to.
func able(formats []string, tools bool) modeltest.Script {
	json := modeltest.Obeys(`{"sum":42}`, "It is 42.", formats...)
	return func(n int, a modeltest.Asked) modeltest.Reply {
		switch {
		case strings.Contains(a.Last(), "Hallvik") && tools:
			return modeltest.Asks(modeltest.Call{ID: "1", Name: "tide", Arguments: `{"place":"Hallvik"}`})
		case strings.Contains(asText(a), "19 + 23"):
			return json(n, a)
		}
		return modeltest.Says("Hello.")
	}
}

func asText(a modeltest.Asked) (all string) {
	messages, _ := a.Body["messages"].([]any)
	for _, m := range messages {
		text, _ := m.(map[string]any)["content"].(string)
		all += text + "\n"
	}
	return all
}

func TestCapabilitiesAreTried(t *testing.T) {
	all := []string{"json_schema", "grammar", "tool", "json_object", "prompt"}
	tests := map[string]struct {
		formats []string
		refuses map[string]string
		tools   bool
		want    llm.Capabilities
		line    string
	}{
		"everything": {all, nil, true, llm.Capabilities{Structured: "json_schema", Sum: 42, Tools: llm.Can,
			Streaming: llm.Can, Embeddings: llm.Can},
			"answers in JSON by json_schema (19 + 23 = 42); calls tools; streams; gives embeddings; window of 32768 " +
				"tokens by /v1/models"},
		"a grammar": {all[1:], nil, false, llm.Capabilities{Structured: "grammar", Sum: 42, Tools: llm.Cannot,
			Streaming: llm.Can, Embeddings: llm.Can}, ""},
		"a tool": {[]string{"tool"}, map[string]string{"response_format": "", "guided_json": ""}, true,
			llm.Capabilities{Structured: "tool", Sum: 42, Tools: llm.Can, Streaming: llm.Can, Embeddings: llm.Can}, ""},
		"words": {[]string{"prompt"}, map[string]string{"tools": "no tools here", "stream": "no streams"}, false,
			llm.Capabilities{Structured: "prompt", Sum: 42, Tools: llm.Cannot, Streaming: llm.Cannot,
				Embeddings: llm.Can}, ""},
		"nothing": {nil, nil, false, llm.Capabilities{Tools: llm.Cannot, Streaming: llm.Can, Embeddings: llm.Can},
			"does not answer in JSON; does not call tools; streams; gives embeddings; window of 32768 tokens by " +
				"/v1/models"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := modeltest.Serve(t)
			s.Script, s.Refuses = able(test.formats, test.tools), test.refuses
			s.Models, s.Vector = `{"data":[{"id":"scripted","max_model_len":32768}]}`,
				`{"data":[{"index":0,"embedding":[0.6,0.8]}]}`
			test.want.Window = llm.Window{Tokens: 32768, From: llm.FromModels}
			cache := &kept{}
			o := llm.Options{ContextWindow: llm.AutoWindow, Endpoints: llm.NewEndpoints(llm.EndpointsOptions{
				Cache: cache})}
			c := ask(t, s, o)
			got, err := c.Capabilities(t.Context())
			if err != nil || got != test.want || test.line != "" && got.String() != test.line {
				t.Fatalf("%+v (%s), %v", got, got, err)
			}
			asked := len(s.Paths())
			o.Endpoints = llm.NewEndpoints(llm.EndpointsOptions{Cache: cache})
			if got, err := ask(t, s, o).Capabilities(t.Context()); err != nil || got != test.want ||
				len(s.Paths()) != asked {
				t.Errorf("from the cache: %+v %v after %d more requests", got, err, len(s.Paths())-asked)
			}
			s.Models, test.want.Window.Tokens = `{"data":[{"id":"scripted","max_model_len":16384}]}`, 16384
			if got, err := c.Examine(t.Context()); err != nil || got != test.want || len(s.Paths()) == asked {
				t.Errorf("anew: %+v %v after %d more requests", got, err, len(s.Paths())-asked)
			}
		})
	}
	s := modeltest.Serve(t, modeltest.Fails(401, "wrong key"))
	if _, err := ask(t, s, llm.Options{}).Capabilities(t.Context()); citewell.CodeOf(err) != citewell.CodeAuth ||
		len(s.Asked()) != 1 {
		t.Errorf("%v after %d requests", err, len(s.Asked()))
	}
}

// However many ask for it at once, a model is tried out once; and an endpoint is asked
// no more things at once than it is allowed.
func TestOneTrialAndBoundedRequests(t *testing.T) {
	s := modeltest.Serve(t)
	s.Script = able([]string{"json_schema"}, true)
	c := ask(t, s, llm.Options{Endpoints: llm.NewEndpoints(llm.EndpointsOptions{Parallel: 2})})
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if _, err := c.Capabilities(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := len(s.Asked()); n != 3 {
		t.Errorf("%d requests for one trial, want 3", n)
	}
	slow := modeltest.Says("slow")
	slow.Every = time.Millisecond
	s.Script = modeltest.InOrder(slow)
	for range 20 {
		wg.Go(func() {
			if _, err := c.Stream(t.Context(), user("?"), nil); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	// The server may still be busy with the end of an answer that its reader has had.
	if s.Most() > 4 {
		t.Errorf("%d requests at once, 2 are allowed", s.Most())
	}
}

// A format that was tried by itself is not given up for one schema that it refuses.
func TestOneSchemaThatIsRefused(t *testing.T) {
	s := modeltest.Serve(t)
	s.Script = able([]string{"json_schema"}, true)
	c := ask(t, s, llm.Options{})
	if _, err := c.Capabilities(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.Script = func(_ int, a modeltest.Asked) modeltest.Reply {
		if a.Format() == "json_schema" {
			return modeltest.Fails(400, "Invalid schema for response_format 'sum'")
		}
		return modeltest.Says(fourInJSON)
	}
	var got sum
	if _, err := c.Decode(t.Context(), question, &got); err != nil || got.Sum != 4 || c.Format() != "json_schema" {
		t.Errorf("%+v %v, remembered %s after %q", got, err, c.Format(), slices.Compact(formats(s)))
	}
}
