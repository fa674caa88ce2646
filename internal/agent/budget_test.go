package agent_test

import (
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/llm"
)

// Where the budget has no room for an answer of the full length, a shorter one is asked
// for; where it has none for any, the run says so before it has spent anything.
func TestASmallBudgetAsksForShorterAnswers(t *testing.T) {
	done := []reply{calls(searchFor("herons")), calls(readHerons), calls(heronFinal)}
	cut := func(agent.Request) (agent.Reply, error) {
		return agent.Reply{InputTokens: 3000, OutputTokens: 1500},
			&citewell.Error{Code: citewell.CodeModelFailed, Message: "cut", Err: llm.ErrLength}
	}
	for name, test := range map[string]struct {
		replies []reply
		budget  agent.Budget
		outcome runstore.RunOutcome
		asked   int
		reason  string
	}{
		"tokens": {done, agent.Budget{Tokens: 12_000}, runstore.RunAnswered, 3, ""},
		"usd":    {done, agent.Budget{USD: 0.012}, runstore.RunAnswered, 3, ""},
		"no room": {done, agent.Budget{Tokens: 2000}, runstore.RunOverBudget, 0,
			"the budget of 2000 tokens has no room for one call of the model, which may take "},
		"no room for usd": {done, agent.Budget{USD: 0.001}, runstore.RunOverBudget, 0,
			"the budget of 0.001 dollars has no room for one call of the model, which may take "},
		"a longer answer": {append(done[:2:2], cut, cut), agent.Budget{Tokens: 14_000}, runstore.RunOverBudget, 4,
			"the budget is"},
	} {
		t.Run(name, func(t *testing.T) {
			m := &script{replies: test.replies}
			o := newShelf().options(agent.ShapeToolCalling, m)
			o.Budget, o.Price = test.budget, llm.Price{Input: 1, Output: 1}
			r := run(t, o, heronTask)
			if spent := r.Usage.InputTokens + r.Usage.OutputTokens; r.Outcome != test.outcome ||
				len(m.asked) != test.asked || !strings.HasPrefix(r.Reason, test.reason) || spent > test.budget.Tokens &&
				test.budget.Tokens > 0 {
				t.Errorf("%s after %d requests and %d tokens: %s", r.Outcome, len(m.asked), spent, r.Reason)
			}
			for _, q := range m.asked {
				if q.MaxTokens >= 8000 || q.MaxTokens < 1024 {
					t.Errorf("an answer may have %d tokens", q.MaxTokens)
				}
			}
			if again := run(t, o, heronTask); again.Outcome != r.Outcome || again.Reason != r.Reason ||
				len(m.asked) != test.asked {
				t.Errorf("played again: %s after %d requests: %s", again.Outcome, len(m.asked), again.Reason)
			}
		})
	}
}
