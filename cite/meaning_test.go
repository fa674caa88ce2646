package cite_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/internal/testing/minilm"
	"github.com/citewell/citewell/internal/testing/score"
	"github.com/citewell/citewell/llm"
)

// miniLM is a real embedding model; the test is skipped where it is not installed.
func miniLM(t *testing.T) cite.Embedder {
	t.Helper()
	base := minilm.Start(t)
	guard, err := egress.NewGuard(egress.Options{})
	if err != nil {
		t.Fatal(err)
	}
	e, err := llm.NewEmbeddings(llm.EmbeddingOptions{BaseURL: base, Model: minilm.Model, Guard: guard})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return e
}

func byMeaning(t *testing.T, e cite.Embedder, claim, evidence, lang string) cite.Judgement {
	t.Helper()
	m, err := cite.NewMeanings(t.Context(), e, []string{claim}, []string{evidence})
	if err != nil {
		t.Fatal(err)
	}
	return m.Check(claim, evidence, lang)
}

func TestMeaningRecognisesParaphrasesAndNothingElse(t *testing.T) {
	e := miniLM(t)
	tests := []struct {
		name, claim, evidence string
		words, want           citewell.Verdict
	}{
		{"paraphrase", "Children learn to swim in the village pond.", "Kids are taught swimming in the small lake of the village.", "weak", "supported"},
		{"paraphrase with a direction of its own", "Physicians tell patients to get more sleep.", "Doctors advise the people they treat to sleep longer.", "unsupported", "unsupported"},
		{"paraphrase in part", "The ferry was cancelled because of the storm.", "Due to heavy weather the boat did not run.", "unsupported", "unsupported"},
		{"something else", "The ferry was cancelled because of the storm.", "Tin melts at a low temperature and was used for plates.", "unsupported", "unsupported"},
		{"denied", "The museum is open on Mondays.", "The museum is not open on Mondays.", "contradicted", "contradicted"},
		{"other figure", "The tower is 330 m tall.", "The tower has a height of 312 m.", "unsupported", "unsupported"},
		{"figure not stated", "Doctors advise 9 hours of sleep.", "Physicians recommend that people sleep longer.", "unsupported", "unsupported"},
		{"other date", "The bridge was finished on 3 May 1907.", "The bridge was completed on 9 June 1911.", "unsupported", "unsupported"},
		{"other name", "The physicians of Oslo tell patients to get more sleep.", "The doctors of Bergen advise the people they treat to sleep longer.", "unsupported", "unsupported"},
	}
	for _, test := range tests {
		words := cite.Check(test.claim, test.evidence, "en")
		got := byMeaning(t, e, test.claim, test.evidence, "en")
		if words.Verdict != test.words || got.Verdict != test.want {
			t.Errorf("%s: by words %s, by meaning %s (%.2f, %s); want %s and %s", test.name, words.Verdict, got.Verdict, got.Score, got.Reason, test.words, test.want)
		}
		by := cite.ByWords
		if got.Verdict != words.Verdict {
			by = "embedding " + minilm.Model
		}
		if got.By != by || got.Reason == "" {
			t.Errorf("%s: judged by %q (%s), want %q", test.name, got.By, got.Reason, by)
		}
	}
}

// A denial or another direction is very like what it denies; meaning lets none of the
// everyday pairs through that words had caught, nor calls any of them unsupported.
func TestMeaningLetsNoContradictionThrough(t *testing.T) {
	e := miniLM(t)
	right, better := 0, 0
	for _, pair := range everyday {
		words := cite.Check(pair.claim, pair.evidence, pair.lang)
		got := byMeaning(t, e, pair.claim, pair.evidence, pair.lang)
		if words.Verdict == pair.want {
			right++
		}
		if got.Verdict == pair.want {
			better++
		}
		if got.Verdict != words.Verdict {
			t.Logf("%s by words, %s by meaning, labelled %s: %s | %s", words.Verdict, got.Verdict, pair.want, pair.claim, pair.evidence)
		}
		if got.Verdict == citewell.VerdictSupported && words.Verdict != citewell.VerdictSupported && pair.want == citewell.VerdictContradicted {
			t.Errorf("a contradiction is called supported: %s | %s", pair.claim, pair.evidence)
		}
	}
	t.Logf("%d pairs; as labelled by words %d, with meaning %d", len(everyday), right, better)
	if better < right {
		t.Errorf("as labelled by words %d, with meaning %d", right, better)
	}
}

