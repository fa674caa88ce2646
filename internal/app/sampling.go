package app

import (
	"context"
	"strings"

	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/internal/claim"
	"github.com/citewell/citewell/internal/judge"
	"github.com/citewell/citewell/llm"
	"github.com/citewell/citewell/tool"
)

// lentWindow is how many tokens of a caller's model a question and its answer may take: those that
// lend one have models which read more, and one question is all that its user sees.
const lentWindow = 32_000

// toolJudge asks the judge of claims in calls of tools: the configured one, else the caller's own
// model where it lends one. Nil where judge.use is never, or nobody can be asked.
func (a *App) toolJudge() claim.Ask {
	if of := a.Config.Judge; a.Judge != nil || of.Use == "never" || of.Sampling == "never" {
		return a.AskJudge()
	}
	return func(ctx context.Context, question, topic string, about []*cite.Inquiry) ([]cite.Opinion, error) {
		caller := tool.CallerOf(ctx)
		if caller.Sample == nil {
			return nil, nil
		}
		o := judge.Options{Model: lent{caller.Sample}, Lent: true, Protocol: judge.ProtocolChat,
			Window: lentWindow, MaxTokens: a.Config.Judge.MaxTokens,
			Endpoint: strings.Join([]string{"sampling", a.tenant, caller.Name, caller.Program}, "\x00"),
			Log:      a.warn}
		if a.Cache != nil {
			o.Cache = a.Cache
		}
		through := func(ctx context.Context, c judge.Call) (judge.Answer, error) {
			return c.Do(context.WithValue(ctx, callKey{}, c.Key))
		}
		return judge.New(o).Ask(ctx, judge.Question{Question: question, Topic: topic}, about, through)
	}
}

// callKey is where a context has the key of the call of a judge: the envelope around what is asked is
// another each time.
type callKey struct{}

// A lent model is a caller's; it is a judge.Model.
type lent struct {
	sample func(context.Context, tool.Prompt) (tool.Sampled, error)
}

// Name implements judge.Model. The model's own name comes with each answer.
func (lent) Name() string { return "sampling" }

// Decode implements judge.Model. It asks once: an answer that does not fit is not asked for again.
func (l lent) Decode(ctx context.Context, r llm.Request, out any) (llm.Reply, error) {
	key, _ := ctx.Value(callKey{}).(string)
	p := tool.Prompt{Key: key, MaxTokens: max(r.MaxTokens, r.GrowTo)}
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
