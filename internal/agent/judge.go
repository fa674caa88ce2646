package agent

import (
	"context"
	"slices"
	"sync"

	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/internal/judge"
)

// judge puts to the judge what words leave undecided of the statements. Its calls stand in the journal and count in the
// budget; those that the budget has no room for are not made. A statement without an opinion stays undecided.
func (r *run) judge(ctx context.Context, list []checked) error {
	about := make([]*cite.Inquiry, len(list))
	for i, c := range list {
		about[i] = c.Inquiry
	}
	if r.o.Judge == nil || !slices.ContainsFunc(about, func(q *cite.Inquiry) bool { return q != nil }) {
		return nil
	}
	var one sync.Mutex // a run's journal takes one model call at a time
	var broken error
	opinions, unjudged := r.o.Judge.Ask(ctx, judge.Question{Question: r.task}, about,
		func(ctx context.Context, c judge.Call) (judge.Answer, error) {
			one.Lock()
			defer one.Unlock()
			if broken != nil || !r.affords(1, c.Tokens, 0) {
				return judge.Answer{}, &overBudget{c.Tokens}
			}
			call := Call{Key: r.key + "/judge/" + c.Key, Kind: CallModel, Name: r.o.Judge.Name()}
			answer, err := outside(ctx, r, call, func(ctx context.Context) (judge.Answer, error) {
				ctx, cancel := r.within(ctx)
				defer cancel()
				return c.Do(ctx)
			})
			if isBroken(err) {
				broken = err
			}
			if err != nil {
				return answer, err
			}
			r.pay(Reply{InputTokens: answer.Input, CachedTokens: answer.Cached, OutputTokens: answer.Output})
			r.judged.take(c.Key, answer)
			return answer, err
		})
	if broken != nil || ctx.Err() != nil {
		return orDone(ctx, broken)
	}
	r.judged.asked(r.o.Judge.Name(), unjudged)
	for i, o := range opinions {
		if o.Verdict == "" {
			continue
		}
		list[i].Held = list[i].Held.Judged(o)
		if key := list[i].key; key != "" {
			kept := list[i]
			kept.Citations = slices.Clone(kept.Citations)
			r.checks[key] = kept
		}
	}
	return nil
}
