package judge

import (
	"context"
	"sync"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/llm"
)

// A Budget bounds what calls of a judge spend together. Calls that are under way count as if they took all
// that they may. Several goroutines may use it.
type Budget struct {
	Tokens int     // at most; no limit where it is not above 0
	USD    float64 // at most; no limit where it is not above 0
	Price  llm.Price

	mu         sync.Mutex
	usedTokens int
	usedUSD    float64
}

// Through makes a call where the budget has room for it, and refuses it else.
func (b *Budget) Through(ctx context.Context, c Call) (Answer, error) {
	most := b.Price.Of(llm.Reply{InputTokens: c.Tokens})
	if !b.take(c.Tokens, most) {
		return Answer{}, &citewell.Error{Code: citewell.CodeBudgetExhausted, Op: "judge",
			Message: "the budget has no room for further calls of the judge",
			Hint:    "raise budget.tokens or budget.usd, or check less at once"}
	}
	answer, err := c.Do(ctx)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.usedTokens += answer.Input + answer.Output - c.Tokens
	paid := llm.Reply{InputTokens: answer.Input, CachedTokens: answer.Cached, OutputTokens: answer.Output}
	b.usedUSD += b.Price.Of(paid) - most
	return answer, err
}

// take reserves what a call may spend, and reports whether there is room for it.
func (b *Budget) take(tokens int, usd float64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.Tokens > 0 && b.usedTokens+tokens > b.Tokens || b.USD > 0 && b.usedUSD+usd > b.USD {
		return false
	}
	b.usedTokens, b.usedUSD = b.usedTokens+tokens, b.usedUSD+usd
	return true
}
