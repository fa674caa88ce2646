package brief

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/envelope"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/llm"
)

//go:embed synthesis.md
var synthesisRules string

// Bounds of a model's part.
const (
	modelPassages  = 24   // passages it is shown
	maxLabel       = 200  // bytes of a title, or of a warning, in a passage's label
	synthesisLimit = 2000 // tokens of its answer
	answersOfModel = 3    // its first, the judge's and its second, each within its limit
)

// Why a model's answer was not used, beside the codes of a call that failed.
const (
	reasonEmpty   = "empty-response"
	reasonUncited = "citation-majority-uncited"
	reasonRefused = "all-statements-refused"
	reasonSchema  = "schema-invalid"
	reasonLong    = "too-long"
	reasonLate    = "timeout"
)

// inWords says of these reasons what the model did.
var inWords = map[string]string{
	reasonEmpty:   "gave nothing",
	reasonUncited: "gave no quote that stands for its sentences, or wrote addresses of its own",
	reasonRefused: "wrote only statements that do not hold against their sources",
	reasonSchema:  "did not answer in the form that was asked for",
	reasonLong:    "wrote more than was asked for",
}

// modelAnswer is what a model is asked for. A statement comes after the quotes it
// leans on, since a model writes in this order.
type modelAnswer struct {
	Findings      []modelStatement `json:"findings"`
	Disagreements []modelStatement `json:"disagreements"`
	Gaps          []string         `json:"gaps"`
}

type modelStatement struct {
	Topic     string       `json:"topic"`
	Citations []modelQuote `json:"citations"`
	Text      string       `json:"text"`
}

type modelQuote struct {
	Passage string `json:"passage"`
	Quote   string `json:"quote"`
}

//go:embed synthesis.schema.json
var answerSchema json.RawMessage

// claims is what held of a model's answer.
type claims struct {
	findings      []citewell.Finding
	disagreements []citewell.Disagreement
	gaps          []string
	uncited       int // statements without a quote that stands in its passage
	dropped       []citewell.Dropped
	amiss         []citewell.Dropped    // the dropped ones and those that hold in part, for the model to mend
	left          string                // in words, what was left out, or why nothing held; empty when nothing was
	judge         *citewell.JudgeReport // nil where none was asked
	unjudged      string                // in words, why statements have no opinion of the judge's
}

// whole is the number of findings that hold in all their parts, as far as anybody has judged.
func (c claims) whole() (n int) {
	for _, f := range c.findings {
		if !partly(f.Citations) {
			n++
		}
	}
	return n
}

// detail says in words what Coverage tells of an answer.
func (c claims) detail() string {
	parts := []string{c.left}
	if n := len(c.dropped); n > 0 {
		parts = append(parts, fmt.Sprintf("%s dropped, refused by exact facts or the judge",
			text.Count(n, "statement")))
	}
	if c.unjudged != "" {
		parts = append(parts, "not all was judged: "+c.unjudged)
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "; ")
}

// synthesize asks one model after the other, until one gives an answer that holds.
// The outcome is "ok" or, for each model that was asked, why its answer was not used.
// The brief was begun at began.
func (w *Writer) synthesize(ctx context.Context, began time.Time, q question, e *evidence,
	p *progress) (claims, string, string) {
	var reasons, words []string
	name := ""
	for i, model := range w.o.Models {
		limit := w.patience(ctx, i)
		name = model.Name()
		asked := time.Now()
		p.tell(Event{Kind: EventThinking, Subject: name})
		found, err := within(ctx, untilEnd(ctx, answersOfModel*limit), func(ctx context.Context) (claims, error) {
			return w.ask(ctx, model, limit, q, e)
		})
		took, outcome := time.Since(asked), "ok"
		if err != nil {
			outcome = reason(err)
			if outcome == reasonLate {
				hit := w.limitHit(ctx, began, took >= limit)
				words = append(words, fmt.Sprintf("%s was not done after %.0f s%s", name, took.Seconds(), hit))
			} else if told := inWords[outcome]; told != "" {
				words = append(words, name+" "+told)
			}
		}
		p.tell(Event{Kind: EventThought, Subject: name, Outcome: outcome, Count: len(found.findings), Elapsed: took})
		if err == nil {
			return found, name, "ok"
		}
		if len(w.o.Models) > 1 {
			outcome = name + " " + outcome
		}
		reasons = append(reasons, outcome)
		if ctx.Err() != nil {
			break
		}
	}
	return claims{left: strings.Join(words, "; ")}, name, strings.Join(reasons, "; ")
}

