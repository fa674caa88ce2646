package judge

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/internal/envelope"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/llm"
)

// An item is a statement of a call: somebody's, or a canary.
type item struct {
	inquiry int  // index of the inquiry; -1 of a canary
	truth   bool // of a canary
	about   *cite.Inquiry
}

// A Call asks about several statements at once.
type Call struct {
	Key    string // the same for the same question and inquiries
	Tokens int    // at most, of the question and its answer, as they are counted here

	judge   *Judge
	items   []item // in the order of their numbers, from 1
	content string // one JSON object: doc/judge.md
	limit   int    // tokens of the answer
}

// A Verdict is what a model said of one statement, by its number.
type Verdict struct {
	N       int    `json:"n"`
	Differs string `json:"differs"`
	Verdict string `json:"verdict"` // supported, partly, contradicted or not_stated
	Passage int    `json:"passage"`
	Quote   string `json:"quote"`
	Reason  string `json:"reason"`
}

// An Answer is what came of a call. A journal keeps it as JSON.
type Answer struct {
	Verdicts []Verdict            `json:"verdicts"`
	Void     string               `json:"void,omitempty"`  // why none of it counts; empty where it does
	At       time.Time            `json:"at,omitzero"`     // when it came
	Score    citewell.JudgeReport `json:"score,omitzero"`  // of the judge by then
	Model    string               `json:"model,omitempty"` // of a judge that is lent: its name, as it was told
	// Tokens of the call.
	Input  int `json:"input"`
	Cached int `json:"cached,omitempty"` // of Input
	Output int `json:"output"`
}

// The wire.
type (
	wire struct {
		Question   string          `json:"question,omitempty"`
		Topic      string          `json:"topic,omitempty"`
		Statements []wireStatement `json:"statements"`
	}
	wireStatement struct {
		N        int           `json:"n"`
		Text     string        `json:"text"`
		Look     string        `json:"look,omitempty"`
		Passages []wirePassage `json:"passages"`
	}
	// A wirePassage has nothing but its number where it was shown before.
	wirePassage struct {
		N       int    `json:"n"`
		Source  int    `json:"source,omitempty"`
		Title   string `json:"title,omitempty"`
		Heading string `json:"heading,omitempty"`
		Text    string `json:"text,omitempty"`
	}
)

// plan puts statements into as few calls as fit half the window, each with canaries among them.
func (j *Judge) plan(q Question, inquiries []*cite.Inquiry, round, window int) []Call {
	var all []item
	most := maxText
	if round > 1 {
		most = maxWide
	}
	for i, about := range inquiries {
		if about != nil && len(about.Passages) > 0 {
			all = append(all, item{inquiry: i, about: shortened(about, min(most, window))})
		}
	}
	var calls []Call
	for _, batch := range j.batches(q, all, window) {
		chance := rand.New(rand.NewPCG(seedOf(q, batch, round)))
		batch = append(batch, canaries(batch, chance)...)
		chance.Shuffle(len(batch), func(a, b int) { batch[a], batch[b] = batch[b], batch[a] })
		calls = append(calls, j.call(q, batch))
	}
	return calls
}

// seedOf draws chance from what is asked, so that the same is planned alike.
func seedOf(q Question, batch []item, round int) (uint64, uint64) {
	content := contentOf(q, batch)
	sum := citewell.SHA256([]byte(content))
	var a, b uint64
	for i := range 16 {
		a, b = a<<4|uint64(strings.IndexByte(hexDigits, sum[i])), b<<4|uint64(strings.IndexByte(hexDigits, sum[16+i]))
	}
	return a, b + uint64(round)
}

const hexDigits = "0123456789abcdef"

func (j *Judge) call(q Question, items []item) Call {
	content := contentOf(q, items)
	limit := min(j.o.MaxTokens, answerBase+answerEach*len(items))
	return Call{Key: "judge/" + citewell.SHA256([]byte(j.key() + content))[:24],
		Tokens: llm.CountTokens(rules+string(schema)+content) + limit,
		judge:  j, items: items, content: content, limit: limit}
}

// batches fit half the window, with their canaries and without their answers, and their answers
// MaxTokens.
func (j *Judge) batches(q Question, all []item, window int) (batches [][]item) {
	room := window/2 - llm.CountTokens(rules+string(schema)+q.Question+q.Topic)
	most := max(1, (j.o.MaxTokens-answerBase)/answerEach*canaryOf/(canaryOf+1)-canaryLeast)
	var batch []item
	shown, used := map[passageKey]int{}, 0
	for _, it := range all {
		s := wireOf(it.about, shown)
		line, _ := json.Marshal(s)
		cost := llm.CountTokens(string(line)) + tokensOfCanary/canaryOf
		if len(batch) > 0 && (used+cost > room || len(batch) == most) {
			batches = append(batches, batch)
			batch, shown, used = nil, map[passageKey]int{}, 0
			line, _ = json.Marshal(wireOf(it.about, shown))
			cost = llm.CountTokens(string(line)) + tokensOfCanary/canaryOf
		}
		if len(batch) == 0 {
			cost += tokensOfCanary * canaryLeast
		}
		batch, used = append(batch, it), used+cost
	}
	if len(batch) > 0 {
		batches = append(batches, batch)
	}
	return batches
}

// tokensOfCanary is about what a canary takes: its passages are there already.
const tokensOfCanary = 60

// shortened keeps the passages of an inquiry within so many bytes: those that come first decide.
func shortened(about *cite.Inquiry, left int) *cite.Inquiry {
	short := *about
	short.Passages = nil
	for _, s := range about.Passages {
		if s.Passage.Text = text.Prefix(s.Passage.Text, left); strings.TrimSpace(s.Passage.Text) == "" {
			break
		}
		left -= len(s.Passage.Text)
		short.Passages = append(short.Passages, s)
	}
	return &short
}

