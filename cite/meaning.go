package cite

import (
	"context"
	"fmt"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/text"
)

// An Embedder gives texts as vectors of unit length, in their order.
type Embedder interface {
	Name() string
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// What likeness in meaning counts. Cosines between sentences that have nothing to do
// with each other lie below the first bound, those of paraphrases from the second on.
// Bounds and share were chosen on the even lines of SciFact's labelled claims with
// all-MiniLM-L6-v2; the odd lines are the measure. Other models spread their cosines
// otherwise, which is why meaning never decides alone.
const (
	farFrom   = 0.5
	nearFrom  = 0.8
	meaningOf = 0.7 // of the claim's share; words are the rest
)

// Meanings are vectors of the claims and the evidence of one brief, got beforehand in
// one go. The zero value has none, and checks by words.
type Meanings struct {
	by      string
	vectors map[string][]float32
}

// maxMeanings bounds the texts of one Meanings; what comes later is judged by words.
const maxMeanings = 512

// NewMeanings embeds claims, each evidence, and its sentences, each text once.
func NewMeanings(ctx context.Context, e Embedder, claims, evidence []string) (Meanings, error) {
	m := Meanings{by: "embedding " + e.Name(), vectors: map[string][]float32{}}
	var texts []string
	add := func(s string) {
		if _, known := m.vectors[s]; !known && s != "" && len(texts) < maxMeanings {
			m.vectors[s] = nil
			texts = append(texts, s)
		}
	}
	for _, claim := range claims {
		add(meant(claim))
	}
	for _, all := range evidence {
		add(meant(all))
		for _, span := range text.Sentences(all) {
			add(meant(all[span.Start:span.End]))
		}
	}
	if len(texts) == 0 {
		return Meanings{}, nil
	}
	vectors, err := e.Embed(ctx, texts)
	if err != nil {
		return Meanings{}, fmt.Errorf("cite.meanings: %w", err)
	}
	if len(vectors) != len(texts) {
		return Meanings{}, &citewell.Error{Code: citewell.CodeBadResponse, Op: "cite.meanings",
			Message: fmt.Sprintf("%d vectors for %d texts", len(vectors), len(texts))}
	}
	for i, s := range texts {
		m.vectors[s] = vectors[i]
	}
	return m, nil
}

// maxMeant bounds a text that is embedded, in bytes: models of this kind read a few
// hundred words.
const maxMeant = 4000

// meant is the form in which a text is embedded.
func meant(s string) string {
	start, end, ok := trimSpan(s, 0, len(s))
	if !ok {
		return ""
	}
	return text.Normalize(text.Prefix(s[start:end], maxMeant))
}

// Check is the function Check with meaning as further evidence, where words leave
// open which side the evidence takes: a claim that shares few words with its evidence
// but says nearly the same is better supported, one that shares words with evidence of
// something else is less. Meaning knows nothing of figures, names, denial or
// direction, so wherever words found something of that kind they decide alone.
func (m Meanings) Check(claim, evidence, lang string) Judgement {
	j := Check(claim, evidence, lang)
	near, ok := m.nearness(claim, evidence)
	if !ok || j.Score == 1 || j.words.agree >= undecided || j.words.oppose >= doubtFrom {
		return j
	}
	words := j.words
	words.coverage, words.told = (1-meaningOf)*words.coverage+meaningOf*near, 1 // a few words may mean the same
	j.Score = words.score(len(j.Missing) > 0)
	verdict, _ := words.verdict(j.Score)
	switch {
	case !j.open, verdict == j.Verdict:
		return j
	case grade(verdict) > grade(j.Verdict) && (j.words.oppose > 0 || !hasNames(claim, evidence, lang)):
		return j
	case grade(verdict) > grade(j.Verdict):
		j.Reason = "the evidence has few of the claim's words, but says something very like it"
	case j.Verdict == citewell.VerdictSupported:
		// Words in common are worth a weak verdict whatever a model finds.
		verdict, j.Reason = citewell.VerdictWeak, "the evidence has the words of the claim, but says something else with them"
	default:
		return j
	}
	j.Verdict, j.By = verdict, m.by
	return j
}

// nearness is how like a claim and its evidence are in meaning, 0 to 1: the evidence as
// a whole says whether it speaks of the same, its nearest sentence whether it says it.
func (m Meanings) nearness(claim, evidence string) (float64, bool) {
	c, whole := m.vectors[meant(claim)], m.vectors[meant(evidence)]
	if len(c) == 0 || len(whole) != len(c) {
		return 0, false
	}
	nearest := -1.0
	for _, span := range text.Sentences(evidence) {
		if s := m.vectors[meant(evidence[span.Start:span.End])]; len(s) == len(c) {
			nearest = max(nearest, cosine(c, s))
		}
	}
	about := (nearest + cosine(c, whole)) / 2
	return min(1, max(0, (about-farFrom)/(nearFrom-farFrom))), true
}

func cosine(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}
