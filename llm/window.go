package llm

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/citewell/citewell/internal/lazyregexp"
)

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

// measuredFrom is the least question, in tokens, for which an endpoint is asked about its window: shorter ones fit all.
const measuredFrom = 2048

// Time and bytes that looking for a window may take.
const (
	windowTime  = 3 * time.Second
	windowBytes = 4 << 20
)

// Window is the configured one, or what the endpoint says, asked once and remembered; else by the model's name; else
// AssumedWindow.
func (c *Client) Window(ctx context.Context) Window {
	if c.o.ContextWindow > 0 {
		return Window{c.o.ContextWindow, FromConfig}
	}
	if w := c.known.traitsNow(ctx).Window; w.Tokens > 0 {
		return w
	}
	done, ok := alone(ctx, c.known.find)
	if !ok {
		return Window{AssumedWindow, FromNothing}
	}
	defer done()
	if w := c.known.traitsNow(ctx).Window; w.Tokens > 0 {
		return w
	}
	w := c.findWindow(ctx)
	if ctx.Err() == nil {
		c.known.learn(ctx, func(t *traits) { t.Window = w })
	}
	return w
}

// findWindow asks where servers say it. A caller's endpoint is not asked for more than its answers.
func (c *Client) findWindow(ctx context.Context) Window {
	if !c.o.Foreign {
		ctx, cancel := context.WithTimeout(ctx, windowTime)
		defer cancel()
		if n := windowInModels(c.fetchInfo(ctx, http.MethodGet, c.base.JoinPath("models"), nil), c.o.Model); n > 0 {
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
	_ = json.Unmarshal(c.fetchInfo(ctx, http.MethodGet, root.JoinPath("props"), nil), &props) // no answer has no window
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
	_ = json.Unmarshal(c.fetchInfo(ctx, http.MethodGet, root.JoinPath("api/ps"), nil), &running) // as above
	for _, m := range running.Models {
		if (ollamaName(m.Name) == ollamaName(c.o.Model) || ollamaName(m.Model) == ollamaName(c.o.Model)) &&
			sensible(m.Context) {
			return Window{m.Context, FromRunning}
		}
	}
	question, err := json.Marshal(map[string]string{"model": c.o.Model})
	if err != nil {
		return Window{}
	}
	if n := windowInShow(c.fetchInfo(ctx, http.MethodPost, root.JoinPath("api/show"), question)); n > 0 {
		return Window{n, FromShow}
	}
	return Window{}
}

// fetchInfo gets what a server says of itself; nil where it says nothing.
func (c *Client) fetchInfo(ctx context.Context, method string, u *url.URL, body []byte) []byte {
	resp, err := c.request(ctx, method, u.String(), body)
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
var windowFields = []string{"max_model_len", "loaded_context_length", "context_length", "max_context_length",
	"context_window", "max_input_tokens", "n_ctx"}

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

// ollamaWindow is what Ollama gives a model where nobody says more, in tokens: it cuts off longer questions silently.
const ollamaWindow = 4096

var numCtx = lazyregexp.New(`(?m)^\s*num_ctx\s+(\d+)`)

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
