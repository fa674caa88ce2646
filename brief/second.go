package brief

import (
	"context"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/text"
)

const (
	// secondedFrom is the score from which a sentence in other words is a second voice.
	// Sentences that answer one question are alike anyway, so it is far above that of a
	// supported claim: nearly the same, with a third of the words.
	secondedFrom = 0.8
	maxVoices    = 3 // citations of one finding, beyond which more prove nothing
)

// A heard sentence may say what a finding says.
type heard struct {
	passage    citewell.Passage
	start, end int // in the passage's text
}

func (h heard) text() string { return h.passage.Text[h.start:h.end] }

// second adds to quoted findings the independent sources that say the same in other
// words, which comparing words does not find. Without an embedding model, or where it
// fails or is late, nothing is added.
func (w *Writer) second(ctx context.Context, findings []citewell.Finding, e *evidence) {
	if w.o.Embedder == nil || e.lacking(citewell.UseEmbedding) || len(findings) == 0 {
		return
	}
	var sentences []heard
	var evidence []string
	for _, p := range e.passages {
		if e.snippetOnly(p) {
			continue
		}
		for _, span := range text.Sentences(p.Text) {
			h := heard{p, span.Start, span.End}
			sentences = append(sentences, h)
			evidence = append(evidence, h.text())
		}
	}
	var claims []string
	for _, f := range findings {
		claims = append(claims, f.Text)
	}
	m, err := within(ctx, meaningLimit, func(ctx context.Context) (cite.Meanings, error) {
		return cite.NewMeanings(ctx, w.o.Embedder, claims, evidence)
	})
	if err != nil {
		w.o.Log("sources that say the same are found by words, without the embedding model", err)
		e.lacks(citewell.UseEmbedding, w.o.Embedder, err)
		return
	}
	for i := range findings {
		e.secondOne(&findings[i], sentences, m)
	}
}

// secondOne adds the best sentence of each voice that has not spoken yet, best passages
// first.
func (e *evidence) secondOne(f *citewell.Finding, sentences []heard, m cite.Meanings) {
	spoken := map[int]bool{}
	for _, c := range f.Citations {
		spoken[e.voices[c.N-1]] = true
	}
	lang := text.Language(f.Text)
	for _, h := range sentences {
		if spoken[e.voice(h.passage)] || len(f.Citations) >= maxVoices {
			continue
		}
		j := m.Check(f.Text, h.text(), lang)
		if j.Verdict != citewell.VerdictSupported || j.By == cite.ByWords || j.Score < secondedFrom {
			continue
		}
		spoken[e.voice(h.passage)] = true
		f.Citations = append(f.Citations, citewell.Citation{N: h.passage.Source, Passage: h.passage.ID, Quote: h.text(),
			Start: h.passage.Start + h.start, End: h.passage.Start + h.end, Verdict: j.Verdict, Reason: j.Reason, Judge: j.By})
	}
}
