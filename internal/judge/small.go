package judge

import (
	"context"
	"strings"
	"sync"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/internal/envelope"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/llm"
)

// A small judge says neither where a source says a statement nor why: the sentence that words choose
// stands for its quote.

// minicheck asks about each sentence of each statement: yes or no.
func (c Call) minicheck(ctx context.Context) (Answer, error) {
	chat, ok := c.judge.o.Model.(Chatter)
	if !ok {
		return Answer{}, &citewell.Error{Code: citewell.CodeInvalidConfig, Op: "judge",
			Message: c.judge.Name() + " cannot be asked as minicheck is"}
	}
	verdicts, replies, errs := make([]Verdict, len(c.items)), make([]llm.Reply, len(c.items)),
		make([]error, len(c.items))
	var group sync.WaitGroup
	places := make(chan struct{}, atOnce)
	for i, it := range c.items {
		group.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			verdicts[i], replies[i], errs[i] = minichecked(ctx, chat, it.about)
			verdicts[i].N = i + 1
		})
	}
	group.Wait()
	var answer Answer
	var failed error
	for i, v := range verdicts {
		answer.Input, answer.Cached, answer.Output = answer.Input+replies[i].InputTokens,
			answer.Cached+replies[i].CachedTokens, answer.Output+replies[i].OutputTokens
		if errs[i] != nil {
			failed = errs[i]
		} else {
			answer.Verdicts = append(answer.Verdicts, v)
		}
	}
	if len(answer.Verdicts) > 0 {
		failed = nil // what came in time counts
	}
	return answer, failed
}

func minichecked(ctx context.Context, chat Chatter, about *cite.Inquiry) (v Verdict, sum llm.Reply, err error) {
	var passages []string
	for _, p := range about.Passages {
		passages = append(passages, text.OneLine(envelope.Neutralize(p.Passage.Text)))
	}
	document, zero := strings.Join(passages, " "), 0.0
	yes, asked := 0, 0
	for _, span := range text.Sentences(about.Text) {
		claim := text.OneLine(envelope.Neutralize(about.Text[span.Start:span.End]))
		if claim == "" {
			continue
		}
		reply, err := chat.Chat(ctx, llm.Request{Temperature: &zero, MaxTokens: minicheckTokens,
			Messages: []llm.Message{{Role: llm.RoleUser, Content: "Document: " + document + "\nClaim: " + claim}}})
		sum.InputTokens, sum.CachedTokens, sum.OutputTokens = sum.InputTokens+reply.InputTokens,
			sum.CachedTokens+reply.CachedTokens, sum.OutputTokens+reply.OutputTokens
		if err != nil {
			return v, sum, err
		}
		said := text.Words(strings.ToLower(reply.Text))
		if len(said) == 0 || said[0].Text != "yes" && said[0].Text != "no" {
			return v, sum, &citewell.Error{Code: citewell.CodeModelFailed, Op: "judge",
				Message: "the model answered neither Yes nor No",
				Hint:    "judge.protocol minicheck is for bespoke-minicheck; other models are asked with chat"}
		}
		asked++
		if said[0].Text == "yes" {
			yes++
		}
	}
	switch {
	case yes == 0:
		v.Verdict = "not_stated"
	case yes == asked:
		v.Verdict = "supported"
	default:
		v.Verdict = "partly"
	}
	v.Quote = chosen(about.Text, about.Passages)
	return v, sum, nil
}

// minicheckTokens is room for one word.
const minicheckTokens = 8

// classify asks how each passage stands to each statement.
func (c Call) classify(ctx context.Context) (Answer, error) {
	var pairs [][2]string
	for _, it := range c.items {
		for _, p := range it.about.Passages {
			pairs = append(pairs, [2]string{text.OneLine(p.Passage.Text), text.OneLine(it.about.Text)})
		}
	}
	labels, err := c.judge.o.Classifier.Classify(ctx, pairs)
	if err != nil {
		return Answer{}, err
	}
	var answer Answer
	at := 0
	for n, it := range c.items {
		v := Verdict{N: n + 1, Verdict: "not_stated"}
		var most float64
		for k, p := range it.about.Passages {
			verdict, score, err := labelled(labels[at+k])
			if err != nil {
				return Answer{}, err
			}
			// A passage that says it outweighs others that do not.
			if verdict != "not_stated" && (verdict != v.Verdict && v.Verdict != "supported" || verdict == v.Verdict &&
				score > most) {
				v.Verdict, most = verdict, score
				v.Quote = chosen(it.about.Text, []cite.Shown{p})
			}
		}
		at += len(it.about.Passages)
		answer.Verdicts = append(answer.Verdicts, v)
	}
	return answer, nil
}

// labelled is the verdict of the label with the highest score.
func labelled(labels []llm.Label) (verdict string, score float64, err error) {
	var best llm.Label
	for _, l := range labels {
		if best.Label == "" || l.Score > best.Score {
			best = l
		}
	}
	switch strings.ToLower(best.Label) {
	case "entailment", "entail":
		return "supported", best.Score, nil
	case "contradiction":
		return "contradicted", best.Score, nil
	case "neutral", "not_entailment":
		return "not_stated", best.Score, nil
	}
	return "", 0, &citewell.Error{Code: citewell.CodeInvalidConfig, Op: "judge",
		Message: "the model labels by " + text.Shorten(text.OneLine(envelope.Neutralize(best.Label)), 40) +
			", which says no verdict",
		Hint: "judge.protocol classify needs an entailment model whose labels are " +
			"entailment, neutral and contradiction (id2label in its config.json)"}
}

// chosen is the sentence of the passages that has most of a statement's words; empty where none has any.
func chosen(statement string, passages []cite.Shown) (quote string) {
	want := map[string]bool{}
	for _, term := range text.Terms(statement, "") {
		want[term] = true
	}
	most := 0
	for _, p := range passages {
		for _, span := range text.Sentences(p.Passage.Text) {
			said, shared := p.Passage.Text[span.Start:span.End], map[string]bool{}
			for _, term := range text.Terms(said, "") {
				if want[term] {
					shared[term] = true
				}
			}
			if len(shared) > most {
				quote, most = said, len(shared)
			}
		}
	}
	return quote
}