// A passageKey tells passages apart within a call.
type passageKey struct {
	source, start int
	id, text      string
}

// wireOf gives a statement with its passages, and numbers those that are new.
func wireOf(about *cite.Inquiry, shown map[passageKey]int) wireStatement {
	s := wireStatement{Text: text.OneLine(about.Text), Look: text.OneLine(strings.Join(about.Look, "; ")),
		Passages: []wirePassage{}}
	for _, p := range about.Passages {
		key := passageKey{p.Passage.Source, p.Passage.Start, p.Passage.ID, p.Passage.Text}
		if n := shown[key]; n > 0 {
			s.Passages = append(s.Passages, wirePassage{N: n})
			continue
		}
		shown[key] = len(shown) + 1
		s.Passages = append(s.Passages, wirePassage{N: shown[key], Source: p.Passage.Source,
			Title: text.OneLine(p.Title), Heading: text.OneLine(p.Passage.Heading), Text: p.Passage.Text})
	}
	return s
}

// contentOf is the JSON of a call.
func contentOf(q Question, items []item) string {
	w, shown := wire{Question: text.OneLine(q.Question), Topic: text.OneLine(q.Topic)}, map[passageKey]int{}
	for n, it := range items {
		s := wireOf(it.about, shown)
		s.N = n + 1
		w.Statements = append(w.Statements, s)
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false) // "<" costs a model one token, \u003c six
	if err := encoder.Encode(w); err != nil {
		panic(err) // strings and numbers always have a JSON
	}
	return strings.TrimSpace(b.String())
}

// Do asks the model, grades it by the canaries and keeps its score. The verdicts of canaries are not
// in the answer. A judge that is not believed is not asked.
func (c Call) Do(ctx context.Context) (Answer, error) {
	if s := c.judge.Score(ctx); !s.Believed() {
		return Answer{Void: "it " + s.String(), At: time.Now().UTC(), Score: s.report(c.judge.Name())}, nil
	}
	within, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	answer, err := c.answer(within)
	if err != nil {
		return Answer{Input: answer.Input, Cached: answer.Cached, Output: answer.Output}, err
	}
	graded, void := c.grade(answer.Verdicts)
	score := c.judge.note(context.WithoutCancel(ctx), graded, false)
	answer.At, answer.Score = time.Now().UTC(), score.report(c.judge.Name())
	if answer.Void = cmp.Or(void, graded.refuted()); answer.Void == "" && !score.Believed() {
		answer.Void = "it " + score.String()
	}
	var kept []Verdict
	for _, v := range answer.Verdicts {
		if v.N >= 1 && v.N <= len(c.items) && c.items[v.N-1].inquiry >= 0 {
			v.Quote, v.Reason = text.Prefix(v.Quote, maxText), text.Prefix(v.Reason, 4*maxReason)
			kept = append(kept, v)
		}
	}
	answer.Verdicts = kept
	return answer, nil
}

// grade counts how the canaries were judged, and says why the call cannot be graded; empty where it can.
// Each statement must have one verdict, and each kind of canary must be judged: a page may have the
// model give a second list, or leave all others out.
func (c Call) grade(given []Verdict) (s Score, void string) {
	seen := map[int]bool{}
	for _, v := range given {
		switch {
		case v.N < 1 || v.N > len(c.items):
			continue
		case seen[v.N]:
			return Score{}, fmt.Sprintf("in this call it judged statement %d twice", v.N)
		}
		seen[v.N] = true
		supported := v.Verdict == "supported"
		switch it := c.items[v.N-1]; {
		case it.inquiry >= 0:
		case it.truth:
			s.Refused = append(s.Refused, !supported)
		default:
			s.Passed = append(s.Passed, supported)
		}
	}
	falses, truths := 0, 0
	for _, it := range c.items {
		switch {
		case it.inquiry >= 0:
		case it.truth:
			truths++
		default:
			falses++
		}
	}
	if 2*len(s.Passed) < falses || 2*len(s.Refused) < truths {
		return s, "in this call it passed over planted statements"
	}
	return s, ""
}

// maxModel is the most of a model's name that a caller tells, in bytes.
const maxModel = 60

// answer makes one call to the model.
func (c Call) answer(ctx context.Context) (Answer, error) {
	switch c.judge.o.Protocol {
	case ProtocolMinicheck:
		return c.minicheck(ctx)
	case ProtocolClassify:
		return c.classify(ctx)
	}
	foreign, zero := envelope.NewEnvelope(), 0.0
	var answer Answer
	model := c.judge.o.Model
	if of, is := model.(lent); is {
		model = lent{of.sample, c.Key}
	}
	reply, err := model.Decode(ctx, llm.Request{
		Messages: []llm.Message{
			{Role: llm.RoleSystem, Content: rules + "\n" + foreign.Rules()},
			{Role: llm.RoleUser, Content: foreign.Wrap("statements", c.content)},
		},
		Schema: schema, SchemaName: "verdicts", MaxTokens: c.limit, GrowTo: c.judge.o.MaxTokens, Tries: 2,
		Temperature: &zero,
	}, &answer)
	// not the model's to say
	answer.Void, answer.At, answer.Score, answer.Model = "", time.Time{}, citewell.JudgeReport{}, ""
	answer.Input, answer.Cached, answer.Output = reply.InputTokens, reply.CachedTokens, reply.OutputTokens
	if c.judge.o.Lent {
		answer.Model = text.OneLine(envelope.Neutralize(text.Shorten(reply.Model, maxModel)))
	}
	return answer, err
}
