// Package judge asks a model whether sources say what statements say.
//
// Flow: inquiries (from cite.Hold) → batches with canaries among them → one call of a model each → verdicts, graded by
// the canaries → cite.Opinion, which cite.Held.Judged accepts.
// Proof: an opinion counts only if its quote stands in the passages shown (cite.Inquiry.Stands); otherwise the model is
// asked once more.
// Examination: code knows the answers to the canaries; a model that fails them is not believed (Score).
// Determinism: the same question and inquiries plan the same calls with the same keys, so a journal can replay them.
// Errors: those of the model; model_failed with ErrNotBelieved.
// Concurrency: a Judge is safe for many goroutines; one Ask has at most four calls in progress.
// The wire, for whoever serves a judge: doc/judge.md.
package judge

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/internal/sayable"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/llm"
)

//go:embed judge.md
var rules string

//go:embed judge.schema.json
var schema json.RawMessage

// The protocols by which a judge is asked.
const (
	// minicheck where the model's name has that word, classify where there is a Classifier; else chat
	ProtocolAuto      = "auto"
	ProtocolChat      = "chat"
	ProtocolMinicheck = "minicheck"
	ProtocolClassify  = "classify"
)

// Bounds of asking.
const (
	atOnce           = 4                // calls of one Ask
	defaultMaxTokens = 8000             // of an answer
	answerBase       = 512              // tokens of an answer beside its verdicts
	answerEach       = 100              // tokens of one verdict
	maxText          = 4000             // bytes of the passages of one statement
	maxWide          = 36_000           // of one that is asked about again
	longest          = 10 * time.Minute // of one call
)

// ErrNotBelieved marks the opinions of a judge that fails its canaries.
var ErrNotBelieved = errors.New("not believed")

// A Model answers in JSON of a schema; llm.Client is one. Minicheck also wants its Chat.
type Model interface {
	Name() string
	Decode(ctx context.Context, r llm.Request, out any) (llm.Reply, error)
}

// A Chatter answers in words.
type Chatter interface {
	Chat(ctx context.Context, r llm.Request) (llm.Reply, error)
}

// A Classifier says how a premise stands to a hypothesis; llm.Classifier is one.
type Classifier interface {
	Name() string
	Classify(ctx context.Context, pairs [][2]string) ([][]llm.Label, error)
}

// Options say who judges. Model or Classifier must be set.
type Options struct {
	Model      Model
	Classifier Classifier // asked in place of Model where Protocol is auto or classify
	Protocol   string     // empty is auto
	Endpoint   string     // base URL of the model: its score is kept by it
	Lent       bool       // Model belongs to a caller: it is asked once, and tells its name in llm.Reply.Model
	MaxTokens  int        // of one answer; 8000 when 0
	Window     int        // tokens that the model reads; when 0 what the model says of itself, else llm.AssumedWindow
	Cache      llm.Cache  // keeps scores for a day; nil keeps them in memory
	Log        func(message string, err error)
}

// A Judge asks one model.
type Judge struct {
	o     Options
	mu    sync.Mutex
	score Score
}

// New returns a Judge.
func New(o Options) *Judge {
	if o.MaxTokens <= 0 {
		o.MaxTokens = defaultMaxTokens
	}
	if o.Log == nil {
		o.Log = func(string, error) {}
	}
	if o.Protocol == "" || o.Protocol == ProtocolAuto {
		switch {
		case o.Classifier != nil:
			o.Protocol = ProtocolClassify
		case o.Model != nil && strings.Contains(strings.ToLower(o.Model.Name()), ProtocolMinicheck):
			o.Protocol = ProtocolMinicheck
		default:
			o.Protocol = ProtocolChat
		}
	}
	return &Judge{o: o}
}

// Name is what a citation says that the judge has judged: "judge NAME".
func (j *Judge) Name() string { return "judge " + j.model() }

func (j *Judge) model() string {
	if j.o.Protocol == ProtocolClassify && j.o.Classifier != nil {
		return j.o.Classifier.Name()
	}
	return j.o.Model.Name()
}

// window is how many tokens the model reads. A model that knows is asked: llm.Client remembers it.
func (j *Judge) window(ctx context.Context) int {
	if j.o.Window > 0 {
		return j.o.Window
	}
	if m, ok := j.o.Model.(interface {
		Window(ctx context.Context) llm.Window
	}); ok {
		return m.Window(ctx).Tokens
	}
	return llm.AssumedWindow
}

// A Question is what the statements answer. Both may be empty.
type Question struct{ Question, Topic string }

// Through makes a call, or gives the answer that it had before: a run's journal. It may refuse a
// call by an error, as where a budget is over.
type Through func(ctx context.Context, c Call) (Answer, error)

// Asking returns Ask as a check takes it, each call made by through.
func (j *Judge) Asking(through Through) cite.Ask {
	return func(ctx context.Context, question, topic string, about []*cite.Inquiry) ([]cite.Opinion, error) {
		return j.Ask(ctx, Question{Question: question, Topic: topic}, about, through)
	}
}

