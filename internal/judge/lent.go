package judge

import (
	"context"
	"strings"

	"github.com/citewell/citewell/internal/tool"
	"github.com/citewell/citewell/llm"
)

// A lent model is a caller's, as it is asked in one call.
type lent struct {
	sample func(context.Context, tool.Prompt) (tool.Sampled, error)
	key    string // of the call: the envelope around what is asked is another each time
}

// Lend is the model that a caller lends, for Options.Lent.
func Lend(sample func(context.Context, tool.Prompt) (tool.Sampled, error)) Model {
	return lent{sample: sample}
}

// Name implements Model. The model's own name comes with each answer.
func (lent) Name() string { return "sampling" }

// Decode implements Model. It asks once: an answer that does not fit is not asked for again.
func (l lent) Decode(ctx context.Context, r llm.Request, out any) (llm.Reply, error) {
	p := tool.Prompt{Key: l.key, MaxTokens: max(r.MaxTokens, r.GrowTo)}
	var said []string
	for _, m := range r.Messages {
		if m.Role == llm.RoleSystem {
			p.System = m.Content
		} else {
			said = append(said, m.Content)
		}
	}
	p.Text = strings.Join(append(said, llm.InWords(r.Schema)), "\n\n")
	answer, err := l.sample(ctx, p)
	if err != nil {
		return llm.Reply{}, err
	}
	reply := llm.Reply{Text: answer.Text, Model: answer.Model, Tries: 1}
	return reply, llm.ReadJSON(answer.Text, r.Schema, out)
}
