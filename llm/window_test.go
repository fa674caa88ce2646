package llm_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/testing/modeltest"
	"github.com/citewell/citewell/llm"
)

// tells is what a server says of itself.
type tells struct{ Models, Props, Show, Running string }

func TestTheWindowIsFound(t *testing.T) {
	tests := map[string]struct {
		server tells
		o      llm.Options
		want   llm.Window
	}{
		"configured": {tells{Models: `{"data":[{"id":"scripted","max_model_len":4000}]}`},
			llm.Options{ContextWindow: 9000}, llm.Window{Tokens: 9000, From: llm.FromConfig}},
		"vLLM": {
			tells{Models: `{"data":[{"id":"other","max_model_len":1000},{"id":"scripted","max_model_len":32768}]}`},
			llm.Options{}, llm.Window{Tokens: 32768, From: llm.FromModels}},
		"OpenRouter": {
			tells{Models: `{"data":[{"id":"a"},{"id":"scripted","context_length":null,"top_provider":{"context_length":131072}}]}`}, llm.Options{}, llm.Window{Tokens: 131072, From: llm.FromModels}},
		"llama.cpp": {tells{Models: `{"data":[{"id":"scripted","meta":{"n_ctx_train":131072}}]}`,
			Props: `{"default_generation_settings":{"n_ctx":16384}}`}, llm.Options{},
			llm.Window{Tokens: 16384, From: llm.FromProps}},
		"Ollama set": {tells{Models: `{"data":[{"id":"scripted"}]}`,
			Show: `{"parameters":"stop \"x\"\nnum_ctx                        24576","model_info":{"llama.context_length":131072}}`}, llm.Options{}, llm.Window{Tokens: 24576, From: llm.FromShow}},
		"Ollama": {tells{Show: `{"model_info":{"llama.context_length":131072}}`}, llm.Options{},
			llm.Window{Tokens: 4096, From: llm.FromShow}},
		"Ollama loaded": {tells{Show: `{}`, Running: `{"models":[{"name":"scripted:latest","context_length":65536}]}`},
			llm.Options{}, llm.Window{Tokens: 65536, From: llm.FromRunning}},
		"by name": {tells{}, llm.Options{Model: "openai/gpt-4.1-mini"},
			llm.Window{Tokens: 1_047_576, From: llm.FromName}},
		"nonsense": {tells{Models: `{"data":[{"id":"scripted","max_model_len":-5,"context_length":1e300,"n_ctx":"8"}]}`,
			Props: `[]`, Show: `{"model_info":{"x.context_length":2}}`}, llm.Options{},
			llm.Window{Tokens: llm.AssumedWindow, From: llm.FromNothing}},
		"nothing": {tells{}, llm.Options{}, llm.Window{Tokens: llm.AssumedWindow, From: llm.FromNothing}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := modeltest.Serve(t)
			s.Models, s.Props, s.Show, s.Running = test.server.Models, test.server.Props, test.server.Show,
				test.server.Running
			if test.o.ContextWindow == 0 {
				test.o.ContextWindow = llm.AutoWindow
			}
			c := ask(t, s, test.o)
			if got := c.Window(t.Context()); got != test.want {
				t.Errorf("%+v, want %+v", got, test.want)
			}
			asked := len(s.Paths())
			if c.Window(t.Context()); len(s.Paths()) != asked {
				t.Error("the window is looked for again")
			}
		})
	}
}

func TestWindowsByName(t *testing.T) {
	for model, want := range map[string]int{"o3-mini": 200_000, "openai/o1": 200_000,
		"meta-llama/Llama-3.1-8B-Instruct": 131_072, "llama3:8b": 8192,
		"Qwen/Qwen2.5-7B": 32_768, "gpt-4-0613": 8192, "gpt-4o-mini": 128_000, "solo1": llm.AssumedWindow,
		"o12": llm.AssumedWindow} {
		if got := ask(t, modeltest.Serve(t), llm.Options{Model: model}).Window(t.Context()); got.Tokens != want {
			t.Errorf("%s: %+v, want %d", model, got, want)
		}
	}
}

// A question that is longer than the model reads is refused before it is sent, an
// answer's limit is lowered to what is left, and only a window that somebody told counts.
func TestRequestsAreMeasured(t *testing.T) {
	long := user(strings.Repeat("every word is one token here and there ", 200)) // some 1,600
	s := modeltest.Serve(t)
	c := ask(t, s, llm.Options{ContextWindow: 1500, MaxTokens: 1000})
	_, err := c.Chat(t.Context(), long)
	if !errors.Is(err, llm.ErrContext) || citewell.CodeOf(err) != citewell.CodeModelFailed || len(s.Asked()) != 0 {
		t.Errorf("%v after %d requests", err, len(s.Asked()))
	}
	if fit := c.Fits(t.Context(), long); fit.Over() < 1000 || fit.Answer != 1000 {
		t.Errorf("%+v is over by %d", fit, fit.Over())
	}
	if fit := c.Fits(t.Context(), user("hello")); fit.Over() > 0 || fit.Tokens > 20 {
		t.Errorf("%+v is over by %d", fit, fit.Over())
	}
	c = ask(t, s, llm.Options{ContextWindow: 2300, MaxTokens: 1000})
	if _, err := c.Chat(t.Context(), long); err != nil {
		t.Fatal(err)
	}
	if limit, _ := s.Asked()[0].Body["max_tokens"].(float64); limit < 500 || limit > 750 {
		t.Errorf("the answer may take %v tokens", limit)
	}
	s = modeltest.Serve(t)
	huge := user(strings.Repeat(long.Messages[0].Content, 8))
	if _, err := ask(t, s, llm.Options{ContextWindow: llm.AutoWindow}).Chat(t.Context(), huge); err != nil {
		t.Errorf("a window that is only assumed refused: %v", err)
	}
	s = modeltest.Serve(t)
	if _, err := ask(t, s, llm.Options{ContextWindow: llm.AutoWindow}).Chat(t.Context(), user("short")); err != nil ||
		!slices.Equal(s.Paths(), []string{"/v1/chat/completions"}) {
		t.Errorf("a short question cost %q, %v", s.Paths(), err)
	}
}

