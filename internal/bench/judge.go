package bench

import (
	"context"
	_ "embed"
	"encoding/json"
	"strings"

	"github.com/citewell/citewell/internal/envelope"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/tool"
	"github.com/citewell/citewell/llm"
)

// A Grade is what an answer is worth, in SimpleQA's three words.
type Grade string

// The grades.
const (
	Correct      Grade = "correct"
	Incorrect    Grade = "incorrect"
	NotAttempted Grade = "not_attempted"
)

// A Judge is a model that grades; llm.Client is one.
type Judge interface {
	Name() string
	Price() llm.Price
	Decode(ctx context.Context, r llm.Request, out any) (llm.Reply, error)
}

// Judging is what one grading was and took.
type Judging struct {
	Grade        Grade   `json:"grade,omitempty"` // empty where no model gave one
	Reason       string  `json:"reason,omitempty"`
	InputTokens  int     `json:"input_tokens"`
	OutputTokens int     `json:"output_tokens"`
	USD          float64 `json:"usd"`
}

//go:embed judge.md
var judgeRules string

//go:embed judge.schema.json
var judgeSchema json.RawMessage

const (
	judgeTokens  = 512      // of a verdict
	maxJudged    = 32 << 10 // bytes of an answer that a judge is shown
	maxJudgeSaid = 1000     // bytes of its reason that are kept
)

// grade asks a model what an answer is worth. Question and answers come from outside:
// they are shown in envelopes.
func grade(ctx context.Context, judge Judge, q Question, given string) (Judging, error) {
	foreign := envelope.NewEnvelope()
	var user strings.Builder
	for _, part := range [][2]string{{"question", q.Text}, {"target", q.Answer},
		{"given answer", tool.Shorten(given, maxJudged)}} {
		user.WriteString(foreign.Wrap(part[0], part[1]) + "\n\n")
	}
	var answer struct {
		Reason string `json:"reason"`
		Grade  Grade  `json:"grade"`
	}
	reply, err := judge.Decode(ctx, llm.Request{
		Messages: []llm.Message{{Role: "system", Content: judgeRules + "\n" + foreign.Rules()},
			{Role: "user", Content: strings.TrimSpace(user.String())}},
		Schema: judgeSchema, SchemaName: "grade", MaxTokens: judgeTokens, GrowTo: 4 * judgeTokens,
		Temperature: new(0.0),
	}, &answer)
	return Judging{answer.Grade, tool.Shorten(answer.Reason, maxJudgeSaid), reply.InputTokens, reply.OutputTokens,
		judge.Price().Of(reply)}, err
}

// gradeByWords is what can be said without a model: whether the words of the target
// stand in the answer, one after the other.
func gradeByWords(q Question, given string) Judging {
	has, wants := " "+words(given)+" ", " "+words(q.Answer)+" "
	switch {
	case strings.TrimSpace(has) == "":
		return Judging{Grade: NotAttempted, Reason: "there is no answer"}
	case strings.TrimSpace(wants) != "" && strings.Contains(has, wants):
		return Judging{Grade: Correct, Reason: "it has the words of the target"}
	}
	return Judging{Grade: Incorrect, Reason: "it does not have the words of the target"}
}

func words(s string) string {
	var list []string
	for _, w := range text.Words(s) {
		list = append(list, w.Text)
	}
	return strings.Join(list, " ")
}
