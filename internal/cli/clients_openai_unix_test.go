//go:build unix

package cli

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/citewell/citewell/internal/testing/modeltest"
	"github.com/citewell/citewell/internal/testing/openaitest"
)

// TestOpenAIClients has OpenAI's own clients do what people do with them, against a
// server that is a process of its own: list models, ask for research whole and in
// pieces, show an image, answer a question, and meet every kind of error. They put
// streams together by their own means.
func TestOpenAIClients(t *testing.T) {
	t.Parallel()
	tools := openaitest.Find(t)
	l := newLab(t, researcher{})
	l.model.Follow(func(n int, a modeltest.Asked) modeltest.Reply {
		words, err := json.Marshal(a.Body["messages"])
		switch all := string(words); {
		case err != nil:
			return modeltest.Fails(http.StatusBadRequest, err.Error())
		case strings.Contains(all, "(refuse)"):
			return modeltest.Fails(http.StatusUnauthorized, "no such key")
		case strings.Contains(all, "(ask)"):
			return researcher{mode: "asks"}.reply(n, a)
		case strings.Contains(all, "(lost)"):
			return researcher{mode: "lost"}.reply(n, a)
		}
		return researcher{}.reply(n, a)
	})
	token, _, code := here(t, l.home, "token", "create", "desk", "--scope", "api")
	if code != 0 {
		t.Fatalf("token create ends with %d", code)
	}
	other, _, code := here(t, l.home, "token", "create", "tools", "--scope", "mcp")
	if code != 0 {
		t.Fatalf("token create ends with %d", code)
	}
	address := serveAll(t, l.home)
	const agent = "sgr_tool_calling_agent"
	asks := func(model string, content any) map[string]any {
		return map[string]any{"model": model, "messages": []any{
			map[string]any{"role": "system", "content": "Be brief."},
			map[string]any{"role": "user", "content": content}}}
	}
	dot := "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAAB" +
		"JRU5ErkJggg=="
	shown := []any{map[string]any{"type": "text", "text": larchTask + " It is shown here."},
		map[string]any{"type": "image_url", "image_url": map[string]any{"url": dot}}}
	for _, client := range openaitest.Clients {
		t.Run(client, func(t *testing.T) {
			t.Parallel()
			plan := openaitest.Plan{Client: client, URL: address + "/v1", Token: strings.TrimSpace(token)}
			plan.Steps = []openaitest.Step{
				{Do: "models"},
				{Do: "model", Body: map[string]any{"model": "iron_agent"}},
				{Do: "chat", Body: asks(agent, larchTask)},
				{Do: "stream", Body: asks(agent, larchTask)},
				{Do: "stream", Body: asks(agent, shown)},
				{Do: "chat", Body: asks(agent, larchTask+" (ask)")},
				{Do: "stream", Body: asks(agent, larchTask+" (ask)")},
				{Do: "chat", Body: asks(agent, larchTask+" (lost)")},
				{Do: "chat", Body: asks("gpt-7", larchTask)},
				{Do: "model", Body: map[string]any{"model": "gpt-7"}},
				{Do: "chat", Body: map[string]any{"model": agent, "messages": []any{}}},
				{Do: "chat", Body: asks(agent, larchTask+" (refuse)")},
				{Do: "stream", Body: asks(agent, larchTask+" (refuse)")},
			}
			did := tools.Run(t, plan)
			if names := did[0].Names; len(names) != 6 || names[0] != agent ||
				!slices.Equal(did[1].Names, []string{"iron_agent"}) {
				t.Errorf("models: %+v, %+v", did[0], did[1])
			}
			for i, streamed := range map[int]bool{2: false, 3: true, 4: true} {
				d := did[i]
				if d.Failed != "" || d.Finish != "stop" || d.Model != d.Run || !strings.HasPrefix(d.Run, agent+"_") ||
					d.Outcome != "answered" || d.Tokens == 0 {
					t.Errorf("step %d: %+v", i, d)
				}
				if !strings.Contains(d.Content, "Larch 2.0 was released on 9 March 2022 [2].") ||
					!strings.Contains(d.Content, "## Sources\n\n[2] ") ||
					len(d.Citations) != 1 || !strings.HasSuffix(d.Citations[0], "/releases") {
					t.Errorf("step %d: %+v", i, d)
				}
				if !streamed {
					if len(d.Cited) != 2 || d.Cited[0] != d.Citations[0] || len(d.Calls) != 0 {
						t.Errorf("step %d: %+v", i, d)
					}
					continue
				}
				// Five steps, each a reasoning and an action, kept apart by the client.
				var ids []string
				for _, c := range d.Calls {
					ids = append(ids, c.ID)
					if !json.Valid([]byte(c.Arguments)) {
						t.Errorf("step %d: the call %+v", i, c)
					}
				}
				if len(ids) != 10 || ids[0] != "1-reasoning" || ids[1] != "1-action" || ids[9] != "5-action" {
					t.Errorf("step %d: the calls %v", i, ids)
				}
			}
			if did[2].Content != did[3].Content {
				t.Errorf("whole: %s\nin pieces: %s", did[2].Content, did[3].Content)
			}
			for i := 5; i <= 6; i++ {
				if d := did[i]; d.Failed != "" || !strings.Contains(d.Content, "or the file format?") ||
					d.Finish != "stop" || d.Model != d.Run {
					t.Fatalf("the question: %+v", d)
				}
			}
			if d := did[7]; d.Failed != "" || d.Outcome != "no_sources" ||
				!strings.Contains(d.Content, "The sources do not say it.") {
				t.Errorf("no answer: %+v", d)
			}
			for i, want := range map[int]openaitest.Done{8: {Status: 404, Code: "model_not_found", Failed: agent},
				9:  {Status: 404, Code: "model_not_found", Failed: "dialog_agent"},
				10: {Status: 400, Code: "invalid_argument", Failed: "messages is empty"},
				11: {Status: 502, Code: "model_failed", Failed: "refused the key"}, 12: {Failed: "refused the key"}} {
				if d := did[i]; !strings.Contains(d.Failed, want.Failed) || d.Status != want.Status &&
					want.Status != 0 || d.Code != want.Code && want.Code != "" {
					t.Errorf("step %d: %+v, want %+v", i, d, want)
				}
			}

			// The questions are answered, one whole and one in pieces.
			answer := "The file format."
			plan.Steps = []openaitest.Step{{Do: "stream", Body: asks(did[5].Run, answer)},
				{Do: "chat", Body: asks(did[6].Run, answer)}, {Do: "chat", Body: asks(did[6].Run, answer)}}
			again := tools.Run(t, plan)
			for i, d := range again[:2] {
				if d.Failed != "" || d.Run != did[5+i].Run || !strings.Contains(d.Content, "9 March 2022 [2]") ||
					d.Outcome != "answered" {
					t.Errorf("answered: %+v", d)
				}
			}
			if d := again[2]; d.Status != 409 || d.Code != "run_finished" {
				t.Errorf("answered once more: %+v", d)
			}

			for _, wrong := range []string{"", "nobody", strings.TrimSpace(other)} {
				if wrong == "" {
					wrong = "none"
				}
				plan.Token, plan.Steps = wrong, []openaitest.Step{{Do: "models"},
					{Do: "stream", Body: asks(agent, larchTask)}}
				for _, d := range tools.Run(t, plan) {
					if d.Status != 401 || d.Type != "authentication_error" {
						t.Errorf("with the token %.8s: %+v", wrong, d)
					}
				}
			}
		})
	}
	t.Cleanup(func() {
		for _, a := range l.model.Asked() {
			if words, err := json.Marshal(a.Body["messages"]); err == nil &&
				strings.Contains(string(words), "It is shown here.") &&
				!strings.Contains(string(words), "data:image/jpeg;base64,") {
				t.Errorf("the model was not shown the image: %s", words)
			}
		}
	})
}
