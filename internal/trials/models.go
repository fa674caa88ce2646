package trials

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/doctor"
	"github.com/citewell/citewell/internal/judge"
	"github.com/citewell/citewell/llm"
)

// Models try the chat models.
func Models(models []*llm.Client) (probes []doctor.Probe) {
	if len(models) == 0 {
		return []doctor.Probe{off("model", "llm", "no llm.model is set; findings are quoted from the sources")}
	}
	for _, m := range models {
		probes = append(probes, doctor.Probe{Part: "model", Name: m.Name(),
			Try: func(ctx context.Context) (doctor.Answer, error) { return tryModel(ctx, m) }})
	}
	return probes
}

// Embedding tries the embedding model; nil is none.
func Embedding(e *llm.Embeddings) doctor.Probe {
	if e == nil {
		return off("model", "embedding", "no embedding.model is set; your documents are searched by words")
	}
	return doctor.Probe{Part: "model", Name: e.Name(),
		Try: func(ctx context.Context) (doctor.Answer, error) { return tryEmbedding(ctx, e) }}
}

// Reranker tries the reranker; nil is none.
func Reranker(r *llm.Reranker) doctor.Probe {
	if r == nil {
		return off("model", "rerank", "no rerank.base_url is set; passages are ranked without")
	}
	return doctor.Probe{Part: "model", Name: r.Name(),
		Try: func(ctx context.Context) (doctor.Answer, error) { return tryReranker(ctx, r) }}
}

// examLimit is how long the judge may take: a model on a slow machine writes forty verdicts in minutes.
const examLimit = 5 * time.Minute

// Judge examines the judge, if there is one, by the shipped pairs.
func Judge(j *judge.Judge, wanted bool) doctor.Probe {
	switch {
	case j != nil:
		return doctor.Probe{Part: doctor.PartJudge, Name: strings.TrimPrefix(j.Name(), "judge "), Limit: examLimit,
			Try: func(ctx context.Context) (doctor.Answer, error) { return tryJudge(ctx, j) }}
	case !wanted:
		return off(doctor.PartJudge, "judge", "judge.use is never; what words cannot decide stays undecided")
	}
	return off(doctor.PartJudge, "judge",
		"neither llm.model nor judge.model is set; what words cannot decide stays undecided")
}

func tryJudge(ctx context.Context, j *judge.Judge) (doctor.Answer, error) {
	score, err := j.Examine(ctx)
	if err != nil {
		return doctor.Answer{}, err
	}
	answer := doctor.Answer{Detail: score.String()}
	if score.Believed() {
		answer.Detail += "; it is believed"
	} else {
		answer.Doubt = "it is not believed, and words decide"
		answer.Hint = "set judge.model to another model, or judge.use to never"
	}
	return answer, nil
}

// tryEmbedding asks for three new sentences, which no cache has, of which two say the same.
func tryEmbedding(ctx context.Context, e *llm.Embeddings) (doctor.Answer, error) {
	id := " (" + citewell.NewID()[:8] + ")"
	v, err := e.Embed(ctx,
		[]string{"The ferry was cancelled." + id, "They called off the boat." + id, "Tin melts at 232 degrees." + id})
	if err != nil {
		return doctor.Answer{}, err
	}
	like := func(a, b []float32) (sum float64) {
		for i := range a {
			sum += float64(a[i]) * float64(b[i])
		}
		return sum
	}
	same, other := like(v[0], v[1]), like(v[0], v[2])
	answer := doctor.Answer{
		Detail: fmt.Sprintf("%d dimensions; two sentences that say the same are %.2f alike, two others %.2f",
			e.Dimensions(), same, other),
	}
	if same <= other {
		answer.Doubt = "sentences that say the same should be more alike than others"
		answer.Hint = "embedding.model may be no model for text similarity"
	}
	return answer, nil
}

// tryReranker asks which of two sentences answers a question; the one that does not has more of its words.
func tryReranker(ctx context.Context, r *llm.Reranker) (doctor.Answer, error) {
	scores, err := r.Rerank(ctx, "When does the ferry to the island leave?",
		[]string{"The ferry to the island is painted white.", "The boat goes across at nine in the morning."})
	if err != nil {
		return doctor.Answer{}, err
	}
	answer := doctor.Answer{
		Detail: fmt.Sprintf("what answers a question has %.3g, what has its words alone %.3g", scores[1], scores[0]),
	}
	if scores[1] <= scores[0] {
		answer.Doubt = "a sentence that answers the question should stand before one that does not"
		answer.Hint = "rerank.model may be no reranker, or one of another language than English"
	}
	return answer, nil
}

// What is said of a model that gets the small question of a trial wrong.
const (
	wrongSum  = "a sum of two numbers was wrong"
	tryLarger = "a model this weak will misread its sources; try a larger one"
)

// Doubt says what speaks against a long run with a model, asked once for a model at an endpoint and remembered. It is
// empty if nothing does, or the model cannot be asked now.
func Doubt(ctx context.Context, m *llm.Client) string {
	ctx, cancel := context.WithTimeout(ctx, doctor.Timeout)
	defer cancel()
	can, err := m.Capabilities(ctx)
	if err != nil || can.Structured == "" || can.Sum == 42 {
		return ""
	}
	return fmt.Sprintf("%s: %s (19 + 23 = %d); %s", m.Name(), wrongSum, can.Sum, tryLarger)
}

// tryModel tries all that Citewell may want of a model: briefs need JSON; an agent needs JSON or calls of tools.
func tryModel(ctx context.Context, m *llm.Client) (doctor.Answer, error) {
	can, err := m.Examine(ctx)
	switch {
	case err != nil:
		return doctor.Answer{}, err
	case can.Structured == "":
		return doctor.Answer{}, &citewell.Error{
			Code:    citewell.CodeModelFailed,
			Message: "the model answers, but not in JSON; findings will be quoted from the sources",
			Err:     llm.ErrSchema,
		}
	}
	answer := doctor.Answer{Detail: can.String()}
	switch {
	case can.Sum != 42:
		answer.Doubt, answer.Hint = wrongSum, tryLarger
	case can.Tools == llm.Cannot:
		answer.Doubt = "agents that call tools have to ask it for JSON in place of calls"
		answer.Hint = "research --agent sgr_agent needs no calls; or set llm.model to a model that calls tools"
	case can.Tools == "":
		answer.Doubt = "whether it calls tools, which research needs, could not be tried"
		answer.Hint = "the endpoint refused or did not answer in time; run doctor again when it is less busy"
	case can.Streaming == "":
		answer.Doubt = "whether it streams could not be tried"
		answer.Hint = "the endpoint refused or did not answer in time; run doctor again when it is less busy"
	case can.Window.From == llm.FromNothing:
		answer.Detail += " (llm.context_window says it for sure)"
	}
	return answer, nil
}
