package agent

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/internal/judge"
	"github.com/citewell/citewell/text"
)

// A Judge says what sources say of statements; judge.Judge is one.
type Judge interface {
	Name() string
	Ask(ctx context.Context, q judge.Question, about []*cite.Inquiry, through judge.Through) ([]cite.Opinion, error)
}

const maxUnjudged = 200 // bytes that say why statements were not judged

// A standing is how far the judge of a run is believed by its last answer. It comes from answers as
// the journal has them, so that a run that is played again tells the same.
type standing struct {
	report citewell.JudgeReport // without a name where it was not asked
	at     time.Time
	key    string
}

// take notes an answer, unless it is older than the one that is known.
func (s *standing) take(key string, a judge.Answer) {
	if a.At.IsZero() || cmp.Or(a.At.Compare(s.at), cmp.Compare(key, s.key)) <= 0 {
		return
	}
	s.report, s.at, s.key = a.Score, a.At, key
	s.report.Believed = s.report.Believed && a.Void == ""
}

// asked notes that the judge was asked, and why opinions are missing.
func (s *standing) asked(name string, unjudged error) {
	s.report.Name, s.report.Detail = name, ""
	s.report.Believed = s.report.Believed || s.at.IsZero()
	switch {
	case errors.Is(unjudged, errWall):
		s.report.Detail = errWall.Error()
	case unjudged != nil && !errors.Is(unjudged, judge.ErrNotBelieved):
		s.report.Detail = text.Shorten(text.OneLine(citewell.View(unjudged).Message), maxUnjudged)
	}
}

// told is what a report says of the judge; nil where it was not asked.
func (s *standing) told() *citewell.JudgeReport {
	if s.report.Name == "" {
		return nil
	}
	return new(s.report)
}

// judge puts to the judge what words leave undecided of the statements. Its calls stand in the
// journal and count in the budget; those that the budget has no room for are not made. A statement
// without an opinion stays undecided.
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
	opinions, unjudged := r.o.Judge.Ask(ctx, judge.Question{Question: r.task}, about, func(ctx context.Context, c judge.Call) (judge.Answer, error) {
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
