package agent

import (
	"context"
	"slices"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
)

// A checked statement, as the check by words left it.
type checked struct {
	statement
	cite.Held
	bound int // the source that was found for it, where it names none; 0 where none was
}

// A meant verdict is what an embedding model made of a statement; Passage is empty
// where that is no better than what words said.
type meant struct {
	Passage string           `json:"passage"`
	Verdict citewell.Verdict `json:"verdict"`
	Reason  string           `json:"reason"`
	By      string           `json:"by"`
}

// maxDoubts bounds the statements that an embedding model is asked about, and
// doubtPassages the passages of each.
const (
	maxDoubts     = 20
	doubtPassages = 3
)

// understand asks the embedding model about statements in which words found too little
// of their sources: a source may say the same in other words. What words found wrong,
// a figure, a quotation, a denial, stays wrong. Without the model words decide.
func (r *run) understand(ctx context.Context, list []checked, lang string) error {
	if r.o.Embedder == nil {
		return nil
	}
	var doubts []int
	var claims []cite.Claim
	for i, c := range list {
		if c.Problem.Code == cite.ProblemUnsupported && len(doubts) < maxDoubts {
			doubts, claims = append(doubts, i), append(claims, r.claim(c.statement, c.marks, lang, doubtPassages))
		}
	}
	if len(doubts) == 0 {
		return nil
	}
	call := Call{Key: r.key + "/meaning", Kind: CallModel, Name: r.o.Embedder.Name()}
	verdicts, err := outside(ctx, r, call, func(ctx context.Context) ([]meant, error) {
		ctx, cancel := r.within(ctx)
		defer cancel()
		meanings, err := cite.MeaningsOf(ctx, r.o.Embedder, claims)
		if err != nil {
			return nil, err
		}
		verdicts := make([]meant, len(doubts))
		for k, claim := range claims {
			held := cite.Hold(claim, meanings)
			if held.Problem.Code != "" {
				continue
			}
			for _, c := range held.Citations {
				if c.Judge != cite.ByWords {
					verdicts[k] = meant{c.Passage, c.Verdict, c.Reason, c.Judge}
					break
				}
			}
		}
		return verdicts, nil
	})
	if isBroken(err) || ctx.Err() != nil {
		return orDone(ctx, err)
	}
	for k, v := range verdicts[:min(len(verdicts), len(doubts))] {
		for _, e := range claims[k].Evidence {
			at := slices.IndexFunc(e.Passages, func(p citewell.Passage) bool { return p.ID == v.Passage })
			if at < 0 {
				continue
			}
			p := e.Passages[at]
			if e.Snippet {
				v.Verdict = citewell.VerdictSnippetOnly
			}
			list[doubts[k]].Held = cite.Held{Citations: []citewell.Citation{{N: p.Source, Passage: p.ID, Quote: p.Text, Start: p.Start, End: p.End, Verdict: v.Verdict, Reason: v.Reason, Judge: v.By}}}
		}
	}
	return nil
}