// TestMeaningOnScientificClaims is TestCheckOnScientificClaims with a real embedding
// model: thresholds chosen on the even lines, measured on the odd ones. Two of sixteen
// lines are taken, since embedding them all takes a processor ten minutes;
// CITEWELL_CLAIMS=all takes all.
func TestMeaningOnScientificClaims(t *testing.T) {
	if score.RaceDetector {
		t.Skip("measured without the race detector")
	}
	all := labelledClaims(t)
	e := miniLM(t)
	claims := all
	if os.Getenv("CITEWELL_CLAIMS") != "all" {
		claims = nil
		for i := 0; i+1 < len(all); i += 16 {
			claims = append(claims, all[i], all[i+1])
		}
	}
	byWords, meant := make([]float64, len(claims)), make([]float64, len(claims))
	type counts map[string]map[citewell.Verdict]int
	verdicts := [2]counts{{}, {}}
	for i, c := range claims {
		evidence := c.Title + "\n\n" + c.Passage
		for k, j := range []cite.Judgement{cite.Check(c.Claim, evidence, "en"), byMeaning(t, e, c.Claim, evidence, "en")} {
			if k == 0 {
				byWords[i] = j.Score
			} else {
				meant[i] = j.Score
			}
			if i%2 == 0 {
				if verdicts[k][c.Label] == nil {
					verdicts[k][c.Label] = map[citewell.Verdict]int{}
				}
				verdicts[k][c.Label][j.Verdict]++
			}
		}
	}
	for _, label := range []string{"supported", "contradicted", "not_enough"} {
		t.Logf("%-13s by words %v, with meaning %v", label, verdicts[0][label], verdicts[1][label])
	}
	measure := func(scores []float64, labels ...string) float64 {
		var half [2][]score.Decision
		for i, c := range claims {
			if c.Label == "supported" || slices.Contains(labels, c.Label) {
				h := &half[(i+1)%2]
				*h = append(*h, score.Decision{Score: scores[i], True: c.Label == "supported"})
			}
		}
		return score.Balanced(half[1], score.BestThreshold(half[0]))
	}
	for _, against := range []struct {
		name   string
		labels []string
		gain   float64 // that there must be on all lines
	}{
		{"the rest", []string{"contradicted", "not_enough"}, -0.005},
		{"not_enough", []string{"not_enough"}, 0.02},
		{"contradicted", []string{"contradicted"}, -0.05}, // likeness tells nothing of denial
	} {
		was, is := measure(byWords, against.labels...), measure(meant, against.labels...)
		t.Logf("supported against %-12s: balanced accuracy by words %.3f, with meaning %.3f", against.name, was, is)
		least := against.gain
		if len(claims) < len(all) {
			least = -0.05 // a quarter of the lines measures coarsely
		}
		if is < was+least {
			t.Errorf("supported against %s: %.3f by words, %.3f with meaning", against.name, was, is)
		}
	}
}

type brokenEmbedder struct {
	vectors [][]float32
	err     error
}

func (b brokenEmbedder) Name() string { return "broken" }
func (b brokenEmbedder) Embed(context.Context, []string) ([][]float32, error) {
	return b.vectors, b.err
}

// Where the embedder fails, or gives vectors that cannot be compared, words decide.
func TestMeaningFallsBackToWords(t *testing.T) {
	const claim, evidence = "Physicians tell patients to get more sleep.", "Doctors advise the people they treat to sleep longer."
	want := cite.Check(claim, evidence, "en")
	for name, e := range map[string]brokenEmbedder{
		"fails":       {err: errors.New("no")},
		"none":        {},
		"other sizes": {vectors: [][]float32{{1}, {0.6, 0.8}}},
	} {
		m, err := cite.NewMeanings(t.Context(), e, []string{claim}, []string{evidence})
		if fails := name != "other sizes"; fails != (err != nil) {
			t.Errorf("%s: %v", name, err)
		}
		if got := m.Check(claim, evidence, "en"); got.Verdict != want.Verdict || got.By != cite.ByWords || got.Score != want.Score {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
	if m, err := cite.NewMeanings(t.Context(), brokenEmbedder{}, nil, []string{" \n"}); err != nil || m.Check(claim, evidence, "en").By != cite.ByWords {
		t.Errorf("nothing to embed: %v", err)
	}
}