// Ask returns an opinion for each inquiry, with an empty Verdict where there is none: a nil inquiry,
// a call that failed, a quote that is nowhere, a judge that is not believed. What the judge misses in
// the nearest passages, and what it misquotes, it is asked once more with further ones of the sources.
// The error says why opinions are missing; those that are there count all the same. A nil through
// makes the calls.
func (j *Judge) Ask(ctx context.Context, q Question, inquiries []*cite.Inquiry,
	through Through) ([]cite.Opinion, error) {
	if through == nil {
		through = func(ctx context.Context, c Call) (Answer, error) { return c.Do(ctx) }
	}
	opinions := make([]cite.Opinion, len(inquiries))
	window := j.window(ctx)
	again, err := j.round(ctx, inquiries, opinions, j.plan(q, inquiries, 1, window), through)
	if j.o.Lent && len(again) > 0 {
		return opinions, errors.Join(err, &citewell.Error{Code: citewell.CodeModelFailed, Op: "judge",
			Message: fmt.Sprintf("%s gave no verdict whose quote stands in the passages", j.Name())})
	}
	rest, further := make([]*cite.Inquiry, len(inquiries)), false
	for i, about := range inquiries {
		if slices.Contains(again, i) || misses(opinions[i]) && len(about.Further) > 0 {
			rest[i], further = about.Wider(), true
		}
	}
	if !further || j.o.Lent || ctx.Err() != nil {
		return opinions, err
	}
	_, errAgain := j.round(ctx, inquiries, opinions, j.plan(q, rest, 2, window), through)
	if len(again) > 0 {
		err = errors.Join(err, errAgain)
	}
	return opinions, err
}

// misses reports whether the judge found the statement, or a part of it, nowhere in the passages that it saw.
func misses(o cite.Opinion) bool {
	return o.Verdict == citewell.VerdictUnsupported || o.Verdict == citewell.VerdictPartly
}

// round makes calls side by side and fills in the opinions that stand. It returns the inquiries
// whose answers do not stand.
func (j *Judge) round(ctx context.Context, inquiries []*cite.Inquiry, opinions []cite.Opinion, calls []Call,
	through Through) (again []int, err error) {
	answers, errs := make([]Answer, len(calls)), make([]error, len(calls))
	var group sync.WaitGroup
	places := make(chan struct{}, atOnce)
	for k, c := range calls {
		group.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			if errs[k] = ctx.Err(); errs[k] == nil {
				answers[k], errs[k] = through(ctx, c)
			}
		})
	}
	group.Wait()
	for k, c := range calls {
		switch {
		case errs[k] != nil:
			continue
		case answers[k].Void != "":
			errs[k] = j.notBelieved(answers[k].Void)
			continue
		}
		given := map[int]Verdict{}
		for _, v := range answers[k].Verdicts {
			given[v.N] = v
		}
		for n, it := range c.items {
			if it.inquiry < 0 {
				continue
			}
			o, ok := j.opinion(given[n+1], inquiries[it.inquiry])
			o.At = answers[k].At.Truncate(time.Second)
			if answers[k].Model != "" {
				o.By = j.Name() + " " + answers[k].Model
			}
			if ok && inquiries[it.inquiry].Stands(o) {
				opinions[it.inquiry] = o
			} else {
				again = append(again, it.inquiry)
			}
		}
	}
	return again, errors.Join(errs...)
}

func (j *Judge) notBelieved(why string) error {
	return &citewell.Error{Code: citewell.CodeModelFailed, Op: "judge",
		Message: fmt.Sprintf("%s is not believed: %s", j.Name(), why),
		Hint:    "set judge.model to another model, or judge.use to never", Err: ErrNotBelieved}
}

// verdicts are the words of the wire.
var verdicts = map[string]citewell.Verdict{
	"supported": citewell.VerdictSupported, "partly": citewell.VerdictPartly,
	"contradicted": citewell.VerdictContradicted, "not_stated": citewell.VerdictUnsupported,
}

// opinion reads a verdict; false where it is none.
func (j *Judge) opinion(v Verdict, about *cite.Inquiry) (cite.Opinion, bool) {
	verdict, ok := verdicts[v.Verdict]
	if !ok {
		return cite.Opinion{}, false
	}
	o := cite.Opinion{Verdict: verdict, Quote: v.Quote, By: j.Name(), Reason: reason(v.Reason, about)}
	if verdict == citewell.VerdictUnsupported {
		o.Quote = ""
	}
	return o, true
}

const maxReason = 200 // bytes of a reason

// reason is what a model says of a verdict, as it may be shown.
func reason(said string, about *cite.Inquiry) string {
	known := []string{about.Text}
	for _, s := range about.Wider().Passages {
		known = append(known, s.Passage.Text)
	}
	said = sayable.Line(said, strings.Join(known, "\n"))
	return strings.TrimRight(text.Shorten(said, maxReason-len("…")), ".")
}
