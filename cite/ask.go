package cite

import (
	"context"
	"slices"
)

// An Ask puts inquiries to a judge and returns its opinions in their order, with an empty Verdict
// where there is none. The error says why opinions are missing. A nil Ask asks nobody.
type Ask func(ctx context.Context, question, topic string, about []*Inquiry) ([]Opinion, error)

// Judge puts to a judge what words leave undecided of several claims, in one go, and returns them
// as they are then. question is what the claims answer, and may be empty. An error says why claims
// were not judged; they stay as words have them.
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
