package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/citewell/citewell"
)

// AssumedWindow is taken where neither the settings, the endpoint nor the model's name
// say more.
const AssumedWindow = 8192

// Who said how long a window is, in Window.From.
const (
	FromConfig  = "llm.context_window"
	FromModels  = "/v1/models"
	FromProps   = "/props"       // llama.cpp's server
	FromShow    = "/api/show"    // Ollama
	FromRunning = "/api/ps"      // Ollama, of a model that is loaded
	FromError   = "its refusal"  // of a question that was too long
	FromName    = "its name"     // the table of known models
	FromNothing = "nothing told" // AssumedWindow
)

// A Window is how many tokens a model reads and writes in one call, and who said so.
type Window struct {
	Tokens int
	From   string
}

// measuredFrom is the least question, in tokens, for which it is worth asking the
// endpoint about its window: no endpoint in use has one so small that a shorter
// question and its answer do not fit.
const measuredFrom = 2048

// Time and bytes that looking for a window may take.
const (
	windowTime  = 5 * time.Second
	windowBytes = 4 << 20
)

// Window is the model's: the configured one, or what the endpoint says, found out once
// and remembered; else by the model's name; else AssumedWindow.
func (c *Client) Window(ctx context.Context) Window {
	if c.o.ContextWindow > 0 {
		return Window{c.o.ContextWindow, FromConfig}
	}
	if w := c.known.get(ctx).Window; w.Tokens > 0 {
		return w
	}
	c.known.find.Lock()
	defer c.known.find.Unlock()
	if w := c.known.get(ctx).Window; w.Tokens > 0 {
		return w
	}
	w := c.findWindow(ctx)
	if ctx.Err() == nil {
		c.known.learn(ctx, func(t *traits) { t.Window = w })
	}
	return w
}

// findWindow asks where servers say it. A caller's endpoint is not asked for more than
// its answers.
func (c *Client) findWindow(ctx context.Context) Window {
	if !c.o.Foreign {
		ctx, cancel := context.WithTimeout(ctx, windowTime)
		defer cancel()
		if n := windowInModels(c.look(ctx, http.MethodGet, c.base.JoinPath("models"), nil), c.o.Model); n > 0 {
			return Window{n, FromModels}
		}
		if !c.ownAPI {
			if w := c.localWindow(ctx); w.Tokens > 0 {
				return w
			}
		}
	}
	if n := windowByName(c.o.Model); n > 0 {
		return Window{n, FromName}
	}
	return Window{AssumedWindow, FromNothing}
}

// localWindow asks llama.cpp's server and Ollama in their own ways.
func (c *Client) localWindow(ctx context.Context) Window {
	root := *c.base
	root.Path = strings.TrimSuffix(strings.TrimSuffix(root.Path, "/"), "/v1")
	var props struct {
		Settings struct {
			Context int `json:"n_ctx"`
		} `json:"default_generation_settings"`
		Context int `json:"n_ctx"`
	}
	_ = json.Unmarshal(c.look(ctx, http.MethodGet, root.JoinPath("props"), nil), &props) // no answer has no window
	if n := max(props.Settings.Context, props.Context); sensible(n) {
		return Window{n, FromProps}
	}
	var running struct {
		Models []struct {
			Name    string `json:"name"`
			Model   string `json:"model"`
			Context int    `json:"context_length"`
		} `json:"models"`
	}
	_ = json.Unmarshal(c.look(ctx, http.MethodGet, root.JoinPath("api/ps"), nil), &running) // as above
	for _, m := range running.Models {
		if (ollamaName(m.Name) == ollamaName(c.o.Model) || ollamaName(m.Model) == ollamaName(c.o.Model)) && sensible(m.Context) {
			return Window{m.Context, FromRunning}
		}
	}
	question, err := json.Marshal(map[string]string{"model": c.o.Model})
	if err != nil {
		return Window{}
	}
	if n := windowInShow(c.look(ctx, http.MethodPost, root.JoinPath("api/show"), question)); n > 0 {
		return Window{n, FromShow}
	}
	return Window{}
}

// look gets what a server says of itself; nil where it says nothing.
func (c *Client) look(ctx context.Context, method string, u *url.URL, body []byte) []byte {
	resp, err := c.ask(ctx, method, u.String(), body)
	if err != nil {
		return nil
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, windowBytes))
	if err != nil {
		return nil
	}
	return data
}

func ollamaName(name string) string { return strings.TrimSuffix(strings.ToLower(name), ":latest") }

// windowFields are the names under which servers list a model's window: vLLM and SGLang,
// OpenRouter and LM Studio, Groq, Mistral, LiteLLM.
var windowFields = []string{"max_model_len", "loaded_context_length", "context_length", "max_context_length", "context_window", "max_input_tokens", "n_ctx"}

