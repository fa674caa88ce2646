package cite

import (
	"context"
	"slices"
)

// An Ask puts inquiries to a judge and returns one opinion for each, in the same order. An opinion without
// a Verdict is missing; the error says why. If an Ask is nil, there is no judge.
type Ask func(ctx context.Context, question, topic string, about []*Inquiry) ([]Opinion, error)

// Judge asks a judge about all claims that words leave undecided, in one call of ask, and returns every
// claim with its final verdict. The claims answer question, which may be empty. If claims could not be judged,
// they keep their verdict by words, and the error says why.
func Judge(ctx context.Context, ask Ask, question string, held []Held) ([]Held, error) {
	about := make([]*Inquiry, len(held))
	for i, h := range held {
		about[i] = h.Inquiry
	}
	if ask == nil || !slices.ContainsFunc(about, func(q *Inquiry) bool { return q != nil }) {
		return held, nil
	}
	opinions, err := ask(ctx, question, "", about)
	judged := slices.Clone(held)
	for i, o := range opinions {
		if o.Verdict != "" {
			judged[i] = held[i].Judged(o)
		}
	}
	return judged, err
}