// limitHit names the limit that a model's time ended at; empty where it gave up by itself.
func (w *Writer) limitHit(ctx context.Context, began time.Time, late bool) string {
	if end, ok := ctx.Deadline(); ok && time.Until(end) <= finishing {
		if end.Sub(began.Add(w.o.Deadlines.Total)).Abs() > time.Second {
			return ": the caller's deadline was hit"
		}
		return ": brief.deadlines.total was hit"
	}
	if late {
		return ": brief.deadlines.synthesis was hit"
	}
	return ""
}

// errUnusable is an answer that came, but does not hold.
type errUnusable string

func (e errUnusable) Error() string { return string(e) }

func reason(err error) string {
	if u, ok := errors.AsType[errUnusable](err); ok {
		return string(u)
	}
	if errors.Is(err, llm.ErrSchema) {
		return reasonSchema
	}
	if code := citewell.CodeOf(err); code != citewell.CodeTimeout {
		view := citewell.View(err)
		return fmt.Sprintf("%s: %s", code, view.Message)
	}
	return reasonLate
}

// ask shows a model the best passages and checks what it says of them. Each of its answers, and the
// judge's opinions, have the limit.
func (w *Writer) ask(ctx context.Context, model Model, limit time.Duration, q question, e *evidence) (claims, error) {
	foreign := envelope.NewEnvelope()
	var user strings.Builder
	for _, p := range e.passages[:min(modelPassages, len(e.passages))] {
		s := e.source(p)
		label := fmt.Sprintf("passage %s of source %d; %s; %s; %s; %s", p.Alias, s.N, s.Host, s.Class, dateOf(s),
			text.Prefix(text.OneLine(s.Title), maxLabel))
		if s.Warning != "" {
			label += "; warning: " + text.Prefix(s.Warning, maxLabel)
		}
		if e.snippetOnly(p) {
			label += "; only a search engine's snippet"
		}
		user.WriteString(foreign.Wrap(label, p.Text))
		user.WriteString("\n\n")
	}
	in := "in whose language you answer"
	if code := cmp.Or(text.AskedLanguage(q.Text()), w.o.Language); code != "" {
		in = "which you answer in " + text.LanguageName(code)
	}
	fmt.Fprintf(&user, "The question, %s:\n%s\n", in, q.Text())
	messages := []llm.Message{
		{Role: "system", Content: fmt.Sprintf(synthesisRules, maxWords) + "\n\n" + foreign.Rules()},
		{Role: "user", Content: user.String()},
	}
	asked := llm.Request{Schema: answerSchema, SchemaName: "brief", MaxTokens: synthesisLimit}
	decode := func() (modelAnswer, error) {
		asked.Messages = messages
		return whileWriting(ctx, limit, func(ctx context.Context, writing func()) (answer modelAnswer, err error) {
			request := asked
			request.Writing = writing
			_, err = model.Decode(ctx, request, &answer)
			return answer, err
		})
	}
	answer, err := decode()
	if err != nil {
		return claims{}, err
	}
	found, err := w.hold(ctx, limit, answer, q, e)
	if err != nil || len(found.amiss) == 0 || !timeLeft(ctx) {
		return found, orNothing(found, err)
	}
	messages = append(messages, again(answer, found.amiss)...)
	if answer, err = decode(); err == nil {
		if mended, failed := w.hold(ctx, limit, answer, q, e); failed == nil && mended.whole() >= found.whole() {
			return mended, orNothing(mended, nil)
		}
	}
	return found, orNothing(found, nil) // what held stands
}

// timeLeft reports whether a model may be asked once more.
func timeLeft(ctx context.Context) bool {
	const least = 4 * time.Second
	end, ok := ctx.Deadline()
	return !ok || time.Until(end) > least
}

// orNothing refuses an answer of which all findings were dropped: quoted ones are better.
func orNothing(found claims, err error) error {
	if err == nil && len(found.findings) == 0 && len(found.dropped) > 0 {
		return errUnusable(reasonRefused)
	}
	return err
}

// again has the model mend what does not hold, or only in part.
func again(answer modelAnswer, amiss []citewell.Dropped) []llm.Message {
	written, _ := json.Marshal(answer) // of texts alone
	var list strings.Builder
	for _, d := range amiss {
		fmt.Fprintf(&list, "\n- %q: %s. The source says: %q", d.Text, d.Reason, text.Shorten(d.Quote, 2*maxLabel))
	}
	return []llm.Message{{Role: "assistant", Content: string(written)},
		{Role: "user", Content: "These statements do not hold against what they cite, or not in all their parts:" +
			list.String() +
			"\n\nGive the whole answer again: mend each of them to what its source says, or leave it out. Keep the " +
			"others as they are."}}
}

func dateOf(s citewell.Source) string {
	if s.Date == "" {
		return "undated"
	}
	return s.Date
}