func TestTheWindowIsLearnedFromARefusal(t *testing.T) {
	for said, want := range map[string]int{
		"This model's maximum context length is 4097 tokens. However, your messages resulted in 5000 " +
			"tokens.": 4097,
		"the request exceeds the available context size (8192 tokens), try " +
			"increasing it": 8192,
		`'max_tokens' or 'max_completion_tokens' is too large: 9000. This model's maximum context length is 16384 tokens and your request has 8000`: 16384,
	} {
		s := modeltest.Serve(t, modeltest.Fails(400, said))
		c := ask(t, s, llm.Options{ContextWindow: llm.AutoWindow})
		var got sum
		if _, err := c.Decode(t.Context(), question, &got); !errors.Is(err, llm.ErrContext) || len(s.Asked()) != 1 {
			t.Errorf("%v after %d requests", err, len(s.Asked()))
		}
		if w := c.Window(t.Context()); w.Tokens != want || w.From != llm.FromError {
			t.Errorf("%q taught %+v", said, w)
		}
	}
}

// What an endpoint says of its error stands in answers and on terminals.
func TestAnErrorOfAnEndpointSteersNoTerminal(t *testing.T) {
	s := modeltest.Serve(t, modeltest.Fails(400, "no\x1b]0;owned\x07 such\u009b31m \u202emodel"))
	_, err := ask(t, s, llm.Options{}).Chat(t.Context(), user("short"))
	if said := citewell.View(err).Message; !strings.HasSuffix(said, ": no]0;owned such31m model") {
		t.Errorf("%q", said)
	}
}

func TestUsage(t *testing.T) {
	words := strings.Repeat("tide and time wait for nobody ", 100) // 601 tokens
	tests := map[string]struct {
		usage     string
		estimated bool
		cached    int
	}{
		"given": {
			`{"prompt_tokens":620,"completion_tokens":8,"prompt_tokens_details":{"cached_tokens":512},"completion_tokens_details":{"reasoning_tokens":4}}`, false, 512},
		"DeepSeek":      {`{"prompt_tokens":620,"completion_tokens":8,"prompt_cache_hit_tokens":600}`, false, 600},
		"none":          {"none", true, 0},
		"negative":      {`{"prompt_tokens":-1,"completion_tokens":-8}`, true, 0},
		"absurd":        {`{"prompt_tokens":1e300,"completion_tokens":1e300}`, true, 0},
		"far too small": {`{"prompt_tokens":1,"completion_tokens":8}`, true, 0},
		"in words":      {`"many"`, true, 0},
		"more cached":   {`{"prompt_tokens":620,"completion_tokens":8,"prompt_cache_hit_tokens":9000}`, false, 620},
	}
	for name, test := range tests {
		reply := modeltest.Says("it waits for nobody at all")
		reply.Usage = test.usage
		for _, whole := range []bool{true, false} {
			reply.OnlyWhole = whole
			got, err := ask(t, modeltest.Serve(t, reply), llm.Options{}).Stream(t.Context(), user(words), nil)
			if err != nil || got.Estimated != test.estimated || got.CachedTokens != test.cached ||
				got.InputTokens < 550 || got.InputTokens > 650 || got.OutputTokens < 4 || got.OutputTokens > 10 {
				t.Errorf("%s: %+v %v", name, got, err)
			}
		}
	}
}

// How an endpoint counts is learned from what it reports.
func TestCountsAreCorrected(t *testing.T) {
	words := user(strings.Repeat("tide and time wait for nobody ", 100))
	reply := modeltest.Says("yes")
	reply.Usage = `{"prompt_tokens":1200,"completion_tokens":1}`
	c := ask(t, modeltest.Serve(t, reply), llm.Options{})
	before := c.Count(t.Context(), words)
	if _, err := c.Chat(t.Context(), words); err != nil {
		t.Fatal(err)
	}
	if after := c.Count(t.Context(), words); before > 650 || after < 1150 || after > 1250 {
		t.Errorf("%d tokens before, %d after the endpoint counted 1,200", before, after)
	}
}

func TestCountTokens(t *testing.T) {
	for text, want := range map[string]int{"": 0, "hello": 1, "The quick brown fox jumps over the lazy dog.": 10} {
		if got := llm.CountTokens(text); got != want {
			t.Errorf("%q has %d tokens, want %d", text, got, want)
		}
	}
	for name, text := range map[string]string{"letters": strings.Repeat("a", 1<<20), "Han": strings.Repeat("漢字", 1<<17),
		"broken": strings.Repeat("\xff\xc3", 5000), "spaces": strings.Repeat(" \n", 100_000)} {
		if got := llm.CountTokens(text); got < 100 || got > len(text) {
			t.Errorf("%s: %d tokens", name, got)
		}
	}
}

func TestPrice(t *testing.T) {
	p := llm.Price{Input: 2, Output: 8, Cached: 0.5}
	reply := llm.Reply{InputTokens: 1_000_000, CachedTokens: 400_000, OutputTokens: 100_000}
	if got := p.Of(reply); got < 2.1999 || got > 2.2001 {
		t.Errorf("%v dollars, want 2.20", got)
	}
	if (llm.Price{}).Known() || !p.Known() {
		t.Error("a price is known where one is set")
	}
}
