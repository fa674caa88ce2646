package agent

import (
	"cmp"

	"github.com/citewell/citewell/llm"
)

// A spending is what a run has spent of its budget, and what that leaves for the calls of the model that are to come.
type spending struct {
	budget    Budget
	price     llm.Price
	usage     Usage
	lookedUp  int     // of its searches those that asked whether a cited work still stands
	lastInput int     // tokens of the last request, as the endpoint counts
	counts    float64 // its tokens for each that was estimated; 0 before the first answer
}

// enoughAnswer is what an answer is given at least where the budget has little room, in tokens.
const enoughAnswer = 1024

// learned is from how many tokens on a request says how the endpoint counts: a template of
// its own may be longer than a small one.
const learned = 1000

// affords says whether the budget has room for so many calls of these tokens.
func (s *spending) affords(calls, input, output int) bool {
	if s.budget.Tokens > 0 && s.tokens()+calls*(input+output) > s.budget.Tokens {
		return false
	}
	return s.budget.USD <= 0 || s.usage.USD+float64(calls)*s.cost(input, 0, output) <= s.budget.USD
}

func (s *spending) tokens() int { return s.usage.InputTokens + s.usage.OutputTokens }

// affordable is how many tokens an answer may have for which the budget has room, of those
// that it is to have, where so many calls are left: enoughAnswer at least, or 0.
func (s *spending) affordable(calls, input, output int) int {
	if s.affords(calls, input, output) {
		return output
	}
	most := output
	if s.budget.Tokens > 0 {
		most = min(most, (s.budget.Tokens-s.tokens())/calls-input)
	}
	if each := s.cost(0, 0, 1); s.budget.USD > 0 && each > 0 {
		most = min(most, int(((s.budget.USD-s.usage.USD)/float64(calls)-s.cost(input, 0, 0))/each))
	}
	if most < min(output, enoughAnswer) || !s.affords(calls, input, most) {
		return 0
	}
	return most
}

func (s *spending) cost(input, cached, output int) float64 {
	return s.price.Of(llm.Reply{InputTokens: input, CachedTokens: cached, OutputTokens: output})
}

// room is how many tokens the tries of one call may take together, where each takes so
// many and so many calls are left, this one among them; 0 is no limit.
func (s *spending) room(calls, call int) int {
	if s.budget.Tokens <= 0 {
		return 0
	}
	return max(s.budget.Tokens-s.tokens()-(calls-1)*call, 1)
}

// spend counts a reply.
func (s *spending) spend(reply Reply, estimated int) {
	bill := reply.bill(estimated)
	bill.InputTokens = cmp.Or(bill.InputTokens, estimated)
	s.lastInput = bill.InputTokens
	s.pay(bill)
}

func (s *spending) pay(bill Reply) {
	s.usage.InputTokens += bill.InputTokens
	s.usage.OutputTokens += bill.OutputTokens
	s.usage.USD += s.cost(bill.InputTokens, bill.CachedTokens, bill.OutputTokens)
}

// size is what a request will count, by what the endpoint counted of the last one.
func (s *spending) size(q Request) int { return int(float64(q.size()) * max(s.counts, 1)) }

// learn holds the estimate of a request against what the endpoint counted. Fewer tokens than estimated are no news: the
// next may be of another script. No tokenizer makes more than one of a byte, three times the estimate.
func (s *spending) learn(reply Reply, q Request) {
	if n := q.size(); reply.InputTokens > 0 && reply.Tries < 2 && n >= learned {
		s.counts = min(max(float64(reply.InputTokens)/float64(n), 1), 3)
	}
}
