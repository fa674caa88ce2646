package brief

import (
	"context"
	_ "embed"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/llm"
	"github.com/citewell/citewell/text"
)

//go:embed judge.md
var judgeRules string

//go:embed judge.schema.json
var judgeSchema json.RawMessage

// Bounds of the check of claims by models.
const (
	maxJudged    = 12 // claims that a chat model is asked about
	judgedAtOnce = 4
	judgeLimit   = 400             // tokens of its answer
	maxEvidence  = 6000            // bytes of the passages it is shown for one claim
	maxReason    = 200             // bytes of its reason
	meaningLimit = 3 * time.Second // for the vectors of all claims together
)

// meanings gets the vectors of what a model says and of what it cites, in one go.
// Without them, or in time, the claims are checked by words.
func (w *Writer) meanings(ctx context.Context, answer modelAnswer, q question, e *evidence) cite.Meanings {
	if w.o.Embedder == nil || e.lacking(citewell.UseEmbedding) {
		return cite.Meanings{}
	}
	var claims []cite.Claim
	for _, s := range append(first(answer.Findings, maxStatements), first(answer.Disagreements, maxStatements/4)...) {
		if c, ok := e.claim(s, q); ok {
			claims = append(claims, c)
		}
	}
	m, err := within(ctx, meaningLimit, func(ctx context.Context) (cite.Meanings, error) {
		return cite.MeaningsOf(ctx, w.o.Embedder, claims)
	})
	if err != nil {
		w.o.Log("claims checked by words, without the embedding model", err)
		e.lacks(citewell.UseEmbedding, w.o.Embedder, err)
	}
	return m
}

// judge asks a model about each claim that code found supported or weak, the doubtful
// ones first, and puts what it may change into the citations. A claim that a model is
// not asked about in time, or that it gives no usable answer to, keeps code's verdict.
func (w *Writer) judge(ctx context.Context, model Model, found *claims, e *evidence) {
	ctx, cancel := context.WithTimeout(ctx, w.o.Deadlines.Synthesis/2)
	defer cancel()
	var asked []int
	for _, doubtful := range []bool{true, false} {
		for i, f := range found.findings {
			if _, _, verbatim := cite.Locate(f.Text, f.Citations[0].Quote); !verbatim && weak(f.Citations) == doubtful {
				asked = append(asked, i)
			}
		}
	}
	asked = first(asked, maxJudged)
	opinions := make([]cite.Opinion, len(asked))
	failures := make([]error, len(asked))
	var group sync.WaitGroup
	places := make(chan struct{}, judgedAtOnce)
	for k, i := range asked {
		group.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			opinions[k], failures[k] = within(ctx, w.o.Deadlines.Synthesis/2, func(ctx context.Context) (cite.Opinion, error) {
				return e.opinion(ctx, model, found.findings[i])
			})
		})
	}
	group.Wait()
	for k, i := range asked {
		e.weigh(&found.findings[i], opinions[k], failures[k], model.Name())
	}
	found.findings = slices.DeleteFunc(found.findings, func(f citewell.Finding) bool {
		if !contradicted(f.Citations) {
			return false
		}
		found.disagreements = append(found.disagreements, denial(f.Text, f.Citations))
		return true
	})
}

func weak(citations []citewell.Citation) bool {
	return slices.ContainsFunc(citations, func(c citewell.Citation) bool { return c.Verdict == citewell.VerdictWeak })
}

// opinion shows a model a claim with the passages it cites, each in the same envelope.
func (e *evidence) opinion(ctx context.Context, model Model, f citewell.Finding) (cite.Opinion, error) {
	envelope := llm.NewEnvelope()
	var user strings.Builder
	shown := map[string]bool{}
	for _, c := range f.Citations {
		p, ok := e.ledger.Passage(c.Passage)
		if !ok || shown[p.ID] || len(shown) > 0 && user.Len()+len(p.Text) > maxEvidence {
			continue
		}
		shown[p.ID] = true
		user.WriteString(envelope.Wrap("passage", text.Prefix(p.Text, maxEvidence)) + "\n\n")
	}
	user.WriteString(envelope.Wrap("claim", f.Text))
	var answer struct {
		Quote   string           `json:"quote"`
		Reason  string           `json:"reason"`
		Verdict citewell.Verdict `json:"verdict"`
	}
	_, err := model.Decode(ctx, llm.Request{
		Messages: []llm.Message{
			{Role: "system", Content: judgeRules + "\n" + envelope.Rules()},
			{Role: "user", Content: user.String()},
		},
		Schema: judgeSchema, SchemaName: "verdict", MaxTokens: judgeLimit,
	}, &answer)
	if err != nil {
		return cite.Opinion{}, err
	}
	if !slices.Contains([]citewell.Verdict{citewell.VerdictSupported, citewell.VerdictWeak, citewell.VerdictUnsupported, citewell.VerdictContradicted}, answer.Verdict) {
		return cite.Opinion{}, errUnusable(reasonSchema)
	}
	return cite.Opinion{Verdict: answer.Verdict, Quote: answer.Quote, Reason: e.sayable(answer.Reason, f)}, nil
}

// sayable is a model's reason as it may be shown: in one line, without addresses, and
// not at all where it names a source in disguise.
func (e *evidence) sayable(reason string, f citewell.Finding) string {
	known := f.Text
	for _, c := range f.Citations {
		known += "\n" + c.Quote
	}
	reason = text.Shorten(clean(marks.ReplaceAllString(reason, ""), known), maxReason)
	if suspect(reason, known) {
		return ""
	}
	return strings.TrimRight(reason, ".")
}

// weigh puts a model's opinion of a finding, or why there is none, into its citations.
func (e *evidence) weigh(f *citewell.Finding, o cite.Opinion, failed error, name string) {
	if failed == nil {
		passages := make([]citewell.Passage, len(f.Citations))
		for i, c := range f.Citations {
			passages[i], _ = e.ledger.Passage(c.Passage)
		}
		cite.Weigh(f.Text, text.Language(f.Text), f.Citations, passages, o, "model "+name)
		return
	}
	for i := range f.Citations {
		if c := &f.Citations[i]; c.Verdict == citewell.VerdictSupported || c.Verdict == citewell.VerdictWeak {
			c.Reason += "; " + name + " gave no verdict: " + reason(failed)
		}
	}
}
