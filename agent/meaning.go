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
	citations       []citewell.Citation
	problem, detail string
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
	near := map[int][]citewell.Passage{}
	var claims, evidence []string
	for i, c := range list {
		if c.problem != problemUnsupported || len(doubts) == maxDoubts {
			continue
		}
		for _, n := range c.marks {
			if s := r.sources.number(n); s != nil && s.settled && len(s.passages) > 0 {
				near[i] = append(near[i], nearest(c.claim, lang, s, doubtPassages)...)
			}
		}
		doubts, claims = append(doubts, i), append(claims, c.claim)
		for _, p := range near[i] {
			evidence = append(evidence, p.Text)
		}
	}
	if len(doubts) == 0 {
		return nil
	}
	call := Call{Key: r.key + "/meaning", Kind: CallModel, Name: r.o.Embedder.Name()}
	verdicts, err := outside(ctx, r, call, func(ctx context.Context) ([]meant, error) {
		ctx, cancel := r.within(ctx)
		defer cancel()
		meanings, err := cite.NewMeanings(ctx, r.o.Embedder, claims, evidence)
		if err != nil {
			return nil, err
		}
		verdicts := make([]meant, len(doubts))
		for k, i := range doubts {
			best := 0.0
			for _, p := range near[i] {
				j := meanings.Check(list[i].claim, p.Text, lang)
				if j.Score > best && (j.Verdict == citewell.VerdictSupported || j.Verdict == citewell.VerdictWeak) {
					best, verdicts[k] = j.Score, meant{p.ID, j.Verdict, j.Reason, j.By}
				}
			}
		}
		return verdicts, nil
	})
	if isBroken(err) || ctx.Err() != nil {
		return orDone(ctx, err)
	}
	for k, v := range verdicts[:min(len(verdicts), len(doubts))] {
		c := &list[doubts[k]]
		at := slices.IndexFunc(near[doubts[k]], func(p citewell.Passage) bool { return p.ID == v.Passage })
		if at < 0 {
			continue
		}
		p := near[doubts[k]][at]
		if r.sources.number(p.Source).Extractor == snippetExtractor {
			v.Verdict = citewell.VerdictSnippetOnly
		}
		c.citations = []citewell.Citation{{N: p.Source, Passage: p.ID, Quote: p.Text, Start: p.Start, End: p.End, Verdict: v.Verdict, Reason: v.Reason, Judge: v.By}}
		c.problem, c.detail = "", ""
	}
	return nil
}