// windowInModels finds the window of a model in the list of models.
func windowInModels(list []byte, model string) int {
	var models struct {
		Data []map[string]any `json:"data"`
	}
	if json.Unmarshal(list, &models) != nil {
		return 0
	}
	for _, m := range models.Data {
		if id, _ := m["id"].(string); id != model && len(models.Data) > 1 {
			continue
		}
		for _, within := range []any{m, m["meta"], m["top_provider"], m["limits"]} {
			fields, _ := within.(map[string]any)
			for _, field := range windowFields {
				if n, ok := fields[field].(float64); ok && sensible(int(min(n, 1<<40))) {
					return int(n)
				}
			}
		}
	}
	return 0
}

// ollamaWindow is what Ollama gives a model where nobody says more, in tokens: it cuts
// off longer questions silently.
const ollamaWindow = 4096

var numCtx = regexp.MustCompile(`(?m)^\s*num_ctx\s+(\d+)`)

// windowInShow reads Ollama's answer on a model: what its parameters set, else the
// model's own length, but not more than Ollama gives it.
func windowInShow(answer []byte) int {
	var show struct {
		Parameters string         `json:"parameters"`
		Info       map[string]any `json:"model_info"`
	}
	if json.Unmarshal(answer, &show) != nil {
		return 0
	}
	if m := numCtx.FindStringSubmatch(show.Parameters); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil && sensible(n) {
			return n
		}
	}
	for key, value := range show.Info {
		if n, ok := value.(float64); ok && strings.HasSuffix(key, ".context_length") && sensible(int(min(n, 1<<40))) {
			return min(int(n), ollamaWindow)
		}
	}
	return 0
}

// sensible says whether a number of tokens may be a window.
func sensible(n int) bool { return n >= 256 && n <= 100_000_000 }

var toldWindow = regexp.MustCompile(`(?i)(?:maximum (?:context|input|model) length (?:is|of)|maximum context (?:size|length)|max_model_len|context (?:size|window|length)(?: of| is| \()?|"n_ctx":)\s*\(?(\d{3,9})\b`)

// learnWindow takes a window from a refusal that names it.
func (c *Client) learnWindow(ctx context.Context, err error) {
	if !errors.Is(err, ErrContext) {
		return
	}
	refusal, ok := errors.AsType[statusError](err)
	if !ok {
		return
	}
	if m := toldWindow.FindStringSubmatch(refusal.said); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil && sensible(n) {
			c.known.learn(ctx, func(t *traits) { t.Window = Window{n, FromError} })
		}
	}
}

// A Fit is how a request stands against the window.
type Fit struct {
	Tokens int // of the question, as the model counts
	Answer int // tokens that are kept for the answer
	Window Window
}

// Over is how many tokens are too many; not positive where the request fits.
func (f Fit) Over() int { return f.Tokens + f.Answer - f.Window.Tokens }

// leastAnswer is the room that an answer gets where the limit does not say, or cannot be
// had in full.
const leastAnswer = 512

// Fits measures a request with its tools, and the answer that is asked for, against the
// model's window.
func (c *Client) Fits(ctx context.Context, r Request) Fit {
	f := Fit{Tokens: c.Count(ctx, r), Answer: c.limit(r), Window: c.Window(ctx)}
	if f.Answer == 0 {
		f.Answer = leastAnswer
	}
	return f
}

// measured holds a request against the window before it is sent, and counts it. An
// answer's limit that does not fit beside the question is lowered, since endpoints
// refuse both together; a question that leaves no room for an answer is ErrContext.
// A window that is only assumed refuses nothing.
func (c *Client) measured(ctx context.Context, r Request) (Request, int, error) {
	counted := tokensOf(r)
	if c.o.ContextWindow == 0 {
		return r, counted, nil
	}
	limit := c.limit(r)
	if c.o.ContextWindow == AutoWindow && counted < measuredFrom && c.known.get(ctx).Window.Tokens == 0 {
		return r, counted, nil
	}
	w := c.Window(ctx)
	room := w.Tokens - corrected(counted, c.known.get(ctx).Ratio)
	switch {
	case w.From == FromNothing:
	case room < min(leastAnswer, max(limit, 1), w.Tokens/4):
		return r, counted, &citewell.Error{Code: citewell.CodeModelFailed, Op: "llm",
			Message: fmt.Sprintf("the question has %d tokens and the model reads %d (from %s)", w.Tokens-room, w.Tokens, w.From),
			Hint:    "ask about less, or set llm.context_window if that is not the model's", Err: ErrContext}
	case limit > room:
		r.MaxTokens = room
	}
	return r, counted, nil
}
